"""Types between Veer and PySpark, and DDL texts, without asking Spark."""

from __future__ import annotations

import json
import re
from typing import Any

from veer.errors import ParseError, UnsupportedError
from veer.frontends.spark.plans.types import type_of
from veer.model.schema import Field, Schema
from veer.model.types import (
    ArrayType,
    DataType,
    MapType,
    OpaqueType,
    StructType,
    parse_type,
    quote_name,
)

JSON_NAMES = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}
TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\w+|[<>(),:])")
BOUNDED_TEXTS = ("char", "character", "varchar")


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

    parser = _Parser(text)
    try:
        data = parser.whole(parser.columns)
    except ParseError:
        parser = _Parser(text)
        data = parser.whole(parser.type)
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
        parts.append(f"{quote_name(field.name)} {shown}{null}")
    return ",".join(parts)


def _field(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": _type_json(field.type),
        "nullable": field.nullable,
        "metadata": {},
    }


def _type_json(type_: DataType) -> Any:
    match type_:
        case ArrayType(element):
            return {"type": "array", "elementType": _type_json(element), "containsNull": True}
        case MapType(key, value):
            kinds = {"keyType": _type_json(key), "valueType": _type_json(value)}
            return {"type": "map", **kinds, "valueContainsNull": True}
        case StructType(fields):
            return {"type": "struct", "fields": [_field(Field(n, t)) for n, t in fields]}
        case OpaqueType(name):
            return _opaque_json(name)
        case _:
            return JSON_NAMES.get(str(type_), str(type_))


def _opaque_json(name: str) -> Any:
    if name.startswith("{"):
        return json.loads(name)
    if name == "variant" or re.fullmatch(r"time\(\d\)", name):
        return name
    raise UnsupportedError(f"a column of type {name}")


class _Parser:
    """Reads DDL into the JSON that PySpark has for types; what it does not know is an error."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, position = text, [], 0
        while text[position:].strip():
            match = TOKEN.match(text, position)
            if match is None:
                raise ParseError(f"{text[:60]!r} is no type")
            self.tokens.append(match[1])
            position = match.end()

    def whole(self, read: Any) -> Any:
        data = read()
        if self.tokens:
            self.fail()
        return data

    def fail(self) -> None:
        raise ParseError(f"{self.text[:60]!r} is no type")

    def peek(self) -> str:
        return self.tokens[0].lower() if self.tokens else ""

    def take(self, wanted: str = "") -> str:
        if not self.tokens or (wanted and self.peek() != wanted):
            self.fail()
        return self.tokens.pop(0)

    def columns(self, end: str = "") -> dict[str, Any]:
        fields: list[dict[str, Any]] = []
        while self.peek() != end or not fields:
            if fields:
                self.take(",")
            fields.append(self.column())
        return {"type": "struct", "fields": fields}

    def column(self) -> dict[str, Any]:
        name = self.take()
        if not re.fullmatch(r"`.*`|\w+", name, re.DOTALL):
            self.fail()
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        if self.peek() == ":":
            self.take()
        field = {"name": name, "type": self.type(), "nullable": True, "metadata": {}}
        if self.peek() == "not":
            self.take(), self.take("null")
            field["nullable"] = False
        if self.peek() == "comment":
            self.take()
            said = self.take()
            if said[0] not in "'\"" or "\\" in said:
                self.fail()
            field["metadata"] = {"comment": said[1:-1]}
        return field

    def type(self) -> Any:
        name = self.take().lower()
        match name:
            case "array":
                element = self.inside(1)[0]
                return {"type": "array", "elementType": element, "containsNull": True}
            case "map":
                key, value = self.inside(2)
                kinds = {"keyType": key, "valueType": value}
                return {"type": "map", **kinds, "valueContainsNull": True}
            case "struct":
                self.take("<")
                if self.peek() == ">":
                    self.take()
                    return {"type": "struct", "fields": []}
                inner = self.columns(">")
                self.take(">")
                return inner
            case "interval":
                words: list[str] = [name]
                while self.peek() in ("year", "month", "day", "hour", "minute", "second", "to"):
                    words.append(self.take().lower())
                return _named(" ".join(words))
            case _:
                return self.plain(name)

    def inside(self, count: int) -> list[Any]:
        self.take("<")
        types = [self.type()]
        while len(types) < count:
            self.take(",")
            types.append(self.type())
        self.take(">")
        return types

    def plain(self, name: str) -> Any:
        numbers = []
        if self.peek() == "(":
            self.take()
            numbers.append(self.take())
            while self.peek() == ",":
                self.take()
                numbers.append(self.take())
            self.take(")")
        if not all(n.isdigit() for n in numbers):
            self.fail()
        if name in BOUNDED_TEXTS and len(numbers) == 1:
            return f"{'varchar' if name == 'varchar' else 'char'}({numbers[0]})"
        return _named(f"{name}({','.join(numbers)})" if numbers else name)


def _named(text: str) -> Any:
    if text == "variant":
        return text
    type_ = parse_type(text)
    if isinstance(type_, OpaqueType):
        raise ParseError(f"the type {text}")
    return _type_json(type_)
