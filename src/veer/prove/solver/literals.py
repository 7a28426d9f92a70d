"""Literals as z3 constants, and what is known of them: their order and their ranks."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from itertools import pairwise
from typing import Any, final

import z3

from veer.ir import types as ty
from veer.prove.solver.terms import Terms

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
# Beyond the number of every finite double, in Spark's order: infinity below NaN.
INFINITY_RANK, NAN_RANK = 10**400, 10**401


@final
class Literals:
    """The literals of one question; `axioms` says how they stand to each other."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._texts: dict[type, dict[Any, Any]] = {ty.StringType: {}, ty.BinaryType: {}}
        self._doubles: dict[tuple[str, str], Any] = {}
        self.integers: set[int] = set()
        self.years: set[int] = set()  # of dates and timestamps
        self.days: set[dt.date] = set()
        self.instants: set[dt.datetime] = set()

    @property
    def strings(self) -> dict[str, Any]:
        """The string literals met, with their terms."""
        return self._texts[ty.StringType]

    def constant(self, value: Any, type_: ty.DataType) -> Any:
        """The term of a literal that is not null; one term for one value of a type."""
        context = self._terms.context
        match type_:
            case ty.BooleanType():
                return z3.BoolVal(bool(value), context)
            case ty.IntegralType():
                self.integers.add(int(value))
                return z3.IntVal(int(value), context)
            case ty.DateType() if isinstance(value, dt.date):
                self.years.add(value.year)
                self.days.add(value)
                return z3.IntVal(value.toordinal(), context)
            case ty.TimestampType() | ty.TimestampNtzType() if isinstance(value, dt.datetime):
                self.years.add(value.year)
                if isinstance(type_, ty.TimestampType):
                    self.instants.add(value)
                since = value.replace(tzinfo=None) - EPOCH
                return z3.IntVal(since // MICROSECOND, context)
            case ty.DayTimeIntervalType() if isinstance(value, dt.timedelta):
                return z3.IntVal(value // MICROSECOND, context)
            case ty.YearMonthIntervalType() if isinstance(value, int):
                return z3.IntVal(value, context)
            case ty.DecimalType() if isinstance(value, Decimal | int):
                numerator, denominator = value.as_integer_ratio()
                return z3.Q(numerator, denominator, context)
            case ty.StringType() | ty.BinaryType():
                return self._text(value, type_)
            case ty.FloatType() | ty.DoubleType():
                return self._float(value, type_)
            case _:
                # Nothing says that two such constants differ, though they may: arrays, maps,
                # structs that are written differently can be equal.
                return self._terms.constant(f"literal {type_} {value!r}", type_)

    def _text(self, value: str | bytes, type_: ty.DataType) -> Any:
        texts = self._texts[type(type_)]
        if value not in texts:
            texts[value] = self._terms.constant(f"literal {value!r}", type_)
        return texts[value]

    def _float(self, value: float, type_: ty.DataType) -> Any:
        """A float is known by its rank, and to be another than each float written differently.

        The latter tells 0.0 from -0.0, which share a rank.
        """
        text = repr(value)
        constant = self._doubles.get((str(type_), text))
        if constant is None:
            constant = self._terms.constant(f"literal {type_} {text}", type_)
            self._terms.axioms.append(self.rank(type_, constant) == self._rank_of(value))
            for (other_type, _), other in self._doubles.items():
                if other_type == str(type_):
                    self._terms.axioms.append(constant != other)
            self._doubles[str(type_), text] = constant
        return constant

    def _rank_of(self, value: float) -> Any:
        if math.isnan(value):
            return z3.RealVal(NAN_RANK, self._terms.context)
        if math.isinf(value):
            rank = INFINITY_RANK if value > 0 else -INFINITY_RANK
            return z3.RealVal(rank, self._terms.context)
        return z3.Q(*value.as_integer_ratio(), self._terms.context)

    def rank(self, type_: ty.DataType, value: Any) -> Any:
        """Where a float stands in Spark's order; its number, where it is finite."""
        return self._terms.apply(("rank", str(type_)), (value,), self._terms.real)

    def axioms(self) -> list[Any]:
        """The texts met, in their order; that they are distinct follows.

        To be asked for when all terms are there.
        """
        axioms = []
        for type_, literals in self._texts.items():
            # Spark compares strings by their bytes in UTF-8.
            ordered = sorted(literals, key=str.encode if type_ is ty.StringType else None)
            for low, high in pairwise(ordered):
                axioms.append(literals[low] < literals[high])
        return axioms
