"""What the commands share: a console, a progress line, messages on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from veer.errors import InputError
from veer.visible import visible

LONGEST_MESSAGE = 2_000  # characters


def complain(message: str) -> None:
    """Print a line on standard error, the middle of a very long one left out."""
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 4 :]}"
    print(f"veer: {visible(message, lines=True)}", file=sys.stderr)


def save_defect(what: str, text: str, suffix: str) -> None:
    """Save what a defect of Veer shows on in the current directory, and say where."""
    target = Path(f"veer-defect-{sha256(text.encode()).hexdigest()[:8]}.{suffix}")
    try:
        target.write_text(text, encoding="utf-8")
        complain(f"{what} is saved in {target}")
    except OSError as problem:
        complain(f"{what} could not be saved in {target}: {problem.strerror}")


def console() -> Any:
    """Where people read; as wide as the terminal, 100 columns elsewhere."""
    width = None if sys.stdout.isatty() else _columns()
    return _safe_console()(width=width, highlight=False, emoji=False)


def marked(data: Any) -> Any:
    """Data whose texts stand for themselves inside the console's markup."""
    from rich.markup import escape

    if isinstance(data, str):
        return escape(visible(data))
    if isinstance(data, Mapping):
        return {key: marked(value) for key, value in data.items()}
    return [marked(value) for value in data] if isinstance(data, list | tuple) else data


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isascii() and given.isdigit() and 0 < int(given) < 10_000 else 100


@cache
def _safe_console() -> type[Any]:
    """A console that shows unprintable characters of texts as escapes, whoever prints them."""
    from rich.console import Console
    from rich.segment import Segment

    class SafeConsole(Console):
        """What is drawn goes through `visible`; control codes of the console itself stay."""

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else visible(text, lines=True), style, control)

    return SafeConsole


def write_out(text: str, out: str) -> None:
    """Write a text to a file of `--out`, or print it."""
    if not out:
        sys.stdout.write(text)
        return
    try:
        Path(out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}") from None


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A progress line on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.text import Text

    with _safe_console()(stderr=True, emoji=False).status("") as status:
        yield lambda text: status.update(Text(visible(text)))


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar with the time left on a terminal, told what is going on, how much is done and of how much."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[now]}", markup=False),
        console=_safe_console()(stderr=True, emoji=False),
        transient=True,
    )

    def say(now: str, done: int, of: int) -> None:
        if of:
            bar.update(task, completed=done, total=of, now=visible(now))
        else:
            bar.update(task, now=visible(now))

    with bar:
        task = bar.add_task(what, total=None, now="")
        yield say
