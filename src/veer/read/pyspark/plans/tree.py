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
SPARK = "org.apache.spark.sql."
DEEPEST = 6
# Texts of Java objects that do not tell what they are: functions, addresses.
UNTELLING = re.compile(r"<function|\$\$Lambda|@[0-9a-f]{5,}")


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
        """The object in the JVM, which is asked for once."""
        return self.find()

    def expressions(self, name: str) -> list[Node]:
        """The expressions in a field that holds several."""
        lists = self.fields.get(name) or []
        return [
            tree_of(nodes, lambda i=i: getattr(self.jvm, name)().apply(i))  # type: ignore[misc]
            for i, nodes in enumerate(lists)
        ]

    def expression(self, name: str) -> Node:
        """The expression in a field that holds one."""
        return tree_of(self.fields[name], lambda: getattr(self.jvm, name)())

    def optional(self, name: str) -> Node | None:
        """The expression in a field that may hold one."""
        nodes = self.fields.get(name)
        return tree_of(nodes, lambda: getattr(self.jvm, name)().get()) if nodes else None

    def query(self, name: str = "plan") -> Node:
        """The plan inside a subquery expression."""
        return tree_of(self.fields[name], lambda: getattr(self.jvm, name)())

    def object_name(self, name: str) -> str:
        """The name of a Scala object in a field: `LeftOuter` for a join type."""
        value = self.fields.get(name)
        class_name = (
            value.get("object") or value.get("product-class") if isinstance(value, dict) else ""
        )
        return str(class_name).rstrip("$").rpartition(".")[2].rpartition("$")[2]

    @cached_property
    def dropped(self) -> dict[str, str]:
        """The fields `toJSON` leaves empty, as the JVM prints them."""
        missing = [name for name, value in self.fields.items() if value is None]
        positions = _field_positions(self) if missing else {}
        printed = {n: _printed(self.jvm.productElement(positions[n])) for n in missing}
        return {n: v if isinstance(v, str) else json.dumps(v) for n, v in printed.items()}


_names: dict[str, dict[str, int]] = {}  # fields of a class by position, asked of the JVM once


def _field_positions(node: Node) -> dict[str, int]:
    """Where the parameters of a class stand; JSON leaves out some that are not given."""
    if node.kind not in _names:
        _names[node.kind] = {name: i for i, name in enumerate(parameter_names(node.jvm))}
    return _names[node.kind]


def parameter_names(product: Any) -> list[str]:
    """The names of the parameters of a case class; before Scala 2.13 objects do not tell them."""
    from pyspark import SparkContext

    count = int(product.productArity())
    jvm: Any = SparkContext._jvm
    if str(jvm.scala.util.Properties.versionNumberString()).startswith("2.12."):
        reflection = jvm.org.apache.spark.sql.catalyst.ScalaReflection
        names = scala_items(reflection.getConstructorParameterNames(product.getClass()))
        return [str(name) for name in names[:count]]  # those of a second list are no elements
    return [str(product.productElementName(i)) for i in range(count)]


def _printed(value: Any, depth: int = 0) -> Any:
    """An object of the JVM as JSON data; a function, which prints nothing of itself, as itself."""
    if value is None or isinstance(value, bool | int | float | str):
        return str(value)
    if not hasattr(value, "getClass"):
        return [_printed(v, depth + 1) for v in value] if hasattr(value, "__iter__") else str(value)
    name = str(value.getClass().getName())
    if depth < DEEPEST and name.startswith("scala.collection") and hasattr(value, "iterator"):
        printed, items = [], value.iterator()
        while items.hasNext():
            printed.append(_printed(items.next(), depth + 1))
        # The order of a Scala map or set is that of hashes: sorted, or equal ones would differ.
        ordered = "Map" not in name and "Set" not in name
        return [
            name.rpartition(".")[2] if ordered else "",
            *(printed if ordered else _sorted(printed)),
        ]
    text = str(value.toString())
    if depth < DEEPEST and name.startswith("scala.Some"):
        return ["Some", _printed(value.get(), depth + 1)]
    if depth < DEEPEST and name.startswith("scala.Tuple"):
        return [_printed(value.productElement(i), depth + 1) for i in range(value.productArity())]
    if not UNTELLING.search(text):
        return text
    return f"{name} {uuid4().hex}"  # equal to nothing


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: json.dumps(item))


def scala_items(sequence: Any) -> list[Any]:
    """The items of a Scala sequence."""
    return [sequence.apply(i) for i in range(sequence.size())]


def plan_of(jvm_plan: Any) -> Node:
    """A logical plan."""
    return tree_of(json.loads(jvm_plan.toJSON()), lambda: jvm_plan)


def expression_of(jvm_expression: Any) -> Node:
    """An expression that the JSON of its plan does not hold."""
    return tree_of(json.loads(jvm_expression.toJSON()), lambda: jvm_expression)


def tree_of(nodes: Sequence[dict[str, Any]], find: Callable[[], Any]) -> Node:
    """A tree from its nodes, each before its children."""
    if not nodes:
        raise UnsupportedError("an empty plan")
    root = _node(nodes[0], find)
    open_ = [(root, int(nodes[0][CHILD_COUNT]))]
    for data in nodes[1:]:
        while open_ and len(open_[-1][0].children) == open_[-1][1]:
            open_.pop()
        if not open_:
            raise UnsupportedError("a plan with too many nodes")
        parent = open_[-1][0]
        position = len(parent.children)
        find_child = lambda p=parent, i=position: p.jvm.children().apply(i)  # noqa: E731
        child = _node(data, find_child)
        parent.children.append(child)
        open_.append((child, int(data[CHILD_COUNT])))
    return root


def _node(data: dict[str, Any], find: Callable[[], Any]) -> Node:
    fields = {k: v for k, v in data.items() if k not in ("class", CHILD_COUNT)}
    name = str(data["class"])
    # A class that is not Spark's own is never taken for one of the same short name.
    return Node(name.rpartition(".")[2] if name.startswith(SPARK) else name, fields, find)


def sql_name(node: Node) -> str:
    """What SQL calls the function of an expression."""
    return str(node.jvm.prettyName())


def _is_node_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def is_replaceable(node: Node) -> bool:
    """Whether a function is written as one thing and means another, its only child."""
    is_sparks = "." not in node.kind
    return (
        is_sparks
        and len(node.children) == 1
        and any(
            _is_node_list(v) or (isinstance(v, list) and v and _is_node_list(v[0]))
            for v in node.fields.values()
        )
    )
