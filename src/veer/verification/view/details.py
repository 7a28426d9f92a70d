"""The data on one operator: properties, schema, place in a file, facts and obligations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, final

from veer.facts.facts import facts, place_name
from veer.facts.needs import Need
from veer.ir import expr as ex
from veer.ir.dag import Dataflow
from veer.ir.ops import AnyOperator
from veer.ir.pprint import show_expr, show_operator, show_part
from veer.ir.schema import Schema
from veer.ir.secrets import without_secrets
from veer.ir.walk import transform
from veer.verification.versions.describe import site_of
from veer.verification.versions.differences import UNSHOWN


@final
@dataclass
class Details:
    """Tells of operators; equal schemas are told once, in `schemas`."""

    needs: Mapping[int, Mapping[str, Need]]  # by the identity of a dataflow
    with_facts: set[int]  # places of which facts are told
    schemas: list[list[list[Any]]] = field(default_factory=list)
    _places: dict[Schema, int] = field(default_factory=dict)

    def of(self, dataflow: Dataflow, id_: str, place: int) -> dict[str, Any]:
        """What is told of an operator of one version."""
        operator, schema = dataflow.operators[id_], dataflow.schemas[id_]
        line, file = site_of(id_)
        told: dict[str, Any] = {
            "id": id_,
            "text": show_operator(operator),
            "properties": [[name, text] for name, text in properties(operator)],
            "schema": self._schema(schema),
            "need": need_text(self.needs[id(dataflow)].get(id_), schema),
        }
        if file:
            told["file"], told["line"] = file, line
        if place in self.with_facts:
            told["facts"] = list(fact_texts(dataflow, id_))
        return told

    def _schema(self, schema: Schema) -> int:
        if schema not in self._places:
            self._places[schema] = len(self.schemas)
            self.schemas.append([[f.name, str(f.type), f.nullable] for f in schema])
        return self._places[schema]


def properties(operator: AnyOperator) -> Iterator[tuple[str, list[str]]]:
    """The properties of an operator that are set, each as one text or several."""
    for each in fields(operator):
        value = getattr(operator, each.name)
        if value == _default(each) or value is None or value == ():
            continue
        if each.name in UNSHOWN:  # may hold secrets: only the names of entries are told
            yield each.name, [str(entry[0]) for entry in value]
        elif isinstance(value, tuple):
            yield each.name, [_shown(part) for part in value]
        else:
            yield each.name, [_shown(value)]


def _default(each: Field[Any]) -> Any:
    return each.default if each.default is not MISSING else MISSING


def _shown(value: Any) -> str:
    return without_secrets(value) if isinstance(value, str) else without_secrets(show_part(value))


def fact_texts(dataflow: Dataflow, id_: str) -> Iterator[str]:
    """What holds of all rows of a signal, in words; columns by their names."""
    schema, known = dataflow.schemas[id_], facts(dataflow, id_)
    columns = columns_of(schema)
    by_place = {place_name(i): column for i, column in enumerate(columns)}
    for condition in known.conditions:
        yield show_expr(transform(condition, lambda part: _named(part, by_place)))
    for key in known.keys:
        listed = ", ".join(show_expr(columns[i]) for i in sorted(key.places))
        yield f"no two rows have the same {listed}" if listed else "at most one row"


def columns_of(schema: Schema) -> list[ex.Column]:
    """The columns as expressions name them: of several of one name, which it is."""
    seen: Counter[str] = Counter()
    columns = []
    for each in schema:
        columns.append(ex.Column(each.name, each.type, seen[each.name]))
        seen[each.name] += 1
    return columns


def _named(part: ex.Expr, columns: Mapping[str, ex.Column]) -> ex.Expr:
    return columns[part.name] if isinstance(part, ex.Column) else part


def need_text(need: Need | None, schema: Schema) -> str:
    """What the sinks need of a signal, in words."""
    if need is None:
        return "nothing: no sink reads it"
    if len(need.columns) == len(schema):
        columns = "all columns"
    else:
        named = columns_of(schema)
        columns = ", ".join(show_expr(named[i]) for i in sorted(need.columns)) or "no column"
    return f"equal as {need.semantics.value} on {columns}"
