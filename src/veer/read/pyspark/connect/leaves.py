"""Relations without inputs: sources, given rows, ranges, SQL text, table functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import ParseError, UnsupportedError
from veer.ir import ops
from veer.ir.schema import Field
from veer.ir.types import LONG
from veer.read.pyspark.connect.arrow_rows import given_rows
from veer.read.pyspark.connect.expressions import name_parts, tree_of, trees_of
from veer.read.pyspark.connect.frames import Frame
from veer.read.pyspark.connect.literals import read_literal
from veer.read.pyspark.connect.messages import told
from veer.read.pyspark.connect.nodes import Constant
from veer.read.sql.changes import target_of
from veer.read.sql.merges import changed
from veer.read.sql.parse import parse_statements
from veer.read.sql.scope import Plan, ScopeColumn

if TYPE_CHECKING:
    from veer.read.pyspark.connect.relations import RelationReader

MOST_VALUES = 1_000
HELD = ("cached_local_relation", "chunked_cached_local_relation", "cached_remote_relation")
STOPS = "veer: whether it stops"  # a parameter that no statement can name
DECLARED = "table"  # the format of a table of the catalog


def source_plan(reader: RelationReader, operator: ops.AnyOperator, name: str = "") -> Plan:
    """The rows of a source; a table's columns may be qualified by its name."""
    id_ = reader.builder.add(operator)
    schema = reader.builder.schemas[id_]
    qualifier = name or None
    if not name and isinstance(operator, ops.Source) and operator.format == DECLARED:
        qualifier = operator.table.rpartition(".")[2]
    plan = Plan(id_, schema, tuple(ScopeColumn(qualifier, n) for n in schema.names))
    # What an RDD computes may differ each time that it is used.
    if isinstance(operator, ops.Source) and operator.format == ops.COMPUTED:
        computed = ops.TableUdf(operator.table, operator.fields, deterministic=False, kind="RDD")
        return reader.add(computed, plan.id, columns=plan.columns)
    return plan


def read(reader: RelationReader, node: Any) -> Frame:
    """A table, or files of some format."""
    from pyspark.sql.connect.proto.relations_pb2 import Relation

    if node.is_streaming:
        raise UnsupportedError("a streaming DataFrame; verify the query on a batch of its data")
    source = reader.around.source(Relation(read=node))
    name = (
        name_parts(node.named_table.unparsed_identifier)[-1] if node.HasField("named_table") else ""
    )
    return Frame(source_plan(reader, source, name))


def held(kind: str) -> Callable[[RelationReader, Any], Frame]:
    """Rows that a server holds, known by a digest or a number."""

    def read_held(reader: RelationReader, node: Any) -> Frame:
        from pyspark.sql.connect.proto.relations_pb2 import Relation

        relation = Relation()
        getattr(relation, kind).CopyFrom(node)
        return Frame(source_plan(reader, reader.around.source(relation)))

    return read_held


def numbers(reader: RelationReader, node: Any) -> Frame:
    """`spark.range`: a short one is its rows, a long one a table known by its bounds."""
    start = node.start if node.HasField("start") else 0
    fields = (Field("id", LONG, False),)
    if node.step == 0:
        raise UnsupportedError("a range with a step of zero")
    rows = tuple((n,) for n in range(start, node.end, node.step)[: MOST_VALUES + 1])
    if len(rows) > MOST_VALUES:
        name = f"range({start}, {node.end}, {node.step})"
        return Frame(source_plan(reader, ops.Source(name, fields, format=ops.LOCAL)))
    return Frame(source_plan(reader, ops.Values(fields, rows)))


def local_rows(reader: RelationReader, node: Any) -> Frame:
    """Rows that came with the plan."""
    return Frame(source_plan(reader, given_rows(node)))


def table_function(reader: RelationReader, node: Any) -> Frame:
    """`spark.tvf`: a generator over a single row, or a range."""
    call = exp.Anonymous(this=node.function_name, expressions=trees_of(node.arguments))
    return Frame(reader.table_function(exp.Table(this=call)))


# -- SQL text ----------------------------------------------------------------------------------


def sql(reader: RelationReader, node: Any) -> Frame:
    """A query in SQL; views it names came with the plan, parameters with the query."""
    if "${" in node.query:
        raise UnsupportedError(
            "a variable, ${...}: Spark would replace it before it reads the text"
        )
    statements = parse_statements(node.query)
    if len(statements) == 1 and isinstance(statements[0], exp.DML):
        return Frame(_changed(reader, statements[0], node))
    if len(statements) != 1 or not isinstance(statements[0], exp.Query | exp.Values | exp.Table):
        raise ParseError("SQL text that is not a single query")
    tree = _with_arguments(statements[0], node)
    inner = reader.inside({}, reader.builder, ())
    return Frame(inner.visible(inner.query(tree)))


def _changed(reader: RelationReader, statement: exp.Expr, node: Any) -> Plan:
    """The rows that UPDATE, DELETE or MERGE leaves; or, with `STOPS` given, whether it stops."""
    stops = STOPS in node.named_arguments
    tree = _with_arguments(statement, node)
    parts = target_of(tree)
    with reader.around.changing(parts) as declared:
        inner = reader.inside({}, reader.builder, ())
        before = source_plan(inner, declared, parts[-1])
        result = changed(inner, tree, before, declared)
    if not stops:
        return result.rows
    assert result.stops is not None
    return result.stops


def _with_arguments(tree: exp.Expr, node: Any) -> exp.Expr:
    """The query with its parameters in place of `:name` and `?`."""
    named: dict[str, exp.Expr] = {k: _constant(v) for k, v in node.args.items()}
    named |= {k: tree_of(v) for k, v in (told(node, "named_arguments") or {}).items()}
    placed = [_constant(v) for v in node.pos_args]
    placed += trees_of(told(node, "pos_arguments") or ())
    used = 0

    def replaced(part: exp.Expr) -> exp.Expr:
        nonlocal used
        if not isinstance(part, exp.Placeholder | exp.Parameter):
            return part
        if part.name in named:
            return named[part.name].copy()
        if not part.args.get("this") and used < len(placed):
            used += 1
            return placed[used - 1].copy()
        raise UnsupportedError(f"the parameter {part.name} of a query, which is not given")

    return tree.transform(replaced)


def _constant(value: Any) -> exp.Expr:
    return Constant(literal=read_literal(value))


RELATIONS: dict[str, Callable[[RelationReader, Any], Frame]] = {
    "read": read,
    **{kind: held(kind) for kind in HELD},
    "range": numbers,
    "local_relation": local_rows,
    "sql": sql,
    "unresolved_table_valued_function": table_function,
}
