"""`wetune`: joins and subqueries under integrity constraints (after WeTune, SIGMOD 2022)."""

from __future__ import annotations

from veer.evs.base import SPJ, NoChoices, OnlyOperators
from veer.evs.profile import AlgebraProfile
from veer.evs.restrictions import OnlyJoins, OnlySubqueries, SameAggregates
from veer.model.expr import Exists, InQuery
from veer.model.ops import Aggregate, GlobalAggregate, Union
from veer.prover.prove import ProverOptions
from veer.verdict import TableSemantics

EACH = (
    OnlyOperators((*SPJ, Union, Aggregate, GlobalAggregate)),
    OnlyJoins(("inner", "cross", "left", "semi", "anti")),  # right joins are read as left ones
)


class WeTune(AlgebraProfile):
    """Selections, projections, joins, left and right ones too; DISTINCT, EXISTS and IN.

    Keys, foreign keys and NOT NULL are what it is made for. Conditions are symbols, so arithmetic
    and order are functions nobody knows; aggregates stand alike on both sides.
    """

    name = "wetune"
    semantics = TableSemantics.BAG
    restrictions = (
        *EACH,
        OnlySubqueries((Exists, InQuery), EACH),
        NoChoices(),
        SameAggregates(identical=True),
    )
    options = ProverOptions(count_terms=False, interpret=False)
