"""The side of the user's process: asks the loading process (`process`) for versions of jobs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veer.options import JvmUse

JOB = re.compile(r"\.py:[A-Za-z_][\w.]*$")
SERVERS = ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "SPARK_API_MODE")
# What libraries and Python itself may find in the environment while a job is loaded.
KEPT = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TMPDIR", "TEMP", "TMP", "TZ",
        "JAVA_HOME", "SPARK_HOME", "SPARK_LOCAL_IP", "SPARK_LOCAL_DIRS", "SPARK_CONF_DIR",
        "VIRTUAL_ENV", "SYSTEMROOT")  # fmt: skip
KEPT_BEGINNINGS = ("LC_", "LD_", "DYLD_", "PYTHON", "PYSPARK_", "OPENBLAS_", "OMP_", "MKL_", "CONDA_",
                   "COV_", "COVERAGE_")  # fmt: skip
GRACE = 10.0  # seconds for a job that is told to stop, and for the start of the process
# What is imported stays until the end: collecting garbage meanwhile only takes time.
COMMAND = "import gc; gc.disable(); from veer.read.pyspark.offline.process import main; main()"


class Loader:
    """A process that loads jobs; started when it is needed, shared by all threads.

    `world` says in which of the worlds that differ: hashes, and what is of the user and the machine.
    """

    def __init__(self, world: int = 0) -> None:
        self._world = world
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._waiting: dict[str, threading.Event] = {}
        self._stops = 0

    def start(self) -> None:
        """Begin to import PySpark, so that the first job finds it imported."""
        with self._lock:
            self._started()

    def load(self, request: Mapping[str, Any], seconds: float) -> str | None:
        """Load a version; what the process printed, None if it took too long.

        Its answer is in the file `answer` of the request, unless the process died.
        """
        printed = Path(f"{request['answer']}.printed")
        own: dict[str, Any] = {
            "printed": str(printed),
            "environment": loading_environment(self._world),
        }
        own["seconds"] = seconds
        asked = {**request, **own}
        stops = self._stops
        # It may end, having been idle, in the moment in which it is asked.
        for _ in range(2):
            in_time = self._ask(json.dumps(asked), request["answer"], seconds + GRACE)
            if not in_time or self._stops > stops:
                return None
            if printed.exists():
                return printed.read_text(errors="replace")
        return ""

    def _ask(self, line: str, answer: str, seconds: float) -> bool:
        """Send a request and wait for its end; whether it came in time."""
        ended = threading.Event()
        with self._lock:
            self._waiting[answer] = ended
            self._send(line)
        try:
            return ended.wait(seconds)
        finally:
            if not ended.is_set():
                self._kill(answer)

    def stop(self) -> None:
        """End the process and whatever it is loading."""
        with self._lock:
            process, self._process = self._process, None
            self._stops += 1
        if process is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own
            process.wait()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            # `-P`: a module of the project must not come before Python's or Veer's of the same
            # name.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", COMMAND],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**loading_environment(self._world), **_of_the_process()},
                start_new_session=True,
            )
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return self._process

    def _send(self, line: str) -> None:
        """Give the process a line; a new one if it has ended meanwhile."""
        for _ in range(2):
            process = self._started()
            assert process.stdin is not None
            try:
                process.stdin.write(line + "\n")
                process.stdin.flush()
                return
            except BrokenPipeError:
                process.wait()

    def _kill(self, answer: str) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(json.dumps({"kill": answer}) + "\n")
                self._process.stdin.flush()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        """Wake those whose version is loaded; all of them if the process dies."""
        assert process.stdout is not None
        for line in process.stdout:
            ended = self._waiting.pop(json.loads(line)["ended"], None)
            if ended is not None:
                ended.set()
        if self._process in (process, None):
            for waiting in list(self._waiting.values()):
                waiting.set()


def loading_environment(world: int = 0) -> dict[str, str]:
    """The environment in which jobs are loaded: of the user's what libraries and Java work by.

    A fixed hash seed and zone make two loads of one version agree; no server is to be found. Another world
    has other hashes, and another user.
    """
    kept = {n: v for n, v in _kept(os.environ).items() if n not in SERVERS}
    own = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": str(world), "TZ": "UTC"}
    user = {"HOME": "/", "USER": "veer", "LOGNAME": "veer"} if world else {}
    return {**kept, **user, **own}


def _kept(environment: Mapping[str, str]) -> dict[str, str]:
    """Of an environment what is there while a job is loaded."""
    return {
        name: value
        for name, value in environment.items()
        if name.upper() in KEPT or name.startswith(KEPT_BEGINNINGS)
    }


def _of_the_process() -> dict[str, str]:
    """What differs for the process itself, which may keep the bytecode of what it imports."""
    usual = os.environ.get("PYTHONDONTWRITEBYTECODE", "")
    return {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": usual}


LOADER = Loader()
OTHER = Loader(1)  # the same in another world


def start_for(jvm: JvmUse, *specs: str) -> None:
    """Begin to import PySpark if one of these SPECs names a function of a file."""
    if jvm is not JvmUse.ALWAYS and any(map(is_job, specs)):
        LOADER.start()


def is_job(spec: str) -> bool:
    """Whether a SPEC names a function of a file."""
    return JOB.search(spec) is not None
