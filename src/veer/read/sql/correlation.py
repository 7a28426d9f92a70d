"""Where a subquery may read the row around it: in conditions and computed columns, not elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from veer.errors import IllFormedError
from veer.ir import expr as ex
from veer.ir.walk import operator_exprs, parts
from veer.read.builder import FlowBuilder


def is_correlated(expr: ex.Expr) -> bool:
    """Whether an expression reads the row around its query; what stands in subqueries is theirs."""
    return any(isinstance(part, ex.OuterColumn) for part in parts(expr))


def check_uncorrelated(exprs: Iterable[ex.Expr], what: str) -> None:
    """Refuse expressions that read the row around a subquery in a place where Spark does."""
    if any(map(is_correlated, exprs)):
        raise IllFormedError(f"{what} reads a column of the query around")


def check_rows_uncorrelated(builder: FlowBuilder, id_: str, what: str) -> None:
    """Refuse rows that depend on the row around a subquery in a place where Spark does."""
    for operator in builder.operators_below(id_):
        check_uncorrelated(operator_exprs(operator), what)
