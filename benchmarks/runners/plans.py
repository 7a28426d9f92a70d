"""TPC-DS read two ways: from Spark's plans, and by sqlglot; Veer itself must find them equivalent.

python -m benchmarks plans [--seconds S] [NUMBER ...]
"""

from __future__ import annotations

import argparse
import signal
import time
from collections import Counter
from dataclasses import replace
from typing import NoReturn

from benchmarks.support import tpcds
from tests.spark.session import spark_session
from veer.api import Comparison, verify
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.ir.expr import Exists, Expr, InQuery, ScalarQuery
from veer.ir.ops import AnyOperator, Source
from veer.ir.walk import map_exprs, transform
from veer.options import ColumnMatching
from veer.read.pyspark.frames import read_dataframe
from veer.read.sql import read_sql
from veer.show.wording import reason_text
from veer.verification.versions.version import Version


class _TooLongError(VeerError):
    """The time for one query is over."""


def main(argv: list[str]) -> int:
    """Print a line per query that is not proven, and the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks plans")
    parser.add_argument("numbers", nargs="*", type=int, help="queries; all by default")
    parser.add_argument("--seconds", type=int, default=20, help="for one query")
    asked = parser.parse_args(argv)
    spark = spark_session()
    spark.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    for name, source in tpcds.catalog().items():
        columns = ", ".join(
            f"`{f.name}` {f.type}{'' if f.nullable else ' NOT NULL'}" for f in source.fields
        )
        spark.sql(f"DROP TABLE IF EXISTS {name}")
        spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
    signal.signal(signal.SIGALRM, _stop)
    counts: Counter[str] = Counter()
    for number in asked.numbers or tpcds.queries():
        text = tpcds.queries()[number]
        start = time.perf_counter()
        try:
            read = with_declared_tables(read_dataframe(spark.sql(text)))
            other = read_sql(text, tpcds.catalog())
            signal.alarm(asked.seconds)
            sides = Version("Spark", read, False), Version("sqlglot", other, False)
            report = verify(*sides, Comparison(columns=ColumnMatching.POSITION))
            answer, why = report.verdict.value, reason_text(report.sinks[0].reason)
        except VeerError as error:
            answer, why = "error", str(error) or "took too long"
        finally:
            signal.alarm(0)
        counts[answer] += 1
        if answer != "equivalent":
            print(f"q{number:<4}{answer:<13}{time.perf_counter() - start:6.1f} s  {why[:120]}")
    print(", ".join(f"{n} {answer}" for answer, n in counts.most_common()))
    return int(counts["inequivalent"] > 0)


def with_declared_tables(dataflow: Dataflow) -> Dataflow:
    """The dataflow over the tables as declared, keys included, instead of the catalog's files."""

    def changed(expr: Expr) -> Expr:
        if isinstance(expr, Exists | InQuery | ScalarQuery):
            return replace(expr, query=with_declared_tables(expr.query))
        return expr

    def operator(given: AnyOperator) -> AnyOperator:
        if isinstance(given, Source):
            return tpcds.catalog()[given.table.rpartition(".")[2]]
        return map_exprs(given, lambda e: transform(e, changed))

    return Dataflow({i: operator(o) for i, o in dataflow.operators.items()}, dataflow.links)


def _stop(*_: object) -> NoReturn:
    raise _TooLongError
