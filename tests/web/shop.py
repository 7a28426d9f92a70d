"""A store as runs of the tobacco example leave it, made without Spark, and `veer ui` on it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet

from veer.api import diff, load
from veer.execution.store import SinkResult, Store, StoredResult, StoredVersion
from veer.execution.store.records import COMPUTED, REUSED
from veer.execution.store.runs import RunLog
from veer.facts.fingerprint import fingerprint
from veer.ir.json import to_json
from veer.verification.versions.describe import describe_edits
from veer.verification.versions.version import Version

TOBACCO = Path(__file__).parents[2] / "examples" / "tobacco"
HOSTILE = "<script>alert(1)</script>"


def make_store(folder: Path) -> None:
    """Two versions: the first computed both of its sinks, the second reused one."""
    old, new = (load(str(TOBACCO / file)) for file in ("v1.yaml", "v2.yaml"))
    with Store(str(folder)) as store:
        tweets, plotted = (_result(store, old, sink) for sink in ("i", "p"))
        fewer = _result(store, new, "i")
        why = "nothing stored is known to be the same"
        first = tuple(SinkResult(r.exact, COMPUTED, r.id, r.rows, why) for r in (tweets, plotted))
        store.record(_version(old, first, ()), [tweets, plotted])
        log = RunLog(store.runs, "tobacco", "v1.yaml")
        log.done(1, _work(computed=[tweets, plotted], served=[]), 12.5)
        second = (
            SinkResult("i", COMPUTED, fewer.id, fewer.rows, "nothing stored is the same"),
            SinkResult("p", REUSED, plotted.id, plotted.rows, "proven by spes in 2 windows"),
        )
        edits = [asdict(edit) for edit in describe_edits(diff(old, new))]
        store.record(_version(new, second, edits), [fewer])
        log = RunLog(store.runs, "tobacco", "v2.yaml")
        log.done(2, _work(computed=[fewer], served=[plotted]), 5.5)
        RunLog(store.runs, "tobacco", "v3.yaml").failed("InputError")
    plots = folder / "plots" / "tobacco_2"
    plots.mkdir(parents=True)
    (plots / "influencers.html").write_text(f"<p>a plot</p>{HOSTILE}")
    (folder / "secret.html").write_text("not a plot")


def _result(store: Store, version: Version, sink: str) -> StoredResult:
    flow = version.dataflow.restrict(version.dataflow.ancestors(sink))
    names = flow.result_schema.names
    id_ = store.new_result()
    place = Path(store.files.path(id_))
    place.mkdir(parents=True)
    rows = [f"{name} {HOSTILE}" for name in "abc"]
    table = arrow.table({name: [*rows, None] for name in names})
    parquet.write_table(table, place / "part-00000.parquet")
    files = tuple(store.files.listed(id_))
    size = sum(f.size for f in files)
    text = json.dumps(to_json(flow))
    return StoredResult(id_, sink, sink, "here", {}, text, names, files, 4, size, 3.5)


def _version(version: Version, sinks: tuple[SinkResult, ...], edits: object) -> StoredVersion:
    return StoredVersion(
        name="tobacco",
        dataflow=version.dataflow,
        fingerprint=fingerprint(version.dataflow),
        stable_ids=True,
        spec=Path(version.name).name,
        sources={json.dumps(["tweets"]): "3 files"},
        environment={"spark": "4.3.0", "veer": "0"},
        started=time.time(),
        seconds=5.5,
        sinks=sinks,
        edits=tuple(edits),  # type: ignore[arg-type]
        code=version.code,
    )


def _work(computed: list[StoredResult], served: list[StoredResult]) -> dict[str, object]:
    sinks = [{"sink": r.exact, "how": COMPUTED, "rows": r.rows} for r in computed]
    sinks += [{"sink": r.exact, "how": REUSED, "rows": r.rows} for r in served]
    return {
        "sinks": sinks,
        "read": [],
        "computed_bytes": sum(r.bytes for r in computed),
        "computed_seconds": sum(r.seconds for r in computed),
        "read_bytes": 0,
        "saved_bytes": sum(r.bytes for r in served),
        "saved_seconds": sum(r.seconds for r in served),
        "reused": len(served),
        "planning": 0.1,
        "proving": 0.05,
    }


@contextmanager
def veer_ui(folder: Path, *args: str) -> Iterator[str]:
    """The command in a new process, in another folder; the address it prints."""
    command = [sys.executable, "-m", "veer", "ui", "--no-open", *args]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        said = process.stderr.readline()
        address = re.search(r"http://\S+", said)
        assert address, said + process.stderr.read()
        yield address[0]
    finally:
        process.terminate()
        process.wait(20)
