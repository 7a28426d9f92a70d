"""A query pair in which functions are only functions: equal on equal arguments, no more is known.

    a + 1 > b       =>   `<`(b, `+`(a, 1))
    CASE WHEN ...   =>   `case`(...)

What is proven of all functions holds of Spark's. Equality, AND, OR, NOT, IS NULL, casts and
subqueries keep their meaning.
"""

from __future__ import annotations

from dataclasses import replace

from veer.functions.registry import scalar_function
from veer.ir import expr as ex
from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair
from veer.ir.types import BOOLEAN
from veer.ir.walk import children, map_exprs, transform


def uninterpreted(pair: QueryPair) -> QueryPair:
    """The pair with arithmetic, order and CASE as functions nobody knows."""
    return replace(pair, p=_dataflow(pair.p), q=_dataflow(pair.q))


def _dataflow(dataflow: Dataflow) -> Dataflow:
    changed = {
        id_: map_exprs(operator, lambda e: transform(e, _opaque))
        for id_, operator in dataflow.operators.items()
    }
    return Dataflow(changed, dataflow.links)


def _opaque(expr: ex.Expr) -> ex.Expr:
    match expr:
        case ex.Call(function, args, type_):
            kind = scalar_function(function).kind
            return ex.OpaqueCall(_name(function, expr), args, type_, kind)
        case ex.Case():
            return ex.OpaqueCall(_name("case", expr), children(expr), expr.type)
        case ex.Compare("<" | "<=", left, right):
            return ex.OpaqueCall(_name(expr.op, expr), (left, right), BOOLEAN)
        case ex.Compare(">" | ">=", left, right):
            return _opaque(ex.Compare("<" if expr.op == ">" else "<=", right, left))
        case ex.Exists(query) | ex.InQuery(_, query) | ex.ScalarQuery(query):
            return replace(expr, query=_dataflow(query))
        case _:
            return expr


def _name(function: str, expr: ex.Expr) -> str:
    """A function on other types is another function."""
    return f"{function}({', '.join(str(a.type) for a in children(expr))}) {expr.type}"
