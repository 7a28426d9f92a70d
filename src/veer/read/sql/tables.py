"""Tables in SQL text given by format and path, or by version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from veer.ir.ops import Source
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
