"""Random schemas: tables with keys, nullable UNIQUE columns, foreign keys in chains, checks."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

NUMBERS = ("INT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(5,2)", "DECIMAL(18,4)", "DECIMAL(38,10)")
OTHERS = ("STRING", "DATE", "TIMESTAMP", "BOOLEAN")
KEY_TYPES = ("INT", "BIGINT", "STRING", "DATE", "DECIMAL(5,2)")
USUAL = ("INT", "INT", "INT", "BIGINT", "STRING", "STRING", "DOUBLE", "DECIMAL(5,2)", "DATE")


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    type: str
    nullable: bool = True


@dataclass(frozen=True)
class Reference:
    """A foreign key: a row with no null in `columns` has a row of `parent` with these values."""

    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with all that is declared of it; `keys[0]` is the primary key if `primary`."""

    name: str
    columns: tuple[Column, ...]
    keys: tuple[tuple[str, ...], ...] = ()
    primary: bool = False
    references: tuple[Reference, ...] = ()
    positive: str = ""  # a column that a CHECK holds above zero

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.columns)

    def column(self, name: str) -> Column:
        """The column of that name."""
        return next(c for c in self.columns if c.name == name)

    def ddl(self) -> str:
        """Its CREATE TABLE statement."""
        parts = [f"{c.name} {c.type}{'' if c.nullable else ' NOT NULL'}" for c in self.columns]
        for number, key in enumerate(self.keys):
            word = "PRIMARY KEY" if self.primary and number == 0 else "UNIQUE"
            parts.append(f"{word} ({', '.join(key)})")
        for reference in self.references:
            ours, theirs = ", ".join(reference.columns), ", ".join(reference.parent_columns)
            parts.append(f"FOREIGN KEY ({ours}) REFERENCES {reference.parent} ({theirs})")
        if self.positive:
            parts.append(f"CHECK ({self.positive} > 0)")
        return f"CREATE TABLE {self.name} ({', '.join(parts)})"


@dataclass(frozen=True)
class Schema:
    """Tables, parents before children."""

    tables: tuple[Table, ...]

    def table(self, name: str) -> Table:
        """The table of that name."""
        return next(t for t in self.tables if t.name == name)

    def ddl(self) -> str:
        """All CREATE TABLE statements."""
        return ";\n".join(t.ddl() for t in self.tables)


def read_tables(declared: list[dict[str, Any]]) -> Schema:
    """A schema as `asdict` of its tables, read from a file, gave it."""
    return Schema(
        tuple(
            Table(
                t["name"],
                tuple(Column(**c) for c in t["columns"]),
                tuple(map(tuple, t["keys"])),
                t["primary"],
                tuple(
                    Reference(tuple(r["columns"]), r["parent"], tuple(r["parent_columns"]))
                    for r in t["references"]
                ),
                t["positive"],
            )
            for t in declared
        )
    )


def random_schema(rng: Random) -> Schema:
    """One to four tables; later ones may refer to earlier ones."""
    tables: list[Table] = []
    for number in range(rng.choice((1, 2, 2, 3, 3, 4))):
        tables.append(_random_table(rng, f"t{number + 1}", tables))
    return Schema(tuple(tables))


def _random_table(rng: Random, name: str, earlier: list[Table]) -> Table:
    columns: list[Column] = []
    references: list[Reference] = []
    keys: list[tuple[str, ...]] = []
    letters = iter("abcdefghijklmnop")
    primary = rng.random() < 0.6
    if primary:
        key = [Column(next(letters), rng.choice(KEY_TYPES), False)]
        if rng.random() < 0.25:
            key.append(Column(next(letters), rng.choice(KEY_TYPES), False))
        columns += key
        keys.append(tuple(c.name for c in key))
    for parent in [t for t in earlier if t.keys]:
        if rng.random() < 0.6:
            target = rng.choice(parent.keys)
            nullable = rng.random() < 0.5
            ours = [Column(next(letters), parent.column(n).type, nullable) for n in target]
            columns += ours
            references.append(Reference(tuple(c.name for c in ours), parent.name, target))
    for _ in range(rng.randint(1, 3)):
        type_ = rng.choice(USUAL) if rng.random() < 0.7 else rng.choice((*NUMBERS, *OTHERS))
        columns.append(Column(next(letters), type_, rng.random() < 0.7))
    free = [c for c in columns if c.type != "BOOLEAN" and (c.name,) not in keys]
    if free and rng.random() < 0.35:
        keys.append((rng.choice(free).name,))
    elif len(free) > 1 and rng.random() < 0.15:
        keys.append(tuple(c.name for c in rng.sample(free, 2)))
    whole = [c.name for c in columns if c.type in ("INT", "BIGINT")]
    fixed = {n for r in references for n in r.columns}
    checked = [n for n in whole if n not in fixed]
    positive = rng.choice(checked) if checked and rng.random() < 0.04 else ""
    return Table(name, tuple(columns), tuple(keys), primary, tuple(references), positive)
