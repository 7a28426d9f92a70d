"""`spes`: bag semantics, each term of P paired with a term of Q (after SPES, ICDE 2022)."""

from __future__ import annotations

from veer.ir import ops
from veer.prove.algebra.prove import ProverOptions
from veer.prove.verifiers.base import SPJ, LinearConditions, NoSubqueries, OnlyOperators
from veer.prove.verifiers.profile import AlgebraProfile
from veer.verdict import TableSemantics


class Spes(AlgebraProfile):
    """Selections, projections, joins, unions and groups; complete for linear SPJ queries."""

    name = "spes"
    semantics = TableSemantics.BAG
    restrictions = (
        OnlyOperators((*SPJ, ops.Values, ops.Union, ops.Aggregate, ops.GlobalAggregate, ops.Sort)),
        NoSubqueries(),
    )
    complete_for = (OnlyOperators(SPJ), LinearConditions())
    options = ProverOptions(count_terms=False, contain=False)
