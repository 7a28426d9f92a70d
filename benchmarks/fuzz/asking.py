"""Pairs verified in a process of their own, which is killed and replaced when one takes too long."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

from benchmarks.fuzz.sql_mode import Pair, verified
from benchmarks.fuzz.verdicts import Answer

SECONDS = 300.0  # until a process that does not keep to its limit is killed
STARTING = 300.0  # for the process to come up, on a busy machine


class Verifier:
    """A process that verifies one pair after the other."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        if not self.connection.poll(STARTING):
            raise TimeoutError("the verifying process does not start")
        self.connection.recv()

    def ask(self, pair: Pair) -> Answer:
        """What Veer says; a process that dies is a crash."""
        self.connection.send(pair)
        try:
            if self.connection.poll(self.seconds):
                received: Answer = self.connection.recv()
                return received
            answer = Answer("timeout", f"more than {self.seconds:g} s")
        except (EOFError, OSError):
            answer = Answer("crash", "the process died")
        self.close()
        self._start()
        return answer

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(connection: Connection) -> None:
    """The process: a pair in, what Veer says out."""
    connection.send("ready")
    while True:
        try:
            connection.send(verified(connection.recv()))
        except (EOFError, OSError, KeyboardInterrupt):
            return
