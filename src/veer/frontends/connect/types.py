"""Types of the protocol as Veer's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veer.errors import IllFormedError, ParseError, UnsupportedError
from veer.frontends.spark.plans.types import type_of
from veer.frontends.sql.ddl import read_schema
from veer.model.types import DataType, StructType, parse_type

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.types_pb2 import DataType as ProtoType


def read_type(type_: ProtoType) -> DataType:
    """A type of the protocol; one that the client left as text is parsed."""
    from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

    if type_.WhichOneof("kind") == "unparsed":
        return parse_type_text(type_.unparsed.data_type_string)
    return type_of(proto_schema_to_pyspark_data_type(type_).jsonValue())


def parse_type_text(text: str) -> DataType:
    """A type as people write it: `int`, or the columns of a table `a int, b string`."""
    try:
        return parse_type(text)
    except ParseError:
        return _table_type(text)


def _table_type(text: str) -> DataType:
    try:
        (table,) = read_schema(f"CREATE TABLE columns ({text})").values()
    except (ParseError, IllFormedError):
        raise UnsupportedError(f"the type {text[:60]!r}") from None
    return StructType(tuple((f.name, f.type) for f in table.fields))


def require_struct(type_: DataType, what: str) -> StructType:
    """A type that must have fields."""
    if not isinstance(type_, StructType):
        raise UnsupportedError(f"{what} of type {type_}, which has no fields")
    return type_
