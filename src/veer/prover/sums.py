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
from veer.model.expr import (
    Call,
    Case,
    Cast,
    Expr,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Symbol,
)
from veer.model.types import (
    INT,
    BooleanType,
    DataType,
    DecimalType,
    IntegralType,
)
from veer.prover.terms import FALSE, TRUE
from veer.smt.formula import ADDED, MULTIPLIED

MOST_SUMMANDS = 16
MOST_DIGITS = 38  # of a decimal
MINUS_ONE = Literal(-1, INT)


@final
@dataclass(frozen=True, slots=True)
class Summand:
    """A product that is added where every condition is true."""

    conditions: tuple[Expr, ...]
    factors: tuple[Expr, ...]


Coefficients: TypeAlias = dict[Symbol, int]


def is_summed_exactly(type_: DataType) -> bool:
    """Whether sums of a type do not depend on the order of what is added.

    Floats round at each step. Integers and decimals do not; a sum that overflows fails the run.
    """
    return isinstance(type_, IntegralType | DecimalType)


def type_of_product(factors: Sequence[Expr], type_: DataType) -> DataType:
    """The type in which products are added up: of decimals, the same however wide their sum is.

    Products of equal factors are then equal, in whatever sum they are added.
    """
    scale = sum(f.type.scale for f in factors if isinstance(f.type, DecimalType))
    if not isinstance(type_, DecimalType) or scale > MOST_DIGITS:
        return type_
    return DecimalType(MOST_DIGITS, scale)


def type_of_sum(types: Sequence[DataType]) -> DataType:
    """A type in which numbers of several exact types are added: a decimal if one is."""
    return next((t for t in types if isinstance(t, DecimalType)), types[0])


def added(parts: list[Expr], type_: DataType) -> Expr:
    """The exact sum."""
    parts = [p for part in parts for p in _operands(part, ADDED)]
    parts = [p for p in parts if not (isinstance(p, Literal) and p.value == 0)]
    if not parts:
        return Literal(0, type_)
    if len(parts) == 1 and parts[0].type == type_:
        return parts[0]
    return OpaqueCall(ADDED, tuple(parts), type_)


def multiplied(factors: list[Expr], type_: DataType) -> Expr:
    """The exact product."""
    factors = [f for factor in factors for f in _operands(factor, MULTIPLIED)]
    if any(isinstance(f, Literal) and f.value == 0 for f in factors):
        return Literal(0, type_)
    kept = [f for f in factors if not (isinstance(f, Literal) and f.value == 1)]
    if not kept:
        return Literal(1, type_)
    if len(kept) == 1 and kept[0].type == type_:
        return kept[0]
    return OpaqueCall(MULTIPLIED, tuple(kept), type_)


def _operands(expr: Expr, identity: str) -> tuple[Expr, ...]:
    """What a nested sum or product adds or multiplies: both are associative, being exact."""
    if isinstance(expr, OpaqueCall) and expr.identity == identity:
        return expr.args
    return (expr,)


def not_true(condition: Expr) -> Expr:
    """The condition is false or null."""
    return Not(Case(((condition, TRUE),), FALSE))


def arms(expr: Expr) -> Iterator[tuple[tuple[Expr, ...], Expr]]:
    """The values a CASE gives and when; anything else gives itself.

    A later branch is taken where no earlier condition is true: each is false or null. Branches
    that give null are left out.
    """
    match expr:
        case Case(branches, otherwise):
            before: tuple[Expr, ...] = ()
            for when, then in (*branches, (TRUE, otherwise)):
                for conditions, arm in arms(then):
                    yield (*before, when, *conditions), arm
                before = (*before, not_true(when))
        case Call("coalesce", (first, *others)) if others:
            rest = others[0] if len(others) == 1 else Call("coalesce", tuple(others), expr.type)
            yield from arms(Case(((Not(IsNull(first)), first),), rest))
        case Cast(arg, IntegralType() as type_) if isinstance(arg.type, BooleanType):
            one, zero = Literal(1, type_), Literal(0, type_)
            yield from arms(Case(((arg, one), (Not(arg), zero)), Literal(None, type_)))
        case Literal(None):
            return
        case _:
            yield (), expr


def few_arms(expr: Expr) -> list[tuple[tuple[Expr, ...], Expr]]:
    """The arms of an expression; itself if there are too many."""
    few = list(islice(arms(expr), MOST_SUMMANDS + 1))
    return few if len(few) <= MOST_SUMMANDS else [((), expr)]


def summands(expr: Expr) -> list[Summand]:
    """What an expression adds up where it is not null; itself if that would be too much."""
    parts = _summands(expr)
    return parts if len(parts) <= MOST_SUMMANDS else [Summand((), (expr,))]


