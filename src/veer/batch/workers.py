"""Tasks over processes: streamed, each with a limit of time and memory, a hostile one costs itself.

A task that takes too long, eats too much memory or kills its process gives a `Failed`, and the next
task gets a new process.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar, final

MEMORY = 4 << 30  # bytes of address space per process
Task = TypeVar("Task")
Result = TypeVar("Result")


class Failure(Enum):
    """Why a task has no result."""

    TIME = "timeout"
    MEMORY = "memory limit reached"
    DEATH = "the worker process died"
    ERROR = "internal error"


@final
@dataclass(frozen=True)
class Failed:
    """A task without a result: why, more about it, and after how many seconds."""

    failure: Failure
    detail: str = ""
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """In words."""
        if self.failure is Failure.TIME:
            return f"timeout after {self.detail} s"
        return f"{self.failure.value}: {self.detail}" if self.detail else self.failure.value


class Runner(Protocol):
    """What does tasks somewhere: over processes of this machine, or over a cluster."""

    def run(
        self, tasks: Iterator[Task], work: Callable[[Task], Result]
    ) -> Iterator[tuple[Task, Result | Failed]]:
        """Tasks with their results as they come, in any order."""
        ...

    def start(self, work: Callable[[Any], Any]) -> None:
        """Make ready for tasks of this kind, if that takes time."""
        ...


@final
@dataclass
class LocalProcesses:
    """Processes of this machine; `timeout` are seconds per task, 0 for no limit.

    They stay for the next run with the same work, and end with the process that started them.
    """

    workers: int = 1
    timeout: float = 0.0
    _idle: list[_Worker] = field(default_factory=list)

    def run(
        self, tasks: Iterator[Task], work: Callable[[Task], Result]
    ) -> Iterator[tuple[Task, Result | Failed]]:
        """Tasks with their results as they come, not in the order of the tasks."""
        processes = [w for w in self._idle if w.work is work]
        self._idle = []
        more = True
        try:
            while more or any(w.busy for w in processes):
                while more and (free := self._free(processes, work)) is not None:
                    try:
                        free.give(next(tasks))
                    except StopIteration:
                        more = False
                yield from self._collect(processes)
        finally:
            for worker in processes:
                if worker.busy:
                    worker.stop()
            self._idle = [w for w in processes if not w.busy]

    def start(self, work: Callable[[Any], Any]) -> None:
        """Start the processes, so that the first tasks find them ready."""
        self._idle += [_Worker(work) for _ in range(self.workers - len(self._idle))]

    def _free(self, processes: list[_Worker], work: Callable[[Any], Any]) -> _Worker | None:
        """A process without a task, started if there may be one more; None if all are busy."""
        for worker in processes:
            if not worker.busy:
                return worker
        if len(processes) < max(1, self.workers):
            processes.append(_Worker(work))
            return processes[-1]
        return None

    def _collect(self, processes: list[_Worker]) -> Iterator[tuple[Any, Any]]:
        """Results that are ready; processes that died or took too long are replaced."""
        busy = {w.connection: w for w in processes if w.busy}
        ready = wait(list(busy), timeout=0.2) if busy else []
        for connection in ready:
            worker = busy[connection]  # type: ignore[index]
            task, taken = worker.task, time.monotonic() - worker.since
            try:
                result = worker.connection.recv()
                worker.busy = False
            except (EOFError, OSError):
                result = Failed(Failure.DEATH, seconds=taken)
                processes.remove(worker)
                worker.stop()
            yield task, result
        for worker in [w for w in processes if w.busy and w.connection not in ready]:
            taken = time.monotonic() - worker.since
            if self.timeout and taken > self.timeout:
                processes.remove(worker)
                worker.stop()
                yield worker.task, Failed(Failure.TIME, f"{self.timeout:g}", taken)


class _Worker:
    """A process and the task it is busy with."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.work = work
        self.task: Any = None
        self.busy = False
        self.since = 0.0

    def give(self, task: Any) -> None:
        """Send it a task."""
        self.task, self.busy, self.since = task, True, time.monotonic()
        self.connection.send(task)

    def stop(self) -> None:
        """End the process, whatever it does: a solver does not listen."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """A worker process: a task in, its result out, until the end of the pipe comes."""
    limit_memory()
    while True:
        try:
            task = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            result = work(task)
        except MemoryError:
            result = Failed(Failure.MEMORY)
        except KeyboardInterrupt:
            return
        except Exception as error:
            result = Failed(Failure.ERROR, f"{type(error).__name__}: {error}")
        connection.send(result)


def limit_memory() -> None:
    """Limit the memory of this process, where the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return
