"""Runs of a workflow, SQL text or PySpark job with a store."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from veer.errors import InputError, UnsupportedError, UsageError
from veer.execution import targets as execution_targets
from veer.execution.charts import MOST_POINTS, write_chart
from veer.execution.compiler import Compiler
from veer.execution.order import order_of
from veer.execution.results import file_names, read_result, write_rows
from veer.execution.reuse import SHARE
from veer.execution.run import Request, Running, RunOutcome
from veer.execution.session import Session
from veer.execution.sources import Sources
from veer.execution.store import Store, StoredResult
from veer.execution.store.files import LocalFiles, checksum
from veer.execution.stored import is_stored, parse_stored, store_location
from veer.functions.zone_rules import canonical_zone
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink, Source
from veer.ir.sources import distinct_sources
from veer.ir.writes import Change
from veer.options import Keep, Reuse
from veer.read.checkout import top_level
from veer.read.function_bodies import Bodies, own_functions
from veer.read.inputs import parse_spec
from veer.read.spec import load
from veer.read.zoned_expressions import questions_of_zone
from veer.settings import ANSI, SessionSettings
from veer.verification.versions.version import Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# -- workflow files and SQL in a form that Veer can run ------------------------------------------


@final
@dataclass
class Compiled:
    """A `Computation`: a dataflow over files, compiled for Spark when it has to run."""

    dataflow: Dataflow
    sources: Sources
    bodies: Bodies
    spark: Callable[[], SparkSession]

    def fingerprint(self, source: Source) -> str:
        """What the files of a source hold now."""
        return self.sources.fingerprint(source)

    def stamp(self, source: Source) -> str:
        """A stamp that changes whenever the files of a source are touched."""
        return self.sources.stamp(source)

    def read(self, source: Source) -> DataFrame:
        """The rows of a source, with its columns."""
        return self.sources.read(self.spark(), source)

    def can_cut(self, id_: str) -> bool:
        """Any signal can: the SQL above it reads a view in its place."""
        return True

    def frame(self, id_: str, stored: Mapping[str, DataFrame]) -> DataFrame:
        """The rows of a signal, those of stored ones read."""
        return self._compiler.frame(id_, stored)

    @cached_property
    def _compiler(self) -> Compiler:
        zone = canonical_zone(str(self.spark().conf.get("spark.sql.session.timeZone")))
        for question in questions_of_zone(self.dataflow, zone):
            raise UnsupportedError(
                f"the session is in the time zone {zone}, in which {question} means something else"
            )
        return Compiler(self.spark(), self.dataflow, self.read, self.bodies)


__all__ = ["Compiled"]

PLOTS = "plots"
LONGEST_NAME = 200


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
    overwrite: bool = False
    trust_targets: bool = False
    keep: Keep = Keep.SINKS
    reuse: Reuse = Reuse.PROVEN
    trust: bool = False
    share: float = SHARE
    master: str = "local[*]"
    conf: tuple[tuple[str, str], ...] = ()
    stable: frozenset[str] = frozenset()  # sources that are declared not to change


@final
@dataclass
class Started:
    """A version ready to be planned or run; close it when done."""

    running: Running
    store: Store
    session: Session
    dataflow: Dataflow
    data: Path
    rules: execution_targets.Rules

    def close(self) -> None:
        """Let go of the store and stop Spark."""
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
    session = session or Session(options.master, dict(options.conf))
    version = _load(spec, options, session.mode)
    data = Path(options.data)
    if not data.is_dir():
        raise InputError(f"--data {options.data}: no such directory")
    bodies = _bodies(options, data, version)
    name = checked_name(options.name or default_name(spec))
    _check_ids(version.dataflow)
    _check_changes(version.dataflow)
    store = open_store(options, session)
    try:
        _check_mode(store, spec, session.mode)
        sources = Sources(data.absolute(), options.content, session, store.seal)
        dataflow = store.seal.dataflow(version.dataflow)
        request = _request(name, spec, options, version, session)
        computation = Compiled(dataflow, sources, bodies, session)
        running = Running(request, computation, store, session, progress)
        rules = _rules(spec, options, store, sources, dataflow)
    except BaseException:
        store.close()
        raise
    return Started(running, store, session, dataflow, data, rules)


def _load(spec: str, options: RunOptions, mode: SessionSettings) -> Version:
    """A version, read with the meaning it has in the session that is to run it."""
    return load(
        spec,
        schema=options.schema,
        args=options.args,
        store=options.store,
        conf=mode.conf(),
        spark=str(mode.spark),
    )


def _check_mode(store: Store, spec: str, mode: SessionSettings) -> None:
    """Refuse a stored version that meant something else where it was stored.

    What its functions of the session compute, for one, is not told by its expressions.
    """
    if not is_stored(spec):
        return
    version = store.version(*parse_stored(spec))
    assert version is not None, spec
    was_ansi = ANSI not in version.environment.get("settings", {})
    if was_ansi is not mode.ansi:
        ran, needed = ("under", "true") if was_ansi else ("without", "false")
        raise UnsupportedError(f"{spec} ran {ran} ANSI: use --conf {ANSI}={needed}")


def _check_changes(dataflow: Dataflow) -> None:
    """Refuse what changes tables: a run would compute the rows, and leave the table as it is."""
    for sink in (dataflow.operators[id_] for id_ in dataflow.sinks):
        if isinstance(sink, Sink) and isinstance(sink.write, Change):
            raise UnsupportedError(
                f"Veer compares UPDATE, DELETE and MERGE but does not run them: {sink.name} is not changed"
            )


def _bodies(options: RunOptions, data: Path, version: Version) -> Bodies:
    """What the opaque functions of a version do; a file of the user's own is run now."""
    return Bodies(
        Path(options.models) if options.models else data / "models",
        own_functions(options.functions) if options.functions else {},
        version.code,
        options.trust_code,
    )


