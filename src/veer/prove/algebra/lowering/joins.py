"""Joins and lateral subqueries: pairs of rows, and rows without a partner."""

from __future__ import annotations

from dataclasses import replace

from veer.ir import expr as ex, ops
from veer.ir.schema import Schema
from veer.ir.walk import ResolvedRow
from veer.prove.algebra.lowering.base import ExpressionLowering, OperatorInput
from veer.prove.algebra.lowering.partners import with_partners
from veer.prove.algebra.terms import Bag, Term


def lower_join(lowering: ExpressionLowering, join: ops.Join, given: OperatorInput) -> Bag:
    """All pairs on which the condition is true, and what the kind of join adds to them.

    A row without partner is one for which no pair exists; a condition that is null pairs nothing.
    """
    left, right = given.bags
    if join.kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI):
        has_partner = join.kind == ops.JoinKind.SEMI
        return tuple(_with_partner(lowering, join, given, t, has=has_partner) for t in left)
    if lowering.joins_partners:
        partnered = with_partners(lowering, join, given)
        if partnered is not None:
            lowering.partnered += 1
            return partnered
    # Terms of an input add up, so pairs and rows without partner do term by term as well.
    bag = tuple(_paired(lowering, join, given, a, b) for a in left for b in right)
    if join.kind in (ops.JoinKind.LEFT, ops.JoinKind.FULL):
        nulls = _nulls(given.schemas[1])
        alone = (_with_partner(lowering, join, given, t, has=False) for t in left)
        bag += tuple(replace(t, outputs=t.outputs + nulls) for t in alone)
    if join.kind == ops.JoinKind.FULL:
        nulls = _nulls(given.schemas[0])
        alone = (_with_partner(lowering, join, given, t, has=False, swapped=True) for t in right)
        bag += tuple(replace(t, outputs=nulls + t.outputs) for t in alone)
    return bag


def _paired(
    lowering: ExpressionLowering, join: ops.Join, given: OperatorInput, a: Term, b: Term
) -> Term:
    b = lowering.context.freshened(b)
    pair = Term(a.atoms + b.atoms, a.conditions + b.conditions, a.outputs + b.outputs)
    if join.condition is None:
        return pair
    condition = lowering.expr(join.condition, _both(given), pair, given.outer)
    return replace(pair, conditions=(*pair.conditions, condition))


def _with_partner(
    lowering: ExpressionLowering,
    join: ops.Join,
    given: OperatorInput,
    term: Term,
    *,
    has: bool,
    swapped: bool = False,
) -> Term:
    """The rows of a term that have (or do not have) a partner in the other input.

    `swapped` says that the term is of the right input.
    """
    partners = []
    for other in given.bags[0 if swapped else 1]:
        other = lowering.context.freshened(other)
        conditions = other.conditions
        if join.condition is not None:
            one, two = (other, term) if swapped else (term, other)
            pair = Term((), (), one.outputs + two.outputs)
            conditions += (lowering.expr(join.condition, _both(given), pair, given.outer),)
        partners.append(Term(other.atoms, conditions, ()))
    # The negation is true where no pair is: an EXISTS is never null, whatever the condition is.
    partner_exists = lowering.context.exists(lowering.groups.expanded(tuple(partners)))
    condition = partner_exists if has else ex.Not(partner_exists)
    return replace(term, conditions=(*term.conditions, condition))


def lower_lateral(lowering: ExpressionLowering, lateral: ops.Lateral, given: OperatorInput) -> Bag:
    """Each row with the rows its subquery has for it; an outer one keeps rows for which it is empty."""
    terms: list[Term] = []
    for term in given.bag:
        row = ResolvedRow(given.schema, term.outputs)
        inner = lowering.query(lateral.query, (row, *given.outer))
        terms += [
            Term(term.atoms + t.atoms, term.conditions + t.conditions, term.outputs + t.outputs)
            for t in inner
        ]
        if lateral.outer:
            has_row = lowering.context.exists(tuple(map(lowering.context.freshened, inner)))
            nulls = _nulls(lateral.query.result_schema)
            terms.append(
                Term(term.atoms, (*term.conditions, ex.Not(has_row)), term.outputs + nulls)
            )
    return tuple(terms)


def _both(given: OperatorInput) -> Schema:
    return given.schemas[0] + given.schemas[1]


def _nulls(schema: Schema) -> tuple[ex.Literal, ...]:
    return tuple(ex.Literal(None, t) for t in schema.types)
