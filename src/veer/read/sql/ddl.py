"""CREATE TABLE: columns, keys, foreign keys, and where the rows are; ALTER TABLE: more constraints."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from sqlglot import exp

from veer.errors import IllFormedError, InputError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops
from veer.ir.schema import Field, Schema
from veer.ir.types import BOOLEAN
from veer.read.sql import parse
from veer.read.sql.expressions import ExprReader
from veer.read.sql.scope import Plan, ScopeColumn
from veer.settings import SessionSettings, current, same_name

# What says how a constraint is enforced, not what it says.
HARMLESS_OPTIONS = frozenset(
    {"ENFORCED", "NOT ENFORCED", "RELY", "NORELY", "MATCH SIMPLE", "NOT DEFERRABLE", "DEFERRABLE"}
    | {"INITIALLY DEFERRED", "INITIALLY IMMEDIATE"}
)


def read_schema(text: str) -> dict[str, ops.Source]:
    """The tables a DDL text declares, by lower-case name."""
    return dict(_read_schema(text, current()))


@lru_cache(maxsize=64)
def _read_schema(text: str, _settings: SessionSettings) -> dict[str, ops.Source]:
    catalog: dict[str, ops.Source] = {}
    for statement in parse.parse_statements(text):
        if isinstance(statement, exp.Alter):
            alter_table(statement, catalog)
            continue
        if (
            not isinstance(statement, exp.Create)
            or str(statement.args.get("kind")).upper() != "TABLE"
        ):
            parse.refuse(statement, f"{statement.key} in a schema")
        source = read_table(statement)
        if source.table.lower() in catalog:
            raise IllFormedError(
                f"{parse.position(statement)}table {source.table!r} is declared twice"
            )
        catalog[source.table.lower()] = source
    return catalog


def read_table(node: exp.Expr) -> ops.Source:
    """One CREATE TABLE statement."""
    parse.only(node, "this", "kind", "properties", "exists", "replace")
    schema = node.this
    if not isinstance(schema, exp.Schema):
        parse.refuse(node, "a table without columns")
    name = ".".join(p.name for p in schema.this.parts)
    table = _Table(name)
    for item in schema.expressions:
        table.add(item)
    return table.finish(node)


def alter_table(node: exp.Expr, catalog: dict[str, ops.Source]) -> None:
    """Declare more of a table: ALTER TABLE t ADD PRIMARY KEY (a), or ALTER COLUMN a SET NOT NULL."""
    parse.only(node, "this", "kind", "actions")
    name = ".".join(p.name for p in node.this.parts)
    source = catalog.get(name.lower())
    if source is None:
        raise IllFormedError(f"{parse.position(node)}table {name!r} is altered, but not declared")
    table = _Table(source.table)
    table.fields = {f.name: f for f in source.fields}
    table.keys, table.unique = list(source.keys), list(source.unique)
    table.foreign = list(source.foreign_keys)
    for action in node.args["actions"]:
        match action:
            case exp.AddConstraint():
                for constraint in action.expressions:
                    table.add(constraint)
            case exp.AlterColumn() if action.args.get("allow_null") is False:
                parse.only(action, "this")
                table.never_null(action)
            case _:
                parse.refuse(action, f"{action.key} of a table in a schema")
    altered = table.finish(node)
    catalog[name.lower()] = replace(
        source,
        fields=altered.fields,
        keys=altered.keys,
        unique=altered.unique,
        foreign_keys=altered.foreign_keys,
        checks=source.checks + altered.checks,
    )


class _Table:
    """Collects the parts of a table definition."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: dict[str, Field] = {}
        self.keys: list[tuple[str, ...]] = []
        self.unique: list[tuple[str, ...]] = []
        self.foreign: list[ops.ForeignKey] = []
        self.lengths: list[tuple[str, int]] = []
        self.checks: list[exp.Expr] = []
        self.bounded: list[str] = []  # columns with texts inside whose lengths are bounded

    def add(self, item: exp.Expr) -> None:
        """Take in a column or a constraint of the table."""
        match item:
            case exp.ColumnDef():
                self.column(item)
            case exp.PrimaryKey():
                _check_options(item)
                self.keys.append(tuple(_name(e) for e in item.expressions))
            case exp.ForeignKey():
                self.foreign.append(
                    self.reference(_names(item.expressions), item.args["reference"])
                )
            case exp.UniqueColumnConstraint():
                parse.only(item, "this", "options")
                _check_options(item)
                if not item.this or not item.this.expressions:
                    parse.refuse(item, "UNIQUE without columns")
                self.unique.append(tuple(_name(e) for e in item.this.expressions))
            case exp.Constraint():
                for part in item.expressions:
                    self.add(part)
            case exp.CheckColumnConstraint():
                self.checks.append(item.this)
            case _:
                parse.refuse(item, f"{item.key} in a table definition")

    def column(self, item: exp.Expr) -> None:
        """Take in a column with its type and its own constraints."""
        name, nullable = item.name, True
        if name in self.fields:
            raise IllFormedError(f"{parse.position(item)}column {name!r} is declared twice")
        if item.args.get("kind") is None:
            raise IllFormedError(f"{parse.position(item)}column {name!r} has no type")
        for constraint in item.args.get("constraints") or ():
            if isinstance(constraint.kind, exp.NotNullColumnConstraint):
                nullable = bool(constraint.kind.args.get("allow_null"))
            else:
                self.column_constraint(item, constraint.kind)
        kind = item.args["kind"]
        self.text_lengths(item, kind)
        self.fields[name] = Field(name, parse.read_type(kind), nullable)

    def never_null(self, item: exp.Expr) -> None:
        """Take in that a column is NOT NULL."""
        name = self.spelled(_name(item.this))
        if name not in self.fields:
            raise IllFormedError(
                f"{parse.position(item)}column {name!r} of {self.name!r} is unknown"
            )
        self.fields[name] = replace(self.fields[name], nullable=False)

    def column_constraint(self, item: exp.Expr, constraint: exp.Expr) -> None:
        """Take in what a column says of itself, other than NOT NULL."""
        match constraint:
            case exp.PrimaryKeyColumnConstraint():
                self.keys.append((item.name,))
            case exp.UniqueColumnConstraint():
                parse.only(constraint, "options")
                _check_options(constraint)
                self.unique.append((item.name,))
            case exp.Reference():
                self.foreign.append(self.reference((item.name,), constraint))
            case exp.CheckColumnConstraint():
                self.checks.append(constraint.this)
            case exp.CommentColumnConstraint() | exp.DefaultColumnConstraint():
                pass  # a default fills what INSERT leaves out, before anything is read
            case _:
                parse.refuse(item, f"{constraint.key} of a column")

    def text_lengths(self, item: exp.Expr, kind: exp.Expr) -> None:
        """Take in how long the texts of a column may be, also those inside of its values."""
        if kind.this in (exp.DataType.Type.CHAR, exp.DataType.Type.NCHAR):
            parse.refuse(item, "CHAR, which Spark pads on reading (use STRING or VARCHAR)")
        if kind.this is exp.DataType.Type.VARCHAR and kind.expressions:
            length = kind.expressions[0].name
            if not re.fullmatch("[0-9]{1,9}", length):
                parse.refuse(item, f"VARCHAR({length})")
            self.lengths.append((item.name, int(length)))
        for inner in (part for part in kind.find_all(exp.DataType) if part is not kind):
            if inner.this in (exp.DataType.Type.CHAR, exp.DataType.Type.NCHAR):
                parse.refuse(item, "CHAR inside of another type")
            if inner.this is exp.DataType.Type.VARCHAR and inner.expressions:
                self.bounded.append(item.name)

    def reference(self, columns: tuple[str, ...], node: exp.Expr) -> ops.ForeignKey:
        """The foreign key that REFERENCES declares for some columns."""
        _check_options(node)
        target = node.this
        named = target.this if isinstance(target, exp.Schema) else target
        parent = ".".join(part.name for part in named.parts)
        wanted = _names(target.expressions) if isinstance(target, exp.Schema) else ()
        return ops.ForeignKey(columns, parent, wanted)

    def finish(self, node: exp.Expr) -> ops.Source:
        """The table, once all of its columns are there for the constraints to name."""
        keys = self.primary_keys(node)
        unique = self.unique_columns(node)
        # UNIQUE lets null repeat: it is a key only where no column is nullable.
        nullable = [u for u in unique if any(self.fields[n].nullable for n in u)]
        keys += [u for u in unique if u not in nullable]
        foreign = tuple(
            ops.ForeignKey(tuple(map(self.spelled, f.columns)), f.parent, f.parent_columns)
            for f in self.foreign
        )
        properties = _properties(node.args.get("properties"))
        source = ops.Source(
            self.name,
            tuple(self.fields.values()),
            tuple(dict.fromkeys(keys)),
            foreign,
            *properties,
            tuple(self.lengths),
            tuple(dict.fromkeys(nullable)),
            (*map(self.check, self.checks), *map(_bounded_inside, dict.fromkeys(self.bounded))),
        )
        try:
            source.output(())
        except InputError as error:
            raise IllFormedError(f"{parse.position(node)}{error}") from None
        return source

    def primary_keys(self, node: exp.Expr) -> list[tuple[str, ...]]:
        """The keys as their columns are declared, which are not null from here on."""
        for name in (name for key in self.keys for name in key):
            column = self.fields.get(self.spelled(name))
            if column is None:
                raise IllFormedError(
                    f"{parse.position(node)}key column {name!r} of {self.name!r} is unknown"
                )
            self.fields[column.name] = Field(column.name, column.type, False)
        return [tuple(map(self.spelled, key)) for key in self.keys]

    def unique_columns(self, node: exp.Expr) -> list[tuple[str, ...]]:
        """The columns of each UNIQUE as they are declared."""
        for columns in self.unique:
            if any(self.spelled(n) not in self.fields for n in columns):
                raise IllFormedError(
                    f"{parse.position(node)}UNIQUE column of {self.name!r} is unknown: {', '.join(columns)}"
                )
        return [tuple(map(self.spelled, columns)) for columns in self.unique]

    def check(self, node: exp.Expr) -> ex.Expr:
        """A CHECK over the columns; a condition that Veer cannot read is an opaque function."""
        schema = Schema(tuple(self.fields.values()))
        columns = tuple(ScopeColumn(self.name.split(".")[-1], n) for n in schema.names)
        try:
            condition = ExprReader(Plan("", schema, columns)).read(node)
            if condition.type == BOOLEAN and expr_kind(condition) is Kind.PURE:
                return condition
        except InputError:
            pass
        return ex.OpaqueCall(f"CHECK {node.sql(dialect='spark')}", (), BOOLEAN)

    def spelled(self, name: str) -> str:
        """The column name as declared."""
        return next((n for n in self.fields if same_name(n, name)), name)


