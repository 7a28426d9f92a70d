"""What a name means in the session in which is read: its Spark, and whether it is one of ANSI."""

from __future__ import annotations

from collections.abc import Sequence

from veer.functions.cast_modes import legacy_mode_in
from veer.functions.legacy import legacy_aggregate, legacy_function
from veer.functions.spark_versions import function_in, require_function
from veer.model.types import CastMode, DataType
from veer.settings import current


def scalar_meaning(name: str, types: Sequence[DataType], result: DataType) -> str:
    """The function that a scalar function of a name is there, for arguments of some types."""
    require_function(name, current().spark)
    meant = function_in(current().spark, name, types)
    if current().ansi or meant != name:
        return meant
    return legacy_function(name, types, result)


def aggregate_meaning(name: str, types: Sequence[DataType], result: DataType) -> str:
    """The function that an aggregate or window function of a name is there."""
    meant = function_in(current().spark, name, types)
    return meant if current().ansi else legacy_aggregate(meant, types, result)


def cast_meaning(given: DataType, target: DataType) -> CastMode:
    """How a CAST is meant there."""
    return CastMode.ANSI if current().ansi else legacy_mode_in(current().spark, given, target)


__all__ = ["aggregate_meaning", "cast_meaning", "scalar_meaning"]
