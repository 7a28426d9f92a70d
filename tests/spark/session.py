"""One small local Spark session, the same for every test; it needs no network."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time

import pytest
from pyspark import __version__
from pyspark.sql import DataFrame, SparkSession

from veer.java import ensure_java
from veer.settings import spark_version

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "10MB",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.sql.maxPlanStringLength": "1000",
}


def spark_session() -> SparkSession:
    """The session; the first call starts it. Python's own time zone becomes UTC, as Spark's."""
    ensure_java()
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[1]").appName("veer-tests")
    warehouse = tempfile.mkdtemp(prefix="veer-warehouse-")
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    for name, value in {**SETTINGS, "spark.sql.warehouse.dir": warehouse}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def any_rows(spark: SparkSession, columns: str) -> DataFrame:
    """A table of these columns that may hold any rows, for Veer; for Spark it holds none."""
    folder = f"{spark.conf.get('spark.sql.warehouse.dir')}/any_rows".removeprefix("file:")
    os.makedirs(folder, exist_ok=True)
    return spark.read.schema(columns).parquet(folder)


def since(version: str) -> pytest.MarkDecorator:
    """A test of what came with some Spark: skipped with an older one."""
    older = spark_version(__version__) < spark_version(version)
    return pytest.mark.skipif(older, reason=f"came with Spark {version}")
