"""A standalone cluster of Spark on this machine: a master and workers, each a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veer.java import ensure_java

SECONDS = 90


@contextmanager
def standalone_cluster(folder: Path, workers: int) -> Iterator[str]:
    """The address of a master with so many workers of one core each."""
    import pyspark

    ensure_java()
    home = Path(pyspark.__file__).parent
    env = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *words: str) -> Path:
        log = folder / f"{name}.log"
        command = [str(home / "bin" / "spark-class"), *words]
        with log.open("wb") as file:
            process = subprocess.Popen(command, stdout=file, stderr=file, env=env, cwd=folder)
        started.append(process)
        return log

    try:
        master = "org.apache.spark.deploy.master.Master"
        log = start("master", master, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        url = said(log, r"Starting Spark master at (spark://\S+)")
        for number in range(workers):
            words = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--host", "127.0.0.1")
            work = folder / f"worker{number}"
            work.mkdir()
            name = "org.apache.spark.deploy.worker.Worker"
            worker = start(f"worker{number}", name, *words, "--work-dir", str(work), url)
            said(worker, r"Successfully registered with master")
        yield url
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def said(log: Path, pattern: str) -> str:
    """What a process wrote, once it did."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[found.lastindex or 0]
        time.sleep(0.2)
    raise TimeoutError(f"{log.name}: {log.read_text(errors='replace')[-2000:]}")


def bare_python(folder: Path) -> str:
    """A Python of this version with no packages: what executors have of their own."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")
