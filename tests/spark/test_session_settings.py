"""Sessions with other settings: the interpreter gives what Spark gives, name by name and key by key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import pytest
from pyspark.sql import SparkSession

from tests.generators.tables import Table
from tests.spark.compare import Unsupported, register, run_spark, run_veer, same_value
from veer.errors import InputError
from veer.interpreter import Result
from veer.ir.types import INT, STRING, ArrayType, StructType
from veer.read.pyspark.capture.session import MEANING
from veer.read.pyspark.offline.settings import Settings
from veer.read.pyspark.setting_rows import OF_MEANING, SETTINGS, spark_default
from veer.settings import NEWEST, current, spark_version, under

pytestmark = pytest.mark.spark
PAIR = StructType((("x", INT), ("X", INT)))
ROWS = [(1, 10, 100, (5, 6), (7, 8)), (2, None, 200, (None, 6), None), (3, 30, None, None, (1,))]
TABLE = Table("t", ("id", "a", "A", "s", "l"), (INT, INT, INT, PAIR, ArrayType(INT)), ROWS)
PLAIN = Table("p", ("id", "k", "n"), (INT, INT, STRING), [(1, 1, "u"), (2, 1, None), (3, 2, "v")])
CASE_SENSITIVE = [
    "SELECT a, A FROM t",
    "SELECT ID FROM t",
    "SELECT t.a, T.A FROM t",
    "SELECT s.x, s.X FROM t",
    "SELECT a AS b, A AS B FROM t ORDER BY B DESC, b",
    "SELECT B FROM (SELECT a AS b, A AS B FROM t)",
    "SELECT x.id FROM t x JOIN t X ON x.a = X.a",
    "SELECT * FROM (SELECT id, a FROM t) u JOIN (SELECT id, A FROM t) v USING (id)",
    "SELECT * FROM (SELECT id, a FROM t) u NATURAL JOIN (SELECT id, A FROM t) v",
    "SELECT * EXCEPT (a) FROM t",
    "WITH c AS (SELECT 1 AS z), C AS (SELECT 2 AS z) SELECT c.z, C.z FROM c CROSS JOIN C",
    "WITH c AS (SELECT 1 AS z) SELECT * FROM (WITH C AS (SELECT 2 AS z) SELECT c.z FROM c)",
    "WITH c AS (SELECT 1 AS z) SELECT * FROM (WITH C AS (SELECT 2 AS z) SELECT C.z FROM C)",
    "WITH c AS (SELECT 1 AS z) SELECT * FROM C",
    "SELECT A, count(*) AS n FROM t GROUP BY A HAVING count(*) > 0",
    "SELECT transform(l, x -> x + 1) AS m, transform(l, X -> X + a) AS o FROM t",
    "SELECT a + 1 AS c, c + 1 AS d FROM t",
    "SELECT a + 1 AS c, C + 1 AS d FROM t",
    "SELECT SUM(A) OVER w AS r FROM t WINDOW w AS (PARTITION BY a)",
    "SELECT struct(a, A).A AS r FROM t",
]
LAST_KEY = [
    "SELECT map(k, n, 1, 'last') AS m FROM p",
    "SELECT map(1, 'a', k, n, 1, 'b')[1] AS m FROM p",
    "SELECT map(k, n)[1] AS m FROM p",
    "SELECT map(1, n, 2, n)[1] AS m FROM p",
    "SELECT size(map(k, n, id, 'w')) AS m FROM p",
]
NO_SIZE = ["SELECT size(l) AS r, cardinality(l) AS c FROM t"]


@contextmanager
def session(spark: SparkSession, **settings: Any) -> Iterator[None]:
    """Both sides under other settings."""
    changed = replace(current(), **settings)
    before = current().conf()
    try:
        for name, value in changed.conf().items():
            spark.conf.set(name, value)
        with under(changed):
            yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def compare(spark: SparkSession, text: str) -> str:
    """Why the two differ on a query; empty if they do not."""
    ours, theirs = run_veer(text, [TABLE, PLAIN]), run_spark(spark, text)
    if isinstance(ours, Unsupported):
        return ""
    if not isinstance(ours, Result) or not isinstance(theirs, Result):
        neither = not isinstance(ours, Result) and not isinstance(theirs, Result)
        return "" if neither else f"{text}\n  {ours}\n  {theirs}"
    rows = zip(sorted(map(repr, ours.rows)), sorted(map(repr, theirs.rows)), strict=False)
    same = len(ours.rows) == len(theirs.rows) and all(same_value(a, b, STRING) for a, b in rows)
    return "" if same and ours.names == theirs.names else f"{text}\n  {ours}\n  {theirs}"


SESSIONS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "names by case": ({"case_sensitive": True}, CASE_SENSITIVE),
    "last key": ({"last_key_wins": True}, LAST_KEY),
    "last key without ANSI": ({"last_key_wins": True, "ansi": False}, LAST_KEY),
    "null has no size": ({"null_has_size": False, "ansi": False}, NO_SIZE),
    "null has a size": ({"ansi": False}, NO_SIZE),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_settings(spark: SparkSession, name: str) -> None:
    settings, queries = SESSIONS[name]
    with session(spark, **settings):
        register(spark, [TABLE, PLAIN])
        differences = [found for text in queries if (found := compare(spark, text))]
    assert not differences, "\n".join(differences)


def test_defaults_of_settings_are_those_of_spark(spark: SparkSession) -> None:
    """The whole table: what a program is told that nobody has set."""
    of_spark = spark._jvm.org.apache.spark.sql.internal.SQLConf()  # type: ignore[union-attr]
    here = spark_version(spark.version)
    names = sorted(n for n in {*SETTINGS, *OF_MEANING} if spark_default(n, here) is not None)
    told = {name: spark_default(name, here) for name in names}
    assert told == {name: str(of_spark.getConfString(name)) for name in names}


def test_a_program_is_told_nothing_of_the_session_that_loads_it() -> None:
    refused: list[str] = []

    def refuse(what: str, **_: Any) -> NoReturn:
        refused.append(what)
        raise InputError(what)

    loading = Settings(refuse, refuse, {"spark.master": "yarn"}, NEWEST)
    assert loading.get("spark.sql.shuffle.partitions") == "200"
    assert loading.get_or("spark.sql.shuffle.partitions", "7") == "7"
    assert loading.get("spark.master") == "yarn"
    told = [n for n in loading.all() if n not in MEANING and n != "spark.master"]
    for name in (*told, "spark.sql.warehouse.dir", "spark.app.id", "spark.executor.memory"):
        default = spark_default(name, NEWEST)
        if default is None:
            with pytest.raises(InputError):
                loading.get(name)
        else:
            assert loading.get(name) == default
    loading.configure({"spark.sql.shuffle.partitions": "3", "spark.executor.memory": "2g"})
    assert loading.get("spark.sql.shuffle.partitions") == "3"
    assert loading.get_or("spark.executor.memory", None) == "2g"
