"""`udp`: unions of conjunctive queries as sums of products, term by term (after UDP, VLDB 2018)."""

from __future__ import annotations

from veer.ir import expr as ex, ops
from veer.prove.algebra.prove import ProverOptions
from veer.prove.verifiers import restrictions as verifiers_restrictions
from veer.prove.verifiers.base import SPJ, NoChoices, NoSubqueries, OnlyOperators
from veer.prove.verifiers.profile import AlgebraProfile
from veer.verdict import TableSemantics

EACH = (
    OnlyOperators((*SPJ, ops.Union, ops.Aggregate, ops.GlobalAggregate)),
    verifiers_restrictions.OnlyJoins(
        (ops.JoinKind.INNER, ops.JoinKind.CROSS, ops.JoinKind.SEMI, ops.JoinKind.ANTI)
    ),
    verifiers_restrictions.BlindToNulls(),
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
        verifiers_restrictions.OnlySubqueries((ex.Exists, ex.InQuery), EACH),
        NoChoices(),
        verifiers_restrictions.SameAggregates(),
    )
    complete_for = (
        OnlyOperators((*SPJ, ops.Union)),
        verifiers_restrictions.OnlyJoins((ops.JoinKind.INNER, ops.JoinKind.CROSS)),
        NoSubqueries(),
        verifiers_restrictions.SameScans(),
    )
    options = ProverOptions(count_terms=False, interpret=False)
