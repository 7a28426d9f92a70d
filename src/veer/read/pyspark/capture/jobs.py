"""PySpark jobs from files: each version is loaded by a process of its own.

Two versions of one module cannot live in one process. Only a serialized dataflow comes back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, UnsupportedError, UsageError
from veer.ir.dag import Dataflow
from veer.ir.json import from_json
from veer.java import ensure_java
from veer.options import JvmUse
from veer.read.checkout import checked_out, top_level
from veer.read.inputs import NOTHING, Declarations
from veer.read.pyspark.capture.stopping import NeedsJvm
from veer.read.pyspark.offline.loader import LOADER, OTHER, loading_environment
from veer.read.pyspark.pyspark_version import connect_problem, require_pyspark

SECONDS = 600  # for loading one version
RUNNING: set[subprocess.Popen[str]] = set()  # processes with a JVM
ERRORS = {
    "jvm": NeedsJvm,
    "usage": UsageError,
    "unsupported": UnsupportedError,
    "input": InputError,
}


@final
@dataclass(frozen=True)
class Job:
    """A function of a file, perhaps at a revision, and what it is called with."""

    path: str
    function: str
    revision: str = ""
    args: tuple[tuple[str, str], ...] = ()
    schema: str = ""  # DDL of what it reads
    name: str = ""  # what the user calls it, for messages
    conf: tuple[tuple[str, str], ...] = ()  # settings the session begins with
    spark: str = ""  # the Spark that would run it; the installed one by default
    declared: Declarations = NOTHING  # of Python functions
    dataset: str = ""  # of a pipeline, which a decorator keeps
    env: tuple[tuple[str, str | None], ...] = ()  # variables of the environment; None if not set


@final
@dataclass(frozen=True)
class Captured:
    """What a job computes; `optimized` is what Spark's optimizer makes of it, if that is read."""

    dataflow: Dataflow
    optimized: Dataflow | None = None
    read_with: tuple[tuple[str, str | None], ...] = ()  # variables of the environment it asked for


def load_jobs(
    jobs: Sequence[Job], jvm: JvmUse, note: Callable[[str], None] = lambda _: None
) -> list[Captured]:
    """Run the functions of jobs with reading, writing and actions intercepted.

    All of them are read without a JVM, or all with one: `jvm` says which. Why one is started is
    told to `note`.
    """
    require_pyspark()
    if jvm is JvmUse.ALWAYS:
        return _side_by_side(_load_with_jvm, jobs)
    try:
        problem = connect_problem()
        if problem:
            raise NeedsJvm(problem)
        return _side_by_side(_load_offline, jobs)
    except NeedsJvm as reason:
        if jvm is JvmUse.NEVER:
            raise UnsupportedError(f"{reason}; a JVM could read it: --jvm auto") from None
        try:
            ensure_java()
        except InputError as missing:
            raise UnsupportedError(f"{reason}; this needs a JVM. {missing}") from None
        note(f"{reason}: a JVM reads it, which takes longer")
    return _side_by_side(_load_with_jvm, jobs)


def load_job(job: Job, jvm: JvmUse = JvmUse.ALWAYS) -> Captured:
    """One job, as `load_jobs` loads several."""
    return load_jobs([job], jvm)[0]


def _side_by_side(load: Callable[[Job], Captured], jobs: Sequence[Job]) -> list[Captured]:
    """Load jobs at the same time; an error of the user's goes before one of the way of reading."""
    if len(jobs) == 1:
        return [load(jobs[0])]
    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = [pool.submit(_named, load, job) for job in jobs]
        try:
            errors = [future.exception() for future in futures]
        except BaseException:  # interrupted, or out of time: nobody waits for the rest
            LOADER.stop()
            OTHER.stop()
            for process in list(RUNNING):
                process.kill()
            raise
    final = [e for e in errors if e is not None and not isinstance(e, NeedsJvm)]
    for error in (*final, *filter(None, errors)):
        raise error
    return [future.result() for future in futures]


def _named(load: Callable[[Job], Captured], job: Job) -> Captured:
    """Load one job of several, which is named in what is wrong with it."""
    try:
        return load(job)
    except NeedsJvm:
        raise
    except InputError as error:
        raise error.of(job.name) from None


def _load_offline(job: Job) -> Captured:
    """Load a job without a JVM."""
    return _load(job, _run_offline)


def _load_with_jvm(job: Job) -> Captured:
    """Load a job in a process with a JVM of its own."""
    ensure_java()
    return _load(job, _run_with_jvm)


def _load(job: Job, run: Callable[[Mapping[str, Any], int], str]) -> Captured:
    where = Path.cwd()
    path = Path(job.path)
    with ExitStack() as stack:
        if not job.revision:
            if not path.is_file():
                raise InputError(f"{job.path}: no such file")
            file, top = _absolute(path), ""
            root = top_level(file.parent) or (where if file.is_relative_to(where) else file.parent)
        else:
            nearest = next(p for p in (_absolute(path), *_absolute(path).parents) if p.is_dir())
            above = top_level(nearest)
            if above is None:
                raise InputError(
                    f"{job.path}: no git repository, so there is no revision {job.revision!r}"
                )
            inside = _absolute(path).relative_to(above)
            root, top = stack.enter_context(checked_out(job.revision, above)), str(above)
            file = root / inside
            if not file.is_file():
                raise InputError(f"{inside} does not exist in {job.revision!r}")
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="veer-"))
        request = {
            "root": str(root),
            "file": str(file),
            "function": job.function,
            "dataset": job.dataset,
            "args": dict(job.args),
            "env": dict(job.env),
            "schema": job.schema,
            "conf": dict(job.conf),
            "spark": job.spark,
            "row_wise": sorted(job.declared.row_wise),
            "trusted_packages": sorted(job.declared.trusted_packages),
            "answer": str(Path(scratch) / "answer.json"),
            "data": str(where),
            "scratch": scratch,
            "top": top,
            "keep": True,
        }
        loaded = _answered(job, request, run, 0)
        if loaded.get("again"):  # and no error
            check_agreement(loaded, _answered(job, request, run, 1), loaded["again"])
            turned = _answered(job, {**request, "backwards": True}, run, 0)
            check_agreement(loaded, turned, loaded["again"])
        return _captured(loaded)


