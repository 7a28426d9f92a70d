"""Stored versions compared in the background, each pair in a process of its own."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, final

from veer.api import Comparison, load_pair, verify
from veer.batch.workers import limit_memory
from veer.errors import UsageError, VeerError
from veer.read.function_bodies import Bodies
from veer.show.as_html import page_data
from veer.show.as_json import viewed_json

MOST_KEPT = 30  # comparisons, the latest
AT_ONCE = 2
MOST_WAITING = 20
TIMEOUT = 600.0  # seconds for one


@final
@dataclass
class Task:
    """One comparison: what it is doing, or what came out."""

    p: str
    q: str
    state: str = "waiting"  # running, done, failed
    progress: str = ""
    result: Any = None
    started: float = field(default_factory=time.time)
    process: Any = None

    def as_json(self) -> dict[str, Any]:
        """As a page is told."""
        told = {"p": self.p, "q": self.q, "state": self.state, "progress": self.progress}
        return {**told, "seconds": time.time() - self.started, "data": self.result}


@final
class Comparisons:
    """The comparisons that were asked for, by their versions; those alike are made once."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._tasks: OrderedDict[tuple[str, str], Task] = OrderedDict()
        self._lock = threading.Lock()
        self._room = threading.Semaphore(AT_ONCE)

    def ask(self, p: str, q: str, *, again: bool = False) -> Task:
        """The comparison of two stored versions, started at the first request.

        One that failed is made `again` if asked to.
        """
        for label in (p, q):
            if "@" not in label:
                raise UsageError(f"{label}: not a version; write name@number")
        with self._lock:
            task = self._tasks.get((p, q))
            if task is None or (again and task.state == "failed"):
                waiting = sum(t.state in ("waiting", "running") for t in self._tasks.values())
                if waiting >= MOST_WAITING:
                    raise UsageError("too many comparisons are waiting; try again later")
                task = self._tasks[p, q] = Task(p, q)
                self._forget_old()
                threading.Thread(target=self._run, args=(task,), daemon=True).start()
            return task

    def _forget_old(self) -> None:
        over = [key for key, task in self._tasks.items() if task.state in ("done", "failed")]
        for key in over[: max(0, len(self._tasks) - MOST_KEPT)]:
            del self._tasks[key]

    def _run(self, task: Task) -> None:
        with self._room:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe(duplex=False)
            asked = (theirs, task.p, task.q, self._store)
            task.process = context.Process(target=_compare, args=asked, daemon=True)
            task.state, task.started = "running", time.time()
            task.process.start()
            theirs.close()
            self._follow(task, ours)
            task.process.kill()
            task.process.join()

    def _follow(self, task: Task, pipe: Connection) -> None:
        """Take what the process says, until it is done, dies, or its time is over."""
        while True:
            left = TIMEOUT - (time.time() - task.started)
            if left <= 0 or not pipe.poll(left):
                task.state, task.progress = "failed", f"not done after {TIMEOUT:g} s"
                return
            try:
                kind, said = pipe.recv()
            except (EOFError, OSError):
                task.state, task.progress = "failed", "the process that compared them died"
                return
            if kind == "progress":
                task.progress = said
                continue
            if kind == "done":
                task.result = json.loads(said)
            task.state, task.progress = kind, "" if kind == "done" else said
            return

    def stop(self) -> None:
        """End all that goes on."""
        for task in self._tasks.values():
            if task.process is not None and task.process.is_alive():
                task.process.kill()


def _compare(pipe: Connection, p: str, q: str, store: str) -> None:
    """In a process of its own: compare two stored versions, and tell how far it is."""
    limit_memory()

    def say(text: str) -> None:
        pipe.send(("progress", text))

    try:
        # Functions that Veer knows are run on small tables; none of the user's is.
        bodies = Bodies(Path())
        versions = load_pair(f"store:{p}", f"store:{q}", store=store, bodies=bodies)
        report = verify(*versions, Comparison(), progress=say)
        pipe.send(("done", json.dumps(page_data(viewed_json(report)), default=str)))
    except (VeerError, MemoryError) as error:
        pipe.send(("failed", str(error) or type(error).__name__))
