"""The schemas of tables in a live catalog: a Spark session looks them up without reading data."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from veer.errors import InputError
from veer.read.pyspark.capture.session import SETTINGS, start_session
from veer.read.pyspark.pyspark_version import require_pyspark

TABLE_NAME = re.compile(r"\w+(\.\w+){1,2}")
METASTORE = "metastore_db"  # a Hive metastore of the folder, as Spark makes one
SUFFIXES = (".parquet", ".orc", ".avro", ".json", ".csv", ".txt", ".xml", ".ddl", ".sql")
REMOTE = "spark.remote"
CATALOG = "spark.sql.catalogImplementation"
WAREHOUSE = "spark.sql.warehouse.dir"


def is_table_name(text: str) -> bool:
    """Whether a text is the name of a table: `db.t` or `catalog.db.t`."""
    return TABLE_NAME.fullmatch(text) is not None and Path(text).suffix.lower() not in SUFFIXES


class LiveCatalog:
    """A session that is asked for tables: of a server, or one of its own with the catalog of the folder."""

    def __init__(self, conf: Mapping[str, str]) -> None:
        require_pyspark()
        self._spark = _remote(conf[REMOTE]) if REMOTE in conf else _local(conf)

    def schema(self, name: str) -> dict[str, Any]:
        """The columns of a table as a schema of Spark in JSON."""
        try:
            schema: dict[str, Any] = self._spark.table(name).schema.jsonValue()
        except Exception as error:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise InputError(f"{name}: {first}") from None
        return schema

    def close(self) -> None:
        """End the session."""
        self._spark.stop()


def _remote(url: str) -> Any:
    from pyspark.sql import SparkSession

    try:
        return SparkSession.builder.remote(url).getOrCreate()
    except Exception as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"--conf {REMOTE}: {first}") from None


def _local(conf: Mapping[str, str]) -> Any:
    """A session with the metastore and warehouse of the current folder, or those of `--conf`."""
    here = Path.cwd()
    kind = (
        "hive" if (here / METASTORE).is_dir() or "hive" in " ".join(conf).lower() else "in-memory"
    )
    own = {CATALOG: kind, WAREHOUSE: str(here / "spark-warehouse")}
    with _quiet():
        scratch = tempfile.mkdtemp(prefix="veer-")
        return start_session(scratch, "local[1]", {**SETTINGS, **own, **conf})


@contextmanager
def _quiet() -> Any:
    """Keep what the JVM prints while it starts away from the user."""
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
