"""`veer check`: a whole project at a base and now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from veer.cli import options
from veer.cli.declare import Argument, Option
from veer.cli.project_file import current_project
from veer.cli.terminal import complain, console, progress_bar, write_out
from veer.cli.verify import LONGEST_LIMIT
from veer.errors import UsageError
from veer.options import ColumnMatching, ErrorHandling, JvmUse, TypeMatching, chosen_several
from veer.projects.show import formats
from veer.read.pyspark.offline.loader import LOADER
from veer.read.pyspark.pyspark_version import connect_problem
from veer.show.formats import Format
from veer.verdict import TableSemantics
from veer.visible import visible

if TYPE_CHECKING:
    from veer.projects.check import CheckOptions
    from veer.projects.outcomes import ProjectReport

TIMEOUT = 120  # seconds a job may take by default


class FailOn(Enum):
    """Verdicts that `--fail-on` can name."""

    CHANGED = "changed"
    UNKNOWN = "unknown"
    NEW = "new"
    REMOVED = "removed"
    NEVER = "never"


EXIT_STATUSES = {FailOn.CHANGED: 1, FailOn.NEW: 1, FailOn.REMOVED: 1, FailOn.UNKNOWN: 2}

Chosen = Annotated[
    list[str] | None,
    Argument(
        metavar="JOB|PATH",
        help="Jobs, files or folders to check. By default all jobs.",
    ),
]
Base = Annotated[
    str,
    Option(
        metavar="REV",
        help="Compare the working tree with this revision; `main...` means the commit where it branched off "
        "main. By default where it branched off origin/HEAD, origin/main, main or master.",
    ),
]
Output = Annotated[
    str,
    Option(
        metavar="|".join(formats.names()),
        help="; ".join(f"{f.name}: {f.purpose}" for f in formats.FORMATS) + ".",
    ),
]
CacheFolder = Annotated[
    str,
    Option(
        metavar="DIR",
        help="Keep answers in this folder for later checks. By default the folder of the project file.",
    ),
]
Fail = Annotated[
    str,
    Option(
        metavar="VERDICT,...",
        help="Verdicts that give an exit status other than 0: changed (1), unknown (2), new, removed (1); "
        "or never.",
    ),
]
PrintStale = Annotated[
    bool,
    Option(
        "--print-stale",
        help="Print only the names of the jobs that must run again, one per line, in an order to run them.",
    ),
]
Workers = Annotated[
    int, Option(metavar="N", min=1, max=64, help="Number of jobs to check at the same time.")
]
Timeout = Annotated[
    float,
    Option(metavar="S", min=0, help="Time limit for a job in seconds; 0 for no limit."),
]


DbtManifest = Annotated[
    str,
    Option(
        "--dbt",
        metavar="MANIFEST",
        help="Check the models of a dbt project instead: its target/manifest.json with compiled code.",
    ),
]
BaseManifest = Annotated[
    str,
    Option(metavar="MANIFEST", help="The manifest to compare with, such as the one of production."),
]

SqlmeshFolder = Annotated[
    str,
    Option(
        metavar="DIR",
        help="Check the models of a SQLMesh project instead. SQLMesh renders them and runs their macros.",
    ),
]
SqlmeshPython = Annotated[
    str,
    Option(
        metavar="PYTHON", help="The Python that has SQLMesh, if it is not the one that runs Veer."
    ),
]


def check(
    jobs: Chosen = None,
    base: Base = "",
    format: Output = "text",
    out: options.OutFile = "",
    print_stale: PrintStale = False,
    fail_on: Fail = "changed,unknown",
    cache: CacheFolder = "",
    workers: Workers = 2,
    timeout: Timeout = TIMEOUT,
    schema: options.CommandLineSchema = "",
    semantics: options.Semantics = TableSemantics.BAG,
    columns: options.Columns = ColumnMatching.NAME,
    types: options.Types = TypeMatching.EXACT,
    errors: options.Errors = ErrorHandling.IGNORE,
    ev: options.Verifiers = "",
    budget: options.Budget = None,
    arg: options.Arguments = None,
    conf: options.CommandLineSettings = None,
    spark: options.CommandLineSpark = "",
    env: options.CommandLineEnvironment = None,
    jvm: options.Jvm = JvmUse.AUTO,
    master: options.Master = "",
    master_conf: options.MasterSettings = None,
    dbt: DbtManifest = "",
    base_manifest: BaseManifest = "",
    sqlmesh: SqlmeshFolder = "",
    sqlmesh_python: SqlmeshPython = "",
) -> None:
    """Check what a change of a project alters, what it does not alter, and what must run again.

    Examples:

      veer check

      veer check --base main jobs/ --schema tables.ddl

      veer check --base main... --format markdown --out comment.md

      veer check --print-stale

      veer check --dbt target/manifest.json --base-manifest prod/manifest.json

    Veer checks the jobs of [tool.veer.jobs] and those found by convention: .sql files with a query,
    workflow files, and functions that take a SparkSession and return DataFrames or write. It compares
    only jobs that can have changed since the base, and compares a job together with the jobs that write
    its inputs.

    Verdicts: unchanged (nothing that decides it changed), equivalent (proven), changed (with a witness),
    unknown (with what would settle it), new, removed. Exit status: 0, 1 if something changed, 2 if
    something is unknown (--fail-on), 64 wrong usage, 65 no such base or no repository.
    """
    output = formats.get(format, "--format")
    failing = _failing(fail_on)
    options.check_out_file(out)
    from veer.projects.check import CheckOptions
    from veer.projects.comparing import AnswerFolder
    from veer.projects.repository import Reading
    from veer.projects.revisions import require_own_cache
    from veer.read.inputs import ReadOptions
    from veer.read.spec import schema_text
    from veer.verification.comparison import Comparison

    project = current_project()
    comparison = Comparison(
        semantics=semantics,
        columns=columns,
        types=types,
        budget=budget,
        evs=options.verifier_names(ev),
        errors=errors,
    )
    tables = ReadOptions(schema_text(schema)).ddl()
    reading = Reading(tables, options.settings(conf), spark, arg or (), jvm, complain, env or ())
    if bool(dbt) != bool(base_manifest) or (dbt and base):
        raise UsageError("--dbt needs --base-manifest and cannot be used with --base")
    if sqlmesh and dbt:
        raise UsageError("--sqlmesh and --dbt cannot be used together")
    if not (dbt or sqlmesh) and jvm is not JvmUse.ALWAYS and not connect_problem():
        LOADER.start()  # it imports PySpark meanwhile
    answers = AnswerFolder(cache or project.check.cache)
    require_own_cache(Path.cwd(), answers.folder)
    limit = timeout if timeout <= LONGEST_LIMIT else 0
    with options.runner(master, master_conf, workers, limit) as runner:
        check_options = CheckOptions(runner, comparison, workers, answers)
        if dbt:
            report = check_dbt(dbt, base_manifest, jobs or (), reading, check_options)
        elif sqlmesh:
            report = check_sqlmesh(
                sqlmesh, base, sqlmesh_python, jobs or (), reading, check_options
            )
        else:
            report = check_repository(base, jobs or (), reading, check_options)
    _show(report, output, out, print_stale)
    raise click.exceptions.Exit(_exit_status(report, failing))


def check_dbt(
    manifest: str, base: str, chosen: Sequence[str], reading: Any, check_options: CheckOptions
) -> ProjectReport:
    """The report on the models of two manifests."""
    from veer.projects.dbt import dbt_project
    from veer.projects.report import report_on_dbt

    start = time.perf_counter()
    with progress_bar("checking") as say:
        project = dbt_project(manifest, base, chosen, reading)
        return report_on_dbt(project, chosen, replace(check_options, progress=say), start)


def check_sqlmesh(
    folder: str,
    base: str,
    python: str,
    chosen: Sequence[str],
    reading: Any,
    check_options: CheckOptions,
) -> ProjectReport:
    """The report on the models of a SQLMesh project."""
    from veer.projects.read.sqlmesh import sqlmesh_python
    from veer.projects.report import report_on_sqlmesh
    from veer.projects.sqlmesh import sqlmesh_project

    start = time.perf_counter()
    with progress_bar("checking") as say:
        say("rendering by SQLMesh", 0, 0)
        project = sqlmesh_project(folder, base, sqlmesh_python(python), chosen, reading)
        return report_on_sqlmesh(project, chosen, replace(check_options, progress=say), start)


def check_repository(
    base: str, chosen: Sequence[str], reading: Any, check_options: CheckOptions
) -> ProjectReport:
    """The report on the repository of the current folder."""
    from veer.projects.repository import repository

    start = time.perf_counter()
    with progress_bar("checking") as say:
        watched = replace(check_options, progress=say)
        with repository(base, chosen, current_project(), reading) as opened:
            from veer.projects.report import report_on_repository

            return report_on_repository(opened, watched, start)


def _failing(listed: str) -> tuple[FailOn, ...]:
    failing = chosen_several(FailOn, listed, "--fail-on")
    if FailOn.NEVER in failing and len(failing) > 1:
        raise UsageError("--fail-on never cannot be combined with other verdicts")
    return failing


def _exit_status(report: ProjectReport, failing: Sequence[FailOn]) -> int:
    """0, or that of the worst verdict that was named."""
    there = {s.outcome.value for job in report.jobs for s in job.sinks}
    there |= {job.outcome.value for job in report.jobs}
    return min((EXIT_STATUSES[f] for f in failing if f.value in there), default=0)


def _show(report: ProjectReport, output: Format, out: str, print_stale: bool) -> None:
    from veer.projects.show.as_json import project_json

    data = project_json(report)
    if print_stale:
        text = "".join(f"{visible(name)}\n" for name in report.stale_jobs)
        write_out(text, out)
    elif output.name == "text" and not out:
        from veer.projects.show.as_text import print_project

        print_project(console(), data)
    else:
        write_out(output.render(data), out)
