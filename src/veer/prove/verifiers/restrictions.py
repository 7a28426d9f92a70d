"""Further restrictions as data: on joins, subqueries, nulls, tables read and aggregates called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import ClassVar, final

from veer.functions.registry import Nulls, scalar_function
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.walk import operator_exprs, parts, query_of, subqueries
from veer.prove.verifiers.base import Ids, OperatorRestriction, Restriction


@final
@dataclass(frozen=True)
class OnlyJoins(OperatorRestriction):
    """Every join is of one of these kinds."""

    kinds: tuple[ops.JoinKind, ...]

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """The kind of a join that is none of those allowed."""
        operator = dataflow.operators[id_]
        if isinstance(operator, ops.Join) and operator.kind not in self.kinds:
            return f"is a {operator.kind} join"
        return None


@final
@dataclass(frozen=True)
class OnlySubqueries(OperatorRestriction):
    """Subqueries are of these kinds, and the operators inside them meet `inside`."""

    kinds: tuple[type[ex.Exists] | type[ex.InQuery] | type[ex.ScalarQuery], ...]
    inside: tuple[OperatorRestriction, ...]

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """The first subquery of another kind, or what is wrong inside one, however deep."""
        for expr in operator_exprs(dataflow.operators[id_]):
            for node in parts(expr):
                query = query_of(node)
                if query is None:
                    continue
                if not isinstance(node, self.kinds):
                    return f"holds a {_SUBQUERIES[type(node)]} subquery"
                inner = self._inside(query)
                if inner is not None:
                    return inner
        return None

    def _inside(self, query: Dataflow) -> str | None:
        for id_ in query.order:
            if isinstance(query.operators[id_], ops.Sink):
                continue
            for restriction in (*self.inside, self):
                violation = restriction.violation(query, id_)
                if violation is not None:
                    return f"holds a subquery, whose {id_!r} {violation}"
        return None


_SUBQUERIES: dict[type[ex.Expr], str] = {
    ex.Exists: "EXISTS",
    ex.InQuery: "IN",
    ex.ScalarQuery: "scalar",
}


@final
@dataclass(frozen=True)
class BlindToNulls(OperatorRestriction):
    """No expression tells nulls apart: no IS NULL, no CASE, no function that sees them.

    `<=>` may stand: without nulls it is equality, and INTERSECT and EXCEPT are read as that.
    """

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """What an operator has that gives nulls a meaning of their own."""
        for expr in operator_exprs(dataflow.operators[id_]):
            for node in parts(expr):
                if isinstance(node, ex.IsNull):
                    return "tests for null"
                if isinstance(node, ex.Case):
                    return "holds a CASE"
                if isinstance(node, ex.Call) and _sees_nulls(node):
                    return f"calls {node.function}, which sees nulls"
        return None


def _sees_nulls(call: ex.Call) -> bool:
    return bool(call.args) and scalar_function(call.function).nulls in (Nulls.CUSTOM, Nulls.NEVER)


@final
@dataclass(frozen=True)
class SameScans(Restriction):
    """Both sides read as many tables, a table read twice counted twice."""

    monotonic: ClassVar[bool] = False  # a neighbor can restore the balance

    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """How many tables each side reads, where that differs."""
        ours, theirs = _scans(p, p_ids), _scans(q, q_ids)
        if ours != theirs:
            yield f"{ours} tables are read before but {theirs} after"


def _scans(dataflow: Dataflow, ids: Ids) -> int:
    """Links from tables, or from outside; a table nobody inside reads is the result itself."""
    inside = set(ids)
    scans = 0
    for id_ in inside:
        below = dataflow.inputs[id_]
        scans += sum(i not in inside or _is_table(dataflow, i) for i in below)
        read = any(link.dst in inside for link in dataflow.outputs[id_])
        scans += _is_table(dataflow, id_) and not read
    return scans


def _is_table(dataflow: Dataflow, id_: str) -> bool:
    return isinstance(dataflow.operators[id_], ops.Source)


@final
@dataclass(frozen=True)
class SameAggregates(Restriction):
    """Both sides call the same aggregate functions equally often, subqueries included.

    With `identical` the grouping keys and arguments are written alike too.
    """

    identical: bool = False
    monotonic: ClassVar[bool] = False  # a neighbor can restore the balance

    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """Whether the calls differ as bags; their order is of no consequence."""
        ours, theirs = Counter(self._called(p, p_ids)), Counter(self._called(q, q_ids))
        if ours != theirs:
            what = "aggregates" if self.identical else "aggregate functions"
            yield f"the two versions have different {what}"

    def _called(self, dataflow: Dataflow, ids: Ids) -> Iterator[Hashable]:
        for id_ in ids:
            operator = dataflow.operators[id_]
            if isinstance(operator, ops.Aggregate | ops.GlobalAggregate) and operator.calls:
                if self.identical:
                    yield tuple(operator_exprs(operator)), _functions(operator)
                else:
                    yield from _functions(operator)
            for query in subqueries(operator):
                yield from self._called(query, query.order)


def _functions(operator: ops.Aggregate | ops.GlobalAggregate) -> tuple[Hashable, ...]:
    return tuple((n.call.function, n.call.distinct) for n in operator.calls)
