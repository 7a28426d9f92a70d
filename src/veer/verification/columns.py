"""Which columns of two sinks belong together, or how their schemas differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from veer.model.dag import Dataflow
from veer.model.ops import APPENDED, BY_NAME, OVERWRITTEN, WRITTEN, Sink
from veer.model.schema import listing
from veer.model.types import same_by_value
from veer.options import ColumnMatching, TypeMatching
from veer.verdict import Caveat
from veer.verification.comparison import Comparison

MOST_NAMES = 5  # of columns in a reason
GIVEN = re.compile(r"[A-Za-z_]\w*")  # what a name given by a person looks like


@final
@dataclass(frozen=True)
class Doubt:
    """A difference that may only be one of generated names."""

    reason: str


def match_columns(
    p: Dataflow, q: Dataflow, a: str, b: str, asked: Comparison, caveats: list[Caveat]
) -> tuple[tuple[int, int], ...] | str | Doubt:
    """Which columns of the sinks belong together, or how their schemas differ."""
    left, right = p.schemas[a], q.schemas[b]
    sinks = p.operators[a], q.operators[b]
    assert isinstance(sinks[0], Sink) and isinstance(sinks[1], Sink)
    kinds = sinks[0].kind, sinks[1].kind
    inserts = [k.partition(",")[0] in (APPENDED, OVERWRITTEN) and BY_NAME not in k for k in kinds]
    if kinds[0] != kinds[1]:
        if any(k.startswith((WRITTEN, APPENDED, OVERWRITTEN)) for k in kinds):
            return Doubt(f"written as {sinks[0].kind} in P, as {sinks[1].kind} in Q")
        caveats.append(Caveat(f"shown as {sinks[0].kind} in P, as {sinks[1].kind} in Q"))
    if len(left) != len(right):
        return f"{len(left)} columns in P, {len(right)} in Q: {_changed(left.names, right.names)}"
    pairs = tuple((i, i) for i in range(len(left)))
    if all(inserts):
        if left.names != right.names:
            caveats.append(Caveat("other column names; the table goes by position"))
    elif asked.columns is ColumnMatching.NAME and left.names != right.names:
        # Spark resolves names without regard to case, unless told otherwise.
        names, others = ([n.lower() for n in schema.names] for schema in (left, right))
        if sorted(left.names) != sorted(right.names) and sorted(names) == sorted(others):
            caveats.append(Caveat("column names differ in letter case"))
        if names != others:
            if len(set(names)) < len(names) or set(names) != set(others):
                return _name_difference(left.names, right.names)
            if sinks[0].positional or sinks[1].positional:
                return "the columns come in another order, and the sink goes by position"
            caveats.append(Caveat("the columns come in another order"))
            pairs = tuple((i, others.index(name)) for i, name in enumerate(names))
    for i, j in pairs:
        f, g = left.fields[i], right.fields[j]
        exact = asked.types is TypeMatching.EXACT
        alike = f.type == g.type if exact else same_by_value(f.type, g.type)
        if not alike:
            text = f"column {f.name!r} is {f.type} in P, {g.type} in Q"
            return Doubt(f"{text}; the table written decides") if all(inserts) else text
    generated = [n for n in left.names if not GIVEN.fullmatch(n)]
    if asked.columns is ColumnMatching.NAME and generated and not any(inserts):
        caveats.append(Caveat(f"the name {generated[0]!r} is generated; an alias makes it certain"))
    return pairs


def _name_difference(left: Sequence[str], right: Sequence[str]) -> str | Doubt:
    """A difference of names; a doubt where Spark made up a name and ours is a guess at it."""
    text = f"different columns: {_changed(left, right)}"
    odd = [n for n in {*left, *right} if (n in left) != (n in right) and not GIVEN.fullmatch(n)]
    if odd:
        return Doubt(f"{text}; give {sorted(odd)[0]!r} an alias to be sure of its name")
    return text


def _changed(left: Sequence[str], right: Sequence[str]) -> str:
    gone = [n for n in left if n not in right]
    new = [n for n in right if n not in left]
    parts = [f"only in P: {listing(tuple(gone), MOST_NAMES)}"] if gone else []
    parts += [f"only in Q: {listing(tuple(new), MOST_NAMES)}"] if new else []
    return "; ".join(parts) or "repeated names"
