"""Columns by their places, and which columns of each signal something above it reads.

    Project(a, b) <- Filter(c > 1) <- t(a, b, c, d)   =>   of t: a, b and c

A column that is computed but not read needs no columns itself: so a normal form has neither.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, assert_never

from veer.errors import UnsupportedError
from veer.facts.congruence import columns_needed
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.ir.walk import columns_read, map_exprs, substitute_columns

T = TypeVar("T")


def columns_needed_above(dataflow: Dataflow, *, shows_columns: bool) -> dict[str, dict[int, None]]:
    """For each signal the columns that are read, in the order in which they are.

    Without `shows_columns` the columns of the result are not read.
    """
    wanted: dict[str, dict[int, None]] = {i: {} for i in dataflow.operators}
    for id_ in reversed(dataflow.order):
        inputs = dataflow.inputs[id_]
        schemas = [dataflow.schemas[i] for i in inputs]
        operator = dataflow.operators[id_]
        reads = _columns_read(operator, schemas, wanted[id_])
        if isinstance(operator, ops.Sink) and not operator.columns and not shows_columns:
            reads = [[]]
        for source, read in zip(inputs, reads, strict=True):
            wanted[source].update(dict.fromkeys(read))
    return wanted


def _columns_read(
    operator: ops.AnyOperator, below: Sequence[Schema], own: Mapping[int, None]
) -> list[list[int]]:
    """For each input the columns an operator reads if those of `own` are read of it."""
    match operator:
        case ops.Project(columns):
            read = (c for i in own for c in columns_read(columns[i].expr))
            return [[below[0].place(c.name, c.occurrence) for c in read]]
        case ops.Union():
            return [list(own) for _ in below]
        case ops.Filter() | ops.Sort() | ops.Limit() | ops.Over() | ops.Unnest():
            # The order of rows may matter above, so the keys of a sort are read.
            kept = [i for i in own if i < len(below[0])]
            return [[*kept, *sorted(columns_needed(operator, below, own, in_order=True)[0])]]
        case ops.Join() | ops.Aggregate() | ops.GlobalAggregate():
            return [sorted(read) for read in columns_needed(operator, below, own)]
        case ops.Deduplicate():
            groups = places_told_apart(operator, below[0], own)
            return [groups] if groups else _every_column(below)
        case ops.Source() | ops.Values() | ops.IntersectAll() | ops.ExceptAll() | ops.Lateral():
            return _every_column(below)
        case ops.Sample() | ops.RowUdf() | ops.TableUdf() | ops.Sink():
            return _every_column(below)
        case _:
            assert_never(operator)


def places_told_apart(operator: ops.Deduplicate, below: Schema, read: Collection[int]) -> list[int]:
    """Where the columns stand that tell the rows apart, if no other is read; else none.

    None where one of them has floats: 0.0 and -0.0 are the same key.
    """
    places = [below.place(c.name, c.occurrence) for c in operator.keys]
    shown = set(read) <= set(places) and len(set(places)) == len(places)
    return places if shown and not any(has_floats(c.type) for c in operator.keys) else []


def _every_column(below: Sequence[Schema]) -> list[list[int]]:
    return [list(range(len(schema))) for schema in below]


def column_at(schema: Schema, place: int) -> ex.Column:
    """The column at a place."""
    field = schema.fields[place]
    return ex.Column(field.name, field.type, schema.occurrence(place))


def places_read(expr: ex.Expr, schema: Schema) -> set[int]:
    """Where the columns stand that an expression reads."""
    return {schema.place(c.name, c.occurrence) for c in columns_read(expr)}


def by_place(part: T, schema: Schema, at: Callable[[int], ex.Expr]) -> T:
    """A part of an operator with what stands for the place of each column instead of the column."""

    def moved(column: ex.Column) -> ex.Expr:
        return at(schema.place(column.name, column.occurrence))

    return map_exprs(part, lambda e: substitute_columns(e, moved))


def turned_into(expr: ex.Expr, schema: Schema, sources: Mapping[int, ex.Expr]) -> ex.Expr | None:
    """The expression over what its columns are computed from; None if one has no source."""
    if not places_read(expr, schema) <= sources.keys():
        return None
    try:
        return by_place(expr, schema, lambda at: sources[at])
    except UnsupportedError:  # a subquery reads what is computed
        return None
