"""`veer batch`: the results file and the progress line."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

from veer.api import Comparison
from veer.batch import BatchOptions, finished_ids, read_pairs, run_batch
from veer.errors import InputError


def run_with_progress(
    pairs: str, out: str, workers: int, timeout: float, comparison: Comparison
) -> int:
    """Run what is left of a batch; 0 when every line got a result."""
    options = BatchOptions(comparison, workers, timeout)
    source = Path(pairs)
    total = sum(1 for _ in read_pairs(source))
    try:
        done = finished_ids(Path(out)) if out else set()
        with _results(out) as file, _Progress(total, len(done)) as progress:
            counted = run_batch(source, file, done, options, progress.advance)
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}") from None
    shown = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counted.items())) or "nothing to do"
    skipped = f" ({len(done)} had a result already)" if done else ""
    print(f"{sum(counted.values())} pairs: {shown}{skipped}", file=sys.stderr)
    return 0


def _results(out: str) -> AbstractContextManager[IO[str]]:
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
        del line
        if self.bar is not None:
            speed = self.bar.tasks[0].speed or 0.0
            self.bar.update(self.task, advance=1, rate=f"{speed:.1f} pairs/s")
