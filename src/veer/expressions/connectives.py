"""Laws of AND and OR: associative, and distributive with nulls too."""

from __future__ import annotations

from veer.expressions.law import Simplify, Stage, law
from veer.model.conditions import conjunction, conjuncts, disjunction
from veer.model.expr import And, Expr, Or
from veer.model.texts import text_of


@law("(a AND b) AND c => a AND b AND c", And, Or, stage=Stage.NORMAL)
def connective_flattened(expr: Expr, _: Simplify) -> Expr | None:
    """ANDs directly inside of an AND, ORs of an OR."""
    assert isinstance(expr, And | Or)
    kind = type(expr)
    if not any(isinstance(arg, kind) for arg in expr.args):
        return None
    inner = (arg.args if isinstance(arg, And | Or) and type(arg) is kind else (arg,)
             for arg in expr.args)  # fmt: skip
    return kind(tuple(a for args in inner for a in args))


@law("a OR b OR a => a OR b", Or, stage=Stage.NORMAL)
def alternatives_once(expr: Expr, _: Simplify) -> Expr | None:
    """Alternatives that read alike are one."""
    assert isinstance(expr, Or)
    once = tuple({text_of(a): a for a in expr.args}.values())
    return None if len(once) == len(expr.args) else disjunction(once)


@law("(a AND b) OR (a AND c) => a AND (b OR c)", Or, stage=Stage.NORMAL)
def shared_conditions_first(expr: Expr, _: Simplify) -> Expr | None:
    """What all alternatives require is taken out of them."""
    assert isinstance(expr, Or)
    alternatives = [{text_of(c): c for c in conjuncts(arg)} for arg in expr.args]
    shared = [t for t in alternatives[0] if all(t in other for other in alternatives[1:])]
    if not shared:
        return None
    common = [alternatives[0][t] for t in shared]
    rest = [[c for t, c in each.items() if t not in shared] for each in alternatives]
    if all(rest):
        common.append(disjunction([conjunction(each) for each in rest]))
    return conjunction(common)
