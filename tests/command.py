"""The command `veer`, as tests ask it: in a folder, with arguments, an environment and a limit.

It runs in a process forked from one that has imported Veer (`tests.warm`), or with `new_process`
in one of its own, as a user's shell starts it. What settings of Python itself are given, its own
process gets them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from tests.warm import Warm

ROOT = Path(__file__).parents[1]
CAN_FORK = hasattr(os, "fork")


def veer(
    *words: str,
    cwd: Path | None = None,
    columns: str = "100",
    env: Mapping[str, str] | None = None,
    seconds: float = 120,
    new_process: bool = False,
) -> CompletedProcess[str]:
    """Run the command; what it printed and its exit status."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "COLUMNS": columns,
        "NO_COLOR": "1",
        **(env or {}),
    }
    is_warm = CAN_FORK and not any(name.startswith("PYTHON") for name in env or ())
    if new_process or not is_warm:
        return subprocess.run(
            [sys.executable, "-m", "veer", *words],
            capture_output=True,
            text=True,
            cwd=cwd or ROOT,
            env=environment,
            check=False,
            timeout=seconds,
        )
    return _warm(words, str(cwd or ROOT), environment, seconds)


def _warm(
    words: tuple[str, ...], cwd: str, environment: dict[str, str], seconds: float
) -> CompletedProcess[str]:
    commands, loaders = _servers()
    request = {"words": words, "cwd": cwd, "env": environment, "loader": loaders.address}
    with (
        open(os.devnull, "rb") as nothing,
        tempfile.TemporaryFile("w+b") as out,
        tempfile.TemporaryFile("w+b") as err,
    ):
        process = commands.process(request, (nothing.fileno(), out.fileno(), err.fileno()))
        try:
            status = process.wait(seconds)
        except TimeoutError:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            raise subprocess.TimeoutExpired(["veer", *words], seconds) from None
        texts = []
        for stream in (out, err):
            stream.seek(0)
            text = stream.read().decode("utf-8")
            texts.append(text.replace("\r\n", "\n").replace("\r", "\n"))
    return CompletedProcess(["veer", *words], status, *texts)


@cache
def _servers() -> tuple[Warm, Warm]:
    """The servers of this test process: commands, and loaders of jobs."""
    folder = tempfile.mkdtemp(prefix="veer-warm-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    servers = Warm("command", Path(folder)), Warm("loader", Path(folder))
    for server in (*servers, Warm("other", Path(folder))):
        server.start()
    return servers
