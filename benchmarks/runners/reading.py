"""How many queries are read, and run like Spark.

python -m benchmarks reading                       TPC-DS, read only
python -m benchmarks reading --data FOLDER         the query pairs of a folder too
python -m benchmarks reading --data FOLDER --spark compared with Spark on small tables
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.support import tpcds
from benchmarks.support.beside_spark import Rows, difference, random_tables, register_all, run_here
from veer.errors import VeerError
from veer.ir.ops import Source
from veer.read.sql import read_schema, read_sql


@dataclass
class Tally:
    """What happened to a set of queries."""

    name: str
    queries: int = 0
    read: int = 0
    compared: int = 0
    same: int = 0
    nonempty: int = 0
    failing: int = 0
    problems: list[str] = field(default_factory=list)

    def show(self) -> str:
        """The counts in one line."""
        text = f"{self.name}: {self.read} of {self.queries} read"
        if self.compared:
            text += (
                f"; {self.same} of {self.compared} give Spark's rows, names and types "
                f"({self.nonempty} with rows, {self.failing} fail in both)"
            )
        return text


def main(argv: list[str]) -> int:
    """Count, and print what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reading", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with *.jsonl files of query pairs")
    parser.add_argument("--spark", action="store_true", help="compare results with Spark")
    options = parser.parse_args(argv)
    tallies = [read_tpcds(options.spark)]
    if options.data is not None:
        tallies += [read_pairs(p, options.spark) for p in sorted(options.data.glob("*.jsonl"))]
    for tally in tallies:
        print(tally.show())
        for problem in tally.problems:
            print("  " + problem)
    return int(any(t.read < t.queries or t.same < t.compared for t in tallies))


def read_tpcds(compare: bool) -> Tally:
    """The 99 queries."""
    tally = Tally("TPC-DS")
    catalog = tpcds.catalog()
    rows: Mapping[str, Rows] = tpcds.tables(tpcds.small_database()) if compare else {}
    texts = [(f"query {n}", text) for n, text in tpcds.queries().items()]
    _measure(tally, texts, catalog, rows, compare)
    return tally


def read_pairs(path: Path, compare: bool) -> Tally:
    """The queries of a file of pairs, over random tables that keep the declared constraints."""
    tally = Tally(path.name)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for schema in dict.fromkeys(line["schema"] for line in lines):
        catalog = read_schema(schema)
        texts = [
            (f"{line['id']} {side}", line[side])
            for line in lines
            if line["schema"] == schema
            for side in ("p", "q")
        ]
        _measure(tally, texts, catalog, random_tables(catalog), compare)
    return tally


def _measure(
    tally: Tally,
    texts: Sequence[tuple[str, str]],
    catalog: dict[str, Source],
    rows: Mapping[str, Rows],
    compare: bool,
) -> None:
    started, shown = time.monotonic(), sys.stderr.isatty()
    if compare:
        register_all(catalog, rows)
    for number, (name, text) in enumerate(texts, 1):
        if shown:
            print(
                f"\r{tally.name} {number}/{len(texts)} {time.monotonic() - started:.0f} s",
                end="",
                file=sys.stderr,
            )
        tally.queries += 1
        try:
            read_sql(text, catalog)
        except VeerError as error:
            tally.problems.append(f"{name}: {error}")
            continue
        tally.read += 1
        if compare:
            _compare(tally, name, text, catalog, rows)
    if shown:
        print(file=sys.stderr)


def _compare(
    tally: Tally, name: str, text: str, catalog: dict[str, Source], rows: Mapping[str, Rows]
) -> None:
    """Run in both, and note any difference of names, types, rows or failure."""
    from tests.spark.compare import Failed, run_spark
    from tests.spark.session import spark_session

    tally.compared += 1
    theirs = run_spark(spark_session(), text)
    ours = run_here(text, catalog, rows)
    if isinstance(ours, Failed) and isinstance(theirs, Failed):
        tally.failing += 1
        tally.same += 1
        return
    problem = difference(ours, theirs)
    if problem is None:
        tally.same += 1
        tally.nonempty += bool(theirs.rows)  # type: ignore[union-attr]
    else:
        tally.problems.append(f"{name}: {problem}")
