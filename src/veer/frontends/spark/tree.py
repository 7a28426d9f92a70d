"""Catalyst trees: read from `toJSON`, which is fast, with the JVM's object at hand for what it drops."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final
from uuid import uuid4

from veer.errors import UnsupportedError

CHILD_COUNT = "num-children"
MUTE = re.compile(r"<function|\$\$Lambda|@[0-9a-f]{5,}")  # texts that do not tell what they are


@final
@dataclass
class Node:
    """A plan or an expression: its class, the fields of its constructor, its children."""

    kind: str
    fields: dict[str, Any]
    find: Callable[[], Any]  # the object in the JVM
    children: list[Node] = field(default_factory=list)

    @cached_property
    def jvm(self) -> Any:
        return self.find()

    def expressions(self, name: str) -> list[Node]:
        """The expressions in a field that holds several."""
        found = self.fields.get(name) or []
        return [
            grown(flat, lambda i=i: getattr(self.jvm, name)().apply(i))  # type: ignore[misc]
            for i, flat in enumerate(found)
        ]

    def expression(self, name: str) -> Node:
        """The expression in a field that holds one."""
        return grown(self.fields[name], lambda: getattr(self.jvm, name)())

    def optional(self, name: str) -> Node | None:
        """The expression in a field that may hold one."""
        flat = self.fields.get(name)
        return grown(flat, lambda: getattr(self.jvm, name)().get()) if flat else None

    def query(self, name: str = "plan") -> Node:
        """The plan inside a subquery expression."""
        return grown(self.fields[name], lambda: getattr(self.jvm, name)())

    def object_name(self, name: str) -> str:
        """The name of a Scala object in a field: `LeftOuter` for a join type."""
        value = self.fields.get(name)
        found = value.get("object") or value.get("product-class") if isinstance(value, dict) else ""
        return str(found).rstrip("$").rpartition(".")[2].rpartition("$")[2]

    @cached_property
    def dropped(self) -> dict[str, str]:
        """The fields `toJSON` leaves empty, as the JVM prints them."""
        found = {}
        for place, (name, value) in enumerate(self.fields.items()):
            if value is None:
                found[name] = _printed(self.jvm.productElement(place))
        return found


def _printed(value: Any) -> str:
    """What an object of the JVM prints; a function, which prints nothing of itself, as itself."""
    if not hasattr(value, "toString"):
        return str(value)
    text = str(value.toString())
    if not MUTE.search(text):
        return text
    return f"{value.getClass().getName()} {uuid4().hex}"


def plan_of(jvm_plan: Any) -> Node:
    """A logical plan."""
    return grown(json.loads(jvm_plan.toJSON()), lambda: jvm_plan)


def expression_of(jvm_expression: Any) -> Node:
    """An expression that the JSON of its plan does not hold."""
    return grown(json.loads(jvm_expression.toJSON()), lambda: jvm_expression)


def grown(flat: Sequence[dict[str, Any]], find: Callable[[], Any]) -> Node:
    """A tree from its nodes, each before its children."""
    if not flat:
        raise UnsupportedError("an empty plan")
    root = _node(flat[0], find)
    open_ = [(root, int(flat[0][CHILD_COUNT]))]
    for data in flat[1:]:
        while open_ and len(open_[-1][0].children) == open_[-1][1]:
            open_.pop()
        if not open_:
            raise UnsupportedError("a plan with too many nodes")
        parent = open_[-1][0]
        place = len(parent.children)
        child = _node(data, lambda parent=parent, place=place: parent.jvm.children().apply(place))  # type: ignore[misc]
        parent.children.append(child)
        open_.append((child, int(data[CHILD_COUNT])))
    return root


def _node(data: dict[str, Any], find: Callable[[], Any]) -> Node:
    fields = {k: v for k, v in data.items() if k not in ("class", CHILD_COUNT)}
    return Node(str(data["class"]).rpartition(".")[2], fields, find)
