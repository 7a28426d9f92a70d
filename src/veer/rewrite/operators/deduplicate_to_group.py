"""Which of some duplicates is kept does not matter where it does not show.

    Project(a) <- Deduplicate(a) <- t(a, b)   =>   Aggregate(a) <- t

Sound because the rows that are left have the same values in the columns that tell them apart, one row
for each, null being a value. Not with floats: which of 0.0 and -0.0 is left is a choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.ir import ops
from veer.ir.expr import Named
from veer.rewrite.columns import places_told_apart
from veer.rewrite.rewriting import Rewriting, View


def deduplicate_to_group(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """The groups instead of one row of each, if nothing else is read of them."""
    if not isinstance(operator, ops.Deduplicate):
        return None
    (view,) = below
    (before,) = (rewriting.old.schemas[i] for i in rewriting.old.inputs[id_])
    places = places_told_apart(operator, before, rewriting.needed[id_])
    if not places:
        return None
    keys = rewriting.rewritten(operator.keys, id_, below)
    named = tuple(Named(f"c{place}", key) for place, key in zip(places, keys, strict=True))
    return rewriting.put(id_, ops.Aggregate(named, ()), (view.base,), places)
