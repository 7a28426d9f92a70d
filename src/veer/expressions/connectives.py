"""Laws of AND, OR and NOT, in three-valued logic: each side is null where the other is.

Negations are moved down to the conditions they are about:

    NOT (a < b AND c)                    =>   a >= b OR NOT c
    NOT (a OR b)                         =>   NOT a AND NOT b
    NOT CASE WHEN c THEN a ELSE TRUE END =>   CASE WHEN c THEN NOT a ELSE FALSE END

NaN is ordered, so that of two values that are not null either one is less than the other or it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from veer.expressions.constant_folding import computed
from veer.expressions.law import Simplify, Stage, law
from veer.model.conditions import conjunction, conjuncts, disjunction
from veer.model.expr import And, Case, Compare, Expr, Literal, Not, Or
from veer.model.texts import text_of
from veer.model.walk import transform

NEGATED: Mapping[str, str] = MappingProxyType({"<": ">=", "<=": ">", ">": "<=", ">=": "<"})


def negated(condition: Expr) -> Expr:
    """The negation of a condition, moved down as far as it goes."""
    match condition:
        case And(args):
            return Or(tuple(map(negated, args)))
        case Or(args):
            return And(tuple(map(negated, args)))
        case Not(arg):
            return arg
        case Literal():
            return computed(Not(condition))
        case Compare(op, left, right) if op in NEGATED:
            return Compare(NEGATED[op], left, right)
        case Case(branches, otherwise):
            return Case(tuple((when, negated(then)) for when, then in branches), negated(otherwise))
        case _:
            return Not(condition)


@law("NOT (a < b AND c) => a >= b OR NOT c", Not, stage=Stage.NORMAL)
def negation_moved_down(expr: Expr, simplify: Simplify) -> Expr | None:
    """Each side is null where the other is; NaN is ordered."""
    match expr:
        case Not(And() | Or() | Compare() | Case() as arg) if (inner := negated(arg)) != expr:
            return transform(inner, simplify)
    return None


@law("NOT NOT a => a", Not)
def negated_twice(expr: Expr, _: Simplify) -> Expr | None:
    """In three-valued logic too."""
    match expr:
        case Not(Not(arg)):
            return arg
    return None


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
