"""Spark's type coercion, on types: which common type, which implicit casts.

Under ANSI, or as Spark did before, as the session in which is read says (`settings`).

`expected` is a type, a family of types, or a tuple of alternatives tried in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from veer.errors import IllFormedError
from veer.functions.registry import Argument, Resolved, Rule
from veer.ir import types as ty
from veer.ir.types import DataType
from veer.settings import SPARK_4_0, current

Expected: TypeAlias = "DataType | type[DataType] | tuple[Expected, ...] | None"

PRECEDENCE = (ty.BYTE, ty.SHORT, ty.INT, ty.LONG, ty.FLOAT, ty.DOUBLE)
DECIMAL_OF = {
    ty.BYTE: ty.DecimalType(3, 0),
    ty.SHORT: ty.DecimalType(5, 0),
    ty.INT: ty.DecimalType(10, 0),
    ty.LONG: ty.DecimalType(20, 0),
    ty.FLOAT: ty.DecimalType(14, 7),
    ty.DOUBLE: ty.DecimalType(30, 15),
}
DEFAULTS: dict[type[DataType], DataType] = {
    ty.NumericType: ty.DOUBLE,
    ty.IntegralType: ty.LONG,
    ty.FractionalType: ty.DOUBLE,
    ty.DecimalType: ty.DecimalType(10, 0),
}
DATETIMES = (ty.DATE, ty.TIMESTAMP_NTZ, ty.TIMESTAMP)


def bounded(precision: int, scale: int) -> ty.DecimalType:
    """The decimal type within Spark's limit of 38 digits."""
    return ty.DecimalType(min(precision, ty.MAX_PRECISION), min(scale, ty.MAX_PRECISION))


def adjusted(precision: int, scale: int) -> ty.DecimalType:
    """The result type of decimal arithmetic: digits before the point survive, six after it."""
    if precision <= ty.MAX_PRECISION:
        return ty.DecimalType(precision, scale)
    digits = precision - scale
    return ty.DecimalType(ty.MAX_PRECISION, max(ty.MAX_PRECISION - digits, min(scale, 6)))


def decimal_of(arg: Argument) -> ty.DecimalType:
    """The decimal type holding an integer argument; for a constant, just its digits."""
    if isinstance(arg.type, ty.DecimalType):
        return arg.type
    if arg.is_literal and isinstance(arg.value, int) and isinstance(arg.type, ty.IntegralType):
        return ty.DecimalType(len(str(abs(arg.value))), 0)
    assert isinstance(arg.type, ty.NumericType)
    return DECIMAL_OF[arg.type]


def wider_decimal(a: ty.DecimalType, b: ty.DecimalType) -> ty.DecimalType:
    """The decimal type that holds both; past 38 digits those before the point are kept.

    Before Spark 4.0 those after it were.
    """
    scale = max(a.scale, b.scale)
    precision = max(a.precision - a.scale, b.precision - b.scale) + scale
    if current().spark < SPARK_4_0:
        return bounded(precision, scale)
    over = max(precision - ty.MAX_PRECISION, 0)
    return ty.DecimalType(precision - over, max(scale - over, 0))


def wider_type(a: DataType, b: DataType, *, promote: bool = True) -> DataType | None:
    """The common type of two columns in CASE, COALESCE, IN, UNION: Spark's wider type for two.

    Without `promote`, as in GREATEST and ARRAY_CONTAINS, text does not turn into other types.
    """
    if a == b:
        return a
    match a, b:
        case (ty.NullType(), other) | (other, ty.NullType()):
            return other
        case ty.StringType(), ty.AtomicType():
            return string_promotion(b) if promote else None
        case ty.AtomicType(), ty.StringType():
            return string_promotion(a) if promote else None
        case ty.NumericType(), ty.NumericType():
            return _wider_number(a, b)
        case ty.DayTimeIntervalType(), ty.DayTimeIntervalType():
            return _spanning(a, b, ("day", "hour", "minute", "second"), ty.DayTimeIntervalType)
        case ty.YearMonthIntervalType(), ty.YearMonthIntervalType():
            return _spanning(a, b, ("year", "month"), ty.YearMonthIntervalType)
        case ty.ArrayType(x), ty.ArrayType(y):
            element = wider_type(x, y, promote=promote)
            return None if element is None else ty.ArrayType(element)
        case ty.MapType(), ty.MapType():
            return _wider_map(a, b, promote=promote)
        case ty.StructType(), ty.StructType():
            return _wider_struct(a, b, promote=promote)
        case _ if a in DATETIMES and b in DATETIMES:
            return max(a, b, key=DATETIMES.index)
        case _:
            return None


