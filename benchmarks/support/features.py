"""What a dataflow has in it, in the words of SQL; read from its operators and expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from veer.functions.registry import Nulls, scalar_function
from veer.ir.dag import Dataflow
from veer.ir.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
    InQuery,
    IsNull,
    Literal,
    OpaqueCall,
    ScalarQuery,
)
from veer.ir.ops import (
    Aggregate,
    AnyOperator,
    Deduplicate,
    ExceptAll,
    GlobalAggregate,
    IntersectAll,
    Join,
    JoinKind,
    Lateral,
    Limit,
    Over,
    Project,
    RowUdf,
    Sample,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.ir.types import has_floats
from veer.ir.walk import operator_exprs, parts, subqueries

ARITHMETIC = frozenset({"+", "-", "*", "/", "div", "%", "negative", "abs"})
GROUPING_ID = "_grouping_id"  # the key that tells grouping sets apart


def _calls(operator: AnyOperator) -> tuple[AggregateCall, ...]:
    if isinstance(operator, Aggregate | GlobalAggregate):
        return tuple(named.call for named in operator.calls)
    return ()


def _calculates_floats(operator: AnyOperator) -> bool:
    """Whether floats are compared, grouped or made; passing them on does not count."""
    exprs = operator_exprs(operator)
    if isinstance(operator, Project):
        exprs = (e for e in exprs if not isinstance(e, Column))
    return any(has_floats(part.type) for e in exprs for part in parts(e))


OF_OPERATORS: dict[str, Callable[[AnyOperator], bool]] = {
    "inner join": lambda o: isinstance(o, Join) and o.kind in (JoinKind.INNER, JoinKind.CROSS),
    "left or right join": lambda o: isinstance(o, Join) and o.kind == JoinKind.LEFT,
    "full join": lambda o: isinstance(o, Join) and o.kind == JoinKind.FULL,
    "semi or anti join, INTERSECT, EXCEPT": lambda o: (
        isinstance(o, Join) and o.kind in (JoinKind.SEMI, JoinKind.ANTI)
    ),
    "LATERAL": lambda o: isinstance(o, Lateral),
    "UNION ALL": lambda o: isinstance(o, Union),
    "INTERSECT ALL, EXCEPT ALL": lambda o: isinstance(o, IntersectAll | ExceptAll),
    "DISTINCT": lambda o: isinstance(o, Aggregate) and not o.calls,
    "aggregate by groups": lambda o: isinstance(o, Aggregate) and bool(o.calls),
    "aggregate without groups": lambda o: isinstance(o, GlobalAggregate),
    "DISTINCT aggregate": lambda o: any(call.distinct for call in _calls(o)),
    "FILTER aggregate": lambda o: any(call.where is not None for call in _calls(o)),
    "grouping sets": lambda o: (
        isinstance(o, Aggregate) and any(key.name == GROUPING_ID for key in o.keys)
    ),
    "window function": lambda o: isinstance(o, Over),
    "ORDER BY": lambda o: isinstance(o, Sort),
    "LIMIT, OFFSET": lambda o: isinstance(o, Limit),
    "VALUES": lambda o: isinstance(o, Values),
    "unnesting": lambda o: isinstance(o, Unnest),
    "sample, dropDuplicates": lambda o: isinstance(o, Sample | Deduplicate),
    "UDF, library operator": lambda o: isinstance(o, RowUdf | TableUdf),
    "floating point": _calculates_floats,
    "declared key": lambda o: isinstance(o, Source) and bool(o.keys),
    "declared foreign key": lambda o: isinstance(o, Source) and bool(o.foreign_keys),
}


def _sees_nulls(expr: Expr) -> bool:
    match expr:
        case IsNull() | Compare("<=>") | Literal(None):
            return True
        case Call(function) if expr.args:
            return scalar_function(function).nulls in (Nulls.CUSTOM, Nulls.NEVER)
        case _:
            return False


OF_EXPRESSIONS: dict[str, Callable[[Expr], bool]] = {
    "EXISTS, IN subquery": lambda e: isinstance(e, Exists | InQuery),
    "scalar subquery": lambda e: isinstance(e, ScalarQuery),
    "CASE": lambda e: isinstance(e, Case),
    "cast": lambda e: isinstance(e, Cast),
    "arithmetic": lambda e: isinstance(e, Call) and e.function in ARITHMETIC,
    "other function": lambda e: (
        isinstance(e, Call) and e.function not in ARITHMETIC and not _sees_nulls(e)
    ),
    "function nobody knows": lambda e: isinstance(e, OpaqueCall),
    "IS NULL, NULL, <=>, COALESCE": _sees_nulls,
}
PLAIN = "selections and projections only"
FEATURES = (*OF_OPERATORS, *OF_EXPRESSIONS, PLAIN)


def features(*dataflows: Dataflow) -> frozenset[str]:
    """What one of the dataflows has, subqueries included."""
    operators = [o for dataflow in dataflows for o in _operators(dataflow)]
    exprs = [part for o in operators for e in operator_exprs(o) for part in parts(e)]
    names = {name for name, has in OF_OPERATORS.items() if any(map(has, operators))}
    names |= {name for name, has in OF_EXPRESSIONS.items() if any(map(has, exprs))}
    declared = {"declared key", "declared foreign key"}
    return frozenset(names) if names - declared else frozenset({*names, PLAIN})


def _operators(dataflow: Dataflow) -> Iterator[AnyOperator]:
    for operator in dataflow.operators.values():
        yield operator
        for query in subqueries(operator):
            yield from _operators(query)