def _answered(
    job: Job, request: Mapping[str, Any], run: Callable[[Mapping[str, Any], int], str], world: int
) -> Mapping[str, Any]:
    """What the process says that loads a job in one of the worlds."""
    number = 2 if request.get("backwards") else world
    answer = Path(request["answer"]).with_name(f"answer_{number}.json")
    printed = run({**request, "answer": str(answer), "world": world}, world)
    if not answer.exists():
        last = [line for line in printed.splitlines() if line.strip()][-3:]
        raise InputError(f"loading {job.path} ended without an answer: {' | '.join(last)}")
    loaded: Mapping[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return loaded


def _absolute(path: Path) -> Path:
    """The place of a file; links are not followed, they may lead elsewhere in a revision."""
    return Path(os.path.realpath(path.parent)) / path.name


def _run_offline(request: Mapping[str, Any], world: int) -> str:
    """Ask the loading process of a world; what the job printed."""
    printed = (OTHER if world else LOADER).load(request, SECONDS)
    if printed is None:
        raise InputError(f"loading took more than {SECONDS} seconds")
    return printed


def _run_with_jvm(request: Mapping[str, Any], world: int) -> str:
    """Start a process with a JVM; what it printed."""
    # `-P`: a module of the project must not come before Python's or Veer's of the same name.
    command = [sys.executable, "-P", "-m", "veer.read.pyspark.capture.child"]
    env = {
        **loading_environment(world),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": request["scratch"],
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        errors="replace",
        env=env,
        cwd=request["root"],
    ) as process:
        RUNNING.add(process)
        try:
            return process.communicate(json.dumps(request), SECONDS)[1]
        except subprocess.TimeoutExpired:
            raise InputError(f"loading took more than {SECONDS} seconds") from None
        finally:
            RUNNING.discard(process)
            process.kill()


def _captured(answer: Mapping[str, Any]) -> Captured:
    if "error" in answer:
        error = ERRORS[answer["kind"]](answer["error"])
        if isinstance(error, InputError):
            error.undeclared_table = answer.get("undeclared_table", "")
        raise error
    optimized = answer.get("optimized")
    return Captured(
        from_json(answer["dataflow"]),
        None if optimized is None else from_json(optimized),
        tuple(sorted(answer["used"].items())),
    )


def parse_env(texts: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
    """`NAME=VALUE` as given on the command line; `NAME` alone for a variable that is not set."""
    variables: dict[str, str | None] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.strip():
            raise UsageError(f"--env {text!r}: expected NAME=VALUE, or NAME where it is not set")
        variables[name] = value if equals else None
    return tuple(variables.items())


def parse_args(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`K=V` as given on the command line."""
    args = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--arg {text!r}: expected NAME=VALUE")
        args.append((name, value))
    return tuple(args)


# -- whether two loads of one job, in processes with different surroundings, agree ---------------


def check_agreement(first: Mapping[str, Any], second: Mapping[str, Any], why: str) -> None:
    """Refuse a job that two worlds read as two dataflows."""
    if "error" in second:
        raise UnsupportedError(
            f"loaded again in another process, the job fails: {second['error']}; "
            f"it depends on {why}, which differs from run to run"
        )
    ours, theirs = _compared(first), _compared(second)
    if ours != theirs:
        raise UnsupportedError(
            f"loaded again in another process, the job computes something else: "
            f"{_difference(ours, theirs)}; it depends on {why}, which differs from run to run"
        )


def _compared(answer: Mapping[str, Any]) -> str:
    """What two loads must agree on; identities that are like no other count by their order."""
    told = _in_one_order([answer["dataflow"], answer["optimized"], answer["used"]])
    text = json.dumps(told, sort_keys=True)
    there = sorted((u for u in answer["unlike"] if u in text), key=text.index)
    for number, unlike in enumerate(there):
        text = text.replace(unlike, f"unlike {number}")
    return text


def _in_one_order(value: Any) -> Any:
    """The same, the values of each IN in one order: which they come in changes nothing."""
    match value:
        case {"is": "InList", "options": options, **rest}:
            sorted_options = sorted(map(_in_one_order, options), key=json.dumps)
            return {**_in_one_order(rest), "is": "InList", "options": sorted_options}
        case dict():
            return {name: _in_one_order(part) for name, part in value.items()}
        case list():
            return list(map(_in_one_order, value))
        case _:
            return value


def _difference(a: str, b: str) -> str:
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    start = max(start - 12, 0)
    return f"...{a[start : start + 40]}... and ...{b[start : start + 40]}..."


__all__ = ["check_agreement"]
