"""The CREATE TABLE statement to suggest for a table that is not declared."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from veer.ir.types import quote_name

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
