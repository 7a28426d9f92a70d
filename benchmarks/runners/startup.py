"""How long commands take in new processes, beside those of a git revision.

python -m benchmarks startup [REV] [--rounds N]

Wall and processor time, of all processes that a command starts: medians over the rounds. With REV
(see `against`) both trees are measured in turns, so that what else the machine does slows both
alike; each has the bytecode of its modules before it is measured. `check` is that of the project of
sixty jobs (see `project`) with nothing changed, with a cache that knows it.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.runners.against import source_here, source_of
from benchmarks.support.project_history import make_repository

ROOT = Path(__file__).parents[2]
KNIME = ROOT / "examples" / "knime"
PR_SET_CHILD_SUBREAPER = 36
FILES = {
    "p.sql": "SELECT id, total FROM orders WHERE total > 10 AND id > 5",
    "q.sql": "SELECT id, total FROM (SELECT * FROM orders WHERE id > 5) WHERE total > 10",
    "tables.ddl": "CREATE TABLE orders (id INT, total DOUBLE);",
    "p.py": "def job(spark):\n    o = spark.table('orders')\n    return o.where('id > 5').where('total > 10')\n",
    "q.py": "def job(spark):\n    o = spark.table('orders')\n    return o.filter((o.total > 10) & (o.id > 5))\n",
}


@dataclass(frozen=True)
class Command:
    """A command of `veer` and the folder it is asked in."""

    name: str
    words: tuple[str, ...]
    folder: Path


@dataclass
class Times:
    """Seconds of a command, of all rounds."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def shown(self) -> str:
        """The medians."""
        return f"{statistics.median(self.wall):8.3f} {statistics.median(self.processor):9.3f}"


def commands(folder: Path) -> list[Command]:
    """What is measured, with the files it needs in `folder`."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    make_repository(folder / "jobs")
    schema = ("--schema", "tables.ddl")
    knime = (str(KNIME / "orders"), "--schema", str(KNIME / "tables.ddl"))
    cache = ("--jvm", "never", "--cache", str(folder / "cache"))
    return [
        Command("veer --help", ("--help",), folder),
        Command("two SQL files", ("verify", "p.sql", "q.sql", *schema), folder),
        Command("two jobs", ("verify", "p.py:job", "q.py:job", *schema), folder),
        Command("two KNIME folders", ("verify", knime[0], *knime), folder),
        Command("check of 60 jobs", ("check", "--base", "HEAD", *cache), folder / "jobs"),
    ]


def run(command: Command, source: Path, bytecode: Path) -> tuple[float, float]:
    """Wall and processor seconds of a command and of all that it starts."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    env = {**kept, "PYTHONPATH": str(source), "PYTHONPYCACHEPREFIX": str(bytecode)}
    before, start = _processor_seconds(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "veer", *command.words],
        cwd=command.folder,
        env=env,
        capture_output=True,
        check=False,
    )
    wall = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{command.name}: {done.stdout.decode()}{done.stderr.decode()}")
    with suppress(ChildProcessError):
        while True:  # processes that outlived the command are ours now
            os.wait()
    return wall, _processor_seconds() - before


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(argv: Sequence[str]) -> int:
    """Print a line for each command, and one for each tree in it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks startup")
    parser.add_argument("revision", nargs="?", help="a git revision to compare with")
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args(argv)
    with suppress(OSError, AttributeError):  # of Linux
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trees = {"here": source_here(folder / "here")}
        if asked.revision:
            trees = {asked.revision: source_of(asked.revision, folder / "before"), **trees}
        print(f"{'':<40}{'wall s':>8} {'processor':>9}")
        (folder / "files").mkdir()
        for command in commands(folder / "files"):
            times = {tree: Times() for tree in trees}
            for source in trees.values():
                run(command, source, folder / "bytecode")
            for _ in range(asked.rounds):
                for tree, source in trees.items():
                    wall, processor = run(command, source, folder / "bytecode")
                    times[tree].wall.append(wall)
                    times[tree].processor.append(processor)
            for tree, measured in times.items():
                print(f"{command.name:<20}{tree[:20]:<20}{measured.shown()}")
    return 0
