"""The sources of a dataflow, those inside of subqueries included."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any

from veer.assumptions import KeyAssumption, KeyHolds, LeafKeyHolds
from veer.ir import ops
from veer.ir.dag import Dataflow, Link
from veer.ir.schema import Schema
from veer.ir.types import DataType
from veer.ir.walk import subqueries


def sources_of(dataflow: Dataflow) -> Iterator[ops.Source]:
    """The sources that a dataflow reads anywhere, subqueries included."""
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        if isinstance(operator, ops.Source):
            yield operator
        for query in subqueries(operator):
            yield from sources_of(query)


def declared_key(source: ops.Source, columns: tuple[str, ...]) -> KeyAssumption:
    """What is assumed by relying on a key of a source."""
    if source.leaf:
        return LeafKeyHolds(source.table, columns)
    return KeyHolds(source.table, columns)


def distinct_sources(dataflow: Dataflow) -> list[ops.Source]:
    """The sources that a dataflow reads anywhere, each once."""
    return list(dict.fromkeys(sources_of(dataflow)))


def tables_read(dataflows: Iterable[Dataflow]) -> dict[str, ops.Source]:
    """The tables that dataflows read anywhere, by name and in order of names.

    What any of them declares of a table counts: all keys, never null where one says so.
    """
    tables: dict[str, ops.Source] = {}
    for source in chain.from_iterable(map(sources_of, dataflows)):
        other = tables.get(source.table)
        tables[source.table] = source if other is None else _declared_by_both(other, source)
    return dict(sorted(tables.items()))


def _declared_by_both(one: ops.Source, two: ops.Source) -> ops.Source:
    """One table with the declarations of two readers: all of them hold of the same rows."""
    if one == two or not have_same_columns(one, two):
        return one
    columns = tuple(
        replace(f, nullable=f.nullable and g.nullable)
        for f, g in zip(one.fields, two.fields, strict=True)
    )
    return replace(
        one,
        fields=columns,
        keys=tuple(dict.fromkeys(one.keys + two.keys)),
        foreign_keys=tuple(dict.fromkeys(one.foreign_keys + two.foreign_keys)),
        lengths=tuple(dict.fromkeys(one.lengths + two.lengths)),
        unique=tuple(dict.fromkeys(one.unique + two.unique)),
        checks=tuple(dict.fromkeys(one.checks + two.checks)),
    )


def have_same_columns(one: ops.Source, two: ops.Source) -> bool:
    """Whether two sources have the same columns, null or not."""
    ours, theirs = ([(f.name, f.type) for f in source.fields] for source in (one, two))
    return ours == theirs


def parent_of(foreign: ops.ForeignKey, sources: Iterable[ops.Source]) -> ops.Source | None:
    """The table a foreign key refers to, if it is among these."""
    return next((s for s in sources if s.table.lower() == foreign.parent.lower()), None)


def target_places(parent: ops.Source, foreign: ops.ForeignKey) -> list[int]:
    """Where the columns a foreign key refers to stand in the parent."""
    names = [f.name.lower() for f in parent.fields]
    targets = (name.lower() for name in foreign.target(parent))
    return [names.index(name) for name in targets if name in names]


def undeclared(source: ops.Source) -> ops.Source:
    """A source of which nothing is declared but its columns."""
    columns = tuple(replace(f, nullable=True) for f in source.fields)
    return replace(
        source, fields=columns, keys=(), foreign_keys=(), lengths=(), unique=(), checks=()
    )


def map_sources(dataflow: Dataflow, change: Callable[[ops.Source], ops.Source]) -> Dataflow:
    """The dataflow with its sources changed, those of subqueries too."""
    return Dataflow(
        {i: _changed(op, change) for i, op in dataflow.operators.items()},
        dataflow.links,
        map(change, dataflow.declared),
    )


def _changed(
    operator: ops.AnyOperator, change: Callable[[ops.Source], ops.Source]
) -> ops.AnyOperator:
    if isinstance(operator, ops.Source):
        return change(operator)
    if next(subqueries(operator), None) is None:
        return operator
    changed: ops.AnyOperator = _map_queries(operator, lambda query: map_sources(query, change))
    return changed


def _map_queries(value: Any, change: Callable[[Dataflow], Dataflow]) -> Any:
    """An operator or a part of it with other subqueries."""
    if isinstance(value, Dataflow):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_map_queries(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type | DataType | Schema):
        properties = {
            f.name: _map_queries(getattr(value, f.name), change) for f in fields(value) if f.init
        }
        return type(value)(**properties)
    return value


def inline_sources(
    dataflow: Dataflow, inlined: Mapping[ops.Source, tuple[str, Dataflow]]
) -> Dataflow:
    """The dataflow reading, instead of some tables, the rows that other dataflows give.

    Each of them has one sink, whose columns are those of the table, and a name that is put before
    the ids of its operators. In subqueries too; there they stand once more.
    """
    operators: dict[str, ops.AnyOperator] = {}
    links: list[Link] = []
    names: dict[str, str] = {}  # of operators that are replaced, what feeds their readers now
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, ops.Source) and operator in inlined:
            name, rows = inlined[operator]
            (sink,) = rows.sinks
            for inner, op in rows.operators.items():
                if inner != sink:
                    operators[f"{name}/{inner}"] = op
            links += [
                Link(f"{name}/{link.src}", f"{name}/{link.dst}", link.port)
                for link in rows.links
                if link.dst != sink
            ]
            names[id_] = f"{name}/{rows.inputs[sink][0]}"
        elif next(subqueries(operator), None) is None:
            operators[id_] = operator
        else:
            operators[id_] = _map_queries(operator, lambda query: inline_sources(query, inlined))
    links += [Link(names.get(link.src, link.src), link.dst, link.port) for link in dataflow.links]
    return Dataflow(operators, dict.fromkeys(links), dataflow.declared)


# -- the location of a source as a text: one path, or several as a JSON list ---------------------

SEVERAL_URLS = re.compile(r"[a-z][a-z0-9+.-]*:/\S+( [a-z][a-z0-9+.-]*:/\S+)+$")


def location_of(paths: Iterable[str]) -> str:
    """One text for some paths, whatever their order."""
    ordered = sorted(paths)
    # A path that would be read as several stands in a list too.
    is_plain = len(ordered) == 1 and paths_of(ordered[0]) == ordered
    return ordered[0] if is_plain else json.dumps(ordered)


def paths_of(location: str) -> list[str]:
    """The paths of a location: one, a JSON list of them, or URLs with blanks between them."""
    if location.startswith("["):
        try:
            return [str(path) for path in json.loads(location)]
        except ValueError:
            return [location]
    if SEVERAL_URLS.match(location):
        return location.split(" ")
    return [location]
