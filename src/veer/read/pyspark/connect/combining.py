"""Joins, set operations and generators of several inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import UnsupportedError
from veer.ir import expr as ex
from veer.ir.ops import Lateral
from veer.ir.types import StructType
from veer.read.pyspark.connect.expressions import tree_of
from veer.read.pyspark.connect.frames import Frame
from veer.read.sql.joins import joined
from veer.read.sql.scope import Plan, ScopeColumn
from veer.settings import name_key

if TYPE_CHECKING:
    from veer.read.pyspark.connect.relations import RelationReader

# The words of SQL for the client's types of joins: side and kind.
JOINS = {
    "JOIN_TYPE_INNER": ("", ""),
    "JOIN_TYPE_FULL_OUTER": ("FULL", ""),
    "JOIN_TYPE_LEFT_OUTER": ("LEFT", ""),
    "JOIN_TYPE_RIGHT_OUTER": ("RIGHT", ""),
    "JOIN_TYPE_LEFT_ANTI": ("LEFT", "ANTI"),
    "JOIN_TYPE_LEFT_SEMI": ("LEFT", "SEMI"),
    "JOIN_TYPE_CROSS": ("", "CROSS"),
}


def join_words(node: Any) -> tuple[str, str]:
    """Side and kind of a join, as SQL says them."""
    name = node.DESCRIPTOR.fields_by_name["join_type"].enum_type.values_by_number[node.join_type]
    if name.name not in JOINS:
        raise UnsupportedError(f"a join of the type {name.name}")
    return JOINS[name.name]


def join(reader: RelationReader, node: Any) -> Frame:
    """A join on a condition, on columns of both, or on nothing."""
    if node.HasField("join_data_type"):
        raise UnsupportedError("joinWith")
    left, right = reader.inputs(node.left, node.right)
    side, kind = join_words(node)
    using = [exp.to_identifier(name, quoted=True) for name in node.using_columns]
    condition = tree_of(node.join_condition) if node.HasField("join_condition") else None
    if using and condition is not None:
        raise UnsupportedError("a join on columns and on a condition")
    tree = exp.Join(side=side, kind=kind, on=condition, using=using)
    return reader.frame(joined(reader, left.plan, right.plan, tree), left, right)


def lateral_join(reader: RelationReader, node: Any) -> Frame:
    """A join with rows that depend on the row to their left."""
    side, kind = join_words(node)
    if node.HasField("join_condition") or (side, kind) not in (
        ("", ""),
        ("LEFT", ""),
        ("", "CROSS"),
    ):
        raise UnsupportedError("a lateral join with a condition or of this type")
    left = reader.input(node.left)
    plan = reader.visible(left.plan)
    query = reader.relation_query(node.right, plan)
    added = [ScopeColumn(None, name) for name in query.result_schema.names]
    operator = Lateral(query, outer=side == "LEFT")
    return reader.frame(reader.add(operator, plan.id, columns=[*plan.columns, *added]), left)


# -- set operations ----------------------------------------------------------------------------

KINDS = {
    "SET_OP_TYPE_UNION": "union",
    "SET_OP_TYPE_INTERSECT": "intersect",
    "SET_OP_TYPE_EXCEPT": "except",
}


def set_operation(reader: RelationReader, node: Any) -> Frame:
    """UNION, INTERSECT and EXCEPT, by place or by name."""
    kinds = node.DESCRIPTOR.fields_by_name["set_op_type"].enum_type.values_by_number
    kind = KINDS.get(kinds[node.set_op_type].name)
    if kind is None:
        raise UnsupportedError("a set operation without a type")
    frames = reader.inputs(node.left_input, node.right_input)
    left, right = (reader.visible(f.plan) for f in frames)
    if node.by_name:
        left, right = by_name(reader, left, right, fill=node.allow_missing_columns)
    plans = reader.aligned([left, right], kind)
    return reader.frame(reader.combined(kind, plans, distinct=not node.is_all), *frames)


def by_name(reader: RelationReader, left: Plan, right: Plan, *, fill: bool) -> tuple[Plan, Plan]:
    """Two inputs with their columns in one order; what one does not have is null if allowed."""
    places = [{name_key(c.name): i for i, c in enumerate(p.columns)} for p in (left, right)]
    for plan, known in zip((left, right), places, strict=True):
        if len(known) < len(plan.columns):
            raise UnsupportedError("unionByName with a name twice")
    first, second = places
    missing = [n for n in second if n not in first]
    if not fill and (missing or any(n not in second for n in first)):
        raise UnsupportedError("unionByName of other columns")
    for name in first:
        types = [
            p.schema.types[k[name]] for p, k in zip((left, right), places, strict=True) if name in k
        ]
        if len(set(types)) > 1 and any(_has_structs(t) for t in types):
            raise UnsupportedError("unionByName of structs with other fields")
    wanted = [left.columns[i].name for i in range(len(left.columns))]
    wanted += [right.columns[second[n]].name for n in missing]
    types = [*left.schema.types, *(right.schema.types[second[n]] for n in missing)]
    sides = []
    for plan, known in ((left, first), (right, second)):
        columns, scope = [], []
        for name, type_ in zip(wanted, types, strict=True):
            place = known.get(name_key(name))
            value = ex.Literal(None, type_) if place is None else plan.column(place)
            columns.append(ex.Named(name, value))
            scope.append(ScopeColumn(None, name) if place is None else plan.columns[place])
        sides.append(reader.project(plan, columns, scope))
    return sides[0], sides[1]


def _has_structs(type_: Any) -> bool:
    if isinstance(type_, StructType):
        return True
    inner = [getattr(type_, n) for n in ("element", "key", "value") if hasattr(type_, n)]
    return any(map(_has_structs, inner))


RELATIONS: dict[str, Callable[[RelationReader, Any], Frame]] = {
    "join": join,
    "lateral_join": lateral_join,
    "set_op": set_operation,
}
