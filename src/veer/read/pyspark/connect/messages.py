"""Traversal of protocol messages of any kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from veer.read.pyspark.connect.plans_with_relations import extended

CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)`?\s*\(")  # a name in SQL that may be a function's
SQL_TEXTS = {"SQL": "query", "ExpressionString": "expression"}  # fields that hold SQL, by message
# Messages that name a function.
CALLS = ("UnresolvedFunction", "CallFunction", "UnresolvedTableValuedFunction")


def messages_in(message: Any) -> Iterator[Any]:
    """A message and all inside of it."""
    yield message
    held = extended(message)
    if held is not None:
        yield from messages_in(held)
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            inner = [v for v in value.values() if hasattr(v, "ListFields")]
        else:
            inner = [value] if hasattr(value, "ListFields") else list(value)
        for part in inner:
            yield from messages_in(part)


def told(message: Any, field: str) -> Any | None:
    """What a message says in a field that the protocol of older Sparks does not have."""
    return getattr(message, field) if field in message.DESCRIPTOR.fields_by_name else None


def tells(message: Any, field: str) -> bool:
    """Whether a message says anything in a field that it may not have at all."""
    return field in message.DESCRIPTOR.fields_by_name and bool(message.HasField(field))


def called_functions(message: Any) -> frozenset[str]:
    """The functions that a plan calls by name, and what in its SQL may be one; in lower case."""
    names: set[str] = set()
    for part in messages_in(message):
        kind = part.DESCRIPTOR.name
        if kind in CALLS:
            names.add(part.function_name.rpartition(".")[2].strip("`").lower())
        elif kind in SQL_TEXTS:
            names.update(n.lower() for n in CALL.findall(getattr(part, SQL_TEXTS[kind])))
    return frozenset(names)
