"""What is known of the arguments a function is called with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from veer.ir import types as ty
from veer.read.python.purity import traits
from veer.read.python.purity.results import Args

# Each argument with its keyword or "", or what any of them may be.
Arguments: TypeAlias = Sequence[tuple[str, traits.AbstractValue]] | traits.AbstractValue


def argument(type_: ty.DataType) -> traits.AbstractValue:
    """What a Python function sees of a type of Spark's."""
    match type_:
        case ty.FloatType() | ty.DoubleType():
            return traits.NUMBER
        case (
            ty.BooleanType()
            | ty.IntegralType()
            | ty.StringType()
            | ty.DecimalType()
            | ty.DateType()
            | ty.TimestampType()
            | ty.TimestampNtzType()
            | ty.NullType()
        ):
            return traits.NO_TRAITS
        case ty.ArrayType(element=element):
            inner = argument(element).all_traits
        case ty.MapType(key=key, value=value):
            inner = argument(key).all_traits | argument(value).all_traits
        case ty.StructType(fields=fields):
            inner = traits.NONE
            for _, part in fields:
                inner |= argument(part).all_traits
        case _:
            return traits.DATA
    own = traits.Trait.ARGUMENT | traits.Trait.CONTAINER
    return traits.AbstractValue(own | inner & traits.Trait.NAN, inner)


def as_args(arguments: Arguments) -> Args:
    """Arguments as a call takes them: by position, by name, and whatever others may be."""
    if isinstance(arguments, traits.AbstractValue):
        return [], {}, arguments
    return [v for n, v in arguments if not n], {n: v for n, v in arguments if n}, None
