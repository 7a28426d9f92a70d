"""Small repositories of jobs, made for one test."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.command import veer

SCHEMA = """
CREATE TABLE raw_orders (id BIGINT NOT NULL, customer INT, total DECIMAL(9,2), day DATE, PRIMARY KEY (id));
CREATE TABLE raw_customers (id INT NOT NULL, name STRING, country STRING, PRIMARY KEY (id));
"""
CLEANING = """
from pyspark.sql import DataFrame, functions as F


def large(orders: DataFrame) -> DataFrame:
    return orders.where(F.col("total") > 10)
"""
ORDERS = """
from pyspark.sql import DataFrame, SparkSession, functions as F

from common.cleaning import large


def build(spark: SparkSession) -> DataFrame:
    orders = large(spark.table("raw_orders"))
    result = orders.select("id", "customer", "total", F.year("day").alias("year"))
    result.write.mode("overwrite").saveAsTable("orders")
    return result
"""
SPENT = """
CREATE TABLE spent AS
SELECT customer, SUM(total) AS total FROM orders GROUP BY customer
"""
COUNTRIES = """
CREATE TABLE countries AS
SELECT DISTINCT country FROM raw_customers WHERE country IS NOT NULL
"""
REPORT = """
from pyspark.sql import DataFrame, SparkSession


def build(spark: SparkSession) -> DataFrame:
    spent = spark.table("spent")
    people = spark.table("raw_customers")
    return spent.join(people, spent.customer == people.id).select("name", "total")
"""
FILES = {
    "veer.toml": 'schema = ["tables.ddl"]\n',
    "tables.ddl": SCHEMA,
    "common/__init__.py": "",
    "common/cleaning.py": CLEANING,
    "jobs/orders.py": ORDERS,
    "jobs/report.py": REPORT,
    "sql/spent.sql": SPENT,
    "sql/countries.sql": COUNTRIES,
}
JOBS = {"jobs/orders.py:build", "jobs/report.py:build", "sql/spent.sql", "sql/countries.sql"}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit of these files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.email", "somebody@example.com")
    git(folder, "config", "user.name", "somebody")
    write(folder, FILES if files is None else files)
    commit(folder, "first")
    return folder


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert text.count(old) == 1, (name, old)
    (folder / name).write_text(text.replace(old, new))


def check(folder: Path, *words: str, status: int | None = None) -> dict[str, Any]:
    """The JSON report of `veer check`, in a process of its own."""
    base = () if "--base" in words or "--dbt" in words else ("--base", "HEAD")
    done = veer("check", *base, "--format", "json", *words, cwd=folder)
    assert done.returncode in (0, 1, 2), done.stderr
    assert status is None or done.returncode == status, done.stdout
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {job["job"]: job["verdict"] for job in report["jobs"]}


def again(report: dict[str, Any]) -> set[str]:
    """What must be computed again."""
    return {each["target"] or f"{each['job']} {each['sink']}" for each in report["recompute"]}
