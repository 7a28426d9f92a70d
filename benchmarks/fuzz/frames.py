"""Live DataFrames: programs built twice, given to `veer.verify`, judged by running them.

A witness invents the content of files: its rows are written to the paths and both programs built
again. Rows that the program itself makes (`createDataFrame`, `range`) are not for a witness to
invent, and paths that hold the same data must hold the same rows in it.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.databases import KINDS, Row
from benchmarks.fuzz.files import random_rows, write_source
from benchmarks.fuzz.judge import Judge, Outcome, canonical, outcome_of
from benchmarks.fuzz.programs import COLUMNS, Program, program
from benchmarks.fuzz.verdicts import (
    CRASH,
    UNSAID_FAILURE,
    WRONG_EQUIVALENT,
    WRONG_INEQUIVALENT,
    Answer,
    Finding,
    asked,
    judged_equal,
    judged_schema,
    judged_witness,
)
from veer.verdict import WitnessKind

BLOCK = 10
SECONDS = 60.0
NOT_REALISED = "not realised"


class World:
    """A folder with the files that a program reads, and its two versions."""

    def __init__(self, judge: Judge, program: Program, folder: Path) -> None:
        self.judge, self.spark, self.program, self.folder = judge, judge.spark, program, folder
        self.formats = dict(program.formats)
        self.versions = [module(folder, "p", program.p), module(folder, "q", program.q)]

    def frames(self) -> list[Any]:
        """Both versions built, over what the files hold now."""
        return [v["build"](self.spark, str(self.folder)) for v in self.versions]

    def fill(self, rng: Random, kind: str) -> None:
        """Write rows to every folder that is read."""
        for name, format_ in self.formats.items():
            write_source(self.folder / name, format_, random_rows(rng, kind))

    def write(self, name: str, rows: Sequence[Row]) -> None:
        """Replace the rows of a folder."""
        write_source(self.folder / name, self.formats[name], rows)

    def outcomes(self) -> list[Outcome]:
        """What both versions give now."""
        outcomes = []
        for version in self.versions:
            try:
                frame = version["build"](self.spark, str(self.folder))
            except Exception as error:
                outcomes.append(Outcome(error=str(error)[:300], refused=True))
                continue
            outcomes.append(outcome_of(frame))
        return outcomes

    def source_rows(self) -> list[Counter[Any]]:
        """The rows of every source of both versions."""
        bags = []
        for version in self.versions:
            for frame in version["sources"](self.spark, str(self.folder)).values():
                bags.append(outcome_of(frame).bag(signed_zeros=False))
        return bags


def module(folder: Path, name: str, text: str) -> dict[str, Any]:
    """A version, compiled from a file so that its source can be found."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    space: dict[str, Any] = {"__name__": f"fuzzed_{name}"}
    exec(compile(text, str(path), "exec"), space)
    return space


