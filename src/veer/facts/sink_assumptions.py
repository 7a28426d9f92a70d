"""What is assumed of the tables and functions that sinks depend on, listed with every verdict."""

from __future__ import annotations

from collections.abc import Iterator

from veer.assumptions import ColumnsAsUsed, PackageIsPure, RowWise
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.expr import OpaqueCall
from veer.ir.walk import operator_exprs, parts, subqueries


def columns_as_used(*sinks: tuple[Dataflow, str]) -> tuple[ColumnsAsUsed, ...]:
    """What is assumed of the tables below sinks."""
    found: dict[ColumnsAsUsed, None] = {}
    for dataflow, sink in sinks:
        for id_ in dataflow.ancestors(sink):
            operator = dataflow.operators[id_]
            if isinstance(operator, ops.Source | ops.TableUdf):
                names = tuple(f.name for f in operator.fields)
                table = operator.table if isinstance(operator, ops.Source) else id_
                used = tuple(sorted(set(names) - {ops.OTHER_COLUMNS}))
                if not used:
                    continue  # nothing is taken for granted
                if ops.OTHER_COLUMNS in names:
                    found[ColumnsAsUsed(table, used, others=True)] = None
                    continue
                metadata = dict(operator.metadata) if isinstance(operator, ops.Source) else {}
                if ops.REMEMBERED in metadata:
                    found[ColumnsAsUsed(table, used, others=False, remembered=True)] = None
                if ops.UNTOLD_TYPES in metadata:
                    unknown = tuple(metadata[ops.UNTOLD_TYPES].split("\n"))
                    found[ColumnsAsUsed(table, unknown, others=False)] = None
    return tuple(sorted(found, key=lambda a: (a.table, a.remembered, a.columns)))


def declared_of_functions(dataflow: Dataflow, sink: str) -> Iterator[RowWise | PackageIsPure]:
    """What is believed of functions below a sink, those in subqueries too."""
    for id_ in (*dataflow.ancestors(sink), sink):
        operator = dataflow.operators[id_]
        if isinstance(operator, ops.TableUdf):
            yield from map(PackageIsPure, operator.trusted)
        for part in (part for expr in operator_exprs(operator) for part in parts(expr)):
            if isinstance(part, OpaqueCall):
                yield from map(PackageIsPure, part.trusted)
                yield from [RowWise(part.row_wise)] if part.row_wise else []
        for query in subqueries(operator):
            for inner in query.sinks:
                yield from declared_of_functions(query, inner)
