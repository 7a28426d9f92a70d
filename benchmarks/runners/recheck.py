"""Whether a second solver agrees with every answer behind the proofs of the pairs of a folder.

`python -m benchmarks recheck --data DIR` verifies the pairs of calcite.jsonl and traps.jsonl, and asks
cvc5 every question behind an EQUIVALENT again. Questions it contradicts are written to the folder
given by `--keep`.

With `--on-spark` every INEQUIVALENT is asked again instead, of the pairs of tests/cases too: Spark runs
both queries on the witness, where neither may fail and the rows must differ.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from veer.api import Version, verify
from veer.batch.pairs import BatchOptions, read_pairs
from veer.errors import VeerError
from veer.options import SecondSolver
from veer.read.sql import read_schema, read_sql
from veer.verdict import Report, SecondAnswer, Verdict

SETS = ("calcite", "traps")


def main(argv: list[str]) -> int:
    """Print a table; 1 if the solvers contradict each other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks recheck")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="where questions go that are contradicted")
    parser.add_argument("--on-spark", action="store_true", help="run witnesses on Spark instead")
    asked = parser.parse_args(argv)
    if asked.on_spark:
        return on_spark(asked.data)
    print(f"{'set':<9}{'pairs':>6}{'equiv':>7}{'asking':>8}{'questions':>11}", end="")
    print(f"{'agreed':>8}{'not re-checked':>16}{'disagreed':>11}{'seconds':>9}")
    wrong = 0
    for name in SETS:
        start, counted = time.perf_counter(), Counter[Any]()
        for pair in read_pairs(asked.data / f"{name}.jsonl"):
            counted["pairs"] += 1
            report = run(pair)
            if report is not None:
                counted.update(counts(report))
                wrong += len(report.disagreements)
                tell(pair["id"], report, asked.keep)
        show(name, counted, time.perf_counter() - start)
    return int(wrong > 0)


def on_spark(data: Path) -> int:
    """Show Spark each witness; 1 if it objects to any."""
    from benchmarks.nets.corpora import own_pairs, pairs_of
    from benchmarks.nets.witnesses import objection, witness_of

    counted, start = Counter[str](), time.perf_counter()
    for pair in (*pairs_of(data), *own_pairs()):
        counted["pairs"] += 1
        witness = witness_of(pair)
        if witness is not None:
            counted["witnesses"] += 1
            objected = objection(pair, witness)
            counted["wrong"] += bool(objected)
            if objected:
                print(f"WRONG {pair.name}: {objected}\n{pair.p}\n{pair.q}\n", flush=True)
    pairs, witnesses, wrong = (counted[n] for n in ("pairs", "witnesses", "wrong"))
    print(f"{witnesses} witnesses of {pairs} pairs run on Spark, {wrong} wrong", end="")
    print(f", {time.perf_counter() - start:.0f} s")
    return int(wrong > 0)


def run(pair: dict[str, Any]) -> Report | None:
    """The report on a pair, every question re-checked; None where it cannot be read."""
    comparison = replace(BatchOptions().comparison, recheck=SecondSolver.CVC5)
    try:
        catalog = read_schema(pair.get("schema", ""))
        p, q = (Version(side, read_sql(pair[side], catalog), False) for side in ("p", "q"))
        return verify(p, q, comparison)
    except VeerError as error:
        print(f"    {pair['id']}: {error}")
        return None


def counts(report: Report) -> Counter[Any]:
    """Proofs, those that asked something, and the second answers."""
    counted: Counter[Any] = Counter()
    counted["proofs"] = sum(s.verdict is Verdict.EQUIVALENT for s in report.sinks)
    for sink in report.sinks:
        if sink.recheck is not None:
            counted["asking"] += bool(sink.recheck.answers)
            for answer, _ in sink.recheck.answers.values():
                counted[answer] += 1
    return counted


def tell(id_: str, report: Report, keep: Path | None) -> None:
    """Name what was contradicted or not re-checked, and keep the former."""
    for sink in report.sinks:
        for answer, words in sink.recheck.answers.values() if sink.recheck else ():
            if answer is not SecondAnswer.AGREED:
                print(f"    {answer.value.upper()} {id_}: {words}")
    for number, question in enumerate(report.disagreements, 1):
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{id_.replace('/', '_')}-{number}.smt2").write_text(question)


def show(name: str, counted: Counter[Any], seconds: float) -> None:
    """One row of the table."""
    agreed, unknown, wrong = (counted[answer] for answer in SecondAnswer)
    print(
        f"{name:<9}{counted['pairs']:>6}{counted['proofs']:>7}{counted['asking']:>8}"
        f"{agreed + unknown + wrong:>11}{agreed:>8}{unknown:>16}{wrong:>11}{seconds:>9.1f}",
        flush=True,
    )
