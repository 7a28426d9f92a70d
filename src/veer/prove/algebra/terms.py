"""Sum-normal form: a query as a sum of terms over tuple variables.

A term ranges over its atoms, keeps the combinations on which every condition is true, and gives
`outputs` for each: a bag. Expressions read the columns of tuple variables (`RowColumn`) and symbols
(`Symbol`) that a table of definitions explains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, assert_never, final

from veer.ir import expr as ex, types as ty
from veer.ir.ops import Source

TRUE = ex.Literal(True, ty.BOOLEAN)
FALSE = ex.Literal(False, ty.BOOLEAN)


@final
@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a source, the same in both versions."""

    source: Source


@final
@dataclass(frozen=True, slots=True)
class Domain:
    """Every value of a type, once, null included."""

    type: ty.DataType


@final
@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate over the rows of a group; `args` are positions among the bag's outputs.

    `or_zero` makes null a zero: a count over no rows.
    """

    function: str
    args: tuple[int, ...]
    type: ty.DataType
    distinct: bool = False
    or_zero: bool = False


@final
@dataclass(frozen=True, slots=True)
class Group:
    """One row per group of `bag` by its first `keys` outputs: the keys, then the folds.

    A global group is a single row, also over an empty bag.
    """

    bag: Bag
    keys: int
    folds: tuple[Fold, ...]
    is_global: bool = False


@final
@dataclass(frozen=True, slots=True)
class Opaque:
    """Rows that are some function, known by identity, of bags and of values."""

    identity: str
    bags: tuple[Bag, ...]
    args: tuple[ex.Expr, ...]
    types: tuple[ty.DataType, ...]
    nullable: tuple[bool, ...]


@final
@dataclass(frozen=True, slots=True)
class Top:
    """The rows of `bag` from `offset` on, at most `limit`, in the order of its last outputs.

    `width` outputs are shown; the others are sort keys, one for each direction.
    """

    bag: Bag
    width: int
    directions: tuple[Direction, ...]
    limit: int | None
    offset: int


COPIES = "veer.copies"  # an opaque relation without columns, with as many rows as its argument says

Direction: TypeAlias = tuple[bool, bool]  # ascending, nulls first
Relation: TypeAlias = Table | Domain | Group | Top | Opaque


@final
@dataclass(frozen=True)
class Atom:
    """A tuple variable and what it ranges over."""

    var: int
    relation: Relation

    @cached_property
    def columns(self) -> tuple[ex.RowColumn, ...]:
        """Its columns, in the order of the relation's."""
        return tuple(
            ex.RowColumn(self.var, i, type_, nullable)
            for i, (type_, nullable) in enumerate(fields(self.relation))
        )


@final
@dataclass(frozen=True, slots=True)
class Term:
    """For every combination of rows on which all conditions are true, the outputs."""

    atoms: tuple[Atom, ...]
    conditions: tuple[ex.Expr, ...]
    outputs: tuple[ex.Expr, ...]


Bag: TypeAlias = tuple[Term, ...]


def fields(relation: Relation) -> list[tuple[ty.DataType, bool]]:
    """Type and nullability of each column of a relation."""
    match relation:
        case Table(source):
            return [(f.type, f.nullable) for f in source.fields]
        case Domain(type_):
            return [(type_, True)]
        case Group(bag, keys, folds):
            # Taken to be nullable unless it is certain that they are not: that is always sound.
            key_types = [e.type for e in bag[0].outputs[:keys]] if bag else []
            return [(t, True) for t in key_types] + [(f.type, not f.or_zero) for f in folds]
        case Top(bag):
            return [(o.type, True) for o in bag[0].outputs]
        case Opaque(types=types, nullable=nullable):
            return list(zip(types, nullable, strict=True))
        case _:
            assert_never(relation)


def key_columns(atom: Atom) -> Iterator[tuple[ex.RowColumn, ...]]:
    """The declared keys of an atom's table, as its columns."""
    if isinstance(atom.relation, Table):
        yield from _declared_columns(atom, atom.relation.source.keys)


def unique_columns(atom: Atom) -> Iterator[tuple[ex.RowColumn, ...]]:
    """Columns of an atom's table on which no two rows agree that have no null there."""
    if isinstance(atom.relation, Table):
        yield from _declared_columns(atom, atom.relation.source.unique)


def _declared_columns(
    atom: Atom, declared: Iterable[tuple[str, ...]]
) -> Iterator[tuple[ex.RowColumn, ...]]:
    assert isinstance(atom.relation, Table)
    names = [f.name for f in atom.relation.source.fields]
    own = atom.columns
    for some in declared:
        yield tuple(own[names.index(name)] for name in some)
