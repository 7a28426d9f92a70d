"""What the commands share: a console, a progress line, checks of options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from veer.errors import UsageError


def choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not one of those allowed."""
    if value not in allowed:
        raise UsageError(f"{option} {value!r}: expected {', '.join(allowed)}")


def console() -> Any:
    """Where people read; as wide as the terminal, 100 columns elsewhere."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "100"))
    return Console(width=width, highlight=False)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is going on; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(text)
