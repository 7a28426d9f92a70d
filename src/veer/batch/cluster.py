"""Tasks over the executors of a Spark cluster: the same code, the same answers as over local processes.

Veer and what it needs travel as an archive (`spark.archives`), so executors need nothing but Python of
the same version. Tasks go out in waves and results come back as they end: neither are ever all in
memory. On an executor each task runs in a process of its own, with its limits (`veer.batch.workers`).
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar, final

from veer.batch.workers import Failed, Failure, LocalProcesses
from veer.errors import InputError
from veer.java import ensure_java

if TYPE_CHECKING:
    from pyspark import SparkContext

DISTRIBUTION = "veer-spark"
ARCHIVE = "veer_packages"  # the folder it is unpacked to, beside each executor
NOT_SHIPPED = re.compile(r"(^|/)(__pycache__|tests?|bin|include|share)(/|$)|\.pyi$")
TASKS_PER_SLOT = 8  # of a wave
WAVES = 2  # on their way at the same time
Task = TypeVar("Task")
Result = TypeVar("Result")


@final
@dataclass
class SparkExecutors:
    """The executors of a master (`spark://host:7077`, `local[4]`); `timeout` are seconds per task."""

    master: str
    timeout: float = 0.0
    conf: Mapping[str, str] = field(default_factory=dict)
    _context: Any = None
    _folder: Any = None

    def start(self, work: Callable[[Any], Any]) -> None:
        """Connect to the master."""
        del work
        self._connected()

    def run(
        self, tasks: Iterator[Task], work: Callable[[Task], Result]
    ) -> Iterator[tuple[Task, Result | Failed]]:
        """Tasks with their results as waves of them end."""
        context = self._connected()
        slots = max(1, context.defaultParallelism)
        shipped = pickle.dumps(work)
        with ThreadPoolExecutor(WAVES) as pool:
            waiting: dict[Future[list[tuple[Task, Any]]], list[Task]] = {}
            more = True
            while more or waiting:
                while more and len(waiting) < WAVES:
                    wave = list(islice(tasks, slots * TASKS_PER_SLOT))
                    more = bool(wave)
                    if wave:
                        waiting[pool.submit(self._wave, context, wave, shipped, slots)] = wave
                for done in wait(waiting, return_when=FIRST_COMPLETED).done if waiting else ():
                    del waiting[done]
                    yield from done.result()

    def stop(self) -> None:
        """Leave the cluster."""
        if self._context is not None:
            self._context.stop()
            self._folder.cleanup()
            self._context = None

    def _wave(
        self, context: SparkContext, wave: list[Task], shipped: bytes, slots: int
    ) -> list[tuple[Task, Any]]:
        """The results of some tasks; if they cannot be had together, one by one."""
        timeout = self.timeout
        try:
            rows = context.parallelize(list(enumerate(wave)), min(len(wave), slots * 4))
            results = rows.mapPartitions(lambda part: work_on(part, shipped, timeout)).collect()
        except Exception as error:  # an executor is lost with all its processes
            if len(wave) == 1:
                return [(wave[0], Failed(Failure.DEATH, _first_line(error)))]
            return [pair for task in wave for pair in self._wave(context, [task], shipped, slots)]
        return [(wave[number], result) for number, result in results]

    def _connected(self) -> SparkContext:
        if self._context is not None:
            return self._context  # type: ignore[no-any-return]
        ensure_java()
        from pyspark import SparkConf, SparkContext

        self._folder = tempfile.TemporaryDirectory(prefix="veer-")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf = SparkConf().setMaster(self.master).setAppName("veer")
        conf.set("spark.ui.enabled", "false").set("spark.log.level", "ERROR")
        conf.set("spark.ui.showConsoleProgress", "false")
        if not self.master.startswith("local"):
            archive = write_archive(Path(self._folder.name) / f"{ARCHIVE}.zip")
            conf.set("spark.archives", f"{archive.as_uri()}#{ARCHIVE}")
            conf.set("spark.executorEnv.PYTHONPATH", f"./{ARCHIVE}")
        for name, value in self.conf.items():
            conf.set(name, value)
        try:
            self._context = SparkContext(conf=conf)
        except Exception as error:
            self._folder.cleanup()
            raise InputError(f"--master {self.master}: {_first_line(error)}") from None
        return self._context  # type: ignore[no-any-return]


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0][:500] if lines else type(error).__name__


# -- on an executor --------------------------------------------------------------------------------

_KEPT: dict[tuple[bytes, float], tuple[LocalProcesses, Callable[[Any], Any]]] = {}


def work_on(
    part: Iterable[tuple[int, Any]], shipped: bytes, timeout: float
) -> Iterator[tuple[int, Any]]:
    """The results of numbered tasks, each from a process of its own that stays for the next."""
    key = shipped, timeout
    if key not in _KEPT:
        # What Veer itself sent, over a connection of Spark's: no input of anybody.
        _KEPT[key] = LocalProcesses(1, timeout), pickle.loads(shipped)
    processes, work = _KEPT[key]
    for number, task in part:
        for _, result in processes.run(iter([task]), work):
            yield number, result


# -- what is shipped -------------------------------------------------------------------------------


def write_archive(target: Path) -> Path:
    """Veer and the packages it needs, as a zip archive; PySpark is on the cluster."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        written: set[str] = set()
        for name, file in _files():
            if name not in written:
                written.add(name)
                archive.write(file, name)
    return target


def _files() -> Iterator[tuple[str, Path]]:
    own = Path(__file__).parents[1]
    for file in sorted(own.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            yield f"veer/{file.relative_to(own).as_posix()}", file
    for package in needed_packages():
        for listed in distribution(package).files or ():
            name = PurePosixPath(str(listed)).as_posix()
            if name.startswith("..") or NOT_SHIPPED.search(name):
                continue
            file = Path(str(listed.locate()))
            if file.is_file():
                yield name, file


def needed_packages() -> list[str]:
    """The packages that Veer needs, those that they need included."""
    try:
        waiting = _requirements(DISTRIBUTION)
    except PackageNotFoundError:
        raise InputError(
            f"the package {DISTRIBUTION} is not installed, so it cannot be sent"
        ) from None
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop()
        if name not in found:
            try:
                more = _requirements(name)
            except PackageNotFoundError:
                continue  # of another platform
            found[name] = None
            waiting += more
    return sorted(found)


def _requirements(name: str) -> list[str]:
    """What a package needs without extras."""
    listed = (r for r in distribution(name).requires or () if "extra ==" not in r)
    return [re.split(r"[^A-Za-z0-9._-]", r, maxsplit=1)[0].lower() for r in listed]
