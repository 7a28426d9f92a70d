"""How many pairs of a folder each verifier decides, and how long a pair takes.

`python -m benchmarks proving --data DIR [--attack N]` runs `veer batch` in one worker on
calcite.jsonl and traps.jsonl, by `--ev spes` and by all verifiers. Verdicts are compared with what
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

from veer.batch import BatchOptions, read_pairs, run_batch
from veer.frontends.sql import read_schema, read_sql
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics

SETS = ("calcite", "traps")
EVS: dict[str, tuple[str, ...]] = {"spes": ("spes",), "all": ()}


def main(argv: list[str]) -> int:
    """Print a table; 1 if a verdict contradicts what is expected."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks proving")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--attack", type=int, default=0, metavar="N")
    parser.add_argument("--show", action="store_true", help="list what was not decided")
    asked = parser.parse_args(argv)
    wrong = 0
    print(f"{'set':<9}{'ev':<6}{'pairs':>6}{'equiv':>7}{'inequ':>7}{'unkn':>6}{'wrong':>7}", end="")
    print(f"{'median':>10}{'p99':>9}{'most':>9}")
    for name in SETS:
        source = asked.data / f"{name}.jsonl"
        pairs = {pair["id"]: pair for pair in read_pairs(source)}
        for ev, names in EVS.items():
            lines = run(source, names)
            bad = [i for i, line in lines.items() if contradicts(pairs[i], line)]
            if asked.attack:
                bad += [i for i, line in lines.items() if objected(pairs[i], line, asked.attack)]
            wrong += len(bad)
            show(name, ev, lines, bad)
            if asked.show and ev == "all":
                for i, line in sorted(lines.items()):
                    if line["verdict"] in ("unknown", "error"):
                        print(f"    {i}: {line['reason'][-100:]}")
            for i in bad:
                print(f"    WRONG {i}: {lines[i]['verdict']}, expected {pairs[i].get('expect')}")
    return int(wrong > 0)


def run(source: Path, evs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The result lines of a file by id, from one worker."""
    target = io.StringIO()
    options = BatchOptions()
    options = replace(options, comparison=replace(options.comparison, evs=evs))
    run_batch(source, target, set(), options)
    return {line["id"]: line for line in map(json.loads, target.getvalue().splitlines())}


def contradicts(pair: dict[str, Any], line: dict[str, Any]) -> bool:
    """Whether a verdict is the opposite of what is expected; other types are another matter."""
    opposite = {"equivalent": "inequivalent", "inequivalent": "equivalent"}
    by_schema = (line["witness"] or {}).get("kind") == "schema"
    return opposite.get(pair.get("expect", "")) == line["verdict"] and not by_schema


def objected(pair: dict[str, Any], line: dict[str, Any], instances: int) -> bool:
    """Whether some instance objects to an EQUIVALENT."""
    if line["verdict"] != "equivalent":
        return False
    catalog = read_schema(pair["schema"])
    p, q = read_sql(pair["p"], catalog), read_sql(pair["q"], catalog)
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    refutation = Refutation.of(p, q, p.sinks[0], q.sinks[0], columns, TableSemantics.BAG)
    return first_difference(refutation, instances, seed=5) is not None


def show(name: str, ev: str, lines: dict[str, dict[str, Any]], bad: list[str]) -> None:
    """One row of the table."""
    counted = Counter(line["verdict"] for line in lines.values())
    times = sorted(line["seconds"] for line in lines.values())
    print(
        f"{name:<9}{ev:<6}{len(lines):>6}{counted['equivalent']:>7}{counted['inequivalent']:>7}"
        f"{counted['unknown'] + counted['error']:>6}{len(bad):>7}"
        f"{statistics.median(times) * 1000:>7.0f} ms"
        f"{times[int(len(times) * 0.99) - 1]:>7.2f} s{times[-1]:>7.2f} s",
        flush=True,
    )
