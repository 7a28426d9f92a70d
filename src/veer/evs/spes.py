"""`spes`: bag semantics, each term of P paired with a term of Q (after SPES, ICDE 2022)."""

from __future__ import annotations

from veer.evs.base import SPJ, LinearConditions, NoSubqueries, OnlyOperators
from veer.evs.profile import AlgebraProfile
from veer.model.ops import Aggregate, GlobalAggregate, Sort, Union, Values
from veer.prover.prove import ProverOptions
from veer.verdict import TableSemantics


class Spes(AlgebraProfile):
    """Selections, projections, joins, unions and groups; complete for linear SPJ queries."""

    name = "spes"
    semantics = TableSemantics.BAG
    restrictions = (
        OnlyOperators((*SPJ, Values, Union, Aggregate, GlobalAggregate, Sort)),
        NoSubqueries(),
    )
    complete_for = (OnlyOperators(SPJ), LinearConditions())
    options = ProverOptions(count_terms=False, contain=False)
