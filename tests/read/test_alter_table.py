"""ALTER TABLE in a schema or a SQL file: it declares more of a table, and nothing else."""

from __future__ import annotations

import pytest

from veer.errors import InputError
from veer.ir.ops import ForeignKey
from veer.read.sql import read_schema, read_sql
from veer.read.sql.statements import sink_statements

TABLE = "CREATE TABLE t (a INT, `b c` INT, s STRING UNIQUE);\n"


@pytest.mark.parametrize(
    ("statement", "declared"),
    [
        ("ALTER TABLE t ADD PRIMARY KEY (a)", {"keys": (("a",),), "not null": {"a"}}),
        (
            "ALTER TABLE T ADD CONSTRAINT k PRIMARY KEY (A, `B C`)",
            {"keys": (("a", "b c"),), "not null": {"a", "b c"}},
        ),
        ("ALTER TABLE t ADD UNIQUE (a)", {"unique": (("s",), ("a",))}),
        # UNIQUE over columns that are never null is a key.
        ("ALTER TABLE t ALTER COLUMN s SET NOT NULL", {"keys": (("s",),), "not null": {"s"}}),
        (
            "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u (k)",
            {"foreign": (ForeignKey(("a",), "u", ("k",)),)},
        ),
    ],
)
def test_more_is_declared(statement: str, declared: dict[str, object]) -> None:
    source = read_schema(TABLE + statement)["t"]
    assert source.keys == declared.get("keys", ())
    assert source.unique == declared.get("unique", () if source.keys == (("s",),) else (("s",),))
    assert source.foreign_keys == declared.get("foreign", ())
    assert {f.name for f in source.fields if not f.nullable} == declared.get("not null", set())


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE u ADD PRIMARY KEY (a)",
        "ALTER TABLE t ADD PRIMARY KEY (z)",
        "ALTER TABLE t ALTER COLUMN z SET NOT NULL",
        "ALTER TABLE t ALTER COLUMN a DROP NOT NULL",
        "ALTER TABLE t ALTER COLUMN a TYPE BIGINT",
        "ALTER TABLE t ADD COLUMN x INT",
        "ALTER TABLE t DROP COLUMN a",
        "ALTER TABLE t RENAME TO u",
        "ALTER TABLE IF EXISTS t ADD PRIMARY KEY (a)",
        "ALTER VIEW t AS SELECT 1",
    ],
)
def test_anything_else_is_refused(statement: str) -> None:
    with pytest.raises(InputError):
        read_schema(TABLE + statement)


def test_a_file_of_sql_may_declare_more_too() -> None:
    text = f"{TABLE}ALTER TABLE t ADD PRIMARY KEY (a);\nSELECT a FROM t"
    (source,) = read_sql(text).sources.values()
    assert source.keys == (("a",),)
    assert sink_statements(text, "result") == ["SELECT a FROM t"]
