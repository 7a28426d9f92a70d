"""The net itself: dataflows are normalized, and whatever is rewritten on the way is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from random import Random

from benchmarks.nets.comparing import difference
from benchmarks.nets.corpora import Pair, random_pairs
from benchmarks.nets.idioms import SCHEMA, Idioms
from benchmarks.nets.observing import Passed, Seen, Spelled, Stepped, Written, watched
from tests.generators.edits import random_query
from tests.generators.stacks import Stacks
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.read.sql import read_sql
from veer.rewrite.normalize import normalized
from veer.rewrite.passes import every_pass
from veer.settings import SessionSettings, under


class Passes:
    """What was seen so far: how often each rewrite was applied and changed something, and what is wrong."""

    def __init__(self, tables: int, seed: int) -> None:
        self.tables, self.seed = tables, seed
        self.applied: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._spelled: set[tuple[str, str]] = set()

    def normalize(self, name: str, dataflow: Dataflow, settings: SessionSettings) -> None:
        """Normalize a dataflow, and compare whatever is rewritten on the way."""
        seen: list[Seen] = []
        with under(settings):
            with watched(seen.append):
                try:
                    normalized(dataflow)
                except VeerError:
                    return
            for each in seen:
                if self._is_new(each):
                    found = difference(each, self.tables, self.seed)
                    if found:
                        self.wrong.append(f"{name}\n{found}")

    def _is_new(self, seen: Seen) -> bool:
        match seen:
            case Passed(name, before, after):
                self.applied[name] += 1
                self.changed[name] += before != after
            case Written(rules=by):
                self.applied.update(by.values())
                self.changed.update(by.values())
            case Stepped(name, changed):
                self.applied[name] += 1
                self.changed[name] += changed
            case Spelled(name, before, after):
                self.applied[name] += 1
                self.changed[name] += before != after
                text = (name, repr((before, after)))
                if before == after or text in self._spelled:
                    return False
                self._spelled.add(text)
        return True

    @property
    def idle(self) -> list[str]:
        """The passes that changed nothing so far."""
        return [each.name for each in every_pass() if not self.changed[each.name]]


def dataflows(pairs: Iterable[Pair]) -> Iterator[tuple[str, Dataflow, SessionSettings]]:
    """The queries of pairs, as far as they can be read."""
    for pair in pairs:
        for side, dataflow in zip("pq", pair.read(), strict=False):
            yield f"{pair.name} ({side})", dataflow, pair.settings


def random_dataflows(seed: object) -> Iterator[tuple[str, Dataflow, SessionSettings]]:
    """Random dataflows of all generators, without end."""
    rng = Random(f"passes {seed}")
    plain = SessionSettings()
    written = dataflows(random_pairs(f"{seed}"))
    idioms = Idioms(Random(f"idioms {seed}"))
    number = 0
    while True:
        number += 1
        for place in range(3):
            text = idioms.query()
            with suppress(VeerError):
                yield f"idiom {seed} {number} {place}: {text}", read_sql(text, SCHEMA), plain
        yield next(written)
        yield f"stack {seed} {number}", Stacks(rng).dataflow(rng.randint(2, 6)), plain
        choosing = Stacks(rng, chooses=True).dataflow(rng.randint(2, 6))
        yield f"choosing stack {seed} {number}", choosing, plain
        query = random_query(rng)
        if query is not None:
            yield f"query {seed} {number}", query, plain
