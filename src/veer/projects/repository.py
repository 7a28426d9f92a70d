"""The jobs of a git repository at a base revision and as they are now."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import final

from veer.cli.project_file import Project, project_of
from veer.errors import InputError, UnsupportedError, UsageError
from veer.ir.sources import have_same_columns
from veer.ir.writes import Write
from veer.options import JvmUse
from veer.projects import reach as projects_reach
from veer.projects.jobs import NO_JOBS, Job, JobPair, jobs_of, matched
from veer.projects.lineage import PATTERNS, KnownTables, Place
from veer.projects.reach import Changes
from veer.projects.read.pipelines import Dataset
from veer.projects.read.sql_models import model_version, with_target
from veer.projects.revisions import Revisions, read_revisions
from veer.read.checkout import git, shared_checkout
from veer.read.inputs import Input, ReadOptions
from veer.read.session_settings import session_settings, spark_asked_for
from veer.read.spec import load_input
from veer.read.sql import read_schema
from veer.read.sql.statements import joined, table_statements
from veer.verification.versions.version import Version

COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
SHARED_VIEW = re.compile(r"create(?:OrReplace)?GlobalTempView\(\s*[\"']([^\"']+)")
# SQL that names tables by what it is given.
COMPUTED = re.compile(r"\$\{|\{\{|\bidentifier\s*\(|\bexecute\s+immediate\b", re.IGNORECASE)
# What makes a program give something else on the next day, or on another machine.
VARYING = re.compile(
    r"\b(today|now|utcnow|time|perf_counter|random|randint|uuid\w*|environ|getenv|gethostname)\s*[(.\[]"
)
CODE = frozenset([".ddl", ".hql", ".ipynb", ".py", ".r", ".scala", ".sql"])
MOST_LISTED = 5  # in a note
ELSEWHERE = "its pipeline writes to another catalog or database"
UNREAD = "veer.cli.project_file.unread"  # makes the settings of two revisions differ
# `CREATE OR REPLACE VIEW v`, also inside of texts of a program; temporary views are nobody else's.
VIEW = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?view\s+(?:if\s+not\s+exists\s+)?([\w.`]+)", re.IGNORECASE
)


@final
@dataclass(frozen=True)
class Reading:
    """What a user says of how jobs are read, beside what the project file says."""

    schema: str = ""  # CREATE TABLE statements; those of the project file by default
    conf: Mapping[str, str] = field(default_factory=dict)
    spark: str = ""
    args: Sequence[str] = ()
    jvm: JvmUse = JvmUse.AUTO
    note: Callable[[str], None] = lambda _: None
    env: Sequence[str] = ()  # beside those of the project file


@final
@dataclass(frozen=True)
class Tree:
    """The jobs of one revision: files below `root`, which for a commit is a checkout."""

    root: Path
    top: Path  # of the repository
    commit: str  # empty for the working tree
    called: str  # what the revision is called in reports
    project: Project
    listed: Mapping[str, Job]
    schema: str
    reading: Reading

    @property
    def jobs(self) -> dict[str, str]:
        """What each job is called in reports."""
        before = f"{self.called}:" if self.commit else ""
        return {name: f"{before}{job.spec}" for name, job in self.listed.items()}

    def load(self, name: str, tables: str) -> Version:
        """A job; `tables` are CREATE TABLE statements of what other jobs write."""
        job = self.listed[name]
        dataset = job.dataset
        conf = {**self.project.conf, **(job.pipeline.configuration if job.pipeline else {})}
        conf |= self.reading.conf
        conf.pop(UNREAD, None)
        args = job.args or tuple(self.reading.args)
        options = ReadOptions(
            schema=joined(self.schema, tables),
            args=args if job.is_function and dataset is None else (),
            jvm=self.reading.jvm,
            note=self.reading.note,
            conf=tuple(conf.items()),
            spark=self.reading.spark or self.project.spark,
            declared=self.project.declarations,
            env=(*(f"{n}={v}" for n, v in self.project.env.items()), *self.reading.env),
        )
        if dataset is not None and dataset.refused:
            raise UnsupportedError(f"{dataset.refused} is not compared")
        if dataset is not None and dataset.query:
            settings = session_settings(conf, spark_asked_for(options.spark))
            shown, write = self.jobs[name], _write(dataset)
            return model_version(
                shown,
                dataset.query,
                dataset.name,
                options.schema,
                settings,
                write=write,
                file=job.path,
            )
        path = os.path.relpath(self.top / job.path)
        asked = dataset.name if dataset else ""
        source = Input(self.jobs[name], path, self.commit, job.function, asked)
        version = load_input(source, options)
        if dataset is None:
            return version
        flow = with_target(version.dataflow, dataset.name, _write(dataset))
        return replace(version, dataflow=flow, optimized=None)

    def mentions(self, name: str, table: str) -> bool:
        """Whether a file that decides a job has the last part of a table's name in it."""
        last = _last_part(table)
        files = self.reach(self.listed[name]).files
        return any(last in _text(self.root / file).lower() for file in files)

    def may_write(self, name: str, table: str) -> bool:
        """Whether the code of a job has the table's name, or names of tables that it computes."""
        job = self.listed[name]
        if job.dataset is not None and job.dataset.name != job.path:  # else nothing of it is known
            return Place.of(job.dataset.name).may_hold(Place.of(table))
        reach = self.reach(job)
        if reach.anything or (job.is_function and any(map(self._computes_names, reach.files))):
            return True
        texts = [*(_text(self.root / file) for file in reach.files), *job.args, *self.reading.args]
        return any(may_name(text, table, job.is_function) for text in texts)

    def _computes_names(self, file: str) -> bool:
        return projects_reach.computes_targets(self.root / file)

    def may_vary(self, name: str) -> bool:
        """Whether the code of a job looks at clocks, random numbers or its environment."""
        job = self.listed[name]
        reach = self.reach(job)
        return job.is_function and (
            reach.anything or any(VARYING.search(_text(self.root / f)) for f in reach.files)
        )

    def views(self, name: str) -> tuple[str, ...]:
        """Views for others that the text of a job makes."""
        files = sorted(self.reach(self.listed[name]).files)
        return tuple(dict.fromkeys(v for file in files for v in _views(self.root / file)))

    def known_tables(self, name: str) -> KnownTables | None:
        """Nothing tells what a job reads and writes but the job itself."""
        return None

    @property
    def settings(self) -> object:
        """What decides how every job is read, beside files."""
        return (self.project.conf, self.project.spark, self.project.declarations, self.project.env)

    def reach(self, job: Job) -> projects_reach.Reach:
        """The files that decide what a job computes."""
        file = self.root / job.path
        if job.pipeline is not None:
            inner = (
                projects_reach.reach_of_function(self.root, file)
                if job.is_function
                else projects_reach.Reach(frozenset())
            )
            others = job.pipeline.files if job.dataset and job.dataset.refused else frozenset()
            return replace(inner, files=inner.files | others | {job.path, job.pipeline.spec})
        if job.is_function:
            return projects_reach.reach_of_function(self.root, file)
        return (
            projects_reach.reach_of_file(self.root, file)
            if file.suffix == ".sql"
            else projects_reach.ANYTHING
        )


