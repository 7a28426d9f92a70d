"""The process that loads jobs without a JVM: it imports PySpark once and forks for each version.

`loader` starts it. Requests come as lines of JSON on standard input, the answer to each goes to the
file it names, a line on standard output says it is there.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veer.read.pyspark.capture.loading import Loaded, answer, load_captured
from veer.read.pyspark.offline.capture import OfflineCapture

IMPORTED = (
    "pyspark.sql.connect.catalog",
    "pyspark.sql.connect.session",
    "pyspark.sql.connect.udf",
    "pyspark.sql.functions",
    "pyspark.sql.pandas.functions",
    "pyspark.sql.types",
    "pyspark.sql.window",
)
DEEPEST = 8_000  # calls inside of calls: plans are as deep as a job has steps
IDLE = 60.0  # seconds without a request after which the process ends


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints is no answer
    try:
        _import_once()
        problem = ""
    except Exception as error:  # too old a package, for one
        problem = f"PySpark's Connect client does not load: {error}"
    sys.dont_write_bytecode = True  # of the modules of jobs
    sys.setrecursionlimit(DEEPEST)
    gc.freeze()  # processes that are forked share the memory of what was imported
    _Loader(answers, problem).serve()
    os._exit(0)


def _import_once() -> None:
    """Import what every job needs; what a version imports itself stays in its own process."""
    for module in IMPORTED:
        importlib.import_module(module)
    # PySpark tries to import it for every column; what is not there need not be searched again.
    if importlib.util.find_spec("IPython") is None:
        sys.modules.setdefault("IPython", None)  # type: ignore[arg-type]


class _Loader:
    """The processes that are at work, by their number."""

    def __init__(self, answers: Any, problem: str) -> None:
        self._answers = answers
        self._problem = problem  # why no job can be loaded here
        self._running: dict[int, str] = {}
        self._buffer = b""

    def serve(self) -> None:
        """Fork for each request, say which have ended; kill what still runs at the end."""
        selector = selectors.DefaultSelector()
        selector.register(0, selectors.EVENT_READ)
        wake, signalled = os.pipe()
        os.set_blocking(signalled, False)
        selector.register(wake, selectors.EVENT_READ)
        signal.set_wakeup_fd(signalled)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        since = time.monotonic()
        while self._running or time.monotonic() - since < IDLE:
            ready = [key.fd for key, _ in selector.select(IDLE)]
            if wake in ready:
                os.read(wake, 4096)
            self._reap()
            if 0 in ready:
                since = time.monotonic()
                if not self._read():
                    break
        for process in self._running:
            os.kill(process, signal.SIGKILL)

    def _read(self) -> bool:
        """Start what was asked for; whether more may come."""
        data = os.read(0, 1 << 16)
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if "kill" in request:
                self._kill(request["kill"])
            else:
                self._start(request)
        return bool(data)

    def _start(self, request: Mapping[str, Any]) -> None:
        process = os.fork()
        if process == 0:
            self._answers.close()
            _answer(request, self._problem)
        self._running[process] = request["answer"]

    def _kill(self, answer: str) -> None:
        for process, name in self._running.items():
            if name == answer:
                os.kill(process, signal.SIGKILL)

    def _reap(self) -> None:
        while self._running:
            process, _ = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            answer = self._running.pop(process, "")
            print(json.dumps({"ended": answer}), file=self._answers, flush=True)


def _answer(request: Mapping[str, Any], problem: str) -> None:
    """Load one version, in a process of its own, and end it."""
    try:
        _become_child(request)
        given = {"error": problem, "kind": "jvm"} if problem else _load(request)
        Path(request["answer"]).write_text(json.dumps(given), encoding="utf-8")
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(0)  # not even threads of the user's code keep the answer waiting


def _load(request: Mapping[str, Any]) -> dict[str, Any]:
    def load() -> Loaded:
        folders = Path(request["root"]), Path(request["data"])
        capture = OfflineCapture(request["schema"], *folders, request["conf"], request["spark"])
        _limit_time(capture, request["seconds"])
        return load_captured(capture, request)

    return answer(load)


def _become_child(request: Mapping[str, Any]) -> None:
    """Take the environment, folder and streams of a process of its own."""
    gc.enable()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    printed = os.open(request["printed"], os.O_WRONLY | os.O_CREAT, 0o600)
    for stream, target in ((0, nothing), (1, nothing), (2, printed)):
        os.dup2(target, stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["root"])


def _limit_time(capture: Any, seconds: float) -> None:
    """Stop a job that does not end, where it is at that time."""

    def stop(*_: object) -> None:
        capture.stop(f"it still runs after {seconds:g} seconds", says_what_to_do=True)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
