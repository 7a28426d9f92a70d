"""`algebra`: the prover core with everything it can attempt."""

from __future__ import annotations

from veer.evs.algebra import AlgebraProfile
from veer.evs.base import NoChoices
from veer.verdict import TableSemantics


class Algebra(AlgebraProfile):
    """All rules; whatever is a function of its inputs may be attempted."""

    name = "algebra"
    semantics = TableSemantics.ORDERED_BAG
    restrictions = (NoChoices(),)
