"""What Veer decides, feature by feature and verifier by verifier; and what it does not, and why.

`python -m benchmarks coverage [--data DIR] [--only SET,...] [--write | --check]` prints the page
`docs/coverage.md`, or writes it. DIR holds calcite.jsonl and traps.jsonl; Veer's own cases and
workloads need none. `--check` compares what is undecided with the page. Either way it fails if an
undecided pair has no word on what it would need (`needs.py`), or a decided one still has.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.support.alone import EVS, everyone
from benchmarks.support.features import FEATURES, features
from benchmarks.support.needs import NAMED, needed
from benchmarks.workloads import WORKLOADS
from veer.api import Comparison, verify
from veer.batch.pairs import decide, read_pairs
from veer.ir.dag import Dataflow
from veer.options import ColumnMatching, TypeMatching
from veer.read.sql import read_schema, read_sql
from veer.show.wording import reason_text
from veer.verdict import TableSemantics, Verdict

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
COMMAND = "python -m benchmarks coverage --data DIR --write"
INTRODUCTION = f"""Made by `{COMMAND}`; not to be edited. What a pair has in it is
read from its dataflows, so a pair counts for each of its features. *Proven* and *refuted* are Veer's
verdicts with the verifiers it asks by default. The columns named after verifiers say how many pairs
each proves *alone*, as a whole, without the search; pairs that are refuted are not asked. `equitas`
proves sets and is asked about sets, the others about what the pair asks for, bags mostly.
[adding-an-ev.md](adding-an-ev.md) says what each attempts."""
BY_POSITION = Comparison(columns=ColumnMatching.POSITION, types=TypeMatching.VALUE)
BY_NAME = Comparison()
DECIDED = ("equivalent", "inequivalent")


@dataclass(frozen=True)
class Result:
    """What became of a pair."""

    id: str
    verdict: str
    reason: str
    seconds: float
    features: frozenset[str] = frozenset()
    alone: dict[str, Verdict | None] = field(default_factory=dict)

    def proven_by(self, ev: str) -> bool:
        """Whether a verifier proves the pair alone."""
        return self.alone.get(ev) is Verdict.EQUIVALENT


# -- the sets --------------------------------------------------------------------------------------


def of_file(path: Path) -> Iterator[Result]:
    """The pairs of a file, as `veer batch` compares them."""
    for pair in read_pairs(path):
        yield _sql_result(pair, BY_POSITION)


def own_cases(
    expected: Sequence[str] = ("equivalent", "inequivalent", "unproven"),
) -> Iterator[Result]:
    """The pairs of Veer's tests of the prover: every second or third is a near miss."""
    from tests.evs.test_cases import ALL, SCHEMA

    for file, case in ALL:
        if case.options["expect"] not in expected:
            continue
        yield _sql_result(
            {
                "id": f"{file}: {case.title}",
                "schema": SCHEMA,
                "p": case.texts[0],
                "q": case.texts[1],
                "semantics": case.options.get("semantics", "bag"),
            },
            BY_NAME,
        )


def _sql_result(pair: dict[str, Any], comparison: Comparison) -> Result:
    if "error" in pair:
        return Result(pair["id"], "error", pair["error"], 0.0)
    line = decide(pair, comparison)
    result = Result(pair["id"], line["verdict"], line["reason"], line["seconds"])
    if line["verdict"] == "error":
        return result
    catalog = read_schema(str(pair.get("schema", "")))
    p, q = (read_sql(pair[side], catalog) for side in ("p", "q"))
    semantics = TableSemantics(pair.get("semantics", "bag"))
    return _asked(result, p, q, semantics, by_name=comparison is BY_NAME)