def _write(dataset: Dataset) -> Write | None:
    """How a dataset is written, where its layout may change the order of its columns."""
    return Write("table", "overwrite", dataset.layout) if dataset.layout else None


@final
@dataclass(frozen=True)
class Repository:
    """Both revisions of a repository, and its jobs in pairs; `shown` are those that are asked for.

    The others are looked at all the same: they may write what these read.
    """

    revisions: Revisions
    base: Tree
    now: Tree
    pairs: tuple[JobPair, ...]
    shown: frozenset[str]
    notes: tuple[str, ...] = ()
    changes: Changes = field(default_factory=Changes)


@contextmanager
def repository(
    base: str, chosen: Sequence[str], project: Project, reading: Reading
) -> Iterator[Repository]:
    """The repository of the current folder; `chosen` are jobs, files or folders, all if there are none."""
    where = project.file.parent if project.file else Path.cwd()
    revisions = read_revisions(where, base)
    top = revisions.top.resolve()
    with shared_checkout(revisions.commit, top) as root:
        old_project, notes = _project_at(root / os.path.relpath(where.resolve(), top), project)
        schema = reading.schema or project.ddl()
        old_schema = reading.schema or _with_removed_tables(schema, old_project)
        called = revisions.base if "..." not in revisions.base else revisions.commit[:10]
        now_files, old_files = _files(top, ""), _files(top, revisions.commit)
        now = Tree(top, top, "", "", project, jobs_of(top, project, now_files), schema, reading)
        old_jobs = jobs_of(root, old_project, old_files)
        old = Tree(root, top, revisions.commit, called, old_project, old_jobs, old_schema, reading)
        pairs = tuple(_pairs(revisions, old, now))
        shown = {p.name for p in pairs if _is_chosen(p, old, now, chosen, top)}
        _require_known(chosen, pairs, old, now, top)
        if not pairs:
            notes.append("no jobs were found: name them in [tool.veer.jobs] of pyproject.toml")
        changes = _changes(revisions, old, now)
        if changes.suspects:
            listed = ", ".join(sorted(changes.suspects)[:MOST_LISTED])
            notes.append(
                f"changed code outside of jobs: the tables it may write count as affected ({listed})"
            )
        yield Repository(revisions, old, now, pairs, frozenset(shown), tuple(notes), changes)


