"""PySpark jobs from files: each version is loaded by a process of its own.

Two versions of one module cannot live in one process. Only a serialized dataflow comes back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, UnsupportedError, UsageError
from veer.frontends.checkout import checked_out, top_level
from veer.frontends.spark.pyspark_version import require_pyspark
from veer.java import ensure_java
from veer.model.dag import Dataflow
from veer.model.json import from_json

SECONDS = 600  # for loading one version
ERRORS = {"usage": UsageError, "unsupported": UnsupportedError, "input": InputError}


@final
@dataclass(frozen=True)
class Job:
    """A function of a file, perhaps at a revision, and what it is called with."""

    path: str
    function: str
    revision: str = ""
    args: tuple[tuple[str, str], ...] = ()
    schema: str = ""  # DDL of what it reads


@final
@dataclass(frozen=True)
class Captured:
    """What a job computes; `optimized` is what Spark's optimizer makes of it, if that is read."""

    dataflow: Dataflow
    optimized: Dataflow | None = None


def load_job(job: Job) -> Captured:
    """Run the function of a job with reading, writing and actions intercepted."""
    where = Path.cwd()
    path = Path(job.path)
    if not job.revision:
        if not path.is_file():
            raise InputError(f"{job.path}: no such file")
        file = _absolute(path)
        root = top_level(file.parent) or (where if file.is_relative_to(where) else file.parent)
        return _load(job, root, file, where)
    nearest = next(p for p in (_absolute(path), *_absolute(path).parents) if p.is_dir())
    top = top_level(nearest)
    if top is None:
        raise InputError(f"{job.path}: no git repository, so there is no revision {job.revision!r}")
    inside = _absolute(path).relative_to(top)
    with checked_out(job.revision, top) as root:
        if not (root / inside).is_file():
            raise InputError(f"{inside} does not exist in {job.revision!r}")
        return _load(job, root, root / inside, where, str(top))


def _absolute(path: Path) -> Path:
    """The place of a file; links are not followed, they may lead elsewhere in a revision."""
    return Path(os.path.realpath(path.parent)) / path.name


def _load(job: Job, root: Path, file: Path, where: Path, top: str = "") -> Captured:
    require_pyspark()
    ensure_java()
    with tempfile.TemporaryDirectory(prefix="veer-") as scratch:
        answer = Path(scratch) / "answer.json"
        request = {
            "root": str(root),
            "file": str(file),
            "function": job.function,
            "args": dict(job.args),
            "schema": job.schema,
            "answer": str(answer),
            "data": str(where),
            "scratch": scratch,
            "top": top,
            "keep": True,
        }
        printed = _run_child(request, root, scratch)
        if not answer.exists():
            last = [line for line in printed.splitlines() if line.strip()][-3:]
            raise InputError(f"loading {job.path} ended without an answer: {' | '.join(last)}")
        data = json.loads(answer.read_text(encoding="utf-8"))
    return _captured(data)


def _run_child(request: Mapping[str, Any], root: Path, scratch: str) -> str:
    # `-P`: a module of the project must not come before Python's or Veer's of the same name. A fixed
    # hash seed and zone make two loads of one version agree.
    command = [sys.executable, "-P", "-m", "veer.frontends.spark.capture.child"]
    env = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TZ": "UTC",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": scratch,
    }
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            errors="replace",
            env=env,
            cwd=root,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"loading took more than {SECONDS} seconds") from None
    return done.stderr


def _captured(answer: Mapping[str, Any]) -> Captured:
    if "error" in answer:
        raise ERRORS[answer["kind"]](answer["error"])
    optimized = answer.get("optimized")
    return Captured(
        from_json(answer["dataflow"]), None if optimized is None else from_json(optimized)
    )


def parse_args(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`K=V` as given on the command line."""
    args = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--arg {text!r}: expected NAME=VALUE")
        args.append((name, value))
    return tuple(args)