def _summands(expr: Expr) -> list[Summand]:
    match expr:
        case Literal(0) | Literal(None):
            return []
        case Case() | Call("coalesce"):
            return _summands_of_arms(expr)
        case Cast(arg) if isinstance(arg.type, BooleanType):
            return _summands_of_arms(expr)
        case OpaqueCall(identity, args) if identity == ADDED:
            return [s for a in args for s in _summands(a)]
        case OpaqueCall(identity, args) if identity == MULTIPLIED:
            return _products(args, expr.type)
        case Cast(arg) if keeps_number(expr):
            return _summands(arg)
        case Call(function, args, type_) if is_exact(expr):
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


def _summands_of_arms(expr: Expr) -> list[Summand]:
    cases = few_arms(expr)
    if cases == [((), expr)]:
        return [Summand((), (expr,))]
    return [
        Summand((*conditions, *s.conditions), s.factors)
        for conditions, arm in cases
        for s in _summands(arm)
    ]


def _products(args: tuple[Expr, ...], type_: DataType) -> list[Summand]:
    """A product of sums multiplied out; left whole if that would be too much."""
    products = [Summand((), ())]
    for arg in args:
        products = [
            Summand((*a.conditions, *b.conditions), (*a.factors, *b.factors))
            for a in products
            for b in _summands(arg)
        ]
        if len(products) > MOST_SUMMANDS:
            return [Summand((), (OpaqueCall(MULTIPLIED, args, type_),))]
    return products


def shifted(expr: Expr) -> tuple[int, Expr, int]:
    """An integer expression as `factor * rest + offset`, with constants as large as can be."""
    match expr:
        case Call("+", (rest, Literal(int() as n))) | Call("+", (Literal(int() as n), rest)):
            if _all_integers(expr):
                factor, inner, offset = shifted(rest)
                return factor, inner, offset + n
        case Call("-", (rest, Literal(int() as n))) if _all_integers(expr):
            factor, inner, offset = shifted(rest)
            return factor, inner, offset - n
        case Call("-", (Literal(int() as n), rest)) if _all_integers(expr):
            factor, inner, offset = shifted(rest)
            return -factor, inner, n - offset
        case Call("negative", (rest,)) if _all_integers(expr):
            factor, inner, offset = shifted(rest)
            return -factor, inner, -offset
        case Call("*", (rest, Literal(int() as n))) | Call("*", (Literal(int() as n), rest)):
            if _all_integers(expr) and n != 0:
                factor, inner, offset = shifted(rest)
                return factor * n, inner, offset * n
        case Cast(rest, IntegralType()) if keeps_number(expr):
            return shifted(rest)
    return 1, expr, 0


def shifted_back(value: Expr, factor: int, offset: int, type_: DataType) -> Expr:
    """`factor * value + offset`, null where the value is."""
    product = multiplied([Literal(factor, type_), value], type_)
    sum_ = added([product, Literal(offset, type_)], type_)
    return Case(((Not(IsNull(value)), sum_),), Literal(None, type_))


def _all_integers(call: Expr) -> bool:
    assert isinstance(call, Call)
    return all(isinstance(t, IntegralType) for t in (call.type, *(a.type for a in call.args)))


def coefficients(expr: Expr, totals: Set[Symbol]) -> Coefficients:
    """How often each total is added in an expression, as far as that can be read off it."""
    counts: Coefficients = {}
    _count(expr, 1, totals, counts)
    return {name: n for name, n in counts.items() if n}


def _count(expr: Expr, times: int, totals: Set[Symbol], counts: Coefficients) -> None:
    match expr:
        case Symbol() if expr in totals:
            counts[expr] = counts.get(expr, 0) + times
        case OpaqueCall(identity, args) if identity == ADDED:
            for a in args:
                _count(a, times, totals, counts)
        case OpaqueCall(identity, (Literal(int() as n), rest)) if identity == MULTIPLIED:
            _count(rest, times * n, totals, counts)
        case Case(((_, then),), Literal(None | 0)):
            _count(then, times, totals, counts)
        case Call("coalesce", (first, Literal(0))):
            _count(first, times, totals, counts)
        case Call("+", args) if is_exact(expr):
            for a in args:
                _count(a, times, totals, counts)
        case Call("-", (left, right)) if is_exact(expr):
            _count(left, times, totals, counts)
            _count(right, -times, totals, counts)
        case Call("negative", (arg,)) if is_exact(expr):
            _count(arg, -times, totals, counts)
        case Cast(arg) if keeps_number(expr):
            _count(arg, times, totals, counts)
