"""Spark's own SQL tests: the files of a checkout, their statements, settings and known tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from veer.functions.casts import cast_function
from veer.ir.ops import Source
from veer.ir.types import STRING, CastMode
from veer.read.sql import read_schema

RESOURCES = Path("sql/core/src/test/resources")
TESTS = RESOURCES / "sql-tests"
ZONE = "America/Los_Angeles"
# Folders of functions that the suite registers, and of scripts of many statements.
LEFT_OUT = ("udf", "udaf", "udtf", "scripting")
ONEK = """(unique1 INT, unique2 INT, two INT, four INT, ten INT, twenty INT, hundred INT,
thousand INT, twothousand INT, fivethous INT, tenthous INT, odd INT, even INT, stringu1 STRING,
stringu2 STRING, string4 STRING)"""
OF_FILES = {
    "aggtest": ("agg.data", "(a INT, b FLOAT)"),
    "onek": ("onek.data", ONEK),
    "tenk1": ("tenk.data", ONEK),
}
MADE = """CREATE TABLE testdata (key INT, value STRING);
CREATE TABLE arraydata (arraycol ARRAY<INT>, nestedarraycol ARRAY<ARRAY<INT>>);
CREATE TABLE mapdata (mapcol MAP<INT, STRING>)"""
Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Statement:
    """A statement of a file, and what Spark made of it."""

    text: str
    schema: str
    output: str

    @property
    def error(self) -> str:
        """The class of Spark's error; empty if it gave an answer."""
        first = self.output.split("\n", 1)[0]
        is_class = re.fullmatch(r"[a-z]\w*(\.\w+)+", first) is not None
        return first if self.schema == "struct<>" and is_class else ""

    @property
    def is_refused(self) -> bool:
        """Whether Spark refused it before anything ran."""
        return self.error.endswith(("ParseException", "AnalysisException"))


@dataclass(frozen=True)
class GoldenFile:
    """A file of tests."""

    name: str
    conf: dict[str, str]
    statements: tuple[Statement, ...]


def golden_files(checkout: Path, wanted: str) -> Iterator[GoldenFile]:
    """The files whose name contains a text, in order of their names."""
    inputs, results = checkout / TESTS / "inputs", checkout / TESTS / "results"
    if not inputs.is_dir():
        raise SystemExit(f"{checkout} is no checkout of apache/spark: no {TESTS}")
    for path in sorted(inputs.rglob("*.sql")):
        name = path.relative_to(inputs).as_posix()
        golden = results / f"{name}.out"
        if wanted in name and name.split("/")[0] not in LEFT_OUT and golden.exists():
            text = golden.read_bytes().decode()
            yield GoldenFile(name, _conf(name, path.read_text(encoding="utf-8")), _statements(text))


def _conf(name: str, text: str) -> dict[str, str]:
    """The settings of a file: those of its folder, and those it names."""
    conf = {"spark.sql.session.timeZone": ZONE}
    if name.startswith("nonansi/"):
        conf["spark.sql.ansi.enabled"] = "false"
    if name.startswith("timestampNTZ/"):
        conf["spark.sql.timestampType"] = "TIMESTAMP_NTZ"
    for line in re.findall(r"^--SET (.*)$", text, re.MULTILINE):
        for key, value in re.findall(r"([^,=\s]+)\s*=\s*([^,]*)", line):
            conf[key] = value.strip()
    return conf


def _statements(text: str) -> tuple[Statement, ...]:
    blocks = re.split(r"^-- !query(?: schema| output)?\n", text, flags=re.MULTILINE)[1:]
    return tuple(
        Statement(query.strip(), schema.strip(), output.strip("\n"))
        for query, schema, output in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True)
    )


def known_tables(checkout: Path) -> tuple[dict[str, Source], dict[str, Rows]]:
    """The tables that the suite makes for all files."""
    catalog, rows = dict(read_schema(MADE)), dict[str, Rows]()
    rows["testdata"] = [(i, str(i)) for i in range(1, 101)]
    rows["arraydata"] = [((1, 2, 3), ((1, 2, 3),)), ((2, 3, 4), ((2, 3, 4),))]
    letters = "abcde"
    rows["mapdata"] = [
        (tuple((i + 1, f"{letters[i]}{n}") for i in range(6 - n)),) for n in range(1, 6)
    ]
    for name, (file, columns) in OF_FILES.items():
        catalog |= read_schema(f"CREATE TABLE {name} {columns}")
        types = [f.type for f in catalog[name].fields]
        text = (checkout / RESOURCES / "test-data/postgresql" / file).read_text(encoding="utf-8")
        reads = [cast_function(STRING, t, CastMode.ANSI) for t in types]
        rows[name] = [
            tuple(read(v) for read, v in zip(reads, line.split("\t"), strict=True))
            for line in text.splitlines()
        ]
    return catalog, rows
