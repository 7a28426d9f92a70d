"""DISTINCT is left out where nothing above depends on how often a row comes.

    Aggregate(a) <- Union <- Aggregate(a) <- t,  u   =>   Aggregate(a) <- Union <- Project(a) <- t,  u

Sound because what is above shows the same of a set however often its rows come: groups without
calls, or with calls that ignore duplicates, the other side of a semi or anti join. Not for floats:
groups show one of 0.0 and -0.0.
"""

from __future__ import annotations

from veer.facts.call_kinds import call_kind
from veer.functions.registry import Kind, aggregate_function
from veer.ir import ops
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import AggregateCall
from veer.ir.types import has_floats
from veer.ir.walk import operator_exprs
from veer.rewrite.builder import with_operators
from veer.rewrite.expressions import is_random


def remove_inner_distincts(dataflow: Dataflow) -> Dataflow:
    """The dataflow with projections in place of groups that only leave out duplicates."""
    seen_as_sets: set[str] = set()
    for id_ in reversed(dataflow.order):
        readers = dataflow.outputs[id_]
        if readers and all(_sees_a_set(dataflow, link, seen_as_sets) for link in readers):
            seen_as_sets.add(id_)
    operators = {i: _without(o, i in seen_as_sets) for i, o in dataflow.operators.items()}
    return with_operators(dataflow, operators)


def _without(operator: ops.AnyOperator, is_set: bool) -> ops.AnyOperator:
    if not is_set or not isinstance(operator, ops.Aggregate) or operator.calls:
        return operator
    if any(has_floats(k.expr.type) or is_random(k.expr) for k in operator.keys):
        return operator
    return ops.Project(operator.keys)


def _sees_a_set(dataflow: Dataflow, link: Link, seen_as_sets: set[str]) -> bool:
    """Whether what reads a signal shows the same however often its rows come."""
    reader = dataflow.operators[link.dst]
    match reader:
        case ops.Aggregate(calls=calls) | ops.GlobalAggregate(calls):
            return all(_ignores_duplicates(n.call) for n in calls)
        case ops.Join(kind) if kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI) and link.port == 1:
            return True
        case ops.Project() | ops.Filter() | ops.Union() | ops.Join():
            random = any(map(is_random, operator_exprs(reader)))
            return not random and link.dst in seen_as_sets
        case _:
            return False


def _ignores_duplicates(call: AggregateCall) -> bool:
    """Whether duplicates do not show; what chooses chooses among the same rows as before."""
    ignored = call.distinct or aggregate_function(call.function).ignores_duplicates
    return ignored and call_kind(call) is Kind.PURE
