"""TPC-DS from DuckDB's extension: 99 queries, the schema, and small data on which they show rows.

The generated data at the smallest scale leaves many results empty: dimension columns are
therefore seeded with the constants the queries compare them with.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import duckdb
import duckdb_extension_tpcds
from sqlglot import exp

from veer.ir.ops import Source
from veer.read.sql import read_schema
from veer.read.sql.parse import parse_statements

SCALE = 0.01
# What is thinned out so that the interpreter finishes: facts by order, so that returns stay paired.
THINNED = (
    "DELETE FROM date_dim WHERE d_year NOT BETWEEN 1998 AND 2002",
    "DELETE FROM time_dim WHERE t_time_sk % 16 <> 0",
    "DELETE FROM customer WHERE c_customer_sk > 150",
    "DELETE FROM catalog_page WHERE cp_catalog_page_sk % 50 <> 0",
    "DELETE FROM customer_demographics WHERE cd_demo_sk % 4 <> 0",
    "DELETE FROM inventory WHERE inv_item_sk % 3 <> 0",
    "DELETE FROM store_sales WHERE ss_ticket_number % 4 <> 0",
    "DELETE FROM store_returns WHERE sr_ticket_number % 4 <> 0",
    "DELETE FROM catalog_sales WHERE cs_order_number % 3 <> 0",
    "DELETE FROM catalog_returns WHERE cr_order_number % 3 <> 0",
    "DELETE FROM web_sales WHERE ws_order_number % 2 <> 0",
    "DELETE FROM web_returns WHERE wr_order_number % 2 <> 0",
)
# Small dimensions have one row at this scale: copies of it, to be told apart by their constants.
COPIED = {
    "store": ("s_store_sk", ("store_sales.ss_store_sk", "store_returns.sr_store_sk"), 8),
    "warehouse": (
        "w_warehouse_sk",
        (
            "catalog_sales.cs_warehouse_sk",
            "web_sales.ws_warehouse_sk",
            "inventory.inv_warehouse_sk",
        ),
        3,
    ),
    "web_site": ("web_site_sk", ("web_sales.ws_web_site_sk",), 4),
    "call_center": ("cc_call_center_sk", ("catalog_sales.cs_call_center_sk",), 4),
    "reason": ("r_reason_sk", ("store_returns.sr_reason_sk", "web_returns.wr_reason_sk"), 4),
}
REFERENCES = {
    "1 + {0} % 150": (
        "store_sales.ss_customer_sk",
        "store_returns.sr_customer_sk",
        "catalog_sales.cs_bill_customer_sk",
        "catalog_sales.cs_ship_customer_sk",
        "catalog_returns.cr_returning_customer_sk",
        "catalog_returns.cr_refunded_customer_sk",
        "web_sales.ws_bill_customer_sk",
        "web_sales.ws_ship_customer_sk",
        "web_returns.wr_returning_customer_sk",
        "web_returns.wr_refunded_customer_sk",
    ),
    "4 + {0} // 4 * 4 % 19204": (
        "customer.c_current_cdemo_sk",
        "store_sales.ss_cdemo_sk",
        "store_returns.sr_cdemo_sk",
        "catalog_sales.cs_bill_cdemo_sk",
        "catalog_sales.cs_ship_cdemo_sk",
        "web_returns.wr_refunded_cdemo_sk",
        "web_returns.wr_returning_cdemo_sk",
        "web_sales.ws_bill_cdemo_sk",
    ),
}
SEEDED = (
    "item",
    "store",
    "customer_address",
    "promotion",
    "warehouse",
    "web_site",
    "call_center",
    "reason",
    "household_demographics",
    "customer",
)


def connect() -> duckdb.DuckDBPyConnection:
    """A database with the extension, loaded from its package without any download."""
    folder = os.path.dirname(duckdb_extension_tpcds.__file__)
    (path,) = glob.glob(folder + "/**/*.duckdb_extension", recursive=True)
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
    connection.execute(f"LOAD '{path}'")
    return connection


@lru_cache(maxsize=1)
def queries() -> Mapping[int, str]:
    """The 99 queries by number, in Spark's spelling of quoted names."""
    rows = connect().execute("SELECT query_nr, query FROM tpcds_queries()").fetchall()
    return {number: text.replace('"', "`") for number, text in rows}


def schema() -> str:
    """The CREATE TABLE statements of the schema."""
    connection = connect()
    connection.execute("CALL dsdgen(sf=0)")
    ddl = connection.execute("SELECT sql FROM duckdb_tables()").fetchall()
    return "\n".join(row[0] for row in ddl)


@lru_cache(maxsize=1)
def catalog() -> dict[str, Source]:
    """The tables of the schema."""
    return read_schema(schema())


def small_database() -> duckdb.DuckDBPyConnection:
    """Thinned and seeded data."""
    connection = connect()
    connection.execute(f"CALL dsdgen(sf={SCALE})")
    for statement in THINNED:
        connection.execute(statement)
    for table, (key, references, copies) in COPIED.items():
        connection.execute(
            f"INSERT INTO {table} SELECT {table}.* REPLACE ({key} + i AS {key}) FROM {table}, "
            f"range(1, {copies}) AS r(i)"
        )
        for reference in references:
            child, column = reference.split(".")
            connection.execute(
                f"UPDATE {child} SET {column} = 1 + hash(rowid) % {copies} WHERE {column} IS NOT NULL"
            )
    for formula, references in REFERENCES.items():
        for reference in references:
            child, column = reference.split(".")
            connection.execute(f"UPDATE {child} SET {column} = {formula.format(column)}")
    seed_constants(connection)
    return connection


def seed_constants(connection: duckdb.DuckDBPyConnection) -> None:
    """Give most rows of dimension columns a constant that some query compares them with."""
    for number, (column, values) in enumerate(sorted(constants().items())):
        for table in SEEDED:
            kinds = dict(_columns(connection, table))
            if column not in kinds or column.endswith("_sk"):
                continue
            fitting = [v for v in values if isinstance(v, str) == (kinds[column] == "VARCHAR")]
            if fitting:
                listed = ", ".join("'" + str(v).replace("'", "''") + "'" for v in fitting)
                connection.execute(
                    f"UPDATE {table} SET {column} = ([{listed}])"
                    f"[(1 + hash(rowid + {number * 7919}) % {len(fitting)})::BIGINT]::{kinds[column]} "
                    f"WHERE hash(rowid + {number * 104729}) % 8 <> 0"
                )


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, str]]:
    return connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?", [table]
    ).fetchall()


@lru_cache(maxsize=1)
def constants() -> Mapping[str, tuple[Any, ...]]:
    """For each column the constants that queries compare it with by = and IN."""
    by_column: dict[str, set[Any]] = {}
    for text in queries().values():
        for statement in parse_statements(text):
            for node in statement.find_all(exp.EQ, exp.In):
                if not isinstance(node.this, exp.Column):
                    continue
                others = node.expressions if isinstance(node, exp.In) else [node.expression]
                for other in others:
                    if isinstance(other, exp.Literal):
                        value = other.this if other.is_string else float(other.this)
                        by_column.setdefault(node.this.name.lower(), set()).add(value)
    return {name: tuple(sorted(values, key=str)) for name, values in by_column.items()}


def tables(connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table."""
    return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in catalog()}
