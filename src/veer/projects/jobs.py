"""The jobs of a project: those its project file names, and those found by convention.

By convention a job is a `.sql` file with a query, a workflow file, or a function of a module that takes
a SparkSession and returns DataFrames or writes, and that no other code of the project calls.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PurePosixPath
from typing import final

from veer.cli.project_file import Project
from veer.projects.reach import reach_of_function
from veer.projects.read.pipelines import SPEC_NAMES, Dataset, Pipeline, read_pipeline
from veer.read.inputs import parse_spec
from veer.read.registry import built_in

WORKFLOWS = frozenset(
    s for f in built_in() if not f.takes_arguments and f.name != "sql" for s in f.suffixes
)
GENERAL = frozenset([".json", ".yaml", ".yml"])  # files of these may be anything
OPERATORS = re.compile(r'^\s*"?operators"?\s*:|"operatorID"', re.MULTILINE)
QUERY = re.compile(r"\b(select|insert|merge|update|delete|values)\b", re.IGNORECASE)
SESSIONS = ("spark", "session", "spark_session")
WRITERS = frozenset(["write", "writeTo", "saveAsTable", "insertInto", "sql", "merge", "execute"])
NO_JOBS = re.compile(
    r"(^|/)(tests?|\.[^/]*|node_modules|venv)/|(^|/)(test_[^/]*|conftest|setup)\.py$"
)
MOST_BYTES = 4_000_000


@final
@dataclass(frozen=True)
class Job:
    """A job: a file from the root of the repository, perhaps a function of it, and its arguments."""

    name: str
    path: str
    function: str = ""
    args: tuple[str, ...] = ()
    declared: bool = False  # by the project file, which names it
    dataset: Dataset | None = None  # of a pipeline
    pipeline: Pipeline | None = None

    @property
    def spec(self) -> str:
        """As users name it."""
        if self.dataset is not None:
            return self.name
        return f"{self.path}:{self.function}" if self.function else self.path

    @property
    def is_function(self) -> bool:
        """Whether it is a PySpark function."""
        return self.path.endswith(".py")


def jobs_of(root: Path, project: Project, files: Iterable[str]) -> dict[str, Job]:
    """The jobs of a tree by name; `files` are those that git knows, from the root."""
    declared = _declared(root, project)
    known = {(job.path, job.function) for job in declared}
    schemas = {_inside(root, path) for path in project.schema}
    here = PurePosixPath(_inside(root, project.file.parent)) if project.file else PurePosixPath()
    patterns = [(here / pattern).as_posix() for pattern in project.check.exclude]
    kept = [
        f
        for f in files
        if f not in schemas and not any(fnmatch(f, p) for p in patterns) and not NO_JOBS.search(f)
    ]
    pipelines = list(_pipelines(root, kept))
    inside = {file for pipeline in pipelines for file in (pipeline.spec, *pipeline.files)}
    found = list(_found(root, [f for f in kept if f not in inside]))
    found = [j for j in found if (j.path, j.function) not in known]
    datasets = [job for pipeline in pipelines for job in _dataset_jobs(pipeline)]
    return {job.name: job for job in (*found, *datasets, *declared)}


def _pipelines(root: Path, files: list[str]) -> Iterator[Pipeline]:
    for file in files:
        if PurePosixPath(file).name in SPEC_NAMES:
            yield read_pipeline(file, files, lambda name: _text(root / name))


def _dataset_jobs(pipeline: Pipeline) -> Iterator[Job]:
    """A job for each dataset of a pipeline, named after both."""
    for dataset in pipeline.datasets:
        name = f"{pipeline.spec}:{dataset.name}"
        yield Job(name, dataset.file, dataset.function, dataset=dataset, pipeline=pipeline)


def _inside(root: Path, path: Path) -> str:
    return PurePosixPath(os.path.relpath(path, root)).as_posix()


def _declared(root: Path, project: Project) -> list[Job]:
    jobs = []
    for name, told in project.jobs.items():
        source = parse_spec(told.spec)
        path = _inside(root, Path(source.path).resolve())
        jobs.append(Job(name, path, source.function, told.args, declared=True))
    return jobs


def _found(root: Path, files: list[str]) -> Iterator[Job]:
    """Jobs by convention, in the order of files."""
    functions = {
        file: list(_job_functions(root / file)) for file in sorted(files) if file.endswith(".py")
    }
    called = _called_by_jobs(root, {f for f, own in functions.items() if own})
    for file in sorted(files):
        suffix = PurePosixPath(file).suffix.lower()
        if suffix == ".py":
            for function in functions[file]:
                if (file, function) not in called:
                    yield Job(f"{file}:{function}", file, function)
        elif (
            (suffix == ".sql" and QUERY.search(_text(root / file)))
            or (suffix in GENERAL and OPERATORS.search(_text(root / file)))
            or suffix in WORKFLOWS - GENERAL
        ):
            yield Job(file, file)
        elif PurePosixPath(file).name == "workflow.knime":
            yield Job(PurePosixPath(file).parent.as_posix(), PurePosixPath(file).parent.as_posix())


def _called_by_jobs(root: Path, files: set[str]) -> set[tuple[str, str]]:
    """Functions, with their files, that modules in the reach of a job of another file call."""
    called: set[tuple[str, str]] = set()
    for file in files:
        for importer in reach_of_function(root, root / file).files:
            for target, name in _called_functions(root, importer):
                if target in files and target not in (file, importer):
                    called.add((target, name))
    return called


@cache
def _called_functions(root: Path, importer: str) -> frozenset[tuple[str, str]]:
    """Functions that a module imports and calls inside of functions: their files and names."""
    module = _module(root / importer)
    if module is None:
        return frozenset()
    inside = [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    calls = {
        n.func.id
        for function in inside
        for n in ast.walk(function)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                if (name.asname or name.name) in calls:
                    found |= {(f, name.name) for f in _module_files(importer, node)}
    return frozenset(found)


def _module_files(importer: str, node: ast.ImportFrom) -> set[str]:
    """The files that may be the module that an import names, from the root."""
    inner = (node.module or "").replace(".", "/")
    folder = PurePosixPath(importer).parent
    if node.level:
        for _ in range(node.level - 1):
            folder = folder.parent
        return {(folder / f"{inner}.py").as_posix()}
    return {f"{inner}.py", f"src/{inner}.py", (folder / f"{inner}.py").as_posix()}


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@cache
def _module(file: Path) -> ast.Module | None:
    try:
        return ast.parse(_text(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _job_functions(file: Path) -> Iterator[str]:
    """The functions of a module that look like jobs and that no other job of it calls."""
    module = _module(file)
    if module is None:
        return
    candidates = [n for n in module.body if isinstance(n, ast.FunctionDef) and _is_job(n)]
    for node in candidates:
        others = (n for other in candidates if other is not node for n in ast.walk(other))
        calls = (n.func for n in others if isinstance(n, ast.Call))
        if not any(isinstance(f, ast.Name) and f.id == node.name for f in calls):
            yield node.name


def _is_job(function: ast.FunctionDef) -> bool:
    """Whether a function can be called with a session alone, and returns DataFrames or writes."""
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args]
    free = parameters[: len(parameters) - len(arguments.defaults)]
    free += [
        a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None
    ]
    sessions = [p for p in (*parameters, *arguments.kwonlyargs) if _takes_session(p)]
    if function.name.startswith("_") or not sessions or any(p not in sessions for p in free):
        return False
    returns = "" if function.returns is None else ast.unparse(function.returns)
    return "DataFrame" in returns or any(
        (isinstance(n, ast.Attribute) and n.attr in WRITERS)
        or (isinstance(n, ast.Return) and n.value is not None and not returns)
        for n in ast.walk(function)
    )


def _takes_session(parameter: ast.arg) -> bool:
    if parameter.annotation is not None:
        return "SparkSession" in ast.unparse(parameter.annotation)
    return parameter.arg in SESSIONS


def matched(
    old: Mapping[str, Job], new: Mapping[str, Job], renamed: Mapping[str, str]
) -> list[tuple[Job | None, Job | None]]:
    """Each job with what it became: by name, by its file, which may be renamed, by being the only one left."""
    pairs: dict[str, str] = {name: name for name in old if name in new}

    def pair(by: str) -> None:
        free_new = {n: j for n, j in new.items() if n not in pairs.values()}
        for name in [n for n in old if n not in pairs]:
            path = renamed.get(old[name].path, old[name].path)
            same_file = [n for n, j in free_new.items() if j.path == path]
            fitting = [n for n in same_file if new[n].function == old[name].function]
            if by == "file":
                left = [
                    o
                    for o in old
                    if o not in pairs and renamed.get(old[o].path, old[o].path) == path
                ]
                fitting = same_file if len(same_file) == len(left) == 1 else []
            if len(fitting) == 1:
                pairs[name] = fitting[0]
                del free_new[fitting[0]]

    pair("function")
    pair("file")
    both: list[tuple[Job | None, Job | None]] = [(old[a], new[b]) for a, b in pairs.items()]
    both += [(job, None) for name, job in old.items() if name not in pairs]
    both += [(None, job) for name, job in new.items() if name not in pairs.values()]
    return sorted(both, key=lambda p: (p[1] or p[0] or Job("", "")).name)


# -- jobs of two revisions in pairs --------------------------------------------------------------


@final
@dataclass(frozen=True)
class JobPair:
    """A job at both revisions by its names there; `same` if nothing that decides its rows differs."""

    name: str
    p: str | None
    q: str | None
    same: bool = False
    stored_otherwise: bool = False  # its rows are to be stored in another way
    history: str = ""  # why its rows do not follow from its code and what it reads
