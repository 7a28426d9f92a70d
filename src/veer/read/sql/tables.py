"""Tables in SQL text given by format and path, or by version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from veer.ir.ops import Source
from veer.ir.types import quote_name
from veer.read.sql.parse import only, refuse

# What SQL may name before a path: delta.`/warehouse/orders`.
FORMATS = frozenset(
    {"delta", "iceberg", "hudi", "parquet", "orc", "avro", "csv", "json", "text", "xml"}
)
VERSION = {"VERSION": "versionasof", "TIMESTAMP": "timestampasof"}  # as options of a reader


def path_of(parts: Sequence[str]) -> str:
    """The path of files that SQL names by their format; empty if it names a table."""
    named = len(parts) == 2 and parts[0].lower() in FORMATS
    return parts[1] if named and "/" in parts[1] else ""


def files_at(parts: Sequence[str], tables: Mapping[str, Source]) -> Source | None:
    """The files that SQL names by format and path, if they are declared: by the path, or as named."""
    path = path_of(parts)
    if not path:
        return None
    declared = tables.get(path.lower()) or tables.get(".".join(parts).lower())
    if declared is None:
        return None
    return replace(declared, table=path, format=parts[0].lower())


def version_option(node: exp.Expr) -> tuple[str, str]:
    """VERSION AS OF or TIMESTAMP AS OF, as the option of a reader that asks for the same."""
    only(node, "this", "kind", "expression")
    kind, value = str(node.this).upper(), node.args.get("expression")
    if str(node.args.get("kind")).upper() != "AS OF" or kind not in VERSION:
        refuse(node, "this version of a table")
    if not isinstance(value, exp.Literal):
        refuse(node, "a version that is neither a number nor a text")
    return VERSION[kind], value.name


def at_version(source: Source, option: tuple[str, str]) -> Source:
    """A table as it was at a version: another source than the table, and than other versions."""
    return replace(source, options=tuple(sorted((*source.options, option))))


# -- the CREATE TABLE statement to suggest for a table that is not declared ----------------------

MOST_COLUMNS = 40
STATEMENTS = (exp.Select, exp.Merge, exp.Update, exp.Delete)
HOW = "veer schema-of writes it from the table or its files"


def declaration(parts: Sequence[str], columns: Sequence[str] = ()) -> str:
    """The CREATE TABLE statement of a table with these columns; types are for the user to say."""
    listed = [f"{quote_name(name)} <type>" for name in columns[:MOST_COLUMNS]]
    if not listed or len(columns) > MOST_COLUMNS:
        listed.append("..." if listed else "<column> <type>, ...")
    return f"CREATE TABLE {'.'.join(map(quote_name, parts))} ({', '.join(listed)})"


def columns_used(table: exp.Expr) -> list[str]:
    """The columns that the statement around a table reads of it, as far as their names tell.

    Those qualified by its name; and those that are not qualified, where no other table is read.
    """
    around = table.find_ancestor(*STATEMENTS)
    if around is None:
        return []
    alias = table.alias_or_name.lower()
    is_alone = len([t for t in around.find_all(exp.Table, exp.Subquery) if _is_of(t, around)]) == 1
    aliases = {a.alias.lower() for a in around.find_all(exp.Alias)}
    names: dict[str, str] = {}
    for column in around.find_all(exp.Column):
        qualifier, name = column.table.lower(), column.name
        own = is_alone and not qualifier and _is_of(column, around) and name.lower() not in aliases
        if (qualifier == alias or own) and name and not isinstance(column.this, exp.Star):
            names.setdefault(name.lower(), name)
    return list(names.values())


def _is_of(node: exp.Expr, statement: exp.Expr) -> bool:
    """Whether a node belongs to a statement, not to a query inside of it."""
    return node.find_ancestor(*STATEMENTS) is statement
