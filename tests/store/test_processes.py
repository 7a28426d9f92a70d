"""Many processes at once: no version is lost, nobody reads what is not right, nobody waits forever."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from tests.store import pretend
from tests.store.forked import Forks
from tests.store.pretend import Place, new_result, new_version
from veer.errors import InputError
from veer.execution.store import SinkResult, Store, tables
from veer.execution.store.files import LocalFiles
from veer.execution.store.gc import collect

RUNS = {2: 20, 8: 6}  # of each process


@pytest.mark.slow
@pytest.mark.parametrize("processes", RUNS)
def test_processes_run_at_once(place: Place, forks: Forks, processes: int) -> None:
    """The store is new: they make it, too, at once."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    started = [
        forks.start("work", place.store, place.results, seed + n, RUNS[processes])
        for n in range(processes)
    ]
    assert [forks.ended(process) for process in started] == [0] * processes
    with place.open() as store:
        assert pretend.check(store) == processes * RUNS[processes]
        recorded = [v for name in store.names() for v in store.versions(name)]
        assert len({v.label for v in recorded}) == len(recorded) == processes * RUNS[processes]
        with store.read() as db:
            assert not db.execute(tables.leases.select()).all()
        collect(store)
        assert pretend.check(store) == len(recorded)


@pytest.mark.slow
def test_what_readers_hold_is_never_deleted(place: Place, forks: Forks, tmp_path: Path) -> None:
    """Readers look at their results over and over, while others remove all that can be removed."""
    stop = tmp_path / "stop"
    with place.open() as store:
        made = [new_result(store, f"key {n}") for n in range(6)]
        for result in made:
            sinks = [SinkResult("out", "computed", result.id, result.rows, result.exact)]
            store.record(new_version("held", sinks), [result])
        store.record(new_version("held"), [])  # none is the result of the latest version
        readers = [
            forks.start("read_until", place.store, place.results, f"key {n}", str(stop))
            for n in range(3)
        ]
        while sum(len(_leases(store, r.id)) for r in made) < len(made) + 3:
            time.sleep(0.01)
        for result in made:
            store.release(result.id)
    removers = [forks.start("remove", place.store, place.results, 12) for _ in range(2)]
    removed = [forks.ended(process) for process in removers]
    stop.touch()
    assert [forks.ended(process) for process in readers] == [0, 0, 0]
    assert removed == [0, 0]
    with place.open() as store:
        assert {r.exact for r in made if store.result(r.id)} == {"key 0", "key 1", "key 2"}
        assert pretend.check(store) == 7


def _leases(store: Store, id_: str) -> list[str]:
    with store.read() as db:
        found = select(tables.leases.c.id).where(tables.leases.c.result == id_)
        return list(db.execute(found).scalars())


# -- two transactions, interleaved ---------------------------------------------------------------


def at_once(*works: Callable[[], object]) -> list[object]:
    """What some works give, or the error they end with, each in a thread of its own."""
    found: list[object] = [None] * len(works)

    def run(n: int) -> None:
        try:
            found[n] = works[n]()
        except Exception as error:
            found[n] = error

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "they wait for one another"
    return found


@contextmanager
def paused(store: Store, statement: str) -> Iterator[tuple[threading.Event, threading.Event]]:
    """The store stops once before a statement: it says that it came there, and waits to go on."""
    came, go_on = threading.Event(), threading.Event()

    def wait(_: Any, __: Any, text: str, *___: Any) -> None:
        if text.startswith(statement) and not came.is_set():
            came.set()
            go_on.wait(1)

    event.listen(store.engine, "before_cursor_execute", wait)
    yield came, go_on
    go_on.set()


def test_stores_are_made_at_once(place: Place) -> None:
    def make() -> str:
        with place.open() as store:
            return store.results

    found = at_once(*[make] * 6)
    assert len(set(found)) == 1, found


def test_versions_that_share_results_in_another_order(place: Place) -> None:
    """Each locks the results of its sinks: in one order, or they wait for one another."""
    with place.open() as one, place.open() as two:
        made = [new_result(one, key) for key in "ab"]
        one.record(new_version("both"), made)
        sinks = [SinkResult(f"{n}", "reused", r.id) for n, r in enumerate(made)]
        turned = [replace(s, result=r.id) for s, r in zip(sinks, reversed(made), strict=True)]

        def record(store: Store, name: str, which: list[SinkResult]) -> Callable[[], int]:
            return lambda: [store.record(new_version(name, which), []).number for _ in range(15)][
                -1
            ]

        assert at_once(record(one, "p", sinks), record(two, "q", turned)) == [15, 15]


def test_a_version_that_runs_again_twice_at_once(place: Place) -> None:
    with place.open() as store:
        store.record(new_version("report", [SinkResult("out", "not kept")]), [])

    def renew() -> str:
        with place.open() as own:
            version = own.version("report")
            assert version is not None
            for _ in range(8):
                made = new_result(own, "a")
                sinks = (SinkResult("out", "computed", made.id, made.rows, made.exact),)
                own.renew_sinks(replace(version, sinks=sinks), [made])
        return "done"

    assert at_once(renew, renew, renew) == ["done"] * 3
    with place.open() as store:
        assert pretend.check(store) == 1
        assert len(store.with_exact(["a"])) == 24


@pytest.mark.parametrize(
    ("slow", "statement"),
    [
        ("register", "INSERT INTO veer_results"),
        ("sweep", "DELETE FROM veer_leases WHERE veer_leases.result"),
        ("sweep", "SELECT veer_results.id \nFROM veer_results \nWHERE veer_results.id"),
    ],
    ids=["registering", "before the lease goes", "after it went"],
)
def test_a_late_result_is_registered_or_collected_never_both(
    place: Place, slow: str, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease ends while `gc` works, which looks at its folder just when it is registered."""
    listed = LocalFiles.folders

    def late(files: LocalFiles) -> Sequence[str]:
        with writer.write() as db:
            db.execute(tables.leases.update().values(expires=0))
        return listed(files)

    with place.open() as writer, place.open() as collector:
        written = new_result(writer, "a")
        sinks = [SinkResult("out", "computed", written.id, written.rows, written.exact)]

        def register() -> object:
            return writer.record(new_version("report", sinks), [written]).number

        def sweep() -> object:
            with monkeypatch.context() as patched:
                patched.setattr(LocalFiles, "folders", late)
                return collect(collector).orphans

        first, second = (register, sweep) if slow == "register" else (sweep, register)
        with paused(writer if slow == "register" else collector, statement) as (came, go_on):

            def meanwhile() -> object:
                assert came.wait(30)
                try:
                    return second()
                finally:
                    go_on.set()

            found = at_once(first, meanwhile)
        registered = [f for f in found if f == 1]
        refused = [f for f in found if isinstance(f, InputError)]
        assert len(registered) + len(refused) == 1, found
        assert pretend.check(collector) == len(registered)
        assert (written.id in collector.files.folders()) == bool(registered)
