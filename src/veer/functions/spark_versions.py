"""What older Sparks compute otherwise than the newest: functions that were not there or meant else.

What differs in coercion and in the grammar stands where it is decided; docs/settings.md lists all.
A meaning that only older Sparks have is a function of its own (`older.split`), so that no law of the
present one can reach it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.ordering import group_key
from veer.functions.registry import SCALAR, scalar
from veer.functions.regular_expressions import split_text
from veer.functions.traits import Domain
from veer.model.types import (
    ArrayType,
    BinaryType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
)
from veer.settings import SPARK_4_0, SPARK_4_1, SPARK_4_2, SPARK_4_3, SparkVersion

Types = Sequence[DataType]
NEGATED_DIGITS = 34  # Scala 2.13, which Spark 4 runs on, rounds the opposite of a number to these


class Change(NamedTuple):
    """A function means something else before some Spark, for arguments of some types.

    `older` is the function it means there; nothing if that is not modelled.
    """

    name: str
    before: SparkVersion
    concerns: Callable[[Types], bool]
    older: str = ""


def _long_decimals(types: Types) -> bool:
    return isinstance(types[0], DecimalType) and types[0].precision > NEGATED_DIGITS


def _doubles(types: Types) -> bool:
    return isinstance(types[0], DoubleType)


def _floats(types: Types) -> bool:
    return isinstance(types[0], FloatType | DoubleType)


def _of_bytes(types: Types) -> bool:
    return isinstance(types[0], BinaryType)


def _holds_floats(types: Types) -> bool:
    return isinstance(types[0], ArrayType) and isinstance(types[0].element, FloatType | DoubleType)


def _keyed_by_floats(types: Types) -> bool:
    return any(isinstance(t, FloatType | DoubleType | ArrayType | MapType) for t in types[::2])


# Functions by all of their names; those that are not here were there in Spark 3.5.
ADDED = {
    "dayname": SPARK_4_0,
    "monthname": SPARK_4_0,
    "nullifzero": SPARK_4_0,
    "quote": SPARK_4_1,
    "try_mod": SPARK_4_0,
    "zeroifnull": SPARK_4_0,
}
CHANGED = (
    Change("negative", SPARK_4_0, _long_decimals, "older.negative"),
    Change("abs", SPARK_4_0, _long_decimals, "older.abs"),
    Change("array_distinct", SPARK_4_0, _holds_floats, "older.array_distinct"),
    Change("substring", SPARK_4_0, _of_bytes, "older.substring"),
    Change("initcap", SPARK_4_0, lambda _: True, "older.initcap"),
    Change("map", SPARK_4_0, _keyed_by_floats),  # 0.0 and -0.0 were two keys
    Change("mode", SPARK_4_0, lambda types: len(types) == 2),  # took no flag
    Change("split", SPARK_4_1, lambda types: len(types) == 3, "older.split"),
    Change("reverse", SPARK_4_2, _of_bytes),  # gave text
    Change("collect_set", SPARK_4_2, _floats),  # held every NaN
    Change("mode", SPARK_4_2, _floats),  # which of two zeros it gave is not known
    Change("ceil", SPARK_4_3, _doubles, "older.ceil"),  # the largest there is, not a failure
    Change("floor", SPARK_4_3, _doubles, "older.floor"),
)


def require_function(name: str, spark: SparkVersion) -> None:
    """Refuse a function that some Spark does not have."""
    added = ADDED.get(name)
    if added is not None and spark < added:
        raise IllFormedError(f"Spark {spark} has no function {name}; it came with {added}")


def function_in(spark: SparkVersion, name: str, types: Types) -> str:
    """The function that one means in some Spark, for arguments of some types."""
    for change in CHANGED:
        if change.name == name and spark < change.before and change.concerns(types):
            if not change.older:
                shown = ", ".join(map(str, types))
                raise UnsupportedError(f"{name}({shown}) as before Spark {change.before}")
            return change.older
    return name


# -- what they mean ------------------------------------------------------------------------------


def _negated(value: Decimal) -> Decimal:
    return value.copy_negate() if value else value


def _array_distinct(types: Types, _result: DataType) -> Callable[..., Any]:
    """In order of first appearance, null and NaN once, -0.0 beside 0.0."""
    assert isinstance(types[0], ArrayType)
    key = group_key(types[0].element)

    def bits(value: float | None) -> Any:
        return key(value), value is not None and math.copysign(1.0, value) < 0 and value == 0

    return lambda items: tuple({bits(x): x for x in items}.values())


def _split(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """Of an empty pattern, what is beyond the limit is lost."""
    if pattern == "" and 0 < limit < len(text):
        return tuple(text[:limit])
    return split_text(text, pattern, limit)


def _substring(types: Types, result: DataType) -> Callable[..., Any]:
    """Of bytes: all of them from the least position there is, however many are asked for."""
    now = SCALAR["substring"].meaning(types, result)

    def part(value: bytes, start: int, *length: int) -> Any:
        return value if start == -(1 << 31) else now(value, start, *length)

    return part


def _initcap(text: str) -> str:
    """A letter has a capital only if that is one character, of those Java keeps in one."""

    def capital(letter: str) -> str:
        title = letter.title()
        return title if len(title) == 1 and ord(letter) < 1 << 16 else letter

    return re.sub(r"(^| )([^ ])", lambda m: m[1] + capital(m[2]), text.lower())


def register() -> None:
    """Register the functions of older Sparks; those of today must be there."""
    _older("negative", lambda _types, _result: _negated)
    _older("abs", lambda _types, _result: Decimal.copy_abs)
    _older("array_distinct", _array_distinct)
    _older("split", lambda _types, _result: _split)
    _older("substring", _substring)
    _older("initcap", lambda _types, _result: _initcap)
    for name in ("ceil", "floor"):
        _older(name, SCALAR[f"legacy.{name}"].meaning, Domain.TOTAL)


def _older(
    name: str,
    meaning: Callable[[Types, DataType], Callable[..., Any]],
    domain: Domain | None = None,
) -> None:
    now = SCALAR[name]
    scalar(
        f"older.{name}",
        now.rule,
        meaning,
        now.kind,
        now.nulls,
        domain or now.domain,
        typed=True,
        sql=now.sql,
    )
