"""Rows read from files with exactly the schema they were written with.

Files say of nothing that it is never null; an expression that cannot be null says it again.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.ir.types import quote_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructField, StructType


def with_schema(frame: DataFrame, schema: StructType) -> DataFrame:
    """A frame of the same columns with the nullability and metadata of a schema; else an error."""
    from pyspark.sql.connect import functions as F

    places = [f"c{i}" for i in range(len(schema.fields))]
    by_place = frame.toDF(*places)
    columns = [
        _field(F.col(quote_name(place)), field)
        for place, field in zip(places, schema.fields, strict=True)
    ]
    served = by_place.select(*columns)
    if served.schema != schema:
        raise UnsupportedError("its columns cannot be read from files unchanged")
    return served


def _field(value: Column, field: StructField) -> Column:
    """A column as a field of a schema says it is."""
    column = _typed(value, field.dataType)
    if not field.nullable:
        column = _never_null(column, field.dataType)
    return column.alias(field.name, metadata=field.metadata or {})


def _typed(value: Column, type_: DataType) -> Column:
    """A value with what its type says of nulls inside of it."""
    from pyspark.sql.connect import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType

    if not _says_never_null(type_):
        return value
    match type_:
        case ArrayType(elementType=element, containsNull=nulls):
            return F.transform(value, lambda item: _part(item, element, nulls))
        case MapType(valueType=held, valueContainsNull=nulls):
            return F.transform_values(value, lambda _, item: _part(item, held, nulls))
        case StructType(fields=fields):
            parts = [_field(value.getField(f.name), f) for f in fields]
            return F.when(value.isNotNull(), F.struct(*parts))
        case _:
            return value


def _part(value: Column, type_: DataType, nulls: bool) -> Column:
    column = _typed(value, type_)
    return column if nulls else _never_null(column, type_)


def _never_null(value: Column, type_: DataType) -> Column:
    """A value that is never null, known as such by its form."""
    from pyspark.sql.connect import functions as F

    return F.coalesce(value, _some(type_))


def _some(type_: DataType) -> Any:
    """Some value of a type, never given: it stands where null would."""
    from pyspark.sql.connect import functions as F
    from pyspark.sql.types import (
        ArrayType,
        BinaryType,
        BooleanType,
        DateType,
        DayTimeIntervalType,
        DecimalType,
        MapType,
        NumericType,
        StringType,
        StructType,
        TimestampNTZType,
        TimestampType,
    )

    match type_:
        case ArrayType() | MapType():
            empty = F.array() if isinstance(type_, ArrayType) else F.create_map()
            return _typed(empty.cast(type_), type_)
        case StructType(fields=fields):
            return F.struct(*(_some(f.dataType).alias(f.name) for f in fields))
        case StringType() | BinaryType():
            return F.lit("").cast(type_)
        case DecimalType(scale=scale):
            return F.expr(f"0.{'0' * scale}BD" if scale else "0BD").cast(type_)
        case NumericType() | BooleanType():
            return F.lit(0).cast(type_)
        case DateType():
            return F.lit(date(1970, 1, 1))
        case TimestampType() | TimestampNTZType():
            return F.lit(datetime(1970, 1, 1, tzinfo=UTC)).cast(type_)
        case DayTimeIntervalType():
            return F.lit(timedelta(0)).cast(type_)
        case _:
            raise UnsupportedError(f"a column of type {type_.simpleString()} that is never null")


def _says_never_null(type_: DataType) -> bool:
    """Whether a type says of something inside of it that it is never null."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    match type_:
        case ArrayType(elementType=element, containsNull=nulls):
            return not nulls or _says_never_null(element)
        case MapType(keyType=key, valueType=held, valueContainsNull=nulls):
            return not nulls or _says_never_null(held) or _says_never_null(key)
        case StructType(fields=fields):
            return any(not f.nullable or f.metadata or _says_never_null(f.dataType) for f in fields)
        case _:
            return False


__all__ = ["with_schema"]
