"""Functions of sessions without ANSI and of older Sparks: versions of the present ones.

They have names of their own (`legacy.+`, `older.split`), so that no law of the present function can
reach them; `sessions` says which name means which.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.aggregates import add_decimals
from veer.functions.arithmetic import EXACT, fit_decimal, giving, wrapped
from veer.functions.mathematics import cut_to_whole
from veer.functions.registry import (
    AGGREGATE,
    ANY_ZERO,
    CHOICE,
    PARTIAL,
    PROPAGATE,
    PURE,
    SCALAR,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Failure,
    Meaning,
    Nulls,
    ScalarFunction,
    aggregate,
    scalar,
)
from veer.functions.sessions import DIGITS_OF_COUNTS
from veer.functions.traits import Adding, Claim, Domain, Evaluation, SolverMeaning, WithoutAnsi
from veer.functions.typing import bounded, signature
from veer.ir import types as ty

ALWAYS_FAILS = frozenset({"INVALID_INDEX_OF_ZERO"})
TRIED = Evaluation.TRIED_DIVISOR_FIRST


def register() -> None:
    """Register the functions of this module; those of the present must be there."""
    present = list(SCALAR.values())
    _low_bits("+", operator.add, SolverMeaning.WRAPPED_SUM)
    _low_bits("-", operator.sub, SolverMeaning.WRAPPED_DIFFERENCE)
    _low_bits("*", operator.mul, SolverMeaning.WRAPPED_PRODUCT)
    _low_bits("negative", operator.neg, SolverMeaning.WRAPPED_NEGATION)
    _low_bits("abs", abs, SolverMeaning.WRAPPED_MAGNITUDE)
    _low_bits("round", _rounded(ROUND_HALF_UP))
    _low_bits("bround", _rounded(ROUND_HALF_EVEN))
    scalar(
        "legacy.low_bits", "", signature(ty.LONG, ty.LONG), lambda value: wrapped(value, ty.LONG)
    )(PURE, STRICT, TOTAL, SolverMeaning.LOW_BITS)
    for function in present:
        if function.without_ansi in (WithoutAnsi.NULL, WithoutAnsi.READ):
            domain = PARTIAL if function.name == "element_at" else TOTAL
            divides = function.evaluation is Evaluation.DIVISOR_FIRST
            order = {"evaluation": TRIED} if divides else {}
            _version("legacy.", function, _lenient(function), PROPAGATE, domain, **order)
        if function.without_ansi is WithoutAnsi.READ:
            _version("legacy.checked_", function, _checked(function), PROPAGATE, PARTIAL)
        for older in function.older:
            if older.meaning is not None:
                scalar(f"older.{function.name}", "", function.rule, older.meaning)(
                    (function.kind, function.nulls, older.domain or function.domain),
                    (TYPED, function.sql),
                    zone=function.zone,
                )
    element_at = SCALAR["element_at"]
    others = {"zone": None, "ignores_zero_sign": False}
    _version("legacy.old_", element_at, _element_at_before, PROPAGATE, PARTIAL, **others)
    _version("legacy.", SCALAR["ceil"], cut_to_whole(math.ceil), STRICT, TOTAL)
    _version("legacy.", SCALAR["floor"], cut_to_whole(math.floor), STRICT, TOTAL)
    _version("legacy.", SCALAR["div"], _whole_quotient, PROPAGATE, TOTAL, evaluation=TRIED)
    _version("legacy.", SCALAR["size"], lambda *_: _size, Nulls.NEVER, TOTAL)
    for name, adding in (("sum", Adding.VALUES), ("avg", Adding.DOUBLES)):
        rule = AGGREGATE[name].rule
        aggregate(f"legacy.{name}", "", rule, _lenient_fold(name))(
            PURE, Claim.IGNORES_ORDER, Claim.IGNORES_NULLS, adding
        )
        aggregate(f"legacy.long_{name}", "", rule, _fold_in_any_order(name))(
            CHOICE, Claim.IGNORES_NULLS
        )


def _version(
    prefix: str, of: ScalarFunction, meaning: Meaning, nulls: Nulls, domain: Domain, **others: Any
) -> None:
    """Register a version of a function with another meaning; the laws of the solver are not its."""
    kept = {
        "evaluation": of.evaluation,
        "folding": of.folding,
        "ignores_zero_sign": of.ignores_zero_sign,
        "zone": of.zone,
    }
    scalar(f"{prefix}{of.name}", "", of.rule, meaning)(
        PURE, nulls, domain, TYPED, of.sql, **{**kept, **others}
    )


def _low_bits(name: str, exact: Callable[..., int], *solver: SolverMeaning) -> None:
    """Register the version of a function of whole numbers that keeps the low bits of its result."""
    function = SCALAR[name]

    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        return lambda *args: wrapped(exact(*args), result)

    rule = giving(ty.IntegralType, "an integer", function.rule)
    scalar(f"legacy.{name}", "", rule, meaning)(
        PURE, STRICT, TOTAL, TYPED, function.sql, SETTLED, ANY_ZERO, *solver
    )


def _rounded(mode: str) -> Callable[..., int]:
    """Whole numbers rounded to tens and hundreds."""

    def rounded(value: int, places: int = 0) -> int:
        step = Decimal(1).scaleb(max(-places, 0))
        return int(Decimal(value).quantize(step, mode, EXACT))

    return rounded


def _lenient(function: ScalarFunction) -> Meaning:
    """Null where the function would fail."""

    def meaning(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        inner = function.meaning(types, result)

        def lenient(*args: Any) -> Any:
            try:
                return inner(*args)
            except Failure as failure:
                if str(failure) in ALWAYS_FAILS:
                    raise
                return None

        return lenient

    return meaning


def _element_at_before(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
    """As of arrays, but before Spark 4.3 the least index there is read some other memory."""
    inner = SCALAR["legacy.element_at"].meaning(types, result)

    def item(items: Any, index: int) -> Any:
        if index == -(1 << 31):
            raise UnsupportedError("element_at with the least index there is, before Spark 4.3")
        return inner(items, index)

    return item


def _checked(function: ScalarFunction) -> Meaning:
    """The meaning in sessions in which old times fail.

    Where the present parser reads nothing the run fails if the one before Spark 3.0 would read it, and
    else gives null. Which of them is unknown, so it is not computed.
    """
    lenient = _lenient(function)

    def meaning(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        inner = lenient(types, result)

        def checked(*args: Any) -> Any:
            value = inner(*args)
            if value is None:
                raise UnsupportedError("what the parser before Spark 3.0 reads of a text")
            return value

        return checked

    return meaning


def _size(value: Any) -> int:
    return -1 if value is None else len(value)


def _whole_quotient(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
    """`div`, null where it divides by zero; of the quotient the low bits."""

    def divided(a: Any, b: Any) -> int | None:
        if b == 0:
            return None
        # Of decimals neither // nor - nor abs() keeps more than 28 digits.
        is_decimal = isinstance(a, Decimal)
        whole = EXACT.divide_int(a.copy_abs(), b.copy_abs()) if is_decimal else abs(a) // abs(b)
        return wrapped(int(whole) if (a < 0) == (b < 0) else -int(whole), ty.LONG)

    return divided


# -- aggregate functions -------------------------------------------------------------------------


def _lenient_fold(name: str) -> Meaning:
    def meaning(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        if isinstance(result, ty.IntegralType):
            return _wrapped_sum(result)
        inner = AGGREGATE[name].meaning(types, result)

        def lenient(rows: Any) -> Any:
            try:
                return inner(rows)
            except Failure:
                return None

        return lenient

    return meaning


def _fold_in_any_order(name: str) -> Meaning:
    """Of decimals: what all orders of rows give, which is refused where they differ."""

    def meaning(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        lenient = _lenient_fold(name)(types, result)
        (given,) = types
        assert isinstance(given, ty.DecimalType)
        room = bounded(given.precision + DIGITS_OF_COUNTS, given.scale)

        def total(rows: Any) -> Any:
            values = [row[0] for row in rows if row[0] is not None]
            above, below = [v for v in values if v > 0], [v for v in values if v < 0]
            if above and below and not (_fits(above, room) and _fits(below, room)):
                raise UnsupportedError(f"{name} of {given} that overflows in some order of rows")
            return lenient(rows)

        return total

    return meaning


def _fits(values: Sequence[Decimal], room: ty.DecimalType) -> bool:
    try:
        fit_decimal(add_decimals(values), room)
    except Failure:
        return False
    return True


def _wrapped_sum(result: ty.DataType) -> Callable[..., Any]:
    def total(rows: Any) -> int | None:
        values = [row[0] for row in rows if row[0] is not None]
        return wrapped(sum(values), result) if values else None

    return total
