"""Expressions in normal form: constants computed, ANDs and ORs flattened, subqueries normalized.

    (a AND b) AND 1 + 1 = c   =>   a AND b AND 2 = c

Sound in three-valued logic: AND and OR are associative with nulls too, and a constant is computed
only where that does not fail. Conditions that can be written in several ways are written in one,
and negations stand at what they are about.
Casts to a wider type and back are gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from veer.analysis.arrays import plain_array
from veer.analysis.constants import computed
from veer.analysis.determinism import expr_kind
from veer.analysis.negations import negated
from veer.analysis.nulls import without_null_test
from veer.analysis.plain_conditions import plain_form
from veer.analysis.ranges import by_ranges
from veer.analysis.true_conditions import where_true
from veer.functions.registry import Kind
from veer.model.dag import Dataflow
from veer.model.expr import (
    And,
    Call,
    Case,
    Cast,
    Compare,
    Exists,
    Expr,
    InQuery,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    ScalarQuery,
)
from veer.model.nullability import gives_null
from veer.model.types import DATE, INTEGER_BITS, CastMode, DataType, DecimalType, IntegralType
from veer.model.walk import parts, query_of, transform
from veer.normalize.known_branches import with_known_branches
from veer.normalize.spelling import one_spelling

Normalize = Callable[[Dataflow], Dataflow]
# Units of `date_trunc` that leave the day as it is.
TIMES = ("day", "dd", "hour", "minute", "second", "millisecond", "microsecond")


def normalized_expr(expr: Expr, of_query: Normalize, of_rows: Normalize) -> Expr:
    """An expression in normal form.

    What is random is left as it is, but for its parts that are not: two numbers that are drawn alike
    are two.
    """
    may_draw = is_random(expr)

    def node(part: Expr) -> Expr:
        if may_draw and is_random(part) and query_of(part) is None:
            return part
        return normalized_node(part, of_query, of_rows)

    return transform(expr, node)


def normalized_node(expr: Expr, of_query: Normalize, of_rows: Normalize) -> Expr:
    """One node of an expression, the nodes below it being normalized already.

    `of_query` gives the normal form of a subquery, `of_rows` that of one of which only counts
    whether it has rows. Not for what is random (`normalized_expr`).
    """
    match expr:
        case Exists(query):
            return replace(expr, query=of_rows(query))
        case InQuery(query=query) | ScalarQuery(query):
            return replace(expr, query=of_query(query))
        case And() | Or():
            return one_spelling(computed(flattened(expr)))
        case Not(And() | Or() | Compare() | Case() as arg) if (inner := negated(arg)) != expr:
            return transform(inner, _normalized_part)
        case Case(branches, otherwise):
            whens = tuple((where_true(when), then) for when, then in branches)
            return _plain_case(with_known_branches(Case(whens, otherwise)))
        case Cast(arg):
            return one_spelling(plain_form(_plain_cast(expr, arg)))
        case Call() | OpaqueCall() | IsNull() | Compare():
            spelled = one_spelling(plain_form(expr))
            return plain_array(spelled, _normalized_part)
        case _:
            return one_spelling(plain_form(expr))


def _normalized_part(expr: Expr) -> Expr:
    """One node of an expression whose subqueries are normalized already."""
    return normalized_node(expr, lambda query: query, lambda query: query)


def _plain_case(case: Case) -> Expr:
    """A CASE without tests that do not matter, by the ranges of the value it is about."""
    plain = one_spelling(plain_form(case))
    if isinstance(plain, Case):
        plain = by_ranges(plain)
    return without_null_test(plain) if isinstance(plain, Case) else plain


def _plain_cast(expr: Cast, arg: Expr) -> Expr:
    """A cast without another one below that changes nothing, or no cast at all.

    A wider type holds every value, so that one comes back as it went; a moment stays on its day
    when its time is cut. A constant that stands for nulls is cast by itself.
    """
    match arg:
        case _ if arg.type == expr.type:
            return arg
        case Cast(inner, wider) if inner.type == expr.type and _holds_all(wider, inner.type):
            return inner
        case Call("coalesce", (value, Literal() as constant)) if _is_null_with_argument(expr):
            cast = computed(replace(expr, arg=constant))
            if isinstance(cast, Literal):
                inner = _normalized_part(replace(expr, arg=value))
                return Call("coalesce", (inner, cast), expr.type)
        case Call("date_trunc", (Literal(str() as unit), moment)) if expr.type == DATE:
            if unit.lower() in TIMES and moment.type == arg.type:
                return replace(expr, arg=moment)
    return expr


def _is_null_with_argument(cast: Cast) -> bool:
    """Whether a cast gives null for null alone."""
    return cast.mode is CastMode.ANSI and not gives_null(cast.arg.type, cast.type)


def _holds_all(wider: DataType, type_: DataType) -> bool:
    """Whether every value of a type is one of another, written alike."""
    if isinstance(wider, DecimalType) and isinstance(type_, DecimalType):
        digits = wider.precision - wider.scale, type_.precision - type_.scale
        return wider.scale == type_.scale and digits[0] >= digits[1]
    if isinstance(wider, IntegralType) and isinstance(type_, IntegralType):
        return INTEGER_BITS[wider] >= INTEGER_BITS[type_]
    return False


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
