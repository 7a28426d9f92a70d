"""Running what a user names: a workflow, SQL or a PySpark job, against a store."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.dataflow.dag import Dataflow
from veer.dataflow.ops import Sink
from veer.errors import InputError, UsageError
from veer.execution.charts import MOST_POINTS, write_chart
from veer.execution.compiled import Compiled
from veer.execution.functions import Bodies, own_functions
from veer.execution.reuse import SHARE
from veer.execution.run import Outcome, Request, Running
from veer.execution.session import Session
from veer.execution.sources import Sources
from veer.frontends.spec import STORED, load, parse_spec, parse_stored, store_place
from veer.store import Store, StoredResult
from veer.store.files import LocalFiles

PLOTS = "plots"


@final
@dataclass(frozen=True)
class RunOptions:
    """How to run: where data, results and functions are, what may be reused."""

    store: str = ""
    results: str = ""
    name: str = ""
    schema: str = ""
    args: Sequence[str] = ()
    data: str = "."
    content: bool = False
    models: str = ""
    functions: str = ""
    trust_code: bool = False
    keep: str = "sinks"
    reuse: str = "proven"
    trust: bool = False
    share: float = SHARE
    master: str = "local[*]"
    conf: tuple[tuple[str, str], ...] = ()


@final
@dataclass
class Started:
    """A version ready to be planned or run; close it when done."""

    running: Running
    store: Store
    session: Session
    dataflow: Dataflow
    data: Path

    def close(self) -> None:
        self.store.close()
        self.session.stop()

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start(
    spec: str,
    options: RunOptions,
    session: Session | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Started:
    """Load a version and everything its run needs; nothing is computed yet."""
    progress(f"reading {spec}")
    version = load(spec, schema=options.schema, args=options.args, store=options.store)
    session = session or Session(options.master, dict(options.conf))
    data = Path(options.data)
    if not data.is_dir():
        raise InputError(f"--data {options.data}: no such directory")
    bodies = Bodies(
        Path(options.models) if options.models else data / "models",
        own_functions(options.functions) if options.functions else {},
        version.code,
        options.trust_code,
    )
    sources = Sources(data.absolute(), options.content, session)
    store = open_store(options, session)
    request = Request(
        name=options.name or default_name(spec),
        spec=spec,
        keep=options.keep,
        reuse=options.reuse,
        trust=options.trust,
        share=options.share,
        stable_ids=version.stable_ids,
        code=version.code,
        environment=session.environment(),
        starting=0.0 if session.is_running else Request.starting,
    )
    try:
        computation = Compiled(version.dataflow, sources, bodies, session)
        running = Running(request, computation, store, session, progress)
    except BaseException:
        store.close()
        raise
    return Started(running, store, session, version.dataflow, data)


def open_store(options: RunOptions, session: Session) -> Store:
    return Store(store_place(options.store), results=options.results, spark=session)


def default_name(spec: str) -> str:
    """The name versions of a SPEC go by: its file, or its function."""
    if spec.startswith(STORED):
        return parse_stored(spec)[0]
    parsed = parse_spec(spec)
    stem = Path(parsed.path).stem
    return f"{stem}.{parsed.function}" if parsed.function else stem


# -- what a run leaves outside of the store ------------------------------------------------------


def export(outcome: Outcome, started: Started, folder: str) -> list[Path]:
    """Copy every sink below a folder; charts are drawn, here or beside the store."""
    store, written = started.store, []
    files = store.files
    for sink, result in outcome.results.items():
        operator = started.dataflow.operators[sink]
        assert isinstance(operator, Sink)
        target = Path(folder) / safe_name(operator.name) if folder else None
        while target is not None and target in written:
            target = target.with_name(f"{target.name}_{sink}")
        if target is not None:
            if not isinstance(files, LocalFiles):
                raise UsageError(f"--out: results are in {files.root}; copy them from there")
            _copy(files, result, target)
            written.append(target)
        if operator.kind == "table" and _is_path(operator.target) and isinstance(files, LocalFiles):
            place = started.data / operator.target
            _copy(files, result, place)
            written.append(place)
        if operator.kind != "table" and operator.columns and isinstance(files, LocalFiles):
            assert outcome.version is not None
            place = target or (
                Path(files.root).parent / PLOTS / outcome.version.label / safe_name(operator.name)
            )
            names = started.dataflow.schemas[sink].names
            rows = sample(files, result, MOST_POINTS)
            written += write_chart(place, operator.name, operator.kind, names, rows, result.rows)
    return written


def _is_path(target: str) -> bool:
    """Whether a target of a sink is a place for files, not the name of a table."""
    return "://" not in target and ("/" in target or target.endswith(".parquet"))


def _copy(files: LocalFiles, result: StoredResult, target: Path) -> None:
    """The files of a result, in place of what an earlier run wrote there."""
    if target.exists() and not (target / "_SUCCESS").exists():
        raise InputError(f"{target} is there already, and no result of a run")
    new, old = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for aside in (new, old):
            shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(files.path(result.id), new)
        if target.exists():
            target.rename(old)  # whole: a folder half deleted would be taken for somebody else's
        new.rename(target)
    except shutil.Error as error:
        raise InputError(f"{target}: {error.args[0][0][2]}") from None
    except OSError as error:
        raise InputError(f"{target}: {error.strerror}") from None
    shutil.rmtree(old, ignore_errors=True)


def sample(files: LocalFiles, result: StoredResult, most: int) -> list[tuple[Any, ...]]:
    """Some rows of a result, without Spark."""
    import pyarrow.parquet

    rows: list[tuple[Any, ...]] = []
    for file in result.files:
        opened = pyarrow.parquet.ParquetFile(f"{files.path(result.id)}/{file.name}")
        for batch in opened.iter_batches(batch_size=most):
            columns = [column.to_pylist() for column in batch.columns]
            rows += zip(*columns, strict=True)
            if len(rows) >= most:
                return rows[:most]
    return rows


def safe_name(name: str) -> str:
    """A name as the name of a file."""
    return re.sub(r"[^\w.-]+", "_", name).strip(".") or "result"


__all__ = ["RunOptions", "Started", "default_name", "export", "sample", "start"]
