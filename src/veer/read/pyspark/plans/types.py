"""Spark's types from their JSON, and constants from their text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any
from uuid import uuid4

from veer.errors import ParseError, UnsupportedError
from veer.functions.arithmetic import NAN, to_float32
from veer.ir import types as ty

EPOCH = datetime(1970, 1, 1)
# Metadata of columns that no reader looks at: what people say of them, defaults of rows to come.
HARMLESS = frozenset({"comment", "CURRENT_DEFAULT"})
WIDE = Context(prec=80)
# Types whose values are plain numbers or texts to Spark, which print as what they are.
EXACT = re.compile(
    r"(date|timestamp(_ntz)?|string collate \w+|interval (year|month|day|hour|minute|second).*|time\(\d\))$"
)


def type_of(data: Any) -> ty.DataType:
    """A type as Spark's JSON has it."""
    # Types that are not modelled stay apart by name: they equal themselves alone.
    if data == []:
        return ty.StructType(())  # as plans print a struct without fields
    if isinstance(data, str):
        name = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
        try:
            return ty.parse_type(name.get(data, data))
        except ParseError:
            return ty.OpaqueType(data)
    match data.get("type"):
        case "array":
            return ty.ArrayType(type_of(data["elementType"]))
        case "map":
            return ty.MapType(type_of(data["keyType"]), type_of(data["valueType"]))
        case "struct":
            # Whether a field may be null is no part of a type here.
            return ty.StructType(tuple((f["name"], field_type(f)) for f in data["fields"]))
        case _:
            return ty.OpaqueType(json.dumps(data, sort_keys=True))


def field_type(field: Mapping[str, Any]) -> ty.DataType:
    """The type of a field of a struct, whose metadata tells how texts in it are compared."""
    collations = field.get("metadata", {}).get("__COLLATIONS", {})
    type_ = type_of(field["type"])
    return _collated(type_, str(field["name"]), collations) if collations else type_


def _collated(type_: ty.DataType, path: str, collations: Mapping[str, str]) -> ty.DataType:
    match type_:
        case ty.StringType() if path in collations:
            return ty.OpaqueType(f"string collate {collations[path].rpartition('.')[2].upper()}")
        case ty.ArrayType(element):
            return ty.ArrayType(_collated(element, f"{path}.element", collations))
        case ty.MapType(key, value):
            return ty.MapType(
                _collated(key, f"{path}.key", collations),
                _collated(value, f"{path}.value", collations),
            )
        case _:
            return type_


def literal_value(text: Any, type_: ty.DataType) -> Any:
    """The value of a literal from its text; refused where the text does not say it."""
    if text is None or type_ == ty.NullType():
        return None
    text = str(text)
    try:
        match type_:
            case ty.BooleanType():
                return {"true": True, "false": False}[text]
            case ty.IntegralType():
                return int(text)
            case ty.DecimalType():
                return Decimal(text)
            case ty.FloatType():
                return NAN if text == "NaN" else to_float32(float(text))
            case ty.DoubleType():
                return NAN if text == "NaN" else float(text)
            case ty.StringType():
                return text
            case ty.DateType():
                return date.fromisoformat(text)
            case ty.TimestampNtzType():
                return datetime.fromisoformat(text)
            case _:
                raise UnsupportedError(f"a constant of type {type_}")
    except (KeyError, ValueError, ArithmeticError):
        raise UnsupportedError(f"{text[:40]!r} is not a constant of type {type_}") from None


def date_or_timestamp(value: int, type_: ty.DataType) -> Any:
    """A date or timestamp from Spark's number for it."""
    try:
        if isinstance(type_, ty.DateType):
            return date(1970, 1, 1) + timedelta(days=value)
        return EPOCH + timedelta(microseconds=value)
    except OverflowError:
        raise UnsupportedError("a constant beyond the year 9999") from None


def exact_decimal(value: Decimal, type_: ty.DecimalType) -> Decimal | None:
    """The value with the digits of its type; None if it has no such."""
    if not value.is_finite():
        return None
    exact = value.quantize(Decimal(1).scaleb(-type_.scale), context=WIDE)
    fits = exact == value and abs(value) < 10 ** (type_.precision - type_.scale)
    return exact if fits else None


def jvm_literal_value(value: Any, type_: ty.DataType) -> Any:
    """The value of a literal whose text is not enough."""
    if value is None:
        return None
    match type_:
        case ty.DateType() | ty.TimestampType() | ty.TimestampNtzType():
            return date_or_timestamp(int(value), type_)
        case ty.BinaryType():
            return bytes(value)
        case ty.StringType():
            return str(value.toString())
        case _:
            raise UnsupportedError(f"a constant of type {type_}")


def row_value(value: Any, type_: ty.DataType) -> Any:
    """A value of a row held by a plan."""
    if value is None:
        return None
    match type_:
        case ty.BooleanType() if isinstance(value, bool):
            return value
        case ty.IntegralType() if isinstance(value, int):
            return value
        case ty.DoubleType() if isinstance(value, float):
            return NAN if value != value else value
        case ty.DecimalType():
            return literal_value(str(value), type_)
        case ty.StringType() | ty.DateType() | ty.TimestampType() | ty.TimestampNtzType():
            return jvm_literal_value(value, type_)
        case _:
            raise UnsupportedError(f"a row with a value of type {type_}")


def opaque_literal_text(literal: Any) -> str:
    """What tells a constant of a type that is not modelled; a name of its own where nothing does."""
    type_ = str(literal.dataType().catalogString())
    if EXACT.match(type_):
        return f"{type_} {literal.value()!s}"
    return f"{type_} {uuid4().hex}"


def metadata_of(schema: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What the columns of a schema carry that may change what is read.

    Defaults of columns that files lack, lengths of texts, numbers of Parquet fields; comments and
    the like are known to change nothing.
    """
    return tuple(sorted(_metadata(schema, "")))


def _metadata(data: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(data, Mapping):
        return
    for field in data.get("fields", ()):
        inner = f"{path}.{ty.quote_name(field['name'])}" if path else ty.quote_name(field["name"])
        for name, value in field.get("metadata", {}).items():
            if name not in HARMLESS:
                yield f"{inner} {name}", json.dumps(value, sort_keys=True)
        yield from _metadata(field["type"], inner)
    for part in ("elementType", "keyType", "valueType"):
        yield from _metadata(data.get(part), f"{path}.{part}")
