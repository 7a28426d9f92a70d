"""Expressions of a dataflow in normal form, their subqueries too; and which of them are random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from veer.expressions.laws import normal_node
from veer.facts.determinism import is_random as is_random
from veer.ir import expr as ex
from veer.ir.dag import Dataflow
from veer.ir.walk import parts, transform

Normalize: TypeAlias = Callable[[Dataflow], Dataflow]


def normalized_expr(expr: ex.Expr, of_query: Normalize, of_rows: Normalize) -> ex.Expr:
    """An expression in normal form.

    `of_query` gives the normal form of a subquery, `of_rows` that of one where only the presence of rows
    counts. What is random is left as it is, but for its parts that are not: two numbers that are drawn
    alike are two.
    """
    may_draw = is_random(expr)

    def node(part: ex.Expr) -> ex.Expr:
        match part:
            case ex.Exists(query):
                return replace(part, query=of_rows(query))
            case ex.InQuery(query=query) | ex.ScalarQuery(query):
                return replace(part, query=of_query(query))
            case _:
                return part if may_draw and is_random(part) else normal_node(part)

    return transform(expr, node)


def size(expr: ex.Expr) -> int:
    """How many nodes an expression has."""
    return sum(1 for _ in parts(expr))
