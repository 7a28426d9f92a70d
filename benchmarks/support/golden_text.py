"""Values as the results of Spark's own SQL tests show them: Hive's spelling."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from veer.functions.casts import text_of
from veer.functions.zone_rules import wall_clock
from veer.interpreter import Result
from veer.ir.types import (
    ArrayType,
    DataType,
    DayTimeIntervalType,
    MapType,
    StringType,
    StructType,
    TimestampType,
    YearMonthIntervalType,
)


def shown_rows(result: Result, zone: str) -> list[str]:
    """Each row as one text."""
    return [
        "\t".join(map(lambda v, t: shown(v, t, zone), row, result.types)) for row in result.rows
    ]


def shown(value: Any, type_: DataType, zone: str, nested: bool = False) -> str:
    """One value."""
    if value is None:
        return "null" if nested else "NULL"
    match type_:
        case StringType():
            return f'"{value}"' if nested else str(value)
        case TimestampType():
            assert isinstance(value, datetime)
            return text_of(wall_clock(value, zone), type_)
        case ArrayType(element):
            return f"[{','.join(shown(v, element, zone, True) for v in value)}]"
        case MapType(key, held):
            pairs = (f"{shown(k, key, zone, True)}:{shown(v, held, zone, True)}" for k, v in value)
            return f"{{{','.join(sorted(pairs))}}}"
        case StructType(fields):
            parts = zip(value, fields, strict=True)
            texts = (f'"{name}":{shown(v, t, zone, True)}' for v, (name, t) in parts)
            return f"{{{','.join(texts)}}}"
        case YearMonthIntervalType():
            years, months = divmod(abs(value), 12)
            return f"{'-' if value < 0 else ''}{years}-{months}"
        case DayTimeIntervalType():
            return _duration(value)
        case _:
            return text_of(value, type_)


def _duration(value: timedelta) -> str:
    seconds, micros = divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{days} {hour:02d}:{minute:02d}:{second:02d}.{micros:06d}000"


def schema_text(names: Sequence[str], types: Sequence[DataType]) -> str:
    """The schema of a result as Spark's tests write it."""
    return f"struct<{','.join(f'{n}:{plain(t)}' for n, t in zip(names, types, strict=True))}>"


def plain(type_: DataType) -> str:
    """A type with the names of fields as they are."""
    match type_:
        case ArrayType(element):
            return f"array<{plain(element)}>"
        case MapType(key, value):
            return f"map<{plain(key)},{plain(value)}>"
        case StructType(fields):
            return f"struct<{','.join(f'{n}:{plain(t)}' for n, t in fields)}>"
        case _:
            return str(type_)
