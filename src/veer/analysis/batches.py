"""Functions of batches of rows: pandas UDFs, `mapInPandas`, `applyInPandas` and their kin.

To Spark it is open how, and in which order, such a function is given rows. A function that does not
look at that gives one result all the same; whether it does is for its author to say.
"""

from __future__ import annotations

from dataclasses import replace

from veer.analysis.determinism import operator_kind
from veer.functions.registry import Kind
from veer.model.dag import Dataflow
from veer.model.expr import Expr, OpaqueCall
from veer.model.ops import AnyOperator, TableUdf
from veer.model.walk import map_exprs, operator_exprs, parts, transform


def has_batched(operator: AnyOperator) -> bool:
    """Whether an operator runs a function of batches."""
    if isinstance(operator, TableUdf):
        return operator.batched
    return any(
        isinstance(part, OpaqueCall) and part.batched
        for expr in operator_exprs(operator)
        for part in parts(expr)
    )


def chooses_by_batches(dataflow: Dataflow, id_: str) -> bool:
    """Whether an operator makes no other choice than its functions of batches do."""
    operator = dataflow.operators[id_]
    if not has_batched(operator):
        return False
    if isinstance(operator, TableUdf):
        return True
    settled: AnyOperator = map_exprs(operator, lambda e: transform(e, _settled))
    changed = Dataflow({**dataflow.operators, id_: settled}, dataflow.links)
    return operator_kind(changed, id_) is Kind.PURE


def _settled(expr: Expr) -> Expr:
    if isinstance(expr, OpaqueCall) and expr.batched:
        return replace(expr, kind=Kind.PURE, batched=False)
    return expr
