"""The schema of an Avro file, from its header, with the types that Spark reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from veer.errors import InputError, ParseError, UnsupportedError

MAGIC = b"Obj\x01"
HEADER_BYTES = 16_000_000
PLAIN = {
    "boolean": "boolean",
    "int": "integer",
    "long": "long",
    "float": "float",
    "double": "double",
    "bytes": "binary",
    "fixed": "binary",
    "string": "string",
    "enum": "string",
}
LOGICAL = {
    "date": "date",
    "timestamp-millis": "timestamp",
    "timestamp-micros": "timestamp",
    "local-timestamp-millis": "timestamp_ntz",
    "local-timestamp-micros": "timestamp_ntz",
}


def avro_schema(file: Path) -> dict[str, Any]:
    """The columns that an Avro file says it has, as a schema of Spark in JSON."""
    with file.open("rb") as opened:
        header = _Header(file, opened.read(HEADER_BYTES))
    try:
        schema = json.loads(header.schema())
        type_, _ = _type(schema)
    except (KeyError, TypeError, ValueError):
        raise ParseError(f"{file}: Veer cannot read its Avro schema") from None
    if not isinstance(type_, dict) or type_.get("type") != "struct":
        raise UnsupportedError(f"{file}: rows that are not records")
    # Whatever the writer said: a file may be joined by others that hold nulls.
    return {**type_, "fields": [{**f, "nullable": True} for f in type_["fields"]]}


class _Header:
    """The properties at the beginning of a file: texts and bytes with their lengths before them."""

    def __init__(self, file: Path, data: bytes) -> None:
        self.file, self.data, self.at = file, data, len(MAGIC)
        if not data.startswith(MAGIC):
            raise InputError(f"{file}: not an Avro file")

    def schema(self) -> str:
        while (count := self.number()) != 0:
            if count < 0:
                count = -count
                self.number()  # the bytes of the block
            for _ in range(count):
                name, value = self.bytes(), self.bytes()
                if name == b"avro.schema":
                    return value.decode("utf-8")
        raise InputError(f"{self.file}: an Avro file without a schema")

    def number(self) -> int:
        value = shift = 0
        while True:
            if self.at >= len(self.data):
                raise InputError(f"{self.file}: not an Avro file: its header ends early")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)

    def bytes(self) -> bytes:
        length = self.number()
        if length < 0 or self.at + length > len(self.data):
            raise InputError(f"{self.file}: not an Avro file: its header ends early")
        self.at += length
        return self.data[self.at - length : self.at]


def _type(schema: Any) -> tuple[Any, bool]:
    """The type of Spark, and whether it may be null."""
    if isinstance(schema, list):
        others = [s for s in schema if s != "null"]
        if len(others) != 1:
            raise UnsupportedError("an Avro column of several types")
        return _type(others[0])[0], len(others) < len(schema)
    if isinstance(schema, str):
        if schema not in PLAIN:
            raise UnsupportedError(f"the Avro type {schema}")
        return PLAIN[schema], False
    match schema["type"]:
        case "record":
            fields = [(f["name"], *_type(f["type"])) for f in schema["fields"]]
            return {"type": "struct", "fields": [_field(*f) for f in fields]}, False
        case "array":
            item, null = _type(schema["items"])
            return {"type": "array", "elementType": item, "containsNull": null}, False
        case "map":
            value, null = _type(schema["values"])
            told = {"type": "map", "keyType": "string", "valueType": value}
            return {**told, "valueContainsNull": null}, False
        case "bytes" | "fixed" if schema.get("logicalType") == "decimal":
            return f"decimal({int(schema['precision'])},{int(schema.get('scale', 0))})", False
        case str(kind) if schema.get("logicalType") in (None, "uuid"):
            return _type(kind)
        case _ if schema["logicalType"] in LOGICAL:
            return LOGICAL[schema["logicalType"]], False
        case _:
            raise UnsupportedError(f"the Avro type {schema['logicalType']}")


def _field(name: str, type_: Any, nullable: bool) -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": nullable, "metadata": {}}
