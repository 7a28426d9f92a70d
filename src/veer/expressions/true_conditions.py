"""Conditions that count only where they are true: in a filter, a join, a FILTER or WHEN.

    coalesce(a > 1, FALSE)              =>   a > 1
    a <=> 1                             =>   a = 1
    CASE WHEN a THEN b ELSE FALSE END   =>   a AND b
    CASE WHEN a THEN TRUE ELSE b END    =>   a OR b
    a IS NOT NULL AND a > 1             =>   a > 1

The new condition is true exactly where the old one is; it may be null where that is false. AND and OR
are true by where their parts are true alone, so that parts are looked into.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.expressions.connectives import negated
from veer.expressions.constant_folding import FALSE, TRUE, computed
from veer.expressions.nulls import is_null_with
from veer.expressions.ranges import true_ranges
from veer.facts.determinism import is_random
from veer.ir import expr as ex
from veer.ir.conditions import conjunction, conjuncts, disjunction


def where_true(condition: ex.Expr) -> ex.Expr:
    """A condition that is true where this one is, in one spelling: null counts as false.

    What is random is left as it is: two numbers that are drawn alike are two.
    """
    return condition if is_random(condition) else _where_true(condition)


def _where_true(condition: ex.Expr) -> ex.Expr:
    match condition:
        case ex.And(args):
            return computed(conjunction(_without_null_tests([_where_true(a) for a in args])))
        case ex.Or(args):
            return computed(disjunction([_where_true(a) for a in args]))
        case ex.Literal(None):
            return FALSE
        case ex.Call("coalesce", (*args, ex.Literal(False))) if args:
            return _where_true(
                args[0] if len(args) == 1 else ex.Call("coalesce", tuple(args), FALSE.type)
            )
        case ex.Not(ex.Call("coalesce", (arg, ex.Literal(True)))):
            return _where_true(negated(arg))
        case ex.Compare("<=>", left, ex.Literal(value) as right) if value is not None:
            return _where_true(ex.Compare("=", left, right))
        case ex.Compare("<=>", ex.Literal(value) as left, right) if value is not None:
            return _where_true(ex.Compare("=", right, left))
        case ex.Compare("=", left, ex.Literal(bool() as value)):
            return _where_true(left if value else negated(left))
        case ex.Case() if (ranges := true_ranges(condition)) is not None:
            return ranges
        case ex.Case(((when, then), *others), otherwise):
            return _case(
                condition, when, then, ex.Case(tuple(others), otherwise) if others else otherwise
            )
        case _:
            return condition


def _without_null_tests(conditions: Sequence[ex.Expr]) -> list[ex.Expr]:
    """Conditions that are all true where these are, without tests that follow from the others."""
    parts = [part for condition in conditions for part in conjuncts(condition)]
    kept = list(parts)
    for part in parts:
        match part:
            case ex.Not(ex.IsNull(value)):
                others = [k for k in kept if k is not part]
                if any(is_null_with(other, value) for other in others):
                    kept = others
    return kept


def _case(case: ex.Expr, when: ex.Expr, then: ex.Expr, rest: ex.Expr) -> ex.Expr:
    """Where a CASE is true, by its first branch and the others."""
    if then == TRUE:
        return _where_true(ex.Or((when, rest)))
    if rest in (FALSE, ex.Literal(None, FALSE.type)):
        return _where_true(ex.And((when, then)))
    if isinstance(then, ex.Literal) and is_null_test(when):
        return _where_true(ex.And((negated(when), rest)))
    return case


def is_null_test(condition: ex.Expr) -> bool:
    """Whether a condition is about being null, and never null itself."""
    return isinstance(condition.arg if isinstance(condition, ex.Not) else condition, ex.IsNull)
