"""Spark SQL: one or several statements with a schema in DDL.

Views and common table expressions become shared operators; INSERT, CREATE TABLE AS, UPDATE, DELETE,
MERGE and the last SELECT become sinks.
"""

from __future__ import annotations

from sqlglot import exp

from veer.errors import IllFormedError, InputError, ParseError, UnsupportedError
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr
from veer.ir.ops import Sink, Source
from veer.ir.schema import Schema
from veer.ir.writes import Change, Insert
from veer.read.builder import FlowBuilder
from veer.read.sql.changes import target_of
from veer.read.sql.ddl import alter_table, read_schema, read_table
from veer.read.sql.expressions import ExprReader
from veer.read.sql.merges import changed
from veer.read.sql.parse import only, parse_expression, parse_statements, position, refuse
from veer.read.sql.placeholders import Collected
from veer.read.sql.query import QueryReader, View
from veer.read.sql.scope import Plan, ScopeColumn
from veer.settings import name_key

RESULT = "result"


def read_sql(text: str, schema: str | dict[str, Source] = "") -> Dataflow:
    """The dataflow of SQL statements over the tables of a schema."""
    catalog = dict(read_schema(schema) if isinstance(schema, str) else schema)
    if "${" in text:
        raise UnsupportedError(
            "a variable, ${...}: Spark would replace it before it reads the text"
        )
    statements = parse_statements(text)
    if not statements:
        raise ParseError("no SQL statement")
    script = _Script(catalog)
    try:
        for number, statement in enumerate(statements):
            script.read(statement, last=number == len(statements) - 1)
        return script.finish()
    except RecursionError:
        raise ParseError("SQL nested too deeply") from None


