"""Thousands of pairs over processes or a cluster: streamed, resumable, one hostile pair costs one pair.

A line of the input is `{"id", "schema", "p", "q", "semantics"?}` with SQL text; a line of the output
`{"id", "verdict", "reason", "ev", "seconds", "counts", "witness"}`. What cannot be read gets the
verdict `error` and its message; one that takes too long, eats too much memory or kills its process
is `unknown` (`veer.batch.workers`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from veer.api import Comparison, Version, load_pair, verify
from veer.batch.workers import Failed, Failure, LocalProcesses, Runner
from veer.errors import InputError, ParseError, VeerError
from veer.options import ColumnMatching, TypeMatching
from veer.read.json_text import read_json
from veer.read.registry import built_in
from veer.read.sql import read_schema, read_sql
from veer.settings import USUAL, SessionSettings, current, under
from veer.show.as_json import report_json
from veer.verdict import TableSemantics, Verdict
from veer.visible import json_text

PAIR_KEYS = ("id", "schema", "p", "q", "semantics")
# The words of a line's verdict: those of a report, and one for what could not be compared.
EQUIVALENT, UNKNOWN = Verdict.EQUIVALENT.value, Verdict.UNKNOWN.value
ERROR = "error"
Pair = dict[str, Any]
Line = dict[str, Any]


@dataclass(frozen=True)
class BatchOptions:
    """How pairs are compared, and what each may cost."""

    comparison: Comparison = field(
        default_factory=lambda: Comparison(
            columns=ColumnMatching.POSITION, types=TypeMatching.VALUE, hints=False
        )
    )
    workers: int = 1
    timeout: float = 60.0  # seconds per pair; 0 for no limit
    schema: str = ""  # of pairs that bring none of their own
    settings: SessionSettings = USUAL  # of the Spark session that would run the queries

    @property
    def processes(self) -> LocalProcesses:
        """The processes of this machine that they are compared in."""
        return LocalProcesses(self.workers, self.timeout)


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of a file, or of a folder of versions; a line that is no pair comes with an `error`."""
    if path.is_dir():
        for p, q in successive_versions(path):
            yield {"id": f"{p} -> {q}", "files": (str(path / p), str(path / q))}
        return
    try:
        lines = path.open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    seen: set[str] = set()
    with lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                pair = _read_line(line, number)
                if pair["id"] in seen:
                    pair = {
                        "id": f"{pair['id']} (line {number})",
                        "error": f"line {number}: the id is given twice",
                    }
                seen.add(pair["id"])
                yield pair


def _read_line(line: str, number: int) -> Pair:
    """A pair with an id, or what is wrong with the line."""
    try:
        pair = read_json(line)
    except ParseError as error:
        return {"id": f"line {number}", "error": f"line {number}: broken JSON: {error}"}
    if not isinstance(pair, dict) or not isinstance(pair.get("id", ""), str | int):
        return {"id": f"line {number}", "error": f"line {number}: not an object with an id"}
    pair["id"] = str(pair.get("id", f"line {number}"))
    for name in ("p", "q"):
        if not isinstance(pair.get(name), str):
            return {"id": pair["id"], "error": f"line {number}: {name!r} is not SQL text"}
    for name in ("schema", "semantics"):
        if not isinstance(pair.get(name, ""), str):
            return {"id": pair["id"], "error": f"line {number}: {name!r} is not a text"}
    return {name: value for name, value in pair.items() if name in PAIR_KEYS}


def _versions(pair: Pair, schema: str) -> tuple[Version, Version]:
    """The versions of a pair: SQL text, or files, which tell columns by name."""
    if "files" in pair:
        settings = current()
        old, new = pair["files"]
        conf, spark = settings.conf(), str(settings.spark)
        return load_pair(old, new, schema=schema, conf=conf, spark=spark)
    catalog = read_schema(str(pair.get("schema", "")) or schema)
    p, q = (Version(side, read_sql(pair[side], catalog), False) for side in ("p", "q"))
    return p, q


def decide(pair: Pair, comparison: Comparison, schema: str = "") -> Line:
    """The result line of one pair."""
    start = time.perf_counter()
    try:
        asked = comparison
        if "semantics" in pair:
            asked = replace(comparison, semantics=TableSemantics(pair["semantics"]))
        if "files" in pair:
            asked = replace(asked, columns=ColumnMatching.NAME, types=TypeMatching.EXACT)
        p, q = _versions(pair, schema)
        report = report_json(verify(p, q, asked))
    except (VeerError, ValueError) as error:
        return _line(pair, ERROR, str(error), time.perf_counter() - start)
    sinks = report["sinks"]
    sink = next((s for s in sinks if s["verdict"] == report["verdict"]), sinks[0])
    line = _line(pair, report["verdict"], sink["reason"], time.perf_counter() - start)
    proven = [w["ev"] for w in sink["windows"] if w["verdict"] == EQUIVALENT]
    return {
        **line,
        "ev": next(iter(proven), None) if report["verdict"] == EQUIVALENT else None,
        "counts": report["counts"],
        "witness": sink["witness"],
    }


