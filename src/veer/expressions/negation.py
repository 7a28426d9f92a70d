"""Negations moved down to the conditions they are about.

    NOT (a < b AND c)                    =>   a >= b OR NOT c
    NOT (a OR b)                         =>   NOT a AND NOT b
    NOT CASE WHEN c THEN a ELSE TRUE END =>   CASE WHEN c THEN NOT a ELSE FALSE END

Exact in three-valued logic: each side is null where the other is. NaN is ordered, so that of two
values that are not null either one is less than the other or it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from veer.expressions.law import Simplify, Stage, law
from veer.model.expr import And, Case, Compare, Expr, Literal, Not, Or
from veer.model.types import BOOLEAN
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
        case Literal(value):
            return Literal(None if value is None else not value, BOOLEAN)
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
