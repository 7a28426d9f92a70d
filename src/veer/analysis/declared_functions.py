"""What is declared of functions that a sink depends on: believed, and so listed with every proof."""

from __future__ import annotations

from collections.abc import Iterator

from veer.assumptions import PackageIsPure, RowWise
from veer.model.dag import Dataflow
from veer.model.expr import OpaqueCall
from veer.model.ops import TableUdf
from veer.model.walk import operator_exprs, parts, subqueries


def declared_of_functions(dataflow: Dataflow, sink: str) -> Iterator[RowWise | PackageIsPure]:
    """What is believed of functions below a sink, those in subqueries too."""
    for id_ in (*dataflow.ancestors(sink), sink):
        operator = dataflow.operators[id_]
        if isinstance(operator, TableUdf):
            yield from map(PackageIsPure, operator.trusted)
        for part in (part for expr in operator_exprs(operator) for part in parts(expr)):
            if isinstance(part, OpaqueCall):
                yield from map(PackageIsPure, part.trusted)
                yield from [RowWise(part.row_wise)] if part.row_wise else []
        for query in subqueries(operator):
            for inner in query.sinks:
                yield from declared_of_functions(query, inner)
