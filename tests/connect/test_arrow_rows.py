"""Rows that come with a plan in Arrow's format."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.connect.proto.relations_pb2 import LocalRelation

from veer.errors import UnsupportedError
from veer.functions.arithmetic import NAN
from veer.ir.ops import LOCAL, Source, Values
from veer.ir.types import OpaqueType, TimestampType
from veer.read.pyspark.connect.leaves import given_rows
from veer.read.pyspark.plans.pickled_rows import MOST_CELLS

MOMENT = datetime(2024, 5, 1, 12, 30)


def local(schema: str = "", **columns: Any) -> LocalRelation:
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    relation = LocalRelation(data=sink.getvalue().to_pybytes())
    if schema:
        relation.schema = schema
    return relation


def test_plain_values_are_themselves() -> None:
    elsewhere = timezone(timedelta(hours=2))
    relation = local(
        n=pa.array([1, None], pa.int32()),
        x=pa.array([float("nan"), 1.5], pa.float64()),
        d=pa.array([Decimal("1.50"), None], pa.decimal128(5, 2)),
        day=pa.array([date(2024, 5, 1), None]),
        at=pa.array([MOMENT.replace(tzinfo=elsewhere), None], pa.timestamp("us", tz="Etc/GMT-2")),
        here=pa.array([MOMENT, None], pa.timestamp("us")),
    )
    rows = given_rows(relation)
    assert isinstance(rows, Values)
    moment = MOMENT.replace(tzinfo=elsewhere).astimezone(UTC).replace(tzinfo=None)
    first = (1, NAN, Decimal("1.50"), date(2024, 5, 1), moment, MOMENT)
    assert rows.rows == (first, (None, 1.5, None, None, None, None))
    assert rows.fields[4].type == TimestampType()


def test_the_schema_says_how_texts_are_compared() -> None:
    collated = {"__COLLATIONS": {"s": "spark.UTF8_LCASE"}}
    field = {"name": "s", "type": "string", "nullable": True, "metadata": collated}
    schema = json.dumps({"type": "struct", "fields": [field]})
    rows = given_rows(local(schema, s=pa.array(["A"])))
    assert isinstance(rows, Source) and rows.fields[0].type == OpaqueType(
        "string collate UTF8_LCASE"
    )


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1, 2]], pa.list_(pa.int32())),
        pa.array([MOMENT], pa.timestamp("ns")),
        pa.array(range(MOST_CELLS + 1)),
    ],
)
def test_others_are_known_by_a_digest(column: Any) -> None:
    one, two = given_rows(local(c=column)), given_rows(local(c=column))
    assert isinstance(one, Source) and one.format == LOCAL and one == two
    assert given_rows(local(c=pa.concat_arrays([column, column]))) != one


def test_values_that_are_not_of_the_declared_type_are_not_guessed() -> None:
    assert isinstance(given_rows(local("n TINYINT", n=pa.array([200]))), Source)
    assert isinstance(given_rows(local("n STRING", n=pa.array([1]))), Source)
    with pytest.raises(UnsupportedError, match="number of columns"):
        given_rows(local("a INT, b INT", a=pa.array([1])))


def test_no_rows() -> None:
    nothing, one = given_rows(LocalRelation(schema="a INT")), given_rows(local("a INT", a=[1]))
    assert isinstance(nothing, Values) and isinstance(one, Values)
    assert nothing.fields == one.fields and not nothing.rows
