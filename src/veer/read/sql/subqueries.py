"""Subqueries inside of expressions: as values, EXISTS, IN, ANY and ALL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from veer.errors import IllFormedError
from veer.functions.typing import common_type
from veer.ir import expr as ex
from veer.ir.dag import Dataflow
from veer.ir.types import BOOLEAN
from veer.ir.walk import parts
from veer.read import coercion
from veer.read.sql.parse import only, refuse
from veer.read.sql.placeholders import filtered, outward, with_types

if TYPE_CHECKING:
    from veer.read.sql.expressions import ExprReader


def read_query(reader: ExprReader, node: exp.Expr) -> Dataflow:
    """The dataflow of a subquery; parentheses around it mean nothing."""
    if reader.queries is None:
        refuse(node, "a subquery here")
    inner = node
    while isinstance(inner, exp.Subquery) and not inner.args.get("with_") and inner.alias == "":
        inner = inner.this
    return reader.queries.subquery(inner, reader.plan)


def scalar_query(reader: ExprReader, node: exp.Expr) -> ex.Expr:
    """A subquery used as a value."""
    return ex.ScalarQuery(read_query(reader, node))


def exists(reader: ExprReader, node: exp.Expr) -> ex.Expr:
    """EXISTS."""
    return ex.Exists(read_query(reader, node.this))


def membership(reader: ExprReader, node: exp.Expr) -> ex.Expr:
    """IN with a list or a subquery; as a value, Spark gives false for null with a subquery."""
    only(node, "this", "expressions", "query")
    only_truth, reader.only_truth = reader.only_truth, False
    if node.args.get("query") is None:
        if isinstance(node.this, exp.Tuple):
            return row_in_list(reader, node)
        return coercion.in_list(reader.read(node.this), [reader.read(e) for e in node.expressions])
    is_in = in_query(reader, row(reader, node.this), read_query(reader, node.args["query"]))
    return is_in if only_truth else never_null(is_in)


def negated(reader: ExprReader, node: exp.Expr) -> ex.Expr:
    """NOT; of IN with a subquery, as a value, Spark gives false where SQL gives null."""
    inner = node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if not reader.only_truth and isinstance(inner, exp.In) and inner.args.get("query") is not None:
        reader.only_truth = True
        return never_null(ex.Not(reader.read(inner)))
    opposite = coercion.negation(reader.read(node.this))
    if not reader.only_truth and any(isinstance(p, ex.InQuery) for p in parts(opposite)):
        refuse(node, "NOT around IN with a subquery, as a value,")
    return opposite


def row(reader: ExprReader, node: exp.Expr) -> list[ex.Expr]:
    """The values on the left of IN: one, or several in parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Tuple):
        return [reader.read(e) for e in node.expressions]
    return [reader.read(node)]


def row_in_list(reader: ExprReader, node: exp.Expr) -> ex.Expr:
    """`(a, b) IN ((1, 2), (3, 4))`."""
    args = row(reader, node.this)
    options = []
    for option in node.expressions:
        values = row(reader, option)
        if len(values) != len(args):
            raise IllFormedError(f"IN compares {len(args)} values with {len(values)}")
        pairs = zip(args, values, strict=True)
        # Rows are structs to Spark: null equals null in them.
        options.append(coercion.conjunction([coercion.compare("<=>", a, b) for a, b in pairs]))
    return coercion.disjunction(options)


def in_query(reader: ExprReader, args: list[ex.Expr], query: Dataflow) -> ex.Expr:
    """IN, both sides cast to their common types."""
    coercion.check_sought(args)
    schema = query.result_schema
    if len(schema) != len(args):
        raise IllFormedError(f"IN compares {len(args)} values with {len(schema)} columns")
    types = [
        common_type(ex.arguments((a, ex.Literal(None, t)))) if a.type != t else t
        for a, t in zip(args, schema.types, strict=True)
    ]
    cast_args = tuple(coercion.implicit(a, t) for a, t in zip(args, types, strict=True))
    return ex.InQuery(cast_args, with_types(query, types))


def quantified(reader: ExprReader, node: exp.Expr, symbol: str) -> ex.Expr:
    """`x op ANY (query)` and `x op ALL (query)`, three-valued."""
    every = isinstance(node.expression, exp.All)
    left = reader.read(node.this)
    query = read_query(reader, node.expression.this)
    if symbol == "=" and not every:
        return in_query(reader, [left], query)
    if symbol == "!=" and every:
        return ex.Not(in_query(reader, [left], query))
    opposite_of = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
    some = comparison_holds(reader, left, opposite_of[symbol] if every else symbol, query)
    return ex.Not(some) if every else some


def comparison_holds(reader: ExprReader, left: ex.Expr, symbol: str, query: Dataflow) -> ex.Expr:
    """True if a member compares true, else null if one compares null, else false."""
    (outer,) = [outward(left, 1)] if isinstance(left, ex.Column) else [None]
    if outer is None:
        raise IllFormedError("only a column can be compared with ANY or ALL of a subquery")
    member = query.result_schema.fields[0]
    inside = coercion.compare(symbol, outer, ex.Column(member.name, member.type))
    return coercion.case(
        [
            (ex.Exists(filtered(query, inside)), ex.Literal(True, BOOLEAN)),
            (ex.Exists(filtered(query, ex.IsNull(inside))), ex.Literal(None, BOOLEAN)),
        ],
        ex.Literal(False, BOOLEAN),
    )


def never_null(expr: ex.Expr) -> ex.Expr:
    """A condition with false in place of null."""
    return coercion.call("coalesce", expr, ex.Literal(False, BOOLEAN))
