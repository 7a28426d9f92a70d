"""Opaque functions for the interpreter: a fixed pseudo-random function per identity.

The value depends only on identity and arguments, and comes from a small set, so that different
arguments sometimes give equal values, and null sometimes comes out.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.arithmetic import fit_decimal
from veer.ir import types as ty

WORDS = ("", "a", "b", "zz")


def noise(*parts: Any) -> int:
    """A number that depends on nothing but the parts, the same in every process."""
    return zlib.crc32(repr(parts).encode("utf-8", "surrogatepass"))


def opaque_value(
    seed: int, type_: ty.DataType, nullable: bool = True, likely: Sequence[Any] = ()
) -> Any:
    """A value of the type picked by the seed, often a likely one: what the result is compared with."""
    if nullable and seed % 7 == 0:
        return None
    pick = seed // 7
    wanted = str if type_ == ty.STRING else int if type_ in (ty.INT, ty.LONG) else None
    fitting = [v for v in likely if type(v) is wanted]
    if fitting and pick % 2:
        return fitting[pick // 2 % len(fitting)]
    match type_:
        case ty.NullType():
            return None
        case ty.BooleanType():
            return pick % 2 == 0
        case ty.IntegralType():
            return pick % 5 - 1
        case ty.DecimalType():
            unit = Decimal(1).scaleb(-type_.scale)
            return fit_decimal((pick % 5 - 1) * unit, type_)
        case ty.NumericType():
            return float(pick % 5) - 1.0
        case ty.StringType():
            return WORDS[pick % len(WORDS)]
        case ty.BinaryType():
            return WORDS[pick % len(WORDS)].encode()
        case ty.DateType():
            return date(2000, 1, 1) + timedelta(days=pick % 5)
        case ty.TimestampType() | ty.TimestampNtzType():
            return datetime(2000, 1, 1) + timedelta(hours=pick % 5)
        case ty.ArrayType(element):
            return tuple(opaque_value(noise(seed, i), element) for i in range(pick % 3))
        case ty.StructType(fields):
            return tuple(opaque_value(noise(seed, i), t) for i, (_, t) in enumerate(fields))
        case ty.MapType(key, value):
            return ((opaque_value(noise(seed), key, False), opaque_value(noise(seed, 1), value)),)
        case _:
            raise UnsupportedError(f"no opaque values of type {type_}")