def _wider_number(a: ty.NumericType, b: ty.NumericType) -> DataType:
    """The common type of two numbers of different types.

    A decimal beside a float or a double is a double; under ANSI a float beside an integer is one,
    too: neither type would have digits enough.
    """
    match a, b:
        case ty.DecimalType(), ty.DecimalType():
            return wider_decimal(a, b)
        case (ty.DecimalType() as d, ty.IntegralType() as i) | (
            ty.IntegralType() as i,
            ty.DecimalType() as d,
        ):
            return wider_decimal(d, DECIMAL_OF[i])
        case (ty.DecimalType(), _) | (_, ty.DecimalType()):
            return ty.DOUBLE
        case _:
            wider = max(a, b, key=PRECEDENCE.index)
            return ty.DOUBLE if wider == ty.FLOAT and current().ansi else wider


def _wider_map(a: ty.MapType, b: ty.MapType, *, promote: bool) -> ty.MapType | None:
    key = wider_type(a.key, b.key, promote=promote)
    value = wider_type(a.value, b.value, promote=promote)
    if key is None or value is None or not all(_keeps(k, key) for k in (a.key, b.key)):
        return None
    return ty.MapType(key, value)


def _wider_struct(a: ty.StructType, b: ty.StructType, *, promote: bool) -> ty.StructType | None:
    """Fields are paired by place and must have the same names, in any case; the first's are kept."""
    names, others = ([n for n, _ in s.fields] for s in (a, b))
    if [n.lower() for n in names] != [n.lower() for n in others]:
        return None
    pairs = zip(a.fields, b.fields, strict=True)
    types = [wider_type(x, y, promote=promote) for (_, x), (_, y) in pairs]
    kept = tuple((n, t) for n, t in zip(names, types, strict=True) if t is not None)
    return ty.StructType(kept) if len(kept) == len(types) else None


def _keeps(key: DataType, wider: DataType) -> bool:
    """Whether every map key survives the cast: Spark refuses casts that may give null."""
    if isinstance(key, ty.DecimalType) and isinstance(wider, ty.DecimalType):
        whole = wider.precision - wider.scale >= key.precision - key.scale
        return whole and wider.scale >= key.scale
    return key == wider or not isinstance(key, ty.StringType) or isinstance(wider, ty.BinaryType)


def _spanning(
    a: ty.DayTimeIntervalType | ty.YearMonthIntervalType,
    b: ty.DayTimeIntervalType | ty.YearMonthIntervalType,
    fields: tuple[str, ...],
    kind: Callable[[str, str], DataType],
) -> DataType:
    return kind(min(a.first, b.first, key=fields.index), max(a.last, b.last, key=fields.index))


def string_promotion(other: DataType) -> DataType | None:
    """What a string and a value of another atomic type become beside each other.

    Under ANSI the string becomes something else, without it the other a string.
    """
    if not current().ansi:
        return None if isinstance(other, ty.BinaryType | ty.BooleanType) else ty.STRING
    if isinstance(other, ty.IntegralType):
        return ty.LONG
    if isinstance(other, ty.FractionalType):
        return ty.DOUBLE
    if isinstance(other, ty.DayTimeIntervalType | ty.YearMonthIntervalType):
        return None
    return other


def common_type(args: Sequence[Argument], *, promote: bool = True) -> DataType:
    """The common type of several arguments, or an error naming the pair that has none.

    Types are joined from left to right, which matters: ('1', int, decimal(5,2)) is a decimal,
    (int, decimal(5,2), '1') a double. Without ANSI texts come first.
    """
    result: DataType = ty.NULL
    if promote and not current().ansi:
        args = sorted(args, key=lambda a: not _has_text(a.type))
    for arg in args:
        wider = wider_type(result, arg.type, promote=promote)
        if wider is None:
            raise IllFormedError(f"{result} and {arg.type} have no common type")
        result = wider
    return result


def _has_text(type_: DataType) -> bool:
    """Whether values are texts, or arrays of such."""
    return isinstance(_innermost(type_), ty.StringType)


def _innermost(type_: DataType) -> DataType:
    return _innermost(type_.element) if isinstance(type_, ty.ArrayType) else type_


def implicit_cast(arg: Argument, expected: Expected) -> DataType | None:
    """The type an argument is cast to for a function that expects `expected`, None if none."""
    # The order of the questions matters: a type that fits is never cast.
    given = arg.type
    if expected is None:
        return given
    if isinstance(expected, tuple):
        if any(_accepts(e, given) for e in expected):
            return given
        return next((t for e in expected if (t := implicit_cast(arg, e)) is not None), None)
    if _accepts(expected, given):
        return given
    target = DEFAULTS.get(expected) if isinstance(expected, type) else expected
    if isinstance(given, ty.NullType):
        if target is None and isinstance(expected, type) and issubclass(expected, ty.ArrayType):
            return ty.ArrayType(ty.NULL)
        return target
    if isinstance(expected, type) and issubclass(expected, ty.DecimalType):
        if isinstance(given, ty.StringType):
            return ty.DecimalType(38, 18)  # Spark's default for a decimal of unknown digits
        return decimal_of(arg) if isinstance(given, ty.NumericType) else None
    if target is None:
        return None
    if isinstance(given, ty.StringType):
        return target if isinstance(target, ty.AtomicType) and _reads_text(expected) else None
    return target if not isinstance(expected, type) and can_store(given, target) else None


