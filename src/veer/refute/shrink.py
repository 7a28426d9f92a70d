"""Shrinking an instance: fewer rows, plainer values, as long as it still does its work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from veer.refute.instances import Tables

MOST_TRIES = 400
MANY = 8  # rows from which on half of them are left out at once


def shrink(tables: Tables, still: Callable[[Tables], bool]) -> Tables:
    """The instance made smaller step by step; `still` says whether it still is a witness."""
    tries = 0
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(tables):
            tries += 1
            if tries > MOST_TRIES:
                return tables
            if still(smaller):
                tables, changed = smaller, True
                break
    return tables


def _smaller(tables: Tables) -> Iterator[Tables]:
    """Instances one step smaller: half the rows of a table, a row less, then one value plainer."""
    for name, rows in tables.items():
        if len(rows) >= MANY:
            half = len(rows) // 2
            yield {**tables, name: rows[:half]}
            yield {**tables, name: rows[half:]}
    for name, rows in tables.items():
        for place in range(len(rows)):
            yield {**tables, name: rows[:place] + rows[place + 1 :]}
    for name, rows in tables.items():
        for place, row in enumerate(rows):
            for column, value in enumerate(row):
                for plain in _plainer(value):
                    changed = (*row[:column], plain, *row[column + 1 :])
                    yield {**tables, name: [*rows[:place], changed, *rows[place + 1 :]]}


def _plainer(value: Any) -> Iterator[Any]:
    """Plainer values of the same type, plainest first; each strictly plainer than the value."""
    match value:
        case None | bool():
            return
        case int():
            if value not in (0, 1):
                yield 0
            if value > 1 or value < 0:
                yield 1
        case Decimal():
            if value:
                yield value * 0
        case float():
            if value != 0.0 or str(value) == "-0.0":
                yield 0.0
        case str():
            if value:
                yield ""
            if len(value) > 1:
                yield value[:1]
        case _:
            return
