"""The Spark session of a run, and what of it results depend on."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, final

from veer.errors import InputError
from veer.frontends.spark.session import SETTINGS, started
from veer.frontends.spark.settings import WRITING, check_settings, unusual_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONE = "spark.sql.session.timeZone"
# Unlike the session jobs are loaded in, this one works on data.
FOR_RUNNING = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "8",
    "spark.executorEnv.TZ": "UTC",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
}
# Settings that say with what to compute, not what.
ABOUT_RESOURCES = (
    *("spark.driver.memory", "spark.driver.cores", "spark.driver.maxResultSize", "spark.executor."),
    *("spark.ui.", "spark.eventLog.", "spark.local.dir", "spark.shuffle.", "spark.memory."),
    *("spark.dynamicAllocation.", "spark.kubernetes.", "spark.yarn.", "spark.cores.max"),
    *("spark.task.", "spark.network.", "spark.log.", "spark.default.parallelism"),
)


@final
class Session:
    """A session that starts when it is needed; one that is given is used as it is."""

    def __init__(
        self,
        master: str = "local[*]",
        conf: Mapping[str, str] | None = None,
        given: SparkSession | None = None,
    ) -> None:
        self.master, self.conf = master, dict(conf or {})
        self._session = given
        self._given = given is not None
        if not self._given:  # Python functions see times in the zone of their process
            os.environ["TZ"] = "UTC"
            time.tzset()

    def __call__(self) -> SparkSession:
        if self._session is None:
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            usual = {k: v for k, v in SETTINGS.items() if k != "spark.sql.runSQLOnFiles"}
            scratch = tempfile.mkdtemp(prefix="veer-")
            atexit.register(shutil.rmtree, scratch, ignore_errors=True)
            with _said_aside(f"{scratch}/spark.log"):
                settings = {**usual, **FOR_RUNNING, **self.conf}
                session = started(scratch, self.master, settings)
            self._check(session)
            self._session = session
        return self._session

    def _check(self, session: SparkSession) -> None:
        """The session is what was said of it before it ran, whatever other files configure."""
        found, expected = environment_of(session), self._expected()
        if not self._sets_sql and found != expected:
            session.stop()
            raise InputError(
                f"Spark is configured elsewhere: {found} instead of {expected}; use --conf"
            )

    @property
    def is_running(self) -> bool:
        return self._session is not None

    def stop(self) -> None:
        """End a session that was started here."""
        if self._session is not None and not self._given:
            self._session.stop()
            self._session = None

    def environment(self) -> dict[str, Any]:
        """What results depend on; nothing is started for it unless settings ask for that."""
        if self._given or self._sets_sql:
            return environment_of(self()) | self._other_settings()
        return self._expected() | self._other_settings()

    @property
    def _sets_sql(self) -> bool:
        return any(name.startswith("spark.sql.") for name in self.conf)

    def _expected(self) -> dict[str, Any]:
        """What results of an ordinary session depend on."""
        try:
            spark = version("pyspark")
        except PackageNotFoundError:
            raise InputError(
                "PySpark is not installed; use: pip install 'veer-spark[spark]'"
            ) from None
        return {"spark": spark, "zone": SETTINGS[ZONE], "settings": {}}

    def _other_settings(self) -> dict[str, Any]:
        """Settings beside those of SQL that may have to do with results."""
        said = {
            name: value
            for name, value in sorted(self.conf.items())
            if not name.startswith(("spark.sql.", *ABOUT_RESOURCES))
        }
        return {"conf": said} if said else {}


@contextmanager
def _said_aside(log: str) -> Iterator[None]:
    """What a process started here says on its standard error goes to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    aside = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.dup2(aside, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(aside)
        os.close(kept)


def environment_of(session: SparkSession) -> dict[str, Any]:
    """What results of a session depend on; a session that changes what expressions mean is refused."""
    check_settings(session, WRITING)
    return {
        "spark": session.version,
        "zone": str(session.conf.get(ZONE)),
        "settings": {k: v for k, v in unusual_settings(session).items() if k not in WRITING},
    }


__all__ = ["Session", "environment_of"]
