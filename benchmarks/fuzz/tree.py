"""Queries as trees of frozen nodes, so that rewrites are functions from node to node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar


@dataclass(frozen=True)
class Node:
    """Anything a query is made of."""


N = TypeVar("N", bound=Node)


@dataclass(frozen=True)
class Expr(Node):
    """An expression: `text` holds places {0}, {1}, ... for `args` and {q} for a subquery."""

    op: str
    type: str
    text: str
    args: tuple[Expr, ...] = ()
    query: Query | None = None

    def __str__(self) -> str:
        if self.op in ("column", "literal"):
            return self.text
        inner = "" if self.query is None else str(self.query)
        return self.text.format(*map(str, self.args), q=inner)


@dataclass(frozen=True)
class Item(Node):
    """A column of a SELECT list."""

    expr: Expr
    name: str


@dataclass(frozen=True)
class Source(Node):
    """What stands in FROM."""


@dataclass(frozen=True)
class Scan(Source):
    """A table of the schema."""

    table: str
    alias: str

    def __str__(self) -> str:
        return f"{self.table} AS {self.alias}"


@dataclass(frozen=True)
class Derived(Source):
    """A subquery in FROM, or a common table expression in front of its SELECT."""

    query: Query
    alias: str
    cte: bool = False

    def __str__(self) -> str:
        return self.alias if self.cte else f"({self.query}) AS {self.alias}"


@dataclass(frozen=True)
class Join(Source):
    """A join; `on` are its conjuncts."""

    kind: str
    left: Source
    right: Source
    on: tuple[Expr, ...] = ()

    def __str__(self) -> str:
        right = f"({self.right})" if isinstance(self.right, Join) else str(self.right)
        on = f" ON {conjunction(self.on)}" if self.on or self.kind != "CROSS" else ""
        return f"{self.left} {self.kind} JOIN {right}{on}"


@dataclass(frozen=True)
class Exploded(Source):
    """LATERAL VIEW explode over an array of expressions."""

    left: Source
    elements: tuple[Expr, ...]
    alias: str
    column: str

    def __str__(self) -> str:
        array = ", ".join(map(str, self.elements))
        return f"{self.left} LATERAL VIEW explode(array({array})) {self.alias} AS {self.column}"


@dataclass(frozen=True)
class Query(Node):
    """A SELECT or a set operation."""


@dataclass(frozen=True)
class Select(Query):
    """A SELECT; `order` are texts over the names of its items, used with a limit."""

    items: tuple[Item, ...]
    source: Source | None
    where: tuple[Expr, ...] = ()
    group: tuple[Expr, ...] | None = None
    having: tuple[Expr, ...] = ()
    distinct: bool = False
    order: tuple[str, ...] = ()
    limit: int | None = None
    grouping: str = ""  # ROLLUP or CUBE

    def __str__(self) -> str:
        ctes = [s for s in sources(self.source) if isinstance(s, Derived) and s.cte]
        head = f"WITH {', '.join(f'{c.alias} AS ({c.query})' for c in ctes)} " if ctes else ""
        items = ", ".join(f"{i.expr} AS {i.name}" for i in self.items)
        text = f"{head}SELECT {'DISTINCT ' if self.distinct else ''}{items}"
        if self.source is not None:
            text += f" FROM {self.source}"
        if self.where:
            text += f" WHERE {conjunction(self.where)}"
        if self.group:
            keys = ", ".join(map(str, self.group))
            text += f" GROUP BY {self.grouping}({keys})" if self.grouping else f" GROUP BY {keys}"
        if self.having:
            text += f" HAVING {conjunction(self.having)}"
        if self.order:
            text += f" ORDER BY {', '.join(self.order)}"
        return text + (f" LIMIT {self.limit}" if self.limit is not None else "")

    @property
    def plain(self) -> bool:
        """Whether it only filters and projects, row by row."""
        return (
            self.group is None
            and not self.having
            and not self.distinct
            and self.limit is None
            and not any(aggregates(i.expr) or windows(i.expr) for i in self.items)
        )


@dataclass(frozen=True)
class SetQuery(Query):
    """UNION, INTERSECT or EXCEPT, with or without ALL."""

    op: str
    left: Query
    right: Query

    def __str__(self) -> str:
        return f"({self.left}) {self.op} ({self.right})"


def conjunction(parts: tuple[Expr, ...]) -> str:
    """The text of an AND."""
    return " AND ".join(map(str, parts)) or "TRUE"


def columns_of(query: Query) -> tuple[tuple[str, str], ...]:
    """Names and types of the columns of a query."""
    if isinstance(query, SetQuery):
        return columns_of(query.left)
    assert isinstance(query, Select)
    return tuple((i.name, i.expr.type) for i in query.items)


def sources(source: Source | None) -> Iterator[Source]:
    """The tables and subqueries of a FROM, from left to right."""
    match source:
        case Join(_, left, right, _):
            yield from sources(left)
            yield from sources(right)
        case Exploded():
            yield from sources(source.left)
            yield source
        case Source():
            yield source


def children(node: Node) -> Iterator[Node]:
    """The nodes right below."""
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (x for x in value if isinstance(x, Node))


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def mapped(node: N, change: Callable[[Node], Node]) -> N:
    """A node with every child changed."""
    changes: dict[str, Any] = {}
    for field in fields(node):
        old = getattr(node, field.name)
        new: Any = old
        if isinstance(old, Node):
            new = change(old)
        elif isinstance(old, tuple) and any(isinstance(x, Node) for x in old):
            new = tuple(change(x) if isinstance(x, Node) else x for x in old)
        if new is not old:
            changes[field.name] = new
    return replace(node, **changes) if changes else node


def replaced(root: N, target: Node, new: Node) -> N:
    """A tree in which one node stands for another."""

    def change(node: Node) -> Node:
        return new if node is target else mapped(node, change)

    return change(root)  # type: ignore[return-value]


def substituted(expr: N, values: dict[str, Expr]) -> N:
    """An expression with columns, by their text, replaced."""

    def change(node: Node) -> Node:
        if isinstance(node, Expr) and node.op == "column":
            return values.get(node.text, node)
        return mapped(node, change)

    return change(expr)  # type: ignore[return-value]


def column_texts(node: Node) -> set[str]:
    """The columns read below a node."""
    return {n.text for n in walk(node) if isinstance(n, Expr) and n.op == "column"}


def aggregates(node: Node) -> bool:
    """Whether an aggregate is called, subqueries left out."""
    return _calls(node, "agg:")


def windows(node: Node) -> bool:
    """Whether a window function is called, subqueries left out."""
    return _calls(node, "window:")


def _calls(node: Node, prefix: str) -> bool:
    if isinstance(node, Query):
        return False
    if isinstance(node, Expr) and node.op.startswith(prefix):
        return True
    return any(_calls(child, prefix) for child in children(node))


def column(text: str, type_: str) -> Expr:
    """A column, as alias.name."""
    return Expr("column", type_, text)


def literal(text: str, type_: str) -> Expr:
    """A constant."""
    return Expr("literal", type_, text)


def call(op: str, type_: str, text: str, *args: Expr) -> Expr:
    """An expression of others."""
    return Expr(op, type_, text, args)


def both(left: Expr, right: Expr) -> Expr:
    """AND."""
    return call("and", "BOOLEAN", "({0} AND {1})", left, right)


def either(left: Expr, right: Expr) -> Expr:
    """OR."""
    return call("or", "BOOLEAN", "({0} OR {1})", left, right)


def negated(expr: Expr) -> Expr:
    """NOT."""
    return call("not", "BOOLEAN", "(NOT {0})", expr)


def compared(op: str, left: Expr, right: Expr) -> Expr:
    """A comparison."""
    return call(op, "BOOLEAN", f"({{0}} {op} {{1}})", left, right)


def is_null(expr: Expr) -> Expr:
    """IS NULL."""
    return call("isnull", "BOOLEAN", "({0} IS NULL)", expr)