def _bounded_inside(column: str) -> ex.Expr:
    """An opaque condition on the length of texts inside of a column."""
    return ex.OpaqueCall(f"lengths inside of {column}", (), BOOLEAN)


def _properties(node: exp.Expr | None) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Format, location and options of the files that hold a table's rows."""
    format_, location, options = "table", "", []
    for item in node.expressions if node is not None else ():
        match item:
            case exp.FileFormatProperty():
                format_ = item.this.name.lower()
            case exp.LocationProperty():
                location = item.this.name
            case exp.OptionsProperty():
                options += [(p.this.name, p.args["value"].name) for p in item.expressions]
            case exp.SchemaCommentProperty():
                pass
            case _:
                parse.refuse(item, f"{item.key} of a table")
    return format_, location, tuple(sorted(options))


def _name(node: exp.Expr) -> str:
    """The name of a column, and of nothing else: neither a field nor a computed value."""
    named = node.this if isinstance(node, exp.Column) else node
    if isinstance(node, exp.Column):
        parse.only(node, "this")
    if not isinstance(named, exp.Identifier):
        parse.refuse(node, "anything but a column in a constraint")
    return str(named.name)


def _check_options(node: exp.Expr) -> None:
    """Refuse what a constraint may say besides whom it is about, unless that changes nothing."""
    for option in node.args.get("options") or ():
        text = str(option).upper()
        if text not in HARMLESS_OPTIONS and not text.startswith(("ON DELETE ", "ON UPDATE ")):
            parse.refuse(node, f"{text} in a constraint")


def _names(nodes: list[exp.Expr]) -> tuple[str, ...]:
    return tuple(map(_name, nodes))
