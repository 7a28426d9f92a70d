"""Aggregates under conditions in one spelling.

    sum(x) FILTER (WHERE c)                =>   sum(CASE WHEN c THEN x END)
    count_if(c), sum(CASE WHEN c THEN 1 ELSE 0 END)   =>   count(CASE WHEN c THEN 1 END)
    count(id), id never null               =>   count(*)
    count(x)                               =>   count(CASE WHEN x IS NOT NULL THEN 1 END)
    count(DISTINCT struct(a, b)), a and b never null   =>   count(DISTINCT a, b)
    sum(CASE WHEN c THEN x ELSE 0 END), x never null  =>   coalesce(sum(CASE WHEN c THEN x END), 0)
    sum(coalesce(x, 0))                    =>   coalesce(sum(x), 0)
    bool_and(c), if rows are counted too   =>   count(CASE WHEN c THEN 1 END) = count(c)
    median(x)                              =>   percentile(x, 0.5)
    avg(x), x of 16 bits                   =>   CAST(sum(x) AS DOUBLE) / CAST(count(x) AS DOUBLE)

Sound because these functions skip nulls, and because a group has a row: where a sum over no rows at
all would be null, which the aggregate of a whole table may have, sums stay sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TypeAlias, final

from veer.expressions.constant_folding import zero_of
from veer.expressions.true_conditions import where_true
from veer.facts.call_kinds import adds_in_double
from veer.functions.registry import aggregate_function
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.ir.digests import text_of
from veer.ir.nullability import is_nullable
from veer.ir.schema import Schema

BY_EXTREME = {"max_by": "max", "min_by": "min"}  # skip rows in which their second argument is null
SKIPPING = ("sum", "min", "max", "avg", "count")  # rows in which their argument is null
ONE = ex.Literal(1, ty.INT)
Compute: TypeAlias = Callable[[Sequence[ex.Expr]], ex.Expr]


@final
@dataclass(frozen=True)
class Spelling:
    """Calls, and the value in question as computed from theirs."""

    calls: tuple[ex.AggregateCall, ...]
    compute: Compute

    @property
    def call(self) -> ex.AggregateCall | None:
        """The only call, if the value is that of it."""
        return self.calls[0] if self.compute is _itself else None


def _itself(values: Sequence[ex.Expr]) -> ex.Expr:
    return values[0]


def just(call: ex.AggregateCall) -> Spelling:
    """A call that is the value itself."""
    return Spelling((call,), _itself)


def composed(outer: Spelling, parts: Sequence[Spelling]) -> Spelling:
    """A spelling each of whose calls is spelled out itself."""
    ends = list(accumulate((len(part.calls) for part in parts), initial=0))

    def compute(values: Sequence[ex.Expr]) -> ex.Expr:
        own = zip(parts, pairwise(ends), strict=True)
        return outer.compute([part.compute(values[a:b]) for part, (a, b) in own])

    return Spelling(tuple(call for part in parts for call in part.calls), compute)


def plain_call(call: ex.AggregateCall, rows: Schema, *, is_global: bool) -> Spelling:
    """A call over rows with a schema; `is_global` where it may be over no rows."""
    call = _without_filter(call)
    if call.distinct:
        return just(_plain_distinct(call, rows))
    if call.function == "count" and len(call.args) == 1:
        return just(replace(call, args=_counted(call.args[0], rows)))
    if call.function == "sum" and not is_global:
        return _plain_sum(call, rows)
    if call.function == "median" and call.where is None:
        half = ex.Literal(0.5, ty.DOUBLE)
        return just(ex.AggregateCall("percentile", (*call.args, half), call.type))
    if call.function == "avg" and _is_added_exactly(call):
        return _mean(call, rows)
    return just(call)


def counted_flag(call: ex.AggregateCall, rows: Schema, *, is_global: bool) -> Spelling:
    """Whether some or all of several truth values are true, by how many are; other calls as they are.

    For aggregates that count rows anyway: by itself such a call does not see duplicates.
    """
    ends = {"bool_or": False, "max": False, "bool_and": True, "min": True}
    if call.function not in ends or call.where is not None:
        return just(call)
    (flag,) = call.args
    if call.type != ty.BOOLEAN:
        return just(call) if is_global else _counted_choice(call)
    true = ex.AggregateCall("count", (only_if(flag, ONE),), ty.LONG)
    given = ex.AggregateCall("count", _counted(flag, rows), ty.LONG)
    may_be_none = is_global or is_nullable(flag, rows)

    def value(numbers: Sequence[ex.Expr]) -> ex.Expr:
        zero = ex.Literal(0, ty.LONG)
        some = ex.Not(ex.Compare("=", numbers[0], zero))
        answer = ex.Compare("=", *numbers) if ends[call.function] else some
        none = ex.Compare("=", numbers[1], zero)
        return ex.Case(((none, ex.Literal(None, ty.BOOLEAN)),), answer) if may_be_none else answer

    return Spelling((true, given), value)


def _counted_choice(call: ex.AggregateCall) -> Spelling:
    """The greatest or least of two constants, by how many rows have the first."""
    match call.args:
        case (ex.Case(((when, ex.Literal(int() as one)),), ex.Literal(int() as other)),) if (
            one != other
        ):
            chosen = ex.AggregateCall("count", (only_if(when, ONE),), ty.LONG)
            rows = ex.AggregateCall("count", (), ty.LONG)
            # The first if some row has it, or if all have it.
            of_some = (one > other) == (call.function == "max")
            first, second = ex.Literal(one, call.type), ex.Literal(other, call.type)

            def value(numbers: Sequence[ex.Expr]) -> ex.Expr:
                some = ex.Not(ex.Compare("=", numbers[0], ex.Literal(0, ty.LONG)))
                every = ex.Compare("=", numbers[0], numbers[1])
                return ex.Case(((some if of_some else every, first),), second)

            return Spelling((chosen, rows), value)
    return just(call)


def _without_filter(call: ex.AggregateCall) -> ex.AggregateCall:
    """FILTER as a CASE around the argument."""
    where = () if call.where is None else (call.where,)
    if call.function == "count_if" and not call.distinct:
        counted = only_if(conjunction([*where, *call.args]), ONE)
        return ex.AggregateCall("count", (counted,), call.type)
    if call.where is not None and call.function in BY_EXTREME:
        value, place = call.args
        return replace(call, args=(value, only_if(call.where, place)), where=None)
    if call.where is None or call.function not in SKIPPING or len(call.args) > 1:
        return call
    (value,) = call.args or (ONE,)
    return replace(call, args=(only_if(call.where, value),), where=None)


def only_if(condition: ex.Expr, value: ex.Expr) -> ex.Expr:
    """The value where a condition is true, else null; conditions of a CASE inside are joined."""
    conditions = [where_true(condition)]
    match value:
        case ex.Case(((when, then),), ex.Literal(None)):
            conditions.append(where_true(when))
            value = then
    return ex.Case(((conjunction(conditions), value),), ex.Literal(None, value.type))


def _counted(value: ex.Expr, rows: Schema) -> tuple[ex.Expr, ...]:
    """What is counted: all rows, or one where a condition is true."""
    match value:
        case ex.Case(((when, then),), ex.Literal(None)):
            return (only_if(when, *_counted(then, rows) or (ONE,)),)
    return (only_if(ex.Not(ex.IsNull(value)), ONE),) if is_nullable(value, rows) else ()


def _plain_distinct(call: ex.AggregateCall, rows: Schema) -> ex.AggregateCall:
    """Different combinations of values: those of structs without nulls, in an order of their own."""
    if call.function != "count":
        return call
    args = call.args
    match args:
        case (ex.Call("named_struct", fields),) if not any(is_nullable(f, rows) for f in fields):
            args = fields[1::2]
    by_text = {text_of(arg): arg for arg in args}
    return replace(call, args=tuple(arg for _, arg in sorted(by_text.items())))


def _plain_sum(call: ex.AggregateCall, rows: Schema) -> Spelling:
    """A sum over the rows of a group, which has at least one."""
    match call.args:
        case (ex.Case(((when, ex.Literal(1)),), ex.Literal(0)),) if isinstance(
            call.type, ty.IntegralType
        ):
            return just(ex.AggregateCall("count", (only_if(when, ONE),), call.type))
        case (ex.Cast(flag),) if flag.type == ty.BOOLEAN and isinstance(call.type, ty.IntegralType):
            if is_nullable(flag, rows):
                return just(call)
            return just(ex.AggregateCall("count", (only_if(flag, ONE),), call.type))
        case (ex.Case(((when, then),), ex.Literal(0)),):
            if ty.has_floats(call.type) or is_nullable(then, rows):
                return just(call)
            return _or_zero(replace(call, args=(only_if(when, then),)))
        case (ex.Call("coalesce", (value, ex.Literal(0))),) if not ty.has_floats(call.type):
            return _or_zero(replace(call, args=(value,)))
        case (ex.Case(((when, then),), ex.Literal(None)),):
            return just(replace(call, args=(only_if(when, then),)))
    return just(call)


def _is_added_exactly(call: ex.AggregateCall) -> bool:
    return isinstance(call.args[0].type, ty.IntegralType) and not adds_in_double(call)


def _mean(call: ex.AggregateCall, rows: Schema) -> Spelling:
    """A mean of whole numbers as their sum by how many there are; null where there are none."""
    sum_ = ex.AggregateCall("sum", call.args, ty.LONG)
    count = ex.AggregateCall("count", _counted(call.args[0], rows), ty.LONG)

    def quotient(values: Sequence[ex.Expr]) -> ex.Expr:
        return ex.Call("/", tuple(ex.Cast(value, ty.DOUBLE) for value in values), ty.DOUBLE)

    return Spelling((sum_, count), quotient)


def _or_zero(call: ex.AggregateCall) -> Spelling:
    zero = zero_of(call.type)
    return Spelling((call,), lambda values: ex.Call("coalesce", (values[0], zero), call.type))


def sum_of(value: ex.Expr) -> ex.AggregateCall:
    """The sum of a value."""
    resolved = aggregate_function("sum").resolve(ex.arguments((value,)))
    return ex.AggregateCall("sum", (value,), resolved.result)
