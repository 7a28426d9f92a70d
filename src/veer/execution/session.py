"""The Spark session of a run, and the parts of it that results depend on."""

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
from veer.execution import environment as execution_environment
from veer.java import ensure_java
from veer.read.pyspark.capture.session import SETTINGS, start_session
from veer.read.session_settings import deciding_settings, session_settings, settings_of
from veer.settings import ZONE, SessionSettings, spark_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Unlike the session jobs are loaded in, this one works on data.
FOR_RUNNING = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "8",
    "spark.executorEnv.TZ": "UTC",
    "spark.driver.extraJavaOptions": execution_environment.java_options(),
    "spark.executor.extraJavaOptions": execution_environment.java_options(),
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
}
SIZES = ("spark.driver.memory", "spark.sql.shuffle.partitions")


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
            with _stderr_to_file(f"{scratch}/spark.log"):
                settings = {**usual, **FOR_RUNNING, **self.conf}
                session = start_session(scratch, self.master, settings)
            self._session = session
        return self._session

    @property
    def is_running(self) -> bool:
        """Whether Spark was started, or is the caller's own."""
        return self._session is not None

    def stop(self) -> None:
        """End a session that was started here."""
        if self._session is not None and not self._given:
            self._session.stop()
            self._session = None

    def environment(self) -> dict[str, Any]:
        """What results depend on; Spark starts for it only where something is configured."""
        if self._session is not None:
            return execution_environment.environment_of(self._session)
        spark = _spark_version()
        java = "" if self._is_configured else execution_environment.java_of(ensure_java())
        if not java:
            return execution_environment.environment_of(self())
        return execution_environment.expected_environment(spark, SETTINGS[ZONE], java, self.mode)

    @property
    def mode(self) -> SessionSettings:
        """What the session decides of the meaning of expressions."""
        if self._session is None and self._is_configured:
            self()
        if self._session is not None:
            return settings_of(self._session)
        return session_settings(deciding_settings(self.conf), spark_version(_spark_version()))

    @property
    def _is_configured(self) -> bool:
        """Whether anything but the settings above may have to do with results."""
        own = {**SETTINGS, **FOR_RUNNING}
        others = [n for n, v in self.conf.items() if own.get(n) != v]
        if any(
            n in own or not execution_environment.is_harmless(n) for n in others if n not in SIZES
        ):
            return True
        return (
            not self.master.startswith("local") or execution_environment.is_configured_elsewhere()
        )


def _spark_version() -> str:
    try:
        return version("pyspark")
    except PackageNotFoundError:
        raise InputError("PySpark is not installed; use: pip install 'veer-spark[spark]'") from None


@contextmanager
def _stderr_to_file(log: str) -> Iterator[None]:
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


__all__ = ["Session"]
