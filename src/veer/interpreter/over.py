"""Window functions: partitions, order, frames.

Rows with a null partition key are one partition. Rows that tie are peers: RANK and RANGE frames take them
together, ROW_NUMBER and ROWS frames cut between them in the order in which they come.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.moments import add_days
from veer.functions.ordering import group_key, sort_key
from veer.functions.registry import OVER, over_function
from veer.functions.traits import OverMeaning
from veer.interpreter.expressions import Environment, Row, compile_expr
from veer.interpreter.ordering import compile_order
from veer.interpreter.steps import Outer, Signal, Step
from veer.ir import types as ty
from veer.ir.expr import OverCall
from veer.ir.ops import Over
from veer.ir.schema import Schema


def compile_over(operator: Over, inputs: Sequence[Schema], outer: Outer) -> Step:
    """The rows with the values of window functions behind them."""
    columns = [_compile_call(named.call, inputs[0], outer) for named in operator.calls]

    def step(signals: list[Signal], env: Environment) -> Signal:
        rows = signals[0].rows
        added = [column(rows, env) for column in columns]
        return Signal([row + tuple(c[i] for c in added) for i, row in enumerate(rows)])

    return step


def _compile_call(
    call: OverCall, schema: Schema, outer: tuple[Schema, ...]
) -> Callable[[list[Row], Environment], list[Any]]:
    """The column a window function adds, as a function of all rows."""
    schemas = (schema, *outer)
    partition = [(compile_expr(e, schemas), group_key(e.type)) for e in call.partition]
    arrange = compile_order(call.order, schemas)
    args = [compile_expr(a, schemas) for a in call.args]
    where = None if call.where is None else compile_expr(call.where, schemas)
    meaning = over_function(call.function).meaning(tuple(a.type for a in call.args), call.type)
    ranking = call.function in OVER and not OVER[call.function].reads_frame

    def column(rows: list[Row], env: Environment) -> list[Any]:
        parts: dict[Any, list[int]] = {}
        for i, row in enumerate(rows):
            name = tuple(key(value(row, env)) for value, key in partition)
            parts.setdefault(name, []).append(i)
        out: list[Any] = [None] * len(rows)
        for places in parts.values():
            order, peers = arrange([rows[i] for i in places], env)
            members = [places[n] for n in order]
            values = [tuple(a(rows[i], env) for a in args) for i in members]
            if ranking:
                results = _ranked(call, meaning, peers, values)
            else:
                kept = [where is None or where(rows[i], env) is True for i in members]
                bounds = _frames(call, [rows[i] for i in members], peers, schemas, env)
                results = [_framed(call, meaning, values[lo:hi], kept[lo:hi]) for lo, hi in bounds]
            for i, value in zip(members, results, strict=True):
                out[i] = value
        return out

    return column


def _ranked(
    call: OverCall, meaning: Callable[..., list[Any]], peers: list[int], values: list[Row]
) -> list[Any]:
    """A ranking function, LAG or LEAD on the rows of a sorted partition; IGNORE NULLS is of the last two."""
    if not call.ignore_nulls:
        return meaning(peers, values)
    # Steps count the rows whose value is not null; the row itself may be null.
    step = -1 if OVER[call.function].prover is OverMeaning.EARLIER else 1
    out = []
    for i, row in enumerate(values):
        wanted = row[1] if len(row) > 1 else 1
        missing = row[2] if len(row) > 2 else None
        j, seen = i, 0
        while seen < abs(wanted):
            j += step if wanted > 0 else -step
            if not 0 <= j < len(values):
                break
            seen += values[j][0] is not None
        out.append(values[j][0] if 0 <= j < len(values) else missing)
    return out


def _framed(
    call: OverCall, meaning: Callable[[list[Row]], Any], values: list[Row], kept: list[bool]
) -> Any:
    """An aggregate of the rows of one frame that pass its FILTER."""
    rows = [v for v, keep in zip(values, kept, strict=True) if keep]
    if call.ignore_nulls:
        rows = [v for v in rows if v[0] is not None]
    return meaning(rows)


def _frames(
    call: OverCall, rows: list[Row], peers: list[int], schemas: tuple[Schema, ...], env: Environment
) -> list[tuple[int, int]]:
    """For each row of a sorted partition the half-open range its frame covers."""
    size, frame = len(rows), call.frame
    if frame.unit == "rows":
        low = [0 if frame.start is None else i + frame.start for i in range(size)]
        high = [size if frame.end is None else i + frame.end + 1 for i in range(size)]
    elif frame.start in (None, 0) and frame.end in (None, 0):
        low = [0 if frame.start is None else bisect_left(peers, p) for p in peers]
        high = [size if frame.end is None else bisect_right(peers, p) for p in peers]
    else:
        low, high = _range_bounds(call, rows, peers, schemas, env)
    return [
        (min(max(a, 0), size), max(min(b, size), min(max(a, 0), size)))
        for a, b in zip(low, high, strict=True)
    ]


def _range_bounds(
    call: OverCall, rows: list[Row], peers: list[int], schemas: tuple[Schema, ...], env: Environment
) -> tuple[list[int], list[int]]:
    """RANGE with offsets: rows whose only sort key lies within a distance of the current one."""
    (key,) = call.order
    value = compile_expr(key.expr, schemas)
    order = sort_key(key.expr.type)
    column = [value(row, env) for row in rows]
    size = len(rows)

    def shifted(v: Any, offset: Any) -> Any:
        distance = offset if key.ascending else -offset
        edge: Any = add_days(v, distance) if key.expr.type == ty.DATE else v + distance
        bits = ty.INTEGER_BITS.get(key.expr.type)
        if bits is not None and not -(1 << bits - 1) <= edge < 1 << bits - 1:
            # Under ANSI Spark fails, without it the bound wraps; a plan tells not which of them.
            raise UnsupportedError(f"a bound of RANGE beyond {key.expr.type}")
        return edge

    def before(a: Any, b: Any) -> bool:
        return bool(order(a) < order(b)) if key.ascending else bool(order(a) > order(b))

    low, high = [], []
    for i, v in enumerate(column):
        if v is None:  # the frame of a null is its peers
            low.append(0 if call.frame.start is None else bisect_left(peers, peers[i]))
            high.append(size if call.frame.end is None else bisect_right(peers, peers[i]))
            continue
        start, end = 0, size
        if call.frame.start is not None:
            edge = shifted(v, call.frame.start)
            start = next(
                (j for j, w in enumerate(column) if w is not None and not before(w, edge)), size
            )
        if call.frame.end is not None:
            edge = shifted(v, call.frame.end)
            inside = [j for j, w in enumerate(column) if w is not None and not before(edge, w)]
            end = inside[-1] + 1 if inside else 0
        low.append(start)
        high.append(end)
    return low, high
