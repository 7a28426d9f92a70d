"""What a user may name as a version: a file, a file at a git revision.

Read from the right: `:function` after `.py`, then the path, then a revision. `jobs/q.sql`,
`main:jobs/q.sql`, `flow.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.dataflow.dag import Dataflow
from veer.errors import InputError, ParseError, UnsupportedError, UsageError
from veer.frontends.checkout import git

WORKFLOW_SUFFIXES = (".json", ".yaml", ".yml")
MAX_BYTES = 64_000_000


@final
@dataclass(frozen=True)
class Spec:
    """A parsed SPEC: `revision` is empty for the working tree, `function` unless PySpark."""

    text: str
    path: str
    revision: str = ""
    function: str = ""


@final
@dataclass(frozen=True)
class Version:
    """A loaded dataflow; with `stable_ids` operators keep their ids from version to version."""

    name: str
    dataflow: Dataflow
    stable_ids: bool
    text: str = ""  # the SQL it was read from
    optimized: Dataflow | None = None  # as Spark's optimizer leaves it, if it came from Spark


def parse_spec(text: str) -> Spec:
    """Split a SPEC into revision, path and function."""
    rest, function = text, ""
    found = re.fullmatch(r"(.*\.py):([A-Za-z_][A-Za-z_0-9.]*)", rest)
    if found:
        rest, function = found[1], found[2]
    if Path(rest).exists() or ":" not in rest:
        return Spec(text, rest, "", function)
    revision, path = rest.rsplit(":", 1)
    if not revision or not path:
        raise UsageError(f"{text!r} is no file and no REVISION:FILE")
    return Spec(text, path, revision, function)


def load(text: str, *, schema: str = "", revision: str = "", args: Sequence[str] = ()) -> Version:
    """The version a SPEC names; `schema` is DDL or the path of a file with DDL.

    `args` are NAME=VALUE, for a PySpark function.
    """
    spec = parse_spec(text)
    if revision:
        spec = Spec(f"{revision}:{text}", spec.path, revision, spec.function)
    suffix = Path(spec.path).suffix.lower()
    if suffix == ".py" or spec.function:
        return _load_job(spec, schema, args)
    if args:
        raise UsageError("--arg belongs to PySpark functions")
    if text.startswith("store:"):
        raise UnsupportedError(f"{text}: there is no version store yet")
    if suffix not in (".sql", *WORKFLOW_SUFFIXES):
        raise UsageError(f"{text}: expected a .sql, .json, .yaml or .yml file")
    content = read_text(spec)
    try:
        is_sql = suffix == ".sql"
        dataflow = _read(content, suffix, schema)
        return Version(spec.text, dataflow, not is_sql, content if is_sql else "")
    except RecursionError:
        raise ParseError(f"{spec.text}: nested too deeply") from None
    except InputError as error:
        raise type(error)(f"{spec.text}: {error}") from None


def load_pair(
    p: str, q: str, *, schema: str = "", revision: str = "", args: Sequence[str] = ()
) -> tuple[Version, Version]:
    """Two versions, `p` at a revision if one is given; PySpark jobs start side by side."""
    if not all(parse_spec(text).function for text in (p, q)):
        old = load(p, schema=schema, revision=revision, args=args)
        return old, load(q, schema=schema, args=args)
    with ThreadPoolExecutor(2) as pool:
        jobs = (
            pool.submit(load, p, schema=schema, revision=revision, args=args),
            pool.submit(load, q, schema=schema, args=args),
        )
        return jobs[0].result(), jobs[1].result()


def _load_job(spec: Spec, schema: str, args: Sequence[str]) -> Version:
    """A function of a PySpark job."""
    from veer.frontends.spark.jobs import Job, load_job, parse_args

    if not spec.function:
        raise UsageError(f"{spec.text}: name the function, as in {spec.path}:build")
    given, ddl = parse_args(args), schema_text(schema)
    try:
        found = load_job(Job(spec.path, spec.function, spec.revision, given, ddl))
    except InputError as error:
        raise type(error)(f"{spec.text}: {error}") from None
    return Version(spec.text, found.dataflow, stable_ids=False, optimized=found.optimized)


def version_of(given: Version | str | Any, name: str, schema: str = "") -> Version:
    """A version given loaded, as a SPEC, or as a DataFrame of a running session."""
    if isinstance(given, Version):
        return given
    if isinstance(given, str):
        return load(given, schema=schema)
    from veer.frontends.spark import read_dataframe

    return Version(name, read_dataframe(given), stable_ids=False)


def _read(content: str, suffix: str, schema: str) -> Dataflow:
    if suffix == ".sql":
        from veer.frontends.sql import read_schema, read_sql

        return read_sql(content, read_schema(schema_text(schema)))
    from veer.frontends.workflow import read_workflow

    return read_workflow(content, yaml=suffix != ".json")


def schema_text(schema: str) -> str:
    """DDL given as text or as the path of a file."""
    if re.search(r"\bcreate\b", schema, re.IGNORECASE) or not schema:
        return schema
    return read_text(Spec(schema, schema))


def read_text(spec: Spec) -> str:
    """The text of a file, from the working tree or a revision."""
    data = _git_show(spec) if spec.revision else _file_bytes(spec)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError(f"{spec.text}: not UTF-8 text (byte {error.start})") from None


def _file_bytes(spec: Spec) -> bytes:
    try:
        size = Path(spec.path).stat().st_size
        if size > MAX_BYTES:
            raise ParseError(f"{spec.text}: {size:,} bytes; at most {MAX_BYTES:,} are read")
        return Path(spec.path).read_bytes()
    except OSError as error:
        raise InputError(f"{spec.text}: {error.strerror or error}") from None


def _git_show(spec: Spec) -> bytes:
    """The file as of a revision, without touching the working tree."""
    if spec.revision.startswith("-"):
        raise UsageError(f"{spec.revision!r} is no revision")
    path = Path(spec.path)
    where, inside = (path.parent, path.name) if path.parent.exists() else (Path("."), spec.path)
    try:
        return git("show", f"{spec.revision}:./{inside}", where=where)
    except InputError as error:
        raise InputError(f"{spec.text}: {error}") from None
