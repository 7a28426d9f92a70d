"""Small cases in which the interpreter once differed from Spark, or easily would."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.generators.tables import Table
from tests.recorded import RecordedSpark
from tests.spark.batches import Tally, compare_expressions
from tests.spark.compare import register
from tests.spark.flows import FlowTally, compare_query
from veer.ir.types import parse_type

pytestmark = pytest.mark.spark

NAN = float("nan")
COLUMNS = {
    "id": "int",
    "i": "int",
    "l": "bigint",
    "d": "double",
    "n": "decimal(38,10)",
    "n5": "decimal(5,2)",
    "s": "string",
    "dt": "date",
    "ad": "array<double>",
    "ai": "array<int>",
}
ROWS = [
    (0, 1, -(2**63), 0.0, Decimal("1E-10"), Decimal("1.25"), "a", date(2020, 2, 29), (-0.0, 0.0), (1,)),
    (1, None, 2, -0.0, Decimal("-9999999999999999999999999999.9999999999"), None, "", None, (), None),
    (2, 2, 3, NAN, None, Decimal("-0.50"), "1e2", date(1, 1, 1), (NAN, None, NAN), (None, 2)),
    (3, 1, None, None, Decimal("0E-10"), Decimal("0.00"), None, date(9999, 12, 31), None, (2, 1)),
    (4, -(2**31), 2**63 - 1, 5e-324, Decimal("5E-10"), Decimal("999.99"), "99999", date(2020, 1, 31), (1.0,), ()),
]  # fmt: skip
TABLE = Table("w", tuple(COLUMNS), tuple(map(parse_type, COLUMNS.values())), ROWS)

EXPRESSIONS = (
    "abs(n)", "-n",  # negation rounds to 34 digits
    "i / s", "try_add(i, s)", "try_divide(i, s)", "try_add(i, 'a')",  # text beside an integer
    "coalesce('1', i, n5)", "coalesce(i, '1', n5)", "coalesce(i, n5, '1')",  # left to right
    "greatest(i, '1')", "least(dt, s)", "array_contains(ai, '1')",  # no promotion of text
    "greatest(0.0D, -(0.0D))", "array_distinct(ad)", "array_distinct(array(array(-(0.0D))))",
    "map(-(0.0D), 1)", "sort_array(ad)", "array_contains(ad, 0.0D)", "ai[l]",
    "round(-0.4D)", "round(CAST(23.005 AS FLOAT), 2)", "bround(-(0.0D), 1)", "ceil(1e30)", "ceil(CAST('NaN' AS DOUBLE))", "ceil(n5)",
    "CAST(d AS STRING)", "CAST(1e20 AS STRING)", "CAST(d AS DECIMAL(38,10))", "CAST(1e300 AS DECIMAL(10,0))",
    "locate('', s, 10)", "locate('a', s, 0)", "regexp_extract(s, 'a', 5)", "initcap('ß ßa')", "initcap('İİ aΣ ϴϴ ŉa')", "initcap(lower('İ'))",
    "trunc(CAST(s AS DATE), 'x')", "date_trunc('MILLISECOND', TIMESTAMP '2020-01-01 00:00:00.123456')",
    "CAST('2020-01-31 12:34:56+01:00' AS TIMESTAMP_NTZ)", "CAST(s AS DATE)",
    "unix_timestamp(TIMESTAMP '1969-12-31 23:59:59.5')",
    "CAST(TIMESTAMP '1969-12-31 23:59:59.5' AS BIGINT)", "dt + NULL", "dt - NULL",
    "nanvl(1.0D, 1 % 0)", "NULL % (1 / 0)", "(1 / 0) % CAST(NULL AS DOUBLE)", "next_day(dt, ' MO ')",
    "hex(s)", "substring(s, l, 1)", "concat(s, CAST(s AS BINARY))", "rpad(s, 2.9, 'x')",
    "s || i = s || 1", "i IN ('1', NULL)", "timestamp_seconds(1.1234567)",
    "array(id, i)[1]", "array(id, i)[i]", "array(array(i))[0][0]", "-array(i)[0]", "array(i)[0]::string", "map('a', i)['a']",
    "split(s, 'e')[0]", "struct(i).i", "struct(i + 1).col1", "named_struct('x', i).x", "array(named_struct('x', i))[0].x",
    "timestamp_seconds(CAST('inf' AS DOUBLE))", "months_between(dt, DATE '2020-01-31', false)",
)  # fmt: skip

QUERIES = (
    "SELECT d, count(*) AS c FROM w GROUP BY d",
    "SELECT DISTINCT d FROM w",
    "SELECT sort_array(collect_set(d)) AS c, size(collect_list(d)) AS e FROM w",
    "SELECT d FROM w INTERSECT ALL SELECT -d FROM w",
    "SELECT d FROM w EXCEPT SELECT CAST('NaN' AS DOUBLE)",
    "SELECT a.id, b.id AS other FROM w a JOIN w b ON a.d = b.d",
    "SELECT a.id, b.id AS other FROM w a FULL JOIN w b ON a.d < b.d AND a.i = 1",
    "SELECT id FROM w WHERE i NOT IN (SELECT i FROM w WHERE id > 1)",
    "SELECT id FROM w WHERE i NOT IN (SELECT i FROM w WHERE false)",
    "SELECT sum(i) AS s, avg(n5) AS a, min(d) AS m, max(d) AS x, count(*) AS c FROM w WHERE false",
    "SELECT i, max(d) AS x FROM w WHERE false GROUP BY i",
    "SELECT i, count(*) AS c FROM w WHERE false GROUP BY ROLLUP (i)",
    "SELECT sum(l) AS s FROM w WHERE id IN (0, 4)",
    "SELECT sum(l) AS s FROM w WHERE id IN (2, 4)",
    "SELECT array(id, 7)[0], map('a', id)['a'], split('a,b', ',')[0], named_struct('x', id).x, struct(id).id FROM w",
    "SELECT array[0] AS a, list[0] AS b, array(list)[0] AS c FROM (SELECT ai AS array, array(1) AS list FROM w WHERE id = 0)",
    "SELECT id, sum(i) OVER (ORDER BY i RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c FROM w WHERE id < 4",
    "SELECT id, count(*) OVER (ORDER BY i DESC NULLS FIRST RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS c FROM w WHERE id < 4",
    "SELECT id, rank() OVER (ORDER BY d) AS r FROM w",
    "SELECT id, (SELECT count(*) FROM w b WHERE b.i = a.i) AS c FROM w a",
)  # fmt: skip


def test_expressions(recorded: RecordedSpark) -> None:
    register(recorded, [TABLE])
    tally = Tally()
    compare_expressions(recorded, TABLE, EXPRESSIONS, tally)
    assert not tally.differences, "\n".join(tally.differences)


def test_queries(recorded: RecordedSpark) -> None:
    register(recorded, [TABLE])
    tally = FlowTally()
    for text in QUERIES:
        compare_query(recorded, text, [TABLE], False, tally)
    assert not tally.unsupported
    assert not tally.differences, "\n".join(tally.differences)
