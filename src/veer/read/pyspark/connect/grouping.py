"""Aggregates of DataFrames: groupBy, rollup, cube, grouping sets, pivot, unpivot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import UnsupportedError
from veer.functions.casts import text_of
from veer.ir import expr as ex
from veer.ir.types import AtomicType
from veer.read import coercion
from veer.read.pyspark.connect import literals
from veer.read.pyspark.connect.expressions import tree_of, trees_of
from veer.read.pyspark.connect.frames import Frame
from veer.read.pyspark.connect.messages import messages_in
from veer.read.pyspark.connect.nodes import Constant
from veer.read.sql.embedded import Embedded
from veer.read.sql.expressions import ExprReader
from veer.read.sql.names import output_name, pretty
from veer.read.sql.pivot import check_pivoted, spread_out, stacked
from veer.read.sql.placeholders import Collected, SetAside, number_of
from veer.read.sql.scope import Plan
from veer.read.sql.select import Select

if TYPE_CHECKING:
    from veer.read.pyspark.connect.relations import RelationReader


def aggregate(reader: RelationReader, node: Any) -> Frame:
    """A row for each group: its keys, then the aggregates."""
    frame = reader.input(node.input)
    kind = node.DESCRIPTOR.fields_by_name["group_type"].enum_type.values_by_number[node.group_type]
    items = trees_of(node.grouping_expressions)
    calls = trees_of(node.aggregate_expressions)
    keys = [_unnamed(item) for item in items]
    if any(isinstance(key, Constant) for key in keys):
        raise UnsupportedError("groupBy of a constant, which may mean the position of a column")
    match kind.name:
        case "GROUP_TYPE_GROUPBY":
            groups = keys
        case "GROUP_TYPE_ROLLUP":
            groups = [exp.Rollup(expressions=keys)]
        case "GROUP_TYPE_CUBE":
            groups = [exp.Cube(expressions=keys)]
        case "GROUP_TYPE_GROUPING_SETS":
            sets = [exp.Tuple(expressions=trees_of(s.grouping_set)) for s in node.grouping_sets]
            groups = [exp.GroupingSets(expressions=sets)]
        case "GROUP_TYPE_PIVOT":
            _check_stars(node)
            return reader.frame(_pivoted(reader, frame.plan, items, calls, node.pivot), frame)
        case other:
            raise UnsupportedError(f"an aggregate of the type {other}")
    tree = exp.Select(expressions=[*items, *calls])
    if groups:
        tree.set("group", exp.Group(expressions=[g.copy() for g in groups]))
    return reader.frame(Select(reader, frame.plan, tree).read(), frame)


def _unnamed(tree: exp.Expr) -> exp.Expr:
    return tree.this if isinstance(tree, exp.Alias) else tree


def _check_stars(node: Any) -> None:
    """Spark takes no `count("*")` in a pivot, though it takes `expr("count(*)")`."""
    parts = (p for call in node.aggregate_expressions for p in messages_in(call))
    if any(part.DESCRIPTOR.name == "UnresolvedStar" for part in parts):
        raise UnsupportedError("'*' in a pivot, which Spark refuses; count(lit(1)) counts rows")


def _pivoted(
    reader: RelationReader,
    plan: Plan,
    items: Sequence[exp.Expr],
    calls: Sequence[exp.Expr],
    pivot: Any,
) -> Plan:
    collected = Collected()
    over = ExprReader(plan, reader.outer, reader, collected)
    numbered = [_call(over, call) for call in calls]
    key = over.read(tree_of(pivot.col))
    if not len(pivot.values):
        raise UnsupportedError("pivot without values: Spark would have to read them from the data")
    values = [_value(value, key) for value in pivot.values]
    groups = [ex.Named(_name(over, item), over.read(_unnamed(item))) for item in items]
    return spread_out(reader, plan, groups, key, values, numbered, collected)


def _name(reader: ExprReader, item: exp.Expr) -> str:
    """What a column is called that is read from an item."""
    reader.read(item)  # some items know their names only then
    match item:
        case exp.Alias():
            return str(item.alias)
        case exp.Column():
            return str(item.name)
        case Embedded(column_name=str(name)):
            return name
        case _:
            return output_name(item)


def _call(reader: ExprReader, call: exp.Expr) -> tuple[str, int]:
    check_pivoted(call)
    number = number_of(SetAside.AGGREGATE, reader.read(_unnamed(call)))
    if number is None:
        raise UnsupportedError("a pivot of something that is not an aggregate")
    return (str(call.alias) if isinstance(call, exp.Alias) else pretty(call)), number


def _value(value: Any, key: ex.Expr) -> tuple[ex.Expr, str]:
    """A value of the pivot column, and what its columns are called."""
    literal = literals.read_literal(value)
    if literal.value is None:
        return coercion.implicit(literal, key.type), "null"
    if not isinstance(literal.type, AtomicType) or literal.value != literal.value:
        raise UnsupportedError(f"a pivot over values of type {literal.type}")
    label = text_of(literal.value, literal.type)
    return coercion.implicit(literal, key.type), label


def unpivot(reader: RelationReader, node: Any) -> Frame:
    """A row for each row and each of the value columns."""
    frame = reader.input(node.input)
    plan = reader.visible(frame.plan)
    over = reader.reader(plan)
    kept = [ex.Named(_name(over, tree), over.read(tree)) for tree in trees_of(node.ids)]
    if node.HasField("values"):
        labelled = [(over.read(t), _name(over, t)) for t in trees_of(node.values.values)]
    else:
        ids = [named.expr for named in kept]
        places = [i for i in range(len(plan.columns)) if plan.column(i) not in ids]
        labelled = [(plan.column(i), plan.columns[i].name) for i in places]
    if not labelled:
        raise UnsupportedError("unpivot of no columns")
    variable, value = node.variable_column_name, node.value_column_name
    return reader.frame(stacked(reader, plan, kept, labelled, variable, value), frame)


RELATIONS: dict[str, Callable[[RelationReader, Any], Frame]] = {
    "aggregate": aggregate,
    "unpivot": unpivot,
}
