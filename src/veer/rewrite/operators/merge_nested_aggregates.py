"""Groups of groups are groups: aggregates in two steps as aggregates in one.

    Aggregate(a; sum(s)) <- Aggregate(a, b; sum(x) AS s) <- t   =>   Aggregate(a; sum(x)) <- t
    Aggregate(a; max(CASE WHEN b = 1 THEN s END)) <- Aggregate(a, b; sum(x) AS s) <- t
        =>   Aggregate(a; sum(CASE WHEN b = 1 THEN x END)) <- t

Sound where the keys above are functions of those below: each group is then a union of smaller ones,
and of the rows of these. Exact sums do not depend on how they are split, nor least and greatest
values. Where a condition leaves one of the smaller groups, as in the second case, which is a pivot,
the least, greatest or summed value is that of this group. Float keys group 0.0 with -0.0 and are left
alone, as is everything whose result depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, final

from veer.facts.call_kinds import call_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjuncts
from veer.ir.json import is_alike
from veer.ir.nullability import is_nullable
from veer.ir.ops import Aggregate
from veer.ir.schema import Schema
from veer.ir.walk import exprs_in
from veer.rewrite import plain_calls
from veer.rewrite.columns import by_place, places_read
from veer.rewrite.expressions import is_random
from veer.rewrite.rewriting import Grouping

EXTREMES = ("min", "max")
IsFunction: TypeAlias = Callable[[ex.AggregateCall], bool]  # whether a call gives one result
# Calls of the values of calls that are calls of all values.
JOINED = (("sum", "sum"), ("sum", "count"), ("min", "min"), ("max", "max"))


@final
@dataclass(frozen=True)
class Steps:
    """An aggregate on whose groups another one stands, whose keys are given over the rows below."""

    inner: Aggregate
    rows: Schema  # below the first step
    schema: Schema  # above it
    keys: tuple[ex.Expr, ...]
    is_function: IsFunction  # of calls of the first step

    def call(self, call: ex.AggregateCall) -> plain_calls.Spelling | None:
        """A call over the groups of the first step as calls over its rows; None if it is none."""
        if call_kind(call) is not Kind.PURE or call.where is not None:
            return None
        if call.function == "count" and not call.args:
            return self._number_of_groups()
        args = [over_rows(self.inner, self.schema, arg) for arg in call.args]
        known = tuple(arg for arg in args if arg is not None)
        if len(known) == len(args):
            return self._of_keys(replace(call, args=known))
        return None if call.distinct or len(call.args) != 1 else self._of_value(call)

    def _of_keys(self, call: ex.AggregateCall) -> plain_calls.Spelling | None:
        """A call of keys of the first step."""
        if call.distinct or call.function in EXTREMES:
            return plain_calls.just(call)  # how many rows have a value is all the same
        match call:
            case ex.AggregateCall("count", (ex.Case(((when, ex.Literal(1)),), ex.Literal(None)),)):
                others = self._other_keys()
                if others and all(self._is_present(e, when) for e in others):
                    counted = tuple(plain_calls.only_if(when, e) for e in others)
                    return plain_calls.just(
                        ex.AggregateCall("count", counted, ty.LONG, distinct=True)
                    )
        return None

    def _is_present(self, expr: ex.Expr, condition: ex.Expr) -> bool:
        """Whether an expression over the rows is not null where a condition is true."""
        for part in conjuncts(condition):
            match part:
                case ex.Not(ex.IsNull(arg)) if is_alike(arg, expr):
                    return True
                case ex.Compare(op, left, right) if op != "<=>":
                    if is_alike(left, expr) or is_alike(right, expr):
                        return True
        return not is_nullable(expr, self.rows)

    def _of_value(self, call: ex.AggregateCall) -> plain_calls.Spelling | None:
        """A call of what the first step gives, perhaps under a condition on its keys."""
        value, condition = call.args[0], None
        match value:
            case ex.Case(((when, then),), ex.Literal(None)):
                value, condition = then, over_rows(self.inner, self.schema, when)
                if condition is None:
                    return None
        below = self._call_below(value)
        if below is None:
            return None
        if (call.function, below.function) in JOINED or (
            call.function in (*EXTREMES, "sum") and self._is_one_group(condition)
        ):
            return self._at_once(below, condition, call.type)
        return None

    def _call_below(self, value: ex.Expr) -> ex.AggregateCall | None:
        """The call of the first step that a value is."""
        while isinstance(value, ex.Cast) and _is_wider(value.arg.type, value.type):
            value = value.arg
        if not isinstance(value, ex.Column):
            return None
        place = self.schema.place(value.name, value.occurrence) - len(self.inner.keys)
        if place < 0:
            return None
        below = self.inner.calls[place].call
        if not self.is_function(below) or below.distinct or below.where is not None:
            return None
        is_known = below.function in plain_calls.SKIPPING and len(below.args) <= 1
        return below if is_known or below.function in plain_calls.BY_EXTREME else None

    def _at_once(
        self, below: ex.AggregateCall, condition: ex.Expr | None, type_: ty.DataType
    ) -> plain_calls.Spelling | None:
        """A call over all rows of a larger group on which a condition is true, as a wider type.

        Where there is no such row a sum of counts is null, a count is not.
        """
        if not _is_wider(below.type, type_):
            return None
        value = _conditional(below, condition)
        if below.function != "count" or (condition is None and self.keys):
            return plain_calls.Spelling((value,), lambda values: _as_type(values[0], type_))
        rows = ex.AggregateCall("count", (), ty.LONG)
        no_row = ex.Literal(None, type_)

        def unless_none(values: Sequence[ex.Expr]) -> ex.Expr:
            none = ex.Compare("=", values[1], ex.Literal(0, ty.LONG))
            return ex.Case(((none, no_row),), _as_type(values[0], type_))

        return plain_calls.Spelling((value, _conditional(rows, condition)), unless_none)

    def _is_one_group(self, condition: ex.Expr | None) -> bool:
        """Whether keys and a condition that is true say what all keys of the first step are."""
        fixed = [*self.keys]
        for part in () if condition is None else conjuncts(condition):
            match part:
                case ex.Compare("=" | "<=>", left, ex.Literal()):
                    fixed.append(left)
                case ex.Compare("=" | "<=>", ex.Literal(), right):
                    fixed.append(right)
        return all(any(is_alike(k.expr, f) for f in fixed) for k in self.inner.keys)

    def _other_keys(self) -> list[ex.Expr]:
        """Keys of the first step that are none of the second."""
        exprs = [k.expr for k in self.inner.keys]
        return [e for e in exprs if not any(is_alike(e, key) for key in self.keys)]

    def _number_of_groups(self) -> plain_calls.Spelling | None:
        """How many groups a larger one has: one, or as many as keys that are never null."""
        others = self._other_keys()
        if not others:
            return plain_calls.Spelling((), lambda _: ex.Literal(1, ty.LONG))
        if any(is_nullable(e, self.rows) for e in others):
            return None
        return plain_calls.just(ex.AggregateCall("count", tuple(others), ty.LONG, distinct=True))


def over_rows(inner: Aggregate, schema: Schema, expr: ex.Expr) -> ex.Expr | None:
    """An expression over the keys of an aggregate as one over its rows; None if it reads more."""
    if any(at >= len(inner.keys) for at in places_read(expr, schema)):
        return None
    return by_place(expr, schema, lambda at: inner.keys[at].expr)


def _is_wider(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether a type has all values of another, and sums are as exact."""
    if isinstance(given, ty.DecimalType) and isinstance(target, ty.DecimalType):
        digits = target.precision - target.scale, given.precision - given.scale
        return target.scale == given.scale and digits[0] >= digits[1]
    return given == target


