"""Dataflows as JSON and back, without loss.

Objects are tagged with their class under "is"; types are written in DDL spelling; constants
that JSON cannot hold are tagged by what they are.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from veer.errors import ParseError
from veer.functions.arithmetic import NAN
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow, Link
from veer.ir.ops import Sink
from veer.ir.schema import Field
from veer.ir.types import CastMode
from veer.ir.walk import UNLESS_DEFAULT
from veer.ir.writes import Change, Insert, Write

FORMAT = 1
CLASSES: dict[str, type[Any]] = {
    c.__name__: c
    for c in (
        *ex.EXPR_CLASSES,
        *ops.OPERATOR_CLASSES,
        ex.AggregateCall,
        Field,
        ops.ForeignKey,
        ex.Frame,
        ex.Named,
        ops.NamedCall,
        ops.NamedOver,
        ex.OverCall,
        ex.SortKey,
        Insert,
        Change,
        Write,
    )
}
# How `kind` of a sink was written before there was `write`; what SQL made of INSERT can be read.
EARLIER_WRITE = re.compile(r"written as |appended table|overwritten table")
EARLIER_INSERTS = {"appended table": False, "overwritten table": True}
ENUMS: dict[str, type[Enum]] = {"CastMode": CastMode, "Kind": Kind}

Json = Any


def to_json(dataflow: Dataflow) -> dict[str, Json]:
    """The dataflow as JSON data."""
    declared = {"declared": encode(dataflow.declared)} if dataflow.declared else {}
    return {
        "veer": FORMAT,
        "operators": {i: encode(op) for i, op in sorted(dataflow.operators.items())},
        "links": [[link.src, link.dst, link.port] for link in dataflow.links],
        **declared,
    }


def from_json(data: Json) -> Dataflow:
    """The dataflow written by `to_json`."""
    try:
        if data["veer"] != FORMAT:
            raise ParseError(f"dataflow format {data['veer']!r}, expected {FORMAT}")
        operators = {str(i): decode(op) for i, op in data["operators"].items()}
        links = [Link(str(s), str(d), int(p)) for s, d, p in data["links"]]
        declared = decode(data.get("declared", []))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ParseError(f"not a dataflow: {error}") from None
    return Dataflow(operators, links, declared)


def encode(value: Any) -> Json:
    """A part of a dataflow as JSON data."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return {"float": repr(value)}
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"timestamp": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case timedelta():
            return {"micros": value // timedelta(microseconds=1)}
        case bytes():
            return {"bytes": value.hex()}
        case tuple():
            return [encode(item) for item in value]
        case ty.OpaqueType(name):
            return {"opaque type": name}
        case ty.DataType():
            return {"type": str(value)}
        case Enum():
            return {type(value).__name__: value.value}
        case Dataflow():
            return {"query": to_json(value)}
        case _ if is_dataclass(value) and type(value).__name__ in CLASSES:
            properties = {f.name: encode(getattr(value, f.name)) for f in _written(value)}
            return {"is": type(value).__name__, **properties}
        case _:
            raise TypeError(f"cannot write {type(value).__name__} as JSON")


def _written(value: Any) -> Iterator[dataclasses.Field[Any]]:
    """The fields of a value but those that are left out where they have their default."""
    for field in dataclasses.fields(value):
        optional = UNLESS_DEFAULT.keys() <= field.metadata.keys()
        if not optional or getattr(value, field.name) != field.default:
            yield field


def is_alike(one: Any, other: Any) -> bool:
    """Whether two parts of dataflows say the same.

    Not just `==`, which takes 0.0 for -0.0 and 1 for 1.0: Spark tells them apart.
    """
    return bool(one == other) and encode(one) == encode(other)


def decode(data: Json) -> Any:
    """What `encode` wrote."""
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    if not isinstance(data, Mapping):
        return data
    if "is" in data:
        properties = {name: decode(part) for name, part in data.items() if name != "is"}
        if data["is"] == "Sink":
            return _sink(properties)
        if data["is"] == "Join":
            properties["kind"] = ops.JoinKind(properties["kind"])
        return CLASSES[data["is"]](**properties)
    ((tag, inside),) = data.items()
    match tag:
        case "float":
            return NAN if inside == "nan" else float(inside)
        case "decimal":
            return Decimal(inside)
        case "timestamp":
            return datetime.fromisoformat(inside)
        case "date":
            return date.fromisoformat(inside)
        case "micros":
            return timedelta(microseconds=inside)
        case "bytes":
            return bytes.fromhex(inside)
        case "type":
            return ty.parse_type(inside)
        case "opaque type":
            return ty.OpaqueType(inside)
        case "query":
            return from_json(inside)
        case _:
            return ENUMS[tag](inside)


def _sink(parts: Mapping[str, Any]) -> Sink:
    """A sink; also one of a version that was stored when `kind` said how it is written."""
    sink = Sink(**parts)
    if sink.write is None and EARLIER_WRITE.match(sink.kind):
        overwrite = EARLIER_INSERTS.get(sink.kind)
        if overwrite is None or not sink.target:
            raise ParseError(f"a sink of an earlier format: {sink.kind!r}")
        return replace(sink, kind=ops.TABLE, write=Insert(overwrite))
    return sink


__all__ = ["decode", "encode", "from_json", "is_alike", "to_json"]
