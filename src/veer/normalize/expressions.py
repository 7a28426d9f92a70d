"""Expressions in normal form: constants computed, ANDs and ORs flattened, subqueries normalized.

    (a AND b) AND 1 + 1 = c   =>   a AND b AND 2 = c

Sound in three-valued logic: AND and OR are associative with nulls too, and a constant is computed
only where that does not fail. Conditions that can be written in several ways are written in one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from veer.analysis.constants import computed
from veer.analysis.determinism import expr_kind
from veer.analysis.plain_conditions import plain_form
from veer.functions.registry import Kind
from veer.model.dag import Dataflow
from veer.model.expr import And, Exists, Expr, InQuery, Or, ScalarQuery
from veer.model.walk import parts
from veer.normalize.spelling import one_spelling

Normalize = Callable[[Dataflow], Dataflow]


def normalized_node(expr: Expr, of_query: Normalize, of_rows: Normalize) -> Expr:
    """One node of an expression, the nodes below it being normalized already.

    `of_query` gives the normal form of a subquery, `of_rows` that of one of which only counts
    whether it has rows.
    """
    match expr:
        case Exists(query):
            return replace(expr, query=of_rows(query))
        case InQuery(query=query) | ScalarQuery(query):
            return replace(expr, query=of_query(query))
        case And() | Or():
            return one_spelling(computed(flattened(expr)))
        case _:
            return one_spelling(plain_form(expr))


def flattened(expr: And | Or) -> And | Or:
    """ANDs directly inside of an AND are its own, ORs of an OR; their own are flat already."""
    connective = type(expr)
    args: list[Expr] = []
    for arg in expr.args:
        if isinstance(arg, And | Or) and type(arg) is connective:
            args += arg.args
        else:
            args.append(arg)
    return connective(tuple(args))


def is_random(expr: Expr) -> bool:
    """Whether evaluating an expression twice may give two values: it stays where it is, once."""
    return expr_kind(expr) in (Kind.CHOICE, Kind.PARTITION)


def size(expr: Expr) -> int:
    """How many nodes an expression has."""
    return sum(1 for _ in parts(expr))
