"""`equitas`: set semantics by containment both ways (after EQUITAS, VLDB 2019)."""

from __future__ import annotations

from veer.ir.ops import Aggregate
from veer.prove.verifiers import base
from veer.prove.verifiers.profile import AlgebraProfile
from veer.verdict import TableSemantics


class Equitas(AlgebraProfile):
    """SPJ, outer join and aggregate queries under set semantics (the paper's section 4.2)."""

    name = "equitas"
    semantics = TableSemantics.SET  # R1
    restrictions = (
        base.OnlyOperators((*base.SPJ, Aggregate)),  # R2
        base.NoSubqueries(),
        base.LinearConditions(),  # R3
        base.SameOuterJoins(),  # R4
        base.SameCount(Aggregate),  # R5
        base.CountsOverSpjOnly(),  # R6
    )
