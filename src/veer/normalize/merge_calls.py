"""Grouping keys and aggregates that say the same are one; aggregates nobody reads are gone.

    Aggregate(a, a AS b; sum(x), sum(x) AS y, max(x)), max not read   =>   Aggregate(a; sum(x))

Sound because equal expressions have equal values, unless they are random or aggregates whose result
depends on the order of rows: those stay apart. All keys stay, read or not: they make the groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from veer.analysis.call_kinds import call_kind
from veer.functions.registry import Kind, aggregate_function
from veer.model.expr import AggregateCall, Expr, Named
from veer.model.json import is_alike
from veer.model.ops import Aggregate, AnyOperator, GlobalAggregate, NamedCall
from veer.model.schema import Schema
from veer.model.types import LONG, has_floats
from veer.model.walk import exprs_in
from veer.normalize.distinct_by_key import distinct_by_key
from veer.normalize.expressions import is_random
from veer.normalize.extreme_rows import EXTREMES, of_first_rows
from veer.normalize.merge_aggregates import as_first_step
from veer.normalize.plain_calls import Spelling, composed, counted_flag, just, plain_call
from veer.normalize.rewriting import Rewriting, View
from veer.normalize.split_sums import split_sum

# Where nobody reads an aggregate over all rows there still is one.
ROWS = NamedCall("row", AggregateCall("count", (), LONG))


def merge_calls(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View | None:
    """An aggregate over what is placed below, each key and each call that is read once."""
    if not isinstance(operator, Aggregate | GlobalAggregate):
        return None
    (view,) = below
    old_keys = operator.keys if isinstance(operator, Aggregate) else ()
    keys, places = _merged_keys(rewriting, id_, old_keys, below)
    wanted = {
        i: rewriting.rewritten(operator.calls[i - len(old_keys)], id_, below).call
        for i in rewriting.wanted[id_]
        if i >= len(old_keys)
    }
    rows = rewriting.present(view.base)
    values = _spelled(wanted, rows, is_global=not keys)
    if rewriting.is_last:
        values = {i: _in_parts(value, rows, is_global=not keys) for i, value in values.items()}
    base, keys, values = _at_once(rewriting, id_, view.base, keys, values)
    if keys:
        by = [key.expr for key in keys]
        values = {i: of_first_rows(rewriting, id_, base, by, v) for i, v in values.items()}
    calls: list[NamedCall] = []
    at: dict[int, list[int]] = {}
    for i, value in values.items():
        named = (NamedCall(operator.calls[i - len(old_keys)].name, call) for call in value.calls)
        plain = (distinct_by_key(rewriting, id_, base, keys, n) for n in named)
        at[i] = [place_of_call(n, keys, calls) for n in plain]
    if keys:
        rewriting.put(id_, Aggregate(tuple(keys), tuple(calls)), (base,))
    else:
        rewriting.put(id_, GlobalAggregate(tuple(calls or [ROWS])), (base,))
    columns: dict[int, Expr] = {i: rewriting.column(id_, place) for i, place in places.items()}
    for i, value in values.items():
        columns[i] = value.compute([rewriting.column(id_, place) for place in at[i]])
    return View(id_, columns)


def _spelled(
    calls: Mapping[int, AggregateCall], rows: Schema, *, is_global: bool
) -> dict[int, Spelling]:
    """Calls in their one spelling."""
    counts_rows = not all(map(_ignores_duplicates, calls.values()))

    def plain(call: AggregateCall) -> Spelling:
        if any(map(is_random, exprs_in(call))):
            return just(call)
        flag = counted_flag(call, rows, is_global=is_global) if counts_rows else just(call)
        return composed(flag, [plain_call(c, rows, is_global=is_global) for c in flag.calls])

    return {i: plain(call) for i, call in calls.items()}


def _in_parts(value: Spelling, rows: Schema, *, is_global: bool) -> Spelling:
    """Sums of several parts as several sums; before, two steps of one sum are to become one."""

    def in_parts(call: AggregateCall) -> Spelling:
        split = split_sum(call, rows)
        if split.call is not None:
            return split
        return composed(split, [plain_call(c, rows, is_global=is_global) for c in split.calls])

    return composed(value, [in_parts(call) for call in value.calls])


def _ignores_duplicates(call: AggregateCall) -> bool:
    return call.distinct or aggregate_function(call.function).ignores_duplicates


def _at_once(
    rewriting: Rewriting, id_: str, base: str, keys: list[Named], values: dict[int, Spelling]
) -> tuple[str, list[Named], dict[int, Spelling]]:
    """What is aggregated, the keys and values over it: in one step where there are several."""
    inner = rewriting.operators[base]
    if not isinstance(inner, Aggregate):
        return base, keys, values
    (under,) = rewriting.inputs[base]
    rows, schema = rewriting.schemas[under], rewriting.schemas[base]
    is_function = partial(rewriting.gives_one_result, id_, inner, under)
    steps = as_first_step(inner, rows, schema, [key.expr for key in keys], is_function)
    if steps is None:
        return base, keys, values
    joined: dict[int, Spelling] = {}
    for i, value in values.items():
        parts = [steps.call(call) for call in value.calls]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return base, keys, values
        joined[i] = composed(value, known)
    moved = [replace(key, expr=expr) for key, expr in zip(keys, steps.keys, strict=True)]
    return _at_once(rewriting, id_, under, moved, joined)


def _merged_keys(
    rewriting: Rewriting, id_: str, old: Sequence[Named], below: Sequence[View]
) -> tuple[list[Named], dict[int, int]]:
    """The different keys, and where each of the old ones stands among them."""
    keys: list[Named] = []
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


def place_of_call(named: NamedCall, keys: Sequence[Named], calls: list[NamedCall]) -> int:
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


def _is_of_key(call: AggregateCall, key: Expr) -> bool:
    if call.function not in EXTREMES or call.where is not None or has_floats(key.type):
        return False
    return is_alike(call.args[0], key) and not is_random(key)
