"""Sequences of runs: versions, files and settings change, and the rows delivered must not be stale.

A sequence has one store. Before each run something happens: a version is edited or an earlier one
comes back, files are appended to, replaced, put back as they were, a setting of the session or of
Hadoop changes. Then the version runs through the store, and as it is; the rows must be the same.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.databases import Row
from benchmarks.fuzz.files import random_rows, write_rows, write_source
from benchmarks.fuzz.frames import module
from benchmarks.fuzz.judge import Judge, Outcome, outcome_of
from benchmarks.fuzz.programs import COLUMNS, DDL, changed, is_impure, template
from benchmarks.fuzz.verdicts import CRASH, STALE, Finding, same_rows
from veer.errors import UnsupportedError
from veer.options import Keep

LENGTH = 10  # runs of a sequence
SETTINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("spark.sql.session.timeZone", ("UTC", "America/New_York", "Asia/Kolkata")),
    ("spark.sql.ansi.enabled", ("true", "false")),
    ("spark.sql.caseSensitive", ("false", "true")),
    ("mapreduce.input.linerecordreader.line.maxlength", ("2147483647", "9")),
    ("spark.sql.legacy.charVarcharAsString", ("false", "true")),
    ("spark.sql.csv.parser.columnPruning.enabled", ("true", "false")),
    ("spark.sql.files.ignoreMissingFiles", ("false", "true")),
    ("spark.sql.parquet.filterPushdown", ("true", "false")),
    ("spark.sql.json.enablePartialResults", ("true", "false")),
    ("spark.sql.shuffle.partitions", ("1", "2")),
)


def run_blocks(seed: int, runs: int) -> Iterator[tuple[str, Any]]:
    """Sequences of runs, as the command wants them."""

    def work(number: int, length: int) -> Any:
        def go(session: Any, counted: Counter[str]) -> Iterator[tuple[Finding, dict[str, Any]]]:
            judge = Judge(session, fast=False)
            kind = SqlRuns if number % 2 else FrameRuns
            with _folder() as folder, _settings(session):
                sequence = kind(judge, f"runs-{seed}-{number}", folder)
                for _ in range(length):
                    yield from sequence.step(counted)

        return go

    for number in range(-(-runs // LENGTH)):
        length = min(LENGTH, runs - number * LENGTH)
        yield f"runs {seed} {number} {length}", work(number, length)


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="veer-fuzz-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _settings(session: Any) -> Iterator[None]:
    """Whatever is set inside is unset at the end."""
    before = {name: session.conf.get(name, None) for name, _ in SETTINGS}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, value)


class Runs:
    """A store, files, settings, and what happened so far."""

    refusals: tuple[type[Exception], ...] = ()  # what may be said instead of running

    def __init__(self, judge: Judge, id_: str, folder: Path) -> None:
        self.judge, self.spark, self.id, self.folder = judge, judge.spark, id_, folder
        self.rng = Random(id_)
        self.history: list[str] = []
        self.contents: dict[str, list[list[Row]]] = {}
        self.number = 0

    def step(self, counted: Counter[str]) -> Iterator[tuple[Finding, dict[str, Any]]]:
        """Something happens, then a run."""
        self.number += 1
        events = (self.edit, self.edit, self.data, self.data, self.setting, self.nothing)
        for _ in range(self.rng.choice((1, 1, 2)) if self.number > 1 else 0):
            self.history.append(self.rng.choice(events)())
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                delivered = self.run()
        except Exception as error:
            if isinstance(error, self.refusals):
                counted["runs refused"] += 1
                return
            plain = self.plain()
            if not plain.error:
                text = traceback.format_exc()[-2500:]
                yield Finding(CRASH, f"{type(error).__name__}: {text}"), self.shown(plain)
            counted["runs failed"] += 1
            return
        plain = self.plain()
        what = "runs not reused" if caught else "runs"
        counted[what] += 1
        self.history.append(f"run {self.number}: {', '.join(str(w.message)[:150] for w in caught)}")
        finding = self.compare(delivered, plain)
        if finding is not None:
            yield finding, {**self.shown(plain), "run": delivered.shown()}

    def compare(self, delivered: Outcome, plain: Outcome) -> Finding | None:
        """What is wrong with the rows delivered."""
        if plain.error or delivered.error:
            if bool(plain.error) != bool(delivered.error):
                return Finding(
                    STALE, f"fails only {'plainly' if plain.error else 'through the store'}"
                )
            return None
        if (delivered.names, delivered.types) != (plain.names, plain.types):
            return Finding(STALE, "other columns")
        semantics = "ordered" if self.ordered() else "bag"
        if not same_rows(delivered, plain, semantics, "position"):
            return Finding(STALE, f"other rows ({semantics})")
        return None

    def shown(self, plain: Outcome) -> dict[str, Any]:
        """What a finding is told with: the history, the version, the data."""
        return {
            "id": f"{self.id}-{self.number}",
            "history": self.history,
            "version": self.text(),
            "data": {n: [list(map(repr, r)) for r in c[-1]] for n, c in self.contents.items()},
            "plain": plain.shown(),
        }

    # -- what happens ---------------------------------------------------------------------------

    def nothing(self) -> str:
        """The same again."""
        return "nothing happens"

    def setting(self) -> str:
        """A setting of the session changes."""
        name, values = self.rng.choice(SETTINGS)
        value = self.rng.choice(values)
        self.spark.conf.set(name, value)
        return f"set {name}={value}"

    def data(self) -> str:
        """Files replaced, appended to, put back, or replaced by rows of the same size and time."""
        if not self.contents:
            return "no files to change"
        name = self.rng.choice(sorted(self.contents))
        before = self.contents[name]
        kind = self.rng.choice(("replace", "append", "back", "quietly", "touch"))
        if kind == "replace":
            self.put(name, random_rows(self.rng, self.rng.choice(("plain", "odd"))))
        elif kind == "append" and self.format(name) not in ("partitioned", "without a"):
            rows = random_rows(self.rng, "plain")
            write_rows(self.place(name), self.format(name), rows, name=f"part-{self.number}")
            before.append([*before[-1], *rows])
        elif kind == "back":
            self.put(name, before[0])
        elif kind == "quietly" and before[-1]:
            self._quietly(name)
        else:
            for path in self.place(name).rglob("*"):
                os.utime(path)
        return f"data of {name}: {kind}"

    def _quietly(self, name: str) -> None:
        """Other rows in files of the same names, with the times they had."""
        times = {p: p.stat().st_mtime_ns for p in self.place(name).rglob("*") if p.is_file()}
        rows = [(*row[:3], (row[3] or 0) % 7 + 1) for row in self.contents[name][-1]]
        self.put(name, rows)
        for path, nanoseconds in times.items():
            if path.exists():
                os.utime(path, ns=(nanoseconds, nanoseconds))

    def put(self, name: str, rows: Sequence[Row]) -> None:
        """Replace the rows of a source."""
        write_source(self.place(name), self.format(name), rows)
        self.contents.setdefault(name, []).append(list(rows))

    def place(self, name: str) -> Path:
        """Where the files of a source are."""
        return self.folder / name

    # -- what the kinds of runs differ in ---------------------------------------------------------

    def format(self, name: str) -> str:
        """The format of a source."""
        raise NotImplementedError

    def edit(self) -> str:
        """The version changes, or an earlier one comes back."""
        raise NotImplementedError

    def text(self) -> str:
        """The version as a text."""
        raise NotImplementedError

    def ordered(self) -> bool:
        """Whether the order of the rows is part of the result."""
        raise NotImplementedError

    def run(self) -> Outcome:
        """Run the version through the store."""
        raise NotImplementedError

    def plain(self) -> Outcome:
        """Run the version without a store."""
        raise NotImplementedError


class FrameRuns(Runs):
    """`veer.run` of PySpark programs that are the same each time they run."""

    def __init__(self, judge: Judge, id_: str, folder: Path) -> None:
        super().__init__(judge, id_, folder)
        self.template = template(self.rng)
        while self._another_each_time():
            self.template = template(self.rng)
        self.lines = [ways[0] for ways in self.template.lines]
        self.versions = [self.lines]
        for name in self.template.formats:
            self.put(name, random_rows(self.rng, "plain"))

    def _another_each_time(self) -> bool:
        ways = [line for step in self.template.steps for line in step]
        text = "def build" + "".join(ways)
        return is_impure(text) or "limit(" in text or "row_number" in text or "Duplicates" in text

    def format(self, name: str) -> str:
        """The format of a source."""
        return self.template.formats[name]

    def edit(self) -> str:
        """Some lines are written otherwise, or an earlier version comes back."""
        if self.rng.random() < 0.25:
            self.lines = self.rng.choice(self.versions)
            return "an earlier version comes back"
        self.lines, names = changed(self.rng, self.template, self.lines)
        self.versions.append(self.lines)
        return f"edited: {names}"

    def text(self) -> str:
        """The program."""
        return self.template.text("run", self.id, self.lines)

    def ordered(self) -> bool:
        """The rows of these programs are in no order."""
        return False

    def build(self) -> Any:
        """The DataFrame of the version."""
        version = module(self.folder, f"v{self.number}", self.text())
        return version["build"](self.spark, str(self.folder))

    def run(self) -> Outcome:
        """`veer.run` of the DataFrame."""
        import veer

        store = str(self.folder / "store")
        keep = self.rng.choice((Keep.SINKS, Keep.CUTS))
        return outcome_of(veer.run(self.build(), name="fuzzed", store=store, keep=keep))

    def plain(self) -> Outcome:
        """The DataFrame run by Spark alone."""
        try:
            return outcome_of(self.build())
        except Exception as error:
            return Outcome(error=str(error)[:300], refused=True)


ORDERS = ("", "ORDER BY a, b, c, d", "ORDER BY a DESC, b, c, d", "ORDER BY d, c, b DESC, a")
FILTERS: tuple[str, ...] = ("", "WHERE a > 0", "WHERE a >= 1", "WHERE NOT a <= 0", "WHERE b <> 'a'")
QUERIES: tuple[Callable[[str], str], ...] = (
    lambda f: f"SELECT a, b, c, d FROM t0 {f}",
    lambda f: f"SELECT a, b, c, d FROM (SELECT * FROM t0) AS x {f}",
    lambda f: f"SELECT DISTINCT a, b, c, d FROM t0 {f}",
    lambda f: f"SELECT a, b, max(c) AS c, sum(d) AS d FROM t0 {f} GROUP BY a, b",
    lambda f: f"SELECT a, b, max(c) AS c, sum(d) AS d FROM t0 {f} GROUP BY b, a",
    lambda f: f"SELECT a, b, c, d FROM t0 {f} UNION ALL SELECT a, b, c, d FROM t1",
    lambda f: f"SELECT a, b, c, d FROM t1 UNION ALL SELECT a, b, c, d FROM t0 {f}",
    lambda f: f"SELECT a, CAST(current_timezone() AS STRING) AS b, c, d FROM t0 {f}",
    lambda f: f"SELECT a, CAST(timestamp_seconds(a) AS STRING) AS b, c, d FROM t0 {f}",
    lambda f: (
        f"SELECT a, CAST(CAST('2024-03-10 02:30:00' AS TIMESTAMP) AS STRING) AS b, c, d FROM t0 {f}"
    ),
)


class SqlRuns(Runs):
    """`veer run` of SQL files, with results exported to a folder."""

    refusals = (UnsupportedError,)

    def __init__(self, judge: Judge, id_: str, folder: Path) -> None:
        super().__init__(judge, id_, folder)
        self.choices: list[tuple[int, int, int]] = []
        self.edit()
        for name in ("t0", "t1"):
            self.put(name, random_rows(self.rng, "plain"))

    def place(self, name: str) -> Path:
        """The folder of a table."""
        return self.folder / "data" / f"{name}.parquet"

    def format(self, name: str) -> str:
        """The format of the tables."""
        return "parquet"

    def edit(self) -> str:
        """Query, filter or order changes, or an earlier version comes back."""
        parts = QUERIES, FILTERS, ORDERS
        if self.choices and self.rng.random() < 0.25:
            self.choices.append(self.rng.choice(self.choices))
        elif self.choices:
            last = list(self.choices[-1])
            place = self.rng.choice((0, 1, 2, 2))
            last[place] = self.rng.randrange(len(parts[place]))
            self.choices.append((last[0], last[1], last[2]))
        else:
            self.choices.append((0, 0, 0))
        return f"edited: {self.text()}"

    def text(self) -> str:
        """The query."""
        query, kept, order = self.choices[-1]
        return f"{QUERIES[query](FILTERS[kept])} {ORDERS[order]}".strip()

    def ordered(self) -> bool:
        """Whether the query has an ORDER BY."""
        return bool(ORDERS[self.choices[-1][2]])

    def run(self) -> Outcome:
        """`veer run` of the file, its result exported and read again."""
        from veer.execution.session import Session
        from veer.execution.start import RunOptions, export, start

        path, out = self.folder / "query.sql", self.folder / "out"
        path.write_text(self.text(), encoding="utf-8")
        tables = ";\n".join(f"CREATE TABLE {name} ({DDL})" for name in ("t0", "t1"))
        schema = self.folder / "tables.sql"
        schema.write_text(tables, encoding="utf-8")
        options = RunOptions(
            store=str(self.folder / "store"), schema=str(schema), data=str(self.folder / "data")
        )
        begun = start(str(path), options, Session(given=self.spark))
        try:
            outcome = begun.running.run()
            (place,) = export(outcome, begun, str(out))
        finally:
            begun.store.close()
        return outcome_of(self.spark.read.parquet(str(place)))

    def plain(self) -> Outcome:
        """The query run by Spark alone."""
        for name in ("t0", "t1"):
            frame = self.spark.read.schema(DDL).parquet(str(self.place(name)))
            frame.select(*COLUMNS).createOrReplaceTempView(name)
        return self.judge.run([self.text()])[0]
