"""Processes killed at any moment: what is registered stays whole, what is not goes with `gc`."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tests.store import pretend
from tests.store.forked import Forks
from tests.store.pretend import Place
from veer.store import Store, tables
from veer.store.gc import collect

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