def _reads_text(expected: Expected) -> bool:
    """Whether a text is cast where this is expected: under ANSI to all that is atomic."""
    if current().ansi:
        return True
    if isinstance(expected, type):
        return expected is ty.NumericType
    return isinstance(expected, ty.NumericType | ty.BinaryType) or expected in DATETIMES


def can_store(given: DataType, target: DataType) -> bool:
    """Whether a value may be stored as another type without asking: what functions accept."""
    if given == target or isinstance(given, ty.NullType):
        return True
    match given, target:
        case (ty.NumericType(), ty.NumericType()) | (ty.AtomicType(), ty.StringType()):
            return True
        case (ty.DayTimeIntervalType(), ty.DayTimeIntervalType()):
            return True
        case (ty.YearMonthIntervalType(), ty.YearMonthIntervalType()):
            return True
        case ty.ArrayType(a), ty.ArrayType(b):
            return can_store(a, b)
        case ty.MapType(), ty.MapType():
            return can_store(given.key, target.key) and can_store(given.value, target.value)
        case ty.StructType(a), ty.StructType(b):
            return len(a) == len(b) and all(
                n == m and can_store(x, y) for (n, x), (m, y) in zip(a, b, strict=True)
            )
        case _:
            return given in DATETIMES and target in DATETIMES


def _accepts(expected: Expected, given: DataType) -> bool:
    if isinstance(expected, type):
        return isinstance(given, expected)
    return expected == given


def describe(expected: Expected) -> str:
    """How an expectation reads in an error message."""
    if isinstance(expected, tuple):
        return " or ".join(describe(e) for e in expected)
    if isinstance(expected, type):
        return expected.__name__.removesuffix("Type").lower()
    return "anything" if expected is None else str(expected)


def signature(
    result: DataType | Callable[[tuple[DataType, ...]], DataType],
    *expected: Expected,
    optional: int = 0,
    variadic: bool = False,
) -> Rule:
    """A typing rule: cast each argument to what is expected; the last `optional` may be missing.

    With `variadic` the last expectation repeats, for at least one argument.
    """

    def rule(args: Sequence[Argument]) -> Resolved:
        wanted = list(expected)
        if variadic:
            wanted += [expected[-1]] * (len(args) - len(expected))
        least = len(expected) - optional
        if not least <= len(args) <= max(len(wanted), len(expected)):
            raise IllFormedError(
                f"{len(args)} arguments, expected {counts(least, len(expected), variadic)}"
            )
        types = tuple(
            cast_to(a, e, i) for i, (a, e) in enumerate(zip(args, wanted, strict=False), 1)
        )
        return Resolved(types, result(types) if callable(result) else result)

    return rule


def cast_to(arg: Argument, expected: Expected, position: int) -> DataType:
    """`implicit_cast`, or an error naming the argument."""
    type_ = implicit_cast(arg, expected)
    if type_ is None:
        raise IllFormedError(f"argument {position} is {arg.type}, expected {describe(expected)}")
    return type_


def require_count(args: Sequence[Argument], least: int, most: int | None = None) -> None:
    """Refuse another number of arguments."""
    most = least if most is None else most
    if not least <= len(args) <= most:
        wanted = f"{least} or {most}" if most == least + 1 else counts(least, most, False)
        raise IllFormedError(f"{len(args)} arguments, expected {wanted}")


def counts(least: int, most: int, variadic: bool) -> str:
    """How many arguments, in words."""
    if variadic:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def exactly(result: DataType, *expected: Expected, optional: int = 0) -> Rule:
    """A typing rule without implicit casts: only NULL takes the expected type."""
    rule = signature(result, *expected, optional=optional)

    def checked(args: Sequence[Argument]) -> Resolved:
        resolved = rule(args)
        for position, (arg, type_) in enumerate(zip(args, resolved.arguments, strict=True), 1):
            if arg.type != type_ and not isinstance(arg.type, ty.NullType):
                wanted = describe(expected[position - 1])
                raise IllFormedError(f"argument {position} is {arg.type}, expected {wanted}")
        return resolved

    return checked


def same_type(
    result: DataType | None = None, *, least: int = 1, orderable: bool = False, promote: bool = True
) -> Rule:
    """A typing rule: all arguments take their common type, which is the result's by default."""

    def rule(args: Sequence[Argument]) -> Resolved:
        if len(args) < least:
            raise IllFormedError(f"{len(args)} arguments, expected {least} or more")
        common = common_type(args, promote=promote)
        if orderable and not ty.is_orderable(common):
            raise IllFormedError(f"values of type {common} cannot be compared")
        return Resolved((common,) * len(args), result or common)

    return rule


def first_is(*kinds: type[DataType]) -> Callable[[Sequence[DataType]], bool]:
    """Whether the type of the first argument is one of some kinds."""
    return lambda types: isinstance(types[0], kinds)


def first_type(types: tuple[DataType, ...]) -> DataType:
    """For `signature`: the result has the type of the first argument."""
    return types[0]
