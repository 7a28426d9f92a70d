"""A file of a finding looked at again: what Veer says of it now, and what Spark says."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.verdicts import WRONG, Finding

REPEATED = 4  # times a SQL pair is judged, each time on other databases


def replay(path: Path) -> int:
    """Print what is wrong with a pair that was saved; 1 if anything is."""
    read = json.loads(path.read_text(encoding="utf-8"))
    from tests.spark.session import spark_session

    if "schema" not in read and not read["id"].startswith("frames-"):
        print("runs are made again by their seed: see `id`")
        return 64
    judged = _judged if "schema" in read else _judged_frames
    wrong = 0
    for finding in judged(read, spark_session()):
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


def _judged_frames(read: dict[str, Any], session: Any) -> list[Finding]:
    from benchmarks.fuzz.frames import judged_program, made_program
    from benchmarks.fuzz.judge import Judge

    _, seed, block, number = read["id"].split("-")
    fuzzed = made_program(int(seed), int(block), int(number))
    if (fuzzed.p, fuzzed.q) != (read["p"], read["q"]):
        formats = tuple(map(tuple, read.get("formats", fuzzed.formats)))
        fuzzed = replace(fuzzed, p=read["p"], q=read["q"], formats=formats)
        print("the generator makes another program of this seed now; the file's own is judged")
    counted: Counter[str] = Counter()
    found = [f for f, _ in judged_program(Judge(session), fuzzed, counted)]
    print("  ".join(f"{name} {number}" for name, number in sorted(counted.items())))
    return found
