"""The command: blocks of pairs, progress, a summary, files of what is wrong."""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.asking import Verifier
from benchmarks.fuzz.frames import frame_blocks
from benchmarks.fuzz.judge import Judge
from benchmarks.fuzz.runs import run_blocks
from benchmarks.fuzz.sql_mode import BLOCK, Pair, block_of, judged
from benchmarks.fuzz.verdicts import NOTED, NOTES, WRONG, Answer, Finding, noted

Findings = Iterator[tuple[Finding, dict[str, Any]]]
MODES = ("sql", "frames", "runs")


@dataclass
class Log:
    """What was done, in a folder: a line per block, a file per finding."""

    folder: Path
    counted: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    done: set[str] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        (self.folder / "found").mkdir(parents=True, exist_ok=True)
        if not NOTES.handlers:
            NOTES.addHandler(logging.FileHandler(self.folder / "not-decided.jsonl", delay=True))
            NOTES.setLevel(logging.INFO)
        for path in sorted(self.folder.glob("blocks*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                read = json.loads(line)
                self.done.add(read["block"])
                self.counted.update(read["counted"])
                self.findings.update(read["found"])

    def save(self, finding: Finding, shown: dict[str, Any]) -> None:
        """Keep a finding as a file that can be replayed."""
        name = f"{finding.kind.replace(' ', '-')}-{shown['id']}.json"
        content = {"kind": finding.kind, "why": finding.why, **shown, **finding.details}
        text = json.dumps(content, indent=2, ensure_ascii=False, default=str)
        (self.folder / "found" / name).write_text(text, encoding="utf-8")

    def finish(self, block: str, counted: Counter[str], findings: Counter[str], part: str) -> None:
        """A block is done: it will not be done again."""
        self.done.add(block)
        self.counted.update(counted)
        self.findings.update(findings)
        line = json.dumps({"block": block, "counted": counted, "found": findings})
        with (self.folder / f"blocks{part}.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def progress(self) -> None:
        """Print a line of what was done so far."""
        seconds = time.monotonic() - self.started
        counts = "  ".join(f"{k} {n}" for k, n in sorted(self.counted.items()))
        wrong = "  ".join(f"{k}: {n}" for k, n in sorted(self.findings.items())) or "nothing wrong"
        print(f"{seconds:7.0f} s  {counts}  |  {wrong}", flush=True)

    def summary(self) -> int:
        """The table at the end, and the exit status."""
        print(f"\n{'said':<32}{'pairs or runs':>14}")
        for name, number in sorted(self.counted.items()):
            print(f"{name:<32}{number:>14}")
        print(f"\n{'found':<32}{'files':>14}")
        for kind in (*WRONG, *NOTED):
            print(f"{kind:<32}{self.findings[kind]:>14}")
        wrong = sum(self.findings[kind] for kind in WRONG)
        print(f"\n{wrong} wrong; files in {self.folder / 'found'}")
        return 1 if wrong else 0


def main(argv: list[str]) -> int:
    """Run the fuzzer; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks fuzz")
    parser.add_argument("--mode", choices=(*MODES, "all"), default="all")
    parser.add_argument("--pairs", type=int, default=1000, help="of SQL, and of frames a tenth")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("fuzz-out"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--part", type=int, default=-1, help=argparse.SUPPRESS)
    parser.add_argument("--replay", type=Path, help="a file of the folder `found`")
    asked = parser.parse_args(argv)
    if asked.replay:
        from benchmarks.fuzz.replay import replay

        return replay(asked.replay)
    if asked.workers > 1 and asked.part < 0:
        return _spread(asked, argv)
    log = Log(asked.out)
    for mode in MODES if asked.mode == "all" else (asked.mode,):
        _run(mode, asked, log)
    return log.summary()


def _spread(asked: argparse.Namespace, argv: list[str]) -> int:
    """Each worker is a process with a Spark session of its own and every n-th block."""
    command = [sys.executable, "-m", "benchmarks", "fuzz", *argv]
    started = [subprocess.Popen([*command, "--part", str(n)]) for n in range(asked.workers)]
    for process in started:
        process.wait()
    return Log(asked.out).summary()


def _run(mode: str, asked: argparse.Namespace, log: Log) -> None:
    from tests.spark.session import spark_session

    part = max(asked.part, 0)
    blocks = {"sql": _sql_blocks, "frames": _frame_blocks, "runs": _run_blocks}[mode]
    session = None
    todo = [
        (name, work)
        for number, (name, work) in enumerate(blocks(asked))
        if name not in log.done and number % asked.workers == part
    ]
    for number, (name, work) in enumerate(todo):
        for _, prepared in todo[number : number + 2]:
            if isinstance(prepared, _SqlBlock):
                prepared.prepare()
        session = session or spark_session()
        counted: Counter[str] = Counter()
        findings: Counter[str] = Counter()
        for finding, shown in work(session, counted):
            findings[finding.kind] += 1
            log.save(finding, shown)
        log.finish(name, counted, findings, f"-{part}")
        log.progress()


def _sql_blocks(asked: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    tools = _SqlTools()
    for block in range(-(-asked.pairs // BLOCK)):
        size = min(BLOCK, asked.pairs - block * BLOCK)
        yield f"sql {asked.seed} {block} {size}", _SqlBlock(tools, asked.seed, block, size)


class _SqlTools:
    """What blocks of SQL pairs share: the verifying process, asked by one thread, and the judge."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.verifier: Verifier | None = None
        self.judge: Judge | None = None

    def ask(self, pair: Pair) -> Answer:
        """What Veer says of a pair."""
        self.verifier = self.verifier or Verifier()
        start = time.monotonic()
        answer = self.verifier.ask(pair)
        noted(pair.id, answer, time.monotonic() - start)
        return answer


class _SqlBlock:
    """One block: verified while Spark judges the one before it."""

    def __init__(self, tools: _SqlTools, seed: int, block: int, size: int) -> None:
        self.tools, self.seed, self.block, self.size = tools, seed, block, size

    @cached_property
    def verified(self) -> Future[list[tuple[Pair, Answer]]]:
        """The pairs and what Veer says of them, as soon as it is there."""
        _, pairs = block_of(self.seed, self.block, self.size)
        return self.tools.thread.submit(lambda: [(pair, self.tools.ask(pair)) for pair in pairs])

    def prepare(self) -> None:
        """Begin to verify."""
        assert self.verified is not None

    def __call__(self, session: Any, counted: Counter[str]) -> Findings:
        """Judge what Veer says."""
        judge = self.tools.judge = self.tools.judge or Judge(session)
        decided = self.verified.result()
        start = time.monotonic()
        counted.update(f"sql {answer.verdict}" for _, answer in decided)
        by_id = {pair.id: answer for pair, answer in decided}
        rng = Random(f"rows {self.seed} {self.block}")
        judge.set_way(rng)
        for pair, finding in judged(judge, decided[0][0].schema, decided, rng):
            yield finding, {**pair.shown(), **by_id[pair.id].shown()}
        print(f"        block {self.block}: judged in {time.monotonic() - start:.1f} s")


def _frame_blocks(asked: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    yield from frame_blocks(asked.seed, max(1, asked.pairs // 10))


def _run_blocks(asked: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    yield from run_blocks(asked.seed, asked.runs)
