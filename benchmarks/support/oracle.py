"""The oracle of a change that must alter nothing: what two trees say of every pair there is.

The corpora are the `.cases` files, the pairs of jobs, TPC-DS, the examples of importers, and files
of pairs. A changed verdict, verifier, assumption or caveat is a difference; a changed normal form
is listed to be looked at.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

OBSERVER = Path(__file__).with_name("observer.py")
EXAMPLES = Path(__file__).parents[2] / "examples"
WORKFLOWS = ("alteryx/orders.yxmd", "knime/orders", "orange/orders.ows", "texera/orders.json")
NORMAL_FORMS = "normal forms"
AT_ONCE = 20  # pairs in one process
LONGEST = 1200.0  # seconds of one process
Observed = dict[str, Any]


def pairs(data: Path | None) -> Iterator[dict[str, Any]]:
    """Everything that is asked."""
    from benchmarks.nets import corpora
    from benchmarks.support import tpcds

    listed = [*corpora.own_pairs(), *(corpora.pairs_of(data) if data else ())]
    for pair in listed:
        compared = {"semantics": pair.semantics.value, "columns": pair.columns.value}
        by_value = {**compared, "types": "value"}
        yield _asked(pair.name, pair.p, pair.q, pair.schema, by_value, pair.settings.conf())
    for job in corpora.job_pairs():
        yield _asked(job.name, f"file:{job.p}", f"file:{job.q}", job.schema)
    schema = tpcds.schema()
    for number, text in tpcds.queries().items():
        yield _asked(f"tpc-ds {number}", text, text, schema)
    for place in WORKFLOWS:
        file = EXAMPLES / place
        ddl = str(file.parent / "tables.ddl")
        yield _asked(f"examples/{place}", f"file:{file}", f"file:{file.parent}/job.py:build", ddl)


def _asked(
    name: str,
    p: str,
    q: str,
    schema: str,
    comparison: dict[str, str] | None = None,
    conf: Any = None,
) -> dict[str, Any]:
    asked = {"id": name, "p": p, "q": q, "schema": schema}
    return {**asked, "comparison": comparison or {}, "conf": dict(conf or {})}


@dataclass
class Difference:
    """What two trees say of the same pairs."""

    pairs: int = 0
    said: list[tuple[str, Observed, Observed]] = field(default_factory=list)
    normal_forms: list[str] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)

    def add(self, p: Observed, q: Observed) -> None:
        """Take in what both trees say of a pair."""
        self.pairs += 1
        self.verdicts[q["verdict"]] += 1
        shown = [said.pop(NORMAL_FORMS, None) for said in (p, q)]
        if p != q:
            self.said.append((p["id"], p, q))
        elif shown[0] != shown[1]:
            self.normal_forms.append(p["id"])


def compared(
    sources: tuple[Path, Path], asked: Sequence[dict[str, Any]], progress: Callable[[str], None]
) -> Difference:
    """Ask both trees everything, side by side."""
    difference = Difference()
    with ThreadPoolExecutor(len(sources)) as pool:
        for start in range(0, len(asked), AT_ONCE):
            part = asked[start : start + AT_ONCE]
            for p, q in zip(*pool.map(partial(_observe, part=part), sources), strict=True):
                difference.add(p, q)
            progress(f"{difference.pairs} of {len(asked)} pairs, {len(difference.said)} differ")
    return difference


def _observe(source: Path, part: Sequence[dict[str, Any]]) -> list[Observed]:
    """What the tree whose packages are in `source` says."""
    lines = "".join(json.dumps(pair) + "\n" for pair in part)
    done = subprocess.run(
        [sys.executable, str(OBSERVER)],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": "0"},
    )
    if done.returncode:
        raise SystemExit(f"the observer failed in {source}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def show(difference: Difference) -> int:
    """Print what differs; how many pairs of which something other than the normal form does."""
    for name, p, q in difference.said:
        print(f"DIFFERS {name}\n    before: {_short(p)}\n    now:    {_short(q)}")
    for name in difference.normal_forms:
        print(f"normal form: {name}")
    counted = ", ".join(f"{n} {verdict}" for verdict, n in sorted(difference.verdicts.items()))
    print(
        f"{difference.pairs} pairs: {counted}; {len(difference.said)} differ in verdict, kind of reason, "
        f"verifier, assumption or caveat; {len(difference.normal_forms)} in a normal form alone"
    )
    return len(difference.said)


def _short(said: Observed) -> str:
    sinks = said.get("sinks", [said])
    return "; ".join(json.dumps(sink, ensure_ascii=False)[:300] for sink in sinks)
