"""`veer batch`: many pairs of SQL queries, the results file and the progress line."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import click

from veer.cli import options
from veer.cli.declare import Argument, Option
from veer.errors import InputError
from veer.options import ColumnMatching, ErrorHandling, TypeMatching
from veer.verdict import TableSemantics

if TYPE_CHECKING:
    from veer.batch.pairs import BatchOptions
    from veer.batch.workers import Runner


def batch(
    pairs: Annotated[
        str,
        Argument(
            metavar="PAIRS",
            help="A file with lines of {id, schema, p, q} with SQL text, or a folder of versions: "
            "report_v1.yxmd, report_v2.yxmd, or v1/report.knwf, v2/report.knwf.",
        ),
    ],
    out: Annotated[
        str,
        Option(
            metavar="RESULTS.jsonl",
            help="The file for results, by default standard output. Pairs with a result in the file are skipped.",
        ),
    ] = "",
    workers: Annotated[int, Option(metavar="N", min=1, max=64, help="Number of processes.")] = 2,
    timeout: Annotated[
        float, Option(metavar="S", min=0, help="Time limit for a pair in seconds; 0 for no limit.")
    ] = 60,
    semantics: options.Semantics = TableSemantics.BAG,
    columns: options.Columns = ColumnMatching.POSITION,
    types: options.Types = TypeMatching.VALUE,
    ev: options.Verifiers = "",
    errors: options.Errors = ErrorHandling.IGNORE,
    budget: options.Budget = None,
    cache: options.Cache = "",
    schema: options.Schema = "",
    conf: options.Settings = None,
    spark: options.Spark = "",
    master: options.Master = "",
    master_conf: options.MasterSettings = None,
) -> None:
    """Verify many pairs of SQL queries, or successive versions of files, over processes or a cluster.

    Veer writes each result at once; a run that was stopped continues where it stopped. A pair that
    cannot be read, or takes too long, gets a result that says so, and the others continue.
    """
    options.check_out_file(out)
    from veer.api import Comparison

    comparison = Comparison(
        semantics=semantics,
        columns=columns,
        types=types,
        budget=budget,
        evs=options.verifier_names(ev),
        errors=errors,
        cache=cache,
        hints=False,  # a line of results has no place for them
    )
    from veer.batch.pairs import BatchOptions
    from veer.read.inputs import ReadOptions
    from veer.read.session_settings import session_settings, spark_asked_for
    from veer.read.spec import schema_text

    settings = session_settings(options.settings(conf), spark_asked_for(spark))
    tables = ReadOptions(schema_text(schema)).ddl()
    batch_options = BatchOptions(comparison, workers, timeout, tables, settings)
    with options.runner(master, master_conf, workers, timeout) as runner:
        raise click.exceptions.Exit(run_with_progress(pairs, out, batch_options, runner))


def run_with_progress(pairs: str, out: str, batch_options: BatchOptions, runner: Runner) -> int:
    """Run what is left of a batch; 0 when every line got a result."""
    from veer.batch.pairs import finished_ids, read_pairs, run_batch

    source = Path(pairs)
    total = sum(1 for _ in read_pairs(source))
    try:
        done = finished_ids(Path(out)) if out else set()
        with _results(out) as file, _Progress(total, len(done)) as progress:
            counted = run_batch(source, file, done, batch_options, progress.advance, runner)
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}") from None
    shown = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counted.items())) or "nothing to do"
    skipped = f" ({len(done)} had a result already)" if done else ""
    print(f"{sum(counted.values())} pairs: {shown}{skipped}", file=sys.stderr)
    return 0


def _results(out: str) -> AbstractContextManager[IO[str]]:
    """Where result lines go; a file of an earlier run is continued."""
    return Path(out).open("a", encoding="utf-8") if out else nullcontext(sys.stdout)


class _Progress:
    """A bar with rate and time left on a terminal; silence elsewhere."""

    def __init__(self, total: int, done: int) -> None:
        self.bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self.bar = Progress(
                TextColumn("verifying"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self.task = self.bar.add_task("pairs", total=total, completed=done, rate="")

    def __enter__(self) -> _Progress:
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def advance(self, line: dict[str, Any]) -> None:
        """Count a result, whatever it is."""
        del line
        if self.bar is not None:
            speed = self.bar.tasks[0].speed or 0.0
            self.bar.update(self.task, advance=1, rate=f"{speed:.1f} pairs/s")