def workloads() -> Iterator[Result]:
    """The paper's workloads: versions of eight dataflows with opaque operators."""
    for workload in WORKLOADS:
        for pair in (*workload.equivalent, *workload.inequivalent):
            p, q = pair.load()
            start = time.perf_counter()
            report = verify(p, q, BY_NAME)
            taken = time.perf_counter() - start
            sinks = [s for s in report.sinks if not pair.sinks or s.p in pair.sinks]
            verdicts = {s.verdict.value: reason_text(s.reason) for s in sinks}
            worst = next(v for v in ("inequivalent", "unknown", "equivalent") if v in verdicts)
            name = f"{pair.base} ~ {pair.version}".replace(".yaml", "")
            result = Result(name, worst, verdicts[worst], taken)
            yield _asked(result, p.dataflow, q.dataflow, TableSemantics.BAG, by_name=True)


def _asked(
    result: Result, p: Dataflow, q: Dataflow, semantics: TableSemantics, *, by_name: bool
) -> Result:
    """With its features, and what each verifier says of it alone; what differs nobody is asked."""
    answers: dict[str, Verdict | None] = {}
    if result.verdict != "inequivalent":
        answers = everyone(p, q, semantics, by_name=by_name)
    return Result(result.id, result.verdict, result.reason, result.seconds, features(p, q), answers)


SETS: dict[str, tuple[str, Callable[[Path | None], Iterator[Result]] | None]] = {
    "calcite": ("pairs before and after a planner rule of Calcite", None),
    "traps": ("pairs written to catch unsound verifiers", None),
    "cases": ("Veer's own cases, near misses among them", lambda _: own_cases()),
    "workloads": ("versions of the paper's eight workloads", lambda _: workloads()),
}


def results(name: str, data: Path | None) -> list[Result]:
    """Everything about a set; nothing if its file is not there."""
    make = SETS[name][1]
    if make is not None:
        return list(make(data))
    path = data / f"{name}.jsonl" if data is not None else None
    return list(of_file(path)) if path is not None and path.exists() else []


# -- the page --------------------------------------------------------------------------------------


