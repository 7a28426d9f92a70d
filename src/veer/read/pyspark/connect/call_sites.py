"""Where in the user's files a relation comes from: the client notes it on expressions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.read.pyspark.connect.messages import tells
from veer.read.pyspark.plans.call_sites import shown_site

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

EXPRESSIONS = ("expressions", "condition", "join_condition", "aliases", "aggregate_expressions")
EXPRESSIONS_AFTER = ("grouping_expressions", "order")


def site_of(relation: Relation, root: Path | None) -> str:
    """`file:line` of a relation, or nothing if it is not known."""
    kind = relation.WhichOneof("rel_type")
    node = getattr(relation, kind) if kind else None
    names = {f.name for f in node.DESCRIPTOR.fields} if node is not None else set()
    for name in (n for n in (*EXPRESSIONS, *EXPRESSIONS_AFTER) if n in names):
        value = getattr(node, name)
        # The last are those the user added: columns taken over stand before them.
        several = list(value)[::-1] if hasattr(value, "__len__") else [value]
        for expression in several[:3]:
            site = _recorded_site(_inner(expression))
            if site:
                return shown_site(site, root)
    return ""


def _inner(node: Any) -> Any:
    """The expression inside of an alias of `withColumns` or of a sort key."""
    for name in ("expr", "child"):
        if node.DESCRIPTOR.name in ("Alias", "SortOrder") and hasattr(node, name):
            return getattr(node, name)
    return node


def _recorded_site(expression: Any) -> str:
    if expression.DESCRIPTOR.name != "Expression" or not tells(expression, "common"):
        return ""
    return str(expression.common.origin.python_origin.call_site)
