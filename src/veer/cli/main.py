"""`veer`: the commands. Heavy imports wait until a command needs them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from veer import __version__
from veer.cli import running
from veer.cli.terminal import choice, console, progress
from veer.errors import DefectError, InputError, TimeLimitReached, UsageError, VeerError
from veer.visible import visible

app = typer.Typer(
    name="veer",
    help=(
        "Verify whether two versions of a dataflow produce the same results, without running them.\n\n"
        "A version (SPEC) is a workflow file (.json, .yaml), a .sql file, a PySpark function "
        "(jobs/report.py:build), one of these at a git revision (main:jobs/report.sql), or a stored "
        "version (store:report@3).\n\n"
        "Exit status of verify: 0 equivalent, 1 inequivalent, 2 unknown, 64 wrong usage, "
        "65 input that cannot be read, 70 internal error, 130 interrupted."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SEMANTICS = ("bag", "set", "ordered")
FORMATS = ("text", "json", "html", "junit", "sarif")
STRATEGIES = ("sweep", "plus", "baseline")
OPTIMIZATIONS = ("segment", "prune", "rank", "quick")
CACHE_HELP = "Keep answers of verifiers in this file, for the next run over similar versions."
ARG_HELP = "Argument of a PySpark function; may be given several times."
TYPES_HELP = "exact, or value: widths of integers and decimals, and NULL, compared by value."
LONGEST_MESSAGE = 2_000
LONGEST_LIMIT = 10**8  # seconds; more is none
TIMEOUT = 600  # seconds a pair may take, unless told otherwise
EV_HELP = "Verifiers to ask, in this order (`veer doctor` lists them); the usual ones by default."


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"veer {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def verify(
    p: Annotated[
        str,
        typer.Argument(
            metavar="P", help="The version to compare with, or with --base the only SPEC."
        ),
    ],
    q: Annotated[str, typer.Argument(metavar="Q", help="The new version.")] = "",
    base: Annotated[
        str, typer.Option(metavar="REV", help="Compare SPEC with itself at this git revision.")
    ] = "",
    schema: Annotated[
        str,
        typer.Option(
            metavar="DDL",
            help="CREATE TABLE statements of what SQL and jobs read: a file or the text.",
        ),
    ] = "",
    semantics: Annotated[
        str, typer.Option(help=f"When tables are the same: {', '.join(SEMANTICS)}.")
    ] = "bag",
    strategy: Annotated[
        str, typer.Option(help=f"How to search for a proof: {', '.join(STRATEGIES)}.")
    ] = "sweep",
    without: Annotated[
        str, typer.Option(help=f"Optimizations to switch off: {', '.join(OPTIMIZATIONS)}.")
    ] = "",
    ev: Annotated[str, typer.Option(metavar="NAME,...", help=EV_HELP)] = "",
    columns: Annotated[
        str, typer.Option(help="Match result columns by name or by position.")
    ] = "name",
    types: Annotated[str, typer.Option(help=TYPES_HELP)] = "exact",
    errors: Annotated[
        str, typer.Option(help="strict: not equivalent if only one version may fail; or ignore.")
    ] = "ignore",
    budget: Annotated[
        int, typer.Option(metavar="N", min=1, help="Work to spend, in steps.")
    ] = 1_000_000,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="S", min=0, help="Seconds after which the verdict is unknown; 0 for no limit."
        ),
    ] = TIMEOUT,
    cache: Annotated[str, typer.Option(metavar="FILE", help=CACHE_HELP)] = "",
    arg: Annotated[list[str] | None, typer.Option(metavar="K=V", help=ARG_HELP)] = None,
    store: Annotated[str, typer.Option(metavar="DIR|URL", help=running.STORE_HELP)] = "",
    format: Annotated[str, typer.Option(help=f"{', '.join(FORMATS)}.")] = "text",
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the report there instead of printing it.")
    ] = "",
    witness_out: Annotated[
        str, typer.Option(metavar="DIR", help="Write witnesses there as PySpark scripts.")
    ] = "",
    evidence: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="Write there the steps of the proof, and the solver's questions in SMT-LIB 2 "
            "that any solver can check; or the witness.",
        ),
    ] = "",
    recheck: Annotated[
        str,
        typer.Option(
            metavar="SOLVER",
            help="Ask cvc5 the solver's questions too; if it contradicts, the verdict is unknown "
            "and the exit status 70.",
        ),
    ] = "",
) -> None:
    """Verify that two versions produce the same results.

    Examples:

      veer verify old.yaml new.yaml

      veer verify --base main jobs/report.sql --schema tables.ddl

      veer verify --base main jobs/report.py:build --schema tables.ddl --arg day=2024-01-01

    A PySpark function is called with reading, writing and actions intercepted: no Spark job runs.

    The answer is EQUIVALENT with a checked proof, INEQUIVALENT with a witness, or UNKNOWN with the
    reason.
    """
    choice("--semantics", semantics, SEMANTICS)
    choice("--strategy", strategy, STRATEGIES)
    choice("--columns", columns, ("name", "position"))
    choice("--types", types, ("exact", "value"))
    choice("--errors", errors, ("ignore", "strict"))
    choice("--format", format, FORMATS)
    for name in filter(None, without.split(",")):
        choice("--without", name, OPTIMIZATIONS)
    if budget <= 0:
        raise UsageError("--budget must be positive")
    if bool(q) == bool(base):
        raise UsageError("give two versions P and Q, or --base REV and one SPEC")
    _check_target(out)
    if recheck:
        choice("--recheck", recheck, ("cvc5",))
    if evidence:
        _check_folder(evidence)

    from veer.api import Comparison, load_pair, stopped
    from veer.api import verify as verify_versions
    from veer.report.as_json import report_json
    from veer.verdict import TableSemantics

    off = tuple(name for name in without.split(",") if name)
    asked = Comparison(
        TableSemantics(semantics),
        columns,
        types,
        budget,
        _names(ev),
        errors,
        strategy,
        off,
        cache,
        evidence=bool(evidence),
        recheck=recheck,
    )
    old = new = None
    try:
        with _time_limit(timeout), progress() as say:
            say(f"reading {p}" if base else f"reading {p} and {q}")
            given = arg or ()
            old, new = load_pair(p, q or p, schema=schema, revision=base, args=given, store=store)
            say("verifying")
            report = verify_versions(old, new, asked, progress=say)
    except TimeLimitReached as limit:
        report = stopped(f"{base}:{p}" if base else p, q or p, asked, limit)
    _show(report_json(report), format, out)
    if witness_out and old and new:
        from veer.report.witness_script import write_witnesses

        for path in write_witnesses(report, old, new, Path(witness_out)):
            _complain(f"wrote {path}")
    if evidence and old and new:
        from veer.report.evidence_folder import write_evidence

        count = write_evidence(report, old, new, Path(evidence))
        if count is None:
            _complain(f"nothing to write into {evidence}: there is neither proof nor witness")
        else:
            _complain(f"wrote {evidence} with {count} question{'' if count == 1 else 's'}")
    if report.disagreements:
        _cry(report.disagreements[0], recheck)
        raise typer.Exit(DefectError.exit_status)
    raise typer.Exit(report.verdict.exit_status)


@app.command()
def batch(
    pairs: Annotated[
        str,
        typer.Argument(metavar="PAIRS.jsonl", help="Lines of {id, schema, p, q} with SQL text."),
    ],
    out: Annotated[
        str,
        typer.Option(
            metavar="RESULTS.jsonl",
            help="Where results go; standard output by default. Pairs that have a result there are skipped.",
        ),
    ] = "",
    workers: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Processes to use.")] = 2,
    timeout: Annotated[
        float, typer.Option(metavar="S", min=0, help="Seconds a pair may take; 0 for no limit.")
    ] = 60,
    semantics: Annotated[
        str, typer.Option(help=f"When tables are the same: {', '.join(SEMANTICS)}.")
    ] = "bag",
    columns: Annotated[
        str, typer.Option(help="Match result columns by name or by position.")
    ] = "position",
    types: Annotated[str, typer.Option(help=TYPES_HELP)] = "value",
    ev: Annotated[str, typer.Option(metavar="NAME,...", help=EV_HELP)] = "",
    errors: Annotated[
        str, typer.Option(help="strict: not equivalent if only one version may fail; or ignore.")
    ] = "ignore",
    budget: Annotated[
        int, typer.Option(metavar="N", min=1, help="Work to spend per pair, in steps.")
    ] = 1_000_000,
    cache: Annotated[str, typer.Option(metavar="FILE", help=CACHE_HELP)] = "",
) -> None:
    """Verify many pairs of SQL queries over local processes.

    Results are written as they come; a run that was stopped goes on where it was. A pair that cannot
    be read, or takes too long, gets a result saying so, and the rest go on.
    """
    choice("--semantics", semantics, SEMANTICS)
    choice("--columns", columns, ("name", "position"))
    choice("--types", types, ("exact", "value"))
    choice("--errors", errors, ("ignore", "strict"))
    _check_target(out)
    from veer.api import Comparison
    from veer.cli.batch import run_with_progress
    from veer.verdict import TableSemantics

    asked = Comparison(
        TableSemantics(semantics), columns, types, budget, _names(ev), errors, cache=cache
    )
    raise typer.Exit(run_with_progress(pairs, out, workers, timeout, asked))


@app.command()
def diff(
    p: Annotated[str, typer.Argument(metavar="P", help="The earlier version.")],
    q: Annotated[str, typer.Argument(metavar="Q", help="The later version.")],
    schema: Annotated[
        str,
        typer.Option(
            metavar="DDL",
            help="CREATE TABLE statements of what SQL and jobs read: a file or the text.",
        ),
    ] = "",
    arg: Annotated[list[str] | None, typer.Option(metavar="K=V", help=ARG_HELP)] = None,
    store: Annotated[str, typer.Option(metavar="DIR|URL", help=running.STORE_HELP)] = "",
    mappings: Annotated[
        int, typer.Option(metavar="K", min=1, help="Show the K best edit mappings.")
    ] = 1,
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Show the edits that make Q of P.

    Operators are mapped by id where ids are stable (workflow files), else by structure.
    """
    choice("--format", format, ("text", "json"))
    from itertools import islice

    from veer.api import load_pair
    from veer.report.as_json import edits_json
    from veer.versions import VersionPair, best_mappings
    from veer.versions.describe import describe_edits

    with progress() as say:
        say(f"reading {p} and {q}")
        old, new = load_pair(p, q, schema=schema, args=arg or (), store=store)
    stable = old.stable_ids and new.stable_ids
    found = []
    for mapping in islice(best_mappings(old.dataflow, new.dataflow, stable_ids=stable), mappings):
        pair = VersionPair(old.dataflow, new.dataflow, mapping)
        edits = edits_json(describe_edits(pair))
        found.append({"mapping": [list(m) for m in sorted(mapping.pairs)], "edits": edits})
    if format == "json":
        from veer.report.formats import render

        typer.echo(render({"p": old.name, "q": new.name, "mappings": found}, "json"), nl=False)
        return
    from veer.report.as_text import print_edits

    shown = console()
    for number, item in enumerate(found, 1):
        if mappings > 1:
            shown.print(f"[bold]mapping {number}[/]")
        print_edits(shown, item["edits"])  # type: ignore[arg-type]


