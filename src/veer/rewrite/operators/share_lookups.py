"""Aggregates over the same rows, to which each has looked up something else.

    Aggregate(a; sum(x)) <- Join(left) <- t, u    and    Aggregate(a; max(y)) <- Join(left) <- t, v
        =>   both over   Join(left) <- Join(left) <- t, u;  v

Sound where a row of t finds one partner at most: each is then there once, with or without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from veer.facts.call_kinds import call_kind
from veer.facts.keys import meets_one
from veer.functions.registry import Kind
from veer.ir.ops import Join, JoinKind
from veer.ir.schema import Schema
from veer.ir.walk import exprs_in
from veer.rewrite.columns import by_place, column_at
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random
from veer.rewrite.operators.placed_aggregates import Groups
from veer.rewrite.rewriting import Rewriting

T = TypeVar("T")


def share_lookups(
    rewriting: Rewriting, id_: str, first: Groups, second: Groups
) -> tuple[Groups, Groups] | None:
    """Two aggregates over rows to which everything is looked up; None if they share no rows."""
    if not _may_move(first) or not _may_move(second):
        return None
    ours, theirs = (_below_lookups(rewriting, groups.rows) for groups in (first, second))
    shared = next((rows for rows in ours if rows in theirs), None)
    if shared is None:
        return None
    rewriting.note_keys(id_)
    rows = first.rows
    for join in reversed(theirs[: theirs.index(shared)]):
        rows = _looked_up(rewriting, rows, join, shared, first.rows)
    schema = rewriting.schemas[rows]
    aggregate = _wider(rewriting, second.aggregate, second.rows, schema, shared, first.rows)
    return (
        replace(first, rows=rows, base=rows, conditions=()),
        replace(second, aggregate=aggregate, rows=rows, base=rows, conditions=()),
    )


def _may_move(groups: Groups) -> bool:
    exprs = (e for part in (groups.aggregate.keys, groups.aggregate.calls) for e in exprs_in(part))
    kinds = (call_kind(named.call) for named in groups.aggregate.calls)
    return all(kind is Kind.PURE for kind in kinds) and not any(map(has_query, exprs))


def _below_lookups(rewriting: Rewriting, rows: str) -> list[str]:
    """A signal, and those below it to whose rows something is looked up."""
    found = [rows]
    while True:
        join = rewriting.operators[rows]
        if not isinstance(join, Join) or join.kind != JoinKind.LEFT or join.condition is None:
            return found
        if is_random(join.condition) or has_query(join.condition):
            return found
        left, right = rewriting.inputs[rows]
        schemas = [rewriting.schemas[i] for i in (left, right)]
        if not meets_one(join, schemas, rewriting.unique(right)):
            return found
        found.append(left)
        rows = left


def _looked_up(rewriting: Rewriting, rows: str, join: str, shared: str, before: str) -> str:
    """Rows with what another join looks up to those they share."""
    right = rewriting.inputs[join][1]
    operator = rewriting.operators[join]
    assert isinstance(operator, Join)
    inputs = [rewriting.schemas[i] for i in (rows, right)]
    condition = _wider(rewriting, operator.condition, join, inputs[0] + inputs[1], shared, before)
    return rewriting.add(join, Join(JoinKind.LEFT, condition), (rows, right))


def _wider(
    rewriting: Rewriting, part: T, old_rows: str, rows: Schema, shared: str, before: str
) -> T:
    """A part of an operator over rows to which more was looked up before."""
    width = len(rewriting.schemas[shared])
    more = len(rewriting.schemas[before]) - width
    return by_place(
        part,
        rewriting.schemas[old_rows],
        lambda at: column_at(rows, at if at < width else at + more),
    )
