"""Aggregates under conditions in one spelling.

    sum(x) FILTER (WHERE c)                =>   sum(CASE WHEN c THEN x END)
    countonly_if(c), sum(CASE WHEN c THEN 1 ELSE 0 END)   =>   count(CASE WHEN c THEN 1 END)
    count(id), id never null               =>   count(*)
    sum(CASE WHEN c THEN x ELSE 0 END), x never null  =>   coalesce(sum(CASE WHEN c THEN x END), 0)
    sum(coalesce(x, 0))                    =>   coalesce(sum(x), 0)

Sound because these functions skip nulls, and because a group has a row: where a sum over no rows at
all would be null, which the aggregate of a whole table may have, sums stay sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import TypeAlias, final

from veer.analysis.true_conditions import where_true
from veer.model.conditions import conjunction
from veer.model.expr import AggregateCall, Call, Case, Expr, Literal
from veer.model.nullability import is_nullable
from veer.model.schema import Schema
from veer.model.types import INT, DataType, DecimalType, IntegralType, has_floats

SKIPPING = ("sum", "min", "max", "avg", "count")  # rows in which their argument is null
ONE = Literal(1, INT)
Compute: TypeAlias = Callable[[Sequence[Expr]], Expr]


@final
@dataclass(frozen=True)
class Spelling:
    """Calls, and the value in question as computed from theirs."""

    calls: tuple[AggregateCall, ...]
    compute: Compute

    @property
    def call(self) -> AggregateCall | None:
        """The only call, if the value is that of it."""
        return self.calls[0] if self.compute is _itself else None


def _itself(values: Sequence[Expr]) -> Expr:
    return values[0]


def just(call: AggregateCall) -> Spelling:
    """A call that is the value itself."""
    return Spelling((call,), _itself)


def composed(outer: Spelling, parts: Sequence[Spelling]) -> Spelling:
    """A spelling each of whose calls is spelled out itself."""
    ends = list(accumulate((len(part.calls) for part in parts), initial=0))

    def compute(values: Sequence[Expr]) -> Expr:
        own = zip(parts, pairwise(ends), strict=True)
        return outer.compute([part.compute(values[a:b]) for part, (a, b) in own])

    return Spelling(tuple(call for part in parts for call in part.calls), compute)


def plain_call(call: AggregateCall, rows: Schema, *, is_global: bool) -> Spelling:
    """A call over rows with a schema; `is_global` where it may be over no rows."""
    call = _without_filter(call)
    if call.distinct:
        return just(call)
    if call.function == "count" and len(call.args) == 1:
        return just(replace(call, args=_counted(call.args[0], rows)))
    if call.function == "sum" and not is_global:
        return _plain_sum(call, rows)
    return just(call)


def _without_filter(call: AggregateCall) -> AggregateCall:
    """FILTER as a CASE around the argument."""
    where = () if call.where is None else (call.where,)
    if call.function == "count_if" and not call.distinct:
        counted = only_if(conjunction([*where, *call.args]), ONE)
        return AggregateCall("count", (counted,), call.type)
    if call.where is None or call.function not in SKIPPING or len(call.args) > 1:
        return call
    (value,) = call.args or (ONE,)
    return replace(call, args=(only_if(call.where, value),), where=None)


def only_if(condition: Expr, value: Expr) -> Expr:
    """The value where a condition is true, else null; conditions of a CASE inside are joined."""
    conditions = [where_true(condition)]
    match value:
        case Case(((when, then),), Literal(None)):
            conditions.append(where_true(when))
            value = then
    return Case(((conjunction(conditions), value),), Literal(None, value.type))


def _counted(value: Expr, rows: Schema) -> tuple[Expr, ...]:
    """What is counted: all rows, or one where a condition is true, or what is not null."""
    match value:
        case Case(((when, then),), Literal(None)) if not is_nullable(then, rows):
            return (only_if(when, ONE),)
    return (value,) if is_nullable(value, rows) else ()


def _plain_sum(call: AggregateCall, rows: Schema) -> Spelling:
    """A sum over the rows of a group, of which there is one at least."""
    match call.args:
        case (Case(((when, Literal(1)),), Literal(0)),) if isinstance(call.type, IntegralType):
            return just(AggregateCall("count", (only_if(when, ONE),), call.type))
        case (Case(((when, then),), Literal(0)),):
            if has_floats(call.type) or is_nullable(then, rows):
                return just(call)
            return _or_zero(replace(call, args=(only_if(when, then),)))
        case (Call("coalesce", (value, Literal(0))),) if not has_floats(call.type):
            return _or_zero(replace(call, args=(value,)))
        case (Case(((when, then),), Literal(None)),):
            return just(replace(call, args=(only_if(when, then),)))
    return just(call)


def _or_zero(call: AggregateCall) -> Spelling:
    zero = _zero(call.type)
    return Spelling((call,), lambda values: Call("coalesce", (values[0], zero), call.type))


def _zero(type_: DataType) -> Expr:
    if isinstance(type_, DecimalType):
        return Literal(Decimal(0).scaleb(-type_.scale), type_)
    return Literal(0, type_)
