"""Where in the user's files an operator of a plan comes from: PySpark notes it on expressions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from veer.read.pyspark.plans.tree import Node

SITED_NODES = frozenset({"Project", "Filter", "Aggregate", "Join", "Sort", "Window", "Generate"})
MOST_EXPRESSIONS = 3
DEEPEST = 3


def site_of(node: Node, root: Path | None) -> str:
    """`file:line` of an operator, or nothing if it is not known."""
    if node.kind not in SITED_NODES:
        return ""
    try:
        expressions = node.jvm.expressions()
        # The last are those the user added: columns taken over stand before them.
        positions = range(expressions.size() - 1, -1, -1)[:MOST_EXPRESSIONS]
        sites = (_recorded_site(expressions.apply(i), DEEPEST) for i in positions)
        site = next((s for s in sites if s), "")
    except Exception:  # another version of Spark may not have it
        return ""
    return shown_site(site, root)


def shown_site(site: str, root: Path | None) -> str:
    """A recorded `path:line`, shown from the project's own folder."""
    path, _, line = site.rpartition(":")
    if not path:
        return ""
    file = Path(path)
    inside = root is not None and file.is_relative_to(root)
    return f"{file.relative_to(root) if inside and root else file.name}:{line}"


def _recorded_site(expression: Any, depth: int) -> str:
    """The site an expression, or one inside of it, was noted with."""
    context = expression.origin().pysparkErrorContext()
    if context.isDefined():
        return str(context.get()._2())
    children = expression.children()
    if depth == 0 or children.size() == 0:
        return ""
    return _recorded_site(children.apply(0), depth - 1)
