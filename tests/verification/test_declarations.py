"""Declarations worth a try: which there are, how likely, and which a witness violates."""

from __future__ import annotations

import pytest

from veer.facts.origins import origins
from veer.hints import Declaration, Key, NotNull, References, Unique
from veer.ir.sources import tables_read
from veer.read.sql import read_sql
from veer.verification.declarations import (
    Likelihood,
    candidates,
    declaring,
    likelihood,
    violated,
    with_targets,
)

SCHEMA = """
CREATE TABLE customers (customer_id INT, name STRING, vip BOOLEAN);
CREATE TABLE orders (id INT NOT NULL PRIMARY KEY, customer_id INT, amount DOUBLE, placed DATE);
"""
QUERY = read_sql(
    "SELECT o.id, c.name FROM orders o JOIN customers c ON o.customer_id = c.customer_id "
    "WHERE o.amount > 1 AND c.vip",
    SCHEMA,
)


def test_columns_are_followed_to_their_tables() -> None:
    query = read_sql(
        "SELECT k + 1 AS a, n AS b FROM (SELECT customer_id AS k, upper(name) AS n FROM customers)",
        SCHEMA,
    )
    assert origins(query)[query.sinks[0]].origins == (("customers", "customer_id"), None)


def test_what_is_joined_by_may_be_a_key_and_what_is_read_never_null() -> None:
    rated = dict(candidates(QUERY, QUERY))
    assert rated[Key("customers", ("customer_id",))] is Likelihood.LIKELY
    assert rated[Key("orders", ("customer_id",))] is Likelihood.HARDLY
    assert References("orders", ("customer_id",), "customers", ("customer_id",)) in rated
    assert NotNull("orders", "amount") in rated and NotNull("customers", "vip") in rated
    # Declared already, only passed on, or no key by its type.
    assert Key("orders", ("id",)) not in rated
    assert NotNull("customers", "name") not in rated
    assert Key("customers", ("vip",)) not in rated and Key("orders", ("amount",)) not in rated


@pytest.mark.parametrize(
    ("table", "column", "expected"),
    [
        ("orders", "id", Likelihood.LIKELY),
        ("customers", "customer_id", Likelihood.LIKELY),
        ("orders", "customer_id", Likelihood.HARDLY),
        ("orders", "placed", Likelihood.HARDLY),
        ("customers", "name", Likelihood.HARDLY),
    ],
)
def test_names_tell_how_likely_a_key_is(table: str, column: str, expected: Likelihood) -> None:
    assert likelihood(Key(table, (column,)), tables_read([QUERY])) is expected


def test_tables_declare_more() -> None:
    declared = declaring(
        QUERY,
        [
            Key("customers", ("customer_id",)),
            References("orders", ("customer_id",), "customers", ("customer_id",)),
            Unique("orders", ("placed",)),
            NotNull("orders", "amount"),
        ],
    )
    tables = tables_read([declared])
    assert tables["customers"].keys == (("customer_id",),)
    assert not tables["customers"].fields[0].nullable
    assert tables["orders"].keys == (("id",),) and tables["orders"].unique == (("placed",),)
    assert [f.name for f in tables["orders"].fields if not f.nullable] == ["id", "amount"]
    assert tables["orders"].foreign_keys[0].parent == "customers"
    # A reference to what is no key says nothing.
    alone = [References("orders", ("customer_id",), "customers", ("customer_id",))]
    assert with_targets(alone, tables_read([QUERY])) == []


@pytest.mark.parametrize(
    ("declaration", "holds"),
    [
        (NotNull("customers", "customer_id"), False),
        (NotNull("orders", "id"), True),
        (Key("customers", ("customer_id",)), False),
        (Unique("customers", ("customer_id",)), True),
        (Key("orders", ("id",)), True),
        (Unique("orders", ("customer_id",)), False),
        (References("orders", ("customer_id",), "customers", ("customer_id",)), False),
        (References("customers", ("customer_id",), "orders", ("customer_id",)), True),
        (Key("elsewhere", ("a",)), True),
    ],
)
def test_rows_keep_a_declaration_or_not(declaration: Declaration, holds: bool) -> None:
    tables = {
        "customers": {"columns": ["customer_id"], "rows": [(1,), (None,), (None,)]},
        "orders": {"columns": ["id", "customer_id"], "rows": [(1, 1), (2, 1), (3, 7)]},
    }
    assert violated([declaration], tables) == ([] if holds else [declaration])
