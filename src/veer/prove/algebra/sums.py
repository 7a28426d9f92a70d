"""Sums taken apart: what is added up, as products under conditions.

    CASE WHEN p THEN 2 * x ELSE y - z END   =>   [p] 2 * x,   [not p] y,   [not p] -1 * z

A sum over rows is then a sum of totals, one for each of these, and a total over rows that nothing
connects is a product of totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias, final

from veer.expressions.exact_arithmetic import is_exact, keeps_number
from veer.ir import expr as ex, types as ty
from veer.prove.algebra.terms import FALSE, TRUE
from veer.prove.solver.formula import ADDED, MULTIPLIED

MOST_SUMMANDS = 16
MOST_DIGITS = 38  # of a decimal
MINUS_ONE = ex.Literal(-1, ty.INT)


@final
@dataclass(frozen=True, slots=True)
class Summand:
    """A product that is added where every condition is true."""

    conditions: tuple[ex.Expr, ...]
    factors: tuple[ex.Expr, ...]


Coefficients: TypeAlias = dict[ex.Symbol, int]


def is_summed_exactly(type_: ty.DataType) -> bool:
    """Whether sums of a type do not depend on the order of what is added.

    Floats round at each step. Integers and decimals do not; a sum that overflows fails the run.
    """
    return isinstance(type_, ty.IntegralType | ty.DecimalType)


def type_of_product(factors: Sequence[ex.Expr], type_: ty.DataType) -> ty.DataType:
    """The type in which products are added up: of decimals, the same however wide their sum is.

    Products of equal factors are then equal, in whatever sum they are added.
    """
    scale = sum(f.type.scale for f in factors if isinstance(f.type, ty.DecimalType))
    if not isinstance(type_, ty.DecimalType) or scale > MOST_DIGITS:
        return type_
    return ty.DecimalType(MOST_DIGITS, scale)


def type_of_sum(types: Sequence[ty.DataType]) -> ty.DataType:
    """A type in which numbers of several exact types are added: a decimal if one is."""
    return next((t for t in types if isinstance(t, ty.DecimalType)), types[0])


def added(parts: list[ex.Expr], type_: ty.DataType) -> ex.Expr:
    """The exact sum."""
    parts = [p for part in parts for p in _operands(part, ADDED)]
    parts = [p for p in parts if not (isinstance(p, ex.Literal) and p.value == 0)]
    if not parts:
        return ex.Literal(0, type_)
    if len(parts) == 1 and parts[0].type == type_:
        return parts[0]
    return ex.OpaqueCall(ADDED, tuple(parts), type_)


def multiplied(factors: list[ex.Expr], type_: ty.DataType) -> ex.Expr:
    """The exact product."""
    factors = [f for factor in factors for f in _operands(factor, MULTIPLIED)]
    if any(isinstance(f, ex.Literal) and f.value == 0 for f in factors):
        return ex.Literal(0, type_)
    kept = [f for f in factors if not (isinstance(f, ex.Literal) and f.value == 1)]
    if not kept:
        return ex.Literal(1, type_)
    if len(kept) == 1 and kept[0].type == type_:
        return kept[0]
    return ex.OpaqueCall(MULTIPLIED, tuple(kept), type_)


def _operands(expr: ex.Expr, identity: str) -> tuple[ex.Expr, ...]:
    """What a nested sum or product adds or multiplies: both are associative, being exact."""
    if isinstance(expr, ex.OpaqueCall) and expr.identity == identity:
        return expr.args
    return (expr,)


def not_true(condition: ex.Expr) -> ex.Expr:
    """The condition is false or null."""
    return ex.Not(ex.Case(((condition, TRUE),), FALSE))


def arms(expr: ex.Expr) -> Iterator[tuple[tuple[ex.Expr, ...], ex.Expr]]:
    """The values a CASE gives and when; anything else gives itself.

    A later branch is taken where no earlier condition is true: each is false or null. Branches
    that give null are left out.
    """
    match expr:
        case ex.Case(branches, otherwise):
            before: tuple[ex.Expr, ...] = ()
            for when, then in (*branches, (TRUE, otherwise)):
                for conditions, arm in arms(then):
                    yield (*before, when, *conditions), arm
                before = (*before, not_true(when))
        case ex.Call("coalesce", (first, *others)) if others:
            rest = others[0] if len(others) == 1 else ex.Call("coalesce", tuple(others), expr.type)
            yield from arms(ex.Case(((ex.Not(ex.IsNull(first)), first),), rest))
        case ex.Cast(arg, ty.IntegralType() as type_) if isinstance(arg.type, ty.BooleanType):
            one, zero = ex.Literal(1, type_), ex.Literal(0, type_)
            yield from arms(ex.Case(((arg, one), (ex.Not(arg), zero)), ex.Literal(None, type_)))
        case ex.Literal(None):
            return
        case _:
            yield (), expr


def few_arms(expr: ex.Expr) -> list[tuple[tuple[ex.Expr, ...], ex.Expr]]:
    """The arms of an expression; itself if there are too many."""
    few = list(islice(arms(expr), MOST_SUMMANDS + 1))
    return few if len(few) <= MOST_SUMMANDS else [((), expr)]


def summands(expr: ex.Expr) -> list[Summand]:
    """What an expression adds up where it is not null; itself if that would be too much."""
    parts = _summands(expr)
    return parts if len(parts) <= MOST_SUMMANDS else [Summand((), (expr,))]


def _summands(expr: ex.Expr) -> list[Summand]:
    match expr:
        case ex.Literal(0) | ex.Literal(None):
            return []
        case ex.Case() | ex.Call("coalesce"):
            return _summands_of_arms(expr)
        case ex.Cast(arg) if isinstance(arg.type, ty.BooleanType):
            return _summands_of_arms(expr)
        case ex.OpaqueCall(identity, args) if identity == ADDED:
            return [s for a in args for s in _summands(a)]
        case ex.OpaqueCall(identity, args) if identity == MULTIPLIED:
            return _products(args, expr.type)
        case ex.Cast(arg) if keeps_number(expr):
            return _summands(arg)
        case ex.Call(function, args, type_) if is_exact(expr):
            match function:
                case "+":
                    return [s for a in args for s in _summands(a)]
                case "-":
                    return _summands(args[0]) + _products((MINUS_ONE, args[1]), type_)
                case "negative":
                    return _products((MINUS_ONE, args[0]), type_)
                case "positive":
                    return _summands(args[0])
                case "*":
                    return _products(args, type_)
    return [Summand((), (expr,))]


def _summands_of_arms(expr: ex.Expr) -> list[Summand]:
    cases = few_arms(expr)
    if cases == [((), expr)]:
        return [Summand((), (expr,))]
    return [
        Summand((*conditions, *s.conditions), s.factors)
        for conditions, arm in cases
        for s in _summands(arm)
    ]


def _products(args: tuple[ex.Expr, ...], type_: ty.DataType) -> list[Summand]:
    """A product of sums multiplied out; left whole if that would be too much."""
    products = [Summand((), ())]
    for arg in args:
        products = [
            Summand((*a.conditions, *b.conditions), (*a.factors, *b.factors))
            for a in products
            for b in _summands(arg)
        ]
        if len(products) > MOST_SUMMANDS:
            return [Summand((), (ex.OpaqueCall(MULTIPLIED, args, type_),))]
    return products


def shifted(expr: ex.Expr) -> tuple[int, ex.Expr, int]:
    """An integer expression as `factor * rest + offset`, with constants as large as can be."""
    match expr:
        case ex.Call("+", (rest, ex.Literal(int() as n))) | ex.Call(
            "+", (ex.Literal(int() as n), rest)
        ):
            if _all_integers(expr):
                factor, inner, offset = shifted(rest)
                return factor, inner, offset + n
        case ex.Call("-", (rest, ex.Literal(int() as n))) if _all_integers(expr):
            factor, inner, offset = shifted(rest)
            return factor, inner, offset - n
        case ex.Call("-", (ex.Literal(int() as n), rest)) if _all_integers(expr):
            factor, inner, offset = shifted(rest)
            return -factor, inner, n - offset
        case ex.Call("negative", (rest,)) if _all_integers(expr):
            factor, inner, offset = shifted(rest)
            return -factor, inner, -offset
        case ex.Call("*", (rest, ex.Literal(int() as n))) | ex.Call(
            "*", (ex.Literal(int() as n), rest)
        ):
            if _all_integers(expr) and n != 0:
                factor, inner, offset = shifted(rest)
                return factor * n, inner, offset * n
        case ex.Cast(rest, ty.IntegralType()) if keeps_number(expr):
            return shifted(rest)
    return 1, expr, 0


def shifted_back(value: ex.Expr, factor: int, offset: int, type_: ty.DataType) -> ex.Expr:
    """`factor * value + offset`, null where the value is."""
    product = multiplied([ex.Literal(factor, type_), value], type_)
    sum_ = added([product, ex.Literal(offset, type_)], type_)
    return ex.Case(((ex.Not(ex.IsNull(value)), sum_),), ex.Literal(None, type_))


def _all_integers(call: ex.Expr) -> bool:
    assert isinstance(call, ex.Call)
    return all(isinstance(t, ty.IntegralType) for t in (call.type, *(a.type for a in call.args)))


def coefficients(expr: ex.Expr, totals: Set[ex.Symbol]) -> Coefficients:
    """How often each total is added in an expression, as far as that can be read off it."""
    counts: Coefficients = {}
    _count(expr, 1, totals, counts)
    return {name: n for name, n in counts.items() if n}


def _count(expr: ex.Expr, times: int, totals: Set[ex.Symbol], counts: Coefficients) -> None:
    match expr:
        case ex.Symbol() if expr in totals:
            counts[expr] = counts.get(expr, 0) + times
        case ex.OpaqueCall(identity, args) if identity == ADDED:
            for a in args:
                _count(a, times, totals, counts)
        case ex.OpaqueCall(identity, (ex.Literal(int() as n), rest)) if identity == MULTIPLIED:
            _count(rest, times * n, totals, counts)
        case ex.Case(((_, then),), ex.Literal(None | 0)):
            _count(then, times, totals, counts)
        case ex.Call("coalesce", (first, ex.Literal(0))):
            _count(first, times, totals, counts)
        case ex.Call("+", args) if is_exact(expr):
            for a in args:
                _count(a, times, totals, counts)
        case ex.Call("-", (left, right)) if is_exact(expr):
            _count(left, times, totals, counts)
            _count(right, -times, totals, counts)
        case ex.Call("negative", (arg,)) if is_exact(expr):
            _count(arg, -times, totals, counts)
        case ex.Cast(arg) if keeps_number(expr):
            _count(arg, times, totals, counts)
