"""Sources of a dataflow, wherever they stand, and what of them may be shown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from veer.dataflow.dag import Dataflow
from veer.dataflow.ops import Operator, Source
from veer.dataflow.schema import Schema
from veer.dataflow.types import DataType
from veer.dataflow.walk import subqueries

# In a URL: who reads it, and what a server is asked for. Both may hold secrets.
USER = re.compile(r"\b([a-z][a-z0-9+.-]*):/{1,3}([^/@\s\"]+)@", re.IGNORECASE)
QUERY = re.compile(r"(?<=://)([^\s\"?]*)\?([^\s\"]*=[^\s\"]*)")
# Schemes in which what stands before @ is a container, not somebody's name and password.
CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")


def without_secrets(text: str, hide: Callable[[str, str], str] = lambda *_: "***") -> str:
    """A path or URL without the names, passwords and tokens in it; `hide` takes a kind and a value."""
    if "@" not in text and "?" not in text:
        return text

    def user(found: re.Match[str]) -> str:
        if found[1].lower() in CONTAINERS and ":" not in found[2]:
            return found[0]
        return f"{found[0][: -len(found[2]) - 1]}{hide('user', found[2])}@"

    return USER.sub(user, QUERY.sub(lambda q: f"{q[1]}?{hide('query', q[2])}", text))


SECRET_OPTIONS = frozenset({"password", "user", "token", "secret", "key"})


def without_secret_values(options: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Options of a reader; another secret is still another option: others may see other rows."""
    return tuple((k, _hidden(v) if k.lower() in SECRET_OPTIONS else v) for k, v in options)


def _hidden(value: str) -> str:
    """What tells a secret from another without telling it."""
    return f"hidden-{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def undeclared(source: Source) -> Source:
    """A source of which nothing is declared but its columns."""
    columns = tuple(replace(f, nullable=True) for f in source.fields)
    return replace(
        source, fields=columns, keys=(), foreign_keys=(), lengths=(), unique=(), checks=()
    )


def map_sources(dataflow: Dataflow, change: Callable[[Source], Source]) -> Dataflow:
    """The dataflow with its sources changed, those of subqueries too."""
    return Dataflow(
        {i: _changed(op, change) for i, op in dataflow.operators.items()},
        dataflow.links,
        map(change, dataflow.declared),
    )


def _changed(operator: Operator, change: Callable[[Source], Source]) -> Operator:
    if isinstance(operator, Source):
        return change(operator)
    if next(subqueries(operator), None) is None:
        return operator
    made: Operator = _map_queries(operator, lambda query: map_sources(query, change))
    return made


def _map_queries(value: Any, change: Callable[[Dataflow], Dataflow]) -> Any:
    """An operator or a part of it with other subqueries."""
    if isinstance(value, Dataflow):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_map_queries(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type | DataType | Schema):
        made = {
            f.name: _map_queries(getattr(value, f.name), change) for f in fields(value) if f.init
        }
        return type(value)(**made)
    return value


__all__ = [
    "SECRET_OPTIONS",
    "map_sources",
    "undeclared",
    "without_secret_values",
    "without_secrets",
]
