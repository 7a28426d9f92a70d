"""`wetune`: joins and subqueries under integrity constraints (after WeTune, SIGMOD 2022)."""

from __future__ import annotations

from veer.ir import expr as ex, ops
from veer.prove.algebra.prove import ProverOptions
from veer.prove.verifiers.base import SPJ, NoChoices, OnlyOperators
from veer.prove.verifiers.profile import AlgebraProfile
from veer.prove.verifiers.restrictions import OnlyJoins, OnlySubqueries, SameAggregates
from veer.verdict import TableSemantics

EACH = (
    OnlyOperators((*SPJ, ops.Union, ops.Aggregate, ops.GlobalAggregate)),
    OnlyJoins(
        (
            ops.JoinKind.INNER,
            ops.JoinKind.CROSS,
            ops.JoinKind.LEFT,
            ops.JoinKind.SEMI,
            ops.JoinKind.ANTI,
        )
    ),  # right joins are read as left ones
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
        OnlySubqueries((ex.Exists, ex.InQuery), EACH),
        NoChoices(),
        SameAggregates(identical=True),
    )
    options = ProverOptions(count_terms=False, interpret=False)
