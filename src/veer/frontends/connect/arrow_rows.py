"""Rows that came with a plan, in Arrow's format: themselves, or a table known by a digest."""

from __future__ import annotations

import hashlib
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from veer.errors import UnsupportedError
from veer.frontends.connect.types import parse_type_text, require_struct
from veer.frontends.spark.plans.types import exact_decimal, field_type, type_of
from veer.functions.arithmetic import NAN, to_float32
from veer.model.ops import LOCAL, AnyOperator, Source, Values
from veer.model.schema import Field
from veer.model.types import (
    INTEGER_BITS,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    NullType,
    StringType,
    TimestampNtzType,
    TimestampType,
)

MOST_CELLS = 2_000


def given_rows(relation: Any) -> AnyOperator:
    """The rows of a local relation of the protocol."""
    import pyarrow

    if not relation.HasField("data"):
        return Values(_fields(relation.schema), ())
    with pyarrow.ipc.open_stream(io.BytesIO(relation.data)) as stream:
        table = stream.read_all()
    fields = _fields(relation.schema) if relation.schema else _arrow_fields(table.schema)
    if len(fields) != table.num_columns:
        raise UnsupportedError("given rows with another number of columns than their schema")
    if table.num_rows * len(fields) <= MOST_CELLS:
        try:
            columns = [
                [_cell(value, field.type) for value in column.to_pylist()]
                for column, field in zip(table.columns, fields, strict=True)
            ]
            return Values(fields, tuple(zip(*columns, strict=True)))
        except (UnsupportedError, ValueError, OverflowError):
            pass
    # The same bytes are the same rows.
    digest = hashlib.blake2b(relation.schema.encode() + b"\0" + relation.data, digest_size=16)
    return Source(f"rows_{digest.hexdigest()}", fields, format=LOCAL)


def _fields(schema: str) -> tuple[Field, ...]:
    """The columns of a schema, written as JSON or as DDL."""
    if not schema.startswith("{"):
        type_ = require_struct(parse_type_text(schema), "given rows")
        return tuple(Field(name, t) for name, t in type_.fields)
    fields = json.loads(schema)["fields"]
    return tuple(Field(f["name"], field_type(f), f["nullable"]) for f in fields)


def _arrow_fields(schema: Any) -> tuple[Field, ...]:
    from pyspark.sql.pandas.types import from_arrow_schema

    fields = from_arrow_schema(schema).fields
    return tuple(Field(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in fields)


def _cell(value: Any, type_: DataType) -> Any:
    """A value as the model has it, where Spark takes it for exactly this one."""
    if value is None:
        return None
    match type_:
        case NullType():
            return None
        case BooleanType() if type(value) is bool:
            return value
        case IntegralType() if type(value) is int:
            half = 1 << (INTEGER_BITS[type_] - 1)
            if -half <= value < half:
                return value
        case DoubleType() if type(value) is float:
            return NAN if value != value else value
        case FloatType() if type(value) is float:
            if value != value or to_float32(value) == value:
                return NAN if value != value else to_float32(value)
        case StringType() if type(value) is str:
            return value
        case BinaryType() if type(value) is bytes:
            return value
        case DecimalType() if type(value) is Decimal:
            exact = exact_decimal(value, type_)
            if exact is not None:
                return exact
        case DateType() if type(value) is date:
            return value
        case TimestampType() if type(value) is datetime and value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case TimestampNtzType() if type(value) is datetime and value.tzinfo is None:
            return value
    raise UnsupportedError(f"a row with a value of type {type_}")
