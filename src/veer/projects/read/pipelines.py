"""Spark Declarative Pipelines: the datasets that a `spark-pipeline.yml` and its files define.

Files are read, not run: SQL by its statements, Python by its decorators. Batch datasets are compared;
streaming tables, flows and sinks are known by name and refused.
"""

from __future__ import annotations

import ast
import glob
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, final

import yaml
from sqlglot import exp

from veer.errors import InputError, ParseError
from veer.read.sql.parse import VeerSpark, parse_statements

SPEC_NAMES = ("spark-pipeline.yml", "spark-pipeline.yaml")
MODULE = "pyspark.pipelines"
BATCH = ("materialized_view", "temporary_view")
STREAMING = {
    "table": "a streaming table",
    "append_flow": "a streaming flow",
    "create_streaming_table": "a streaming table",
    "create_auto_cdc_flow": "a flow of changes",
    "create_sink": "a streaming sink",
}
MOST_BYTES = 4_000_000


@final
@dataclass(frozen=True)
class Dataset:
    """A table or view of a pipeline; a function of a Python file, or a query."""

    name: str
    file: str  # from the root of the tree
    function: str = ""
    query: str = ""
    refused: str = ""  # what it is, where it is not compared
    layout: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Pipeline:
    """A pipeline: its file, the settings of its session, its datasets, the files they are in."""

    spec: str
    configuration: Mapping[str, str]
    datasets: tuple[Dataset, ...]
    files: frozenset[str]
    database: str = ""  # where it writes, with the catalog


