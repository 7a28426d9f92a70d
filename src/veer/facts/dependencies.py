"""Which columns of a signal determine others: rows that agree on some agree on the others too.

    Source(orders) -> Join(inner, people, person = id), id a key of people   =>   {id} -> all of people
                                                                                  {person} -> {id}

Rows agree on columns if they have the same value in each; null is the same as null. Columns are meant by
their places. At most `MOST` dependencies are kept of a signal: fewer are fewer facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from veer.ir import expr as ex
from veer.ir.conditions import conjuncts
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.ir.walk import columns_read

MOST = 24  # kept of a signal


@final
@dataclass(frozen=True, slots=True)
class Dependency:
    """Rows that agree on the places `by` agree on `places`."""

    by: frozenset[int]
    places: frozenset[int]

    def moved(self, offset: int) -> Dependency:
        """The same of columns that stand further right."""
        return Dependency(
            frozenset(i + offset for i in self.by), frozenset(i + offset for i in self.places)
        )


def determined(dependencies: Sequence[Dependency], places: Iterable[int]) -> frozenset[int]:
    """All places on which rows agree that agree on some."""
    known = frozenset(places)
    while True:
        more = frozenset[int]().union(*(d.places for d in dependencies if d.by <= known))
        if more <= known:
            return known
        known |= more


def kept(dependencies: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """Those that say something, as far as there is room."""
    telling = dict.fromkeys(d for d in dependencies if not d.places <= d.by)
    return tuple(telling)[:MOST]


def equal_columns(condition: ex.Expr | None, schema: Schema) -> Iterator[tuple[int, int]]:
    """Pairs of places that hold the same value where a condition is true.

    Not of floats: 0.0 is equal to -0.0.
    """
    for part in () if condition is None else conjuncts(condition):
        match part:
            case ex.Compare("=" | "<=>", ex.Column() as one, ex.Column() as two):
                if not has_floats(one.type):
                    yield tuple(schema.place(c.name, c.occurrence) for c in (one, two))  # type: ignore[misc]


def where(condition: ex.Expr | None, schema: Schema) -> Iterator[Dependency]:
    """What holds of rows on which a condition is true."""
    for one, two in equal_columns(condition, schema):
        yield Dependency(frozenset({one}), frozenset({two}))
        yield Dependency(frozenset({two}), frozenset({one}))


def lookup(
    condition: ex.Expr | None, both: Schema, width: int, keys: Iterable[frozenset[int]]
) -> Iterator[Dependency]:
    """What a left row determines of its only partner, if all that is asked are equal columns.

    Rows that agree on the columns compared have the same partner, or none. `keys` are those of the
    right input.
    """
    parts = [] if condition is None else list(conjuncts(condition))
    pairs = [tuple(sorted(pair)) for pair in equal_columns(condition, both)]
    if len(pairs) != len(parts) or not all(low < width <= high for low, high in pairs):
        return
    theirs = {high - width for _, high in pairs}
    if any(key <= theirs for key in keys):
        yield Dependency(frozenset(low for low, _ in pairs), frozenset(range(width, len(both))))


def projected(
    dependencies: Sequence[Dependency],
    exprs: Sequence[ex.Expr],
    schema: Schema,
    copies: Mapping[int, Sequence[int]],
    is_function: Sequence[bool],
) -> Iterator[Dependency]:
    """What holds of expressions; `copies` are places of those that tell the value of an old place."""
    read = [frozenset(schema.place(c.name, c.occurrence) for c in columns_read(e)) for e in exprs]
    for dependency in dependencies:
        if not all(i in copies for i in dependency.by):
            continue
        known = determined(dependencies, dependency.by)
        shown = (i for i, places in enumerate(read) if is_function[i] and places <= known)
        yield Dependency(frozenset(copies[i][0] for i in dependency.by), frozenset(shown))
