"""The project file: `veer.toml`, or `[tool.veer]` of `pyproject.toml`, read by every command.

    [tool.veer]
    schema = ["schemas/tables.ddl"]          # as --schema
    store = "warehouse/.veer"                # as --store
    spark = "3.5"                            # as --spark
    stable_sources = ["public.countries"]    # sources that do not change, though nothing tells it
    row_wise = ["jobs.scoring.score"]        # functions of batches that work row by row
    trusted_packages = ["rapidfuzz"]         # packages whose functions depend on arguments alone

    [tool.veer.keys]                         # primary keys of tables of the schema
    orders = ["id"]

    [tool.veer.conf]                         # as --conf
    "spark.sql.ansi.enabled" = false

    [tool.veer.env]                          # as --env
    STAGE = "prod"

    [tool.veer.jobs]                         # names for SPECs
    report = "jobs/report.py:build"
    daily = {spec = "jobs/daily.py:build", args = {day = "2024-01-01"}}

    [tool.veer.check]                        # of `veer check`
    exclude = ["legacy/*"]                   # files in which no jobs are looked for
    cache = ".veer/check"                    # as --cache

The nearest file from the current folder upwards counts, none above the top of a git repository. Paths are
those from its folder. What stands on the command line goes before it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, ParseError, UsageError
from veer.read.inputs import Declarations
from veer.settings import spark_version

OWN, SHARED = "veer.toml", "pyproject.toml"
TABLE = "tool.veer"


@final
@dataclass(frozen=True)
class DeclaredJob:
    """What a name of the project file stands for: a SPEC, and what its function is called with."""

    spec: str
    args: tuple[str, ...] = ()  # NAME=VALUE


@final
@dataclass(frozen=True)
class CheckSettings:
    """What a project file says of `veer check`."""

    exclude: tuple[str, ...] = ()  # patterns of files, from its folder
    cache: str = ""


@final
@dataclass(frozen=True)
class Project:
    """What a project file says; nothing without one."""

    file: Path | None = None
    schema: tuple[Path, ...] = ()
    store: str = ""
    conf: Mapping[str, str] = field(default_factory=dict)
    jobs: Mapping[str, DeclaredJob] = field(default_factory=dict)
    check: CheckSettings = CheckSettings()
    spark: str = ""
    stable_sources: frozenset[str] = frozenset()  # in lower case
    row_wise: frozenset[str] = frozenset()
    trusted_packages: frozenset[str] = frozenset()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def declarations(self) -> Declarations:
        """What is declared of Python functions."""
        return Declarations(self.row_wise, self.trusted_packages)

    def ddl(self) -> str:
        """The CREATE TABLE statements of the schema files."""
        if not self.schema and self.keys:
            raise ParseError(
                f"{self.file}: {_key_of(self.file, 'keys')} without a schema of the tables"
            )
        if not self.schema:
            return ""
        from veer.ir.types import quote_name
        from veer.read.inputs import ReadOptions
        from veer.read.spec import schema_text

        texts = []
        for path in self.schema:
            try:
                texts.append(
                    ReadOptions(schema=schema_text(str(path))).ddl().rstrip().removesuffix(";")
                )
            except InputError as error:
                raise type(error)(f"{self.file}: schema {error}") from None
        keys = [
            f"ALTER TABLE {'.'.join(map(quote_name, table.split('.')))} ADD PRIMARY KEY ({', '.join(map(quote_name, columns))})"
            for table, columns in self.keys.items()
        ]
        return ";\n".join(filter(None, [*texts, *keys]))

    def spec(self, text: str) -> str:
        """The SPEC that a job's name stands for; any other text is one itself."""
        job = self.jobs.get(text)
        return text if job is None else job.spec

    def args_of(self, spec: str) -> tuple[str, ...]:
        """What the function of a SPEC is called with, if a job says so."""
        return next((job.args for job in self.jobs.values() if job.spec == spec), ())


def current_project() -> Project:
    """The project of the current folder."""
    return project_of(Path.cwd())


@cache
def project_of(folder: Path) -> Project:
    """The project of a folder."""
    for place in (folder, *folder.parents):
        for name in (OWN, SHARED):
            told = _table(place / name)
            if told is not None:
                return _read(place / name, told)
        if (place / ".git").exists():
            break
    return Project()


def _table(file: Path) -> dict[str, Any] | None:
    """What a file says of Veer; None if it says nothing."""
    if not file.is_file():
        return None
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {_reason(error)}") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if file.name == SHARED and TABLE not in text:
            return None  # broken, but nothing of it is ours
        raise ParseError(f"{file}: {error}") from None
    if file.name == OWN:
        return data
    tool = data.get("tool")
    table = tool.get("veer") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ParseError(f"{file}: {TABLE} must be a table")
    return table


