"""What the name of a function means in the session in which is read.

Without ANSI whole numbers wrap around where they overflow, and most of what fails under ANSI gives
null: the trait `WithoutAnsi` of a row says which, `legacy.+` and its like stand for it. In an older
Spark a function may be missing (`since`) or mean something else (`Older`); docs/settings.md lists
all. What means the same in every session is one expression. A function that can fail and has no
rule is refused.
"""

from __future__ import annotations

from typing import assert_never

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.casts import legacy_mode_in
from veer.functions.registry import OPAQUE, SCALAR, any_function, attempt_of
from veer.functions.traits import Domain, Types, WithoutAnsi
from veer.ir import types as ty
from veer.settings import SPARK_4_0, SPARK_4_3, SessionSettings, SparkVersion, TimeParser, current

DIGITS_OF_COUNTS = 10  # a sum of decimals has room for as many rows as have numbers of these
# Names that only abbreviate an expression, and the Spark they came with.
ABBREVIATIONS_SINCE = {"nullifzero": SPARK_4_0, "zeroifnull": SPARK_4_0}


def scalar_meaning(name: str, types: Types, result: ty.DataType) -> str:
    """The function that a scalar function of a name is there, for arguments of some types."""
    require_function(name, current().spark)
    meant = function_in(current().spark, name, types)
    if current().ansi or meant != name:
        return meant
    return legacy_function(name, types, result)


def aggregate_meaning(name: str, types: Types, result: ty.DataType) -> str:
    """The function that an aggregate or window function of a name is there."""
    meant = function_in(current().spark, name, types)
    return meant if current().ansi else legacy_aggregate(meant, types, result)


def cast_meaning(given: ty.DataType, target: ty.DataType) -> ty.CastMode:
    """How a CAST is meant there."""
    return ty.CastMode.ANSI if current().ansi else legacy_mode_in(current().spark, given, target)


# -- older Sparks ------------------------------------------------------------------------------


def since(name: str) -> SparkVersion | None:
    """The Spark that a name came with; None if it was there in 3.5."""
    function = any_function(name) or OPAQUE.get(name)
    return function.since if function is not None else ABBREVIATIONS_SINCE.get(name)


def require_function(name: str, spark: SparkVersion) -> None:
    """Refuse a function that some Spark does not have."""
    added = since(name)
    if added is not None and spark < added:
        raise IllFormedError(f"Spark {spark} has no function {name}; it came with {added}")


def function_in(spark: SparkVersion, name: str, types: Types) -> str:
    """The function that one means in some Spark, for arguments of some types."""
    function = any_function(name)
    for older in function.older if function is not None else ():
        if spark < older.before and older.concerns(types):
            if older.meaning is None:
                shown = ", ".join(map(str, types))
                raise UnsupportedError(f"{name}({shown}) as before Spark {older.before}")
            return f"older.{name}"
    return name


# -- without ANSI ------------------------------------------------------------------------------


def is_legacy(name: str) -> bool:
    """Whether a function is one of sessions without ANSI alone."""
    return name.startswith("legacy.")


def legacy_function(name: str, types: Types, result: ty.DataType) -> str:
    """The scalar function that one means in a session without ANSI, for arguments of some types."""
    rule, legacy, session = SCALAR[name].without_ansi, f"legacy.{name}", current()
    is_widest = isinstance(result, ty.DecimalType) and result.precision == ty.MAX_PRECISION
    match rule:
        case WithoutAnsi.SAME:
            return name
        case WithoutAnsi.OTHER:
            return legacy
        case WithoutAnsi.ATTEMPT:
            return attempt_of(name) or name
        case WithoutAnsi.WRAPPED:
            # The type of a decimal result has room for all results, unless 38 digits are too few.
            tried = attempt_of(name) if is_widest else None
            return legacy if isinstance(result, ty.IntegralType) else tried or name
        case WithoutAnsi.ROUNDED:
            if is_widest:
                raise UnsupportedError(f"{name} in {result} in a session without ANSI")
            return legacy if isinstance(result, ty.IntegralType) else name
        case WithoutAnsi.CUT:
            return legacy if isinstance(types[0], ty.DoubleType) else name
        case WithoutAnsi.NULL:
            if name == "element_at" and isinstance(types[0], ty.ArrayType):
                return legacy if session.spark >= SPARK_4_3 else "legacy.old_element_at"
            return name if isinstance(types[0], ty.MapType) else legacy
        case WithoutAnsi.READ:
            checked = session.time_parser is TimeParser.EXCEPTION
            return f"legacy.checked_{name}" if checked and _is_text(types) else legacy
        case None if SCALAR[name].domain is Domain.TOTAL:
            return name
        case None:
            raise UnsupportedError(f"{name} in a session without ANSI")
        case _:
            assert_never(rule)


def _is_text(types: Types) -> bool:
    return isinstance(types[0], ty.StringType)


def legacy_aggregate(name: str, types: Types, result: ty.DataType) -> str:
    """The aggregate function that one means in a session without ANSI, for arguments of some types."""
    if name not in ("sum", "avg") or not isinstance(result, ty.IntegralType | ty.DecimalType):
        return name
    (given,) = types
    if isinstance(given, ty.DecimalType) and given.precision > ty.MAX_PRECISION - DIGITS_OF_COUNTS:
        # Few rows overflow: whether a sum is null depends on the order in which they are added.
        return f"legacy.long_{name}"
    return f"legacy.{name}"


# -- other settings ----------------------------------------------------------------------------


def is_opaque_under(settings: SessionSettings, name: str) -> bool:
    """Whether what a function gives under some settings is not known, only that it is a function."""
    function = SCALAR.get(name)
    by_pattern = function is not None and function.by_pattern
    return by_pattern and settings.time_parser is TimeParser.LEGACY


def keeps_meaning_without_ansi(settings: SessionSettings, name: str) -> bool:
    """Whether a setting makes a function mean without ANSI what it means with it."""
    return name == "size" and not settings.null_has_size
