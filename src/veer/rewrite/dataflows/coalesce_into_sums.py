"""A sum whose null is read as zero adds zero for each null.

    Project(coalesce(s, 0)) <- Aggregate(a; sum(x) AS s) <- t
        =>   Project(s) <- Aggregate(a; sum(coalesce(x, 0)) AS s) <- t

Sound for the sums of groups, which have a row: where every x is null the sum of zeros is zero. Not
for floats, whose zeros are two. What is added is then the same in versions that have a null where
others have a zero, as after an outer join.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from veer.expressions.constant_folding import zero_of
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.walk import columns_read, exprs_in, map_exprs, replace_down
from veer.rewrite.builder import with_operators
from veer.rewrite.columns import column_at


def coalesce_into_sums(dataflow: Dataflow) -> Dataflow:
    """The dataflow with zeros added where nulls of sums are read as zeros."""
    operators = dict(dataflow.operators)
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, ops.Aggregate):
            places = {
                i
                for i, named in enumerate(operator.calls, len(operator.keys))
                if _may_add_zeros(named) and _is_read_so(dataflow, id_, i)
            }
            if places:
                operators[id_] = _adding_zeros(operator, places)
                _read_plainly(dataflow, id_, places, operators)
    return with_operators(dataflow, operators)


def _may_add_zeros(named: ops.NamedCall) -> bool:
    call = named.call
    if call.function != "sum" or call.distinct or call.where is not None:
        return False
    return all(
        isinstance(t, ty.IntegralType | ty.DecimalType) for t in (call.type, call.args[0].type)
    )


def _is_read_so(dataflow: Dataflow, id_: str, place: int) -> bool:
    """Whether everybody who reads a column reads zero for null."""
    column = column_at(dataflow.schemas[id_], place)
    readers = [link.dst for link in dataflow.outputs[id_]]
    for reader in readers:
        operator = dataflow.operators[reader]
        if not isinstance(operator, ops.Project | ops.Filter):
            return False
        if _reads_bare(exprs_in(operator), column):
            return False
        if isinstance(operator, ops.Filter) and not _is_read_so(dataflow, reader, place):
            return False
    return bool(readers)


def _reads_bare(exprs: Iterable[ex.Expr], column: ex.Column) -> bool:
    """Whether a column is read other than with zero for null."""
    nothing = ex.Literal(None, column.type)
    rest = (replace_down(e, lambda n: nothing if _is_or_zero(n, column) else None) for e in exprs)
    return any(c == column for e in rest for c in columns_read(e))


def _is_or_zero(expr: ex.Expr, column: ex.Column) -> bool:
    match expr:
        case ex.Call("coalesce", (ex.Column() as first, ex.Literal(value) as zero)):
            return first == column and value == 0 and zero.type == first.type
        case _:
            return False


def _adding_zeros(operator: ops.Aggregate, places: Collection[int]) -> ops.Aggregate:
    first = len(operator.keys)
    calls = (
        _adding_zero(named) if first + i in places else named
        for i, named in enumerate(operator.calls)
    )
    return replace(operator, calls=tuple(calls))


def _adding_zero(named: ops.NamedCall) -> ops.NamedCall:
    (value,) = named.call.args
    value = ex.Call("coalesce", (value, zero_of(value.type)), value.type)
    return replace(named, call=replace(named.call, args=(value,)))


def _read_plainly(
    dataflow: Dataflow, id_: str, places: Collection[int], operators: dict[str, ops.AnyOperator]
) -> None:
    """Write the readers of sums anew, which are never null now."""
    columns = [column_at(dataflow.schemas[id_], place) for place in places]

    def plain(expr: ex.Expr) -> ex.Expr | None:
        return next((c for c in columns if _is_or_zero(expr, c)), None)

    for link in dataflow.outputs[id_]:
        reader = operators[link.dst]
        operators[link.dst] = map_exprs(reader, lambda e: replace_down(e, plain))
        if isinstance(reader, ops.Filter):
            _read_plainly(dataflow, link.dst, places, operators)
