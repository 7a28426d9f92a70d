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
from veer.functions.arithmetic import (
    EXACT,
    NAN,
    _decimal_divide,
    fit_decimal,
    fit_integer,
    fit_interval,
)
from veer.functions.ordering import group_key, sort_key, unsigned_zero
from veer.functions.registry import PURE, Argument, Kind, Meaning, Resolved, aggregate
from veer.functions.traits import Adding, FoldMeaning, Shown
from veer.functions.typing import bounded, cast_to, first_type, signature
from veer.model.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    NumericType,
    YearMonthIntervalType,
    has_floats,
    is_orderable,
)

Rows = list[tuple[Any, ...]]


def _present(rows: Rows) -> list[Any]:
    """The first arguments that are not null."""
    return [row[0] for row in rows if row[0] is not None]


# -- counting and adding ---------------------------------------------------------------------


def _count_rule(args: Sequence[Argument]) -> Resolved:
    """`count()` counts rows, `count(a, b)` rows in which no argument is null."""
    return Resolved(tuple(a.type for a in args), LONG)


def _count(types: Sequence[DataType], _result: DataType) -> Callable[[Rows], int]:
    if not types:
        return len
    return lambda rows: sum(None not in row for row in rows)


aggregate(
    "count",
    _count_rule,
    _count,
    PURE,
    spark=("Count",),
    ignores_order=True,
    ignores_nulls=True,
    empty_is_null=False,
    adding=Adding.NOTHING,
    keeps_values=True,
    prover=FoldMeaning.COUNT,
    counts_rows=True,
)
aggregate(
    "count_if",
    signature(LONG, BOOLEAN),
    lambda _t, _r: lambda rows: sum(row[0] is True for row in rows),
    PURE,
    spark=("CountIf",),
    ignores_order=True,
    empty_is_null=False,
    adding=Adding.NOTHING,
    prover=FoldMeaning.COUNT_IF,
    counts_rows=True,
)

SUMMABLE = (NumericType, DayTimeIntervalType, YearMonthIntervalType)


def _sum_rule(args: Sequence[Argument]) -> Resolved:
    """Integers add up to a bigint, floats to a double, decimals to ten digits more."""
    (type_,) = signature(first_type, SUMMABLE)(args).arguments
    match type_:
        case DecimalType(precision, scale):
            return Resolved((type_,), bounded(precision + 10, scale))
        case IntegralType():
            return Resolved((type_,), LONG)
        case NumericType():
            return Resolved((type_,), DOUBLE)
        case _:
            return Resolved((type_,), type_)


def _sum(_types: Sequence[DataType], result: DataType) -> Callable[[Rows], Any]:
    def total(rows: Rows) -> Any:
        values = _present(rows)
        if not values:
            return None
        match result:
            case DecimalType():
                return fit_decimal(add_decimals(values), result)
            case IntegralType():
                return fit_integer(sum(values), result)
            case NumericType():
                return add_floats(values)
            case _:
                return fit_interval(sum(values[1:], values[0]), result)

    return total


def add_decimals(values: Sequence[Decimal]) -> Decimal:
    """The exact sum; the caller fits it into a type."""
    total = Decimal(0)
    for value in values:
        total = EXACT.add(total, value)
    return total


def add_floats(values: Sequence[float]) -> float:
    """The sum in list order, starting from 0.0 as Spark does."""
    total = 0.0
    for value in values:
        total += value
    return NAN if total != total else total


def _avg_rule(args: Sequence[Argument]) -> Resolved:
    """The mean of decimals has four digits more behind the point; any other is a double."""
    (type_,) = signature(first_type, NumericType)(args).arguments
    if isinstance(type_, DecimalType):
        return Resolved((type_,), bounded(type_.precision + 4, type_.scale + 4))
    return Resolved((type_,), DOUBLE)


def _avg(types: Sequence[DataType], result: DataType) -> Callable[[Rows], Any]:
    def mean(rows: Rows) -> Any:
        values = _present(rows)
        if not values:
            return None
        if isinstance(result, DecimalType):
            assert isinstance(types[0], DecimalType)
            # The sum has its own type, and may overflow where the mean would fit.
            total = fit_decimal(
                add_decimals(values), bounded(types[0].precision + 10, types[0].scale)
            )
            return fit_decimal(_decimal_divide(total, Decimal(len(values))), result)
        mean = add_floats([float(v) for v in values]) / len(values)
        return NAN if mean != mean else mean

    return mean


