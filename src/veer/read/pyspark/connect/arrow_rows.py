"""Rows that came with a plan, in Arrow's format: themselves, or a table known by a digest."""

from __future__ import annotations

import hashlib
import io
import json
from datetime import UTC, date, datetime
from typing import Any

from veer.errors import UnsupportedError
from veer.ir import ops, types as ty
from veer.ir.schema import Field
from veer.read.pyspark.connect.types import parse_type_text, require_struct
from veer.read.pyspark.plans.pickled_rows import MOST_CELLS, exact_cell
from veer.read.pyspark.plans.types import field_type, type_of


def given_rows(relation: Any) -> ops.AnyOperator:
    """The rows of a local relation of the protocol."""
    import pyarrow

    if not relation.HasField("data"):
        return ops.Values(_fields(relation.schema), ())
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
            return ops.Values(fields, tuple(zip(*columns, strict=True)))
        except (UnsupportedError, ValueError, OverflowError):
            pass
    # The same bytes are the same rows.
    digest = hashlib.blake2b(relation.schema.encode() + b"\0" + relation.data, digest_size=16)
    return ops.Source(f"rows_{digest.hexdigest()}", fields, format=ops.LOCAL)


def _fields(schema: str) -> tuple[Field, ...]:
    """The columns of a schema, written as JSON or as DDL."""
    if not schema.startswith("{"):
        type_ = require_struct(parse_type_text(schema), "given rows")
        return tuple(Field(name, t) for name, t in type_.fields)
    fields = json.loads(schema)["fields"]
    return tuple(Field(f["name"], field_type(f), f["nullable"]) for f in fields)


def _arrow_fields(schema: Any) -> tuple[Field, ...]:
    from pyspark.sql.pandas.types import from_arrow_schema

    # A time without a zone is what a server takes it for.
    fields = from_arrow_schema(schema, prefer_timestamp_ntz=True).fields
    return tuple(Field(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in fields)


def _cell(value: Any, type_: ty.DataType) -> Any:
    """A value as the model has it, where Spark takes it for exactly this one."""
    match type_:
        case ty.DateType() | ty.TimestampType() | ty.TimestampNtzType() if value is not None:
            return _moment(value, type_)
        case _:
            return exact_cell(value, type_)


def _moment(value: Any, type_: ty.DataType) -> Any:
    """A date or timestamp, which Arrow gives as Python has it."""
    match type_:
        case ty.DateType() if type(value) is date:
            return value
        case ty.TimestampType() if type(value) is datetime and value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case ty.TimestampNtzType() if type(value) is datetime and value.tzinfo is None:
            return value
    raise UnsupportedError(f"a row with a value of type {type_}")
