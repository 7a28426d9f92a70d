"""Both readings of PySpark compared: cases, random programs, jobs, Python functions, TPC-DS."""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.readings import programs
from benchmarks.readings.beside import wrong_rows
from benchmarks.readings.classic import classic_readings
from benchmarks.readings.compare import AGREE, ONE_SIDED, ROWS, Compared, compared
from benchmarks.readings.connect import ConnectReader
from benchmarks.readings.sides import Program, Reading

SPARK_AGREES = "agree on rows, also with Spark"
SETS = ("cases", "random", "jobs", "functions", "tpcds")


class Comparing:
    """One classic session, one Connect process, and what was found so far."""

    def __init__(self, spark: Any, connect: ConnectReader, out: Path | None) -> None:
        self.spark, self.connect, self.out = spark, connect, out
        self.alarms = 0

    def run(self, title: str, asked: Iterable[Sequence[Program]]) -> None:
        """Compare the programs of a set; print what is wrong and what was counted."""
        counted: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        start = time.monotonic()
        for block in asked:
            for program, classic, connect in self.read(block):
                found = self.judged(program, classic, connect)
                counted[found.verdict] += 1
                self.alarms += found.is_alarm
                if found.verdict == ONE_SIDED:
                    refused[_reason(found.why)] += 1
                if found.is_alarm or found.verdict == ONE_SIDED:
                    print(f"  {found.verdict}: {program.id}: {found.why[:300]}", flush=True)
                    self.save(program, classic, connect, found)
        seconds = time.monotonic() - start
        print(f"{title}: {sum(counted.values())} programs in {seconds:.0f} s")
        for verdict, count in counted.most_common():
            print(f"  {count:6}  {verdict}")
        for why, count in refused.most_common(40):
            print(f"          {count:5}  {why}")
        print(flush=True)

    def judged(self, program: Program, classic: Reading, connect: Reading) -> Compared:
        """What the comparison says; what is not proven is run by Spark too."""
        found = compared(classic, connect)
        if found.verdict != AGREE or connect.dataflow is None:
            return found
        wrong = wrong_rows(self.spark, program, connect.dataflow)
        if wrong is None:
            return Compared(AGREE, found.why)
        return Compared(ROWS, wrong) if wrong else Compared(SPARK_AGREES, found.why)

    def read(self, block: Sequence[Program]) -> Iterator[tuple[Program, Reading, Reading]]:
        """Both readings of programs, the two sides at the same time."""
        with ThreadPoolExecutor(1) as pool:
            connect = pool.submit(self.connect.read_all, block)
            classic = classic_readings(self.spark, block)
            yield from zip(block, classic, connect.result(), strict=True)

    def save(self, program: Program, classic: Reading, connect: Reading, found: Compared) -> None:
        """Keep what both sides say, and the source, where the command asks for it."""
        if self.out is not None:
            content = {
                "id": program.id,
                "verdict": found.verdict,
                "why": found.why,
                "source": _source(program),
                "classic": classic.shown(),
                "connect": connect.shown(),
            }
            text = json.dumps(content, indent=1, ensure_ascii=False, default=str)
            (self.out / f"{program.id}.json").write_text(text, encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Compare what is asked for; 1 if some reading is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks readings", description=__doc__)
    parser.add_argument("--programs", type=int, default=200, help="random programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", default=",".join(SETS), help="which of " + ", ".join(SETS))
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    parser.add_argument("--out", type=Path, help="a folder for a file per finding")
    asked = parser.parse_args(arguments)
    from veer.read.pyspark.capture.session import local_session

    logging.disable(logging.CRITICAL)  # PySpark logs every error of a program
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, ConnectReader() as connect:
        comparing = Comparing(local_session(scratch, {}, ""), connect, asked.out)
        for title in asked.sets.split(","):
            comparing.run(title, _chosen(_blocks(title, asked, Path(scratch)), asked.only))
    return 1 if comparing.alarms else 0


def _blocks(title: str, asked: argparse.Namespace, folder: Path) -> Iterable[list[Program]]:
    match title:
        case "cases":
            return [programs.cases()]
        case "random":
            return programs.random_programs(asked.seed, asked.programs, folder)
        case "jobs":
            return [programs.jobs()]
        case "functions":
            return [programs.python_functions(folder)]
        case "tpcds":
            return [programs.tpcds(folder)]
        case _:
            raise SystemExit(f"no set is called {title!r}; there are {', '.join(SETS)}")


def _chosen(blocks: Iterable[list[Program]], only: str) -> Iterator[list[Program]]:
    for block in blocks:
        found = [p for p in block if only in p.id]
        if found:
            yield found


def _reason(why: str) -> str:
    """A reason without what differs from program to program."""
    return " ".join(w for w in why.split() if not w[:1].isdigit())[:110]


def _source(program: Program) -> str:
    text = program.file.read_text(encoding="utf-8")
    start = text.index(f"def {program.function}(")
    end = text.find("\ndef ", start + 1)
    return text[start : end if end > 0 else len(text)]
