"""Hints and declarations in words: what would settle an unknown, as DDL, and how to check it.

Every `match` is closed: a new class fails the type check here until it has words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, assert_never

from veer import hints
from veer.ir.types import quote_name
from veer.show.wording import SIDES
from veer.verdict import Suggestion, Verdict

IS_TABLE = re.compile(r"[\w-]+(\.[\w-]+)*")
FILES = ("csv", "json", "parquet", "orc", "avro", "text")  # formats that Spark SQL reads in place


def hint_text(hint: hints.Hint) -> str:
    """What would settle a pair that is not proven, in a sentence."""
    match hint:
        case hints.Declare(declarations):
            texts = "; ".join(map(declaration_text, declarations))
            return f"the proof succeeds if {texts} (--suggest-keys searches the whole versions)"
        case hints.BreakTie():
            return _tie(hint)
        case hints.DescribeFunction(name):
            return (
                f"Veer knows only the name of {name}: use functions of Spark SQL in its place, or "
                "a Python function that Veer can read"
            )
        case hints.UninterpretedFunctions(names):
            return (
                f"the two versions apply {', '.join(names)} differently, and the solver does not "
                "know what it computes: apply it to the same values in both versions"
            )
        case hints.FloatSum():
            return (
                f"{hint.shown} at {hint.operator!r} ({SIDES[hint.side]}) adds floats, so the sum "
                "depends on the order of the rows: a sum of DECIMAL is exact"
            )
        case hints.BatchFunction(name):
            return (
                f"{name} gets batches of rows, and Spark decides where a batch ends: Veer can "
                "compare a function of single rows or of groups"
            )
        case hints.GiveMore(option):
            return f"a limit stopped the search: a greater {option} lets it continue"
        case _:
            assert_never(hint)


def _tie(hint: hints.BreakTie) -> str:
    where = f"{hint.operator!r} ({SIDES[hint.side]}) [{hint.shown}]"
    text = f"{where} picks any of the rows that are equal in its order"
    if not hint.columns:
        return f"{text}: add a column at the end of the order that is different in these rows"
    columns = ", ".join(hint.columns)
    if hint.proven:
        return f"{text}: the proof succeeds if both versions also order by {columns}"
    return f"{text}: add {columns} at the end of the order"


def declaration_text(declaration: hints.Declaration) -> str:
    """A declaration, to stand after "if"."""
    match declaration:
        case hints.NotNull(table, column):
            return f"{column} of {table} is never null"
        case hints.Key(table, columns):
            return f"{', '.join(columns)} is a key of {table}"
        case hints.Unique(table, columns):
            return f"{', '.join(columns)} is unique in {table} where it is not null"
        case hints.References(table, columns, parent, targets):
            return f"{', '.join(columns)} of {table} refers to {', '.join(targets)} of {parent}"
        case _:
            assert_never(declaration)


def ddl_text(declaration: hints.Declaration) -> str:
    """A line to add to a schema; nothing for rows that have no name of a table."""
    if not IS_TABLE.fullmatch(declaration.table):
        return ""
    table = f"ALTER TABLE {_table(declaration.table)}"
    match declaration:
        case hints.NotNull(_, column):
            return f"{table} ALTER COLUMN {quote_name(column)} SET NOT NULL;"
        case hints.Key(_, columns):
            return f"{table} ADD PRIMARY KEY ({_listed(columns)});"
        case hints.Unique(_, columns):
            return f"{table} ADD UNIQUE ({_listed(columns)});"
        case hints.References(_, columns, parent, targets):
            target = f"{_table(parent)} ({_listed(targets)})"
            return f"{table} ADD FOREIGN KEY ({_listed(columns)}) REFERENCES {target};"
        case _:
            assert_never(declaration)


def check_texts(declaration: hints.Declaration) -> list[str]:
    """Spark SQL that shows rows which contradict a declaration: where it holds, none, or 0."""
    table = _table(declaration.table)
    match declaration:
        case hints.NotNull(_, column):
            return [_nulls(table, (column,))]
        case hints.Key(_, columns):
            return [_copies(table, columns, ""), _nulls(table, columns)]
        case hints.Unique(_, columns):
            present = " AND ".join(f"{quote_name(c)} IS NOT NULL" for c in columns)
            return [_copies(table, columns, f" WHERE {present}")]
        case hints.References(_, columns, parent, targets):
            pairs = zip(columns, targets, strict=True)
            equal = " AND ".join(f"c.{quote_name(a)} = p.{quote_name(b)}" for a, b in pairs)
            present = " AND ".join(f"c.{quote_name(c)} IS NOT NULL" for c in columns)
            joined = f"{table} AS c LEFT ANTI JOIN {_table(parent)} AS p ON {equal}"
            return [f"SELECT count(*) AS without_parent FROM {joined} WHERE {present}"]
        case _:
            assert_never(declaration)


def declarations_json(declarations: Sequence[hints.Declaration]) -> list[dict[str, Any]]:
    """Declarations as JSON data."""
    return [
        {
            "kind": declaration.kind,
            "text": declaration_text(declaration),
            "ddl": ddl_text(declaration),
            "checks": check_texts(declaration),
        }
        for declaration in declarations
    ]


def suggestion_text(suggestion: Suggestion, verdict: Verdict) -> str:
    """What came out of the search for declarations, in a sentence."""
    tried = f"{suggestion.tried} declaration{'' if suggestion.tried == 1 else 's'}"
    if suggestion.declarations:
        found = "with these declarations the versions are equivalent"
        return f"{found}; without them they differ" if verdict is Verdict.INEQUIVALENT else found
    if not suggestion.tried:
        return "no declaration about the tables could help"
    if suggestion.at_most is Verdict.INEQUIVALENT:
        return f"declarations do not help: the results differ even with all {tried} tried"
    return f"no proof with the {tried} tried"


def _table(name: str) -> str:
    """A table as SQL names it; a file by its format and place."""
    if IS_TABLE.fullmatch(name):
        return ".".join(quote_name(part) for part in name.split("."))
    format_ = name.rpartition(".")[2].lower()
    return f"{format_}.{quote_name(name)}" if format_ in FILES else quote_name(name)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(quote_name, columns))


def _copies(table: str, columns: Sequence[str], where: str) -> str:
    listed = _listed(columns)
    return (
        f"SELECT {listed}, count(*) AS copies FROM {table}{where} "
        f"GROUP BY {listed} HAVING count(*) > 1"
    )


def _nulls(table: str, columns: Sequence[str]) -> str:
    null = " OR ".join(f"{quote_name(c)} IS NULL" for c in columns)
    return f"SELECT count_if({null}) AS nulls FROM {table}"
