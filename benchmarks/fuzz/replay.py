"""A file of a finding looked at again: what Veer says of it now, and what Spark says."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.verdicts import WRONG, Finding

REPEATED = 4  # times a SQL pair is judged, each time on other databases


def replay(path: Path) -> int:
    """Print what is wrong with a pair that was saved; 1 if anything is."""
    read = json.loads(path.read_text(encoding="utf-8"))
    from tests.spark.session import spark_session

    if "schema" not in read:
        print("frames and runs are made again by their seed: see `id`")
        return 64
    wrong = 0
    for finding in _judged(read, spark_session()):
        print(
            f"{finding.kind}: {finding.why}\n{json.dumps(finding.details, indent=2, default=str)}"
        )
        wrong += finding.kind in WRONG
    return 1 if wrong else 0


def _judged(read: dict[str, Any], session: Any) -> list[Finding]:
    from benchmarks.fuzz.judge import Judge
    from benchmarks.fuzz.schemas import read_tables
    from benchmarks.fuzz.sql_mode import Pair, judged, verified

    schema = read_tables(read["tables declared"])
    names = ("id", "p", "q", "semantics", "columns", "types")
    pair = Pair(schema=schema, **{name: read[name] for name in names})
    answer = verified(pair)
    print(json.dumps(answer.shown(), default=str))
    judge = Judge(session)
    findings = []
    for number in range(REPEATED if answer.verdict == "equivalent" else 1):
        findings += [
            f for _, f in judged(judge, schema, [(pair, answer)], Random(f"replay {number}"))
        ]
    return findings