def _as_type(value: ex.Expr, type_: ty.DataType) -> ex.Expr:
    return value if value.type == type_ else ex.Cast(value, type_)


def _conditional(call: ex.AggregateCall, condition: ex.Expr | None) -> ex.AggregateCall:
    if condition is None:
        return call
    *others, value = call.args or (plain_calls.ONE,)
    return replace(call, args=(*others, plain_calls.only_if(condition, value)))


def merge_nested_aggregates(groups: Grouping) -> Grouping:
    """An aggregate in one step where it is over groups, as often as that goes on."""
    steps = _steps(groups)
    if steps is None:
        return groups
    values: dict[int, plain_calls.Spelling] = {}
    for i, value in groups.values.items():
        parts = [steps.call(call) for call in value.calls]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return groups
        values[i] = plain_calls.composed(value, known)
    (base,) = groups.rewriting.inputs[groups.base]
    keys = (replace(key, expr=expr) for key, expr in zip(groups.keys, steps.keys, strict=True))
    return merge_nested_aggregates(replace(groups, base=base, keys=tuple(keys), values=values))


def _steps(groups: Grouping) -> Steps | None:
    """An aggregate over groups whose keys are functions of those of the groups; None for others."""
    rewriting = groups.rewriting
    inner = rewriting.operators[groups.base]
    if not isinstance(inner, Aggregate):
        return None
    exprs = [e for part in (*inner.keys, *inner.calls) for e in exprs_in(part)]
    if any(map(is_random, exprs)) or any(ty.has_floats(k.expr.type) for k in inner.keys):
        return None
    (under,) = rewriting.inputs[groups.base]
    rows, schema = rewriting.schemas[under], rewriting.schemas[groups.base]
    moved = [over_rows(inner, schema, key.expr) for key in groups.keys]
    known = tuple(key for key in moved if key is not None)
    is_function = partial(rewriting.gives_one_result, groups.id, inner, under)
    return Steps(inner, rows, schema, known, is_function) if len(known) == len(moved) else None
