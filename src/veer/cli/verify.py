"""`veer verify`: compare two versions and report."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import click

from veer.cli import options, terminal
from veer.cli.declare import Option
from veer.errors import TimeLimitReached, UsageError, VeerError
from veer.options import (
    ColumnMatching,
    ErrorHandling,
    JvmUse,
    Optimization,
    SearchStrategy,
    SecondSolver,
    TypeMatching,
    chosen_several,
    values,
)
from veer.read.pyspark.offline.loader import is_job, start_for
from veer.show import formats
from veer.verdict import TableSemantics, Verdict

if TYPE_CHECKING:
    from veer.api import Comparison, Version
    from veer.verdict import Report

LONGEST_LIMIT = 10**8  # seconds; more is no limit
TIMEOUT = 600  # seconds a pair may take by default

# The options of this command alone, in the order in which its help shows them.
VersionP = Annotated[
    str,
    options.spec("BEFORE", "The version before; with --base the only SPEC."),
]
VersionQ = Annotated[str, options.spec("AFTER", "The version after.")]
BaseRevision = Annotated[
    str, Option(metavar="REV", help="Compare the SPEC at this git revision with the SPEC now.")
]
Strategy = Annotated[
    SearchStrategy,
    options.choice(SearchStrategy, "--strategy", "How to search for a proof."),
]
WithoutOptimizations = Annotated[
    str,
    Option(
        metavar=f"{'|'.join(values(Optimization))},...",
        help="Switch off these optimizations of the search.",
    ),
]
Timeout = Annotated[
    float,
    Option(metavar="S", min=0, help="Seconds after which the verdict is unknown; 0 for no limit."),
]
WitnessFolder = Annotated[
    str, Option(metavar="DIR", help="Write witnesses to this folder as PySpark scripts.")
]
EvidenceFolder = Annotated[
    str,
    Option(
        metavar="DIR",
        help="Write the steps of the proof to this folder, with the solver's questions in SMT-LIB 2 "
        "for any solver to check; or the witness.",
    ),
]
Recheck = Annotated[
    SecondSolver | None,
    options.choice(
        SecondSolver,
        "--recheck",
        "Also ask this solver the questions of the proof. If it contradicts an answer, the verdict "
        "is unknown and the exit status 70.",
    ),
]
SuggestKeys = Annotated[
    bool,
    Option(
        "--suggest-keys",
        help="If the versions are not equivalent, look for declarations that make them equivalent: "
        "keys, columns that are never null, foreign keys. Veer prints them as lines for the schema, "
        "with queries that check them on the data. The verdict does not change.",
    ),
]
ModelsFolder = Annotated[
    str,
    Option(
        metavar="DIR",
        help="The folder with model files of classifiers. By default `models` next to the workflow file.",
    ),
]


def verify(
    p: VersionP,
    q: VersionQ = "",
    base: BaseRevision = "",
    schema: options.Schema = "",
    semantics: options.Semantics = TableSemantics.BAG,
    strategy: Strategy = SearchStrategy.SWEEP,
    without: WithoutOptimizations = "",
    ev: options.Verifiers = "",
    columns: options.Columns = ColumnMatching.NAME,
    types: options.Types = TypeMatching.EXACT,
    map_: options.Names = None,
    errors: options.Errors = ErrorHandling.IGNORE,
    budget: options.Budget = None,
    timeout: Timeout = TIMEOUT,
    cache: options.Cache = "",
    arg: options.Arguments = None,
    conf: options.Settings = None,
    spark: options.Spark = "",
    env: options.Environment = None,
    jvm: options.Jvm = JvmUse.AUTO,
    store: options.StoreLocation = "",
    format: options.ReportFormat = "text",
    out: options.OutFile = "",
    witness_out: WitnessFolder = "",
    evidence: EvidenceFolder = "",
    recheck: Recheck = None,
    functions: options.FunctionsFile = "",
    models: ModelsFolder = "",
    trust_code: options.TrustCode = False,
    suggest_keys: SuggestKeys = False,
) -> None:
    """Verify that two versions produce the same results.

    Examples:

      veer verify old.yaml new.yaml

      veer verify --base main jobs/report.sql --schema tables.ddl

      veer verify --base main jobs/report.py:build --schema tables.ddl --arg day=2024-01-01

      veer verify old.sql new.sql --schema tables.ddl --suggest-keys

      veer verify old.sql new.sql --schema tables.ddl --conf spark.sql.ansi.enabled=false

    Veer calls a PySpark function and intercepts what it reads and writes and its actions: no Spark
    job runs, and no JVM starts unless the function needs one (--jvm).

    The answer is EQUIVALENT with a checked proof, INEQUIVALENT with a witness, or UNKNOWN with the
    reason, the smallest parts of both versions not proven equal, as SQL, and what would settle it.
    """
    output = formats.get(format, "--format")
    if bool(q) == bool(base):
        raise UsageError("give two versions, BEFORE and AFTER, or --base REV and one SPEC")
    options.check_out_file(out)
    _check_evidence_folder(evidence)
    start_for(jvm, p, q)
    from veer.api import Comparison
    from veer.read.function_bodies import Bodies, own_functions

    comparison = Comparison(
        semantics=semantics,
        columns=columns,
        types=types,
        names=options.named_pairs(map_),
        budget=budget,
        evs=options.verifier_names(ev),
        errors=errors,
        strategy=strategy,
        without=chosen_several(Optimization, without, "--without"),
        cache=cache,
        evidence=bool(evidence),
        recheck=recheck,
        suggest_keys=suggest_keys,
    )
    own = own_functions(functions) if functions else {}
    bodies = Bodies(Path(models), own, trust_code=trust_code)
    loading = options.reading(
        p, jvm, arg, env, schema=schema, revision=base, store=store, bodies=bodies,
        conf=options.settings(conf), spark=spark,
    )  # fmt: skip
    report, versions = _compare(p, q or p, loading, comparison, timeout)
    _show(report, output, out)
    if jvm is JvmUse.AUTO and _optimizer_could_help(report, versions, p, q or p):
        terminal.complain(
            "undecided; --jvm always also compares what Spark's optimizer makes of both"
        )
    if versions is not None:  # else there is nothing but a verdict
        _write_witnesses(report, versions, witness_out)
        _write_evidence(report, versions, evidence)
    raise click.exceptions.Exit(_exit_status(report, recheck))


def _compare(
    p: str, q: str, loading: dict[str, Any], comparison: Comparison, timeout: float
) -> tuple[Report, tuple[Version, Version] | None]:
    """The report on two SPECs; without versions if the time was over before both were read."""
    from veer import api

    versions = None
    base = loading["revision"]
    try:
        with time_limit(timeout), terminal.progress() as say:
            say(f"reading {p}" if base else f"reading {p} and {q}")
            versions = api.load_pair(p, q, **loading)
            say("verifying")
            return api.verify(*versions, comparison, progress=say), versions
    except TimeLimitReached as limit:
        return api.stopped(f"{base}:{p}" if base else p, q, comparison, limit), versions


def _optimizer_could_help(
    report: Report, versions: tuple[Version, Version] | None, *specs: str
) -> bool:
    """Whether two jobs are undecided and their optimized plans were not compared."""
    if versions is None or report.verdict is not Verdict.UNKNOWN:
        return False
    return all(map(is_job, specs)) and all(v.optimized is None for v in versions)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Give up after a time; only where the platform has alarms."""
    if not 0 < seconds <= LONGEST_LIMIT or not hasattr(signal, "setitimer"):
        yield
        return

    over = False

    def stop(*_: object) -> NoReturn:
        nonlocal over
        over = True
        raise TimeLimitReached(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Exception as error:
        # What calls the solver may have wrapped it into an error of its own.
        if over:
            raise TimeLimitReached(seconds) from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _show(report: Report, output: formats.Format, out: str) -> None:
    """Print the report, in colours where it is read by people, or write it to a file."""
    from veer.show.as_json import report_json, viewed_json

    data = viewed_json(report) if output.is_view else report_json(report)
    if output.name == "text" and not out:
        from veer.show.as_text import print_report

        print_report(terminal.console(), data)
    else:
        terminal.write_out(output.render(data), out)


def _write_witnesses(report: Report, versions: tuple[Version, Version], folder: str) -> None:
    """Write the witnesses of `--witness-out`."""
    if folder:
        from veer.show.witness_script import write_witnesses

        for path in write_witnesses(report, *versions, Path(folder)):
            terminal.complain(f"wrote {path}")


def _check_evidence_folder(folder: str) -> None:
    """Refuse a folder of `--evidence` that holds something else, before any work is done."""
    if folder:
        from veer.show.evidence_folder import check_folder

        check_folder(Path(folder))


def _write_evidence(report: Report, versions: tuple[Version, Version], folder: str) -> None:
    """Write the proof or witness of `--evidence`."""
    if not folder:
        return
    from veer.show.evidence_folder import write_evidence

    count = write_evidence(report, *versions, Path(folder))
    if count is None:
        terminal.complain(f"nothing to write into {folder}: there is neither proof nor witness")
    else:
        terminal.complain(f"wrote {folder} with {count} question{'' if count == 1 else 's'}")


def _exit_status(report: Report, recheck: SecondSolver | None) -> int:
    """The status of the verdict; that of a defect, which is saved, if two solvers contradict."""
    if recheck is None or not report.disagreements:
        return report.verdict.exit_status
    terminal.complain(
        f"DEFECT: {recheck.value} has a model of what z3 found to have none, so no proof may rest "
        "on it; please report this with both versions"
    )
    terminal.save_defect("the question", report.disagreements[0], "smt2")
    return VeerError.exit_status
