"""How Spark orders and groups values: keys for Python's sorting and dictionaries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from veer.ir import types as ty

_NAN_KEY = (1, 0.0)
_NULL_KEY = (0,)


def sort_key(type_: ty.DataType) -> Callable[[Any], Any]:
    """A key under which non-null values compare as in Spark: NaN last, 0.0 equal to -0.0.

    Inside arrays and structs null comes first.
    """
    match type_:
        case ty.FloatType() | ty.DoubleType():
            return lambda v: _NAN_KEY if v != v else (0, v)
        case ty.ArrayType(element):
            inner = _nested_key(element)
            return lambda v: tuple(inner(x) for x in v)
        case ty.StructType(fields):
            parts = [_nested_key(t) for _, t in fields]
            return lambda v: tuple(part(x) for part, x in zip(parts, v, strict=True))
        case _:
            return lambda v: v


def _nested_key(type_: ty.DataType) -> Callable[[Any], Any]:
    inner = sort_key(type_)
    return lambda v: _NULL_KEY if v is None else (1, inner(v))


def group_key(type_: ty.DataType) -> Callable[[Any], Any]:
    """A hashable key equal for values Spark puts into one group; null is a group of its own.

    All NaNs are one group, and 0.0 is in that of -0.0.
    """
    return _nested_key(type_) if ty.has_floats(type_) else lambda v: v


def unsigned_zero(type_: ty.DataType) -> Callable[[Any], Any]:
    """What grouping, DISTINCT and set operations make of a value: -0.0 becomes 0.0."""
    if not ty.has_floats(type_):
        return lambda v: v
    match type_:
        case ty.FloatType() | ty.DoubleType():
            return lambda v: 0.0 if v == 0 else v
        case ty.ArrayType(element):
            inner = unsigned_zero(element)
            return lambda v: v if v is None else tuple(inner(x) for x in v)
        case ty.StructType(fields):
            parts = [unsigned_zero(t) for _, t in fields]
            return lambda v: v if v is None else tuple(p(x) for p, x in zip(parts, v, strict=True))
        case _:
            return lambda v: v


def exact_key(type_: ty.DataType) -> Callable[[Any], Any]:
    """A hashable key equal only for values represented alike: 0.0 and -0.0 differ, NaNs do not."""
    if not ty.has_floats(type_):
        return lambda v: v
    match type_:
        case ty.FloatType() | ty.DoubleType():
            return lambda v: v if v is None else _exact_float(v)
        case ty.ArrayType(element):
            inner = exact_key(element)
            return lambda v: v if v is None else tuple(inner(x) for x in v)
        case ty.StructType(fields):
            parts = [exact_key(t) for _, t in fields]
            return lambda v: v if v is None else tuple(p(x) for p, x in zip(parts, v, strict=True))
        case _:
            return repr


def _exact_float(value: float) -> tuple[float, float]:
    return (math.inf, 2.0) if value != value else (value, math.copysign(1.0, value))
