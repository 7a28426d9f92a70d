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

from benchmarks.fuzz.databases import DATABASES, MIXED, Row
from benchmarks.fuzz.files import random_rows, write_source
from benchmarks.fuzz.judge import SIDE, Judge, Outcome, canonical, outcome_of, together
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
    noted,
)
from veer.ir.sources import paths_of
from veer.verdict import WitnessKind

BLOCK = 10
SECONDS = 60.0
NOT_REALISED = "not realised"
OTHER_TEXT = "another text"


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
            of = rng.choice(MIXED) if kind == "mixed" else kind
            rows = [] if of == "empty" else random_rows(rng, of)
            write_source(self.folder / name, format_, rows)

    def write(self, name: str, rows: Sequence[Row]) -> None:
        """Replace the rows of a folder, by files that hold all of them."""
        write_source(self.folder / name, self.full_format(name), rows)

    def full_format(self, name: str) -> str:
        """The format of a folder; columns that its files are without at first can be in them."""
        return "parquet" if self.formats[name] == "without a" else self.formats[name]

    def outcomes(self) -> list[Outcome]:
        """What both versions give now."""
        try:
            frames = self.frames()
        except Exception as error:
            return [Outcome(error=str(error)[:300], refused=True)] * 2
        if not self.program.impure:
            sides = [f.selectExpr(f"{n} AS `{SIDE}`", "*") for n, f in enumerate(frames)]
            both = together(*sides)
            if both is not None:
                return list(both)
        return list(map(outcome_of, frames))

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
            judge = Judge(session)
            for number in range(size):
                fuzzed = made_program(seed, block, number)
                yield from judged_program(judge, fuzzed, counted)

        return go

    for block in range(-(-pairs // BLOCK)):
        size = min(BLOCK, pairs - block * BLOCK)
        yield f"frames {seed} {block} {size}", work(block, size)


def made_program(seed: int, block: int, number: int) -> Program:
    """The program of these numbers."""
    return program(f"frames-{seed}-{block}-{number}", Random(f"frames {seed} {block} {number}"))


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
        start = time.monotonic()
        answer = asked(lambda: veer.verify(p, q), SECONDS)
        noted(fuzzed.id, answer, time.monotonic() - start)
        counted[f"frames {answer.verdict}"] += 1
        shown: dict[str, Any] = {"id": fuzzed.id, "p": fuzzed.p, "q": fuzzed.q}
        shown |= {"rewrites": fuzzed.rewrites, "formats": fuzzed.formats}
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
    for kind in DATABASES:
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
        if not _is_files(name):
            rows = Counter(
                tuple(canonical(v, signed_zeros=False) for v in r) for r in table["rows"]
            )
            if rows not in rows_of_program:
                why = f"the witness replaces rows that the program makes itself ({name})"
                yield Finding(WRONG_INEQUIVALENT, why)
                return
    wrong = realised(world, tables)
    if wrong == NOT_REALISED:
        tables = as_csv_holds(world, tables)
        wrong = realised(world, tables)
    if wrong is not None and wrong != NOT_REALISED:
        yield Finding(WRONG_INEQUIVALENT, wrong)
        return
    if wrong == NOT_REALISED:
        counted["frames witness not realised"] += 1
        return
    p, q = world.outcomes()
    finding = judged_witness(p, q)
    if finding is not None and tables is not answer.witness.tables:
        counted["frames witness not realised"] += 1
    elif finding is not None:
        yield replace(finding, details={"spark p": p.shown(), "spark q": q.shown()})


def as_csv_holds(world: World, tables: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables with another text for an empty one, which CSV reads as null."""
    changed = {}
    for name, table in tables.items():
        rows = table["rows"]
        if _is_files(name) and world.formats[_folder(world, paths_of(name)[0])] == "csv":
            rows = [[OTHER_TEXT if v == "" else v for v in row] for row in rows]
        changed[name] = {**table, "rows": rows}
    return changed


def realised(world: World, tables: Mapping[str, Any]) -> str | None:
    """Write the rows of a witness to the files; what is wrong if no files hold these rows."""
    needed: dict[tuple[str, ...], list[Row]] = {}
    for name, table in tables.items():
        if _is_files(name):
            folders = tuple(_folder(world, path) for path in paths_of(name))
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


def _is_files(name: str) -> bool:
    """Whether a table of a witness is read from files, and not made by the program."""
    return all(path.startswith("file:") for path in paths_of(name))


def _folder(world: World, path: str) -> str:
    """The folder of the world a path is in; globs stand for all of theirs."""
    parts = path.removeprefix("file:").split("/")
    depth = len(world.folder.parts) - 1
    return parts[depth + 1]


def _read(world: World, name: str) -> Counter[Any]:
    """The rows of a folder, read with the usual options."""
    format_ = world.full_format(name)
    schema = ", ".join(f"{n} {t}" for n, t in COLUMNS.items())
    reader = world.spark.read.schema(schema)
    reader = reader.format("parquet" if format_ == "partitioned" else format_)
    return outcome_of(reader.load(str(world.folder / name)).select(*COLUMNS)).bag()


def _bag(rows: Sequence[Row]) -> Counter[Any]:
    return Counter(tuple(map(canonical, row)) for row in rows)