def read_pipeline(spec: str, files: Iterable[str], read: Callable[[str], str]) -> Pipeline:
    """The pipeline of a spec file; `files` are those of the tree, `read` gives their text."""
    try:
        data = yaml.safe_load(read(spec))
    except (yaml.YAMLError, RecursionError) as error:
        raise ParseError(f"{spec}: not YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(data, dict):
        raise ParseError(f"{spec}: not a pipeline: it must be a mapping")
    folder = PurePosixPath(spec).parent
    mine = sorted(
        {f for pattern in _patterns(data, spec) for f in _matching(files, folder, pattern)}
    )
    datasets = [d for file in mine for d in _datasets(file, read)]
    conf = data.get("configuration") or {}
    if not isinstance(conf, dict):
        raise ParseError(f"{spec}: configuration must be a mapping")
    settings = {str(k): str(v) for k, v in conf.items()}
    where = ".".join(str(data.get(key) or "") for key in ("catalog", "database", "schema"))
    return Pipeline(spec, settings, tuple(_once(datasets)), frozenset(mine), where)


def _once(datasets: list[Dataset]) -> Iterator[Dataset]:
    """Datasets by name; one that is defined several times is refused."""
    names = [dataset.name for dataset in datasets]
    for name in dict.fromkeys(names):
        first = next(dataset for dataset in datasets if dataset.name == name)
        yield (
            first
            if names.count(name) == 1
            else replace(first, refused="a dataset of several flows")
        )


def _patterns(data: Mapping[str, Any], spec: str) -> Iterator[str]:
    """What the pipeline includes: `libraries`, before Spark 4.1 `definitions`."""
    for entry in data.get("libraries") or data.get("definitions") or ():
        include = entry.get("glob", {}).get("include") if isinstance(entry, dict) else None
        if not isinstance(include, str):
            raise ParseError(f"{spec}: libraries must be entries with glob and include")
        yield include


def _matching(files: Iterable[str], folder: PurePosixPath, pattern: str) -> Iterator[str]:
    """The files that a pattern includes: one, or all below a folder."""
    prefix = "" if folder == PurePosixPath() else f"{folder.as_posix()}/"
    whole = f"{prefix}{pattern.removeprefix('./')}"
    below = whole.split("/**")[0]
    for file in files:
        if PurePosixPath(file).suffix not in (".py", ".sql"):
            continue
        if (
            file == whole
            or ("/**" in whole and file.startswith(f"{below}/"))
            or (glob.has_magic(whole) and PurePosixPath(file).match(whole))
        ):
            yield file


def _datasets(file: str, read: Callable[[str], str]) -> Iterator[Dataset]:
    text = read(file)
    if len(text) > MOST_BYTES:
        return
    yield from _of_sql(file, text) if file.endswith(".sql") else _of_python(file, text)


# -- SQL -------------------------------------------------------------------------------------------


def _of_sql(file: str, text: str) -> Iterator[Dataset]:
    try:
        statements = parse_statements(text)
    except InputError as error:
        yield Dataset(file, file, refused=f"a file of SQL that cannot be read ({error})")
        return
    for statement in statements:
        name = _target(statement)
        query = statement.args.get("expression") if isinstance(statement, exp.Create) else None
        if query is None or str(statement.args.get("kind")).upper() != "VIEW":
            kind = "a streaming table or flow" if isinstance(statement, exp.Command) else "no view"
            yield Dataset(name or file, file, refused=kind)
            continue
        laid_out = statement.find(exp.PartitionedByProperty) is not None
        layout = (statement.args["properties"].sql(dialect=VeerSpark),) if laid_out else ()
        yield Dataset(name, file, query=query.sql(dialect=VeerSpark), layout=layout)


def _target(statement: exp.Expr) -> str:
    target = statement.find(exp.Table)
    return "" if target is None else ".".join(part.name for part in target.parts)


# -- Python ----------------------------------------------------------------------------------------


def _of_python(file: str, text: str) -> Iterator[Dataset]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield Dataset(file, file, refused="no Python")
        return
    names = _imported(tree)
    if "*" in names:
        yield Dataset(file, file, refused="a file that imports all of pyspark.pipelines")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                yield from _decorated(file, node.name, decorator, names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            kind = _kind(node.value.func, names)
            if kind.startswith("create_"):
                name = _constant(node.value, "name") or _constant(node.value, "target") or file
                yield Dataset(name, file, refused=STREAMING.get(kind, kind))


def _imported(tree: ast.Module) -> dict[str, str]:
    """What names of a module stand for `pyspark.pipelines`, or for a decorator of it."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name == MODULE:
                    names[name.asname or MODULE] = ""
        elif isinstance(node, ast.ImportFrom) and node.module == "pyspark":
            names |= {n.asname or n.name: "" for n in node.names if n.name == "pipelines"}
        elif isinstance(node, ast.ImportFrom) and node.module == MODULE:
            names |= {n.asname or n.name: n.name for n in node.names}
    return names


def _kind(function: ast.expr, names: Mapping[str, str]) -> str:
    """Which function of `pyspark.pipelines` an expression names; empty if none."""
    if isinstance(function, ast.Name):
        return names.get(function.id, "")
    if isinstance(function, ast.Attribute) and ast.unparse(function.value) in names:
        return "" if names[ast.unparse(function.value)] else function.attr
    return ""


def _decorated(
    file: str, function: str, decorator: ast.expr, names: Mapping[str, str]
) -> Iterator[Dataset]:
    call = decorator if isinstance(decorator, ast.Call) else None
    kind = _kind(call.func if call else decorator, names)
    if not kind:
        return
    name = function
    if call is not None:
        named = {k.arg: k.value for k in call.keywords}
        name = _constant(call, "target" if kind == "append_flow" else "name") or function
        if "name" in named and not isinstance(named["name"], ast.Constant):
            yield Dataset(function, file, function, refused="a dataset whose name is computed")
            return
    if kind in BATCH:
        keys = {k.arg or "" for k in call.keywords} if call else set()
        kept = keys & {"partition_cols", "cluster_by", "schema", "format"}
        layout = tuple(
            sorted(f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords if k.arg in kept)
            if call
            else ()
        )
        yield Dataset(name, file, function, layout=layout)
    else:
        yield Dataset(name, file, function, refused=STREAMING.get(kind, f"a {kind}"))


def _constant(call: ast.Call, key: str) -> str:
    for keyword in call.keywords:
        if keyword.arg == key and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return ""
