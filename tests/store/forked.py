"""Processes that start at once: forked from one that has everything imported and no threads.

The process that runs the tests may have Spark in it, and threads; it only asks the other one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any


class Forks:
    """Asks for processes, each running a function of `pretend`, and for their ends."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.store.forked"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent.parent,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )
        self._ask("wait", 0)

    def start(self, function: str, *args: Any) -> int:
        """The id of a new process."""
        return self._ask("start", function, *args)

    def ended(self, process: int) -> int:
        """Wait for the end of a process: its status."""
        return self._ask("wait", process)

    def kill(self, process: int) -> None:
        os.kill(process, signal.SIGKILL)
        self.ended(process)

    def _ask(self, *words: Any) -> int:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(words) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(30)


def serve() -> None:
    """Answer what `Forks` asks, until it asks no more."""
    import random

    from tests.store import pretend

    with tempfile.TemporaryDirectory() as folder, pretend.Place(folder).open() as store:
        for _ in range(3):  # once done, everything is imported
            pretend.run_once(store, random.Random(7), "first")
    for line in sys.stdin:
        asked, *words = json.loads(line)
        if asked == "wait":
            answer = os.waitpid(words[0], 0)[1] if words[0] else 0
        else:
            answer = os.fork()
            if not answer:
                _run(getattr(pretend, words[0]), words[1:])
        print(answer, flush=True)


def _run(function: Any, args: list[Any]) -> None:
    """What a new process does."""
    status = 1
    try:
        function(*args)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve()
