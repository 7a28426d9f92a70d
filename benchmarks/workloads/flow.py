"""Workflows made in steps: a base version, and copies of it with edits; written as YAML."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

Spec = dict[str, Any]
Link = tuple[str, str, str | int | None]
WIDTH = 98
# Words that YAML would read as something else, and texts that need no quotes.
WORDS = ("true", "false", "null", "~", "")
PLAIN = re.compile(r"[A-Za-z0-9_(<>=+.][^#:\"{}\[\],&*!|%@`]*(?<! )")
PLAIN_IN_BLOCK = re.compile(r"[A-Za-z0-9_(<>=+.](?:[^#:]|:(?! ))*(?<! )")
LONG_QUOTED = re.compile(r'"[^"]{16,}"')


class Flow:
    """Operators by id and links; edits change it in place."""

    def __init__(self, name: str, about: str) -> None:
        self.name = name
        self.about = about
        self.operators: dict[str, Spec] = {}
        self.links: list[Link] = []

    def add(self, id_: str, type_: str, *inputs: str, **properties: Any) -> None:
        """An operator at the end of its inputs, given in the order of ports."""
        self.operators[id_] = {"type": type_, **properties}
        two = type_ == "join"
        for port, source in enumerate(inputs):
            self.links.append((source, id_, ("left", "right")[port] if two else None))

    def edited(self, about: str) -> Flow:
        """A copy to be edited."""
        copy = Flow(self.name, about)
        copy.operators, copy.links = deepcopy(self.operators), list(self.links)
        return copy

    def insert(self, id_: str, type_: str, above: str, below: str, **properties: Any) -> None:
        """A new operator on the link from `above` to `below`."""
        self._place(id_, {"type": type_, **properties}, above, below)

    def _place(self, id_: str, spec: Spec, above: str, below: str) -> None:
        place = next(i for i, link in enumerate(self.links) if link[:2] == (above, below))
        port = self.links[place][2]
        self.links[place : place + 1] = [(above, id_, None), (id_, below, port)]
        names = list(self.operators)
        self.operators[id_] = spec
        for name in names[names.index(below) :]:
            self.operators[name] = self.operators.pop(name)

    def remove(self, id_: str) -> Spec:
        """Take out an operator of one input; what it fed is fed by its input."""
        (above,) = (src for src, dst, _ in self.links if dst == id_)
        self.links = [
            (above if src == id_ else src, dst, port) for src, dst, port in self.links if dst != id_
        ]
        return self.operators.pop(id_)

    def move(self, id_: str, above: str, below: str) -> None:
        """Take out an operator and put it on another link."""
        self._place(id_, self.remove(id_), above, below)

    def change(self, id_: str, **properties: Any) -> None:
        """Other properties of an operator."""
        assert id_ in self.operators
        self.operators[id_] = {**self.operators[id_], **properties}

    def swap(self, id_: str) -> None:
        """Exchange the inputs of a join."""
        other = {"left": "right", "right": "left"}
        self.links = [
            (src, dst, other[str(port)] if dst == id_ else port) for src, dst, port in self.links
        ]

    # -- as YAML -------------------------------------------------------------------------------

    def data(self) -> Spec:
        """What the written file holds."""
        links = [[src, dst] if port is None else [src, dst, port] for src, dst, port in self.links]
        return {"veer": 1, "name": self.name, "operators": self.operators, "links": links}

    def text(self) -> str:
        """The workflow file."""
        lines = [
            f"# {line}" for part in self.about.split("\n") for line in textwrap.wrap(part, WIDTH)
        ]
        lines += ["veer: 1", f"name: {self.name}", "operators:"]
        for id_, spec in self.operators.items():
            lines += _entry(id_, spec, "  ")
        lines.append("links:")
        for src, dst, port in self.links:
            lines.append(f"  - {_inline([src, dst] if port is None else [src, dst, port])}")
        return "\n".join(lines) + "\n"


def _entry(key: str, value: Any, indent: str) -> list[str]:
    """`key: value`, on one line if it fits."""
    if isinstance(value, str) and "\n" in value:
        return [
            f"{indent}{key}: |",
            *(f"{indent}  {line}".rstrip() for line in value.rstrip("\n").split("\n")),
        ]
    if isinstance(value, str):
        shown = value if _is_plain(value, PLAIN_IN_BLOCK) else json.dumps(value, ensure_ascii=False)
        return [f"{indent}{key}: {shown}"]
    short = f"{indent}{key}: {_inline(value)}"
    readable = not LONG_QUOTED.search(short)
    if not isinstance(value, Mapping | list) or (len(short) <= WIDTH and readable):
        return [short]
    lines = [f"{indent}{key}:"]
    if isinstance(value, list):
        return lines + [line for item in value for line in _item(item, indent + "  ")]
    for name, item in value.items():
        lines += _entry(name, item, indent + "  ")
    return lines


def _item(value: Any, indent: str) -> list[str]:
    """An item of a list, over several lines if it is a long object."""
    short = f"{indent}- {_inline(value)}"
    if not isinstance(value, Mapping) or len(short) <= WIDTH:
        return [short]
    lines = [line for k, v in value.items() for line in _entry(k, v, indent + "  ")]
    return [f"{indent}- {lines[0].lstrip()}", *lines[1:]]


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, str) and _is_plain(value, PLAIN):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_plain(value: str, pattern: re.Pattern[str]) -> bool:
    is_number = re.fullmatch(r"[-+.\d][\d.eE+-]*", value) is not None
    return not is_number and value.lower() not in WORDS and bool(pattern.fullmatch(value))
