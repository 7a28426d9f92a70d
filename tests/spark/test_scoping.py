"""Names, scopes and clauses: tricky queries give the same rows, names and types as in Spark."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from benchmarks.support.beside_spark import difference, run_here
from tests.recorded import RecordedSpark
from tests.spark.compare import Failed, Refused, run_spark
from tests.tables import ROWS, SCHEMA
from veer.errors import VeerError
from veer.read.sql import read_schema, read_sql

pytestmark = pytest.mark.spark

QUERIES = [
    # aliases against columns
    "SELECT a AS b, b AS a FROM t ORDER BY a",
    "SELECT a AS b FROM t ORDER BY b",
    "SELECT b AS a, COUNT(*) AS n FROM t GROUP BY a, b HAVING a > 1",
    "SELECT a + 1 AS a FROM t WHERE a > 1",
    "SELECT SUM(a) AS a FROM t GROUP BY b HAVING SUM(a) > 1",
    "SELECT SUM(b) AS b FROM t GROUP BY a HAVING b > 5",
    "SELECT a % 2 AS g, COUNT(*) AS n FROM t GROUP BY g",
    "SELECT a % 2 AS b, COUNT(*) AS n FROM t GROUP BY b",
    "SELECT a, COUNT(*) AS n FROM t GROUP BY 1 ORDER BY 2 DESC, 1",
    "SELECT a + 1 AS x, x + 1 AS y FROM t",
    "SELECT a AS b, b + 1 AS c FROM t",
    "SELECT t.a FROM t ORDER BY t.b, a, s",
    "SELECT a, a FROM t",
    "SELECT a, MAX(b) AS m FROM t GROUP BY a ORDER BY MAX(b), a",
    "SELECT a, MAX(b) AS m FROM t GROUP BY a ORDER BY SUM(b) DESC NULLS FIRST, a",
    "SELECT DISTINCT a, b FROM t ORDER BY b, a",
    "SELECT COUNT(*) AS n FROM t HAVING COUNT(*) > 3",
    "SELECT 1 AS one FROM t HAVING 1 = 1",
    "SELECT MAX(a) + MIN(b) AS r FROM t",
    "SELECT a FROM t GROUP BY a HAVING MAX(b) > 5 AND COUNT(*) > 1",
    "SELECT A, B FROM T WHERE t.A = 2",
    # grouping sets
    "SELECT a, s, SUM(b) AS x, GROUPING(a) AS ga, GROUPING_ID() AS g FROM t GROUP BY ROLLUP (a, s)",
    "SELECT a, s, COUNT(*) AS n FROM t GROUP BY CUBE (a, s)",
    "SELECT a, s, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((a), (s), (a), ())",
    "SELECT a, COUNT(*) AS n FROM t WHERE a > 99 GROUP BY ROLLUP (a)",
    "SELECT a, COUNT(*) AS n FROM t WHERE a > 99 GROUP BY GROUPING SETS (())",
    "SELECT a + 1 AS p, SUM(a) AS x FROM t GROUP BY ROLLUP (a + 1)",
    "SELECT a, s, SUM(b) AS x FROM t GROUP BY a, s WITH ROLLUP",
    "SELECT a, s, SUM(b) AS x FROM t GROUP BY a, ROLLUP (s)",
    "SELECT s, SUM(a) AS x, SUM(SUM(a)) OVER (PARTITION BY s) AS y FROM t GROUP BY s",
    # joins
    "SELECT * FROM t JOIN u USING (a)",
    "SELECT * FROM t LEFT JOIN u USING (a, s)",
    "SELECT * FROM t RIGHT JOIN u USING (a)",
    "SELECT * FROM t FULL JOIN u USING (a)",
    "SELECT t.a, u.a, a FROM t LEFT JOIN u USING (a)",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT t.* FROM t RIGHT JOIN u ON t.a = u.a AND t.b > 5",
    "SELECT * FROM t LEFT SEMI JOIN u ON t.a = u.a",
    "SELECT * FROM t LEFT ANTI JOIN u ON t.a = u.a",
    "SELECT x.a, y.a FROM t AS x, t AS y WHERE x.a = y.b",
    "SELECT * FROM t FULL JOIN u ON t.a = u.a AND t.s = u.s",
    "SELECT * FROM t CROSS JOIN u WHERE t.a < u.a",
    "SELECT v.z FROM (SELECT a, b AS z FROM t) AS v (y, z)",
    # subqueries
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = a)",
    "SELECT a FROM t WHERE a NOT IN (SELECT a FROM u)",
    "SELECT a FROM t WHERE a NOT IN (SELECT a FROM u WHERE a IS NOT NULL)",
    "SELECT a FROM t WHERE (a, s) IN (SELECT a, s FROM u)",
    "SELECT a, (SELECT MAX(c) FROM u WHERE u.a = t.a) AS m FROM t",
    "SELECT a, (SELECT COUNT(*) FROM u WHERE u.a = t.a) AS m FROM t",
    "SELECT a, a IN (SELECT a FROM u) AS f FROM t",
    "SELECT a FROM t WHERE a > (SELECT AVG(a) FROM u) OR EXISTS (SELECT 1 FROM u WHERE c = b)",
    "SELECT a, SUM(b) AS x FROM t GROUP BY a HAVING SUM(b) > (SELECT MIN(c) FROM u)",
    "SELECT a, COUNT(*) AS n FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE u.a = t.a)",
    "WITH w AS (SELECT a FROM t), v AS (SELECT a + 1 AS a FROM w) SELECT * FROM w JOIN v ON w.a = v.a",
    "WITH t AS (SELECT 1 AS a) SELECT * FROM t",
    "WITH w (p, q) AS (SELECT a, b FROM t) SELECT q, p FROM w",
    "SELECT * FROM t, LATERAL (SELECT c FROM u WHERE u.a = t.a) AS l",
    "SELECT * FROM t LEFT JOIN LATERAL (SELECT c FROM u WHERE u.a = t.a) AS l",
    # set operations
    "SELECT a FROM t UNION SELECT c FROM u ORDER BY a",
    "SELECT a FROM t UNION ALL SELECT a FROM u EXCEPT SELECT 1",
    "SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT 2",
    "SELECT a, 1 AS x FROM t UNION ALL SELECT a, 2.5 FROM u",
    "SELECT a FROM t EXCEPT ALL SELECT a FROM u",
    "SELECT a FROM t INTERSECT ALL SELECT a FROM u",
    "(SELECT a FROM t ORDER BY a LIMIT 2) UNION ALL (SELECT a FROM u ORDER BY a DESC LIMIT 1)",
    "SELECT NULL AS x UNION ALL SELECT 1",
    # windows
    "SELECT a, b, RANK() OVER (PARTITION BY s ORDER BY a) AS r FROM t",
    "SELECT a, SUM(b) OVER (ORDER BY a) AS r, COUNT(*) OVER () AS n FROM t",
    "SELECT a, SUM(b) OVER w AS x FROM t WINDOW w AS (PARTITION BY a)",
    "SELECT a, SUM(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM t",
    "SELECT a FROM (SELECT a, DENSE_RANK() OVER (ORDER BY a DESC) AS r FROM t) AS q WHERE r <= 2",
    "SELECT s, MAX(a) AS m, RANK() OVER (ORDER BY MAX(a) DESC) AS r FROM t GROUP BY s",
    # generators, nested types
    "SELECT k, explode(arr) AS e FROM n",
    "SELECT k, explode_outer(arr) FROM n",
    "SELECT k, posexplode(arr) AS (p, e) FROM n",
    "SELECT k, p, e FROM n LATERAL VIEW OUTER posexplode(arr) x AS p, e",
    "SELECT k, key, value FROM n LATERAL VIEW explode(m) AS key, value",
    "SELECT st.x, n.st.y, st FROM n",
    "SELECT k, struct(k, arr) AS q FROM n",
    "SELECT k FROM n WHERE st.x IS NULL",
    # pivot
    "SELECT * FROM (SELECT a, s, b FROM t) PIVOT (SUM(b) AS v, COUNT(*) AS n FOR s IN ('x', 'y' AS yy))",
    "SELECT * FROM (SELECT s, b FROM t) PIVOT (COUNT(b) FOR s IN ('x', 'w'))",
    "SELECT * FROM (SELECT a, b FROM t) UNPIVOT (v FOR k IN (a, b))",
    # values, no FROM
    "SELECT 1 AS a, 'x' AS b",
    "VALUES (1, 'a'), (2, NULL)",
    "SELECT * FROM VALUES (1, 2.5), (2, 3) AS v (p, q)",
    "SELECT * FROM range(3)",
    "SELECT -a AS n, +a AS p, NOT (a > 1) AS q FROM t",
    "SELECT * EXCEPT (b) FROM t",
    "SELECT COUNT(DISTINCT a, s) AS n, COUNT(a) AS m, SUM(DISTINCT a) AS d FROM t",
    "SELECT a FROM t LIMIT 0",
    "SELECT s NOT LIKE 'x%' AS n, s LIKE ANY ('x', NULL) AS y, s NOT LIKE ALL ('x', 'y') AS z FROM t",
    "SELECT s NOT LIKE 'x%' FROM t",
    "SELECT a FROM t WHERE s NOT LIKE 'x!%' ESCAPE '!' AND NOT s LIKE '_'",
    "SELECT a, b FROM t ORDER BY a NULLS LAST, b DESC, s LIMIT 3 OFFSET 1",
    "SELECT FIRST(a) FILTER (WHERE a = 2) AS f FROM t",
    "SELECT CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END AS w FROM t",
    # precedence of operators, signs of numbers
    "SELECT '1' || 2 + 3 AS r",
    "SELECT a | 4 & 6 ^ 3 AS r FROM t",
    "SELECT s = 'x' LIKE 'true' AS r FROM t",
    "SELECT a FROM t WHERE a > 1 IS NULL",
    "SELECT -1::STRING AS r, -128Y AS y, -a::STRING AS s FROM t",
    "SELECT ltrim('x', 'xax') AS a, rtrim('x', 'bxax') AS b, trim('x', 'xaxb') AS c",
    "SELECT X'1' AS a, X'ABC' AS b",
    # rows in lists, IN with a subquery as a value
    "SELECT a, (a, b) IN ((1, 10), (2, 20)) AS r FROM t",
    "SELECT a FROM t WHERE (a, b) NOT IN ((1, 10), (2, 20))",
    "SELECT a, IF(a IN (SELECT a FROM u), false, true) AS r FROM t",
    "SELECT a FROM t WHERE NOT (a IN (SELECT a FROM u) AND b > 5)",
    "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a AND t.b IN (SELECT c FROM u)",
    # USING once more
    "SELECT * FROM t LEFT ANTI JOIN u USING (a, s)",
    "SELECT * FROM t LEFT SEMI JOIN u USING (s)",
    "SELECT * FROM (t JOIN u USING (a)) AS q",
    "SELECT q.a, q.c FROM (t JOIN u USING (a)) AS q",
    "SELECT t.* FROM t JOIN u USING (s)",
    # grouping sets and windows by name
    "SELECT a, s, GROUPING_ID() AS g FROM t GROUP BY GROUPING SETS ((s), (a), (a, s))",
    "SELECT SUM(b) OVER v AS x FROM t WINDOW w AS (PARTITION BY s), v AS w",
    "SELECT * FROM (SELECT a, s, b FROM t) PIVOT (SUM(b) FILTER (WHERE a > 1) FOR s IN ('x', 'y'))",
    "SELECT * FROM (SELECT a > 1 AS p, b FROM t) PIVOT (SUM(b) FOR p IN (true, false))",
    # what the parser drops, or reads as something else
    "SELECT TIMESTAMP '2020-01-01 23:00:00-08:00'::DATE AS d, '2020-01-01'::DATE::STRING AS s",
    "SELECT DATE '2020-01-31'::TIMESTAMP AS t, -1::STRING AS m",
    "SELECT +s AS p FROM t",
    "SELECT +'1' AS p, +a AS q, - +a AS r, +a + +b AS z FROM t",
    "SELECT +arr AS p FROM n",
    "SELECT 127Y AS y, -128Y AS z, 32767S AS s",
    "SELECT 128Y AS y",
    "SELECT 9223372036854775808L AS y",
    "SELECT DATE 'mar 11 2016' AS d",
    "SELECT TIMESTAMP '2020-33-01 00:00:00' AS d",
    "SELECT INTERVAL '1 day' AS i",
    "SELECT INTERVAL '1 day -' AS i",
    "SELECT ALL a FROM t",
    "SELECT a FROM t WHERE a IN ()",
    "SELECT count() FROM t",
    "SELECT CAST(a AS INT(11)) FROM t",
    "SELECT s LIKE ANY () FROM t",
    # what Spark refuses
    "SELECT a FROM t ORDER BY -1",
    "SELECT a FROM t ORDER BY a IN (SELECT a FROM u)",
    "SELECT a FROM t ORDER BY explode(array(1, 2))",
    "SELECT grouping_id() FROM t",
    "SELECT count(*) AS c FROM t HAVING grouping_id() = 0",
    "SELECT GROUPING(a, b) FROM t GROUP BY CUBE (a, b)",
    "SELECT * EXCEPT (a, a) FROM t",
    "SELECT SUM(b) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS r FROM t",
    "SELECT SUM(b) OVER (ORDER BY s RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS r FROM t",
    "SELECT SUM(b) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) AS r FROM t",
    "SELECT SUM(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 2147483648 FOLLOWING) AS r FROM t",
    "SELECT a FROM t LIMIT true",
    "SELECT ntile(0) OVER (ORDER BY a) AS n FROM t",
    "WITH x AS (SELECT zz FROM t) SELECT a FROM t",
    "WITH x AS (SELECT a FROM t) SELECT b FROM t",
    # grouping sets beside their near misses
    "SELECT a, s, SUM(b) AS x FROM t GROUP BY GROUPING SETS ((a), (s)) HAVING SUM(b) > 15",
    "SELECT a, b, SUM(b) AS x FROM t GROUP BY GROUPING SETS ((a, b), (a)) HAVING SUM(b) > 15",
    "SELECT a, b, SUM(b) AS x FROM t GROUP BY GROUPING SETS ((a, b), (a)) ORDER BY x",
    "SELECT a, b, SUM(a) AS x FROM t GROUP BY a, b ORDER BY SUM(a)",
    "SELECT a + b AS x, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((a + b), (a))",
    "SELECT b - a AS x, a - b AS y, COUNT(*) AS n FROM t GROUP BY GROUPING SETS ((b - a), (b + a))",
    # where a subquery may read the row around it, and where not
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM n WHERE k = t.b))",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM n WHERE k = u.c))",
    "SELECT * FROM t, LATERAL (SELECT * FROM u, LATERAL (SELECT t.a + c AS x))",
    "SELECT * FROM t, LATERAL (SELECT c, x FROM u, LATERAL (SELECT c + 1 AS x))",
    "SELECT a, (SELECT MAX(c) + t.a FROM u) AS x FROM t",
    "SELECT a, (SELECT MAX(c + t.a) FROM u) AS x FROM t",
    "SELECT a, (SELECT MAX(t.a) FROM u) AS x FROM t",
    "SELECT a, (SELECT MAX(d) FROM (SELECT c + t.a AS d FROM u)) AS x FROM t",
    "SELECT a, (SELECT MAX(c) FROM u GROUP BY t.a) AS x FROM t",
    "SELECT a, (SELECT MAX(c) FROM u HAVING MAX(c) > t.a) AS x FROM t",
    "SELECT a FROM t WHERE EXISTS (SELECT MAX(c) FROM u GROUP BY s HAVING MAX(t.a) > 1)",
    "SELECT * FROM t, LATERAL (SELECT c FROM u ORDER BY c + t.a LIMIT 1)",
    "SELECT * FROM t, LATERAL (SELECT c + t.a AS x FROM u ORDER BY x + 1, c LIMIT 1)",
    "SELECT * FROM t, LATERAL (SELECT a FROM u UNION ALL SELECT c FROM u ORDER BY a + t.a)",
    "SELECT * FROM t, LATERAL (SELECT SUM(c) OVER (PARTITION BY t.a) AS x FROM u)",
    "SELECT * FROM t, LATERAL (SELECT SUM(c) OVER (PARTITION BY t.a + 1) AS x FROM u)",
    "SELECT * FROM n, LATERAL (SELECT c, explode(arr) AS x FROM u)",
    "SELECT * FROM n, LATERAL (SELECT explode(arr) AS x)",
    "SELECT * FROM t, LATERAL (SELECT c FROM n LEFT JOIN (SELECT * FROM u WHERE u.a = t.a) AS x ON k = c)",
    "SELECT * FROM t, LATERAL (SELECT c FROM (SELECT * FROM u WHERE u.a = t.a) AS x LEFT JOIN n ON k = c)",
    "SELECT * FROM t, LATERAL (SELECT c FROM u LEFT SEMI JOIN (SELECT * FROM n WHERE k = t.a) AS x ON k = c)",
    "SELECT * FROM t, LATERAL (SELECT t.a AS x INTERSECT SELECT t.b)",
    "SELECT * FROM t, LATERAL (SELECT c, COUNT(*) AS x FROM u WHERE u.a = t.a GROUP BY ROLLUP (c))",
    "SELECT * FROM t, LATERAL (SELECT c, COUNT(*) AS x FROM u WHERE u.a = t.a GROUP BY c)",
    "SELECT * FROM t, LATERAL (SELECT * FROM (SELECT a, c FROM u WHERE a = t.a) UNPIVOT (v FOR k IN (a, c)))",
    "SELECT * FROM t, LATERAL (SELECT * FROM (SELECT a, c FROM u) UNPIVOT (v FOR k IN (a, c)) WHERE v = t.a)",
    "SELECT * FROM t, LATERAL (VALUES (t.a), (t.b)) AS x (y)",
    "SELECT * FROM t, LATERAL (SELECT y FROM VALUES (1), (2) AS x (y) WHERE y = t.a)",
    # fractions of seconds
    "SELECT to_timestamp('2020-01-01 10:00:00.12', 'yyyy-MM-dd HH:mm:ss.SSS') AS t",
    "SELECT to_timestamp('2020-01-01 10:00:00.1234', 'yyyy-MM-dd HH:mm:ss.SSS') AS t",
    # the last digit, and lengths of time that overflow
    "SELECT exp(1.0) AS e, ln(3.0) AS l, log10(52.0) AS t, log2(57.0) AS b, pow(2, 10) AS p, pow(7.5, 2) AS q",
    "SELECT exp(a / 7) AS e, ln(b / 7) AS l, log10(b / 11) AS t FROM t",
    "SELECT INTERVAL '178956970-7' YEAR TO MONTH + INTERVAL '1' MONTH AS i",
    "SELECT -INTERVAL '178956970-7' YEAR TO MONTH AS i, INTERVAL '1' DAY - INTERVAL '3' DAY AS j",
    # parentheses around queries, and around relations with names
    "SELECT a, b FROM t WHERE EXISTS ((SELECT 1 FROM u WHERE u.a = t.a) UNION ALL (SELECT 2 FROM u WHERE u.c = t.b))",
    "SELECT a, b FROM t WHERE EXISTS ((SELECT a FROM u WHERE u.a = t.a) EXCEPT (SELECT t.b))",
    "SELECT a FROM t WHERE NOT EXISTS ((SELECT u.c FROM u) INTERSECT (SELECT a FROM t))",
    "SELECT a FROM t WHERE EXISTS ((SELECT 1 FROM u WHERE u.a = t.a))",
    "SELECT EXISTS ((SELECT 1 FROM u WHERE FALSE) UNION (SELECT 2 FROM u WHERE FALSE)) FROM t",
    "SELECT s.a, x.b FROM t AS x CROSS JOIN ((SELECT a FROM u) AS s LEFT ANTI JOIN t AS y ON s.a = y.a)",
    "SELECT x.b, s.a, y.b AS c FROM t AS x JOIN ((SELECT a FROM u) AS s JOIN t AS y ON s.a = y.b) ON x.a < s.a",
    "SELECT s.a FROM ((SELECT a FROM u) AS s)",
    "SELECT s.a FROM ((SELECT a FROM u) AS s) AS r",
    "SELECT * FROM ((SELECT a FROM u) AS s JOIN t USING (a)) AS r",
]

NEAR_REFUSALS = [  # what Spark refuses beside what it answers
    # names given twice
    "SELECT a AS x, a AS x FROM t ORDER BY x",
    "SELECT a, a FROM t ORDER BY a",
    "SELECT b AS a, b AS a FROM t ORDER BY a LIMIT 1",
    "SELECT a + 1 AS x, a + 1 AS x FROM t GROUP BY a + 1 HAVING x > 1",
    "SELECT a + 1 AS x, a + 1 AS x FROM t GROUP BY x",
    "SELECT a AS x, a AS x, x + 1 AS y FROM t",
    # GROUP BY and aliases
    "SELECT a AS all, b FROM t GROUP BY all",
    "SELECT a AS all, COUNT(*) AS n FROM t GROUP BY all",
    "SELECT a AS x, x + 1 AS y FROM t GROUP BY a, y",
    "SELECT a AS x, x + 1 AS y FROM t GROUP BY a, 2",
    "SELECT a AS x, x + 1 AS y FROM t GROUP BY ALL",
    "SELECT a AS x, x + 1 AS y FROM t GROUP BY x",
    "SELECT a AS x, SUM(x) AS y FROM t GROUP BY a",
    "SELECT a AS x, x + COUNT(*) AS y FROM t GROUP BY a",
    # generators beside groups
    "SELECT explode(array(1, 2)) AS z, z + 1 AS y, SUM(a) AS x FROM t",
    "SELECT explode(array(1, 2)) AS z, z + 1 AS y FROM t",
    "SELECT explode(array(1, 2)) AS z, COUNT(*) AS n FROM t ORDER BY z",
    # WITH, casts, hints
    "WITH x AS (SELECT * FROM y), y AS (SELECT 1 AS a) SELECT a FROM t",
    "WITH x AS (SELECT * FROM x) SELECT a FROM t",
    "WITH x AS (SELECT 1 AS a), y AS (SELECT * FROM x) SELECT a FROM t",
    "SELECT a IS NOT NULL :: STRING AS x FROM t",
    "SELECT (a IS NULL) :: STRING AS x, a = 1 :: STRING AS y FROM t",
    "SELECT /*+ IDENTIFIER('BROADCAST')(t) */ a FROM t",
    "SELECT /*+ BROADCAST(t), COALESCE(3) */ a FROM t",
]
# Arguments of functions that have no meaning here: what Spark refuses, and what it reads.
REFUSED_CALLS = [
    "bit_count(s)", "bit_count(1.0)", "json_array_length(a)", "to_json(a)",
    "to_json(struct(a), map('x', 1))", "to_json(struct(a), struct('x'))", "to_csv(array(a))",
    "to_csv(struct(a), map('x', 1))", "array_sort(array(a), 'x')", "mask(a)", "mask(s, s)",
    "mask(s, '')", "mask(s, 'ab')", "mask(s, 'X', 'x', 'n', 'o', 'p')",
    "map_contains_key(map(s, 1), 1)", "map_contains_key(map(a, 1), '1')",
    "format_string('%0$s', s)",
]  # fmt: skip
READ_CALLS = [
    "bit_count(a)", "bit_count(a > 1)", "json_array_length(s)", "to_json(array(a))",
    "to_json(struct(a), map('x', 'y'))", "to_csv(struct(a), map('sep', ';'))",
    "array_sort(array(a), 0)", "mask(s)", "mask(s, NULL, 'x')", "mask(s, lower('X'))",
    "map_contains_key(map(a, 1), 1L)", "map_contains_key(map(s, 1), s)",
    "format_string('%1$s', s)",
]  # fmt: skip


@pytest.mark.parametrize(("call", "is_read"), [
    *((c, False) for c in REFUSED_CALLS), *((c, True) for c in READ_CALLS),
])  # fmt: skip
def test_spark_takes_the_same_arguments(recorded: RecordedSpark, call: str, is_read: bool) -> None:
    recorded.tables((SCHEMA, ROWS), _register)
    text = f"SELECT {call} AS x FROM t WHERE a < 0"
    try:
        read = bool(read_sql(text, SCHEMA))
    except VeerError:
        read = False

    def compare(session: SparkSession) -> list[str]:
        return [text] if isinstance(run_spark(session, text), Refused) is is_read else []

    assert read is is_read
    assert recorded.differences((text, is_read), compare) == []


@pytest.mark.parametrize("text", NEAR_REFUSALS)
def test_spark_refuses_the_same(recorded: RecordedSpark, text: str) -> None:
    test_spark_agrees(recorded, text)


@pytest.mark.parametrize("text", QUERIES)
def test_spark_agrees(recorded: RecordedSpark, text: str) -> None:
    recorded.tables((SCHEMA, ROWS), _register)
    try:
        ours = run_here(text, read_schema(SCHEMA), ROWS)
    except VeerError as error:
        ours = Refused(str(error))

    def compare(session: SparkSession) -> list[str]:
        theirs = run_spark(session, text)
        if isinstance(ours, Refused | Failed) and isinstance(theirs, type(ours)):
            return []
        found = difference(ours, theirs)
        return [] if found is None else [found]

    assert recorded.differences((text, ours), compare) == []


def _register(spark: SparkSession) -> None:
    nested = [(k, a, s, None if m is None else dict(m)) for k, a, s, m in ROWS["n"]]
    rows = {**ROWS, "n": nested}
    for name, source in read_schema(SCHEMA).items():
        ddl = ", ".join(f"{f.name} {f.type}" for f in source.fields)
        spark.createDataFrame(rows[name], ddl).createOrReplaceTempView(name)
