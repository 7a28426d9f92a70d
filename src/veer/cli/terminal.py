"""What the commands share: a console, a progress line, checks of options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from veer.errors import UsageError
from veer.visible import visible


def choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not one of those allowed."""
    if value not in allowed:
        raise UsageError(f"{option} {value!r}: expected {', '.join(allowed)}")


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


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is going on; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.text import Text

    with _safe_console()(stderr=True, emoji=False).status("") as status:
        yield lambda text: status.update(Text(visible(text)))
