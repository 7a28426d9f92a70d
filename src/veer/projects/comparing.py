"""Comparison of two versions of a job in a process of its own or on a cluster, with a cache of answers."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any, final

from veer.errors import InputError
from veer.ir.json import from_json, to_json
from veer.options import ColumnMatching, TypeMatching
from veer.own_code import own_code_digest
from veer.show.as_json import report_json
from veer.verdict import SourceLocation, TableSemantics, Verdict
from veer.verification.comparison import Comparison
from veer.verification.reusable_rows import may_keep
from veer.verification.verify import verify_versions
from veer.verification.versions.version import Version

MOST_KEPT = 20_000  # answers of a cache
SUFFIX = ".json"


@final
@dataclass(frozen=True)
class Task:
    """Two versions to compare, as data: a process or an executor gets nothing else."""

    name: str
    p: Mapping[str, Any]
    q: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, p: Version, q: Version) -> Task:
        """The task of comparing two versions."""
        return cls(name, _data(p), _data(q))

    def key(self, comparison: Comparison) -> str:
        """What the answer depends on, as a digest."""
        shown = json.dumps([self.p, self.q], sort_keys=True, default=str)
        around = [repr(comparison), own_code_digest(), package_version("z3-solver")]
        return hashlib.sha256("\n".join([shown, *around]).encode()).hexdigest()


def _data(version: Version) -> dict[str, Any]:
    return {
        "name": version.name,
        "stable_ids": version.stable_ids,
        "dataflow": to_json(version.dataflow),
        "optimized": None if version.optimized is None else to_json(version.optimized),
        "place": None if version.place is None else asdict(version.place),
        "files": dict(version.files),
        "read_with": version.read_with,
    }


def _version(data: Mapping[str, Any]) -> Version:
    return Version(
        data["name"],
        from_json(data["dataflow"]),
        data["stable_ids"],
        optimized=None if data["optimized"] is None else from_json(data["optimized"]),
        place=None if data["place"] is None else SourceLocation(**data["place"]),
        files=data["files"],
        read_with=tuple((name, value) for name, value in data["read_with"]),
    )


@final
@dataclass(frozen=True)
class Answer:
    """The JSON report on two versions; the sinks that may keep stored rows; the seconds it took."""

    report: Mapping[str, Any]
    kept: tuple[bool, ...]
    seconds: float
    remembered: bool = False


def compare(comparison: Comparison, task: Task) -> Answer:
    """The answer to a task."""
    start = time.perf_counter()
    report = verify_versions(_version(task.p), _version(task.q), comparison)
    # Rows that are the same as a set only, or in other columns, are not those that others read.
    strict = (
        comparison.semantics.implies(TableSemantics.BAG)
        and comparison.columns is ColumnMatching.NAME
        and comparison.types is TypeMatching.EXACT
    )
    kept = tuple(strict and may_keep(sink) for sink in report.sinks)
    return Answer(report_json(report), kept, time.perf_counter() - start)


class AnswerFolder:
    """Answers kept in a folder from run to run; without one nothing is kept."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder) if folder else None
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"--cache {folder}: {error.strerror}") from None

    def get(self, key: str) -> Answer | None:
        """An answer of an earlier run; None if there is none that can be read."""
        if self.folder is None:
            return None
        try:
            data = json.loads((self.folder / f"{key}{SUFFIX}").read_text(encoding="utf-8"))
            kept = tuple(map(bool, data["kept"]))
            sinks = data["report"]["sinks"]
            proven = [sink["verdict"] == Verdict.EQUIVALENT.value for sink in sinks]
            if len(kept) != len(sinks) or any(
                k and not p for k, p in zip(kept, proven, strict=True)
            ):
                return None
            return Answer(data["report"], kept, float(data["seconds"]), remembered=True)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; one that a time limit cut short is none."""
        if self.folder is None or answer.report["limit"]:
            return
        data = {"report": answer.report, "kept": answer.kept, "seconds": answer.seconds}
        with suppress(OSError, ValueError):
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(data, file)
            os.replace(name, self.folder / f"{key}{SUFFIX}")

    def trim(self) -> None:
        """Forget the oldest answers where there are very many."""
        if self.folder is None:
            return
        with suppress(OSError):
            files = sorted(self.folder.glob(f"*{SUFFIX}"), key=lambda f: f.stat().st_mtime)
            for file in files[: max(0, len(files) - MOST_KEPT)]:
                file.unlink(missing_ok=True)
