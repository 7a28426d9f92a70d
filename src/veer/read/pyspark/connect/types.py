"""Types of the protocol as Veer's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veer.errors import IllFormedError, ParseError, UnsupportedError
from veer.ir import types as ty
from veer.read.pyspark.plans.types import type_of
from veer.read.sql.ddl import read_schema

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.types_pb2 import DataType as ProtoType


def read_type(type_: ProtoType) -> ty.DataType:
    """A type of the protocol; one that the client left as text is parsed."""
    from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

    if type_.WhichOneof("kind") == "unparsed":
        return parse_type_text(type_.unparsed.data_type_string)
    return type_of(proto_schema_to_pyspark_data_type(type_).jsonValue())


def parse_type_text(text: str) -> ty.DataType:
    """A type as people write it: `int`, or the columns of a table `a int, b string`."""
    try:
        return ty.parse_type(text)
    except ParseError:
        return _table_type(text)


def _table_type(text: str) -> ty.DataType:
    try:
        (table,) = read_schema(f"CREATE TABLE columns ({text})").values()
    except (ParseError, IllFormedError):
        raise UnsupportedError(f"the type {text[:60]!r}") from None
    return ty.StructType(tuple((f.name, f.type) for f in table.fields))


def require_struct(type_: ty.DataType, what: str) -> ty.StructType:
    """A type that must have fields."""
    if not isinstance(type_, ty.StructType):
        raise UnsupportedError(f"{what} of type {type_}, which has no fields")
    return type_
