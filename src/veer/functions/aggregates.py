"""Aggregate functions: from the list of argument rows of a group to one value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import reduce
from operator import and_, or_, xor
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.functions import arithmetic
from veer.functions.ordering import group_key, sort_key, unsigned_zero
from veer.functions.registry import (
    CHOICE,
    KEEPS_VALUES,
    PURE,
    Argument,
    Meaning,
    Resolved,
    aggregate,
)
from veer.functions.traits import Adding, Claim, FoldMeaning, Older, Shown, ZoneUse
from veer.functions.typing import (
    bounded,
    cast_to,
    first_is,
    first_type,
    require_count,
    signature,
)
from veer.ir import types as ty
from veer.settings import SPARK_4_0, SPARK_4_2

Rows = list[tuple[Any, ...]]
ADDED = PURE, Claim.IGNORES_ORDER, Claim.IGNORES_NULLS, Claim.PRESENT_OF_PRESENT
EXTREME = *ADDED, Claim.IGNORES_DUPLICATES, Adding.NOTHING
BEST = CHOICE, Claim.IGNORES_DUPLICATES, Claim.IGNORES_ORDER, Adding.NOTHING, ZoneUse.SAME
MOMENT = CHOICE, Claim.IGNORES_ORDER, Claim.CHOOSES_BY_ROUNDING


NUMBER, NUMBERS = signature(ty.DOUBLE, ty.DOUBLE), signature(ty.DOUBLE, ty.DOUBLE, ty.DOUBLE)
TRUTH = signature(ty.BOOLEAN, ty.BOOLEAN)


def _present(rows: Rows) -> list[Any]:
    """The first arguments that are not null."""
    return [row[0] for row in rows if row[0] is not None]


# -- counting and adding ---------------------------------------------------------------------


def _count_rule(args: Sequence[Argument]) -> Resolved:
    """`count()` counts rows, `count(a, b)` rows in which no argument is null."""
    return Resolved(tuple(a.type for a in args), ty.LONG)


def _count(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], int]:
    if not types:
        return len
    return lambda rows: sum(None not in row for row in rows)


aggregate("count", "Count", _count_rule, _count)(
    (PURE, Claim.IGNORES_ORDER, Claim.IGNORES_NULLS, Claim.EMPTY_HAS_VALUE, Adding.NOTHING),
    (KEEPS_VALUES, FoldMeaning.COUNT, Claim.COUNTS_ROWS, ZoneUse.SAME),
)


def _count_true(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], int]:
    return lambda rows: sum(row[0] is True for row in rows)


aggregate("count_if", "CountIf", signature(ty.LONG, ty.BOOLEAN), _count_true)(
    (PURE, Claim.IGNORES_ORDER, Claim.EMPTY_HAS_VALUE, Adding.NOTHING),
    (FoldMeaning.COUNT_IF, Claim.COUNTS_ROWS),
)

SUMMABLE = (ty.NumericType, ty.DayTimeIntervalType, ty.YearMonthIntervalType)


def _sum_rule(args: Sequence[Argument]) -> Resolved:
    """Integers add up to a bigint, floats to a double, decimals to ten digits more."""
    (type_,) = signature(first_type, SUMMABLE)(args).arguments
    match type_:
        case ty.DecimalType(precision, scale):
            return Resolved((type_,), bounded(precision + 10, scale))
        case ty.IntegralType():
            return Resolved((type_,), ty.LONG)
        case ty.NumericType():
            return Resolved((type_,), ty.DOUBLE)
        case _:
            return Resolved((type_,), type_)


def _sum(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[[Rows], Any]:
    def total(rows: Rows) -> Any:
        values = _present(rows)
        if not values:
            return None
        match result:
            case ty.DecimalType():
                return arithmetic.fit_decimal(add_decimals(values), result)
            case ty.IntegralType():
                return arithmetic.fit_integer(sum(values), result)
            case ty.NumericType():
                return add_floats(values)
            case _:
                return arithmetic.fit_interval(sum(values[1:], values[0]), result)

    return total


def add_decimals(values: Sequence[Decimal]) -> Decimal:
    """The exact sum; the caller fits it into a type."""
    total = Decimal(0)
    for value in values:
        total = arithmetic.EXACT.add(total, value)
    return total


def add_floats(values: Sequence[float]) -> float:
    """The sum in list order, starting from 0.0 as Spark does."""
    total = 0.0
    for value in values:
        total += value
    return arithmetic.NAN if total != total else total


def _avg_rule(args: Sequence[Argument]) -> Resolved:
    """The mean of decimals has four digits more behind the point; any other is a double."""
    (type_,) = signature(first_type, ty.NumericType)(args).arguments
    if isinstance(type_, ty.DecimalType):
        return Resolved((type_,), bounded(type_.precision + 4, type_.scale + 4))
    return Resolved((type_,), ty.DOUBLE)


def _avg(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[[Rows], Any]:
    def mean(rows: Rows) -> Any:
        values = _present(rows)
        if not values:
            return None
        if isinstance(result, ty.DecimalType):
            assert isinstance(types[0], ty.DecimalType)
            # The sum has its own type, and may overflow where the mean would fit.
            total = arithmetic.fit_decimal(
                add_decimals(values), bounded(types[0].precision + 10, types[0].scale)
            )
            return arithmetic.fit_decimal(
                arithmetic._decimal_divide(total, Decimal(len(values))), result
            )
        mean = add_floats([float(v) for v in values]) / len(values)
        return arithmetic.NAN if mean != mean else mean

    return mean


# Float sums depend on the order of addition: a choice, unless the consumer forgets it. The kind
# of a call is decided by `determinism.call_kind`, which knows the argument type.
aggregate("sum", "Sum", _sum_rule, _sum)(ADDED, Adding.VALUES, FoldMeaning.SUM)
aggregate("avg mean", "Average", _avg_rule, _avg)(ADDED, Adding.DOUBLES, FoldMeaning.AVERAGE)


def _moments(finish: Callable[[int, float], float | None]) -> Meaning:
    def meaning(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
        def spread(rows: Rows) -> float | None:
            # Welford's recurrence, in one of the orders in which Spark may see the rows.
            count, mean, squares = 0, 0.0, 0.0
            for value in _present(rows):
                count += 1
                delta = value - mean
                mean += delta / count
                squares += delta * (value - mean)
            result = finish(count, squares) if count else None
            return arithmetic.NAN if result is not None and result != result else result

        return spread

    return meaning


for _names, _class, _spread in (
    (
        "stddev_samp stddev std",
        "StddevSamp",
        lambda n, m: math.sqrt(m / (n - 1)) if n > 1 else None,
    ),
    ("stddev_pop", "StddevPop", lambda n, m: math.sqrt(m / n)),
    ("var_samp variance", "VarianceSamp", lambda n, m: m / (n - 1) if n > 1 else None),
    ("var_pop", "VariancePop", lambda n, m: m / n),
):
    aggregate(_names, _class, NUMBER, _moments(_spread))(MOMENT)


def _higher_moments(finish: Callable[[int, float, float, float], float | None]) -> Meaning:
    def meaning(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
        def shape(rows: Rows) -> float | None:
            # Recurrences as those of Welford, in one of the orders in which Spark may see the rows.
            count, mean, second, third, fourth = 0, 0.0, 0.0, 0.0, 0.0
            for value in _present(rows):
                count += 1
                delta = value - mean
                step = delta / count
                mean += step
                second += delta * (delta - step)
                third += delta * (delta * delta - step * step) - 3.0 * step * second
                fourth += delta * (delta * delta * delta - step * step * step)
                fourth -= 4.0 * step * third + 6.0 * step * step * second
            return _number(finish(count, second, third, fourth)) if count else None

        return shape

    return meaning


def _joint_moments(finish: Callable[[int, float, float, float], float | None]) -> Meaning:
    def meaning(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
        def joint(rows: Rows) -> float | None:
            # Pairs in which neither is null, in one of the orders in which Spark may see the rows.
            count, x_mean, y_mean, both, x_own, y_own = 0, 0.0, 0.0, 0.0, 0.0, 0.0
            for x, y in ((x, y) for x, y in rows if x is not None and y is not None):
                count += 1
                x_delta, y_delta = x - x_mean, y - y_mean
                x_mean += x_delta / count
                y_mean += y_delta / count
                both += x_delta * (y - y_mean)
                x_own += x_delta * (x - x_mean)
                y_own += y_delta * (y - y_mean)
            return _number(finish(count, both, x_own, y_own)) if count else None

        return joint

    return meaning


def _number(value: float | None) -> float | None:
    return arithmetic.NAN if value is not None and value != value else value


def _root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else arithmetic.NAN


def _quotient(a: float, b: float) -> float | None:
    """A quotient as Spark's aggregates compute it: null by zero."""
    return a / b if b else None


