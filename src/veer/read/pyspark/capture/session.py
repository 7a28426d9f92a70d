"""The session in which jobs are loaded: local, small, with the settings Veer's meaning assumes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from veer.errors import InputError, UnsupportedError
from veer.java import ensure_java
from veer.read.pyspark.pyspark_version import pyspark_version, require_pyspark
from veer.settings import SparkVersion, spark_version, usual_settings

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.runSQLOnFiles": "false",  # it would look into the files
    "spark.log.level": "OFF",
}
# Variables that make sessions of PySpark those of Spark Connect.
REMOTE = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "SPARK_LOCAL_REMOTE", "SPARK_API_MODE")


# What a context says of where and as what it runs.
OF_MACHINE = ("appName", "applicationId", "defaultMinPartitions", "defaultParallelism", "master",
              "sparkHome", "startTime", "uiWebUrl")  # fmt: skip
# What a session is told that programs may be told too: the meaning that is asked for.
MEANING = ("spark.sql.session.timeZone", "spark.sql.ansi.enabled")


def is_of_loading(name: str) -> bool:
    """Whether loading or the machine gives a setting its value by default.

    A program is not told: the session that runs it has another value.
    """
    # PySpark asks for its own settings of the Python side.
    is_core = name.startswith("spark.") and not name.startswith(("spark.sql.", "spark.python."))
    return (
        is_core or name == "spark.sql.warehouse.dir" or (name in SETTINGS and name not in MEANING)
    )


def session_defaults(spark: SparkVersion) -> dict[str, str]:
    """What the session begins with: that, and whether some Spark is one of ANSI by default."""
    return {**SETTINGS, "spark.sql.ansi.enabled": str(usual_settings(spark).ansi).lower()}


def local_session(scratch: str, conf: Mapping[str, str], spark: str) -> Any:
    """A session of this process for loading jobs, with its files in a directory of its own."""
    installed = spark_version(pyspark_version())
    if spark and spark_version(spark) != installed:
        raise UnsupportedError(
            f"Veer needs a JVM to read it, and PySpark {installed} is installed, not the requested Spark {spark}"
        )
    return start_session(scratch, "local[1]", {**session_defaults(installed), **conf})


def start_session(scratch: str, master: str, settings: Mapping[str, str]) -> Any:
    """A session with these settings, its files below `scratch`."""
    require_pyspark()
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name in REMOTE:  # this session is classic, wherever those of the user are
        os.environ.pop(name, None)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("veer")
    for name, value in {"spark.sql.warehouse.dir": f"{scratch}/warehouse", **settings}.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:
        first = (str(error).strip().splitlines() or ["it gave no reason"])[0]
        raise InputError(f"Spark does not start: {first}") from None
