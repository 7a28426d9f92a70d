"""Spark's own SQL tests: what of them is read, and whether it means what Spark answered.

python -m benchmarks golden DIR [--files TEXT] [--out FILE]

DIR is a checkout of apache/spark of the branch that Veer models. Each query of
`sql/core/src/test/resources/sql-tests` is read, normalized and run by the interpreter on the tables
that the file made; rows, order and types are compared with what Spark answered. The status is 1 if
anything crashed, or gives other rows or types.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.support.golden_files import golden_files, known_tables
from benchmarks.support.golden_session import GoldenSession

WRONG = ("crashed", "other rows", "other types")
TOLD = {
    "equal": "the same rows, types and names",
    "equal but for names": "the same rows and types, other names",
    "equal but for digits": "the same, floating point sums to eleven digits",
    "types alone": "the same types; rows not known or not run",
    "fails in both": "read, fails in both",
    "other rows": "OTHER ROWS",
    "other types": "OTHER TYPES",
    "crashed": "CRASHED",
    "Spark refuses": "read, though Spark refuses it",
    "refused": "refused by Veer",
    "refused, fails in Spark": "refused by Veer, fails in Spark",
    "refused by both": "refused by both",
    "skipped": "over a table that Veer cannot hold",
    "too slow": "not finished in time",
}


def main(argv: list[str]) -> int:
    """Print the counts, and write what is behind them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks golden",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkout", type=Path, metavar="DIR", help="a checkout of apache/spark")
    parser.add_argument("--files", default="", metavar="TEXT", help="files whose name has this")
    parser.add_argument("--out", type=Path, metavar="FILE", help="every query, as JSON")
    parser.add_argument("--seconds", type=float, default=10, help="most for one query")
    parser.add_argument("--reasons", type=int, default=20, help="how many reasons to show")
    options = parser.parse_args(argv)
    found = judged(options.checkout, options.files, options.seconds)
    if options.out is not None:
        options.out.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    show(found, options.reasons)
    return int(any(query["kind"] in WRONG for query in found))


def judged(checkout: Path, wanted: str, seconds: float) -> list[dict[str, Any]]:
    """What became of each query."""
    catalog, rows = known_tables(checkout)
    found = []
    started, is_shown = time.monotonic(), sys.stderr.isatty()
    for file in golden_files(checkout, wanted):
        if is_shown:
            print(f"\r{time.monotonic() - started:4.0f} s {file.name:60}", end="", file=sys.stderr)
        session = GoldenSession(file, dict(catalog), dict(rows), seconds)
        for statement, outcome in session.outcomes():
            query = {"file": file.name, "kind": outcome.kind, "detail": outcome.detail}
            found.append(query | {"query": statement.text, "answered": not statement.error})
            found[-1] |= {"schema": statement.schema, "output": statement.output[:2000]}
    if is_shown:
        print(file=sys.stderr)
    return found


def show(found: list[dict[str, Any]], most: int) -> None:
    """The counts, and why queries are refused."""
    answered = sum(query["answered"] for query in found)
    print(f"{len(found):6,} queries, {answered:,} answered by Spark")
    counts = Counter(query["kind"] for query in found)
    for kind, told in TOLD.items():
        if counts[kind]:
            print(f"{counts[kind]:6,} {told}")
    for query in found:
        if query["kind"] in WRONG:
            print(f"{query['kind']}: {query['file']}: {' '.join(query['query'].split())}"[:80])
    reasons = Counter(query["detail"] for query in found if query["kind"] == "refused")
    if reasons:
        print("refused, by reason")
    for reason, count in reasons.most_common(most):
        print(f"{count:6,} {reason}"[:80])
