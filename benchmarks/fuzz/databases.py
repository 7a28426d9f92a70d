"""Rows that honour a schema and are unpleasant otherwise, and a check that rows honour it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, localcontext
from random import Random
from typing import Any

from benchmarks.fuzz.schemas import Schema, Table

Row = tuple[Any, ...]
Database = dict[str, list[Row]]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAN = float("nan")

# Plain values are few, so that joins match and groups have several rows.
PLAIN: dict[str, tuple[Any, ...]] = {
    "INT": (0, 1, 2, 3, -1, 5),
    "BIGINT": (0, 1, 2, 3, -1, 5),
    "DOUBLE": (0.0, 1.0, 0.5, -1.0, 2.0, 1.5),
    "FLOAT": (0.0, 1.0, 0.5, -1.0, 2.0, 1.5),
    "STRING": ("", "a", "b", "ab", "1", "A"),
    "DATE": (date(2024, 1, 1), date(2024, 2, 29), date(1970, 1, 1), date(2023, 12, 31)),
    "TIMESTAMP": (
        datetime(2024, 1, 1, tzinfo=UTC),
        datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
        EPOCH,
        datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC),
    ),
    "BOOLEAN": (True, False),
}
ODD: dict[str, tuple[Any, ...]] = {
    "INT": (2**31 - 1, -(2**31), 7, 10, -3),
    "BIGINT": (2**53, 2**53 + 1, -(2**53), 2**63 - 1, -(2**63), 7, 10),
    "DOUBLE": (-0.0, 0.0, NAN, float("inf"), -float("inf"), 2.0**53, 0.1, 1e308, 5e-324),
    "FLOAT": (-0.0, 0.0, NAN, float("inf"), -float("inf"), 16777216.0, 0.10000000149011612),
    "STRING": (" ", "a ", " a", "\t", "%", "_", "NaN", "-0", "2024-01-01", "é", "null", "aa", "00"),
    "DATE": (date(1, 1, 1), date(9999, 12, 31), date(1582, 10, 15), date(2000, 2, 29)),
    "TIMESTAMP": (
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2024, 3, 10, 2, 30, tzinfo=UTC),
    ),
    "BOOLEAN": (True, False),
}
KINDS = ("plain", "odd", "sparse")  # the rows of a table
DATABASES = ("plain", "mixed")  # the databases a pair is run on
MIXED = ("odd", "odd", "odd", "plain", "sparse", "empty")  # kinds of the tables of the second


def value(rng: Random, type_: str, kind: str) -> Any:
    """A value of a type that is not null."""
    if type_.startswith("DECIMAL"):
        precision, scale = map(int, type_[8:-1].split(","))
        digits = Decimal(rng.choice(("0", "1", "2", "1.5", "-1", "0.25")))
        with localcontext(prec=60):
            if kind == "odd" and rng.random() < 0.3:
                digits = Decimal(rng.choice((10**precision - 1, 1 - 10**precision, 5, 15)))
                return digits.scaleb(-scale)
            return digits.quantize(Decimal(1).scaleb(-scale))
    if kind == "odd" and rng.random() < 0.5:
        return rng.choice(ODD[type_])
    return rng.choice(PLAIN[type_])


def database(rng: Random, schema: Schema, kind: str) -> Database:
    """A legal database: `plain` small values, `odd` extreme ones, `sparse` few rows and many nulls.

    In one that is `mixed` every table is of another kind, or has no rows.
    """
    rows: Database = {}
    for table in schema.tables:
        of = rng.choice(MIXED) if kind == "mixed" else kind
        if of == "empty":
            rows[table.name] = []
            continue
        count = {"plain": rng.randint(3, 9), "odd": rng.randint(2, 9), "sparse": rng.randint(0, 2)}
        rows[table.name] = _rows(rng, schema, table, rows, of, count[of])
    return rows


def _rows(
    rng: Random, schema: Schema, table: Table, parents: Database, kind: str, count: int
) -> list[Row]:
    nulls = {"plain": 0.2, "odd": 0.25, "sparse": 0.5}[kind]
    rows: list[Row] = []
    seen: list[set[tuple[Any, ...]]] = [set() for _ in table.keys]
    for _ in range(count * 3):
        if len(rows) == count:
            break
        if rows and not table.keys and rng.random() < 0.3:
            rows.append(rng.choice(rows))  # a duplicate
            continue
        row = _row(rng, schema, table, parents, kind, nulls)
        if row is None:
            continue
        keys = [_key(table, row, key) for key in table.keys]
        if any(key is not None and key in taken for key, taken in zip(keys, seen, strict=True)):
            continue
        for key, taken in zip(keys, seen, strict=True):
            if key is not None:
                taken.add(key)
        rows.append(row)
    return rows


def _row(
    rng: Random, schema: Schema, table: Table, parents: Database, kind: str, nulls: float
) -> Row | None:
    """A row whose references hold; none if a parent it needs has no rows."""
    values: dict[str, Any] = {
        c.name: None if c.nullable and rng.random() < nulls else value(rng, c.type, kind)
        for c in table.columns
    }
    if table.positive and values[table.positive] is not None:
        values[table.positive] = abs(values[table.positive]) % 1000 + 1
    if not _refer(rng, schema, table, parents, values):
        return None
    return tuple(values[name] for name in table.names)


def _refer(
    rng: Random, schema: Schema, table: Table, parents: Database, values: dict[str, Any]
) -> bool:
    """Make the references of a row hold; false where there is nothing to refer to."""
    for reference in table.references:
        if any(values[n] is None for n in reference.columns):
            continue
        places = [schema.table(reference.parent).names.index(n) for n in reference.parent_columns]
        rows = parents[reference.parent]
        known = [k for row in rows if None not in (k := tuple(row[i] for i in places))]
        if known:
            values.update(zip(reference.columns, rng.choice(known), strict=True))
        elif table.column(reference.columns[0]).nullable:
            values[reference.columns[0]] = None
        else:
            return False
    return True


def _key(table: Table, row: Row, key: Sequence[str]) -> tuple[Any, ...] | None:
    """The values of a row in a key as Spark compares them; none if one is null."""
    values = [row[table.names.index(n)] for n in key]
    if any(v is None for v in values):
        return None
    return tuple(map(comparable, values))


def comparable(value: Any) -> Any:
    """A value so that equal ones, NaN among them, compare equal."""
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    return value


def broken_constraints(schema: Schema, rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """What is declared and does not hold; a table without rows may be missing."""
    broken = []
    for table in schema.tables:
        content = rows.get(table.name, ())
        for column, place in zip(table.columns, range(len(table.columns)), strict=True):
            if not column.nullable and any(row[place] is None for row in content):
                broken.append(f"{table.name}.{column.name} is null")
        for number, key in enumerate(table.keys):
            if table.primary and number == 0:
                places = [table.names.index(n) for n in key]
                if any(row[i] is None for row in content for i in places):
                    broken.append(f"primary key of {table.name} is null")
            values = [v for row in content if (v := _key(table, row, key)) is not None]
            if len(values) != len(set(values)):
                broken.append(f"{table.name} repeats its key ({', '.join(key)})")
        broken += _broken_references(schema, table, rows)
        if table.positive:
            place = table.names.index(table.positive)
            if any(row[place] is not None and row[place] <= 0 for row in content):
                broken.append(f"{table.name} breaks CHECK ({table.positive} > 0)")
    return broken


def _broken_references(
    schema: Schema, table: Table, rows: Mapping[str, Sequence[Row]]
) -> list[str]:
    broken = []
    for reference in table.references:
        parent = schema.table(reference.parent)
        parent_keys = {_key(parent, r, reference.parent_columns) for r in rows.get(parent.name, ())}
        for row in rows.get(table.name, ()):
            needed = _key(table, row, reference.columns)
            if needed is not None and needed not in parent_keys:
                columns = ", ".join(reference.columns)
                broken.append(f"{table.name} ({columns}) refers to no row of {parent.name}")
                break
    return broken


def micros(moment: datetime) -> int:
    """Microseconds since 1970, exactly."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - EPOCH) // timedelta(microseconds=1)
