"""Which columns of two sinks belong together, or how their schemas differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, final

from veer import reasons
from veer.caveats import (
    Caveat,
    GeneratedName,
    NamesDifferInCase,
    OtherColumnNames,
    OtherColumnOrder,
    ShownDifferently,
)
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.pprint import show_kind
from veer.ir.schema import Schema
from veer.ir.types import same_by_value
from veer.ir.writes import Insert
from veer.options import ColumnMatching, TypeMatching
from veer.verification.comparison import Comparison

GIVEN = re.compile(r"[A-Za-z_]\w*")  # what a name given by a person looks like


Pairs: TypeAlias = tuple[tuple[int, int], ...]


@final
@dataclass(frozen=True)
class Matched:
    """Which columns of two sinks belong together, and what to know of that."""

    pairs: Pairs
    caveats: tuple[Caveat, ...] = ()


@final
@dataclass(frozen=True)
class Mismatch:
    """How the schemas of two sinks differ.

    `certain` is not so where the difference may be one of names that Spark makes up, or where the
    table written to decides.
    """

    reason: reasons.Reason
    certain: bool = True
    caveats: tuple[Caveat, ...] = ()


def match_columns(
    p: Dataflow, q: Dataflow, a: str, b: str, asked: Comparison
) -> Matched | Mismatch:
    """Which columns of the sinks belong together, or how their schemas differ."""
    left, right = p.schemas[a], q.schemas[b]
    one, two = p.operators[a], q.operators[b]
    assert isinstance(one, ops.Sink) and isinstance(two, ops.Sink)
    if one.write != two.write:
        return Mismatch(reasons.WrittenDifferently(show_kind(one), show_kind(two)), certain=False)
    if one.target and two.target and one.target != two.target:
        return Mismatch(reasons.WrittenDifferently(one.target, two.target), certain=False)
    shown = () if one.kind == two.kind else (ShownDifferently(one.kind, two.kind),)
    # Columns nobody knows may be called like those that only the other side has.
    certain = ops.OTHER_COLUMNS not in (*left.names, *right.names)
    if len(left) != len(right):
        only = _only_in(left.names, right.names)
        return Mismatch(reasons.ColumnCounts(len(left), len(right), *only), certain, shown)
    # The table has names and types of its own.
    into_table = isinstance(one.write, Insert) and not one.write.by_name
    by_name = asked.columns is ColumnMatching.NAME and not into_table
    if by_name:
        matched = _by_name(left, right, positional=one.positional or two.positional)
        if isinstance(matched, Mismatch) and (not certain or (one.named and two.named)):
            matched = replace(matched, certain=certain)
    else:
        renamed = into_table and left.names != right.names
        matched = Matched(_in_order(left), (OtherColumnNames(),) if renamed else ())
    caveats = (*shown, *matched.caveats)
    if isinstance(matched, Mismatch):
        return replace(matched, caveats=caveats)
    different = _different_type(left, right, matched.pairs, asked.types, into_table)
    if different is not None:
        untold = different.column in (*one.untold, *two.untold)
        return Mismatch(different, not into_table and not untold, caveats)
    by_people = one.named and two.named
    generated = (
        [n for n in left.names if not GIVEN.fullmatch(n)] if by_name and not by_people else []
    )
    return Matched(matched.pairs, (*caveats, *(GeneratedName(n) for n in generated[:1])))


def _by_name(left: Schema, right: Schema, *, positional: bool) -> Matched | Mismatch:
    """Columns of the same name; Spark takes names without regard to case, unless told otherwise."""
    if left.names == right.names:
        return Matched(_in_order(left))
    names, others = ([n.lower() for n in schema.names] for schema in (left, right))
    in_case = sorted(left.names) != sorted(right.names) and sorted(names) == sorted(others)
    caveats = (NamesDifferInCase(),) if in_case else ()
    if names == others:
        return Matched(_in_order(left), caveats)
    if len(set(names)) < len(names) or set(names) != set(others):
        return replace(_name_difference(left.names, right.names), caveats=caveats)
    if positional:
        return Mismatch(reasons.Cause.COLUMNS_MOVED, caveats=caveats)
    moved = tuple((i, others.index(name)) for i, name in enumerate(names))
    return Matched(moved, (*caveats, OtherColumnOrder()))


def _in_order(schema: Schema) -> Pairs:
    return tuple((i, i) for i in range(len(schema)))


def _different_type(
    left: Schema, right: Schema, pairs: Pairs, types: TypeMatching, table_decides: bool
) -> reasons.DifferentType | None:
    """The first column whose types do not match."""
    for i, j in pairs:
        f, g = left.fields[i], right.fields[j]
        exact = types is TypeMatching.EXACT
        if not (f.type == g.type if exact else same_by_value(f.type, g.type)):
            return reasons.DifferentType(f.name, str(f.type), str(g.type), table_decides)
    return None


def _name_difference(left: Sequence[str], right: Sequence[str]) -> Mismatch:
    """A difference of names; not certain where Spark made up a name and ours is a guess at it."""
    only = _only_in(left, right)
    generated = sorted(name for names in only for name in names if not GIVEN.fullmatch(name))
    if generated:
        return Mismatch(reasons.DifferentColumns(*only, generated[0]), certain=False)
    return Mismatch(reasons.DifferentColumns(*only))


def _only_in(left: Sequence[str], right: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that only one side has."""
    return tuple(n for n in left if n not in right), tuple(n for n in right if n not in left)
