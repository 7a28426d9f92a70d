"""What a text given to `spark.sql` does: query, write, change names and settings, or nothing.

Only statements whose effect is fully known are told apart; every other one is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias, final

from sqlglot import exp

from veer.errors import UnsupportedError
from veer.read.sql.changes import may_stop, target_of
from veer.read.sql.parse import VeerSpark, parse_statements, refuse
from veer.read.sql.tables import columns_used
from veer.settings import name_key

Name: TypeAlias = tuple[str, ...]
SETTING = re.compile(r"\s*SET\s+([\w.]+)\s*=\s*([^\s'\"`;$]+)\s*;?\s*", re.IGNORECASE)
TIME_ZONE = re.compile(r"\s*SET\s+TIME\s+ZONE\s+'([^'\\]+)'\s*;?\s*", re.IGNORECASE)
RESET = re.compile(r"\s*RESET\s*;?\s*", re.IGNORECASE)
HARMLESS = (exp.Uncache, exp.Analyze)
UNUSUAL = (exp.LikeProperty, exp.TemporaryProperty)
HARMLESS_KINDS = ("TABLE", "DATABASE", "SCHEMA")


@final
@dataclass(frozen=True)
class Query:
    """A query, and the tables it names that are none of its own."""

    text: str
    tables: frozenset[Name]


@final
@dataclass(frozen=True)
class InsertRows:
    """INSERT, perhaps into some columns; `plain` if it names no partitions."""

    target: Name
    query: Query
    overwrite: bool
    by_name: bool
    plain: bool
    columns: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class CreateTable:
    """CREATE TABLE AS, and how the table is laid out."""

    target: Name
    query: Query
    if_not_exists: bool
    replace: bool
    provider: str
    partitions: tuple[str, ...]


@final
@dataclass(frozen=True)
class ChangeRows:
    """UPDATE, DELETE or MERGE; `query` is the statement itself, with the tables it reads and changes."""

    target: Name
    query: Query
    may_stop: bool  # where rows have several partners


@final
@dataclass(frozen=True)
class CreateView:
    """CREATE VIEW, temporary or not."""

    name: Name
    query: Query
    columns: tuple[str, ...]
    replace: bool
    if_not_exists: bool
    is_temporary: bool


@final
@dataclass(frozen=True)
class DropView:
    """DROP VIEW."""

    name: Name
    if_exists: bool


@final
@dataclass(frozen=True)
class SetValue:
    """SET name = value."""

    name: str
    value: str


@final
@dataclass(frozen=True)
class Reset:
    """RESET of all settings."""


@final
@dataclass(frozen=True)
class Use:
    """USE of a database."""

    database: str


@final
@dataclass(frozen=True)
class Harmless:
    """What changes no result."""


Command: TypeAlias = (
    Query
    | InsertRows
    | ChangeRows
    | CreateTable
    | CreateView
    | DropView
    | SetValue
    | Reset
    | Use
    | Harmless
)


def read_command(text: str) -> Command:
    """The one statement of a text."""
    if "${" in text:
        raise UnsupportedError("SQL with variables that Spark replaces")
    plain = _plain_command(text)
    if plain is not None:
        return plain
    statements = parse_statements(text)
    if len(statements) != 1:
        raise UnsupportedError(f"SQL with {len(statements)} statements")
    return _statement(statements[0], text)


def _plain_command(text: str) -> Command | None:
    """Commands that are told by their words alone."""
    if zone := TIME_ZONE.fullmatch(text):
        return SetValue("spark.sql.session.timeZone", zone[1])
    if setting := SETTING.fullmatch(text):
        return SetValue(setting[1], setting[2])
    return Reset() if RESET.fullmatch(text) else None


def _statement(node: exp.Expr, text: str) -> Command:
    match node:
        case exp.Query() | exp.Values():
            return Query(text.rstrip().rstrip(";"), _tables(node))
        case exp.Insert():
            return _insert(node)
        case exp.Update() | exp.Delete() | exp.Merge():
            query = Query(text.rstrip().rstrip(";"), _tables(node))
            return ChangeRows(target_of(node), query, may_stop(node))
        case exp.Create():
            return _create(node)
        case exp.Drop():
            return _drop(node)
        case exp.Use() if not node.args.get("kind") and len(node.this.parts) == 1:
            return Use(node.this.name)
        case exp.Cache() if not node.args.get("expression"):
            return Harmless()
        case exp.Refresh() if str(node.args.get("kind")).upper() == "TABLE":
            return Harmless()
        case exp.Command() if str(node.this).upper() == "MSCK REPAIR":
            return Harmless()
        case _ if isinstance(node, HARMLESS):
            return Harmless()
        case _:
            refuse(node, f"the command {node.key}")


def _insert(node: exp.Expr) -> InsertRows:
    target, columns = node.this, tuple[str, ...]()
    if isinstance(target, exp.Schema):
        columns = tuple(_column_name(e) for e in target.expressions)
        target = target.this
    if not isinstance(target, exp.Table):
        refuse(node, "INSERT into anything but a table")
    _only(node, "this", "expression", "overwrite", "by_name", "partition")
    plain = not node.args.get("partition") and _is_plain(target)
    return InsertRows(
        _parts(target),
        _query(node.args.get("expression")),
        bool(node.args.get("overwrite")),
        bool(node.args.get("by_name")),
        plain,
        columns,
    )


def _create(node: exp.Expr) -> Command:
    kind = str(node.args.get("kind")).upper()
    properties = node.args["properties"].expressions if node.args.get("properties") else []
    if kind in HARMLESS_KINDS and node.args.get("expression") is None:
        _only(node, "this", "kind", "properties", "exists")
        if any(isinstance(item, UNUSUAL) for item in properties):
            refuse(node, f"CREATE {kind} with {properties[0].key}")
        return Harmless()
    _only(node, "this", "kind", "expression", "properties", "replace", "exists")
    if kind == "VIEW":
        return _view(node, properties)
    if kind != "TABLE" or not isinstance(node.this, exp.Table):
        refuse(node, f"CREATE {kind}")
    provider, partitions = "", tuple[str, ...]()
    for item in properties:
        match item:
            case exp.FileFormatProperty():
                provider = item.this.name
            case exp.PartitionedByProperty():
                partitions = tuple(_column_name(e) for e in item.this.expressions)
            case _:
                refuse(node, f"CREATE TABLE AS with {item.key}")
    replace, exists = bool(node.args.get("replace")), bool(node.args.get("exists"))
    query = _query(node.args["expression"])
    return CreateTable(_parts(node.this), query, exists, replace, provider, partitions)


def _view(node: exp.Expr, properties: list[exp.Expr]) -> CreateView:
    if any(not isinstance(item, exp.TemporaryProperty) for item in properties):
        refuse(node, "CREATE VIEW with properties")
    if any(item.this for item in properties):
        refuse(node, "a global view")
    target, columns = node.this, tuple[str, ...]()
    if isinstance(target, exp.Schema):
        columns = tuple(_column_name(e) for e in target.expressions)
        target = target.this
    return CreateView(
        _parts(target),
        _query(node.args["expression"]),
        columns,
        bool(node.args.get("replace")),
        bool(node.args.get("exists")),
        bool(properties),
    )


def _drop(node: exp.Expr) -> Command:
    kind = str(node.args.get("kind")).upper()
    tables = node.args.get("tables") or []
    if kind == "TABLE":
        return Harmless()
    if kind != "VIEW" or len(tables) != 1:
        refuse(node, f"DROP {kind}")
    return DropView(_parts(tables[0]), bool(node.args.get("exists")))


def _query(node: exp.Expr | None) -> Query:
    if not isinstance(node, exp.Query | exp.Values):
        raise UnsupportedError("a command without a query")
    return Query(node.sql(dialect=VeerSpark), _tables(node))


def columns_read(text: str, name: Name) -> list[str]:
    """The columns that a statement reads of a table, as far as their names tell."""
    tables = (table for tree in parse_statements(text) for table in tree.find_all(exp.Table))
    columns = (c for table in tables if _parts(table) == name for c in columns_used(table))
    return list(dict.fromkeys(columns))


def _tables(node: exp.Expr) -> frozenset[Name]:
    """The tables a query names, without those it defines itself."""
    own = {name_key(cte.alias) for cte in node.find_all(exp.CTE)}
    names = {_parts(table) for table in node.find_all(exp.Table) if table.name}
    return frozenset(n for n in names if len(n) > 1 or name_key(n[0]) not in own)


def _parts(table: exp.Expr) -> Name:
    if not isinstance(table, exp.Table):
        refuse(table, "this name")
    return tuple(part.name for part in table.parts)


def _is_plain(table: exp.Expr) -> bool:
    return all(not value or key in ("this", "db", "catalog") for key, value in table.args.items())


def _column_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Column) and not node.args.get("table"):
        node = node.this
    if not isinstance(node, exp.Identifier):
        refuse(node, "anything but the name of a column")
    return str(node.name)


def _only(node: exp.Expr, *handled: str) -> None:
    for name, value in node.args.items():
        if value and name not in handled:
            refuse(node, f"{name.strip('_')} in {node.key}")
