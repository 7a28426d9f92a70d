"""Parts of a plan whose columns are named by Spark: what is called so above must be the same.

Names of columns that nobody named are made by the server, and not alike in all versions and
interfaces of Spark. A filter above that reads such a name, or one that it hides, depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from veer.read.pyspark.connect.messages import messages_in
from veer.read.pyspark.connect.plans_with_relations import KIND, kind_of, node_of, refer

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

# Expressions that keep the name of a column, or have been given one.
NAMED = ("alias", "unresolved_attribute", "unresolved_star", "unresolved_regex")
NAMING_FIELDS = frozenset({"struct", "arrays_zip"})  # functions that name fields of what they give


def parts_with_generated_names(
    relation: Relation, around: Callable[[Relation], Relation] = lambda part: part
) -> Iterator[Relation]:
    """The relations in a plan whose columns Spark names, each as a plan of its own."""
    kind = kind_of(relation)
    node = node_of(relation, kind)
    if kind == KIND:
        for reference in node.references:
            yield from parts_with_generated_names(reference, around)
        yield from parts_with_generated_names(
            node.root, lambda part: around(_with_root(node.references, part))
        )
        return
    if _names_columns(kind, node):
        yield around(relation)
    for part in _inputs(node):
        yield from parts_with_generated_names(part, around)


def _with_root(references: Sequence[Relation], root: Relation) -> Relation:
    """The plan that a part of another is, with all it refers to."""
    from pyspark.sql.connect.proto.relations_pb2 import Relation as RelationMessage

    whole = RelationMessage()
    refer(whole, root, references)
    return whole


def _names_columns(kind: str, node: Any) -> bool:
    match kind:
        case "sql":
            return True
        case "project":
            return any(map(_is_unnamed, node.expressions))
        case "aggregate":
            columns = (*node.grouping_expressions, *node.aggregate_expressions)
            return node.HasField("pivot") or any(map(_is_unnamed, columns))
        case "with_columns":
            return any(map(_names_fields, node.aliases))
        case _:
            return False


def _is_unnamed(expression: Any) -> bool:
    return expression.WhichOneof("expr_type") not in NAMED or _names_fields(expression)


def _names_fields(message: Any) -> bool:
    calls = (m for m in messages_in(message) if m.DESCRIPTOR.name == "UnresolvedFunction")
    return any(call.function_name.lower() in NAMING_FIELDS for call in calls)


def _inputs(node: Any) -> Iterator[Relation]:
    for field, value in node.ListFields():
        if field.message_type is not None and field.message_type.name == "Relation":
            yield from [value] if hasattr(value, "ListFields") else value