def _request(
    name: str, spec: str, options: RunOptions, version: Version, session: Session
) -> Request:
    """What is to be run, as a run takes it."""
    return Request(
        name=name,
        spec=spec,
        keep=options.keep,
        reuse=options.reuse,
        trust=options.trust,
        share=options.share,
        stable_ids=version.stable_ids,
        code=version.code,
        stable=options.stable,
        environment=session.environment(),
        look=session.environment,
        starting=0.0 if session.is_running else Request.starting,
    )


def _rules(
    spec: str, options: RunOptions, store: Store, sources: Sources, dataflow: Dataflow
) -> execution_targets.Rules:
    """Where results of a run may go."""
    here, data = Path.cwd(), sources.data
    project = {here}
    needed = [
        here,
        data,
        Path(os.path.expanduser("~")),
        *map(Path, filter(None, (options.models, options.functions))),
    ]
    if not is_stored(spec):
        file = Path(parse_spec(spec).path).absolute()
        folder = next(p for p in file.parents if p.is_dir())
        project.add(top_level(folder) or folder)
        needed.append(file)
    read = [g for s in distinct_sources(dataflow) for g in sources.locate(s).globs]
    kept = [store.location] if store.is_folder else []
    if isinstance(store.files, LocalFiles):
        kept.append(store.files.root)
    return execution_targets.Rules(
        options.overwrite,
        options.trust_targets,
        tuple(sorted(execution_targets.real(p) for p in project if p.parent != p)),
        tuple(read),
        tuple(needed),
        tuple(map(Path, kept)),
    )


def _check_ids(dataflow: Dataflow) -> None:
    """Refuse ids that no database keeps, before anything runs."""
    for id_ in dataflow.operators:
        if "\0" in id_ or any("\ud800" <= c <= "\udfff" for c in id_):
            raise InputError(f"the operator {id_!r} has an id that is not a text")


def open_store(options: RunOptions, session: Session) -> Store:
    """The store of a run; it is made if it is not there."""
    return Store(store_location(options.store), results=options.results, spark=session)


def default_name(spec: str) -> str:
    """The name versions of a SPEC go by: its file, or its function."""
    if is_stored(spec):
        return parse_stored(spec)[0]
    parsed = parse_spec(spec)
    stem = Path(parsed.path).stem
    return f"{stem}.{parsed.function}" if parsed.function else stem


def checked_name(name: str) -> str:
    """A name for versions that is one: it is shown, and part of the names of files."""
    problem = ""
    if not name or name != name.strip() or not name.isprintable():
        problem = "a name has printable characters, and no blanks around them"
    elif "/" in name or "\\" in name or name in (".", ".."):
        problem = "a name is not a path"
    elif len(name) > LONGEST_NAME:
        problem = f"a name has at most {LONGEST_NAME} characters"
    if problem:
        raise UsageError(f"the name {name[:LONGEST_NAME]!r}: {problem}")
    return name


# -- what a run leaves outside of the store ------------------------------------------------------


@final
@dataclass(frozen=True)
class Destination:
    """Where a sink goes beside the store: a copy that was asked for, its own target, a chart."""

    copy: execution_targets.Target | None = None
    own: execution_targets.Target | None = None
    chart: Path | None = None

    @property
    def targets(self) -> list[execution_targets.Target]:
        """Where rows of the sink are written."""
        return [t for t in (self.copy, self.own) if t is not None]


