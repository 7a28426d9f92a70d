"""Joins and set operations of plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veer.errors import UnsupportedError
from veer.ir import expr as ex, ops
from veer.ir.schema import Schema
from veer.read.coercion import conjunction
from veer.read.pyspark.plans.signals import PlanSignal, expr_id
from veer.read.pyspark.plans.tree import Node, expression_of

if TYPE_CHECKING:
    from veer.read.pyspark.plans.operators import PlanReader

# Veer's names of join types; a join of another type is refused.
JOINS = {
    "Inner": ops.JoinKind.INNER,
    "Cross": ops.JoinKind.CROSS,
    "LeftOuter": ops.JoinKind.LEFT,
    "FullOuter": ops.JoinKind.FULL,
    "LeftSemi": ops.JoinKind.SEMI,
    "LeftAnti": ops.JoinKind.ANTI,
}


def read_join(reader: PlanReader, node: Node) -> PlanSignal:
    """A join; USING and NATURAL are conditions and projections by the time a plan is analyzed."""
    kind = node.object_name("joinType")
    condition = node.optional("condition")
    if kind == "ExistenceJoin":
        return _existence_join(reader, node, condition)
    left, right = (reader.read(child) for child in node.children)
    if kind == "RightOuter":
        return _right_join(reader, left, right, condition)
    if kind not in JOINS:
        raise UnsupportedError(f"a {kind or 'nameless'} join")
    predicate = None
    if condition is not None:
        predicate = reader.expressions.condition(condition, reader.scope(left, right))
    # An inner join without a condition is Spark's spelling of a cross join, and the other way round.
    name = JOINS[kind]
    if name in (ops.JoinKind.INNER, ops.JoinKind.CROSS):
        name = ops.JoinKind.CROSS if predicate is None else ops.JoinKind.INNER
    expr_ids = (
        left.expr_ids
        if name in (ops.JoinKind.SEMI, ops.JoinKind.ANTI)
        else left.expr_ids + right.expr_ids
    )
    return reader.add_signal(ops.Join(name, predicate), expr_ids, left, right)


def _right_join(
    reader: PlanReader, left: PlanSignal, right: PlanSignal, condition: Node | None
) -> PlanSignal:
    """A left join the other way round, its columns put back in order."""
    predicate = None
    if condition is not None:
        predicate = reader.expressions.condition(condition, reader.scope(right, left))
    turned = reader.add_signal(
        ops.Join(ops.JoinKind.LEFT, predicate), right.expr_ids + left.expr_ids, right, left
    )
    positions = [turned.expr_ids.index(n) for n in left.expr_ids + right.expr_ids]
    columns = tuple(ex.Named(turned.schema.names[i], turned.at(i)) for i in positions)
    return reader.add_signal(ops.Project(columns), left.expr_ids + right.expr_ids, turned)


def _existence_join(reader: PlanReader, node: Node, condition: Node | None) -> PlanSignal:
    """The optimizer's EXISTS as a value: each row once, with whether it has a match."""
    left = reader.read(node.children[0])
    match = expression_of(node.jvm.joinType().exists())
    query = reader.matches(node.children[1], condition, left)
    columns = [ex.Named(f.name, left.at(i)) for i, f in enumerate(left.schema)]
    columns.append(ex.Named(str(match.fields["name"]), ex.Exists(query)))
    return reader.add_signal(ops.Project(tuple(columns)), (*left.expr_ids, expr_id(match)), left)


def read_union(reader: PlanReader, node: Node) -> PlanSignal:
    """UNION ALL; it goes by place and has the first input's columns. UNION is a Distinct above."""
    inputs = [reader.read(child) for child in node.children]
    if node.fields.get("byName"):
        raise UnsupportedError("a union by name that is not resolved")
    return reader.add_signal(ops.Union(), inputs[0].expr_ids, *inputs)


def read_intersect(reader: PlanReader, node: Node) -> PlanSignal:
    """INTERSECT, with ALL or without."""
    return _set_operation(reader, node, ops.IntersectAll(), ops.JoinKind.SEMI)


def read_except(reader: PlanReader, node: Node) -> PlanSignal:
    """EXCEPT, with ALL or without."""
    return _set_operation(reader, node, ops.ExceptAll(), ops.JoinKind.ANTI)


def _set_operation(
    reader: PlanReader, node: Node, operator: ops.AnyOperator, kind: ops.JoinKind
) -> PlanSignal:
    """Without ALL a semi or anti join of the distinct rows: set operations hold null equal to null."""
    left, right = (reader.read(child) for child in node.children)
    if node.fields["isAll"]:
        return reader.add_signal(operator, left.expr_ids, left, right)
    both = Schema((*left.schema, *right.schema))
    width = len(left.schema)
    columns = [ex.Column(f.name, f.type, both.occurrence(i)) for i, f in enumerate(both)]
    same = [ex.Compare("<=>", columns[i], columns[i + width]) for i in range(width)]
    return reader.distinct(
        reader.add_signal(ops.Join(kind, conjunction(same)), left.expr_ids, left, right)
    )
