"""Constants of the protocol, and how Spark prints them in names of columns."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import InvalidOperation
from typing import TYPE_CHECKING, Any

from veer.errors import ParseError, UnsupportedError
from veer.functions.arithmetic import NAN, to_float32
from veer.functions.casts import text_of
from veer.ir import types as ty
from veer.ir.expr import Literal
from veer.ir.types import TIMESTAMP, TIMESTAMP_NTZ
from veer.read.pyspark.connect.types import read_type
from veer.read.sql.literals import decimal_literal

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.expressions_pb2 import Expression

EPOCH = datetime(1970, 1, 1)
PLAIN: dict[str, ty.DataType] = {
    "binary": ty.BINARY,
    "boolean": ty.BOOLEAN,
    "byte": ty.BYTE,
    "short": ty.SHORT,
    "integer": ty.INT,
    "long": ty.LONG,
    "string": ty.STRING,
}


def read_literal(literal: Expression.Literal) -> Literal:
    """A constant; refused by name if its type is not modelled."""
    kind = literal.WhichOneof("literal_type") or "nothing"
    value: Any = getattr(literal, kind, None)
    if kind in PLAIN:
        return Literal(value, PLAIN[kind])
    match kind:
        case "null":
            return Literal(None, read_type(value))
        case "double":
            return Literal(_number(value), ty.DOUBLE)
        case "float":
            return Literal(_number(to_float32(value)), ty.FLOAT)
        case "decimal":
            return _decimal(value)
        case "date":
            return Literal(date(1970, 1, 1) + timedelta(days=value), ty.DATE)
        case "timestamp":
            return Literal(EPOCH + timedelta(microseconds=value), TIMESTAMP)
        case "timestamp_ntz":
            return Literal(EPOCH + timedelta(microseconds=value), TIMESTAMP_NTZ)
        case "day_time_interval":
            return Literal(timedelta(microseconds=value), ty.DayTimeIntervalType())
        case "year_month_interval":
            return Literal(value, ty.YearMonthIntervalType())
        case _:
            raise UnsupportedError(f"a constant of the kind {kind}")


def _number(value: float) -> float:
    return value if value == value else NAN


def _decimal(literal: Any) -> Literal:
    # The client says decimal(10,0) of every constant; a classic session takes just the digits.
    try:
        return decimal_literal(literal.value)
    except (InvalidOperation, ParseError):
        raise UnsupportedError(f"the decimal constant {literal.value}") from None


def stated_type(literal: Expression.Literal) -> ty.DecimalType | None:
    """The type that the client states of a decimal constant."""
    if literal.WhichOneof("literal_type") != "decimal" or not literal.decimal.HasField("precision"):
        return None
    return ty.DecimalType(literal.decimal.precision, literal.decimal.scale)


def as_stated(literal: Literal, stated: ty.DecimalType) -> Literal:
    """A decimal constant to a server, which gives it the digits it has and those stated."""
    assert isinstance(literal.type, ty.DecimalType)
    precision = max(literal.type.precision, stated.precision)
    return Literal(literal.value, ty.DecimalType(precision, max(literal.type.scale, stated.scale)))


def shown(literal: Literal) -> str:
    """A constant as Spark prints it in the name of a column."""
    match literal.value:
        case None:
            return "NULL"
        case bool():
            return "true" if literal.value else "false"
        case str():
            return literal.value
        case datetime():
            word = "TIMESTAMP" if literal.type == TIMESTAMP else "TIMESTAMP_NTZ"
            return f"{word} '{text_of(literal.value, literal.type)}'"
        case date():
            return f"DATE '{text_of(literal.value, literal.type)}'"
        case _:
            return text_of(literal.value, literal.type)
