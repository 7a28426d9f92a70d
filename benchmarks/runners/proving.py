"""How many pairs of a folder each verifier decides, and how long a pair takes.

`python -m benchmarks proving --data DIR [--ev NAME,...] [--attack N]` runs `veer batch` in one
worker on calcite.jsonl and traps.jsonl, by each verifier and by `all` that are asked by default;
`alone` is what the verifier proves as a whole, without the search, and `paper` what the Veer paper
says of it on 232 pairs of Calcite. `equitas` is asked about sets. Verdicts are compared with what
the files expect; with `--attack` every EQUIVALENT is run on N more instances.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.support.alone import EVS, alone, asked_semantics
from veer.batch.pairs import BatchOptions, read_pairs, run_batch
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.prove.verifiers import registry
from veer.read.sql import read_schema, read_sql
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics, Verdict

SETS = ("calcite", "traps")
ALL = "all"
PAPER = {"udp": 39, "equitas": 91, "spes": 120, "wetune": 73}  # of 232 pairs of Calcite
BAG = TableSemantics.BAG


def main(argv: list[str]) -> int:
    """Print a table; 1 if a verdict contradicts what is expected."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks proving", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--ev", default=",".join((*EVS, ALL)), metavar="NAME,...")
    parser.add_argument("--attack", type=int, default=0, metavar="N")
    parser.add_argument("--show", action="store_true", help="list what was not decided")
    asked = parser.parse_args(argv)
    evs = asked.ev.split(",")
    registry.check_names([ev for ev in evs if ev != ALL])
    wrong = 0
    print(
        f"{'set':<9}{'ev':<16}{'pairs':>6}{'equiv':>7}{'inequ':>7}{'unkn':>6}{'wrong':>7}", end=""
    )
    print(f"{'median':>10}{'p99':>9}{'most':>9}{'alone':>7}{'paper':>7}")
    for name in SETS:
        source = asked.data / f"{name}.jsonl"
        pairs = {pair["id"]: pair for pair in read_pairs(source)}
        for ev in evs:
            semantics = BAG if ev == ALL else asked_semantics(ev, BAG)
            lines = run(source, () if ev == ALL else (ev,), semantics)
            bad = [i for i, line in lines.items() if contradicts(pairs[i], line, semantics)]
            if asked.attack:
                for i, line in lines.items():
                    if objected(pairs[i], line, asked.attack, semantics):
                        bad.append(i)
            wrong += len(bad)
            by_itself = "" if ev == ALL else sum(proven_alone(ev, p) for p in pairs.values())
            show(name, ev, lines, bad, by_itself)
            if asked.show and ev == ALL:
                for i, line in sorted(lines.items()):
                    if line["verdict"] in ("unknown", "error"):
                        print(f"    {i}: {line['reason'][-100:]}")
            for i in bad:
                print(f"    WRONG {i}: {lines[i]['verdict']}, expected {pairs[i].get('expect')}")
    return int(wrong > 0)


def run(source: Path, evs: tuple[str, ...], semantics: TableSemantics) -> dict[str, dict[str, Any]]:
    """The result lines of a file by id, from one worker."""
    target = io.StringIO()
    options = BatchOptions()
    comparison = replace(options.comparison, evs=evs, semantics=semantics)
    run_batch(source, target, set(), replace(options, comparison=comparison))
    return {line["id"]: line for line in map(json.loads, target.getvalue().splitlines())}


def sides(pair: dict[str, Any]) -> tuple[Dataflow, Dataflow]:
    """Both queries of a pair."""
    catalog = read_schema(pair["schema"])
    return read_sql(pair["p"], catalog), read_sql(pair["q"], catalog)


def proven_alone(ev: str, pair: dict[str, Any]) -> bool:
    """Whether a verifier proves a pair as a whole."""
    try:
        return alone(ev, *sides(pair)) is Verdict.EQUIVALENT
    except VeerError:
        return False


def contradicts(pair: dict[str, Any], line: dict[str, Any], semantics: TableSemantics) -> bool:
    """Whether a verdict is the opposite of what is expected; other types are another matter.

    What is expected is about bags: different bags may be equal sets.
    """
    opposite = {"equivalent": "inequivalent"}
    if semantics is BAG:
        opposite["inequivalent"] = "equivalent"
    by_schema = (line["witness"] or {}).get("kind") == "schema"
    return opposite.get(pair.get("expect", "")) == line["verdict"] and not by_schema


def objected(
    pair: dict[str, Any], line: dict[str, Any], instances: int, semantics: TableSemantics
) -> bool:
    """Whether some instance objects to an EQUIVALENT."""
    if line["verdict"] != "equivalent":
        return False
    p, q = sides(pair)
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    refutation = Refutation.of(p, q, p.sinks[0], q.sinks[0], columns, semantics)
    return first_difference(refutation, instances, seed=5) is not None


def show(
    name: str, ev: str, lines: dict[str, dict[str, Any]], bad: list[str], by_itself: int | str
) -> None:
    """One row of the table."""
    counted = Counter(line["verdict"] for line in lines.values())
    times = sorted(line["seconds"] for line in lines.values())
    paper = PAPER.get(ev, "") if name == "calcite" else ""
    print(
        f"{name:<9}{ev:<16}{len(lines):>6}{counted['equivalent']:>7}{counted['inequivalent']:>7}"
        f"{counted['unknown'] + counted['error']:>6}{len(bad):>7}"
        f"{statistics.median(times) * 1000:>7.0f} ms"
        f"{times[int(len(times) * 0.99) - 1]:>7.2f} s{times[-1]:>7.2f} s{by_itself:>7}{paper:>7}",
        flush=True,
    )
