"""Structural identity: equal fingerprints mean the same computation over the same sources.

Columns count by position, so renaming a column that is only passed on changes nothing; names
count where they can be seen: in source tables and in sinks. Ids do not count. The hash is over
a canonical text, the same in every process.

Equal fingerprints are not yet equal results: a LIMIT without order may choose otherwise each time. And
keys and other constraints do not count: they say what rows a table may hold, not what is computed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, assert_never

from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.digests import text_digest
from veer.ir.json import encode
from veer.ir.schema import Schema


def fingerprints(dataflow: Dataflow) -> Mapping[str, str]:
    """The fingerprint of every operator's output."""
    return dataflow.cached("fingerprints", lambda: _fingerprints(dataflow, ()))


def fingerprint(dataflow: Dataflow) -> str:
    """The fingerprint of the whole: of its sinks by name."""
    by_signal = fingerprints(dataflow)
    return _hash(sorted(by_signal[sink] for sink in dataflow.sinks))


def identity(
    operator: ops.AnyOperator, inputs: Sequence[Schema], outer: tuple[Schema, ...] = ()
) -> str:
    """What an operator does to inputs of these schemas, columns by position: a canonical text."""
    return json.dumps(_operator(operator, inputs, outer), separators=(",", ":"))


def part_identity(expr: ex.Expr, rows: Schema) -> str:
    """What an expression says over rows of this schema, columns by position."""
    return json.dumps(_part(expr, (rows,)), separators=(",", ":"))


def _fingerprints(dataflow: Dataflow, outer: tuple[Schema, ...]) -> dict[str, str]:
    by_signal: dict[str, str] = {}
    for id_ in dataflow.order:
        below = dataflow.inputs[id_]
        text = identity(dataflow.operators[id_], [dataflow.schemas[i] for i in below], outer)
        by_signal[id_] = _hash([text, *(by_signal[i] for i in below)])
    return by_signal


def _hash(data: Any) -> str:
    return text_digest(json.dumps(data, separators=(",", ":")))


def _operator(
    operator: ops.AnyOperator, inputs: Sequence[Schema], outer: tuple[Schema, ...]
) -> Any:
    """An operator as JSON: its class and whatever of its properties shows in a result."""
    rows = Schema(tuple(f for schema in inputs for f in schema))
    scope = (rows, *outer)
    kind = type(operator).__name__
    match operator:
        case ops.Source(table, source_fields, _, _, format_, location, options, metadata=metadata):
            columns = [[f.name, str(f.type)] for f in source_fields]
            parts = [kind, table, columns, format_, location, [list(o) for o in options]]
            return [*parts, [list(m) for m in metadata]] if metadata else parts
        case ops.Values(value_fields, value_rows):
            # Encoded values: `==` would take 0.0 for -0.0.
            return [kind, [str(f.type) for f in value_fields], encode(value_rows)]
        case ops.Sink(name, sink_kind, target, columns, positional, write):
            names = list(operator.output(inputs).names)
            how = [sink_kind] if write is None else [sink_kind, encode(write)]
            return [kind, name, *how, target, _part(columns, scope), positional, names]
        case ops.Unnest(generator, _, is_outer, position, inline):
            return [kind, _part(generator, scope), is_outer, position, inline]
        case ops.RowUdf(name, reads, adds):
            return [kind, name, _part(reads, scope), [str(f.type) for f in adds]]
        case ops.TableUdf(name, udf_fields, udf_scope, keys, deterministic):
            # The function sees the table with its names, and gives columns by their names.
            seen = [[[f.name, str(f.type)] for f in schema] for schema in inputs]
            gives = [[f.name, str(f.type)] for f in udf_fields]
            return [kind, name, gives, udf_scope, _part(keys, scope), deterministic, seen]
        case ops.Deduplicate(keys):
            # A set of columns: in whatever order they are named, the groups are the same.
            return [kind, sorted(_part(k, scope)[1] for k in keys)]
        case ops.Project(columns):
            return [kind, [_part(c, scope) for c in columns]]
        case (
            ops.Filter()
            | ops.Join()
            | ops.Aggregate()
            | ops.GlobalAggregate()
            | ops.Sort()
            | ops.Limit()
            | ops.Over()
        ):
            return _properties(operator, scope)
        case ops.Union() | ops.IntersectAll() | ops.ExceptAll() | ops.Lateral() | ops.Sample():
            return _properties(operator, scope)
        case _:
            assert_never(operator)


def _properties(operator: ops.AnyOperator, scope: tuple[Schema, ...]) -> Any:
    """An operator by all its properties: every one of them matters, names of columns do not."""
    parts = (_part(getattr(operator, f.name), scope) for f in fields(operator))
    return [type(operator).__name__, *parts]


def _part(value: Any, scope: tuple[Schema, ...]) -> Any:
    """A part of an operator as JSON; `scope` are the rows it reads, the innermost first."""
    match value:
        case ex.Column(name, _, occurrence):
            return ["#", scope[0].place(name, occurrence)]
        case ex.OuterColumn(name, _, occurrence, depth):
            return ["^", depth, scope[depth].place(name, occurrence)]
        case ex.Named(_, expr):
            return _part(expr, scope)
        case ops.NamedCall(_, call) | ops.NamedOver(_, call):
            return _part(call, scope)
        case tuple():
            return [_part(item, scope) for item in value]
        case Dataflow():
            inner = _fingerprints(value, scope)
            (sink,) = value.inputs[value.sinks[0]]
            return ["query", inner[sink]]
        case Enum():
            return value.value
        case _ if isinstance(value, ex.EXPR_PARTS):
            parts = [_part(getattr(value, f.name), scope) for f in fields(value)]
            return [type(value).__name__, *parts]
        case _:
            return encode(value)
