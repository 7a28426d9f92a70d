"""Semi and anti joins as conditions, which then go as far down as others do.

    Join semi (a = b) <- t, u   =>   Filter(EXISTS (u WHERE b = t.a)) <- t

Exact: a semi join keeps the rows for which the other input has a row with which its condition is
true, an anti join the others.
"""

from __future__ import annotations

from veer.facts.determinism import resting_on
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow, Link
from veer.ir.walk import outer_columns, parts, transform
from veer.rewrite.builder import Builder, may_be_ordered
from veer.rewrite.columns import column_at
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random


def semi_joins_to_exists(dataflow: Dataflow) -> Dataflow:
    """The dataflow with filters in place of semi and anti joins."""
    builder = Builder(dataflow)
    for id_ in dataflow.order:
        condition = _condition(dataflow, id_)
        if condition is not None:
            builder.put(id_, ops.Filter(condition), dataflow.inputs[id_][:1])
    return builder.dataflow()


def _condition(dataflow: Dataflow, id_: str) -> ex.Expr | None:
    """What a row of the left input has to fulfil; None if it is no such join."""
    join = dataflow.operators[id_]
    if not isinstance(join, ops.Join) or join.kind not in (ops.JoinKind.SEMI, ops.JoinKind.ANTI):
        return None
    left, right = dataflow.inputs[id_]
    on = join.condition
    if may_be_ordered(dataflow, left) or right in resting_on(dataflow, Kind.CHOICE, Kind.PARTITION):
        return None
    if on is not None and (is_random(on) or has_query(on) or _reads_around(on)):
        return None
    # What reads a row around this dataflow would read a row of the left input instead.
    if any(outer_columns(_matches(dataflow, left, right, None))):
        return None
    query = _matches(dataflow, left, right, on)
    return ex.Exists(query) if join.kind == ops.JoinKind.SEMI else ex.Not(ex.Exists(query))


def _matches(dataflow: Dataflow, left: str, right: str, on: ex.Expr | None) -> Dataflow:
    """The rows of the right input that fit the row around them."""
    below = dataflow.ancestors(right)
    operators = {i: dataflow.operators[i] for i in dataflow.order if i in below}
    links = [Link(b, i, port) for i in operators for port, b in enumerate(dataflow.inputs[i])]
    top = right
    if on is not None:
        ours, theirs = dataflow.schemas[left], dataflow.schemas[right]
        both, width = ours + theirs, len(ours)

        def node(part: ex.Expr) -> ex.Expr:
            if not isinstance(part, ex.Column):
                return part
            place = both.place(part.name, part.occurrence)
            if place >= width:
                return column_at(theirs, place - width)
            column = column_at(ours, place)
            return ex.OuterColumn(column.name, column.type, column.occurrence)

        top = f"{right} matching"
        operators[top] = ops.Filter(transform(on, node))
        links.append(Link(right, top, 0))
    sink = f"{right} matches"
    operators[sink] = ops.Sink("query")
    return Dataflow(operators, [*links, Link(top, sink, 0)])


def _reads_around(condition: ex.Expr) -> bool:
    return any(isinstance(n, ex.OuterColumn) for n in parts(condition))
