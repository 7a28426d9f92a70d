"""Rows given in a program, as the model has them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

from veer.ir import ops, types as ty
from veer.ir.schema import Field
from veer.read.pyspark.plans.types import exact_decimal
from veer.read.python.identity import digest_of

MOST_CELLS = 1_000
ODD = object()


def rows_from_python(data: Any, fields: tuple[Field, ...]) -> ops.AnyOperator:
    """The rows themselves if they are few and plain, else a table known by a digest of them."""
    if isinstance(data, list | tuple):
        values = _values(data, fields)
        if values is not None:
            return values
        digest = digest_of(list(data))
    elif type(data).__module__.startswith("pandas"):
        columns = [(str(n), str(data[n].dtype), data[n].tolist()) for n in data.columns]
        digest = digest_of(columns)
    else:
        digest = None
    # Rows without a digest are a table of their own, which no other is equal to.
    return ops.Source(f"rows_{(digest or uuid4().hex)[:16]}", fields, format=ops.LOCAL)


def _values(data: Sequence[Any], fields: tuple[Field, ...]) -> ops.Values | None:
    if not fields or len(data) * len(fields) > MOST_CELLS:
        return None
    rows = []
    for row in data:
        cells = _cells(row, [f.name for f in fields])
        if cells is None:
            return None
        converted = [_cell(v, f) for v, f in zip(cells, fields, strict=True)]
        if any(c is ODD for c in converted):
            return None
        rows.append(tuple(converted))
    return ops.Values(fields, tuple(rows))


def _cells(row: Any, names: Sequence[str]) -> Sequence[Any] | None:
    """The values of a row in the order of the columns; a value alone is a row of one."""
    if type(row) in (bool, int, float, str) and len(names) == 1:
        return [row]
    if type(row) is dict:
        return [row.get(n) for n in names] if set(row) <= set(names) else None
    fields = getattr(row, "__fields__", None)  # of a Row
    if fields is not None and list(fields) != list(names):
        return None
    if type(row) in (tuple, list) or fields is not None:
        return row if len(row) == len(names) else None
    return None


def _cell(value: Any, field: Field) -> Any:
    """A value as the model has it; ODD if that is not plain to see."""
    if value is None:
        return None
    match field.type:
        case ty.BooleanType() if type(value) is bool:
            return value
        case ty.IntegralType() as type_ if type(value) is int:
            half = 1 << (ty.INTEGER_BITS[type_] - 1)
            return value if -half <= value < half else ODD
        case ty.DoubleType() if type(value) is float and value == value:
            return value
        case ty.StringType() if type(value) is str:
            return value
        case ty.DateType() if type(value) is date:
            return value
        case ty.DecimalType() as type_ if type(value) is Decimal:
            exact = exact_decimal(value, type_)
            return ODD if exact is None else exact
        case ty.TimestampNtzType() if type(value) is datetime and value.tzinfo is None:
            return value
        case ty.TimestampType() if type(value) is datetime and value.tzinfo is None:
            # Spark takes it for one of the process's own zone.
            return value if os.environ.get("TZ") == "UTC" else ODD
        case _:
            return ODD
