"""The pairs of queries that there are: those of `tests/cases`, and files of pairs of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from benchmarks.fuzz.sql_mode import block_of
from benchmarks.support.job_folders import expected, folders
from tests.evs import test_cases, test_pairs, test_without_ansi, test_wrong_once
from tests.rewrite import test_placing
from tests.search import test_normalized
from tests.support import CASES, Case, load_cases
from tests.verification import test_verify
from veer.api import load_pair
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.options import ColumnMatching, JvmUse
from veer.read.sql import read_sql
from veer.settings import SessionSettings, under
from veer.verdict import TableSemantics

SAME = ("equivalent", "same")  # of what is expected; everything else is a near miss, or unsure
NEAR = ("inequivalent", "unproven", "unknown", "different")
DATA = ("calcite.jsonl", "traps.jsonl")
WITHOUT_ANSI = SessionSettings(ansi=False)


@dataclass(frozen=True)
class Pair:
    """Two queries over a schema, what is said of them, and the session they are read in."""

    name: str
    schema: str
    p: str
    q: str
    expect: str = ""
    semantics: TableSemantics = TableSemantics.BAG
    settings: SessionSettings = field(default_factory=SessionSettings)
    columns: ColumnMatching = ColumnMatching.POSITION

    @property
    def is_near_miss(self) -> bool:
        """Whether the two are not to be proven equal."""
        return self.expect in NEAR

    def read(self) -> list[Dataflow]:
        """Both queries, as far as they can be read."""
        found = []
        with under(self.settings):
            for text in (self.p, self.q):
                try:
                    found.append(read_sql(text, self.schema))
                except VeerError:
                    continue
        return found


def own_pairs() -> Iterator[Pair]:
    """The pairs of `tests/cases`."""
    for name, case in test_cases.ALL:
        yield _pair(f"algebra/{name}", case, test_cases.SCHEMA)
    for name, case in test_pairs.ALL:
        yield _pair(f"pairs/{name}", case, test_pairs.SCHEMA)
    for file, schema, expect in (
        ("normalize", test_normalized.SCHEMA, ""),
        ("placing", test_placing.SCHEMA, ""),
        ("wrong_once", test_wrong_once.SCHEMA, "unproven"),
    ):
        for case in load_cases(f"{file}.cases"):
            yield _pair(file, case, schema, expect)
    for case in load_cases("congruence.cases"):
        pair = _pair("congruence", case, test_verify.SCHEMA)
        yield replace(pair, columns=ColumnMatching.NAME)
    for case in test_without_ansi.CASES:
        yield _pair(
            "without_ansi", case, test_without_ansi.SCHEMA, "unproven", settings=WITHOUT_ANSI
        )


def _pair(
    file: str, case: Case, schema: str, expect: str = "", settings: SessionSettings | None = None
) -> Pair:
    p, q = case.texts
    asked = case.options.get("expect", expect)
    semantics = TableSemantics(case.options.get("semantics", "bag"))
    return Pair(
        f"{file}: {case.title}", schema, p, q, asked, semantics, settings or SessionSettings()
    )


def pairs_of(folder: Path) -> Iterator[Pair]:
    """The pairs of the files of a folder, as `veer batch` reads them."""
    for name in DATA:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            expect = read.get("expect", "equivalent")
            yield Pair(
                f"{name}: {read['id']}", read.get("schema", ""), read["p"], read["q"], expect
            )


def random_pairs(seed: str) -> Iterator[Pair]:
    """Pairs of the fuzzer, without end."""
    rng = Random(f"pairs {seed}")
    while True:
        block = rng.randrange(10**9)
        schema, pairs = block_of(rng.randrange(10**6), block)
        for pair in pairs:
            yield Pair(pair.id, schema.ddl(), pair.p, pair.q)


@dataclass(frozen=True)
class Jobs(Pair):
    """Two PySpark jobs of a folder, `p` and `q` being their names."""

    def read(self) -> list[Dataflow]:
        """What both jobs compute, as far as they can be read without a JVM."""
        try:
            p, q = load_pair(self.p, self.q, schema=self.schema, jvm=JvmUse.NEVER)
        except VeerError:
            return []
        return [p.dataflow, q.dataflow]


def job_pairs() -> Iterator[Jobs]:
    """The pairs of jobs of `tests/cases`."""
    for kind in ("refactorings", "jobs", "string_jobs"):
        for folder in folders(CASES / kind):
            name, wanted = f"{kind}: {folder.name}", expected(folder)
            old, new = (f"{folder}/{side}.py:build" for side in ("old", "new"))
            schema = str(folder / "schema.sql")
            yield Jobs(name, schema, old, new, wanted, columns=ColumnMatching.NAME)
