"""Pretend runs: what a real run asks of a store, with rows that follow from the key.

A wrong row is then seen by whoever reads it, and needs no Spark to be made.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
from sqlalchemy import Engine, event, select

from veer.execution.store import SinkResult, Store, StoredResult, StoredVersion, tables
from veer.execution.store.gc import collect
from veer.execution.store.records import SinkState
from veer.ir.dag import Dataflow, Link
from veer.ir.json import to_json
from veer.ir.ops import Sink, Source
from veer.ir.schema import Field
from veer.ir.types import parse_type

KEYS = 12  # few, so that results are reused, and come back after they were removed
STUCK = 100  # seconds after which a process that waits for another is ended
NAMES = ("red", "green", "blue")
SOURCE = Source("t", (Field("value", parse_type("string")),))
FLOW = Dataflow({"t": SOURCE, "out": Sink("out")}, [Link("t", "out")])
TEXT = json.dumps(to_json(FLOW))


@dataclass(frozen=True)
class Place:
    """Where a store is, and where its results go if that must be said."""

    store: str
    results: str = ""

    def open(self) -> Store:
        return Store(self.store, results=self.results)


class WrongRowsError(Exception):
    """A result holds other rows than its key promises."""


# -- steps ---------------------------------------------------------------------------------------

_steps: list[int] = []  # the file that counts them, if somebody does


def step() -> None:
    """Count a step, so that somebody else can see how far this process is."""
    for counted in _steps:
        os.write(counted, b".")


def count_steps(path: str) -> None:
    """Every statement is a step from now on, and every file."""
    _steps.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
    event.listen(Engine, "before_cursor_execute", lambda *_: step())
    event.listen(Engine, "commit", lambda _: step())


# -- rows ----------------------------------------------------------------------------------------


def files_of(key: str) -> list[list[str]]:
    """The rows of every file of a result, which follow from its key."""
    drawn = random.Random(key)
    numbers = range(drawn.randrange(1, 4))
    return [
        [hashlib.sha256(f"{key} {n} {i}".encode()).hexdigest() for i in range(drawn.randrange(60))]
        for n in numbers
    ]


def write_rows(folder: str, key: str) -> int:
    """Write a result as Spark does: a folder, its files, a mark at the end."""
    os.makedirs(folder)
    contents = files_of(key)
    for n, values in enumerate(contents):
        step()
        table = pyarrow.table({"value": pyarrow.array(values, pyarrow.string())})
        pyarrow.parquet.write_table(table, f"{folder}/part-{n}.parquet")
    Path(f"{folder}/_SUCCESS").touch()
    return sum(map(len, contents))


def rows_in(store: Store, result: StoredResult) -> list[list[str]]:
    """What the files of a result hold."""
    folder = store.files.path(result.id)
    return [
        pyarrow.parquet.ParquetFile(f"{folder}/{f.name}")
        .read(use_threads=False)
        .column("value")
        .to_pylist()
        for f in result.files
    ]


def check_rows(store: Store, result: StoredResult) -> None:
    if rows_in(store, result) != files_of(result.exact):
        raise WrongRowsError(f"{result.id} of key {result.exact}")


# -- runs ----------------------------------------------------------------------------------------


def new_result(store: Store, key: str, **given: Any) -> StoredResult:
    """A result that is written and not registered yet."""
    id_ = store.new_result()
    rows = write_rows(store.files.path(id_), key)
    files = tuple(store.files.listed(id_))
    asked = {
        "exact": key,
        "signature": f"looks like {key}",
        "environment": "here",
        "sources": {"t": "as it is"},
        "text": TEXT,
        "names": ("value",),
        "rows": rows,
        "bytes": sum(f.size for f in files),
        "seconds": 1.0,
    }
    return StoredResult(id=id_, files=files, **{**asked, **given})


def new_version(name: str, sinks: Sequence[SinkResult] = ()) -> StoredVersion:
    return StoredVersion(
        name=name,
        dataflow=FLOW,
        fingerprint="f",
        stable_ids=True,
        spec="pretend.yaml",
        sources={"t": "as it is"},
        environment={"spark": "none"},
        started=time.time(),
        seconds=0.5,
        sinks=tuple(sinks),
    )


def run_once(store: Store, drawn: random.Random, name: str) -> StoredVersion:
    """One run: each sink reads a stored result of its key, or makes one; all are recorded."""
    sinks: list[SinkResult] = []
    made: list[StoredResult] = []
    for n in range(drawn.randrange(1, 4)):
        key = f"key {drawn.randrange(KEYS)}"
        found = next((r for r in store.with_exact([key]) if not store.acquire(r)), None)
        if found is None:
            found = new_result(store, key)
            made.append(found)
        else:
            check_rows(store, found)
        how: SinkState = "computed" if found in made else "reused"
        sinks.append(SinkResult(f"sink {n}", how, found.id, found.rows, key))
    if drawn.random() < 0.3:  # kept on the way, the result of no sink
        made.append(new_result(store, f"key {drawn.randrange(KEYS)}"))
    return store.record(new_version(name, sinks), made)


def long_after(store: Store) -> None:
    """From now on every lease that was ever given has ended."""
    moved = time.time() + 7 * 86_400
    type(store).clock = property(lambda _: moved)  # type: ignore[assignment]


def work_until_killed(store_at: str, results: str, seed: int, steps: str, said: str) -> None:
    """Run and collect, over and over; what goes wrong is written to a file."""
    place, drawn = Place(store_at, results), random.Random(seed)
    count_steps(steps)
    try:
        with place.open() as store:
            if drawn.random() < 0.3:
                long_after(store)
                collect(store, max_bytes=drawn.choice([None, 0, 20_000]))
                del Store.clock  # the one it has from `Database` is back
        while True:
            with place.open() as store:
                for _ in range(drawn.randrange(1, 5)):
                    run_once(store, drawn, drawn.choice(NAMES))
                if drawn.random() < 0.5:
                    collect(store, max_bytes=drawn.choice([0, 10_000, 40_000]))
    except BaseException:
        Path(said).write_text(traceback.format_exc(), encoding="utf-8")


def work(store_at: str, results: str, seed: int, runs: int) -> None:
    """A number of runs beside those of other processes, with collections between them."""
    signal.alarm(STUCK)
    place, drawn = Place(store_at, results), random.Random(seed)
    done = 0
    while done < runs:
        with place.open() as store:
            for _ in range(min(runs - done, drawn.randrange(1, 5))):
                run_once(store, drawn, drawn.choice(NAMES))
                done += 1
                if drawn.random() < 0.3:
                    collect(store, max_bytes=drawn.choice([0, 10_000]))


def read_until(store_at: str, results: str, key: str, stop: str) -> None:
    """Hold a result and read its rows, over and over, until a file is there."""
    signal.alarm(STUCK)
    with Place(store_at, results).open() as store:
        (result,) = store.with_exact([key])
        assert store.acquire(result) == ""
        while not os.path.exists(stop):
            check_rows(store, result)
            time.sleep(0.01)
        check_rows(store, result)


def remove(store_at: str, results: str, times: int) -> None:
    """Remove everything that can be removed, and leave something to remove."""
    signal.alarm(STUCK)
    with Place(store_at, results).open() as store:
        for _ in range(times):
            collect(store, max_bytes=0, max_age=0)
            store.release(new_result(store, "left over").id)
        collect(store, max_bytes=0, max_age=0)


# -- what must hold at any moment ----------------------------------------------------------------


def check(store: Store) -> int:
    """The number of versions of a store in which everything is as it should be."""
    r, s, v = tables.results.c, tables.sinks.c, tables.versions.c
    with store.read() as db:
        numbers = db.execute(select(v.name, v.number).order_by(v.name, v.number)).all()
        sinks = db.execute(select(s.name, s.number, s.result, s.note)).all()
        ids = list(db.execute(select(r.id).where(r.state == "live")).scalars())
    counted: dict[str, int] = {}
    for row in numbers:
        counted[row.name] = counted.get(row.name, 0) + 1
        assert row.number == counted[row.name], f"{row.name}@{row.number} follows another number"
    live = {id_: store.result(id_) for id_ in ids}
    for id_, result in live.items():
        assert result is not None
        assert store.files.damage(id_, result.files, deep=True) == ""
        check_rows(store, result)
    assert {(row.name, row.number) for row in sinks} <= {tuple(row) for row in numbers}
    for shown in sinks:
        if shown.result is not None:
            result = live.get(shown.result)
            assert result is not None, f"{shown.name}@{shown.number} shows a result that is gone"
            assert result.exact == shown.note
    return len(numbers)
