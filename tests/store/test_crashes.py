"""Processes killed at any moment: what is registered stays whole, what is not goes with `gc`."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.store import pretend
from tests.store.forked import Forks
from tests.store.pretend import Place
from veer.execution.start import sample
from veer.execution.store import Store, StoredVersion, tables
from veer.execution.store.files import LocalFiles
from veer.execution.store.gc import collect
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.ops import RowUdf
from veer.read.function_bodies import Bodies

KILLS = {"sqlite": 150, "postgresql": 50}
STEPS = 120  # that a process may take: statements and files, those of a few runs
BETWEEN = 0.004  # seconds, about those of a step


@pytest.mark.slow
def test_killed_at_any_moment(
    place: Place, forks: Forks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    drawn = random.Random(seed)
    said, steps = tmp_path / "said", tmp_path / "steps"
    place.open().close()
    kills = KILLS["sqlite" if not place.results else "postgresql"]
    versions = 0
    for n in range(kills):
        steps.write_bytes(b"")
        given = (place.store, place.results, drawn.randrange(2**32), str(steps), str(said))
        process = forks.start("work_until_killed", *given)
        until = drawn.randrange(STEPS)
        while steps.stat().st_size < until and not said.exists():
            time.sleep(0.001)
        time.sleep(drawn.uniform(0, BETWEEN))
        forks.kill(process)
        assert not said.exists(), said.read_text()
        with place.open() as store:
            now = pretend.check(store)
            assert now >= versions  # what was recorded stays
            versions = now
            if n % 10 == 0:
                pretend.run_once(store, drawn, "red")
                versions += 1
    assert versions > kills / 4  # they were killed at work
    monkeypatch.setattr(Store, "clock", time.time() + 86_400)
    with place.open() as store:
        left = collect(store)
        assert not left.problems
        with store.read() as db:
            known = set(db.execute(tables.results.select()).scalars())
            assert not db.execute(tables.leases.select()).all()
        assert set(os.listdir(store.files.root)) == known
        assert pretend.check(store) == versions
        for name in store.names():
            numbers = [v.number for v in store.versions(name)]
            assert numbers == list(range(1, 1 + len(numbers)))
    print(f"{kills} kills, {versions} versions, {len(left.orphans)} folders left over at the end")


# -- a real run ----------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "tobacco"
# How far a run is when it is killed, told by what is new in its store.
STAGES = ("veer.db", "results/*/_temporary/**/part-*", "results/*/_SUCCESS")


@pytest.mark.spark
@pytest.mark.slow
def test_a_real_run_is_killed_and_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random.Random(random.randrange(2**32))
    users, tweets = _example(tmp_path)
    place = tmp_path / ".veer"
    for stage in STAGES:
        before = set(place.glob(stage))
        process = _start(tmp_path)
        while process.poll() is None and set(place.glob(stage)) <= before:
            time.sleep(0.002)
        time.sleep(drawn.uniform(0, 0.2))
        _kill(process, drawn)
        with Store(str(place)) as store:
            assert len(_whole(store)) <= 1  # one, if it was done before it was killed
    process = _start(tmp_path)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 0, said
    with Store(str(place)) as store:
        (version,) = _whole(store)
        expected = _interpreted(version.dataflow, users, tweets)
        for sink in version.sinks:
            found = store.result(sink.result)
            assert found is not None
            rows = sample(LocalFiles(store.files.root), found, found.rows)
            assert sorted(rows, key=repr) == sorted(expected[sink.sink], key=repr)
        print(f"{len(store.files.folders()) - len(version.sinks)} folders left over")
        monkeypatch.setattr(Store, "clock", time.time() + 86_400)
        collect(store)
        assert sorted(store.files.folders()) == sorted(s.result for s in version.sinks)
        assert _whole(store) == [version]


def _example(folder: Path) -> tuple[list[Any], list[Any]]:
    """The example with some data: its two tables."""
    shutil.copytree(EXAMPLE / "models", folder / "models")
    shutil.copy(EXAMPLE / "v1.yaml", folder)
    found = importlib.util.spec_from_file_location("generate", EXAMPLE / "generate.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    module.main(str(folder / "data"), 60, 600)
    tables = module.generate(60, 600)
    return tuple([tuple(v if v != "" else None for v in row) for row in t] for t in tables)  # type: ignore[return-value]


def _start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "veer", "run", "v1.yaml", "--master", "local[1]"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _kill(process: subprocess.Popen[str], drawn: random.Random) -> None:
    """Kill Veer; Spark, which is a process of its own, a little later."""
    process.kill()
    time.sleep(drawn.uniform(0, 0.3))
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _whole(store: Store) -> list[StoredVersion]:
    """The versions, all of whose results are what they were."""
    versions = store.versions("v1")
    for sink in (s for version in versions for s in version.sinks):
        found = store.result(sink.result)
        assert found is not None
        assert store.files.damage(found.id, found.files, deep=True) == ""
    return versions


def _interpreted(dataflow: Dataflow, users: list[Any], tweets: list[Any]) -> dict[str, list[Any]]:
    bodies = Bodies(EXAMPLE / "models")

    def tupled(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *values: (function(*values),)

    functions = {
        op.identity: tupled(bodies.of(op).function)
        for op in dataflow.operators.values()
        if isinstance(op, RowUdf)
    }
    found = run_dataflow(dataflow, {"users": users, "tweets": tweets}, functions)
    return {sink: list(result.rows) for sink, result in found.items()}
