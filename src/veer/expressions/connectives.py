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
from veer.ir import expr as ex
from veer.ir.conditions import conjunction, conjuncts, disjunction
from veer.ir.digests import text_of
from veer.ir.walk import transform

NEGATED: Mapping[str, str] = MappingProxyType({"<": ">=", "<=": ">", ">": "<=", ">=": "<"})


def negated(condition: ex.Expr) -> ex.Expr:
    """The negation of a condition, moved down as far as it goes."""
    match condition:
        case ex.And(args):
            return ex.Or(tuple(map(negated, args)))
        case ex.Or(args):
            return ex.And(tuple(map(negated, args)))
        case ex.Not(arg):
            return arg
        case ex.Literal():
            return computed(ex.Not(condition))
        case ex.Compare(op, left, right) if op in NEGATED:
            return ex.Compare(NEGATED[op], left, right)
        case ex.Case(branches, otherwise):
            return ex.Case(
                tuple((when, negated(then)) for when, then in branches), negated(otherwise)
            )
        case _:
            return ex.Not(condition)


@law("NOT (a < b AND c) => a >= b OR NOT c", ex.Not, stage=Stage.NORMAL)
def negation_moved_down(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Each side is null where the other is; NaN is ordered."""
    match expr:
        case ex.Not(ex.And() | ex.Or() | ex.Compare() | ex.Case() as arg) if (
            inner := negated(arg)
        ) != expr:
            return transform(inner, simplify)
    return None


@law("NOT NOT a => a", ex.Not)
def negated_twice(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """In three-valued logic too."""
    match expr:
        case ex.Not(ex.Not(arg)):
            return arg
    return None


@law("(a AND b) AND c => a AND b AND c", ex.And, ex.Or, stage=Stage.NORMAL)
def connective_flattened(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """ANDs directly inside of an AND, ORs of an OR."""
    assert isinstance(expr, ex.And | ex.Or)
    kind = type(expr)
    if not any(isinstance(arg, kind) for arg in expr.args):
        return None
    inner = (arg.args if isinstance(arg, ex.And | ex.Or) and type(arg) is kind else (arg,)
             for arg in expr.args)  # fmt: skip
    return kind(tuple(a for args in inner for a in args))


@law("a OR b OR a => a OR b", ex.Or, stage=Stage.NORMAL)
def alternatives_once(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Alternatives that read alike are one."""
    assert isinstance(expr, ex.Or)
    once = tuple({text_of(a): a for a in expr.args}.values())
    return None if len(once) == len(expr.args) else disjunction(once)


@law("(a AND b) OR (a AND c) => a AND (b OR c)", ex.Or, stage=Stage.NORMAL)
def shared_conditions_first(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """What all alternatives require is taken out of them."""
    assert isinstance(expr, ex.Or)
    alternatives = [{text_of(c): c for c in conjuncts(arg)} for arg in expr.args]
    shared = [t for t in alternatives[0] if all(t in other for other in alternatives[1:])]
    if not shared:
        return None
    common = [alternatives[0][t] for t in shared]
    rest = [[c for t, c in each.items() if t not in shared] for each in alternatives]
    if all(rest):
        common.append(disjunction([conjunction(each) for each in rest]))
    return conjunction(common)
