"""Models back to values: what the solver found, as Python values of Spark's types.

Values outside a type's range are moved into it, numbers that stand for texts become texts in the
same order. A model read so is a guess; whoever uses it runs both versions on it.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import z3

from veer.functions.arithmetic import NAN, to_float32
from veer.ir import types as ty
from veer.prove.solver.encode import Encoder
from veer.prove.solver.formula import Variable
from veer.prove.solver.literals import EPOCH, INFINITY_RANK, MICROSECOND, NAN_RANK


def read_model(model: z3.ModelRef, encoder: Encoder) -> dict[Variable, Any]:
    """A value for every variable of the question; None for null and for what has no reading."""
    texts = _texts(model, encoder)
    values: dict[Variable, Any] = {}
    for variable, (null, value) in encoder.variables.items():
        if z3.is_true(model.eval(null, model_completion=True)):
            values[variable] = None
        else:
            values[variable] = _read(model, encoder, variable.type, value, texts)
    return values


def _read(
    model: z3.ModelRef,
    encoder: Encoder,
    type_: ty.DataType,
    term: Any,
    texts: Mapping[Fraction, str],
) -> Any:
    if isinstance(type_, ty.NullType):
        return None
    if isinstance(type_, ty.FloatType | ty.DoubleType):
        rank = _fraction(model.eval(encoder.literals.rank(type_, term), model_completion=True))
        return _float_of_rank(rank, type_)
    value = model.eval(term, model_completion=True)
    match type_:
        case ty.BooleanType():
            return z3.is_true(value)
        case ty.IntegralType():
            return int(value.as_long())
        case ty.DateType():
            # Int goes on where the calendar ends.
            return dt.date.fromordinal(max(1, min(value.as_long(), dt.date.max.toordinal())))
        case ty.TimestampType() | ty.TimestampNtzType():
            return _moment(int(value.as_long()))
        case ty.DecimalType(scale=scale):
            number = _fraction(value)
            return Decimal(round(number * 10**scale)).scaleb(-scale)
        case ty.StringType():
            return texts.get(_fraction(value), "")
        case _:
            return None


def _moment(micros: int) -> dt.datetime:
    """The timestamp so many microseconds after 1970, or the nearest that the calendar has."""
    least, most = ((m - EPOCH) // MICROSECOND for m in (dt.datetime.min, dt.datetime.max))
    return EPOCH + max(least, min(micros, most)) * MICROSECOND


def _float_of_rank(rank: Fraction, type_: ty.DataType) -> float:
    """The float that stands at a rank, or near it: any rational may stand in a model."""
    if rank >= NAN_RANK:
        return NAN
    if abs(rank) >= INFINITY_RANK:
        return math.copysign(math.inf, rank)
    most = Fraction(sys.float_info.max)
    value = float(max(-most, min(most, rank)))
    return to_float32(value) if isinstance(type_, ty.FloatType) else value


def _texts(model: z3.ModelRef, encoder: Encoder) -> dict[Fraction, str]:
    """Texts for the numbers that stand for texts: literals, and made-up ones in between."""
    literals = {
        _fraction(model.eval(term, model_completion=True)): text
        for text, term in encoder.literals.strings.items()
    }
    values = {
        _fraction(model.eval(value, model_completion=True))
        for variable, (_, value) in encoder.variables.items()
        if isinstance(variable.type, ty.StringType)
    }
    texts: dict[Fraction, str] = {}
    below, invented = "", 0
    for number in sorted(values | set(literals)):
        if number in literals:
            below, invented = literals[number], 0
            texts[number] = below
        else:
            invented += 1
            texts[number] = below + chr(ord("a") + min(invented, 25) - 1)
    return texts


def _fraction(value: Any) -> Fraction:
    if z3.is_rational_value(value):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    if z3.is_int_value(value):
        return Fraction(value.as_long())
    return Fraction(value.approx(9).as_fraction()) if hasattr(value, "approx") else Fraction(0)
