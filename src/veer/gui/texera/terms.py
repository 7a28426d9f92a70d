"""Texera's types, and its properties read one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veer.gui.rows import NotModelled
from veer.ir import types as ty

NAME = "Texera"
TYPES: Mapping[str, ty.DataType] = {
    "string": ty.STRING,
    "integer": ty.INT,
    "long": ty.LONG,
    "double": ty.DOUBLE,
    "boolean": ty.BOOLEAN,
    "timestamp": ty.TIMESTAMP_NTZ,
    "binary": ty.BINARY,
}


def type_of(name: Any) -> ty.DataType:
    """The type that a property names."""
    type_ = TYPES.get(name) if isinstance(name, str) else None
    if type_ is None:
        raise NotModelled(f"the type {name!r}")
    return type_


def text(settings: Mapping[str, Any], name: str) -> str:
    """A property that is a text."""
    value = settings.get(name)
    if not isinstance(value, str) or not value:
        raise NotModelled(f"property {name!r} is not set")
    return value


def items(settings: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """A property that is a list of objects; none if it is not set."""
    value = settings.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise NotModelled(f"property {name!r} is not a list of objects")
    return value
