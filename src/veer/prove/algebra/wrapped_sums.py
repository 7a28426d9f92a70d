"""Sums of sessions without ANSI, of which the low bits are kept, by exact sums.

    legacy.sum(x)   =>   the low bits of sum(x)

Here a sum has its mathematical value, however large. Of a sum only the low bits count, so they may
as well be taken at the end: what wraps around inside, in the type of the sum, is computed exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow, Link
from veer.ir.schema import Schema

SUM, LOW_BITS = "legacy.sum", "legacy.low_bits"
EXACT = {"legacy.+": "+", "legacy.-": "-", "legacy.*": "*", "legacy.negative": "negative"}


def with_exact_sums(dataflow: Dataflow) -> Dataflow:
    """The dataflow with the low bits of exact sums in place of sums that wrap around."""
    if not any(map(_wraps, dataflow.operators.values())):
        return dataflow
    operators: dict[str, ops.AnyOperator] = {}
    links = []
    for id_, operator in dataflow.operators.items():
        below = id_
        if _wraps(operator):
            below = f"{id_} exact"
            operators[below] = _exact(operator)
            operators[id_] = _low_bits(operator, dataflow.schemas[id_])
            links.append(Link(below, id_, 0))
        else:
            operators[id_] = operator
        links += [Link(link.src, below, link.port) for link in dataflow.links if link.dst == id_]
    return Dataflow(operators, links)


def _wraps(operator: ops.AnyOperator) -> bool:
    return isinstance(operator, ops.Aggregate | ops.GlobalAggregate | ops.Over) and any(
        _is_wrapped(named.call) for named in operator.calls
    )


def _is_wrapped(call: ex.AggregateCall | ex.OverCall) -> bool:
    return call.function == SUM and isinstance(call.type, ty.IntegralType)


def _exact(operator: ops.AnyOperator) -> ops.AnyOperator:
    if isinstance(operator, ops.Over):
        over = (replace(named, call=_exact_call(named.call)) for named in operator.calls)
        return ops.Over(tuple(over))
    assert isinstance(operator, ops.Aggregate | ops.GlobalAggregate)
    calls = (replace(named, call=_exact_call(named.call)) for named in operator.calls)
    return replace(operator, calls=tuple(calls))


SomeCall = TypeVar("SomeCall", ex.AggregateCall, ex.OverCall)


def _exact_call(call: SomeCall) -> SomeCall:
    if not _is_wrapped(call):
        return call
    args = call.args
    if not (isinstance(call, ex.AggregateCall) and call.distinct):  # which values differ counts
        args = tuple(map(_unwrapped, args))
    return replace(call, function="sum", args=args)


def _unwrapped(expr: ex.Expr) -> ex.Expr:
    """A value with the same low bits that does not wrap around, as far as it is computed so."""
    match expr:
        case ex.Call(function, args, type_) if function == LOW_BITS and args[0].type == type_:
            return _unwrapped(args[0])
        case ex.Call(function, args, type_) if function in EXACT and type_ == ty.LONG:
            return ex.Call(EXACT[function], tuple(map(_unwrapped, args)), type_)
        case _:
            return expr


def _low_bits(operator: ops.AnyOperator, schema: Schema) -> ops.Project:
    """The columns as they were: of exact sums the low bits."""
    assert isinstance(operator, ops.Aggregate | ops.GlobalAggregate | ops.Over)
    first = len(schema) - len(operator.calls)
    columns = []
    for place, field in enumerate(schema):
        value: ex.Expr = ex.Column(field.name, field.type, schema.occurrence(place))
        if place >= first and _is_wrapped(operator.calls[place - first].call):
            value = ex.Call(LOW_BITS, (value,), field.type)
        columns.append(ex.Named(field.name, value))
    return ops.Project(tuple(columns))
