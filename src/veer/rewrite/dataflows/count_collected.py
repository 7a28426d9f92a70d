"""Values that are collected only to be counted are counted.

    Project(size(s)) <- Aggregate(a; collect_set(x) AS s) <- t
        =>   Project(n) <- Aggregate(a; count(DISTINCT x) AS n) <- t
    Project(array_contains(s, 1)) <- Aggregate(a; collect_set(x) AS s) <- t
        =>   Project(n <> 0) <- Aggregate(a; count(CASE WHEN x = 1 THEN 1 END) AS n) <- t

Sound because both leave out nulls, and a set has each value once; which order it has does not show.
Whether a list has NULL is null, whatever it has: only other values are looked for.
Not with floats, whose zeros are two. A list that is read in another way stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from veer.ir import expr as ex, ops, types as ty, walk
from veer.ir.dag import Dataflow
from veer.ir.digests import text_of
from veer.ir.schema import Schema
from veer.rewrite.builder import with_operators
from veer.rewrite.columns import column_at
from veer.rewrite.plain_calls import ONE, only_if

COLLECTED = {"collect_set": True, "collect_list": False}  # by whether each value comes once
SIZES = ("size", "array_size")
CONTAINS = "array_contains"


def count_collected(dataflow: Dataflow) -> Dataflow:
    """The dataflow with numbers in place of lists whose size alone is read."""
    for id_, place in list(_collected(dataflow)):
        operator = dataflow.operators[id_]
        assert isinstance(operator, ops.Aggregate | ops.GlobalAggregate)
        at = place - len(dataflow.schemas[id_]) + len(operator.calls)
        for counted, reading in _ways(dataflow, operator.calls[at]):
            readers = readers_of(dataflow, id_, place, ty.LONG, reading)
            if readers is not None:
                calls = (*operator.calls[:at], counted, *operator.calls[at + 1 :])
                counting = replace(operator, calls=calls)
                operators = {**dataflow.operators, **readers, id_: counting}
                dataflow = with_operators(dataflow, operators)
                break
    return dataflow


def _ways(dataflow: Dataflow, named: ops.NamedCall) -> Iterator[tuple[ops.NamedCall, Reading]]:
    """What may be counted instead of a list, and how that is read: its size, or one of its values."""
    yield _counted(named), _of_number
    (value,) = named.call.args
    exprs = (e for operator in dataflow.operators.values() for e in walk.operator_exprs(operator))
    sought = {
        text_of(n.args[1]): n.args[1]
        for e in exprs
        for n in walk.parts(e)
        if isinstance(n, ex.Call) and n.function == CONTAINS and _is_value(n.args[1])
    }
    for literal in sought.values():
        if literal.type == value.type and named.call.where is None:
            found = only_if(ex.Compare("=", value, literal), ONE)
            yield (
                replace(named, call=ex.AggregateCall("count", (found,), ty.LONG)),
                _of_value(literal),
            )


def _is_value(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal) and expr.value is not None


def _of_value(literal: ex.Expr) -> Reading:
    """Whether a list has a value, by how often it has it."""

    def reading(expr: ex.Expr, column: ex.Column, number: ex.Column) -> ex.Expr | None:
        match expr:
            case ex.Call(function, (list_, value)) if function == CONTAINS and list_ == column:
                if text_of(value) == text_of(literal):
                    return ex.Not(ex.Compare("=", number, ex.Literal(0, ty.LONG)))
        return None

    return reading


def _collected(dataflow: Dataflow) -> Iterator[tuple[str, int]]:
    """Where lists are collected: aggregates, and the places of the columns."""
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
            first = len(dataflow.schemas[id_]) - len(operator.calls)
            for i, named in enumerate(operator.calls):
                is_list = named.call.function in COLLECTED and not named.call.distinct
                if is_list and not ty.has_floats(named.call.args[0].type):
                    yield id_, first + i


def _counted(named: ops.NamedCall) -> ops.NamedCall:
    """How many values a list has: null is none of them."""
    call = named.call
    is_set = COLLECTED[call.function]
    return replace(
        named, call=ex.AggregateCall("count", call.args, ty.LONG, distinct=is_set, where=call.where)
    )


def _of_number(expr: ex.Expr, column: ex.Column, number: ex.Column) -> ex.Expr | None:
    """What an expression gives of the size of a list, which fits an integer as lists are no longer."""

    def is_size(part: ex.Expr) -> bool:
        return isinstance(part, ex.Call) and part.function in SIZES and part.args == (column,)

    match expr:
        case ex.Cast(arg) if expr.type == ty.LONG and is_size(arg):
            return number
        case ex.Compare(op, left, ex.Literal(int() as value)) if is_size(left):
            return ex.Compare(op, number, ex.Literal(value, ty.LONG))
        case ex.Compare(op, ex.Literal(int() as value), right) if is_size(right):
            return ex.Compare(op, ex.Literal(value, ty.LONG), number)
        case _ if is_size(expr):
            return ex.Cast(number, ty.INT)
    return None


# What an expression is, the old column being replaced by the new one; None if it is to be looked into.
Reading: TypeAlias = Callable[[ex.Expr, ex.Column, ex.Column], ex.Expr | None]


def readers_of(
    dataflow: Dataflow, id_: str, place: int, type_: ty.DataType, reading: Reading
) -> dict[str, ops.AnyOperator] | None:
    """The operators that read a column, for one of such a type; None if one reads it otherwise.

    Also those that read it further up, where it is passed on as it is. No sink may see it.
    """
    changed: dict[str, ops.AnyOperator] = {}
    waiting = [(id_, place)]
    for here, at in waiting:  # grows meanwhile
        for link in dataflow.outputs[here]:
            inputs = dataflow.inputs[link.dst]
            start = len(dataflow.schemas[inputs[0]]) if link.port else 0
            column = column_at(_rows(dataflow, link.dst), start + at)
            reader = changed.get(link.dst, dataflow.operators[link.dst])
            passed = _passed(reader, link.port, start + at, column)
            if passed is None:
                return None
            written = _written(reader, column, replace(column, type=type_), reading)
            if written is None:
                return None
            changed[link.dst] = written
            waiting += [(link.dst, i) for i in passed]
    return changed


def _rows(dataflow: Dataflow, id_: str) -> Schema:
    """What the expressions of an operator read."""
    schemas = [dataflow.schemas[i] for i in dataflow.inputs[id_]]
    return schemas[0] if len(schemas) == 1 else schemas[0] + schemas[1]


def _passed(reader: ops.AnyOperator, port: int, place: int, column: ex.Column) -> list[int] | None:
    """Where a column of the input shows as it is; None if the operator may see it otherwise."""
    match reader:
        case ops.Project(columns):
            return [i for i, named in enumerate(columns) if named.expr == column]
        case ops.Filter() | ops.Over():
            return [place]
        case ops.Join(kind):
            return [] if port and kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI) else [place]
        case ops.Aggregate() | ops.GlobalAggregate():
            return []
        case _:
            return None


def _written(
    reader: ops.AnyOperator, column: ex.Column, new: ex.Column, reading: Reading
) -> ops.AnyOperator | None:
    """An operator that reads a column, for the new one; None if it reads it otherwise."""

    def changed(expr: ex.Expr) -> ex.Expr:
        if isinstance(reader, ops.Project) and expr == column:
            return new
        return walk.replace_down(expr, lambda node: reading(node, column, new))

    bare: list[ex.Expr] = []

    def noted(expr: ex.Expr) -> ex.Expr:
        written = changed(expr)
        bare.extend(c for c in walk.columns_read(written) if c == column)
        return written

    written = walk.map_exprs(reader, noted)
    return None if bare else written
