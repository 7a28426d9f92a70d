"""Spark Declarative Pipelines: each dataset of a `spark-pipeline.yml` is a job of `veer check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.projects.repositories import SCHEMA, again, check, edit, repository, verdicts

SPEC = """
name: shop
storage: file:///tmp/storage
libraries:
  - glob:
      include: transformations/**
configuration:
  spark.sql.shuffle.partitions: "10"
"""
PYTHON = """
from pyspark import pipelines as dp
from pyspark.sql import DataFrame, functions as F

from helpers import LEAST


@dp.temporary_view
def large_orders() -> DataFrame:
    return spark.table("raw_orders").where(F.col("total") > LEAST)


@dp.materialized_view(name="spent", comment="by customer")
def spent_by_customer() -> DataFrame:
    return spark.table("large_orders").groupBy("customer").agg(F.sum("total").alias("total"))


@dp.table
def events() -> DataFrame:
    return spark.readStream.table("raw_orders")
"""
SQL = """
CREATE MATERIALIZED VIEW best AS SELECT customer FROM spent WHERE total > 100;
CREATE MATERIALIZED VIEW names AS SELECT name FROM raw_customers;
"""
FILES = {
    "veer.toml": 'schema = ["tables.ddl"]\n',
    "tables.ddl": SCHEMA,
    "shop/spark-pipeline.yml": SPEC,
    "shop/transformations/helpers.py": "LEAST = 10\n",
    "shop/transformations/orders.py": PYTHON,
    "shop/transformations/more.sql": SQL,
}
PREFIX = "shop/spark-pipeline.yml:"


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", FILES)


def test_every_dataset_is_a_job(pipeline: Path) -> None:
    assert verdicts(check(pipeline, status=0)) == {
        f"{PREFIX}{name}": "unchanged"
        for name in ("large_orders", "spent", "events", "best", "names")
    }


def test_a_refactored_dataset_stops_the_wave(pipeline: Path) -> None:
    file = "shop/transformations/orders.py"
    edit(pipeline, file, 'F.col("total") > LEAST', '~(F.col("total") <= LEAST)')
    report = check(pipeline)
    told = verdicts(report)
    assert told[f"{PREFIX}large_orders"] == "equivalent" and told[f"{PREFIX}spent"] == "equivalent"
    assert told[f"{PREFIX}names"] == "unchanged"
    # A streaming table is refused by name, and its file changed.
    (events,) = (j for j in report["jobs"] if j["job"] == f"{PREFIX}events")
    assert events["verdict"] == "unknown" and "a streaming table" in events["why"]
    assert "best" not in again(report) and "spent" not in again(report)


def test_a_change_goes_on_to_what_reads_it(pipeline: Path) -> None:
    edit(pipeline, "shop/transformations/helpers.py", "10", "20")
    report = check(pipeline, status=1)
    assert verdicts(report)[f"{PREFIX}large_orders"] == "changed"
    assert {"large_orders", "spent", "best"} <= again(report)
    assert "names" not in again(report)


def test_settings_of_the_pipeline_count(pipeline: Path) -> None:
    spec = "shop/spark-pipeline.yml"
    edit(pipeline, spec, 'spark.sql.shuffle.partitions: "10"', 'spark.sql.ansi.enabled: "false"')
    report = check(pipeline)
    assert all(v != "unchanged" for v in verdicts(report).values())
    assert verdicts(report)[f"{PREFIX}names"] == "equivalent"


def test_a_broken_spec_is_one_line(pipeline: Path) -> None:
    from tests.command import veer

    (pipeline / "shop" / "spark-pipeline.yml").write_text("libraries: [{}]")
    done = veer("check", "--base", "HEAD", cwd=pipeline)
    assert done.returncode == 65 and "shop/spark-pipeline.yml" in done.stderr
