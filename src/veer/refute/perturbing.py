"""Rows made of others by small steps: what differs by little shows where a boundary lies.

A row beside another in one column or two - an hour later, a day before, one more - stands in its
group, or just outside. Where a column that joins equate changes, the rows that met the old value
are repeated for the new one, so that the new row meets as many.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from veer.ir.ops import Source

Tables: TypeAlias = dict[str, list[tuple[Any, ...]]]
SourceColumn: TypeAlias = tuple[str, int]
Step: TypeAlias = Callable[[Source, int, Any], Any]  # another value for one of a column
MOST_STEPS = 8
KEY_TRIES = 4


class Perturbing:
    """Makes instances of others; what `holds` refuses is not done."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        telling: Mapping[str, Sequence[int]],
        leader: Callable[[SourceColumn], SourceColumn],
        holds: Callable[[Tables], bool],
    ) -> None:
        self.sources = sources
        self.telling = telling
        self.leader = leader
        self.holds = holds

    def perturbed(self, rng: random.Random, tables: Tables, step: Step) -> Tables:
        """The tables with some more rows."""
        for _ in range(rng.randrange(2, MOST_STEPS)):
            filled = [t for t in sorted(tables) if tables[t]]
            if not filled:
                break
            wider = self._one_more(rng, tables, self.sources[rng.choice(filled)], step)
            tables = wider if self.holds(wider) else tables
        return tables

    def _one_more(self, rng: random.Random, tables: Tables, source: Source, step: Step) -> Tables:
        """The tables with a row like another, and perhaps with those it should meet."""
        row = list(rng.choice(tables[source.table]))
        old = tuple(row)
        places = self.telling[source.table]
        for place in rng.sample(places, min(len(places), rng.choice((1, 1, 2)))):
            row[place] = step(source, place, row[place])
        self._renew_keys(source, row, tables[source.table], step)
        wider = {**tables, source.table: [*tables[source.table], tuple(row)]}
        if source.foreign_keys or rng.random() < 0.6:
            self._follow(wider, source, old, tuple(row))
        return wider

    def _renew_keys(
        self, source: Source, row: list[Any], rows: Sequence[tuple[Any, ...]], step: Step
    ) -> None:
        """Another key for a row that repeats one, beside it."""
        names = [f.name for f in source.fields]
        for key in (*source.keys, *source.unique):
            places = [names.index(n) for n in key]
            taken = {tuple(r[p] for p in places) for r in rows}
            for _ in range(KEY_TRIES):
                if tuple(row[p] for p in places) not in taken:
                    break
                row[places[-1]] = step(source, places[-1], row[places[-1]])

    def _follow(
        self, tables: Tables, source: Source, old: tuple[Any, ...], new: tuple[Any, ...]
    ) -> None:
        """Repeat a row of each other table that met the old values, with the new ones."""
        changed = {
            self.leader((source.table, i)): (a, b)
            for i, (a, b) in enumerate(zip(old, new, strict=True))
            if a != b
        }
        for other in self.sources.values():
            if other.table == source.table:
                continue
            for row in tables[other.table]:
                moved = tuple(self._moved(other, i, v, changed) for i, v in enumerate(row))
                if moved != row:
                    tables[other.table] = [*tables[other.table], moved]
                    break

    def _moved(
        self, table: Source, place: int, value: Any, changed: Mapping[SourceColumn, tuple[Any, Any]]
    ) -> Any:
        """The value, or the new one for what a column it is equated with held."""
        before, after = changed.get(self.leader((table.table, place)), (None, None))
        return after if value is not None and value == before else value
