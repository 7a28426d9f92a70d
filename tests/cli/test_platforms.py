"""What jobs of data platforms read and ask: Delta and Iceberg, catalogs, versions, widgets, settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import veer

TABLES = """
CREATE TABLE sales.orders (id INT NOT NULL, customer INT, total DECIMAL(9,2));
CREATE TABLE `/lake/orders` (id INT NOT NULL, customer INT, total DECIMAL(9,2));
CREATE TABLE lake.sales.people (id INT, name STRING) USING iceberg
"""
JOBS = '''
from pyspark.sql import functions as F

ORDERS = "/lake/orders"


def loaded(spark):
    return spark.read.format("delta").load(ORDERS).where("total > 1")


def named_by_sql(spark):
    return spark.sql("SELECT * FROM delta.`/lake/orders` WHERE 1 < total")


def version_3(spark):
    return spark.read.format("delta").option("versionAsOf", 3).load(ORDERS).where("total > 1")


def version_3_by_sql(spark):
    return spark.sql("SELECT * FROM delta.`/lake/orders` VERSION AS OF 3 WHERE total > 1")


def version_4_by_sql(spark):
    return spark.sql("SELECT * FROM delta.`/lake/orders` VERSION AS OF 4 WHERE total > 1")


def in_prod(spark):
    return spark.table("prod.sales.orders")


def in_dev(spark):
    return spark.sql("SELECT * FROM dev.sales.orders")


def yesterday(spark):
    people = spark.read.option("timestampAsOf", "2024-01-01").table("lake.sales.people")
    return people.where(people.id > 1)


def custom(spark):
    options = {"url": "jdbc:sqlserver://host;user=me;password=SECRET1", "apiToken": "SECRET2"}
    reader = spark.read.format("custom").options(**options, link="https://me:SECRET3@host/?t=SECRET4")
    return reader.schema("a INT").load()


def other_token(spark):
    options = {"url": "jdbc:sqlserver://host;user=me;password=SECRET1", "apiToken": "SECRET5"}
    reader = spark.read.format("custom").options(**options, link="https://me:SECRET3@host/?t=SECRET4")
    return reader.schema("a INT").load()


def above(spark, least):
    return spark.table("sales.orders").where(F.col("id") > int(least))


def by_widget(spark):
    dbutils.widgets.text("least", "5", "the least")  # noqa: F821
    return above(spark, dbutils.widgets.get("least"))  # noqa: F821


def by_module(spark):
    from pyspark.dbutils import DBUtils

    return above(spark, DBUtils(spark).widgets.get("least"))


def by_notebook(spark):
    return above(spark, get_ipython().user_ns["dbutils"].widgets.get("least"))  # noqa: F821


def by_parameter(spark, dbutils):
    dbutils.widgets.dropdown("least", "5", ["5", "6"])
    return above(spark, dbutils.widgets.get("least"))


def by_setting(spark):
    return above(spark, spark.conf.get("shop.least"))


def by_setting_or_five(spark):
    return above(spark, spark.conf.get("shop.least", "5"))


def secret(spark, dbutils):
    return above(spark, dbutils.secrets.get("scope", "least"))


def merged(spark):
    spark.table("sales.orders").where("total > 1").createOrReplaceTempView("large")
    spark.sql("""MERGE INTO lake.sales.people t USING large s ON t.id = s.customer
      WHEN MATCHED THEN UPDATE SET name = 'large' """)


def merged_by_sql(spark):
    spark.sql(
        """MERGE INTO lake.sales.people USING (SELECT * FROM sales.orders WHERE total > :least) AS s
      ON s.customer = people.id WHEN MATCHED AND true THEN UPDATE SET people.name = 'large' """,
        args={"least": 1},
    )


def merged_otherwise(spark):
    spark.sql("""MERGE INTO lake.sales.people t USING sales.orders s ON t.id = s.customer
      WHEN MATCHED AND s.total > 1 THEN UPDATE SET name = 'large' """)


def merged_files(spark):
    spark.sql("DELETE FROM delta.`/lake/orders` WHERE total < 0")


def merged_files_otherwise(spark):
    spark.sql("DELETE FROM delta.`/lake/orders` o WHERE NOT o.total >= 0")


def written_and_read(spark):
    spark.table("sales.orders").write.format("delta").mode("append").save("/lake/orders")
    return spark.sql("SELECT * FROM delta.`/lake/orders`")


def merged_and_read(spark):
    merged_files(spark)
    return spark.read.format("delta").load("/lake/orders")


def read_and_merged(spark):
    people = spark.table("lake.sales.people")
    merged(spark)
    return people
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("platforms")
    (place / "jobs.py").write_text(JOBS)
    (place / "tables.ddl").write_text(TABLES)
    text = "SELECT id, name FROM lake.sales.people TIMESTAMP AS OF '2024-01-01' p WHERE p.id > 1"
    (place / "yesterday.sql").write_text(text)
    (place / "six.sql").write_text("SELECT * FROM sales.orders WHERE id > 6")
    return place


def ask(folder: Path, command: str, *words: str) -> tuple[int, str, str]:
    specs = [w if "." in w or w.startswith("--") or "=" in w else f"jobs.py:{w}" for w in words]
    done = veer(command, *specs, "--schema", "tables.ddl", "--jvm", "never", cwd=folder)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("p", "q", "status"),
    [
        ("loaded", "named_by_sql", 0),
        ("loaded", "version_3", 2),
        ("version_3", "version_3_by_sql", 0),
        ("version_3_by_sql", "version_4_by_sql", 2),
        ("in_prod", "in_dev", 1),
        ("yesterday", "yesterday.sql", 0),
        ("custom", "custom", 0),
        ("custom", "other_token", 2),
        ("merged", "merged_by_sql", 0),
        ("merged", "merged_otherwise", 1),
        ("merged_files", "merged_files_otherwise", 0),
    ],
)
def test_sources_and_changes(folder: Path, p: str, q: str, status: int) -> None:
    given, out, error = ask(folder, "verify", p, q)
    assert given == status, (out, error)
    assert "SECRET" not in out


def test_no_secret_is_shown(folder: Path) -> None:
    for words in ((), ("--format=json",)):
        status, out, _ = ask(folder, "show", "custom", *words)
        assert status == 0 and "custom" in out + "custom" and "SECRET" not in out


def test_widgets_and_settings_are_arguments(folder: Path) -> None:
    least = "--arg=least=6"
    for job in ("by_widget", "by_module", "by_notebook", "by_parameter"):
        assert ask(folder, "verify", job, "six.sql", least)[0] == 64  # of SQL it is no argument
        assert "Filter (id > 6)" in ask(folder, "show", job, least)[1]
    assert "Filter (id > 5)" in ask(folder, "show", "by_widget")[1]
    assert ask(folder, "verify", "by_setting", "six.sql", "--conf=shop.least=6")[0] == 0
    assert "Filter (id > 5)" in ask(folder, "show", "by_setting_or_five")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("by_module",), "give --arg least=VALUE"),
        (("by_setting",), "give --conf shop.least=VALUE"),
        (("secret",), "dbutils.secrets is used"),
        (("by_widget", "--arg=lest=6"), "no parameter 'lest', and no widget of that name"),
        (("written_and_read",), "/lake/orders is read and written by one job"),
        (("merged_and_read",), "/lake/orders is read after it was written as changed table"),
        (("read_and_merged",), "lake.sales.people is read and written by one job"),
    ],
)
def test_what_is_missing_is_told(folder: Path, words: tuple[str, ...], said: str) -> None:
    status, out, error = ask(folder, "show", *words)
    assert status in (64, 65) and said in error and not out


def test_reports_hold_the_sinks_of_a_merge(folder: Path) -> None:
    status, out, _ = ask(folder, "verify", "merged", "merged", "--format=json")
    assert status == 0
    assert "lake.sales.people: MERGE stops" in {sink["p"] for sink in json.loads(out)["sinks"]}
