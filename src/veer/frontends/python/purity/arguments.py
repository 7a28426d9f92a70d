"""What is known of the arguments a function is called with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from veer.frontends.python.purity.results import Args
from veer.frontends.python.purity.traits import DATA, NO_TRAITS, NONE, NUMBER, AbstractValue, Trait
from veer.model.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    NullType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)

# Each argument with its keyword or "", or what any of them may be.
Arguments: TypeAlias = Sequence[tuple[str, AbstractValue]] | AbstractValue


def argument(type_: DataType) -> AbstractValue:
    """What a Python function sees of a type of Spark's."""
    match type_:
        case FloatType() | DoubleType():
            return NUMBER
        case (
            BooleanType()
            | IntegralType()
            | StringType()
            | DecimalType()
            | DateType()
            | TimestampType()
            | TimestampNtzType()
            | NullType()
        ):
            return NO_TRAITS
        case ArrayType(element=element):
            inner = argument(element).all_traits
        case MapType(key=key, value=value):
            inner = argument(key).all_traits | argument(value).all_traits
        case StructType(fields=fields):
            inner = NONE
            for _, part in fields:
                inner |= argument(part).all_traits
        case _:
            return DATA
    own = Trait.ARGUMENT | Trait.CONTAINER
    return AbstractValue(own | inner & Trait.NAN, inner)


def as_args(arguments: Arguments) -> Args:
    """Arguments as a call takes them: by position, by name, and whatever others may be."""
    if isinstance(arguments, AbstractValue):
        return [], {}, arguments
    return [v for n, v in arguments if not n], {n: v for n, v in arguments if n}, None
