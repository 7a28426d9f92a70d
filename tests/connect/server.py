"""A Spark Connect server of the tests' own: a process that listens on this machine alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from veer.java import ensure_java

# PySpark 3.5 comes without a server: a client is tried with that of a newer one, named here.
HOME = Path(os.environ.get("VEER_CONNECT_HOME") or Path(pyspark.__file__).parent)
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
STARTED = re.compile(r"server started at: \S*?:(\d+)")
SECONDS = 120  # until it must have started
SETTINGS = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",  # any that is free
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@contextmanager
def connect_server(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of a server that keeps its files in a folder, as long as it is needed."""
    log = folder / "server.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            _command(folder, {**SETTINGS, **(settings or {})}),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
    try:
        yield f"sc://127.0.0.1:{_port(process, log)}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _command(folder: Path, settings: Mapping[str, str]) -> list[str]:
    submit = HOME / "bin" / "spark-submit"
    given = {"spark.sql.warehouse.dir": str(folder / "warehouse"), **settings}
    options = [part for name, value in given.items() for part in ("--conf", f"{name}={value}")]
    return [str(submit), "--class", SERVER, "--master", "local[1]", *options, "spark-internal"]


def _environment(folder: Path) -> dict[str, str]:
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("SPARK_")},
        "JAVA_HOME": ensure_java(),
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "PYSPARK_PYTHON": sys.executable,
        "TZ": "UTC",
    }


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """Where the server listens, once it says so."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        text = log.read_text(errors="replace")
        started = STARTED.search(text)
        if started:
            return int(started[1])
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(
        f"the Connect server did not start: {log.read_text(errors='replace')[-2000:]}"
    )