def page(by_set: dict[str, list[Result]]) -> str:
    """The page, in Markdown."""
    lines = [
        "# Coverage",
        "",
        *textwrap.wrap(INTRODUCTION, 120),
        "",
        "## Sets",
        "",
        *table(
            ("set", "what", "pairs", "proven", "refuted", "unknown", "median", "p99", "most"),
            [(name, SETS[name][0], *_counts(rs), *_times(rs)) for name, rs in by_set.items()],
        ),
        "",
        "## Verifiers alone",
        "",
        "Proven, of those attempted, of those not refuted.",
        "",
        *table(
            ("set", "asked", *EVS, "Veer"),
            [(name, *_by_verifier(rs)) for name, rs in by_set.items()],
        ),
    ]
    for name, rs in by_set.items():
        lines += ["", f"## Features: {name}", ""]
        lines += table(
            ("feature", "pairs", "proven", "refuted", "unknown", *EVS),
            [
                (feature, *_counts(some), *(sum(r.proven_by(e) for r in some) for e in EVS))
                for feature in FEATURES
                if (some := [r for r in rs if feature in r.features])
            ],
        )
    for name, rs in by_set.items():
        lines += ["", f"## Not decided: {name}", "", *_undecided(name, rs)]
    return "\n".join(lines) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table in Markdown; numbers to the right."""
    cells = [[str(c).replace("|", "\\|") for c in row] for row in rows]
    first = cells[0] if cells else [""] * len(heads)
    rule = ["---:" if c[:1].isdigit() else "---" for c in first]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *cells)]


def _counts(rs: Sequence[Result]) -> tuple[int, int, int, int]:
    counted = Counter(r.verdict for r in rs)
    proven, refuted = (counted[v] for v in DECIDED)
    return len(rs), proven, refuted, len(rs) - proven - refuted


def _times(rs: Sequence[Result]) -> tuple[str, str, str]:
    times = sorted(r.seconds for r in rs)
    median, p99 = statistics.median(times), times[max(0, int(len(times) * 0.99) - 1)]
    return f"{median * 1000:.0f} ms", f"{p99:.2f} s", f"{times[-1]:.2f} s"


def _by_verifier(rs: Sequence[Result]) -> list[Any]:
    asked = [r for r in rs if r.verdict != "inequivalent"]
    cells: list[Any] = [len(asked)]
    for ev in EVS:
        attempted = sum(r.alone.get(ev) is not None for r in asked)
        cells.append(f"{sum(r.proven_by(ev) for r in asked)} of {attempted}")
    return [*cells, sum(r.verdict == "equivalent" for r in asked)]


def _undecided(name: str, rs: Sequence[Result]) -> list[str]:
    rows = [
        (f"`{r.id}`", shortened(r.reason), needed(name, r.id, r.reason, r.features) or "?")
        for r in undecided(rs)
    ]
    return table(("pair", "reason", "what it would need"), rows) if rows else ["Every pair is."]


def undecided(rs: Sequence[Result]) -> list[Result]:
    """The pairs without a verdict, in the order of their ids."""
    return sorted((r for r in rs if r.verdict not in DECIDED), key=lambda r: r.id)


def shortened(reason: str) -> str:
    """What stopped it, without what the operators look like."""
    text = re.sub(r"^not proven equal: .*?\] after; ", "", reason)
    text = re.sub(r"'[^']*' before and ('[^']*' )?after: ", "", text)
    text = re.sub(r"refused by ([\w, ]+): ", r"\1: ", text)
    choice = r"operator '[^']*'( \((?:before|after)\))? \[(\w+).*?\] (can give different results)"
    text = re.sub(choice, r"\2 \3", text)
    text = re.sub(r"operator '[^']*'", "an operator", text)
    return re.sub(r"; \d+ small instances show no difference$", "", text)


# -- what must not rot -----------------------------------------------------------------------------


def complaints(by_set: dict[str, list[Result]], text: str | None = None) -> list[str]:
    """Pairs without a word, words without a pair, and what a page says otherwise."""
    lines = []
    for name, rs in by_set.items():
        open_ = {r.id: r for r in undecided(rs)}
        for r in open_.values():
            if needed(name, r.id, r.reason, r.features) is None:
                lines.append(
                    f"{name}: there is no word on what {r.id} would need: {shortened(r.reason)}"
                )
        lines += [f"{name}: {i} is decided, or gone" for i in NAMED.get(name, {}) if i not in open_]
        if text is not None:
            listed = set(re.findall(r"^\| `(.*?)` \|", _section(text, name), re.MULTILINE))
            lines += [f"{name}: the page lacks {i}" for i in sorted(open_.keys() - listed)]
            lines += [f"{name}: the page still lists {i}" for i in sorted(listed - open_.keys())]
    return lines


def _section(text: str, name: str) -> str:
    section = re.search(
        rf"^## Not decided: {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return section[1] if section else ""


def main(argv: list[str]) -> int:
    """Print, write or check the page; 1 if something is stale or missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks coverage", description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--only", default=",".join(SETS), metavar="SET,...")
    does = parser.add_mutually_exclusive_group()
    does.add_argument("--write", action="store_true", help="write docs/coverage.md")
    does.add_argument("--check", action="store_true", help="compare with docs/coverage.md")
    asked = parser.parse_args(argv)
    names = [name for name in SETS if name in asked.only.split(",")]
    by_set = {name: rs for name in names if (rs := results(name, asked.data))}
    if asked.write and list(by_set) != list(SETS):
        parser.error("the page has all sets: give --data, and leave --only")
    if asked.write:
        PAGE.write_text(page(by_set), encoding="utf-8")
    elif not asked.check:
        print(page(by_set), end="")
    text = PAGE.read_text(encoding="utf-8") if asked.check else None
    lines = complaints(by_set, text)
    for line in lines:
        print(line, file=sys.stderr)
    return int(bool(lines))
