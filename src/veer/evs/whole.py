"""`algebra`: the prover core with everything it can attempt."""

from __future__ import annotations

from veer.evs.algebra import AlgebraProfile
from veer.verdict import TableSemantics


class Algebra(AlgebraProfile):
    """All rules, no restriction beyond what the core itself refuses."""

    name = "algebra"
    semantics = TableSemantics.ORDERED_BAG
