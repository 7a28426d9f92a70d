"""Sums of sums and differences as sums and differences of sums.

    sum(a - b), a and b never null   =>   sum(a) - sum(b)
    sum(CASE WHEN c THEN a + b END)  =>   sum(CASE WHEN c THEN a END) + sum(CASE WHEN c THEN b END)

Sound for exact numbers, whose sums do not depend on the order of what is added, and where no part is
null, as a row with one null adds nothing of the other parts. Over no rows both sides are null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.expressions.exact_arithmetic import is_exact, keeps_number
from veer.functions.registry import scalar_function
from veer.ir import expr as ex, types as ty
from veer.ir.nullability import is_nullable
from veer.ir.schema import Schema
from veer.ir.walk import parts
from veer.rewrite import plain_calls
from veer.rewrite.expressions import is_random
from veer.rewrite.rewriting import Grouping


def split_sums(groups: Grouping) -> Grouping:
    """Sums of several parts as several sums, in the last sweep: before, two steps become one sum."""
    if not groups.rewriting.is_last:
        return groups
    rows = groups.rewriting.refined_schema(groups.base)

    def in_parts(call: ex.AggregateCall) -> plain_calls.Spelling:
        split = _split_sum(call, rows)
        if split.call is not None:
            return split
        parts = [plain_calls.plain_call(c, rows, is_global=groups.is_global) for c in split.calls]
        return plain_calls.composed(split, parts)

    return groups.each(in_parts)


def _split_sum(call: ex.AggregateCall, rows: Schema) -> plain_calls.Spelling:
    """A sum as sums of its parts, of the same type; itself if there is nothing to split."""
    if call.function != "sum" or call.distinct or call.where is not None:
        return plain_calls.just(call)
    if not isinstance(call.type, ty.IntegralType | ty.DecimalType) or is_random(call.args[0]):
        return plain_calls.just(call)
    spelling = _split(call.args[0], rows)
    if spelling.call is not None or not _is_exact_of(spelling):
        return plain_calls.just(call)
    return plain_calls.composed(
        plain_calls.Spelling((call,), lambda values: _as_type(values[0], call.type)), [spelling]
    )


def _split(value: ex.Expr, rows: Schema) -> plain_calls.Spelling:
    match value:
        case ex.Call("+" | "-" as op, (left, right)) if is_exact(value) and not (
            _is_constant(left) or _is_constant(right) or is_nullable(value, rows)
        ):
            both = [_split(left, rows), _split(right, rows)]
            return plain_calls.composed(
                plain_calls.Spelling((), lambda values: _combined(op, values)), both
            )
        case ex.Cast(arg) if keeps_number(value) and isinstance(arg, ex.Call | ex.Cast):
            inner = _split(arg, rows)
            return plain_calls.just(plain_calls.sum_of(value)) if inner.call is not None else inner
        case ex.Case(((when, then),), ex.Literal(None)):
            inner = _split(then, rows)
            if inner.call is not None:
                return plain_calls.just(plain_calls.sum_of(value))
            calls = tuple(
                replace(call, args=(plain_calls.only_if(when, call.args[0]),))
                for call in inner.calls
            )
            return plain_calls.Spelling(calls, inner.compute)
    return plain_calls.just(plain_calls.sum_of(value))


def _is_exact_of(spelling: plain_calls.Spelling) -> bool:
    """Whether nothing is rounded where the sums of the parts are put together."""
    value = spelling.compute([ex.Column(f"c{i}", c.type) for i, c in enumerate(spelling.calls)])
    return all(is_exact(part) for part in parts(value) if isinstance(part, ex.Call))


def _is_constant(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal)


def _combined(op: str, values: Sequence[ex.Expr]) -> ex.Expr:
    """Two sums added or subtracted."""
    given = tuple(values)
    resolved = scalar_function(op).resolve(ex.arguments(given))
    cast = (_as_type(v, t) for v, t in zip(given, resolved.arguments, strict=True))
    return ex.Call(op, tuple(cast), resolved.result)


def _as_type(value: ex.Expr, type_: ty.DataType) -> ex.Expr:
    return value if value.type == type_ else ex.Cast(value, type_)