class _Script:
    """Reads statement after statement into one dataflow."""

    def __init__(self, catalog: dict[str, Source]) -> None:
        self.catalog = catalog
        self.views: dict[str, View] = {}
        self.builder = FlowBuilder()
        self.sinks: set[str] = set()
        self.inserted: set[str] = set()  # tables that hold more than the catalog says
        self.stopping: set[str] = set()  # tables of which a MERGE may stop
        self.changed: dict[str, Plan] = {}  # what tables hold after UPDATE, DELETE or MERGE

    def read(self, node: exp.Expr, *, last: bool) -> None:
        """Read one statement; only the last may be a query that nothing takes."""
        reader = QueryReader(self.catalog, self.views, self.builder)
        self.require_unwritten(node)
        match node:
            case exp.Create() if node.args.get("expression") is None:
                source = read_table(node)
                self.require_new(node, source.table)
                self.catalog[source.table.lower()] = source
            case exp.Create():
                self.create(node)
            case exp.Alter():
                alter_table(node, self.catalog)
            case exp.Insert():
                self.insert(node)
            case exp.Update() | exp.Delete() | exp.Merge():
                self.change(node)
            case exp.Query() | exp.Values() | exp.Table():
                if not last:
                    raise IllFormedError(f"{position(node)}only the last statement may be a query")
                plan = reader.visible(reader.query(node))
                self.sink(Sink(RESULT), plan.id)
            case _:
                refuse(node, f"statement {node.key}")

    def create(self, node: exp.Expr) -> None:
        """CREATE VIEW, which is read where it is used, or CREATE TABLE AS, which is a sink."""
        only(node, "this", "kind", "expression", "properties", "replace", "exists")
        kind = str(node.args["kind"]).upper()
        if kind not in ("VIEW", "TABLE"):
            refuse(node, f"CREATE {kind}")
        target = node.this.this if isinstance(node.this, exp.Schema) else node.this
        names = (
            tuple(e.name for e in node.this.expressions)
            if isinstance(node.this, exp.Schema)
            else ()
        )
        name = ".".join(p.name for p in target.parts)
        self.require_new(node, name)
        if kind == "VIEW":
            self.views[name_key(name)] = View(node.args["expression"], names, dict(self.views))
            return
        if kind != "TABLE" or names or node.args.get("exists"):
            refuse(node, f"CREATE {kind}{' IF NOT EXISTS' if node.args.get('exists') else ''}")
        reader = QueryReader(self.catalog, self.views, self.builder)
        plan = reader.visible(reader.query(node.args["expression"]))
        self.sink(Sink(name, target=name), plan.id)
        # Later statements read what was written, also if writing it made a choice.
        written = View(node.args["expression"], (), dict(self.views))
        written.built[self.builder] = plan.renamed(None)
        written.once = True
        self.views[name_key(name)] = written

    def insert(self, node: exp.Expr) -> None:
        """INSERT: a sink; to read the table afterwards is refused."""
        only(node, "this", "expression", "overwrite")
        if isinstance(node.this, exp.Schema):
            refuse(node, "INSERT with a column list")
        if not isinstance(node.this, exp.Table):
            raise ParseError(f"{position(node)}INSERT names no table")
        name = ".".join(p.name for p in node.this.parts)
        reader = QueryReader(self.catalog, self.views, self.builder)
        plan = reader.visible(reader.query(node.args["expression"]))
        write = Insert(overwrite=bool(node.args.get("overwrite")))
        self.sink(Sink(name, target=name, positional=True, write=write), plan.id)
        self.inserted.add(name.lower())

    def change(self, node: exp.Expr) -> None:
        """UPDATE, DELETE, MERGE: the table's rows afterwards, which later statements read."""
        parts = target_of(node)
        key, name = name_key(".".join(parts)), ".".join(parts).lower()
        reader = QueryReader(self.catalog, self.views, self.builder)
        declared = self.catalog.get(name)
        if key in self.views and name not in self.changed:
            refuse(node, f"{node.key.upper()} of a table or view that an earlier statement created")
        if declared is None:
            raise reader.unknown_table(parts, node)
        result = changed(reader, node, reader.named(list(parts), node), declared)
        if result.stops is not None:
            self.sink(Sink(f"{declared.table}: MERGE stops"), result.stops.id)
            self.inserted.add(name)
            self.stopping.add(name)
        held = View(node, (), {}, once=True)
        held.built[self.builder] = result.rows.renamed(None)
        self.views[key] = held
        self.changed[name] = result.rows

    def require_unwritten(self, node: exp.Expr) -> None:
        """Refuse to read a table that an earlier statement wrote to; through a view, one it changed too."""
        waiting = [node.args["expression"] if isinstance(node, exp.Insert) else node]
        refused = set(self.inserted)
        while waiting and (self.inserted or self.changed):
            for table in waiting.pop().find_all(exp.Table):
                name = ".".join(p.name for p in table.parts)
                if name.lower() in refused:
                    refuse(table, "reading a table after it was written to")
                if name_key(name) in self.views and name.lower() not in self.changed:
                    waiting.append(self.views[name_key(name)].node)
            refused |= set(self.changed)  # a view was made of what they held before

    def require_new(self, node: exp.Expr, name: str) -> None:
        """Refuse a second definition: views made before it would mean something else."""
        if name_key(name) in self.views or name.lower() in self.inserted:
            refuse(node, f"a second definition of {name!r}")

    def sink(self, sink: Sink, source: str) -> None:
        """Add a sink; two statements that write one table are refused."""
        if sink.name in self.sinks:
            raise IllFormedError(f"two statements write {sink.name!r}")
        self.sinks.add(sink.name)
        name = sink.name if sink.name not in self.builder.operators else f"write {sink.name}"
        self.builder.add(sink, source, id_=name)

    def finish(self) -> Dataflow:
        """The dataflow of all statements; tables that are declared but not read are known to it."""
        for name, rows in self.changed.items():
            table = self.catalog[name].table
            self.sink(
                Sink(table, target=table, write=Change(may_stop=name in self.stopping)), rows.id
            )
        if not self.sinks:
            raise IllFormedError("no statement gives a result: nothing is selected or written")
        return self.builder.finish().declaring(self.catalog.values())


class ExpressionReader:
    """Reads expressions written in SQL over the columns of given inputs, for other front ends.

    Columns may be qualified by the names of the inputs.
    """

    def __init__(self, inputs: list[tuple[str, Schema]]) -> None:
        schema = Schema(tuple(f for _, s in inputs for f in s))
        columns = tuple(ScopeColumn(name, f.name) for name, s in inputs for f in s)
        self.plan = Plan("", schema, columns)
        self.collected = Collected()

    def read(self, text: str) -> Expr:
        """A scalar expression."""
        return self._reader().read(parse_expression(text))

    def condition(self, text: str) -> Expr:
        """A condition."""
        return self._reader().condition(parse_expression(text))

    def aggregate(self, text: str) -> Expr:
        """An expression that may call aggregate functions, left as placeholders."""
        reader = self._reader()
        reader.collected = self.collected
        return reader.read(parse_expression(text))

    def _reader(self) -> ExprReader:
        return ExprReader(self.plan)


__all__ = ["ExpressionReader", "InputError", "read_schema", "read_sql"]
