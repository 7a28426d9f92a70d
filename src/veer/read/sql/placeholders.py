"""Placeholders for the aggregates, window functions and generators of a SELECT while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar, final

from veer.errors import IllFormedError
from veer.facts.determinism import is_repeatable
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow, Link
from veer.ir.walk import parts
from veer.read import coercion


class SetAside(Enum):
    """What a placeholder stands for, and so what its number counts."""

    AGGREGATE = "aggregate"  # a call in `Collected.aggregates`
    OVER = "over"  # a window function in `Collected.overs`
    GENERATOR = "generator"  # explode and its like in `Collected.generators`
    GENERATED = "generated"  # a column that the generator of the select list adds
    GROUPING = "grouping"  # the column of the aggregate that says which keys are left out


@final
@dataclass(frozen=True, slots=True)
class Placeholder:
    """What stands, while a SELECT is read, for a value that no expression of one row computes."""

    kind: SetAside
    number: int

    def expr(self, type_: ty.DataType) -> ex.Expr:
        """The placeholder inside of an expression.

        `Expr` is a closed union, so it travels as a function without arguments, whose name no
        function of SQL can have. `placeholder` is the only reader of that name, and none is left
        when the SELECT is read.
        """
        return ex.OpaqueCall(f"${self.kind.value} {self.number}", (), type_)


def placeholder(expr: ex.Expr) -> Placeholder | None:
    """The placeholder an expression is; None if it is anything else."""
    if isinstance(expr, ex.OpaqueCall) and expr.identity.startswith("$"):
        kind, number = expr.identity[1:].split()
        return Placeholder(SetAside(kind), int(number))
    return None


def number_of(kind: SetAside, expr: ex.Expr) -> int | None:
    """The number of a placeholder of this kind; None if the expression is anything else."""
    mark = placeholder(expr)
    return mark.number if mark is not None and mark.kind is kind else None


def has_placeholder(expr: ex.Expr, kind: SetAside | None = None) -> bool:
    """Whether there is a placeholder, of this kind if one is given, anywhere in an expression."""
    marks = (placeholder(part) for part in parts(expr))
    return any(mark is not None and kind in (None, mark.kind) for mark in marks)


@dataclass
class Collected:
    """What stands behind the placeholders of the expressions of one SELECT."""

    aggregates: list[ex.AggregateCall] = field(default_factory=list)
    overs: list[ex.OverCall] = field(default_factory=list)
    generators: list[tuple[str, ex.Expr]] = field(default_factory=list)  # function and argument

    def aggregate(self, call: ex.AggregateCall) -> ex.Expr:
        """Set an aggregate call aside: the placeholder for it."""
        number = _place(self.aggregates, call)
        return Placeholder(SetAside.AGGREGATE, number).expr(call.type)

    def over(self, call: ex.OverCall) -> ex.Expr:
        """Set a window function aside: the placeholder for it."""
        return Placeholder(SetAside.OVER, _place(self.overs, call)).expr(call.type)

    def generator(self, function: str, value: ex.Expr) -> ex.Expr:
        """Set a generator aside; its placeholder is a whole select item, so it needs no type."""
        self.generators.append((function, value))
        return Placeholder(SetAside.GENERATOR, len(self.generators) - 1).expr(ty.NULL)


Collectable = TypeVar("Collectable", ex.AggregateCall, ex.OverCall)


def _place(calls: list[Collectable], call: Collectable) -> int:
    """The place of a call in the list; calls written alike are one if nothing in them chooses."""
    if call in calls and is_repeatable(call):
        return calls.index(call)
    calls.append(call)
    return len(calls) - 1


def outward(expr: ex.Expr, depth: int) -> ex.Expr:
    """A column of an enclosing query, as seen from `depth` queries inside."""
    if isinstance(expr, ex.Column):
        return ex.OuterColumn(expr.name, expr.type, expr.occurrence, depth)
    if isinstance(expr, ex.GetField):
        return ex.GetField(outward(expr.arg, depth), expr.name)
    raise IllFormedError("a subquery reads a column that is computed outside it")


def with_types(query: Dataflow, types: list[ty.DataType]) -> Dataflow:
    """The query with its columns cast; the query itself if they have these types already."""
    if list(query.result_schema.types) == types:
        return query
    schema = query.result_schema
    columns = tuple(
        ex.Named(f.name, coercion.implicit(ex.Column(f.name, f.type, schema.occurrence(i)), t))
        for i, (f, t) in enumerate(zip(schema, types, strict=True))
    )
    return _before_sink(query, ops.Project(columns), "cast")


def filtered(query: Dataflow, predicate: ex.Expr) -> Dataflow:
    """The query with its rows filtered."""
    return _before_sink(query, ops.Filter(predicate), "quantified")


def _before_sink(query: Dataflow, operator: ops.AnyOperator, id_: str) -> Dataflow:
    """The query with an operator more, the last before its only sink."""
    (sink,) = query.sinks
    (last,) = query.inputs[sink]
    links = [link for link in query.links if link.dst != sink]
    while id_ in query.operators:  # a table may be called so
        id_ += "_"
    return Dataflow({**query.operators, id_: operator}, [*links, Link(last, id_), Link(id_, sink)])
