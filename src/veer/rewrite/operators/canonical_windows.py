"""Window functions in one spelling: what a function does not see is not part of it.

    sum(x) OVER (PARTITION BY b, a, a ORDER BY b, id RANGE UNBOUNDED PRECEDING), id a key
        =>   sum(x) OVER (PARTITION BY a, b ORDER BY id ROWS UNBOUNDED PRECEDING)
    sum(x) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
        =>   sum(x) OVER (ORDER BY id DESC NULLS LAST ROWS UNBOUNDED PRECEDING)
    max(x) OVER (PARTITION BY a ORDER BY b RANGE UNBOUNDED TO UNBOUNDED)
        =>   max(x) OVER (PARTITION BY a)
    sum(x) OVER (ORDER BY n), n being row_number() OVER (ORDER BY id)   =>   sum(x) OVER (ORDER BY id)
    lead(x) OVER (ORDER BY id)   =>   lag(x, 1, null) OVER (ORDER BY id DESC NULLS LAST)

Sound because rows of a partition agree on its keys and on constants, so sorting by these changes
nothing; because after keys that tell all rows of a partition apart further ones have nothing to
decide; and because then every row is its own only peer. A call whose result depends on how ties are
broken, or on the order in which it adds, is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from veer.facts.call_kinds import adds_floats
from veer.facts.determinism import expr_kind, over_kind
from veer.facts.keys import Uniqueness
from veer.functions.registry import AGGREGATE, OVER, Kind
from veer.functions.traits import OverMeaning
from veer.ir import expr as ex, types as ty
from veer.ir.json import encode, is_alike
from veer.ir.ops import Over
from veer.ir.schema import Schema
from veer.ir.walk import exprs_in
from veer.rewrite.columns import by_place
from veer.rewrite.expressions import is_random
from veer.rewrite.plain_calls import plain_call
from veer.rewrite.rewriting import Rewriting

UP_TO_ROW = ex.Frame("rows", None, 0)
CHOOSING = (Kind.CHOICE, Kind.PARTITION)
SHIFTS = (OverMeaning.EARLIER, OverMeaning.LATER)


def number_by_keys(rewriting: Rewriting, _: str, base: str, call: ex.OverCall) -> ex.OverCall:
    """A call over a placed signal by its different keys, not by numbers of rows of its partition."""
    if any(map(is_random, exprs_in(call))):
        return call
    call = replace(call, partition=_partition(rewriting, base, call))
    return replace(call, order=tuple(_keys_numbered(rewriting, base, call)))


def rank_by_key(rewriting: Rewriting, id_: str, base: str, call: ex.OverCall) -> ex.OverCall:
    """A rank without ties is a row number.

        rank() OVER (ORDER BY id), id a key   =>   row_number() OVER (ORDER BY id)

    Sound because ranks differ from row numbers on rows that tie alone, and no two rows agree on a key.
    """
    if call.function not in ("rank", "dense_rank"):
        return call
    exprs = [*call.partition, *(key.expr for key in call.order)]
    is_unique = rewriting.are_unique(id_, base, exprs)
    return replace(call, function="row_number") if is_unique else call


def spell_window(rewriting: Rewriting, id_: str, base: str, call: ex.OverCall) -> ex.OverCall:
    """A call over a placed signal that gives one result, in its one spelling."""
    if any(map(is_random, exprs_in(call))) or not give_one_result(rewriting, id_, base, (call,)):
        return call
    if not _has_distances(call.frame):
        call = _plain_order(rewriting, id_, base, call)
    if call.function in OVER:
        if OVER[call.function].reads_frame:
            return call
        return _looking_back(replace(call, frame=UP_TO_ROW))
    return _plain_aggregate(rewriting, id_, base, call)


def give_one_result(
    rewriting: Rewriting, id_: str, base: str, calls: Iterable[ex.OverCall]
) -> bool:
    """Whether window functions over a placed signal give one result; keys it rests on are noted."""
    given = list(calls)
    if any(expr_kind(e) in CHOOSING for call in given for e in exprs_in(call)):
        return False
    schema, unique = rewriting.schemas[base], rewriting.unique(base)
    if any(over_kind(call, schema, unique) in CHOOSING for call in given):
        return False
    if any(over_kind(call, schema, Uniqueness()) in CHOOSING for call in given):
        rewriting.note_keys(id_)
    return True


def in_place_order(call: ex.OverCall, schema: Schema) -> str:
    """A text by which calls are sorted; places stand for columns."""
    return _text(call, schema)


# -- partition and order -----------------------------------------------------------------------------


def _partition(rewriting: Rewriting, base: str, call: ex.OverCall) -> tuple[ex.Expr, ...]:
    """The different keys that are no constants, sorted."""
    keys: list[ex.Expr] = []
    for key in call.partition:
        if not rewriting.is_constant(base, key) and not is_among(key, keys):
            keys.append(key)
    schema = rewriting.schemas[base]
    return tuple(sorted(keys, key=lambda key: _text(key, schema)))


def _keys_numbered(rewriting: Rewriting, base: str, call: ex.OverCall) -> Iterator[ex.SortKey]:
    """The sort keys, numbers of rows in an order as what that order is by.

    Row numbers of the same partition come in the order in which they are given.
    """
    for key in call.order:
        by_rows = call.frame.unit == "rows" or not _has_distances(call.frame)
        numbered = row_number(rewriting, base, key.expr) if by_rows else None
        if numbered is None or not is_alike(numbered.partition, call.partition):
            yield key
        else:
            yield from (k if key.ascending else backwards(k) for k in numbered.order)


def row_number(rewriting: Rewriting, base: str, expr: ex.Expr) -> ex.OverCall | None:
    """The call that a column is the result of, if it numbers the rows of a partition without ties."""
    while isinstance(expr, ex.Column) and isinstance(over := rewriting.operators[base], Over):
        (rows,) = rewriting.inputs[base]
        place = rewriting.schemas[base].place(expr.name, expr.occurrence)
        at = place - len(rewriting.schemas[rows])
        if at >= 0:
            call = over.calls[at].call
            kind = over_kind(call, rewriting.schemas[rows], rewriting.unique(rows))
            return call if call.function == "row_number" and kind is Kind.PURE else None
        base = rows
    return None


def backwards(key: ex.SortKey) -> ex.SortKey:
    """A sort key of the other order, in which nulls change ends."""
    return ex.SortKey(key.expr, not key.ascending, not key.nulls_first)


def _plain_order(rewriting: Rewriting, id_: str, base: str, call: ex.OverCall) -> ex.OverCall:
    """The call with those sort keys alone that can decide between two rows of a partition."""
    # Within a partition 0.0 comes with -0.0, which sorting takes for equal too.
    seen = list(call.partition)
    kept: list[ex.SortKey] = []
    for key in call.order:
        if rewriting.is_constant(base, key.expr) or is_among(key.expr, seen):
            continue
        if kept and rewriting.are_unique(id_, base, seen):
            break
        kept.append(key)
        seen.append(key.expr)
    if not kept and (call.function in OVER or call.frame.unit == "rows"):
        kept = list(call.order[:1])  # they need an order, though there is nothing to decide
    return replace(call, order=tuple(kept))


# -- frames --------------------------------------------------------------------------------------------


def _plain_aggregate(rewriting: Rewriting, id_: str, base: str, call: ex.OverCall) -> ex.OverCall:
    """An aggregate over the whole partition, or over rows instead of peers, if it is one."""
    call = _from_the_start(_plain_condition(rewriting, base, call))
    frame = call.frame
    if _has_distances(frame):
        return call
    is_whole = frame.start is None and frame.end is None
    if is_whole or (frame.unit == "range" and not call.order):
        call = replace(call, frame=ex.WHOLE)
        return replace(call, order=()) if _ignores_order(call) else call
    if frame.unit == "range":
        exprs = [*call.partition, *(k.expr for k in call.order)]
        if rewriting.are_unique(id_, base, exprs):
            return replace(call, frame=ex.Frame("rows", frame.start, frame.end))
    return call


def _from_the_start(call: ex.OverCall) -> ex.OverCall:
    """Frames up to the last row, as frames from the first in the other order.

    Where peers are taken together there is no other bound than the row itself.
    """
    start, end = call.frame.start, call.frame.end
    is_known = start == 0 or (call.frame.unit == "rows" and isinstance(start, int))
    if end is not None or start is None or not is_known or not _ignores_order(call):
        return call
    order = tuple(map(backwards, call.order))
    return replace(call, order=order, frame=ex.Frame(call.frame.unit, None, -start))


def _plain_condition(rewriting: Rewriting, base: str, call: ex.OverCall) -> ex.OverCall:
    """An aggregate under a condition in one spelling; a frame that has its row is not empty."""
    if call.ignore_nulls:
        return call
    aggregate = ex.AggregateCall(call.function, call.args, call.type, where=call.where)
    has_row = call.frame.start in (None, 0) and call.frame.end in (None, 0)
    plain = plain_call(aggregate, rewriting.schemas[base], is_global=not has_row).call
    if plain is None:
        return call
    return replace(call, function=plain.function, args=plain.args, where=plain.where)


def _ignores_order(call: ex.OverCall) -> bool:
    function = AGGREGATE[call.function]
    if adds_floats(call) or any(ty.has_floats(a.type) for a in call.args):
        return False
    return function.ignores_order and function.kind is Kind.PURE


def _has_distances(frame: ex.Frame) -> bool:
    """Whether a frame is bounded by a distance from a row's sort key or place."""
    return frame.start not in (None, 0) or frame.end not in (None, 0)


# -- lag and lead --------------------------------------------------------------------------------------


def _looking_back(call: ex.OverCall) -> ex.OverCall:
    """A row before or after, as a number of rows before; the offset and the default written out.

    Rows that follow are before in the other order, in which nulls change ends.
    """
    if OVER[call.function].prover not in SHIFTS:
        return call
    value, *given = call.args
    offset = given[0] if given else ex.Literal(1, ty.INT)
    default = given[1] if len(given) > 1 else ex.Literal(None, value.type)
    call = replace(call, args=(value, offset, default))
    if OVER[call.function].prover is OverMeaning.EARLIER:
        return call
    return replace(call, function="lag", order=tuple(map(backwards, call.order)))


# -- comparing -----------------------------------------------------------------------------------------


def is_among(expr: ex.Expr, others: Sequence[ex.Expr]) -> bool:
    """Whether an expression is alike one of others."""
    return any(is_alike(expr, other) for other in others)


def _text(part: ex.Expr | ex.OverCall, schema: Schema) -> str:
    types = schema.types
    told_apart = by_place(part, schema, lambda at: ex.Column(f"{at:05}", types[at]))
    return json.dumps(encode(told_apart), sort_keys=True)