def _read(file: Path, told: dict[str, Any]) -> Project:
    values: dict[str, Any] = {}
    for key, value in told.items():
        if key not in READERS:
            near = get_close_matches(key, READERS, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            known = ", ".join(READERS)
            raise ParseError(f"{file}: {_key(file, key)} is not a key{meant} (known: {known})")
        values[key] = READERS[key](file, value)
    return Project(file, **values)


def _key(file: Path, *names: str) -> str:
    return ".".join(names if file.name == OWN else (TABLE, *names))


def _schema(file: Path, value: Any) -> tuple[Path, ...]:
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(p, str) for p in paths):
        raise ParseError(f"{file}: {_key(file, 'schema')} is a path or a list of paths")
    return tuple(file.parent / path for path in paths)


def _store(file: Path, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ParseError(f"{file}: {_key(file, 'store')} is a folder or postgresql://...")
    return value if "://" in value else str(file.parent / value)


def _spark(file: Path, value: Any) -> str:
    try:
        return str(spark_version(str(value)))
    except UsageError as error:
        raise ParseError(f"{file}: {_key(file, 'spark')}: {error}") from None


def _conf(file: Path, value: Any) -> dict[str, str]:
    flat = dict(_flattened(value)) if isinstance(value, dict) else None
    if flat is None or not all(isinstance(v, str | bool | int | float) for v in flat.values()):
        raise ParseError(f"{file}: {_key(file, 'conf')} is a table of settings")
    return {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in flat.items()}


def _flattened(table: dict[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """The settings of a table; `spark.sql.ansi.enabled = false` without quotes is tables in tables."""
    pairs = []
    for key, value in table.items():
        inner = f"{before}{key}"
        pairs += _flattened(value, f"{inner}.") if isinstance(value, dict) else [(inner, value)]
    return pairs


def _env(file: Path, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise ParseError(f"{file}: {_key(file, 'env')} is a table of variables and their texts")
    return dict(value)


def _names(key: str, what: str, *, lower: bool = False) -> Callable[[Path, Any], frozenset[str]]:
    """The reader of a key that is a list of names."""

    def read(file: Path, value: Any) -> frozenset[str]:
        listed = value if isinstance(value, list) else None
        if listed is None or not all(isinstance(v, str) and v for v in listed):
            raise ParseError(f"{file}: {_key(file, key)} is a list of {what}")
        return frozenset(v.lower() if lower else v for v in listed)

    return read


def _keys(file: Path, value: Any) -> dict[str, tuple[str, ...]]:
    flat = dict(_flattened(value)) if isinstance(value, dict) else None
    if flat is None or not all(
        isinstance(columns, list) and columns and all(isinstance(c, str) and c for c in columns)
        for columns in flat.values()
    ):
        raise ParseError(
            f"{file}: {_key(file, 'keys')} is a table of tables and lists of their columns"
        )
    return {table: tuple(columns) for table, columns in flat.items()}


def _key_of(file: Path | None, name: str) -> str:
    return _key(file, name) if file is not None else name


def _jobs(file: Path, value: Any) -> dict[str, DeclaredJob]:
    if not isinstance(value, dict):
        raise ParseError(f"{file}: {_key(file, 'jobs')} is a table of names and SPECs")
    return {name: _job(file, name, told) for name, told in value.items()}


def _job(file: Path, name: str, told: Any) -> DeclaredJob:
    table = {"spec": told} if isinstance(told, str) else told
    if not isinstance(table, dict) or not isinstance(table.get("spec"), str) or not table["spec"]:
        raise ParseError(
            f"{file}: {_key(file, 'jobs', name)} is a SPEC, or a table with a spec and args"
        )
    args = table.get("args", {})
    plain = isinstance(args, dict) and all(isinstance(v, str | int | float) for v in args.values())
    if not plain or table.keys() - {"spec", "args"}:
        raise ParseError(f"{file}: {_key(file, 'jobs', name)}: only spec and a table of args")
    given = tuple(f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in args.items())
    return DeclaredJob(os.path.relpath(file.parent / table["spec"]), given)


def _check(file: Path, value: Any) -> CheckSettings:
    table = value if isinstance(value, dict) else {"": ""}
    if table.keys() - {"exclude", "cache"}:
        raise ParseError(f"{file}: {_key(file, 'check')} has exclude and cache")
    exclude, cache = table.get("exclude", []), table.get("cache", "")
    if not isinstance(exclude, list) or not all(isinstance(e, str) for e in exclude):
        raise ParseError(f"{file}: {_key(file, 'check', 'exclude')} is a list of patterns")
    if not isinstance(cache, str):
        raise ParseError(f"{file}: {_key(file, 'check', 'cache')} is a folder")
    return CheckSettings(tuple(exclude), str(file.parent / cache) if cache else "")


READERS: dict[str, Callable[[Path, Any], Any]] = {
    "schema": _schema,
    "store": _store,
    "spark": _spark,
    "conf": _conf,
    "env": _env,
    "jobs": _jobs,
    "check": _check,
    "stable_sources": _names("stable_sources", "tables and paths", lower=True),
    "row_wise": _names("row_wise", "functions"),
    "trusted_packages": _names("trusted_packages", "packages"),
    "keys": _keys,
}


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
