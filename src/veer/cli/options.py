"""The options that several commands share, each declared once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from veer import options
from veer.cli.declare import Argument, Option
from veer.cli.project_file import current_project
from veer.errors import UsageError
from veer.settings import spark_version
from veer.show import formats
from veer.verdict import TableSemantics

if TYPE_CHECKING:
    from veer.batch.workers import Runner

FunctionsFile = Annotated[
    str, Option(metavar="FILE", help="A Python file that defines the functions a workflow calls.")
]
TrustCode = Annotated[
    bool, Option("--trust-code", help="Allow Veer to run code from a workflow file.")
]


def choice(option: type[Enum], name: str, help: str) -> Any:
    """An option of the command line that takes one of the values of an enum.

    Typer offers enums by itself, but words the error differently from version to version.
    """

    def parse(value: str) -> Enum:
        return options.chosen(option, value, name)

    return Option(parser=parse, metavar="|".join(options.values(option)), help=help)


def _spec(given: str) -> str:
    return current_project().spec(given)


def _schema(given: str) -> str:
    return given or current_project().ddl()


def _store(given: str) -> str:
    return given or os.environ.get("VEER_STORE", "") or current_project().store


def _conf(given: list[str] | None) -> list[str]:
    own = [f"{name}={value}" for name, value in current_project().conf.items()]
    return [*own, *(given or ())]


def _env(given: list[str] | None) -> list[str]:
    own = [f"{name}={value}" for name, value in current_project().env.items()]
    return [*own, *(given or ())]


def _spark(given: str) -> str:
    named = given or current_project().spark
    return str(spark_version(named)) if named else ""


def spec(metavar: str, help: str) -> Any:
    """An argument of the command line that names a version: a SPEC, or a job of the project file."""
    return Argument(metavar=metavar, help=help, callback=_spec)


Schema = Annotated[
    str,
    Option(
        metavar="DDL",
        callback=_schema,
        help="CREATE TABLE statements of the tables that SQL and jobs read: a file, or the statements.",
    ),
]
Arguments = Annotated[
    list[str] | None,
    Option(metavar="K=V", help="An argument of a PySpark function. Can be given several times."),
]
ENVIRONMENT: dict[str, Any] = {
    "metavar": "NAME=VALUE",
    "help": "An environment variable that PySpark functions may read; NAME alone if it is not set. Functions "
    "see no other variables, and verdicts list the ones used. Can be given several times.",
}
Environment = Annotated[list[str] | None, Option("--env", callback=_env, **ENVIRONMENT)]
CommandLineEnvironment = (
    Annotated[  # without those of the project file, which may differ by revision
        list[str] | None, Option("--env", **ENVIRONMENT)
    ]
)
Jvm = Annotated[
    options.JvmUse,
    choice(
        options.JvmUse,
        "--jvm",
        "Whether to start a JVM to read PySpark functions: only if needed, never, or always.",
    ),
]
Settings = Annotated[
    list[str] | None,
    Option(
        metavar="K=V",
        callback=_conf,
        help="A setting of the Spark session that runs the versions, such as "
        "spark.sql.ansi.enabled=false. Can be given several times.",
    ),
]
CommandLineSchema = Annotated[
    str,
    Option(
        "--schema",
        metavar="DDL",
        help="CREATE TABLE statements of the tables that jobs read but no job writes: a file, or the "
        "statements. By default those of the project file.",
    ),
]
CommandLineSpark = Annotated[
    str,
    Option(
        "--spark",
        metavar="VERSION",
        callback=lambda given: str(spark_version(given)) if given else "",
        help="The Spark version to assume for both revisions. By default each revision uses the version in "
        "its own project file.",
    ),
]
CommandLineSettings = Annotated[  # without those of the project file, which may differ by revision
    list[str] | None,
    Option(
        "--conf",
        metavar="K=V",
        help="A setting of the Spark session that runs the jobs. Can be given several times.",
    ),
]
Spark = Annotated[
    str,
    Option(
        metavar="VERSION",
        callback=_spark,
        help="The Spark version to assume: 3.5, 4.0, 4.1, 4.2 or 4.3. By default that of the "
        "installed PySpark, or the newest. It does not have to be installed.",
    ),
]
StoreLocation = Annotated[
    str,
    Option(
        metavar="DIR|URL",
        callback=_store,
        help="The store: a folder, or postgresql://USER@HOST/DATABASE. By default VEER_STORE, the store of "
        "the project file, or .veer.",
    ),
]
Semantics = Annotated[
    TableSemantics,
    choice(
        TableSemantics,
        "--semantics",
        "How to compare tables: as sets, as bags (with duplicates), or in order (with duplicates).",
    ),
]
Columns = Annotated[
    options.ColumnMatching,
    choice(options.ColumnMatching, "--columns", "Match result columns by name or by position."),
]
Names = Annotated[
    list[str] | None,
    Option(
        "--map",
        metavar="OLD=NEW",
        help="A sink, a column of sinks or a table that has the name OLD before and NEW after. Can be "
        "given several times.",
    ),
]
Types = Annotated[
    options.TypeMatching,
    choice(
        options.TypeMatching,
        "--types",
        "exact: column types must be the same; value: integers and decimals of any width, and NULL, "
        "are compared by value.",
    ),
]
Errors = Annotated[
    options.ErrorHandling,
    choice(
        options.ErrorHandling,
        "--errors",
        "strict: versions are not equivalent if only one of them may fail; ignore: a note says so.",
    ),
]
Verifiers = Annotated[
    str,
    Option(
        metavar="NAME,...",
        help="Verifiers to use, in this order (`veer doctor` lists them). By default the usual ones.",
    ),
]
Budget = Annotated[
    int | None,
    Option(
        metavar="N",
        min=1,
        help="Work per pair of sinks, in steps: a question to a verifier takes about 50,000, an operator "
        "on an instance one. By default 1,000,000, more for large pairs.",
    ),
]
Cache = Annotated[
    str,
    Option(
        metavar="FILE",
        help="Keep the answers of verifiers in this file, for later runs over similar versions.",
    ),
]
Master = Annotated[
    str,
    Option(
        metavar="URL",
        help="Spread the work over the executors of a Spark master: spark://HOST:7077, yarn, local[4]; "
        "by default local processes. Veer sends itself to the executors; they need the same Python version.",
    ),
]
MasterSettings = Annotated[
    list[str] | None,
    Option(
        "--master-conf",
        metavar="K=V",
        help="A setting of the application on the --master, such as spark.executor.memory=2g. Can "
        "be given several times.",
    ),
]
OutFile = Annotated[
    str, Option(metavar="FILE", help="Write the report there instead of printing it.")
]
ListFormat = Annotated[
    options.TextOrJson, choice(options.TextOrJson, "--format", "How to print it.")
]
ReportFormat = Annotated[
    str,
    Option(
        metavar="|".join(formats.names()),
        help="; ".join(f"{f.name}: {f.purpose}" for f in formats.FORMATS) + ".",
    ),
]


def reading(
    spec: str, jvm: options.JvmUse, arg: list[str] | None, env: list[str] | None, **more: Any
) -> dict[str, Any]:
    """How versions are read, as the options and the project file say; `spec` is the first of them."""
    from veer.cli.terminal import complain

    project = current_project()
    known = {"args": arg or project.args_of(spec), "env": env or (), "jvm": jvm, "note": complain}
    return {**known, "declared": project.declarations, **more}


def settings(given: list[str] | None, option: str = "--conf") -> dict[str, str]:
    """The settings of `--conf`, or of another option like it."""
    pairs = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"{option} {text!r}: expected KEY=VALUE")
        pairs[name.strip()] = value.strip()
    return pairs


@contextmanager
def runner(
    master: str, master_conf: list[str] | None, workers: int, timeout: float
) -> Iterator[Runner]:
    """What does the work: executors of a `--master`, or processes of this machine."""
    from veer.batch.workers import LocalProcesses

    conf = settings(master_conf, "--master-conf")
    if not master:
        if conf:
            raise UsageError("--master-conf needs --master")
        yield LocalProcesses(workers, timeout)
        return
    from veer.batch.cluster import SparkExecutors

    executors = SparkExecutors(master, timeout, conf)
    try:
        yield executors
    finally:
        executors.stop()


def named_pairs(given: list[str] | None) -> tuple[tuple[str, str], ...]:
    """The names of `--map`, each with that of the second version."""
    pairs = [tuple(text.split("=", 1)) for text in given or []]
    for text, pair in zip(given or [], pairs, strict=True):
        if len(pair) != 2 or not all(pair):
            raise UsageError(f"--map {text}: expected OLD=NEW")
    return tuple((old, new) for old, new in pairs)


def verifier_names(listed: str) -> tuple[str, ...]:
    """Verifiers named on the command line; each must exist."""
    from veer.prove.verifiers.registry import check_names

    names = options.names_in(listed)
    check_names(names)
    return names


def check_out_file(out: str) -> None:
    """Refuse a file of `--out` that cannot be written, before any work is done."""
    if out and not Path(out).resolve().parent.is_dir():
        raise UsageError(f"--out {out}: there is no such directory")