# Float sums depend on the order of addition: a choice, unless the consumer forgets it. The kind
# of a call is decided by `determinism.call_kind`, which knows the argument type.
aggregate(
    "sum",
    _sum_rule,
    _sum,
    PURE,
    spark=("Sum",),
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.VALUES,
    prover=FoldMeaning.SUM,
)
aggregate(
    "avg",
    _avg_rule,
    _avg,
    PURE,
    aliases=("mean",),
    spark=("Average",),
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.DOUBLES,
    prover=FoldMeaning.AVERAGE,
)


def _moments(finish: Callable[[int, float], float | None]) -> Meaning:
    def meaning(_types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
        def spread(rows: Rows) -> float | None:
            # Welford's recurrence, in one of the orders in which Spark may see the rows.
            count, mean, squares = 0, 0.0, 0.0
            for value in _present(rows):
                count += 1
                delta = value - mean
                mean += delta / count
                squares += delta * (value - mean)
            result = finish(count, squares) if count else None
            return NAN if result is not None and result != result else result

        return spread

    return meaning


aggregate(
    "stddev_samp",
    signature(DOUBLE, DOUBLE),
    _moments(lambda n, m: math.sqrt(m / (n - 1)) if n > 1 else None),
    Kind.CHOICE,
    aliases=("stddev", "std"),
    spark=("StddevSamp",),
    ignores_order=True,
    chooses_by_rounding=True,
)
aggregate(
    "stddev_pop",
    signature(DOUBLE, DOUBLE),
    _moments(lambda n, m: math.sqrt(m / n)),
    Kind.CHOICE,
    spark=("StddevPop",),
    ignores_order=True,
    chooses_by_rounding=True,
)
aggregate(
    "var_samp",
    signature(DOUBLE, DOUBLE),
    _moments(lambda n, m: m / (n - 1) if n > 1 else None),
    Kind.CHOICE,
    aliases=("variance",),
    spark=("VarianceSamp",),
    ignores_order=True,
    chooses_by_rounding=True,
)
aggregate(
    "var_pop",
    signature(DOUBLE, DOUBLE),
    _moments(lambda n, m: m / n),
    Kind.CHOICE,
    spark=("VariancePop",),
    ignores_order=True,
    chooses_by_rounding=True,
)


def _higher_moments(finish: Callable[[int, float, float, float], float | None]) -> Meaning:
    def meaning(_types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
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
    def meaning(_types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
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
    return NAN if value is not None and value != value else value


def _root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else NAN


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


for _name, _class, _shape in (
    ("skewness", "Skewness", _higher_moments(_skewness)),
    ("kurtosis", "Kurtosis", _higher_moments(_kurtosis)),
    ("covar_pop", "CovPopulation", _joint_moments(_covariance)),
    ("covar_samp", "CovSample", _joint_moments(_sample_covariance)),
    ("corr", "Corr", _joint_moments(_correlation)),
):
    aggregate(
        _name,
        signature(DOUBLE, *[DOUBLE] * (1 if _name in ("skewness", "kurtosis") else 2)),
        _shape,
        Kind.CHOICE,
        spark=(_class,),
        ignores_order=True,
        chooses_by_rounding=True,
    )

# -- extremes --------------------------------------------------------------------------------


def _orderable_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) != 1:
        raise IllFormedError(f"{len(args)} arguments, expected 1")
    if not is_orderable(args[0].type):
        raise IllFormedError(f"values of type {args[0].type} cannot be compared")
    return Resolved((args[0].type,), args[0].type)


def _extreme(choose: Callable[..., Any]) -> Meaning:
    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[[Rows], Any]:
        key = sort_key(result)
        return lambda rows: choose(_present(rows), key=key, default=None)

    return meaning


aggregate(
    "min",
    _orderable_rule,
    _extreme(min),
    PURE,
    spark=("Min",),
    ignores_duplicates=True,
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
    prover=FoldMeaning.MINIMUM,
)
aggregate(
    "max",
    _orderable_rule,
    _extreme(max),
    PURE,
    spark=("Max",),
    ignores_duplicates=True,
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
    prover=FoldMeaning.MAXIMUM,
)


def _by_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) != 2 or not is_orderable(args[1].type):
        raise IllFormedError("expected a value and something to order by")
    return Resolved((args[0].type, args[1].type), args[0].type)


def _extreme_by(choose: Callable[..., Any]) -> Meaning:
    """Of rows that tie the first is taken: one of the results Spark may give."""

    def meaning(types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
        key = sort_key(types[1])

        def best(rows: Rows) -> Any:
            present = [row for row in rows if row[1] is not None]
            return choose(present, key=lambda row: key(row[1]))[0] if present else None

        return best

    return meaning


aggregate(
    "max_by",
    _by_rule,
    _extreme_by(max),
    Kind.CHOICE,
    spark=("MaxBy",),
    ignores_duplicates=True,
    ignores_order=True,
    adding=Adding.NOTHING,
)
aggregate(
    "min_by",
    _by_rule,
    _extreme_by(min),
    Kind.CHOICE,
    spark=("MinBy",),
    ignores_duplicates=True,
    ignores_order=True,
    adding=Adding.NOTHING,
)

aggregate(
    "bool_and",
    signature(BOOLEAN, BOOLEAN),
    lambda _t, _r: lambda rows: all(_present(rows)) if _present(rows) else None,
    PURE,
    aliases=("every",),
    spark=("BoolAnd",),
    ignores_duplicates=True,
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
    prover=FoldMeaning.ALL,
)
aggregate(
    "bool_or",
    signature(BOOLEAN, BOOLEAN),
    lambda _t, _r: lambda rows: any(_present(rows)) if _present(rows) else None,
    PURE,
    aliases=("any", "some"),
    spark=("BoolOr",),
    ignores_duplicates=True,
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
    prover=FoldMeaning.ANY,
)

# -- bits ------------------------------------------------------------------------------------


def _bits_rule(args: Sequence[Argument]) -> Resolved:
    """Whole numbers as they are: Spark casts nothing here."""
    if len(args) != 1 or not isinstance(args[0].type, IntegralType):
        raise IllFormedError("expected one whole number")
    return Resolved((args[0].type,), args[0].type)


def _bits(combine: Callable[[int, int], int]) -> Meaning:
    """Two's complement of any width: the result of numbers of a type is one of that type."""

    def meaning(_types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
        return lambda rows: reduce(combine, _present(rows)) if _present(rows) else None

    return meaning


aggregate(
    "bit_and",
    _bits_rule,
    _bits(and_),
    PURE,
    spark=("BitAndAgg",),
    ignores_duplicates=True,
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
)
aggregate(
    "bit_or",
    _bits_rule,
    _bits(or_),
    PURE,
    spark=("BitOrAgg",),
    ignores_duplicates=True,
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
)
aggregate(
    "bit_xor",
    _bits_rule,
    _bits(xor),
    PURE,
    spark=("BitXorAgg",),
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
)

# -- one of the rows, all of the rows ----------------------------------------------------------


def _pick_rule(args: Sequence[Argument]) -> Resolved:
    """`first(value[, ignore nulls])`."""
    if len(args) not in (1, 2):
        raise IllFormedError(f"{len(args)} arguments, expected 1 or 2")
    rest = tuple(cast_to(a, BOOLEAN, 2) for a in args[1:])
    if rest and not args[1].is_literal:
        raise IllFormedError("whether to ignore nulls must be a constant")
    return Resolved((args[0].type, *rest), args[0].type)


def _pick(index: int) -> Meaning:
    def meaning(_types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
        def pick(rows: Rows) -> Any:
            if rows and len(rows[0]) == 2 and rows[0][1]:
                rows = [row for row in rows if row[0] is not None]
            return rows[index][0] if rows else None

        return pick

    return meaning


aggregate(
    "first",
    _pick_rule,
    _pick(0),
    Kind.CHOICE,
    aliases=("first_value", "any_value"),
    spark=(
        "AnyValue",
        "First",
    ),
    adding=Adding.NOTHING,
    keeps_values=True,
)
aggregate(
    "last",
    _pick_rule,
    _pick(-1),
    Kind.CHOICE,
    aliases=("last_value",),
    spark=("Last",),
    adding=Adding.NOTHING,
    keeps_values=True,
)


def _collect_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) != 1:
        raise IllFormedError(f"{len(args)} arguments, expected 1")
    return Resolved((args[0].type,), ArrayType(args[0].type))


def _collect_set(types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
    """Nulls are left out, NaNs are one value, and -0.0 is shown as 0.0."""
    key, clean = group_key(types[0]), unsigned_zero(types[0])
    return lambda rows: tuple({key(v): clean(v) for v in _present(rows)}.values())


aggregate(
    "collect_list",
    _collect_rule,
    lambda _t, _r: lambda rows: tuple(_present(rows)),
    Kind.CHOICE,
    aliases=("array_agg",),
    spark=("CollectList",),
    shown=Shown(renamed=("array_agg",)),
    empty_is_null=False,
    adding=Adding.NOTHING,
    keeps_values=True,
)
aggregate(
    "collect_set",
    _collect_rule,
    _collect_set,
    Kind.CHOICE,
    spark=("CollectSet",),
    ignores_duplicates=True,
    empty_is_null=False,
    adding=Adding.NOTHING,
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
    values = sorted(_present(rows), key=sort_key(DOUBLE))
    if not values:
        return None
    result = percentile_at(rows[0][1] if share is None else share, values)
    return NAN if result != result else result


def _percentile_rule(args: Sequence[Argument]) -> Resolved:
    """`percentile(value, share[, frequency])` of one constant share, each value counting once."""
    if not 2 <= len(args) <= 3:
        raise IllFormedError(f"{len(args)} arguments, expected 2 or 3")
    if isinstance(args[1].type, ArrayType):
        raise UnsupportedError("percentiles of several shares at once")
    rest = tuple(
        cast_to(a, t, i) for i, (a, t) in enumerate(zip(args[1:], (DOUBLE, LONG), strict=False), 2)
    )
    if not all(a.is_literal and a.value is not None for a in args[1:]):
        raise UnsupportedError("a percentile at a share, or with a frequency, that is no constant")
    if not 0 <= args[1].value <= 1:
        raise IllFormedError("the share must be between 0 and 1")
    if len(args) == 3 and args[2].value != 1:
        raise UnsupportedError("a percentile of values with a frequency")
    return Resolved((cast_to(args[0], DOUBLE, 1), *rest), DOUBLE)


aggregate(
    "median",
    signature(DOUBLE, DOUBLE),
    lambda _t, _r: lambda rows: _percentile(rows, 0.5),
    PURE,
    spark=("Median",),
    ignores_order=True,
    adding=Adding.MIDDLE,
)
aggregate(
    "percentile",
    _percentile_rule,
    lambda _t, _r: _percentile,
    PURE,
    shown=Shown(2, ("1",)),
    ignores_order=True,
    adding=Adding.MIDDLE,
)


def _mode_rule(args: Sequence[Argument]) -> Resolved:
    """`mode(value[, whether the least of those that tie])`."""
    if len(args) not in (1, 2):
        raise IllFormedError(f"{len(args)} arguments, expected 1 or 2")
    if not is_orderable(args[0].type) or has_floats(args[0].type):
        raise UnsupportedError(f"the mode of {args[0].type}")
    if len(args) == 2 and not (args[1].is_literal and isinstance(args[1].value, bool)):
        raise UnsupportedError("a mode of which it is not said whether ties are broken")
    return Resolved((args[0].type, *(BOOLEAN for _ in args[1:])), args[0].type)


def _mode(types: Sequence[DataType], _result: DataType) -> Callable[[Rows], Any]:
    """Of values that tie the first, one of those Spark may give, unless the least is asked for."""
    key = sort_key(types[0])

    def most_frequent(rows: Rows) -> Any:
        counts = Counter(_present(rows))
        if not counts:
            return None
        tied = [v for v, n in counts.items() if n == max(counts.values())]
        return min(tied, key=key) if len(rows[0]) == 2 and rows[0][1] else tied[0]

    return most_frequent


aggregate(
    "mode",
    _mode_rule,
    _mode,
    Kind.CHOICE,
    shown=Shown(1, ("false",), plainly=("mode",)),
    ignores_order=True,
    ignores_nulls=True,
    adding=Adding.NOTHING,
    settled_by_flag=True,
)
