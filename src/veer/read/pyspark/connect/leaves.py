"""Relations without inputs: sources, given rows, ranges, SQL text, table functions."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import ParseError, UnsupportedError
from veer.ir import ops, types as ty
from veer.ir.schema import Field
from veer.ir.types import LONG
from veer.read.pyspark.connect.expressions import name_parts, tree_of, trees_of
from veer.read.pyspark.connect.frames import Frame
from veer.read.pyspark.connect.literals import read_literal
from veer.read.pyspark.connect.messages import told
from veer.read.pyspark.connect.nodes import Constant
from veer.read.pyspark.connect.types import parse_type_text, require_struct
from veer.read.pyspark.plans.pickled_rows import MOST_CELLS, exact_cell
from veer.read.pyspark.plans.types import field_type, type_of
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

# -- rows that came with a plan, in Arrow's format: themselves, or a table known by a digest -----


def given_rows(relation: Any) -> ops.AnyOperator:
    """The rows of a local relation of the protocol."""
    import pyarrow

    if not relation.HasField("data"):
        return ops.Values(_fields(relation.schema), ())
    with pyarrow.ipc.open_stream(io.BytesIO(relation.data)) as stream:
        table = stream.read_all()
    fields = _fields(relation.schema) if relation.schema else _arrow_fields(table.schema)
    if len(fields) != table.num_columns:
        raise UnsupportedError("given rows with another number of columns than their schema")
    if table.num_rows * len(fields) <= MOST_CELLS:
        try:
            columns = [
                [_cell(value, field.type) for value in column.to_pylist()]
                for column, field in zip(table.columns, fields, strict=True)
            ]
            return ops.Values(fields, tuple(zip(*columns, strict=True)))
        except (UnsupportedError, ValueError, OverflowError):
            pass
    # The same bytes are the same rows.
    digest = hashlib.blake2b(relation.schema.encode() + b"\0" + relation.data, digest_size=16)
    return ops.Source(f"rows_{digest.hexdigest()}", fields, format=ops.LOCAL)


def _fields(schema: str) -> tuple[Field, ...]:
    """The columns of a schema, written as JSON or as DDL."""
    if not schema.startswith("{"):
        type_ = require_struct(parse_type_text(schema), "given rows")
        return tuple(Field(name, t) for name, t in type_.fields)
    fields = json.loads(schema)["fields"]
    return tuple(Field(f["name"], field_type(f), f["nullable"]) for f in fields)


def _arrow_fields(schema: Any) -> tuple[Field, ...]:
    from pyspark.sql.pandas.types import from_arrow_schema

    # A time without a zone is what a server takes it for.
    fields = from_arrow_schema(schema, prefer_timestamp_ntz=True).fields
    return tuple(Field(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in fields)


def _cell(value: Any, type_: ty.DataType) -> Any:
    """A value as the model has it, where Spark takes it for exactly this one."""
    match type_:
        case ty.DateType() | ty.TimestampType() | ty.TimestampNtzType() if value is not None:
            return _moment(value, type_)
        case _:
            return exact_cell(value, type_)


def _moment(value: Any, type_: ty.DataType) -> Any:
    """A date or timestamp, which Arrow gives as Python has it."""
    match type_:
        case ty.DateType() if type(value) is date:
            return value
        case ty.TimestampType() if type(value) is datetime and value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case ty.TimestampNtzType() if type(value) is datetime and value.tzinfo is None:
            return value
    raise UnsupportedError(f"a row with a value of type {type_}")