def _skewness(count: int, second: float, third: float, _: float) -> float | None:
    return _quotient(math.sqrt(count) * third, _root(second * second * second))


def _kurtosis(count: int, second: float, _: float, fourth: float) -> float | None:
    quotient = _quotient(count * fourth, second * second)
    return None if quotient is None else quotient - 3.0


def _correlation(count: int, both: float, x_own: float, y_own: float) -> float | None:
    return _quotient(both, _root(x_own * y_own)) if count > 1 else None


def _covariance(count: int, both: float, _x: float, _y: float) -> float | None:
    return both / count


def _sample_covariance(count: int, both: float, _x: float, _y: float) -> float | None:
    return _quotient(both, count - 1)


aggregate("skewness", "Skewness", NUMBER, _higher_moments(_skewness))(MOMENT)
aggregate("kurtosis", "Kurtosis", NUMBER, _higher_moments(_kurtosis))(MOMENT)
aggregate("covar_pop", "CovPopulation", NUMBERS, _joint_moments(_covariance))(MOMENT)
aggregate("covar_samp", "CovSample", NUMBERS, _joint_moments(_sample_covariance))(MOMENT)
aggregate("corr", "Corr", NUMBERS, _joint_moments(_correlation))(MOMENT)

# -- extremes --------------------------------------------------------------------------------


