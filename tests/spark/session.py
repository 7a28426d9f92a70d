"""One small local Spark session, the same for every test; it needs no network."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession

from tests.sparks import installed_spark
from veer.java import ensure_java
from veer.settings import SessionSettings, under

ANSI = "spark.sql.ansi.enabled"
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


@contextmanager
def session_mode(spark: SparkSession, *, ansi: bool) -> Iterator[None]:
    """The session, and what Veer reads meanwhile, with or without ANSI."""
    before = str(spark.conf.get(ANSI))
    spark.conf.set(ANSI, str(ansi).lower())
    try:
        with under(SessionSettings(ansi=ansi, spark=installed_spark())):
            yield
    finally:
        spark.conf.set(ANSI, before)


def any_rows(spark: SparkSession, columns: str) -> DataFrame:
    """A table of these columns that may hold any rows, for Veer; for Spark it holds none."""
    folder = f"{spark.conf.get('spark.sql.warehouse.dir')}/any_rows".removeprefix("file:")
    os.makedirs(folder, exist_ok=True)
    return spark.read.schema(columns).parquet(folder)
