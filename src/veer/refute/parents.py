"""Rows of tables that no version reads, so that a witness is a database that could exist.

A row with a foreign key needs its parent row, and that row its own parents. Nobody reads the rows
added here: they change no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from veer.interpreter.expressions import Row
from veer.ir import ops
from veer.ir.sources import parent_of, target_places
from veer.refute.instances import Tables, constraints_hold, has_unknown_checks, refers
from veer.refute.pools import numbered

MOST_ROWS = 200  # added to one witness; circles of foreign keys could ask for rows without end


def with_parents(
    read: Mapping[str, ops.Source], unread: Iterable[ops.Source], tables: Tables
) -> Tables | None:
    """The tables with the parents of their rows; None if the constraints cannot all be kept."""
    adding = _Adding(dict(read), tuple(unread), dict(tables))
    rows = [(s, row) for s in read.values() for row in tables[s.table] if s.foreign_keys]
    if not all(adding.refer(source, row) for source, row in rows):
        return None
    every = {**read, **{s.table: s for s in adding.unread if s.table in adding.tables}}
    return adding.tables if constraints_hold(every, adding.tables) else None


@dataclass
class _Adding:
    """Tables that grow until every row has its parents."""

    read: dict[str, ops.Source]
    unread: tuple[ops.Source, ...]
    tables: Tables
    added: int = field(default=0)

    def refer(self, source: ops.Source, row: Row) -> bool:
        """Add what the foreign keys of a row lead to; False if that cannot be."""
        names = [f.name for f in source.fields]
        for foreign in source.foreign_keys:
            parent = parent_of(foreign, self.unread)
            places = [names.index(c) for c in foreign.columns]
            if parent is None or not refers(source, places, parent, foreign):
                continue  # read, so it is there already; or nothing is known of it
            values = [row[p] for p in places]
            if None not in values and not self._add(parent, foreign, values):
                return False
        return True

    def _add(self, parent: ops.Source, foreign: ops.ForeignKey, values: list[Any]) -> bool:
        """A row of the parent table with these values, unless there is one."""
        given = dict(zip(target_places(parent, foreign), values, strict=True))
        rows = self.tables.setdefault(parent.table, [])
        if any(all(row[p] == value for p, value in given.items()) for row in rows):
            return True
        self.added += 1
        if self.added > MOST_ROWS:
            return False
        row = self._row(parent, given)
        if row is None:
            return False
        rows.append(row)
        return self.refer(parent, row)

    def _row(self, parent: ops.Source, given: Mapping[int, Any]) -> Row | None:
        """A row with given values in some places; null elsewhere, or a value of its own."""
        if has_unknown_checks(parent):
            return None
        row = [
            None if f.nullable or place in given else numbered(f.type, None, self.added)
            for place, f in enumerate(parent.fields)
        ]
        for place, value in given.items():
            row[place] = value
        names = [f.name for f in parent.fields]
        for foreign in parent.foreign_keys:
            target = parent_of(foreign, self.read.values())
            places = [names.index(c) for c in foreign.columns]
            if target is None or not refers(parent, places, target, foreign):
                continue
            if any(row[p] is None for p in places):
                continue
            # The row refers to a table that is read, where no row may be added.
            targets = target_places(target, foreign)
            present = [[other[t] for t in targets] for other in self.tables[target.table]]
            fitting = (
                values
                for values in present
                if None not in values
                and all(
                    p not in given or given[p] == v for p, v in zip(places, values, strict=True)
                )
            )
            chosen = next(fitting, None)
            if chosen is None:
                return None
            for place, value in zip(places, chosen, strict=True):
                row[place] = value
        if any(v is None and not f.nullable for v, f in zip(row, parent.fields, strict=True)):
            return None
        return tuple(row)
