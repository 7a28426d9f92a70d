"""Laws of CASE, and of COALESCE of one: what conditions say of branches, and values that do not matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from veer.expressions.connectives import negated
from veer.expressions.constant_folding import FALSE, TRUE, computed, zero_of
from veer.expressions.law import Simplify, Stage, law
from veer.expressions.true_conditions import is_null_test, where_true
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjuncts
from veer.ir.walk import map_children, parts

TESTS = (ex.IsNull, ex.Compare, ex.InList, ex.Not)  # conditions whose outcome may be known


@law(
    "CASE WHEN coalesce(c, FALSE) THEN a END => CASE WHEN c THEN a END", ex.Case, stage=Stage.NORMAL
)
def conditions_of_branches(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A branch is taken where its condition is true: null counts as false."""
    assert isinstance(expr, ex.Case)
    return ex.Case(tuple((where_true(w), then) for w, then in expr.branches), expr.otherwise)


@law("CASE WHEN a > 1 THEN CASE WHEN a > 1 AND b THEN 1 ELSE 2 END END "
     "=> CASE WHEN a > 1 THEN CASE WHEN b THEN 1 ELSE 2 END END", ex.Case, stage=Stage.NORMAL)  # fmt: skip
def known_conditions(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """In a branch its condition is true, and what negates it false.

    Behind a branch its condition is false or null, and so is each alternative of it; a test for null is
    then false. A CASE at the end is part of the one around it.
    """
    assert isinstance(expr, ex.Case)
    branches: list[tuple[ex.Expr, ex.Expr]] = []
    known: dict[ex.Expr, ex.Expr] = {}
    for when, then in expr.branches:
        when = _replaced(when, known)
        branches.append((when, _replaced(then, known | _true_in(conjuncts(when)))))
        for test in when.args if isinstance(when, ex.Or) else (when,):
            if is_null_test(test):
                known |= {test: FALSE, negated(test): TRUE}
    otherwise = _replaced(expr.otherwise, known)
    if isinstance(otherwise, ex.Case):
        branches += otherwise.branches
        otherwise = otherwise.otherwise
    return ex.Case(tuple(branches), otherwise)


def _true_in(conditions: Iterable[ex.Expr]) -> dict[ex.Expr, ex.Expr]:
    """What is known where conditions are true."""
    known: dict[ex.Expr, ex.Expr] = {}
    for condition in conditions:
        if isinstance(condition, TESTS):
            known |= {condition: TRUE, negated(condition): FALSE}
    return known


def _replaced(expr: ex.Expr, known: Mapping[ex.Expr, ex.Expr]) -> ex.Expr:
    """An expression in which conditions that are known are decided."""
    if not known or not any(isinstance(p, TESTS) and p in known for p in parts(expr)):
        return expr
    return _decided(expr, known)


def _decided(expr: ex.Expr, known: Mapping[ex.Expr, ex.Expr]) -> ex.Expr:
    if isinstance(expr, TESTS) and expr in known:
        return known[expr]
    return computed(map_children(expr, lambda child: _decided(child, known)))


@law("coalesce(CASE WHEN n <> 0 THEN n END, 0) => coalesce(n, 0)", "coalesce", stage=Stage.NORMAL)
def zero_or_null(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A whole number or a decimal: of floats there are two zeros."""
    match expr:
        case ex.Call(
            _,
            (
                ex.Case(
                    ((ex.Not(ex.Compare("=", ex.Column() as n, ex.Literal(0))), m),),
                    ex.Literal(None),
                ),
                zero,
            ),
        ):
            if (
                isinstance(n.type, ty.IntegralType | ty.DecimalType)
                and m == n
                and zero == zero_of(n.type)
            ):
                return replace(expr, args=(n, zero))
    return None


@law("coalesce(CASE WHEN c THEN 1 END, 0) => CASE WHEN c THEN 1 ELSE 0 END",
     "coalesce", stage=Stage.NORMAL)  # fmt: skip
def value_or_constant_of_branches(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """All values of the CASE are constants but for one."""
    match expr:
        case ex.Call(_, (ex.Case(branches, otherwise), ex.Literal() as constant)):
            values = (*(then for _, then in branches), otherwise)
            if sum(not isinstance(v, ex.Literal) for v in values) <= 1:
                *present, last = (computed(replace(expr, args=(v, constant))) for v in values)
                whens = (when for when, _ in branches)
                return ex.Case(tuple(zip(whens, present, strict=True)), last)
    return None
