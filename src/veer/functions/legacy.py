"""What functions mean in a session without ANSI, `spark.sql.ansi.enabled=false`.

Whole numbers wrap around where they overflow, and most of what fails under ANSI gives null. What
means the same in both modes is one expression; `legacy.+` and its like stand for the rest. A
function that is neither known to mean the same nor listed here is refused.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.aggregates import add_decimals
from veer.functions.arithmetic import EXACT, fit_decimal, float_to_long, giving, wrapped
from veer.functions.registry import (
    AGGREGATE,
    PURE,
    SCALAR,
    STRICT,
    TOTAL,
    Failure,
    Kind,
    Nulls,
    ScalarFunction,
    aggregate,
    scalar,
)
from veer.functions.traits import Adding, Domain, Evaluation, Folding, SolverMeaning
from veer.functions.typing import bounded, signature
from veer.model.types import (
    LONG,
    MAX_PRECISION,
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    IntegralType,
    MapType,
    StringType,
)
from veer.settings import SPARK_4_3, TimeParser, current

# They fail in both modes, or never on what Spark computes with.
SAME = frozenset(
    [
        "map",
        "slice",
        "sequence",
        "date_add",
        "date_sub",
        "add_months",
        "add_interval",
        "timestamp_seconds",
        "date_format",
        "from_unixtime",
        "rlike",
        "regexp_replace",
        "regexp_extract",
        "split",
        "split_part",
        "getbit",
        "like",
        "ilike",
    ]
)
ARITHMETIC = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}
WHOLE = {"ceil": math.ceil, "floor": math.floor}
ROUNDING = {"round": ROUND_HALF_UP, "bround": ROUND_HALF_EVEN}
DIGITS_OF_COUNTS = 10  # a sum of decimals has room for as many rows as have numbers of these
DIVIDING = {"/": "try_divide", "%": "try_mod"}
TIMES = ("to_date_by", "to_timestamp_by", "unix_timestamp")  # read from texts by a pattern
ALWAYS_FAILS = frozenset({"INVALID_INDEX_OF_ZERO"})
# What wraps around: its exact result, and what the solver knows of it.
WRAPPING: dict[str, tuple[Callable[..., int], SolverMeaning]] = {
    "+": (operator.add, SolverMeaning.WRAPPED_SUM),
    "-": (operator.sub, SolverMeaning.WRAPPED_DIFFERENCE),
    "*": (operator.mul, SolverMeaning.WRAPPED_PRODUCT),
    "negative": (operator.neg, SolverMeaning.WRAPPED_NEGATION),
    "abs": (abs, SolverMeaning.WRAPPED_MAGNITUDE),
}


def is_legacy(name: str) -> bool:
    """Whether a function is one of sessions without ANSI alone."""
    return name.startswith("legacy.")


def legacy_function(name: str, types: Sequence[DataType], result: DataType) -> str:
    """The scalar function that one means in a session without ANSI, for arguments of some types."""
    function = SCALAR[name]
    if name in DIVIDING:
        return DIVIDING[name]
    if isinstance(result, IntegralType) and name in WRAPPING:
        return f"legacy.{name}"
    if name in ARITHMETIC and isinstance(result, DecimalType):
        # The type of the result has room for all results, unless 38 digits are too few.
        return name if result.precision < MAX_PRECISION else ARITHMETIC[name]
    if name in WRAPPING:
        return name
    if name in WHOLE:
        return f"legacy.{name}" if isinstance(types[0], DoubleType) else name
    if name in ROUNDING and not isinstance(result, IntegralType):
        if isinstance(result, DecimalType) and result.precision == MAX_PRECISION:
            raise UnsupportedError(f"{name} in {result} in a session without ANSI")
        return name
    if name == "element_at" and isinstance(types[0], ArrayType) and current().spark < SPARK_4_3:
        return "legacy.old_element_at"
    if (
        name in TIMES
        and isinstance(types[0], StringType)
        and current().time_parser is TimeParser.EXCEPTION
    ):
        return f"legacy.checked_{name}"
    if f"legacy.{name}" in SCALAR:
        on_map = isinstance(types[0], MapType) if types else False
        return name if on_map and name in ("item", "element_at") else f"legacy.{name}"
    if function.domain is Domain.TOTAL or name in SAME:
        return name
    raise UnsupportedError(f"{name} in a session without ANSI")


def legacy_aggregate(name: str, types: Sequence[DataType], result: DataType) -> str:
    """The aggregate function that one means in a session without ANSI, for arguments of some types."""
    if name not in ("sum", "avg") or not isinstance(result, IntegralType | DecimalType):
        return name
    (given,) = types
    if isinstance(given, DecimalType) and given.precision > MAX_PRECISION - DIGITS_OF_COUNTS:
        # Few rows overflow: whether a sum is null depends on the order in which they are added.
        return f"legacy.long_{name}"
    return f"legacy.{name}"


def _keeping_low_bits(
    name: str,
    exact: Callable[..., int],
    solver: SolverMeaning = SolverMeaning.UNINTERPRETED,
) -> None:
    """Register the version of a function of whole numbers that keeps the low bits of its result."""
    function = SCALAR[name]

    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        return lambda *args: wrapped(exact(*args), result)

    scalar(
        f"legacy.{name}",
        giving(IntegralType, "an integer", function.rule),
        meaning,
        PURE,
        STRICT,
        TOTAL,
        typed=True,
        sql=function.sql,
        folding=Folding.SETTLED,
        ignores_zero_sign=True,
        solver=solver,
    )


def _rounded(mode: str) -> Callable[..., int]:
    """Whole numbers rounded to tens and hundreds."""

    def rounded(value: int, places: int = 0) -> int:
        step = Decimal(1).scaleb(max(-places, 0))
        return int(Decimal(value).quantize(step, mode, EXACT))

    return rounded


def _lenient(name: str) -> None:
    """Register the version of a function that gives null where it would fail."""
    function: ScalarFunction = SCALAR[name]

    def meaning(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        inner = function.meaning(types, result)

        def lenient(*args: Any) -> Any:
            try:
                return inner(*args)
            except Failure as failure:
                if str(failure) in ALWAYS_FAILS:
                    raise
                return None

        return lenient

    divides = function.evaluation is Evaluation.DIVISOR_FIRST
    scalar(
        f"legacy.{name}",
        function.rule,
        meaning,
        PURE,
        Nulls.PROPAGATE,
        Domain.PARTIAL if name == "element_at" else TOTAL,
        typed=True,
        sql=function.sql,
        evaluation=Evaluation.TRIED_DIVISOR_FIRST if divides else function.evaluation,
        folding=function.folding,
        ignores_zero_sign=function.ignores_zero_sign,
    )


def _element_at_before(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
    """As of arrays, but before Spark 4.3 the least index there is read some other memory."""
    inner = SCALAR["legacy.element_at"].meaning(types, result)

    def item(items: Any, index: int) -> Any:
        if index == -(1 << 31):
            raise UnsupportedError("element_at with the least index there is, before Spark 4.3")
        return inner(items, index)

    return item


def _checked(name: str) -> None:
    """Register the version of a function of texts for sessions in which old times fail.

    Where the present parser reads nothing the run fails if the one before Spark 3.0 would read it, and
    else gives null: which of them is not known, so nobody computes it.
    """
    lenient = SCALAR[f"legacy.{name}"]

    def meaning(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        inner = lenient.meaning(types, result)

        def checked(*args: Any) -> Any:
            value = inner(*args)
            if value is None:
                raise UnsupportedError("what the parser before Spark 3.0 reads of a text")
            return value

        return checked

    scalar(
        f"legacy.checked_{name}",
        lenient.rule,
        meaning,
        PURE,
        Nulls.PROPAGATE,
        Domain.PARTIAL,
        typed=True,
        sql=lenient.sql,
        evaluation=lenient.evaluation,
        folding=lenient.folding,
    )


def _whole(name: str) -> None:
    """Register the rounding of doubles to whole numbers, the largest one for those beyond."""
    function = SCALAR[name]

    def meaning(value: float) -> int:
        return float_to_long(WHOLE[name](value) if math.isfinite(value) else value)

    traits: Any = {"sql": function.sql, "folding": function.folding, "ignores_zero_sign": True}
    scalar(f"legacy.{name}", function.rule, meaning, PURE, STRICT, TOTAL, **traits)


def _whole_quotient(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
    """`div`, null where it divides by zero; of the quotient the low bits."""

    def divided(a: Any, b: Any) -> int | None:
        if b == 0:
            return None
        # Of decimals neither // nor - nor abs() keeps more than 28 digits.
        is_decimal = isinstance(a, Decimal)
        whole = EXACT.divide_int(a.copy_abs(), b.copy_abs()) if is_decimal else abs(a) // abs(b)
        return wrapped(int(whole) if (a < 0) == (b < 0) else -int(whole), LONG)

    return divided


# -- aggregate functions -------------------------------------------------------------------------


def _lenient_fold(name: str) -> Callable[[Sequence[DataType], DataType], Callable[..., Any]]:
    def meaning(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        if isinstance(result, IntegralType):
            return _wrapped_sum(result)
        inner = AGGREGATE[name].meaning(types, result)

        def lenient(rows: Any) -> Any:
            try:
                return inner(rows)
            except Failure:
                return None

        return lenient

    return meaning


def _fold_in_any_order(name: str) -> Callable[[Sequence[DataType], DataType], Callable[..., Any]]:
    """Of decimals: what all orders of rows give, which is refused where they differ."""

    def meaning(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        lenient = _lenient_fold(name)(types, result)
        (given,) = types
        assert isinstance(given, DecimalType)
        room = bounded(given.precision + DIGITS_OF_COUNTS, given.scale)

        def total(rows: Any) -> Any:
            values = [row[0] for row in rows if row[0] is not None]
            above, below = [v for v in values if v > 0], [v for v in values if v < 0]
            if above and below and not (_fits(above, room) and _fits(below, room)):
                raise UnsupportedError(f"{name} of {given} that overflows in some order of rows")
            return lenient(rows)

        return total

    return meaning


def _fits(values: Sequence[Decimal], room: DecimalType) -> bool:
    try:
        fit_decimal(add_decimals(values), room)
    except Failure:
        return False
    return True


def _wrapped_sum(result: DataType) -> Callable[..., Any]:
    def total(rows: Any) -> int | None:
        values = [row[0] for row in rows if row[0] is not None]
        return wrapped(sum(values), result) if values else None

    return total


def register() -> None:
    """Register what the functions of this module stand for; the others must be there."""
    for name, (exact, solver) in WRAPPING.items():
        _keeping_low_bits(name, exact, solver)
    for name in ("pmod", "element_at", "item", "next_day", "make_date"):
        _lenient(name)
    now = SCALAR["legacy.element_at"]
    scalar(
        "legacy.old_element_at",
        now.rule,
        _element_at_before,
        PURE,
        Nulls.PROPAGATE,
        Domain.PARTIAL,
        typed=True,
        sql=now.sql,
        folding=now.folding,
    )
    for name in TIMES:
        _lenient(name)
        _checked(name)
    for name, mode in ROUNDING.items():
        _keeping_low_bits(name, _rounded(mode))
    for name in WHOLE:
        _whole(name)
    scalar(
        "legacy.low_bits",
        signature(LONG, LONG),
        lambda value: wrapped(value, LONG),
        PURE,
        STRICT,
        TOTAL,
        solver=SolverMeaning.LOW_BITS,
    )
    scalar(
        "legacy.div",
        SCALAR["div"].rule,
        _whole_quotient,
        PURE,
        Nulls.PROPAGATE,
        TOTAL,
        typed=True,
        sql=SCALAR["div"].sql,
        evaluation=Evaluation.TRIED_DIVISOR_FIRST,
        folding=Folding.SETTLED,
        ignores_zero_sign=True,
    )
    scalar(
        "legacy.size",
        SCALAR["size"].rule,
        lambda value: -1 if value is None else len(value),
        PURE,
        Nulls.NEVER,
        TOTAL,
        sql=SCALAR["size"].sql,
        ignores_zero_sign=True,
    )
    for name, adding in (("sum", Adding.VALUES), ("avg", Adding.DOUBLES)):
        aggregate(
            f"legacy.{name}",
            AGGREGATE[name].rule,
            _lenient_fold(name),
            PURE,
            ignores_order=True,
            ignores_nulls=True,
            adding=adding,
        )
        aggregate(
            f"legacy.long_{name}",
            AGGREGATE[name].rule,
            _fold_in_any_order(name),
            Kind.CHOICE,
            ignores_nulls=True,
        )
