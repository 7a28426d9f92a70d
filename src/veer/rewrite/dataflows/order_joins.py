"""Inner joins in an order of their own, whatever order they were written in.

    Join (b = c) <- Join (a = b) <- t(a), u(b);  v(c)   and   Join (a = b) <- t,  Join (b = c) <- u, v
        =>   the same joins of t, u and v

What is joined is ordered by what it computes (`fingerprints`), where that is alike by the conditions
it has with the others, and each next one has a condition with those before if one does. Columns
that are equal on all rows are compared with the first of them. Sound because inner joins may be done
in any order, with each condition as soon as its columns are there; a projection puts the columns
back as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from veer.facts.fingerprint import fingerprints
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.dag import Dataflow
from veer.ir.digests import json_digest
from veer.ir.schema import Schema
from veer.ir.walk import outer_columns
from veer.rewrite.builder import Builder
from veer.rewrite.columns import by_place, column_at, places_read
from veer.rewrite.dataflows.implied_predicates import equal_columns, smallest
from veer.rewrite.dataflows.known_predicates import KnownPredicates
from veer.rewrite.expressions import is_random
from veer.rewrite.sweep import Sweeps, last_sweep

MOST_LEVELS = 8  # of joins above operators that are no joins
ROUNDS = 3  # of telling alike inputs apart by their neighbours


@final
@dataclass(frozen=True)
class _Cluster:
    """Inner joins on top of each other: what they join, the conditions over all their columns."""

    leaves: tuple[str, ...]
    schema: Schema
    conditions: tuple[ex.Expr, ...] = ()


def order_joins(dataflow: Dataflow, sweeps: Sweeps) -> Dataflow:
    """The dataflow with the inputs of its inner joins in order, the lowest joins first.

    Sweeps write the projections that put columns back into what stands above them.
    """
    if any(outer_columns(dataflow)):  # a query by itself does not tell all it reads
        return dataflow
    done: set[str] = set()
    for _ in range(MOST_LEVELS):
        tops = _lowest(dataflow, done)
        if not tops:
            break
        holding = KnownPredicates(dataflow)
        builder = Builder(dataflow)
        done |= {_write(builder, top, holding) for top in tops}
        dataflow = last_sweep(builder.dataflow(), sweeps)
    return dataflow


def _lowest(dataflow: Dataflow, done: set[str]) -> list[str]:
    """The topmost joins of clusters below which there is none that is left to do."""
    tops: list[str] = []
    waiting: set[str] = set()  # signals with such a cluster in or below them
    for id_ in dataflow.order:
        if any(i in waiting for i in dataflow.inputs[id_]):
            waiting.add(id_)
        elif _is_inner(dataflow, id_) and not _is_part(dataflow, id_) and id_ not in done:
            tops.append(id_)
            waiting.add(id_)
    return tops


def _is_inner(dataflow: Dataflow, id_: str) -> bool:
    operator = dataflow.operators[id_]
    if not isinstance(operator, ops.Join) or operator.kind not in (
        ops.JoinKind.INNER,
        ops.JoinKind.CROSS,
    ):
        return False
    return operator.condition is None or not is_random(operator.condition)


def _is_part(dataflow: Dataflow, id_: str) -> bool:
    """Whether an inner join is read by one operator alone, an inner join too."""
    readers = dataflow.outputs[id_]
    return len(readers) == 1 and _is_inner(dataflow, readers[0].dst)


def _cluster(dataflow: Dataflow, id_: str) -> _Cluster:
    operator = dataflow.operators[id_]
    assert isinstance(operator, ops.Join)
    sides = []
    for below in dataflow.inputs[id_]:
        if _is_inner(dataflow, below) and _is_part(dataflow, below):
            sides.append(_cluster(dataflow, below))
        else:
            sides.append(_Cluster((below,), dataflow.schemas[below]))
    left, right = sides
    both = left.schema + right.schema
    conditions = [
        *left.conditions,
        *(_moved(c, right.schema, both, len(left.schema)) for c in right.conditions),
        *(() if operator.condition is None else conjuncts(operator.condition)),
    ]
    return _Cluster((*left.leaves, *right.leaves), both, tuple(conditions))


def _moved(condition: ex.Expr, schema: Schema, both: Schema, start: int) -> ex.Expr:
    return by_place(condition, schema, lambda at: column_at(both, start + at))


def _write(builder: Builder, top: str, holding: KnownPredicates) -> str:
    """The joins of a cluster anew, their columns put back as they were; the id of the last."""
    dataflow = builder.old
    cluster = _cluster(dataflow, top)
    widths = [len(dataflow.schemas[i]) for i in cluster.leaves]
    starts = [sum(widths[:n]) for n in range(len(widths))]
    order = _order(dataflow, cluster, starts, widths)
    names = [cluster.leaves[n] for n in order]
    schema = dataflow.schemas[names[0]]
    for name in names[1:]:
        schema = schema + dataflow.schemas[name]
    new_starts, at = {}, 0
    for n in order:
        new_starts[n], at = at, at + widths[n]
    table = {starts[n] + i: new_starts[n] + i for n in range(len(widths)) for i in range(widths[n])}
    conditions = _spanning(
        by_place(cluster.conditions, cluster.schema, lambda at: column_at(schema, table[at])),
        schema,
        [(new_starts[n], _equal_places(dataflow, holding, cluster.leaves[n])) for n in order],
        widths=[widths[n] for n in order],
    )
    base, width = names[0], widths[order[0]]
    for step, n in enumerate(order[1:], 1):
        width += widths[n]
        last = step == len(order) - 1
        ready = [c for c in conditions if max(places_read(c, schema), default=0) < width or last]
        conditions = [c for c in conditions if c not in ready]
        kept = smallest(ready, schema)
        condition = conjunction(kept) if kept else None
        join = ops.Join(ops.JoinKind.INNER if kept else ops.JoinKind.CROSS, condition)
        base = builder.add(f"{top} step {step}", join, (base, cluster.leaves[n]))
    back = tuple(
        ex.Named(f.name, column_at(schema, table[i])) for i, f in enumerate(cluster.schema)
    )
    builder.put(top, ops.Project(back), (base,))
    return base


def _equal_places(dataflow: Dataflow, holding: KnownPredicates, leaf: str) -> list[set[int]]:
    """Which columns of an input are equal on all its rows."""
    schema = dataflow.schemas[leaf]
    classes = equal_columns(holding.of(leaf)).values()
    return [{schema.place(c.name, c.occurrence) for c in members} for members in classes]


def _spanning(
    conditions: Sequence[ex.Expr],
    schema: Schema,
    inputs: Sequence[tuple[int, list[set[int]]]],
    *,
    widths: Sequence[int],
) -> list[ex.Expr]:
    """The conditions with each column that equals others compared with the first of them only.

    `inputs` are where each begins and which of its columns are equal anyway.
    """
    classes = equal_columns(conditions)
    kept = [c for c in conditions if not _is_equality(c, classes)]
    for members in {id(m): m for m in classes.values()}.values():
        places = sorted(schema.place(c.name, c.occurrence) for c in members)
        firsts = []  # of each input
        for (start, equal), width in zip(inputs, widths, strict=True):
            inside = [p for p in places if start <= p < start + width]
            firsts += inside[:1]
            kept += [
                _equality(schema, inside[0], p)
                for p in inside[1:]
                if not any({inside[0] - start, p - start} <= same for same in equal)
            ]
        kept += [_equality(schema, firsts[0], p) for p in firsts[1:]]
    return kept


def _equality(schema: Schema, one: int, other: int) -> ex.Expr:
    return ex.Compare("=", column_at(schema, one), column_at(schema, other))


def _order(
    dataflow: Dataflow, cluster: _Cluster, starts: Sequence[int], widths: Sequence[int]
) -> list[int]:
    """The inputs in an order that does not depend on how they were written."""
    by_signal = fingerprints(dataflow)
    plain = [by_signal[_below_filters(dataflow, leaf)] for leaf in cluster.leaves]
    colors = [by_signal[leaf] for leaf in cluster.leaves]
    owner = {
        s + i: n for n, (s, w) in enumerate(zip(starts, widths, strict=True)) for i in range(w)
    }
    neighbours: list[list[tuple[int, str]]] = [[] for _ in colors]
    for condition in _with_all_equalities(cluster.conditions):
        places = sorted(places_read(condition, cluster.schema))
        for place in places:
            for other in places:
                if owner[place] != owner[other]:
                    edge = f"{place - starts[owner[place]]} {other - starts[owner[other]]}"
                    neighbours[owner[place]].append((owner[other], edge))
    for _ in range(ROUNDS):
        colors = [
            json_digest([color, sorted([edge, colors[m]] for m, edge in near)], 32)
            for color, near in zip(colors, neighbours, strict=True)
        ]
    left = sorted(range(len(colors)), key=lambda n: (plain[n], colors[n], n))
    order = [left.pop(0)]
    while left:
        joined = [n for n in left if any(m in order for m, _ in neighbours[n])]
        order.append((joined or left)[0])
        left.remove(order[-1])
    return order


def _below_filters(dataflow: Dataflow, id_: str) -> str:
    """What is filtered; how conditions are spelled should not decide the order."""
    while isinstance(dataflow.operators[id_], ops.Filter):
        (id_,) = dataflow.inputs[id_]
    return id_


def _with_all_equalities(conditions: Sequence[ex.Expr]) -> list[ex.Expr]:
    """The conditions with each two columns compared that follow to be equal."""
    classes = equal_columns(conditions)
    every = [c for c in conditions if not _is_equality(c, classes)]
    for members in {id(m): m for m in classes.values()}.values():
        for place, one in enumerate(members):
            every += [ex.Compare("=", one, other) for other in members[place + 1 :]]
    return every


def _is_equality(condition: ex.Expr, classes: Mapping[ex.Column, list[ex.Column]]) -> bool:
    """Whether a condition says that two columns of a class are equal."""
    match condition:
        case ex.Compare("=", ex.Column() as left, ex.Column() as right):
            return right in classes.get(left, ())
        case _:
            return False