def _changes(revisions: Revisions, old: Tree, now: Tree) -> Changes:
    """What differs beside jobs: files they may read, tables that are declared otherwise, other code."""
    reaches = [tree.reach(job) for tree in (old, now) for job in tree.listed.values()]
    reached = {file for reach in reaches for file in reach.files}
    texts = [_text(tree.root / file) for tree in (old, now) for file in reached]
    files, suspects = [], {}
    for path in sorted(revisions.changed):
        suffix, name = PurePosixPath(path).suffix.lower(), PurePosixPath(path).name
        if suffix not in projects_reach.NO_DATA or any(name in text for text in texts):
            files.append(path)
        declared = any(path == os.path.relpath(p, now.root) for p in now.project.schema)
        if suffix in CODE and path not in reached and not declared and not NO_JOBS.search(path):
            both = [tree.root / path for tree in (old, now)]
            suspects[f"what {path} may write"] = partial(_file_may_write, both)
    return Changes(tuple(files), tuple(_declared_otherwise(old, now)), suspects)


def _file_may_write(files: Sequence[Path], table: str) -> bool:
    """Whether code that is no job may write to a table or path."""
    return any(
        may_name(_text(file), table, file.suffix == ".py")
        or (file.suffix == ".py" and file.is_file() and projects_reach.computes_targets(file))
        for file in files
    )


def _declared_otherwise(old: Tree, now: Tree) -> Iterator[str]:
    """Tables whose columns, or the place of whose rows, another revision declares otherwise."""
    if now.reading.schema:
        return
    try:
        before, after = read_schema(old.project.ddl()), read_schema(now.schema)
    except InputError:
        return  # what needs a table that is not declared will say so
    for name in before.keys() & after.keys():
        one, two = before[name], after[name]
        if not have_same_columns(one, two) or (one.location, one.format, one.options) != (
            two.location,
            two.format,
            two.options,
        ):
            yield two.table


def _project_at(folder: Path, project: Project) -> tuple[Project, list[str]]:
    """The project file of the base; one that cannot be read there is told, and taken for another."""
    try:
        return project_of(folder), []
    except InputError as error:
        message = str(error).rpartition(f"{folder}/")[2]
        unread = replace(project, conf={**project.conf, UNREAD: ""})
        return unread, [
            f"the project file of the base cannot be read, so the current one is used: {message}"
        ]


