"""Spark's types from their JSON, and constants from their text."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from veer.dataflow.functions.arithmetic import NAN, to_float32
from veer.dataflow.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    NullType,
    OpaqueType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    parse_type,
)
from veer.errors import ParseError, UnsupportedError

EPOCH = datetime(1970, 1, 1)


def type_of(data: Any) -> DataType:
    """A type as Spark's JSON has it."""
    if isinstance(data, str):
        name = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
        try:
            return parse_type(name.get(data, data))
        except ParseError:
            return OpaqueType(data)
    match data.get("type"):
        case "array":
            return ArrayType(type_of(data["elementType"]))
        case "map":
            return MapType(type_of(data["keyType"]), type_of(data["valueType"]))
        case "struct":
            return StructType(tuple((f["name"], type_of(f["type"])) for f in data["fields"]))
        case _:
            return OpaqueType(json.dumps(data, sort_keys=True))


def constant(text: Any, type_: DataType) -> Any:
    """The value of a literal from its text; refused where the text does not say it."""
    if text is None or type_ == NullType():
        return None
    text = str(text)
    try:
        match type_:
            case BooleanType():
                return {"true": True, "false": False}[text]
            case IntegralType():
                return int(text)
            case DecimalType():
                return Decimal(text)
            case FloatType():
                return NAN if text == "NaN" else to_float32(float(text))
            case DoubleType():
                return NAN if text == "NaN" else float(text)
            case StringType():
                return text
            case DateType():
                return date.fromisoformat(text)
            case TimestampNtzType():
                return datetime.fromisoformat(text)
            case _:
                raise UnsupportedError(f"a constant of type {type_}")
    except (KeyError, ValueError, ArithmeticError):
        raise UnsupportedError(f"{text[:40]!r} is no constant of type {type_}") from None


def _moment(value: int, type_: DataType) -> Any:
    """A day or moment from its number."""
    try:
        if isinstance(type_, DateType):
            return date(1970, 1, 1) + timedelta(days=value)
        return EPOCH + timedelta(microseconds=value)
    except OverflowError:
        raise UnsupportedError("a constant beyond the year 9999") from None


def jvm_constant(value: Any, type_: DataType) -> Any:
    """The value of a literal whose text is not enough."""
    if value is None:
        return None
    match type_:
        case DateType() | TimestampType() | TimestampNtzType():
            return _moment(int(value), type_)
        case BinaryType():
            return bytes(value)
        case StringType():
            return str(value.toString())
        case _:
            raise UnsupportedError(f"a constant of type {type_}")
