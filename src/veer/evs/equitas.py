"""`equitas`: set semantics by containment both ways (after EQUITAS, VLDB 2019)."""

from __future__ import annotations

from veer.evs.base import (
    SPJ,
    CountsOverSpjOnly,
    LinearConditions,
    NoSubqueries,
    OnlyOperators,
    SameCount,
    SameOuterJoins,
)
from veer.evs.profile import AlgebraProfile
from veer.model.ops import Aggregate
from veer.verdict import TableSemantics


class Equitas(AlgebraProfile):
    """SPJ, outer join and aggregate queries under set semantics (the paper's section 4.2)."""

    name = "equitas"
    semantics = TableSemantics.SET  # R1
    restrictions = (
        OnlyOperators((*SPJ, Aggregate)),  # R2
        NoSubqueries(),
        LinearConditions(),  # R3
        SameOuterJoins(),  # R4
        SameCount(Aggregate),  # R5
        CountsOverSpjOnly(),  # R6
    )
