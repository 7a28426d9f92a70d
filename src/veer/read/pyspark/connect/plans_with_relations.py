"""Plans that come with other plans they refer to: views that SQL text names, subqueries.

The protocol has a message for them since Spark 4.0. With a PySpark before, the plans that Veer
itself makes (`spark.sql` over a temporary view) carry a message of Veer's own as an extension.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

KIND = "with_relations"
PACKAGE, NAME = "veer.connect", "WithRelations"


def kind_of(relation: Relation) -> str:
    """The kind of a relation; that of an older PySpark with its references is as a newer one's."""
    kind = relation.WhichOneof("rel_type") or "nothing"
    return KIND if kind == "extension" and _is_own(relation.extension) else kind


def node_of(relation: Relation, kind: str) -> Any:
    """What a relation of some kind says."""
    if kind != KIND or _knows(relation):
        return getattr(relation, kind)
    node = _own_message()()
    relation.extension.Unpack(node)
    return node


def refer(relation: Relation, root: Relation, references: Sequence[Relation]) -> None:
    """Make a relation one that gives the rows of `root`, which refers to others."""
    node = relation.with_relations if _knows(relation) else _own_message()()
    node.root.CopyFrom(root)
    node.references.extend(references)
    if not _knows(relation):
        relation.extension.Pack(node)


def extended(message: Any) -> Any | None:
    """The message inside of an extension, if it is of Veer's own."""
    if message.DESCRIPTOR.full_name != "google.protobuf.Any" or not _is_own(message):
        return None
    node = _own_message()()
    message.Unpack(node)
    return node


def _knows(relation: Relation) -> bool:
    return KIND in relation.DESCRIPTOR.fields_by_name


def _is_own(extension: Any) -> bool:
    return bool(extension.TypeName() == f"{PACKAGE}.{NAME}")


@cache
def _own_message() -> Any:
    """A message of the same fields as the protocol's."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from pyspark.sql.connect.proto import relations_pb2

    file = descriptor_pb2.FileDescriptorProto(
        name="veer/with_relations.proto", package=PACKAGE, syntax="proto3"
    )
    file.dependency.append(relations_pb2.DESCRIPTOR.name)
    message = file.message_type.add(name=NAME)
    kinds = descriptor_pb2.FieldDescriptorProto
    for number, (name, label) in enumerate(
        (("root", kinds.LABEL_OPTIONAL), ("references", kinds.LABEL_REPEATED)), 1
    ):
        message.field.add(
            name=name,
            number=number,
            label=label,
            type=kinds.TYPE_MESSAGE,
            type_name=f".{relations_pb2.Relation.DESCRIPTOR.full_name}",
        )
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{NAME}"))


__all__ = ["KIND", "extended", "kind_of", "node_of", "refer"]