def frame_blocks(seed: int, pairs: int) -> Iterator[tuple[str, Any]]:
    """Blocks of pairs, as the command wants them."""

    def work(block: int, size: int) -> Any:
        def go(session: Any, counted: Counter[str]) -> Iterator[tuple[Finding, dict[str, Any]]]:
            judge = Judge(session, fast=False)
            for number in range(size):
                id_ = f"frames-{seed}-{block}-{number}"
                fuzzed = program(id_, Random(f"frames {seed} {block} {number}"))
                yield from judged_program(judge, fuzzed, counted)

        return go

    for block in range(-(-pairs // BLOCK)):
        size = min(BLOCK, pairs - block * BLOCK)
        yield f"frames {seed} {block} {size}", work(block, size)


def judged_program(
    judge: Judge, fuzzed: Program, counted: Counter[str]
) -> Iterator[tuple[Finding, dict[str, Any]]]:
    """What is wrong with what Veer says of a program."""
    import veer

    folder = Path(tempfile.mkdtemp(prefix="veer-fuzz-"))
    rng = Random(fuzzed.id)
    try:
        world = World(judge, fuzzed, folder)
        world.fill(rng, "plain")
        try:
            p, q = world.frames()
        except Exception:
            counted["frames not built"] += 1
            return
        answer = asked(lambda: veer.verify(p, q), SECONDS)
        counted[f"frames {answer.verdict}"] += 1
        shown = {"id": fuzzed.id, "p": fuzzed.p, "q": fuzzed.q, "rewrites": fuzzed.rewrites}
        for finding in _judge(world, answer, rng, counted):
            yield finding, {**shown, **answer.shown()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _judge(world: World, answer: Answer, rng: Random, counted: Counter[str]) -> Iterator[Finding]:
    if answer.verdict == "crash":
        yield Finding(CRASH, answer.reason)
    elif answer.verdict == "equivalent":
        yield from _judge_equal(world, answer, rng)
    elif answer.verdict == "inequivalent" and answer.witness.kind is WitnessKind.ROWS:
        yield from _judge_witness(world, answer, counted)
    elif answer.verdict == "inequivalent":
        p, q = world.outcomes()
        finding = judged_schema(p, q, "name")
        if finding is not None:
            yield finding


def _judge_equal(world: World, answer: Answer, rng: Random) -> Iterator[Finding]:
    for kind in KINDS:
        world.fill(rng, kind)
        p, q = world.outcomes()
        finding = judged_equal(answer, p, q)
        details = {"kind of rows": kind, "spark p": p.shown(), "spark q": q.shown()}
        if finding is not None and (
            finding.kind != UNSAID_FAILURE or world.program.impure is False
        ):
            yield replace(finding, details=details)
            return
    if world.program.impure and not answer.choices:
        p, _ = world.outcomes()
        time.sleep(1.1)
        again, _ = world.outcomes()
        if not p.error and p.bag() != again.bag():
            yield Finding(WRONG_EQUIVALENT, "a version differs from itself, no choice is listed")


def _judge_witness(world: World, answer: Answer, counted: Counter[str]) -> Iterator[Finding]:
    tables: Mapping[str, Any] = answer.witness.tables
    rows_of_program = world.source_rows()
    for name, table in tables.items():
        if not name.startswith("file:"):
            rows = Counter(
                tuple(canonical(v, signed_zeros=False) for v in r) for r in table["rows"]
            )
            if rows not in rows_of_program:
                why = f"the witness replaces rows that the program makes itself ({name})"
                yield Finding(WRONG_INEQUIVALENT, why)
                return
    wrong = _realise(world, tables)
    if wrong is not None and wrong != NOT_REALISED:
        yield Finding(WRONG_INEQUIVALENT, wrong)
        return
    if wrong == NOT_REALISED:
        counted["frames witness not realised"] += 1
        return
    p, q = world.outcomes()
    finding = judged_witness(p, q)
    if finding is not None:
        yield replace(finding, details={"spark p": p.shown(), "spark q": q.shown()})


def _realise(world: World, tables: Mapping[str, Any]) -> str | None:
    """Write the rows of a witness to the files; what is wrong if no files hold these rows."""
    needed: dict[tuple[str, ...], list[Row]] = {}
    for name, table in tables.items():
        if name.startswith("file:"):
            folders = tuple(_folder(world, path) for path in name.split(" "))
            places = {column: i for i, column in enumerate(table["columns"])}
            rows = [
                tuple(row[places[c]] if c in places else None for c in COLUMNS)
                for row in table["rows"]
            ]
            if "a=1" in name:
                if any(row[0] not in (None, 1) for row in rows):
                    return NOT_REALISED
                rows = [(1, *row[1:]) for row in rows]
            if folders in needed and Counter(needed[folders]) != Counter(rows):
                return f"the witness has other rows for the same files ({name})"
            needed[folders] = rows
    written: dict[str, list[Row]] = {}
    for folders, rows in sorted(needed.items(), key=lambda x: len(x[0])):
        fresh = [f for f in folders if f not in written]
        if len(folders) == 1 or len(fresh) == len(set(folders)):
            written[folders[0]] = rows
            written.update({folder: [] for folder in folders[1:]})
        elif fresh:  # what the other folders do not hold
            rest = Counter(rows) - Counter(row for f in folders for row in written.get(f, []))
            written.update({folder: [] for folder in fresh})
            written[fresh[0]] = list(rest.elements())
        held = Counter(row for f in folders for row in written.get(f, []))
        if held != Counter(rows):
            return f"the witness has other rows for the same files ({', '.join(folders)})"
    try:
        for folder in world.formats:
            world.write(folder, written.get(folder, []))
            if _read(world, folder) != _bag(written.get(folder, [])):
                return NOT_REALISED
    except Exception:
        return NOT_REALISED
    return None


def _folder(world: World, path: str) -> str:
    """The folder of the world a path is in; globs stand for all of theirs."""
    parts = path.removeprefix("file:").split("/")
    depth = len(world.folder.parts) - 1
    return parts[depth + 1]


def _read(world: World, name: str) -> Counter[Any]:
    """The rows of a folder, read with the usual options."""
    format_ = world.formats[name]
    if format_ in ("partitioned", "without a"):
        return _bag_of(world, "parquet", name, format_)
    return _bag_of(world, format_, name, format_)


def _bag_of(world: World, reader: str, name: str, format_: str) -> Counter[Any]:
    schema = ", ".join(f"{n} {t}" for n, t in COLUMNS.items() if format_ != "without a" or n != "a")
    frame = world.spark.read.schema(schema).format(reader).load(str(world.folder / name))
    if format_ == "without a":
        frame = frame.selectExpr("CAST(NULL AS INT) AS a", "b", "c", "d")
    return outcome_of(frame.select(*COLUMNS)).bag()


def _bag(rows: Sequence[Row]) -> Counter[Any]:
    return Counter(tuple(map(canonical, row)) for row in rows)
