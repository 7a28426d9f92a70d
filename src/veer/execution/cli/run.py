"""`veer run`: run a version on Spark, reading stored results where they are proven equal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import click

from veer.cli import options
from veer.cli.declare import Option
from veer.cli.project_file import current_project
from veer.cli.terminal import console, progress
from veer.errors import UsageError
from veer.execution.cli import run_output
from veer.options import Keep, Reuse, TextOrJson
from veer.visible import json_text

if TYPE_CHECKING:
    from veer.execution.start import RunOptions

# The options of this command alone, in the order in which its help shows them.
Spec = Annotated[str, options.spec("SPEC", "The version to run.")]
VersionName = Annotated[
    str, Option(help="The name of its versions in the store. By default the name of its file.")
]
Explain = Annotated[
    bool, Option("--explain", help="Show what Veer would read and compute, and run nothing.")
]
NoReuse = Annotated[
    bool, Option("--no-reuse", help="Compute everything, even if results are stored.")
]
KeepChoice = Annotated[
    Keep,
    options.choice(
        Keep,
        "--keep",
        "What to keep for later versions: the sinks; cuts: also small results below the edits; none.",
    ),
]
Trust = Annotated[
    bool,
    Option(
        "--trust",
        help="Do not check declared keys, foreign keys and NOT NULL in the data, and assume that functions "
        "of batches (pandas UDFs) do not depend on how rows are divided into batches.",
    ),
]
ProofShare = Annotated[
    float,
    Option(
        metavar="X",
        min=0,
        help="Spend at most X times the seconds that a stored result took on proving that it can be reused.",
    ),
]
DataFolder = Annotated[
    str, Option(metavar="DIR", help="The folder for relative paths and for tables given by name.")
]
Content = Annotated[
    bool,
    Option("--content", help="Detect changed sources by their content instead of size and time."),
]
ModelsFolder = Annotated[
    str,
    Option(
        metavar="DIR",
        help="The folder with model files of classifiers. By default `models` in --data.",
    ),
]
OutFolder = Annotated[
    str, Option(metavar="DIR", help="Also copy every sink to this folder, as Parquet.")
]
Overwrite = Annotated[
    bool,
    Option(
        "--overwrite",
        help="Allow targets and --out to replace data that Veer did not write. Sources are never replaced.",
    ),
]
TrustTargets = Annotated[
    bool,
    Option("--trust-targets", help="Allow a version to write to targets outside of the project."),
]
ResultsPath = Annotated[
    str,
    Option(
        metavar="PATH",
        help="The place for results of a new store: any path that Hadoop can write to.",
    ),
]
Master = Annotated[str, Option(metavar="URL", help="The Spark master.")]


def run(
    spec: Spec,
    store: options.StoreLocation = "",
    name: VersionName = "",
    explain: Explain = False,
    no_reuse: NoReuse = False,
    keep: KeepChoice = Keep.SINKS,
    trust: Trust = False,
    proof_share: ProofShare = 0.05,
    data: DataFolder = ".",
    content: Content = False,
    schema: options.Schema = "",
    arg: options.Arguments = None,
    functions: options.FunctionsFile = "",
    models: ModelsFolder = "",
    trust_code: options.TrustCode = False,
    out: OutFolder = "",
    overwrite: Overwrite = False,
    trust_targets: TrustTargets = False,
    results: ResultsPath = "",
    master: Master = "local[*]",
    conf: options.Settings = None,
    format: options.ListFormat = TextOrJson.TEXT,
) -> None:
    """Run a version on Spark, reading stored results instead of computing equal ones again.

    Examples:

      veer run report.yaml

      veer run report.yaml --explain

      veer run report.sql --schema tables.ddl --data warehouse/ --out results/

      veer run jobs/report.py:build --arg day=2024-01-01

    Every run is recorded as a version of the store: see `veer log`, `veer show store:report@1`,
    `veer diff store:report@1 store:report@2`. Veer does not compute a sink that it proves equal to a
    stored result; for the others it reads the largest stored parts. It checks before and after the run
    whether sources changed. A PySpark function runs unchanged; the store keeps what it writes or
    returns.

    Veer also writes a sink to its target, if it has one: only inside of the project, and only over
    data that Veer wrote.
    """
    from veer.execution.start import RunOptions

    _require_named_spark()
    run_options = RunOptions(
        store=store,
        results=results,
        name=name,
        schema=schema,
        args=tuple(arg or current_project().args_of(spec)),
        data=data,
        content=content,
        models=models,
        functions=functions,
        trust_code=trust_code,
        overwrite=overwrite,
        trust_targets=trust_targets,
        keep=keep,
        reuse=Reuse.NONE if no_reuse else Reuse.PROVEN,
        trust=trust,
        share=proof_share,
        master=master,
        conf=tuple(options.settings(conf).items()),
        stable=current_project().stable_sources,
    )
    if _is_job(spec):
        _refuse_for_jobs(out=bool(out), overwrite=overwrite, trust_targets=trust_targets)
        show_job = _explain_job if explain else _run_job
        show_job(spec, run_options, format)
    elif explain:
        _explain(spec, run_options, format)
    else:
        _run(spec, run_options, out, format)


def _require_named_spark() -> None:
    """Refuse to run on another Spark than the one the project file names: it may compute another result."""
    from veer.read.pyspark.pyspark_version import pyspark_version
    from veer.settings import spark_version

    named, installed = current_project().spark, pyspark_version()
    if named and installed and spark_version(named) != spark_version(installed):
        raise UsageError(
            f"the project file says Spark {named}, and PySpark {installed} is installed; run where "
            f"PySpark {named} is, or leave `spark` out of the project file"
        )


def _is_job(spec: str) -> bool:
    """Whether a SPEC names a PySpark function."""
    from veer.read.registry import parse

    return bool(parse(spec).function)


def _refuse_for_jobs(**given: bool) -> None:
    """Refuse options that say where sinks go: a job writes by itself."""
    for name, is_set in given.items():
        if is_set:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for workflow files and SQL; a job runs as it is")


def _run(spec: str, run_options: RunOptions, out: str, format: TextOrJson) -> None:
    """Run a version and print what was read and computed."""
    from veer.execution.start import destinations, export, start

    with progress() as say, start(spec, run_options, progress=say) as started:
        destinations(started, out)  # refused before anything is computed
        outcome = started.running.run()
        if outcome.results:
            say("writing results")
        data = run_output.outcome_json(outcome, started, export(outcome, started, out))
    if format is TextOrJson.JSON:
        click.echo(json_text(data))
    else:
        run_output.print_outcome(data)


def _explain(spec: str, run_options: RunOptions, format: TextOrJson) -> None:
    """Print what a run would read and compute."""
    from veer.execution.start import start

    with progress() as say, start(spec, run_options, progress=say) as started:
        begun = time.perf_counter()
        data = run_output.plan_json(started.running.plan().plan, started.dataflow)
        data["seconds"] = round(time.perf_counter() - begun, 3)
    if format is TextOrJson.JSON:
        click.echo(json_text(data))
    else:
        run_output.print_plan(data)


def _run_job(spec: str, run_options: RunOptions, format: TextOrJson) -> None:
    """Call a PySpark function as it is; its frames go through the store."""
    from veer.execution.jobs import run_job

    begun = time.perf_counter()
    with progress() as say:
        job = run_job(spec, run_options, say)
    frames, seconds = run_output.job_outcome_json(job), round(time.perf_counter() - begun, 3)
    if format is TextOrJson.JSON:
        click.echo(json_text({"job": job.name, "frames": frames, "seconds": seconds}))
    else:
        run_output.print_job(job.name, frames, seconds)


def _explain_job(spec: str, run_options: RunOptions, format: TextOrJson) -> None:
    """Print what would be done for each frame of a PySpark function."""
    from veer.execution.jobs import explain_job

    begun = time.perf_counter()
    with progress() as say:
        frames = [run_output.job_plan_json(*each) for each in explain_job(spec, run_options, say)]
    seconds = round(time.perf_counter() - begun, 3)
    if format is TextOrJson.JSON:
        click.echo(json_text({"job": spec, "frames": frames, "seconds": seconds}))
        return
    for frame in frames:
        run_output.print_plan(frame)
    if not frames:
        console().print("[dim]the job would write and return no DataFrame[/]")