def _orderable_rule(args: Sequence[Argument]) -> Resolved:
    require_count(args, 1)
    if not ty.is_orderable(args[0].type):
        raise IllFormedError(f"values of type {args[0].type} cannot be compared")
    return Resolved((args[0].type,), args[0].type)


def _extreme(choose: Callable[..., Any]) -> Meaning:
    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[[Rows], Any]:
        key = sort_key(result)
        return lambda rows: choose(_present(rows), key=key, default=None)

    return meaning


aggregate("min", "Min", _orderable_rule, _extreme(min))(EXTREME, FoldMeaning.MINIMUM, ZoneUse.SAME)
aggregate("max", "Max", _orderable_rule, _extreme(max))(EXTREME, FoldMeaning.MAXIMUM, ZoneUse.SAME)


def _by_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) != 2 or not ty.is_orderable(args[1].type):
        raise IllFormedError("expected a value and something to order by")
    return Resolved((args[0].type, args[1].type), args[0].type)


def _extreme_by(choose: Callable[..., Any]) -> Meaning:
    """Of rows that tie the first is taken: one of the results Spark may give."""

    def meaning(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
        key = sort_key(types[1])

        def best(rows: Rows) -> Any:
            present = [row for row in rows if row[1] is not None]
            return choose(present, key=lambda row: key(row[1]))[0] if present else None

        return best

    return meaning


aggregate("max_by", "MaxBy", _by_rule, _extreme_by(max))(BEST)
aggregate("min_by", "MinBy", _by_rule, _extreme_by(min))(BEST)


def _decided(decide: Callable[..., bool]) -> Meaning:
    return lambda _types, _result: lambda rows: decide(_present(rows)) if _present(rows) else None


aggregate("bool_and every", "BoolAnd", TRUTH, _decided(all))(EXTREME, FoldMeaning.ALL)
aggregate("bool_or any some", "BoolOr", TRUTH, _decided(any))(EXTREME, FoldMeaning.ANY)

# -- bits ------------------------------------------------------------------------------------


def _bits_rule(args: Sequence[Argument]) -> Resolved:
    """Whole numbers as they are: Spark casts nothing here."""
    if len(args) != 1 or not isinstance(args[0].type, ty.IntegralType):
        raise IllFormedError("expected one whole number")
    return Resolved((args[0].type,), args[0].type)


def _bits(combine: Callable[[int, int], int]) -> Meaning:
    """Two's complement of any width: the result of numbers of a type is one of that type."""

    def meaning(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
        return lambda rows: reduce(combine, _present(rows)) if _present(rows) else None

    return meaning


aggregate("bit_and", "BitAndAgg", _bits_rule, _bits(and_))(EXTREME)
aggregate("bit_or", "BitOrAgg", _bits_rule, _bits(or_))(EXTREME)
aggregate("bit_xor", "BitXorAgg", _bits_rule, _bits(xor))(ADDED, Adding.NOTHING)

# -- one of the rows, all of the rows ----------------------------------------------------------


def _pick_rule(args: Sequence[Argument]) -> Resolved:
    """`first(value[, ignore nulls])`."""
    require_count(args, 1, 2)
    rest = tuple(cast_to(a, ty.BOOLEAN, 2) for a in args[1:])
    if rest and not args[1].is_literal:
        raise IllFormedError("whether to ignore nulls must be a constant")
    return Resolved((args[0].type, *rest), args[0].type)


def _pick(index: int) -> Meaning:
    def meaning(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
        def pick(rows: Rows) -> Any:
            if rows and len(rows[0]) == 2 and rows[0][1]:
                rows = [row for row in rows if row[0] is not None]
            return rows[index][0] if rows else None

        return pick

    return meaning


aggregate("first first_value any_value", "AnyValue First", _pick_rule, _pick(0))(
    CHOICE, Adding.NOTHING, KEEPS_VALUES, ZoneUse.SAME
)
aggregate("last last_value", "Last", _pick_rule, _pick(-1))(
    CHOICE, Adding.NOTHING, KEEPS_VALUES, ZoneUse.SAME
)


def _collect_rule(args: Sequence[Argument]) -> Resolved:
    require_count(args, 1)
    return Resolved((args[0].type,), ty.ArrayType(args[0].type))


def _collect_set(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
    """Nulls are left out, NaNs are one value, and -0.0 is shown as 0.0."""
    key, clean = group_key(types[0]), unsigned_zero(types[0])
    return lambda rows: tuple({key(v): clean(v) for v in _present(rows)}.values())


def _collect_list(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
    return lambda rows: tuple(_present(rows))


aggregate("collect_list array_agg", "CollectList", _collect_rule, _collect_list)(
    (CHOICE, Claim.EMPTY_HAS_VALUE, Adding.NOTHING, KEEPS_VALUES, ZoneUse.SAME),
    Shown(renamed=("array_agg",)),
)
aggregate("collect_set", "CollectSet", _collect_rule, _collect_set)(
    (CHOICE, Claim.IGNORES_DUPLICATES, Claim.EMPTY_HAS_VALUE, Adding.NOTHING, ZoneUse.SAME),
    Older(SPARK_4_2, first_is(ty.FloatType, ty.DoubleType)),  # held every NaN
)


# -- order statistics --------------------------------------------------------------------------


def percentile_at(share: float, values: Sequence[float]) -> float:
    """The value at a share of the way through sorted values, between two of them in proportion."""
    position = (len(values) - 1) * share
    lower, upper = math.floor(position), math.ceil(position)
    low, high = values[lower], values[upper]
    if lower == upper or low == high:
        return float(low)
    return (upper - position) * low + (position - lower) * high


def _percentile(rows: Rows, share: float | None = None) -> float | None:
    """The percentile of what is not null; NaN is the greatest."""
    values = sorted(_present(rows), key=sort_key(ty.DOUBLE))
    if not values:
        return None
    result = percentile_at(rows[0][1] if share is None else share, values)
    return arithmetic.NAN if result != result else result


def _percentile_rule(args: Sequence[Argument]) -> Resolved:
    """`percentile(value, share[, frequency])` of one constant share, each value counting once."""
    require_count(args, 2, 3)
    if isinstance(args[1].type, ty.ArrayType):
        raise UnsupportedError("percentiles of several shares at once")
    rest = tuple(
        cast_to(a, t, i)
        for i, (a, t) in enumerate(zip(args[1:], (ty.DOUBLE, ty.LONG), strict=False), 2)
    )
    if not all(a.is_literal and a.value is not None for a in args[1:]):
        raise UnsupportedError("a percentile at a share, or with a frequency, that is no constant")
    if not 0 <= args[1].value <= 1:
        raise IllFormedError("the share must be between 0 and 1")
    if len(args) == 3 and args[2].value != 1:
        raise UnsupportedError("a percentile of values with a frequency")
    return Resolved((cast_to(args[0], ty.DOUBLE, 1), *rest), ty.DOUBLE)


aggregate("median", "Median", NUMBER, lambda _t, _r: lambda rows: _percentile(rows, 0.5))(
    PURE, Claim.IGNORES_ORDER, Adding.MIDDLE
)
aggregate("percentile", "", _percentile_rule, lambda _t, _r: _percentile)(
    PURE, Shown(2, ("1",)), Claim.IGNORES_ORDER, Adding.MIDDLE
)


def _mode_rule(args: Sequence[Argument]) -> Resolved:
    """`mode(value[, whether the least of those that tie])`."""
    require_count(args, 1, 2)
    if not ty.is_orderable(args[0].type) or ty.has_floats(args[0].type):
        raise UnsupportedError(f"the mode of {args[0].type}")
    if len(args) == 2 and not (args[1].is_literal and isinstance(args[1].value, bool)):
        raise UnsupportedError("a mode of which it is not said whether ties are broken")
    return Resolved((args[0].type, *(ty.BOOLEAN for _ in args[1:])), args[0].type)


def _mode(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[[Rows], Any]:
    """Of values that tie the first, one of those Spark may give, unless the least is asked for."""
    key = sort_key(types[0])

    def most_frequent(rows: Rows) -> Any:
        counts = Counter(_present(rows))
        if not counts:
            return None
        tied = [v for v, n in counts.items() if n == max(counts.values())]
        return min(tied, key=key) if len(rows[0]) == 2 and rows[0][1] else tied[0]

    return most_frequent


aggregate("mode", "", _mode_rule, _mode)(
    (CHOICE, Claim.IGNORES_ORDER, Claim.IGNORES_NULLS, Adding.NOTHING, Claim.SETTLED_BY_FLAG),
    (Shown(1, ("false",), plainly=("mode",)), ZoneUse.SAME),
    Older(SPARK_4_0, lambda types: len(types) == 2),  # took no flag
    Older(
        SPARK_4_2, first_is(ty.FloatType, ty.DoubleType)
    ),  # which of two zeros it gave is not known
)