@app.command()
def show(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The version to print.")],
    schema: Annotated[
        str, typer.Option(metavar="DDL", help="CREATE TABLE statements of what is read.")
    ] = "",
    arg: Annotated[list[str] | None, typer.Option(metavar="K=V", help=ARG_HELP)] = None,
    store: Annotated[str, typer.Option(metavar="DIR|URL", help=running.STORE_HELP)] = "",
    format: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Print a version as Veer understands it, one operator per line.

    Of a stored version (store:report@3) also what it read and where its results are.
    """
    choice("--format", format, ("text", "json"))
    from veer.api import load

    with progress() as say:
        say(f"reading {spec}")
        version = load(spec, schema=schema, args=arg or (), store=store)
    if spec.startswith("store:") and format == "text":
        running.show_stored(spec, store)
    if format == "json":
        from veer.model.json import to_json
        from veer.report.formats import render

        typer.echo(render(to_json(version.dataflow), "json"), nl=False)
    else:
        from veer.model.pprint import show_dataflow

        typer.echo(visible(show_dataflow(version.dataflow), lines=True))


@app.command()
def schema() -> None:
    """Print the JSON Schema of workflow files."""
    from veer.frontends.workflow.schema import SCHEMA
    from veer.report.formats import render

    typer.echo(render(SCHEMA, "json"), nl=False)


@app.command()
def doctor() -> None:
    """Check the installation: versions, Java, and a panel of pairs with known verdicts."""
    from veer.cli.doctor import examine

    raise typer.Exit(examine(console()))


running.add_to(app)


# -- helpers -----------------------------------------------------------------------------------


def _names(listed: str) -> tuple[str, ...]:
    """Verifiers named on the command line; each must exist."""
    from veer.evs.registry import check_names

    names = tuple(name.strip() for name in listed.split(",") if name.strip())
    check_names(names)
    return names


def _check_target(out: str) -> None:
    if out and not Path(out).resolve().parent.is_dir():
        raise UsageError(f"--out {out}: there is no such directory")


def _check_folder(folder: str) -> None:
    from veer.report.evidence_folder import check_folder

    check_folder(Path(folder))


def _show(report: dict[str, Any], format_: str, out: str) -> None:
    if format_ == "text":
        from veer.report.as_text import plain_text, print_report

        if not out:
            print_report(console(), report)
            return
        text = plain_text(report)
    else:
        text = _rendered(report, format_)
    if not out:
        typer.echo(text, nl=False)
        return
    try:
        Path(out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}") from None


def _rendered(report: dict[str, Any], format_: str) -> str:
    from veer.report.formats import render

    return render(report, format_)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Give up after a time; only where the platform has alarms."""
    if not 0 < seconds <= LONGEST_LIMIT or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise TimeLimitReached(seconds)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(command: Callable[[], Any] | None = None) -> NoReturn:
    """Run the command and end with its documented exit status; one line for every error."""
    try:
        ended = (command or (lambda: app(standalone_mode=False)))()
        status = ended if isinstance(ended, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted")
        status = 130
    except DefectError as error:
        _complain(str(error))
        _keep_evidence(error)
        status = error.exit_status
    except VeerError as error:
        _complain(str(error))
        status = error.exit_status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Exception as error:
        status = _other(error)
    sys.exit(status)


def _keep_evidence(error: DefectError) -> None:
    """Save the pair on which Veer contradicts itself."""
    import json

    if error.evidence is not None:
        _keep("the pair", json.dumps(error.evidence, indent=1, default=str) + "\n", "json")


def _cry(question: str, solver: str) -> None:
    """Say that two solvers contradict each other, and save what they were asked."""
    _complain(
        f"DEFECT: {solver} has a model of what z3 found to have none, so no proof may rest on it; "
        "please report this with both versions"
    )
    _keep("the question", question, "smt2")


def _keep(what: str, text: str, suffix: str) -> None:
    """Save what a defect shows on, beside where it was run."""
    from hashlib import sha256

    target = Path(f"veer-defect-{sha256(text.encode()).hexdigest()[:8]}.{suffix}")
    try:
        target.write_text(text, encoding="utf-8")
        _complain(f"{what} is saved in {target}")
    except OSError as problem:
        _complain(f"{what} could not be saved in {target}: {problem.strerror}")


def _other(error: Exception) -> int:
    """Wrong usage found by the argument parser, or a defect of Veer."""
    if hasattr(error, "format_message"):
        _complain(error.format_message())
        return 64
    if os.environ.get("VEER_TRACEBACK"):
        raise error
    _complain(
        f"internal error: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}\n"
        "This is a defect of Veer. Please report it with both versions and the output of "
        "VEER_TRACEBACK=1 and `veer doctor`."
    )
    return 70


def _complain(message: str) -> None:
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 4 :]}"
    print(f"veer: {visible(message, lines=True)}", file=sys.stderr)