def _files(top: Path, commit: str) -> list[str]:
    """The files of a commit, or of the working tree with those that are not ignored."""
    words = ["ls-tree", "-r", "--name-only", "-z", commit] if commit else []
    words = words or ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = [os.fsdecode(n) for n in git(*words, where=top).split(b"\0") if n]
    return [n for n in names if commit or (top / n).exists()]


def _with_removed_tables(schema: str, old: Project) -> str:
    """The schema as it is now, and what the base declares of tables that it no longer has."""
    try:
        known, text = read_schema(schema), old.ddl()
        declared = table_statements(text)
    except InputError:
        return schema  # what needs a table that is not declared will say so
    missing = [text for name, text in declared.items() if name not in known]
    return joined(schema, *missing)


def _pairs(revisions: Revisions, old: Tree, now: Tree) -> list[JobPair]:
    everything_differs = old.settings != now.settings
    pairs = []
    for p, q in matched(old.listed, now.listed, revisions.renamed):
        same = (
            p is not None
            and q is not None
            and not everything_differs
            and (p.path, p.function, p.args) == (q.path, q.function, q.args)
            and not _may_differ(revisions, old, now, old.reach(p), now.reach(q))
        )
        job = q or p
        assert job is not None
        databases = {j.pipeline.database for j in (p, q) if j is not None and j.pipeline}
        history = ELSEWHERE if len(databases) > 1 else ""
        pairs.append(JobPair(job.name, p and p.name, q and q.name, same, history=history))
    return pairs


def _may_differ(revisions: Revisions, old: Tree, now: Tree, *reaches: projects_reach.Reach) -> bool:
    """Whether a file that decides what a job computes is not known to be the same."""
    # Git may be told not to look, or to look through a filter: the bytes count.
    files = {path for reach in reaches for path in reach.files}
    if any(_bytes(old.root / path) != _bytes(now.root / path) for path in files):
        return True
    if any(reach.anything for reach in reaches):
        return bool(revisions.changed or revisions.untold)
    differing = (path for reach in reaches for path in reach.files if revisions.may_differ(path))
    return next(differing, None) is not None or any(
        reach.covers(path) for reach in reaches for path in revisions.changed
    )


def _is_chosen(pair: JobPair, old: Tree, now: Tree, chosen: Sequence[str], top: Path) -> bool:
    if not chosen:
        return True
    jobs = [t.listed[n] for t, n in ((old, pair.p), (now, pair.q)) if n is not None]
    return any(_names(text, job, top) for text in chosen for job in jobs)


def _names(text: str, job: Job, top: Path) -> bool:
    """Whether a text on the command line names a job: by its name, its SPEC, its file or a folder above."""
    if text in (job.name, job.spec):
        return True
    path = PurePosixPath(os.path.relpath(Path(text).absolute(), top)).as_posix()
    return path in (job.path, job.spec, ".") or job.path.startswith(f"{path}/")


def _require_known(
    chosen: Sequence[str], pairs: Sequence[JobPair], old: Tree, now: Tree, top: Path
) -> None:
    for text in chosen:
        if not any(_is_chosen(pair, old, now, [text], top) for pair in pairs):
            raise UsageError(f"{text}: there is no job, file or folder of this name")


def may_name(text: str, table: str, is_python: bool) -> bool:
    """Whether code may name a table or path: it has its name in it, or computes names."""
    place = Place.of(table)
    if not is_python and COMPUTED.search(text):
        return True
    if not place.is_path:
        return place.parts[-1].lower() in text.lower()
    return any(p in text or any(c in p for c in PATTERNS) for p in place.parts)


@cache
def _views(file: Path) -> tuple[str, ...]:
    text = COMMENT.sub(" ", _text(file))
    shared = (f"global_temp.{name}" for name in SHARED_VIEW.findall(text))
    return (*(view.replace("`", "") for view in VIEW.findall(text)), *shared)


def _last_part(table: str) -> str:
    """The last part of a table's name, or of a path, in lower case."""
    place = Place.of(table)
    return place.parts[-1].lower() if place.parts else ""


@cache
def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


@cache
def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
