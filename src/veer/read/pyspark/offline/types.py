"""Types between Veer and PySpark, and DDL texts, without asking Spark."""

from __future__ import annotations

import json
import re
from typing import Any

from veer.errors import ParseError, UnsupportedError
from veer.ir import types as ty
from veer.ir.schema import Field, Schema
from veer.read.pyspark.plans.types import type_of

JSON_NAMES = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}
TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\w+|[<>(),:])")


def struct_type(schema: Schema) -> Any:
    """Columns as PySpark describes them."""
    from pyspark.sql.types import StructType as SparkStruct

    return SparkStruct.fromJson({"type": "struct", "fields": [_field(f) for f in schema]})


def columns_of(struct: Any) -> tuple[Field, ...]:
    """Columns as Veer describes them, of a PySpark type."""
    return tuple(Field(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in struct.fields)


def parse_ddl(text: str) -> Any:
    """The PySpark type of a DDL text: columns (`a int, b string`), or one type."""
    from pyspark.sql.types import _parse_datatype_json_value

    reader = _SparkTypes(text, TOKEN)
    try:
        data = reader.struct(reader.fields("", 1))
        if not data["fields"]:
            raise ParseError("a type that is not named")
    except ParseError:
        reader = _SparkTypes(text, TOKEN)
        data = reader.read()
        reader.end()
    return _parse_datatype_json_value(data)


def ddl_text(struct: Any) -> str:
    """Columns as DDL, as `StructType.toDDL` gives it."""
    parts = []
    for field in struct.fields:
        comment = field.metadata.get("comment")
        if comment is not None or set(field.metadata) - {"comment"}:
            raise UnsupportedError("columns with comments or other metadata as DDL")
        null = "" if field.nullable else " NOT NULL"
        type_ = field.dataType.simpleString()
        shown = type_ if "<" in type_ else type_.upper()
        if shown != type_.upper():
            raise UnsupportedError(f"a column of type {type_} as DDL")
        parts.append(f"{ty.quote_name(field.name)} {shown}{null}")
    return ",".join(parts)


def _field(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": _type_json(field.type),
        "nullable": field.nullable,
        "metadata": {},
    }


def _type_json(type_: ty.DataType) -> Any:
    match type_:
        case ty.ArrayType(element):
            return {"type": "array", "elementType": _type_json(element), "containsNull": True}
        case ty.MapType(key, value):
            kinds = {"keyType": _type_json(key), "valueType": _type_json(value)}
            return {"type": "map", **kinds, "valueContainsNull": True}
        case ty.StructType(fields):
            return {"type": "struct", "fields": [_field(Field(n, t)) for n, t in fields]}
        case ty.OpaqueType(name):
            return _opaque_json(name)
        case _:
            return JSON_NAMES.get(str(type_), str(type_))


def _opaque_json(name: str) -> Any:
    if name.startswith("{"):
        return json.loads(name)
    if name == "variant" or re.fullmatch(r"time\(\d\)", name):
        return name
    raise UnsupportedError(f"a column of type {name}")


class _SparkTypes(ty.TypeReader):
    """Reads DDL into the JSON that PySpark has for types; what it does not know is an error."""

    def array(self, element: Any) -> Any:
        return {"type": "array", "elementType": element, "containsNull": True}

    def map(self, key: Any, value: Any) -> Any:
        kinds = {"keyType": key, "valueType": value}
        return {"type": "map", **kinds, "valueContainsNull": True}

    def struct(self, fields: list[Any]) -> Any:
        return {"type": "struct", "fields": fields}

    def field(self, name: str, type_: Any) -> Any:
        field = {"name": name, "type": type_, "nullable": True, "metadata": {}}
        if name[:1] in ("'", '"'):
            raise ParseError(f"not a type: {self.text[:80]!r}")
        if self.take("not"):
            self.expect("null")
            field["nullable"] = False
        if self.take("comment"):
            said = self.next()
            if said[0] not in "'\"" or "\\" in said:
                raise ParseError(f"not a type: {self.text[:80]!r}")
            field["metadata"] = {"comment": said[1:-1]}
        return field

    def bounded_text(self, name: str, numbers: list[int]) -> Any:
        if len(numbers) != 1:
            raise ParseError(f"the type {name}")
        return f"{'varchar' if name == 'varchar' else 'char'}({numbers[0]})"

    def plain(self, type_: ty.DataType) -> Any:
        if isinstance(type_, ty.OpaqueType) and type_.name != "variant":
            raise ParseError(f"the type {type_}")
        return _type_json(type_)
