"""Small random tables that together cover every type."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tests.generators.values import random_rows
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import DataType, parse_type

Row = tuple[Any, ...]

WIDE = {
    "id": "int",
    "bo": "boolean",
    "b2": "boolean",
    "ti": "tinyint",
    "si": "smallint",
    "i": "int",
    "j": "int",
    "l": "bigint",
    "f": "float",
    "d": "double",
    "e": "double",
    "n52": "decimal(5,2)",
    "n100": "decimal(10,0)",
    "n205": "decimal(20,5)",
    "n38": "decimal(38,10)",
    "s": "string",
    "t": "string",
    "bi": "binary",
    "dt": "date",
    "du": "date",
    "ts": "timestamp",
    "tn": "timestamp_ntz",
    "ai": "array<int>",
    "at": "array<string>",
    "ad": "array<double>",
    "m": "map<string,int>",
    "st": "struct<x:int,y:string>",
}
LEFT = {
    "a": "int",
    "b": "int",
    "s": "string",
    "d": "double",
    "n": "decimal(7,2)",
    "dt": "date",
    "xs": "array<int>",
}
RIGHT = {"a": "int", "c": "bigint", "s": "string", "d": "double", "dt": "date", "p": "boolean"}
EMPTY = {"a": "int", "s": "string", "d": "double"}


@dataclass(frozen=True)
class Table:
    """A named table with its rows."""

    name: str
    names: tuple[str, ...]
    types: tuple[DataType, ...]
    rows: list[Row]

    @property
    def source(self) -> Source:
        """The table as a source of a dataflow."""
        pairs = zip(self.names, self.types, strict=True)
        return Source(self.name, tuple(Field(n, t) for n, t in pairs))


def make_table(random: Random, name: str, columns: dict[str, str], size: int) -> Table:
    """A table of random rows; a column `id` counts them."""
    types = tuple(parse_type(t) for t in columns.values())
    rows = random_rows(random, types, size)
    if "id" in columns:
        at = list(columns).index("id")
        rows = [(*row[:at], n, *row[at + 1 :]) for n, row in enumerate(rows)]
    return Table(name, tuple(columns), types, rows)


def wide_table(random: Random, size: int = 12) -> Table:
    """One table with a column or two of every type."""
    return make_table(random, "w", WIDE, size)


def query_tables(random: Random) -> list[Table]:
    """A few tables to join; their integers are small so that keys meet."""
    tables = [
        make_table(random, "r", LEFT, random.randrange(3, 9)),
        make_table(random, "q", RIGHT, random.randrange(2, 8)),
        make_table(random, "z", EMPTY, random.choice((0, 0, 1, 2))),
    ]
    return [_tamed(random, t) for t in tables]


def _tamed(random: Random, table: Table) -> Table:
    rows = []
    for row in table.rows:
        values = list(row)
        for n, name in enumerate(table.names):
            if name in "abc" and values[n] is not None and random.random() < 0.9:
                values[n] = random.randrange(-1, 4)
        rows.append(tuple(values))
    return Table(table.name, table.names, table.types, rows)
