"""`spark_verifier`: Spark programs with row functions and one result value (after CAV 2017)."""

from __future__ import annotations

from veer.ir.ops import GlobalAggregate
from veer.prove.algebra.prove import ProverOptions
from veer.prove.verifiers import base
from veer.prove.verifiers.profile import AlgebraProfile
from veer.verdict import TableSemantics


class SparkVerifier(AlgebraProfile):
    """Selections, projections and joins, and at most one aggregate without groups.

    Functions of rows are read by the front ends: what reaches a verifier are expressions.
    """

    name = "spark_verifier"
    semantics = TableSemantics.BAG
    restrictions = (
        base.OnlyOperators((*base.SPJ, GlobalAggregate)),
        base.AtMostOne(GlobalAggregate),
        base.PrimitiveResults(),
        base.NoSubqueries(),
    )
    options = ProverOptions(count_terms=False, contain=False)
