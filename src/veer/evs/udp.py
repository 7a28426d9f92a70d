"""`udp`: unions of conjunctive queries as sums of products, term by term (after UDP, VLDB 2018)."""

from __future__ import annotations

from veer.evs.base import SPJ, NoChoices, NoSubqueries, OnlyOperators
from veer.evs.profile import AlgebraProfile
from veer.evs.restrictions import (
    BlindToNulls,
    OnlyJoins,
    OnlySubqueries,
    SameAggregates,
    SameScans,
)
from veer.model.expr import Exists, InQuery
from veer.model.ops import Aggregate, GlobalAggregate, Union
from veer.prover.prove import ProverOptions
from veer.verdict import TableSemantics

EACH = (
    OnlyOperators((*SPJ, Union, Aggregate, GlobalAggregate)),
    OnlyJoins(("inner", "cross", "semi", "anti")),
    BlindToNulls(),
)


class Udp(AlgebraProfile):
    """Unions of selections, projections and joins; DISTINCT, EXCEPT, EXISTS and IN; keys.

    An aggregate is a function of its rows that nobody knows, and so are arithmetic and order: it
    needs its like on the other side. Terms of P and Q are paired one to one, sets are compared
    by containment. The published verifier has no nulls; this one has, and only asks for none.
    """

    name = "udp"
    semantics = TableSemantics.BAG
    restrictions = (
        *EACH,
        OnlySubqueries((Exists, InQuery), EACH),
        NoChoices(),
        SameAggregates(),
    )
    complete_for = (
        OnlyOperators((*SPJ, Union)),
        OnlyJoins(("inner", "cross")),
        NoSubqueries(),
        SameScans(),
    )
    options = ProverOptions(count_terms=False, interpret=False)
