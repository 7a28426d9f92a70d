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
from veer.model.expr import AggregateCall, Call, Case, Cast, Column, Expr, Literal, arguments
from veer.model.nullability import is_nullable
from veer.model.schema import Schema
from veer.model.types import DataType, DecimalType, IntegralType
from veer.model.walk import parts
from veer.normalize.expressions import is_random
from veer.normalize.plain_calls import Spelling, composed, just, only_if, plain_call, sum_of
from veer.normalize.rewriting import Grouping


def split_sums(groups: Grouping) -> Grouping:
    """Sums of several parts as several sums, in the last sweep: before, two steps become one sum."""
    if not groups.rewriting.is_last:
        return groups
    rows = groups.rewriting.refined_schema(groups.base)

    def in_parts(call: AggregateCall) -> Spelling:
        split = _split_sum(call, rows)
        if split.call is not None:
            return split
        parts = [plain_call(c, rows, is_global=groups.is_global) for c in split.calls]
        return composed(split, parts)

    return groups.each(in_parts)


def _split_sum(call: AggregateCall, rows: Schema) -> Spelling:
    """A sum as sums of its parts, of the same type; itself if there is nothing to split."""
    if call.function != "sum" or call.distinct or call.where is not None:
        return just(call)
    if not isinstance(call.type, IntegralType | DecimalType) or is_random(call.args[0]):
        return just(call)
    spelling = _split(call.args[0], rows)
    if spelling.call is not None or not _is_exact_of(spelling):
        return just(call)
    return composed(Spelling((call,), lambda values: _as_type(values[0], call.type)), [spelling])


def _split(value: Expr, rows: Schema) -> Spelling:
    match value:
        case Call("+" | "-" as op, (left, right)) if is_exact(value) and not (
            _is_constant(left) or _is_constant(right) or is_nullable(value, rows)
        ):
            both = [_split(left, rows), _split(right, rows)]
            return composed(Spelling((), lambda values: _combined(op, values)), both)
        case Cast(arg) if keeps_number(value) and isinstance(arg, Call | Cast):
            inner = _split(arg, rows)
            return just(sum_of(value)) if inner.call is not None else inner
        case Case(((when, then),), Literal(None)):
            inner = _split(then, rows)
            if inner.call is not None:
                return just(sum_of(value))
            calls = tuple(
                replace(call, args=(only_if(when, call.args[0]),)) for call in inner.calls
            )
            return Spelling(calls, inner.compute)
    return just(sum_of(value))


def _is_exact_of(spelling: Spelling) -> bool:
    """Whether nothing is rounded where the sums of the parts are put together."""
    value = spelling.compute([Column(f"c{i}", c.type) for i, c in enumerate(spelling.calls)])
    return all(is_exact(part) for part in parts(value) if isinstance(part, Call))


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Literal)


def _combined(op: str, values: Sequence[Expr]) -> Expr:
    """Two sums added or subtracted."""
    given = tuple(values)
    resolved = scalar_function(op).resolve(arguments(given))
    cast = (_as_type(v, t) for v, t in zip(given, resolved.arguments, strict=True))
    return Call(op, tuple(cast), resolved.result)


def _as_type(value: Expr, type_: DataType) -> Expr:
    return value if value.type == type_ else Cast(value, type_)
