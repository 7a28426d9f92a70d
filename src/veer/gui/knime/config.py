"""KNIME's XMLConfig: nested tables of typed entries, read into plain values of JSON.

Lists are written as tables with an `array-size` and the places as keys; here they are lists.
Numbers that JSON has no form for (NaN) stay text.
"""

from __future__ import annotations

import math
import re
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

from veer.errors import ParseError
from veer.gui.documents import read_xml

Config: TypeAlias = dict[str, Any]

ESCAPED = re.compile(r"%%(\d{5})")
ARRAY_SIZE = "array-size"
WHOLE = {"xint", "xlong", "xshort", "xbyte"}
FRACTIONS = {"xdouble", "xfloat"}


def read_config(data: bytes, where: str) -> Config:
    """The table at the root of a file."""
    root = read_xml(data, where)
    if _tag(root) != "config":
        raise ParseError(f"{where}: not a file of KNIME: {_tag(root)!r} where config is expected")
    content = _table(root, where)
    if not isinstance(content, dict):
        raise ParseError(f"{where}: not a file of KNIME: a list where a table is expected")
    return content


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _table(element: Element, where: str) -> Any:
    table: Config = {}
    for child in element:
        key = child.get("key")
        if key is None or _tag(child) not in ("config", "entry"):
            raise ParseError(f"{where}: neither an entry nor a config: {_tag(child)!r}")
        value = _table(child, where) if _tag(child) == "config" else _value(child, where)
        table[_unescaped(key)] = value
    return _as_list(table)


def _as_list(table: Config) -> Any:
    size = table.get(ARRAY_SIZE)
    if not isinstance(size, int) or size != len(table) - 1:
        return table
    keys = [str(place) for place in range(size)]
    return [table[key] for key in keys] if all(key in table for key in keys) else table


def _value(entry: Element, where: str) -> Any:
    kind, text = entry.get("type", ""), entry.get("value", "")
    if entry.get("isnull") == "true":
        return None
    try:
        if kind in WHOLE:
            return int(text)
        if kind in FRACTIONS:
            number = float(text)
            return number if math.isfinite(number) else text
    except ValueError:
        raise ParseError(f"{where}: {entry.get('key')!r} is not a number: {text[:40]!r}") from None
    if kind == "xboolean":
        return text == "true"
    return _unescaped(text)


def _unescaped(text: str) -> str:
    """Characters that XML cannot hold are written by their numbers: `%%00010`."""
    return ESCAPED.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    number = int(found[1])
    # Half of a character of UTF-16 is none by itself.
    return found[0] if 0xD800 <= number <= 0xDFFF else chr(number)


# -- asking a table ----------------------------------------------------------------------------


def table(config: Any, *path: str) -> Config:
    """A table inside of a table; an empty one if there is none."""
    for key in path:
        config = config.get(key) if isinstance(config, dict) else None
    return config if isinstance(config, dict) else {}


def text(config: Any, *path: str) -> str:
    """A text inside of a table; empty if there is none."""
    value = table(config, *path[:-1]).get(path[-1])
    return value if isinstance(value, str) else ""


def names(config: Any, *path: str) -> list[str]:
    """A list of texts inside of a table; empty if there is none."""
    value = table(config, *path[:-1]).get(path[-1])
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def whole(config: Config, key: str, where: str) -> int:
    """A whole number that must be there."""
    value = config.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParseError(f"{where}: no number {key!r}")
    return value
