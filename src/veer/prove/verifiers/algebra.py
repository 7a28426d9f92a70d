"""`algebra`: the prover core with everything it can attempt."""

from __future__ import annotations

from veer.prove.verifiers.base import NoChoices
from veer.prove.verifiers.profile import AlgebraProfile
from veer.verdict import TableSemantics


class Algebra(AlgebraProfile):
    """All options; whatever is a function of its inputs may be attempted."""

    name = "algebra"
    semantics = TableSemantics.ORDERED_BAG
    restrictions = (NoChoices(),)
