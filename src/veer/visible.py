"""Texts of others made safe to show: one escaping at the edge of every output format.

A name or a value may hold anything: escape sequences of a terminal, NUL, marks that turn the writing
direction, halves of surrogate pairs. What Python does not count as printable is shown as an escape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_PRINTABLE = re.compile(r"[ -~]*")


def visible(text: str, *, lines: bool = False) -> str:
    r"""The text with everything unprintable as an escape; with `lines`, line ends stay.

    >>> visible("a\x1b[31m\n")
    'a\\x1b[31m\\n'
    """
    if _PRINTABLE.fullmatch(text):
        return text
    return "".join(c if c.isprintable() or (lines and c == "\n") else _escaped(c) for c in text)


def visible_data(data: Any, *, lines: bool = False) -> Any:
    """JSON data with every text in it made visible, keys too."""
    if isinstance(data, str):
        return visible(data, lines=lines)
    if isinstance(data, Mapping):
        return {visible(str(k)): visible_data(v, lines=lines) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [visible_data(v, lines=lines) for v in data]
    return data


def shown_value(value: Any) -> str:
    """A value of a witness as people read it: null, 'null', '' and ' a' cannot be confused."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown_value, value))}]"
    text = str(value)
    if not isinstance(value, str):
        return visible(text)
    plain = text.strip() == text and text.isprintable() and "'" not in text and "\\" not in text
    bare = text and plain and text not in WORDS and not _reads_as_other(text)
    return text if bare else _quoted(text)


WORDS = ("null", "true", "false", "(no rows)")


def json_text(data: Any, *, indent: int | None = 2) -> str:
    """Data as JSON that reads back the same and holds no unprintable character."""
    text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False, default=str)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _json_escape(c) for c in text)


def _reads_as_other(text: str) -> bool:
    """Whether a text shown bare could be taken for a list."""
    return text.startswith("[")


def _quoted(text: str) -> str:
    inside = "".join(
        f"\\{c}" if c in "'\\" else c if c.isprintable() else _escaped(c) for c in text
    )
    return f"'{inside}'"


def _escaped(char: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code = ord(char)
    if named:
        return named
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def _json_escape(char: str) -> str:
    return json.dumps(char)[1:-1]
