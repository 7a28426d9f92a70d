"""The configuration of a tool: its XML as values of JSON, and how models look into it.

An element is `[tag, attributes, text, children]`, so that what is compared between versions is all
that the file says and nothing about how it is laid out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, final
from xml.etree.ElementTree import Element

Json: TypeAlias = "list[Any]"
NOISE = frozenset({"Passwords", "TempFile", "TempFileDataProfiling"})


def as_json(element: Element, constants: Mapping[str, str]) -> Json:
    """An element with all below it; `%User.x%` is replaced by the value of the constant."""
    children = [as_json(child, constants) for child in element if child.tag not in NOISE]
    text = element.text or ""
    if children and not text.strip():
        text = ""  # the indentation of what is inside
    attributes = {name: _resolved(value, constants) for name, value in element.attrib.items()}
    return [element.tag, dict(sorted(attributes.items())), _resolved(text, constants), children]


def _resolved(text: str, constants: Mapping[str, str]) -> str:
    if "%" not in text or not constants:
        return text
    return re.sub(r"%([^%\n]*)%", lambda m: constants.get(m[1].lower(), m[0]), text)


@final
class Config:
    """An element of a configuration."""

    def __init__(self, json: Sequence[Any]) -> None:
        self.json = json
        self.tag: str = json[0]
        self.attributes: Mapping[str, str] = json[1]
        self.text: str = json[2]
        self._children: Sequence[Sequence[Any]] = json[3]

    def children(self, tag: str = "") -> list[Config]:
        """The elements directly inside, of one tag if one is named."""
        return [Config(child) for child in self._children if not tag or child[0] == tag]

    def find(self, *tags: str) -> Config | None:
        """The first element on a path of tags."""
        here: Config | None = self
        for tag in tags:
            here = next(iter(here.children(tag)), None) if here is not None else None
        return here

    def all(self, *tags: str) -> Iterator[Config]:
        """All elements of the last tag below the first element on the path before it."""
        above = self.find(*tags[:-1])
        return iter(above.children(tags[-1]) if above is not None else [])

    def get(self, name: str, default: str = "") -> str:
        """An attribute."""
        return self.attributes.get(name, default)

    def text_of(self, *tags: str) -> str:
        """The text of the first element on a path; nothing if there is none."""
        found = self.find(*tags)
        return found.text if found is not None else ""

    def value_of(self, *tags: str) -> str:
        """The attribute `value` of the first element on a path."""
        found = self.find(*tags)
        return found.get("value") if found is not None else ""

    def is_true(self, *tags: str) -> bool:
        """Whether the attribute `value` of an element is True."""
        return self.value_of(*tags) == "True"


EMPTY: Json = ["Configuration", {}, "", []]


def config_of(settings: Mapping[str, Any]) -> Config:
    """The configuration among the settings of a node."""
    return Config(settings.get("configuration", EMPTY))
