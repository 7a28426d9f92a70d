"""`spark_verifier`: Spark programs with row functions and one result value (after CAV 2017)."""

from __future__ import annotations

from veer.evs.base import SPJ, AtMostOne, NoSubqueries, OnlyOperators, PrimitiveResults
from veer.evs.profile import AlgebraProfile
from veer.model.ops import GlobalAggregate
from veer.prover.prove import ProverOptions
from veer.verdict import TableSemantics


class SparkVerifier(AlgebraProfile):
    """Selections, projections and joins, and at most one aggregate without groups.

    Functions of rows are read by the front ends: what reaches a verifier are expressions.
    """

    name = "spark_verifier"
    semantics = TableSemantics.BAG
    restrictions = (
        OnlyOperators((*SPJ, GlobalAggregate)),
        AtMostOne(GlobalAggregate),
        PrimitiveResults(),
        NoSubqueries(),
    )
    options = ProverOptions(count_terms=False, contain=False)
