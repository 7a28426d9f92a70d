"""What a user may name as a version: a file, a file at a git revision, a stored version.

Read from the right: `:function` after `.py`, then the path, then a revision. `jobs/q.sql`,
`main:jobs/q.sql`, `flow.yaml`, `store:report@3`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, ParseError, UsageError
from veer.frontends.checkout import git
from veer.frontends.locations import place_of
from veer.model.dag import Dataflow
from veer.verdict import Place

STORED = "store:"
DEFAULT_STORE = ".veer"
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
    code: Mapping[str, str] = field(default_factory=dict)  # of functions, by identity; not run
    place: Place | None = None  # the file it stands in


def is_stored(text: str) -> bool:
    """Whether a SPEC names a stored version."""
    return text.startswith(STORED)


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


def load(
    text: str,
    *,
    schema: str = "",
    revision: str = "",
    args: Sequence[str] = (),
    store: str = "",
) -> Version:
    """The version a SPEC names; `schema` is DDL or the path of a file with DDL.

    `args` are NAME=VALUE, for a PySpark function; `store` is where stored versions are.
    """
    if is_stored(text):
        if revision or args:
            raise UsageError(f"{text}: a stored version has no revision and no arguments")
        return _load_stored(text, store)
    spec = parse_spec(text)
    if revision:
        spec = Spec(f"{revision}:{text}", spec.path, revision, spec.function)
    suffix = Path(spec.path).suffix.lower()
    if suffix == ".py" or spec.function:
        return _load_job(spec, schema, args)
    if args:
        raise UsageError("--arg belongs to PySpark functions")
    if suffix not in (".sql", *WORKFLOW_SUFFIXES):
        raise UsageError(f"{text}: expected a .sql, .json, .yaml or .yml file")
    content = read_text(spec)
    try:
        if suffix == ".sql":
            from veer.frontends.sql import read_sql

            dataflow = read_sql(content, _catalog(schema))
            place = place_of(spec.path)
            return Version(spec.text, dataflow, stable_ids=False, text=content, place=place)
        from veer.frontends.workflow.reader import read_workflow_with_code

        dataflow, code = read_workflow_with_code(content, yaml=suffix != ".json")
        return Version(spec.text, dataflow, stable_ids=True, code=code, place=place_of(spec.path))
    except RecursionError:
        raise ParseError(f"{spec.text}: nested too deeply") from None
    except InputError as error:
        raise type(error)(f"{spec.text}: {error}") from None


def _catalog(schema: str) -> Any:
    """The tables of --schema."""
    from veer.frontends.sql import read_schema

    try:
        return read_schema(schema_text(schema))
    except InputError as error:
        raise type(error)(f"--schema: {error}") from None


def load_pair(
    p: str,
    q: str,
    *,
    schema: str = "",
    revision: str = "",
    args: Sequence[str] = (),
    store: str = "",
) -> tuple[Version, Version]:
    """Two versions, `p` at a revision if one is given; PySpark jobs start side by side."""
    if not all(not t.startswith(STORED) and parse_spec(t).function for t in (p, q)):
        old = load(p, schema=schema, revision=revision, args=args, store=store)
        new = load(q, schema=schema, args=args, store=store)
        if p.startswith(STORED) == q.startswith(STORED):
            return old, new
        with existing_store(store) as opened:
            return _sealed(old, opened), _sealed(new, opened)
    with ThreadPoolExecutor(2) as pool:
        jobs = (
            pool.submit(load, p, schema=schema, revision=revision, args=args),
            pool.submit(load, q, schema=schema, args=args),
        )
        return jobs[0].result(), jobs[1].result()


def _sealed(version: Version, store: Any) -> Version:
    """A version as it would be stored: compared with a stored one, secrets are those of the store."""
    optimized = version.optimized and store.seal.dataflow(version.optimized)
    return replace(version, dataflow=store.seal.dataflow(version.dataflow), optimized=optimized)


def parse_stored(text: str) -> tuple[str, int | None]:
    """The name and number of `store:NAME@NUMBER`; no number for the latest."""
    name, at, number = text.removeprefix(STORED).rpartition("@")
    if not at:
        name, number = number, ""
    if not name or (at and not re.fullmatch("[0-9]{1,9}", number)):
        raise UsageError(f"{text!r}: expected store:NAME@NUMBER, or store:NAME for the latest")
    return name, int(number) if number else None


def store_place(given: str) -> str:
    """Where the store is: as given, by VEER_STORE, or here."""
    return given or os.environ.get("VEER_STORE", "") or DEFAULT_STORE


def existing_store(given: str, spark: Callable[[], Any] | None = None) -> Any:
    """A store that is there; `spark` gives a session where results are reached through one only."""
    from veer.store import Store

    place = store_place(given)
    if "://" not in place and not (Path(place) / "veer.db").is_file():
        raise InputError(f"{place}: there is no store; `veer run` makes one")
    return Store(place, spark=spark, must_exist=True)


def _load_stored(text: str, store: str) -> Version:
    name, number = parse_stored(text)
    with existing_store(store) as opened:
        found = opened.version(name, number)
        if found is None:
            known = ", ".join(opened.names()) or "nothing"
            raise InputError(f"{text}: not in the store {opened.location}, which holds {known}")
    return Version(text, found.dataflow, found.stable_ids, code=found.code)


def _load_job(spec: Spec, schema: str, args: Sequence[str]) -> Version:
    """A function of a PySpark job."""
    from veer.frontends.spark.capture.jobs import Job, load_job, parse_args

    if not spec.function:
        raise UsageError(f"{spec.text}: name the function, as in {spec.path}:build")
    given, ddl = parse_args(args), schema_text(schema)
    try:
        found = load_job(Job(spec.path, spec.function, spec.revision, given, ddl))
    except InputError as error:
        raise type(error)(f"{spec.text}: {error}") from None
    dataflow = found.dataflow
    if ddl:
        from veer.frontends.sql import read_schema

        dataflow = dataflow.declaring(read_schema(ddl).values())
    place = place_of(spec.path, spec.function, read_text(spec))
    return Version(spec.text, dataflow, stable_ids=False, optimized=found.optimized, place=place)


def version_of(given: Version | str | Any, name: str, schema: str = "") -> Version:
    """A version given loaded, as a SPEC, or as a DataFrame of a running session."""
    if isinstance(given, Version):
        return given
    if isinstance(given, str):
        return load(given, schema=schema)
    from veer.frontends.spark import read_dataframe

    return Version(name, read_dataframe(given), stable_ids=False)


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
