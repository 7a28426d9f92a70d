"""Equal grouping keys become one, equal aggregates too; an aggregate that nothing reads is left out.

    Aggregate(a, a AS b; sum(x), sum(x) AS y, max(x)), max not read   =>   Aggregate(a; sum(x))

Sound because equal expressions have equal values, unless they are random or aggregates whose result
depends on the order of rows: those stay apart. All keys stay, read or not: they make the groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.facts.call_kinds import call_kind
from veer.functions.registry import Kind, aggregate_function
from veer.ir import expr as ex, ops, types as ty
from veer.ir.json import is_alike
from veer.ir.walk import exprs_in
from veer.rewrite import plain_calls
from veer.rewrite.expressions import is_random
from veer.rewrite.operators.argmax import EXTREMES
from veer.rewrite.rewriting import Grouping, Rewriting, View

# An aggregate over all rows computes this where nothing of it is read.
ROWS = ops.NamedCall("row", ex.AggregateCall("count", (), ty.LONG))


def merge_aggregate_calls(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """An aggregate over what is placed below, each key and each call that is read once."""
    if not isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
        return None
    (view,) = below
    old_keys = operator.keys if isinstance(operator, ops.Aggregate) else ()
    keys, places = _merged_keys(rewriting, id_, old_keys, below)
    values = {
        i: plain_calls.just(rewriting.rewritten(operator.calls[i - len(old_keys)], id_, below).call)
        for i in rewriting.needed[id_]
        if i >= len(old_keys)
    }
    groups = Grouping(rewriting, id_, view.base, tuple(keys), values)
    for step in rewriting.laws.of_aggregates:
        groups = step(groups)
    calls: list[ops.NamedCall] = []
    at: dict[int, list[int]] = {}
    for i, value in groups.values.items():
        name = operator.calls[i - len(old_keys)].name
        at[i] = [place_of_call(ops.NamedCall(name, c), groups.keys, calls) for c in value.calls]
    if groups.is_global:
        rewriting.put(id_, ops.GlobalAggregate(tuple(calls or [ROWS])), (groups.base,))
    else:
        rewriting.put(id_, ops.Aggregate(groups.keys, tuple(calls)), (groups.base,))
    columns: dict[int, ex.Expr] = {i: rewriting.column(id_, place) for i, place in places.items()}
    for i, value in groups.values.items():
        columns[i] = value.compute([rewriting.column(id_, place) for place in at[i]])
    return View(id_, columns)


def spell_calls(groups: Grouping) -> Grouping:
    """The calls of an aggregate, each in its one spelling."""
    calls = [call for value in groups.values.values() for call in value.calls]
    counts_rows = not all(map(_ignores_duplicates, calls))
    rows = groups.rewriting.refined_schema(groups.base)

    def plain(call: ex.AggregateCall) -> plain_calls.Spelling:
        if any(map(is_random, exprs_in(call))):
            return plain_calls.just(call)
        is_global = groups.is_global
        flag = (
            plain_calls.counted_flag(call, rows, is_global=is_global)
            if counts_rows
            else plain_calls.just(call)
        )
        return plain_calls.composed(
            flag, [plain_calls.plain_call(c, rows, is_global=is_global) for c in flag.calls]
        )

    return groups.each(plain)


def distinct_by_key(groups: Grouping) -> Grouping:
    """An aggregate without DISTINCT where no two rows of a group agree on the arguments."""
    keys = [key.expr for key in groups.keys]

    def plain(call: ex.AggregateCall) -> plain_calls.Spelling:
        by = [*keys, *call.args]
        if call.distinct and groups.rewriting.are_unique(groups.id, groups.base, by):
            return plain_calls.just(replace(call, distinct=False))
        return plain_calls.just(call)

    return groups.each(plain)


def _ignores_duplicates(call: ex.AggregateCall) -> bool:
    return call.distinct or aggregate_function(call.function).ignores_duplicates


def _merged_keys(
    rewriting: Rewriting, id_: str, old: Sequence[ex.Named], below: Sequence[View]
) -> tuple[list[ex.Named], dict[int, int]]:
    """The different keys, and where each of the old ones stands among them."""
    keys: list[ex.Named] = []
    places: dict[int, int] = {}
    for i, old_key in enumerate(old):
        key = rewriting.rewritten(old_key, id_, below)
        same = (j for j, other in enumerate(keys) if is_alike(other.expr, key.expr))
        # Two random keys are two draws, though written alike.
        place = None if is_random(key.expr) else next(same, None)
        if place is None:
            place = len(keys)
            keys.append(key)
        places[i] = place
    return keys, places


def place_of_call(
    named: ops.NamedCall, keys: Sequence[ex.Named], calls: list[ops.NamedCall]
) -> int:
    """Where a call stands among keys and other calls; it is added unless it is one of them.

    The greatest and the least value of a key in its group is the key, but for the sign of a zero.
    """
    for place, key in enumerate(keys):
        if _is_of_key(named.call, key.expr):
            return place
    if call_kind(named.call) is Kind.PURE and not any(map(is_random, exprs_in(named))):
        for place, other in enumerate(calls):
            if is_alike(other.call, named.call):
                return len(keys) + place
    calls.append(named)
    return len(keys) + len(calls) - 1


def _is_of_key(call: ex.AggregateCall, key: ex.Expr) -> bool:
    if call.function not in EXTREMES or call.where is not None or ty.has_floats(key.type):
        return False
    return is_alike(call.args[0], key) and not is_random(key)