def destinations(started: Started, folder: str) -> dict[str, Destination]:
    """The target of each sink; an error if writing it would destroy data of others."""
    local = isinstance(started.store.files, LocalFiles)
    if folder and not local:
        raise UsageError(f"--out: results are in {started.store.files.root}; copy them from there")
    names, targets = execution_targets.Names(), {}
    for sink in started.dataflow.sinks:
        operator = started.dataflow.operators[sink]
        assert isinstance(operator, Sink)
        name = names.of(operator.name, sink)
        copy = chart = own = None
        own_path = (
            execution_targets.path_of(operator.target, started.data)
            if operator.target and local
            else None
        )
        if folder:
            path = Path(folder) / name
            copy = execution_targets.Target(execution_targets.real(path), str(path), is_asked=True)
        if operator.is_chart:
            chart = Path(folder or PLOTS) / name
        elif own_path is not None and operator.write is None:
            own = execution_targets.Target(own_path, operator.target, is_asked=False)
        targets[sink] = Destination(copy, own, chart)
    started.rules.check([target for d in targets.values() for target in d.targets])
    return targets


def export(outcome: RunOutcome, started: Started, folder: str) -> list[Path]:
    """Write every sink to where it goes; charts are drawn, in a folder or beside the store."""
    written: list[Path] = []
    targets = destinations(started, folder)
    for sink, result in outcome.results.items():
        for target in targets[sink].targets:
            execution_targets.write(target, started.rules, partial(_fill, started, sink, result))
            written.append(target.path)
        chart = targets[sink].chart
        if chart is not None:
            written += _draw(outcome, started, sink, chart, beside_store=not folder)
    _check_delivered(outcome, targets)
    return written


def _draw(
    outcome: RunOutcome, started: Started, sink: str, target: Path, *, beside_store: bool
) -> list[Path]:
    """Draw the chart of a sink, in its folder or in one of the version beside the store."""
    operator, files = started.dataflow.operators[sink], started.store.files
    assert isinstance(operator, Sink)
    if not operator.columns or not isinstance(files, LocalFiles):
        return []
    if beside_store:
        assert outcome.version is not None
        version = execution_targets.safe_name(outcome.version.label)
        target = Path(files.root).parent / PLOTS / version / target.name
    result, names = outcome.results[sink], started.dataflow.schemas[sink].names
    rows = _some_rows(started, sink, result)
    return write_chart(target, operator.name, operator.kind, names, rows, result.rows)


def _check_delivered(outcome: RunOutcome, targets: Mapping[str, Destination]) -> None:
    """A target that was not written is an error, however well the rest went."""
    for sink in outcome.sinks:
        if sink.sink not in outcome.results and targets[sink.sink].targets:
            shown = targets[sink.sink].targets[0].shown
            raise InputError(
                f"{shown} is as it was: {sink.note} while {sink.sink!r} was computed; run again"
            )


def _is_in_order(started: Started, sink: str, result: StoredResult) -> bool:
    """Whether the files of a result, by name, have the rows in the order of a sink.

    One whose order its columns do not tell is only ever served by the same computation.
    """
    asked = order_of(started.dataflow, sink)
    if not asked:
        return True
    (kept,) = result.dataflow.sinks
    return (order_of(result.dataflow, kept) or [])[: len(asked)] == asked


def _ordered(started: Started, sink: str, result: StoredResult) -> DataFrame:
    schema, order = started.dataflow.schemas[sink], order_of(started.dataflow, sink)
    return read_result(started.session(), started.store, result, schema, order or ())


def _fill(started: Started, sink: str, result: StoredResult, new: Path) -> None:
    """The rows of a sink in a new folder, in the order it asks for."""
    if not _is_in_order(started, sink, result):
        names = file_names(started.dataflow.schemas[sink])
        write_rows(started.session(), _ordered(started, sink, result).toDF(*names), f"file:{new}")
        return
    shutil.copytree(started.store.files.path(result.id), new)
    for file in result.files:
        if checksum(new / file.name) != file.checksum:
            raise InputError(f"the stored result of {sink!r} is damaged: {file.name}; run again")


def _some_rows(started: Started, sink: str, result: StoredResult) -> list[tuple[Any, ...]]:
    """Rows for a chart, the first ones where they are in an order."""
    files = started.store.files
    assert isinstance(files, LocalFiles)
    if _is_in_order(started, sink, result):
        return sample(files, result, MOST_POINTS)
    return [tuple(row) for row in _ordered(started, sink, result).limit(MOST_POINTS).collect()]


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


__all__ = [
    "RunOptions",
    "Started",
    "checked_name",
    "default_name",
    "destinations",
    "export",
    "sample",
    "start",
]
