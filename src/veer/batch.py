"""Thousands of pairs over local processes: streamed, resumable, one hostile pair costs one pair.

A line of the input is `{"id", "schema", "p", "q", "semantics"?}` with SQL text; a line of the output
`{"id", "verdict", "reason", "ev", "seconds", "counts", "witness"}`. What cannot be read gets the
verdict `error` and its message. Each worker process has a limit of memory; a pair that takes too
long, eats too much or kills its worker costs that worker, and the next pair gets a new one.
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import IO, Any

from veer.api import Comparison, Version, load_pair, verify
from veer.errors import DefectError, InputError, ParseError, VeerError
from veer.frontends.json_text import read_json
from veer.frontends.sql import read_schema, read_sql
from veer.options import ColumnMatching, TypeMatching
from veer.report.as_json import report_json
from veer.settings import USUAL, SessionSettings, current, under
from veer.verdict import TableSemantics, Verdict
from veer.version_folders import successive_versions
from veer.visible import json_text

PAIR_KEYS = ("id", "schema", "p", "q", "semantics")
MEMORY = 4 << 30  # bytes of address space per worker
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
            return {"id": pair["id"], "error": f"line {number}: {name!r} is no text"}
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
    except DefectError as error:
        return _line(pair, ERROR, f"defect: {error}", time.perf_counter() - start)
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


# -- workers -----------------------------------------------------------------------------------


def _work(connection: Connection, options: BatchOptions) -> None:
    """A worker process: a pair in, a line out, until None or the end of the pipe comes."""
    _limit_memory()
    with under(options.settings):
        _serve(connection, options)


def _serve(connection: Connection, options: BatchOptions) -> None:
    while True:
        try:
            pair = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        if pair is None:
            return
        try:
            line = decide(pair, options.comparison, options.schema)
        except MemoryError:
            line = _line(pair, UNKNOWN, "memory limit reached", 0.0)
        except KeyboardInterrupt:
            return
        except Exception as error:
            line = _line(pair, ERROR, f"internal error: {type(error).__name__}: {error}", 0.0)
        connection.send(line)


def _limit_memory() -> None:
    """Limit the memory of this process, where the system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return


class _Worker:
    """A process and the pair it is busy with."""

    def __init__(self, options: BatchOptions) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, options), daemon=True)
        self.process.start()
        theirs.close()
        self.pair: Pair | None = None
        self.since = 0.0

    def give(self, pair: Pair) -> None:
        """Send it a pair to decide."""
        self.pair, self.since = pair, time.monotonic()
        self.connection.send(pair)

    def stop(self) -> None:
        """End the process, whatever it does: a solver does not listen."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_pairs(pairs: Iterator[Pair], options: BatchOptions) -> Iterator[Line]:
    """Result lines as they come, not in the order of the pairs."""
    workers: list[_Worker] = []
    waiting = True
    try:
        while waiting or any(w.pair for w in workers):
            while waiting and (free := _free(workers, options)) is not None:
                pair = next(pairs, None)
                if pair is None:
                    waiting = False
                elif "error" in pair:
                    yield _line(pair, ERROR, pair["error"], 0.0)
                else:
                    free.give(pair)
            yield from _collect(workers, options)
    finally:
        for worker in workers:
            worker.stop()


def _free(workers: list[_Worker], options: BatchOptions) -> _Worker | None:
    """A worker without a pair, started if there may be one more; None if all are busy."""
    for worker in workers:
        if worker.pair is None:
            return worker
    if len(workers) < max(1, options.workers):
        workers.append(_Worker(options))
        return workers[-1]
    return None


def _collect(workers: list[_Worker], options: BatchOptions) -> Iterator[Line]:
    """Lines that are ready; workers that died or took too long are replaced."""
    busy = {w.connection: w for w in workers if w.pair is not None}
    ready = wait(list(busy), timeout=0.2) if busy else []
    for connection in ready:
        worker = busy[connection]  # type: ignore[index]
        pair = worker.pair or {"id": "?"}
        try:
            line = worker.connection.recv()
            worker.pair = None
        except (EOFError, OSError):
            line = _line(pair, UNKNOWN, "the worker process died", time.monotonic() - worker.since)
            workers.remove(worker)
            worker.stop()
        yield line
    for worker in [w for w in workers if w.pair is not None and w.connection not in ready]:
        assert worker.pair is not None
        taken = time.monotonic() - worker.since
        if options.timeout and taken > options.timeout:
            yield _line(worker.pair, UNKNOWN, f"timeout after {options.timeout:g} s", taken)
            workers.remove(worker)
            worker.stop()


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
) -> dict[str, int]:
    """Write a result for every pair that has none yet; gives the verdicts counted."""
    counted: dict[str, int] = {}
    pairs = (pair for pair in read_pairs(source) if pair["id"] not in done)
    for line in run_pairs(pairs, options):
        target.write(json_text(line, indent=None) + "\n")
        target.flush()
        counted[line["verdict"]] = counted.get(line["verdict"], 0) + 1
        on_result(line)
    return counted
