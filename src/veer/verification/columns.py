"""Which columns of two sinks belong together, or how their schemas differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from veer.caveats import (
    Caveat,
    GeneratedName,
    NamesDifferInCase,
    OtherColumnNames,
    OtherColumnOrder,
    ShownDifferently,
)
from veer.model.dag import Dataflow
from veer.model.ops import APPENDED, BY_NAME, OVERWRITTEN, WRITTEN, Sink
from veer.model.types import same_by_value
from veer.options import ColumnMatching, TypeMatching
from veer.reasons import (
    Cause,
    ColumnCounts,
    DifferentColumns,
    DifferentType,
    Reason,
    WrittenDifferently,
)
from veer.verification.comparison import Comparison

GIVEN = re.compile(r"[A-Za-z_]\w*")  # what a name given by a person looks like


@final
@dataclass(frozen=True)
class Mismatch:
    """How the schemas of two sinks differ.

    `certain` is not so where the difference may be one of names that Spark makes up, or where the
    table written to decides.
    """

    reason: Reason
    certain: bool = True


def match_columns(
    p: Dataflow, q: Dataflow, a: str, b: str, asked: Comparison, caveats: list[Caveat]
) -> tuple[tuple[int, int], ...] | Mismatch:
    """Which columns of the sinks belong together, or how their schemas differ."""
    left, right = p.schemas[a], q.schemas[b]
    sinks = p.operators[a], q.operators[b]
    assert isinstance(sinks[0], Sink) and isinstance(sinks[1], Sink)
    kinds = sinks[0].kind, sinks[1].kind
    inserts = [k.partition(",")[0] in (APPENDED, OVERWRITTEN) and BY_NAME not in k for k in kinds]
    if kinds[0] != kinds[1]:
        if any(k.startswith((WRITTEN, APPENDED, OVERWRITTEN)) for k in kinds):
            return Mismatch(WrittenDifferently(*kinds), certain=False)
        caveats.append(ShownDifferently(*kinds))
    if len(left) != len(right):
        only = _only_in(left.names, right.names)
        return Mismatch(ColumnCounts(len(left), len(right), *only))
    pairs = tuple((i, i) for i in range(len(left)))
    if all(inserts):
        if left.names != right.names:
            caveats.append(OtherColumnNames())
    elif asked.columns is ColumnMatching.NAME and left.names != right.names:
        # Spark resolves names without regard to case, unless told otherwise.
        names, others = ([n.lower() for n in schema.names] for schema in (left, right))
        if sorted(left.names) != sorted(right.names) and sorted(names) == sorted(others):
            caveats.append(NamesDifferInCase())
        if names != others:
            if len(set(names)) < len(names) or set(names) != set(others):
                return _name_difference(left.names, right.names)
            if sinks[0].positional or sinks[1].positional:
                return Mismatch(Cause.COLUMNS_MOVED)
            caveats.append(OtherColumnOrder())
            pairs = tuple((i, others.index(name)) for i, name in enumerate(names))
    for i, j in pairs:
        f, g = left.fields[i], right.fields[j]
        exact = asked.types is TypeMatching.EXACT
        alike = f.type == g.type if exact else same_by_value(f.type, g.type)
        if not alike:
            decides = all(inserts)
            reason = DifferentType(f.name, str(f.type), str(g.type), table_decides=decides)
            return Mismatch(reason, certain=not decides)
    generated = [n for n in left.names if not GIVEN.fullmatch(n)]
    if asked.columns is ColumnMatching.NAME and generated and not any(inserts):
        caveats.append(GeneratedName(generated[0]))
    return pairs


def _name_difference(left: Sequence[str], right: Sequence[str]) -> Mismatch:
    """A difference of names; not certain where Spark made up a name and ours is a guess at it."""
    only = _only_in(left, right)
    generated = sorted(name for names in only for name in names if not GIVEN.fullmatch(name))
    if generated:
        return Mismatch(DifferentColumns(*only, generated[0]), certain=False)
    return Mismatch(DifferentColumns(*only))


def _only_in(left: Sequence[str], right: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that only one side has."""
    return tuple(n for n in left if n not in right), tuple(n for n in right if n not in left)
