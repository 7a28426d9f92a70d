"""What is grouped by and what is aggregated is computed below the aggregate.

    Aggregate(a + 1; sum(b * c)) <- t   =>   Aggregate(x; sum(y)) <- Project(a + 1 AS x, b * c AS y) <- t

Sound because an expression that is a function of its row has the same value wherever it is computed.
Two versions that compute the same in different ways are then equal below their aggregates already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veer.facts.determinism import operator_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.digests import text_of
from veer.ir.walk import columns_read, exprs_in, map_exprs, outer_columns
from veer.rewrite.builder import Builder
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random


def project_aggregate_inputs(dataflow: Dataflow) -> Dataflow:
    """The dataflow with aggregates of plain columns."""
    if any(outer_columns(dataflow)):
        return dataflow
    computed = {
        id_: exprs
        for id_, operator in dataflow.operators.items()
        if isinstance(operator, ops.Aggregate | ops.GlobalAggregate)
        and (exprs := _arguments(operator))
        and operator_kind(dataflow, id_) is Kind.PURE
    }
    changed = _computed_below(dataflow, computed)
    # Some give one result only because of how their arguments are computed: they keep them.
    kept = {i: e for i, e in computed.items() if operator_kind(changed, i) is Kind.PURE}
    return changed if len(kept) == len(computed) else _computed_below(dataflow, kept)


def _computed_below(dataflow: Dataflow, computed: Mapping[str, Sequence[ex.Expr]]) -> Dataflow:
    """The dataflow with projections below some aggregates."""
    builder = Builder(dataflow)
    for id_, exprs in computed.items():
        operator = dataflow.operators[id_]
        assert isinstance(operator, ops.Aggregate | ops.GlobalAggregate)
        below = builder.add(f"{id_} arguments", _projection(exprs), dataflow.inputs[id_])
        builder.put(id_, _of_columns(operator, exprs), (below,))
    return builder.dataflow()


def _arguments(operator: ops.Aggregate | ops.GlobalAggregate) -> list[ex.Expr]:
    """The keys and arguments that read columns, each once; none if nothing is to be computed."""
    exprs = list({text_of(e): e for e in exprs_in(operator) if any(columns_read(e))}.values())
    if all(isinstance(e, ex.Column) for e in exprs):
        return []
    return [] if any(is_random(e) or has_query(e) for e in exprs) else exprs


def _projection(exprs: Sequence[ex.Expr]) -> ops.Project:
    return ops.Project(tuple(ex.Named(f"c{i}", e) for i, e in enumerate(exprs)))


def _of_columns(
    operator: ops.Aggregate | ops.GlobalAggregate, exprs: Sequence[ex.Expr]
) -> ops.Aggregate | ops.GlobalAggregate:
    places = {text_of(e): ex.Column(f"c{i}", e.type) for i, e in enumerate(exprs)}
    return map_exprs(operator, lambda e: places.get(text_of(e), e))