def _line(pair: Pair, verdict: str, reason: str, seconds: float) -> Line:
    """A result line without evidence."""
    return {
        "id": pair["id"],
        "verdict": verdict,
        "reason": reason,
        "ev": None,
        "seconds": round(seconds, 6),
        "counts": {"windows": 0, "decompositions": 0, "ev_calls": 0, "remembered": 0},
        "witness": None,
    }


# -- over processes ------------------------------------------------------------------------------


def _decide_under(options: BatchOptions, pair: Pair) -> Line:
    """The result line of one pair, in a process that begins with no settings."""
    with under(options.settings):
        return decide(pair, options.comparison, options.schema)


def run_pairs(pairs: Iterator[Pair], options: BatchOptions, runner: Runner) -> Iterator[Line]:
    """Result lines as they come, not in the order of the pairs."""
    broken: list[Line] = []

    def whole() -> Iterator[Pair]:
        for pair in pairs:
            if "error" in pair:
                broken.append(_line(pair, ERROR, pair["error"], 0.0))
            else:
                yield pair

    for pair, result in runner.run(whole(), partial(_decide_under, options)):
        yield from _taken(broken)
        yield _failed(pair, result) if isinstance(result, Failed) else result
    yield from _taken(broken)


def _taken(lines: list[Line]) -> Iterator[Line]:
    while lines:
        yield lines.pop(0)


def _failed(pair: Pair, failed: Failed) -> Line:
    verdict = ERROR if failed.failure is Failure.ERROR else UNKNOWN
    return _line(pair, verdict, failed.text, failed.seconds)


# -- the results file --------------------------------------------------------------------------


def finished_ids(path: Path) -> set[str]:
    """Ids that have a result already; an unfinished last line is cut off."""
    if not path.exists():
        return set()
    done: set[str] = set()
    kept = 0
    with path.open("rb+") as file:
        for raw in file:
            try:
                name = str(json.loads(raw)["id"])
            except (ValueError, KeyError, TypeError, RecursionError):
                break
            if not raw.endswith(b"\n"):
                break
            done.add(name)
            kept += len(raw)
        file.truncate(kept)
    return done


def run_batch(
    source: Path,
    target: IO[str],
    done: set[str],
    options: BatchOptions,
    on_result: Callable[[Line], None] = lambda line: None,
    runner: Runner | None = None,
) -> dict[str, int]:
    """Write a result for every pair that has none yet; gives the verdicts counted.

    Pairs are compared over processes of this machine, or by a `runner`.
    """
    counted: dict[str, int] = {}
    pairs = (pair for pair in read_pairs(source) if pair["id"] not in done)
    for line in run_pairs(pairs, options, runner or options.processes):
        target.write(json_text(line, indent=None) + "\n")
        target.flush()
        counted[line["verdict"]] = counted.get(line["verdict"], 0) + 1
        on_result(line)
    return counted


# -- folders of versions: which files in them are versions of one thing, and which follow which
# report_v1.yxmd, report_v2.yxmd      two versions of `report`, by the number at the end of the name
# v1/report.knwf, v2/report.knwf      the same, by the number of the folder

# A PySpark job is a function of its file, which no folder tells.
SUFFIXES = {s for f in built_in() if not f.takes_arguments for s in f.suffixes}
NUMBER = re.compile(r"[ _.-]*\(?[vV]?(\d{1,9})\)?$")
MOST_FILES = 100_000


def successive_versions(folder: Path) -> Iterator[tuple[str, str]]:
    """Each version and the one after it, by their paths from the folder."""
    groups: dict[tuple[str, ...], dict[tuple[int, ...], str]] = {}
    count = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in SUFFIXES or not path.is_file():
            continue
        count += 1
        if count > MOST_FILES:
            raise InputError(f"{folder}: more than {MOST_FILES:,} files")
        inner = path.relative_to(folder)
        parts = (*inner.parts[:-1], inner.stem)
        numbers = tuple(int(found[1]) for part in parts if (found := NUMBER.search(part)))
        names = (*(NUMBER.sub("", part) for part in parts), path.suffix.lower())
        if numbers:
            groups.setdefault(names, {}).setdefault(numbers, str(inner))
    for versions in groups.values():
        yield from pairwise(path for _, path in sorted(versions.items()))
