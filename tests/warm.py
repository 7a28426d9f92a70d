"""Processes that have imported Veer and fork for each request: what `tests.command` starts.

A fork is as fresh as a new process - nothing was run in it before - but for what is imported. Two
kinds are kept: `command` becomes `veer`, `loader` the process that loads jobs, which the command
would start itself. Each request comes over a connection of its own, with the streams of the new
process; its number goes back at once, how it ended at the end.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

COMMAND_MODULES = (
    "veer.api",
    "veer.cli.batch",
    "veer.projects.cli.check",
    "veer.cli.inspect",
    "veer.cli.main",
    "veer.projects.cli.render",
    "veer.execution.cli.run",
    "veer.execution.cli.store",
    "veer.cli.verify",
    "veer.read.session_settings",
    "veer.read.sql.front_end",
    "veer.read.pyspark.front_end",
    "veer.read.workflow.front_end",
    "veer.projects.check",
    "veer.prove.algebra.prove",
    "veer.refute.symbolic",
    "veer.show.as_json",
    "veer.show.as_text",
    "veer.verification.search.paper.strategies",
    "veer.verification.explain_unknown",
    "veer.verification.versions.describe",
    "rich.console",
    "rich.table",
    "z3",
)
MODULES = {
    "command": COMMAND_MODULES,
    "loader": ("veer.read.pyspark.offline.process",),
    "other": ("veer.read.pyspark.offline.process",),
}
FLAGS = {"command": (), "loader": ("-P",), "other": ("-P",)}
SEEDS = {"loader": "0", "other": "1"}  # of the worlds in which jobs are loaded


class Warm:
    """The side of who asks: a server of one kind, started when it is first asked."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.address = str(folder / kind)
        self._kind = kind
        self._running = False

    def start(self) -> None:
        """Start the server; it ends when this process does, even if that is killed."""
        import subprocess

        code = f"from tests.warm import serve; serve({self._kind!r}, {self.address!r})"
        root = str(Path(__file__).parents[1])
        usual = os.environ.get("PYTHONPATH", "")
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, usual)))}
        if self._kind in SEEDS:
            env |= {"PYTHONHASHSEED": SEEDS[self._kind], "TZ": "UTC", "OPENBLAS_NUM_THREADS": "1"}
        self._server = subprocess.Popen(
            [sys.executable, *FLAGS[self._kind], "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        assert self._server.stdout is not None and self._server.stdout.readline() == b"ready\n"
        self._running = True

    def process(self, request: Mapping[str, Any], streams: tuple[int, int, int]) -> WarmProcess:
        """A new process that does what is asked with these streams."""
        if not self._running:
            self.start()
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.address)
        socket.send_fds(connection, [json.dumps(request).encode() + b"\n"], list(streams))
        return WarmProcess(connection)


class WarmProcess:
    """A process of a warm server, as `subprocess.Popen` shows one."""

    def __init__(self, connection: socket.socket) -> None:
        self._answers = connection.makefile("r")
        connection.close()  # the file keeps it open
        self.pid = int(self._answers.readline())
        self.returncode: int | None = None
        self.stdin: Any = None
        self.stdout: Any = None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status, negative the signal that ended it."""
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._answers, selectors.EVENT_READ)
                if not selector.select(timeout):
                    raise TimeoutError
            self.returncode = int(self._answers.readline() or -signal.SIGKILL)
            self._answers.close()
        return self.returncode

    def poll(self) -> int | None:
        """Its exit status, if it has ended."""
        try:
            return self.wait(0)
        except TimeoutError:
            return None


# -- the server ---------------------------------------------------------------------------------


def serve(kind: str, address: str) -> None:
    """Fork for every request until the starting process is gone."""
    for module in MODULES[kind]:
        import_module(module)
    if kind in SEEDS:
        import_module("veer.read.pyspark.offline.process")._import_once()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(0, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        ready = [key.fd for key, _ in selector.select()]
        if 0 in ready:
            os._exit(0)
        connection, _ = listener.accept()
        if os.fork() == 0:
            selector.close()
            listener.close()
            return _attend(kind, connection)
        connection.close()
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(kind: str, connection: socket.socket) -> None:
    """Fork once more, wait for that process and tell how it ended."""
    message, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not message.endswith(b"\n"):
        message += connection.recv(1 << 20)
    process = os.fork()
    if process == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        return DOES[kind](json.loads(message))
    for number in (0, 1, 2, *streams):
        os.close(number)
    connection.sendall(f"{process}\n".encode())
    _, status = os.waitpid(process, 0)
    try:
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    finally:
        os._exit(0)


def _begin(request: Mapping[str, Any]) -> None:
    """Take the folder, environment and arguments of the request."""
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    os.chdir(request["cwd"])
    sys.argv = ["veer", *request.get("words", ())]


def _command(request: Mapping[str, Any]) -> None:
    """Be `python -m veer`, with jobs loaded by a warm process."""
    _begin(request)
    sys.path[0] = request["cwd"]
    _warm_loader(request["loader"])
    import_module("veer.cli.main").run()


def _warm_loader(address: str) -> None:
    """Let the loader of this process come from the warm server of loaders."""
    from subprocess import PIPE
    from types import SimpleNamespace

    from veer.read.pyspark.offline import loader

    def start(command: list[str], *, env: Mapping[str, str], **_: Any) -> WarmProcess:
        assert command[-1] == loader.COMMAND
        kind = "loader" if env["PYTHONHASHSEED"] == "0" else "other"
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        warm = Warm(kind, Path(address).parent)
        warm._running = True
        request = {"env": dict(env), "cwd": str(Path.cwd())}
        nothing = os.open(os.devnull, os.O_WRONLY)
        process = warm.process(request, (theirs_in, theirs_out, nothing))
        for stream in (theirs_in, theirs_out, nothing):
            os.close(stream)
        process.stdin, process.stdout = os.fdopen(ours_in, "w"), os.fdopen(ours_out)
        return process

    loader.subprocess = SimpleNamespace(Popen=start, PIPE=PIPE, DEVNULL=None)  # type: ignore[attr-defined, assignment]


def _loader(request: Mapping[str, Any]) -> None:
    """Be the process that loads jobs."""
    os.setsid()
    _begin(request)
    gc.disable()
    import_module("veer.read.pyspark.offline.process").main()


DOES: dict[str, Callable[[Mapping[str, Any]], None]] = {
    "command": _command,
    "loader": _loader,
    "other": _loader,
}
