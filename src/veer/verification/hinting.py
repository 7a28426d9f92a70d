"""What stands in the way of a proof about two sides, read off their operators.

Each hint is a fact about the operators, or was tried: that a tie, once broken, leaves a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard, final

from veer import reasons
from veer.caveats import Side
from veer.facts.call_kinds import adds_floats
from veer.facts.determinism import operator_kind
from veer.facts.keys import uniqueness
from veer.functions.registry import AGGREGATE, OVER, Kind, scalar_function
from veer.functions.traits import SolverMeaning
from veer.hints import (
    BatchFunction,
    BreakTie,
    DescribeFunction,
    FloatSum,
    GiveMore,
    Hint,
    UninterpretedFunctions,
)
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.pprint import brief, function_name, show_aggregate, show_over
from veer.ir.query_pair import QueryPair, operators_between
from veer.ir.walk import operator_exprs, parts, subqueries


@final
@dataclass(frozen=True)
class Part:
    """Some operators of one version."""

    side: Side
    dataflow: Dataflow
    ids: tuple[str, ...]

    @property
    def operators(self) -> Iterator[tuple[str, ops.AnyOperator]]:
        """The operators by id."""
        return ((id_, self.dataflow.operators[id_]) for id_ in self.ids)


def parts_between(pair: QueryPair) -> tuple[Part, Part]:
    """The operators that a question is about."""
    return (
        Part(Side.P, pair.p, operators_between(pair.p)),
        Part(Side.Q, pair.q, operators_between(pair.q)),
    )


def hints(p: Part, q: Part) -> list[Hint]:
    """What of some operators of both versions no proof can see through."""
    both = (p, q)
    found = [*_functions(p, q)]
    found += [hint for part in both for hint in _float_sums(part)]
    found += [hint for part in both for hint in _batches(part)]
    return list(dict.fromkeys(found))


# -- functions ---------------------------------------------------------------------------------


def _functions(p: Part, q: Part) -> Iterator[Hint]:
    """Functions without a meaning in proofs that one side applies and the other does not so."""
    ours, theirs = set(_applied(p)), set(_applied(q))
    apart = ours ^ theirs
    uninterpreted: dict[str, None] = {}
    for expr in dict.fromkeys((*_applied(p), *_applied(q))):
        if expr not in apart:
            continue
        match expr:
            case ex.OpaqueCall(identity):
                yield DescribeFunction(function_name(identity))
            case ops.RowUdf(identity) | ops.TableUdf(identity):
                yield DescribeFunction(function_name(identity))
            case ex.Call(function):
                uninterpreted[function] = None
    if uninterpreted:
        yield UninterpretedFunctions(tuple(uninterpreted))


def _applied(part: Part) -> Iterator[ex.OpaqueCall | ex.Call | ops.RowUdf | ops.TableUdf]:
    for _, operator in part.operators:
        if isinstance(operator, ops.RowUdf | ops.TableUdf):
            yield operator
        for expr in _exprs(operator):
            if isinstance(expr, ex.OpaqueCall) or _is_uninterpreted(expr):
                yield expr


def _exprs(operator: ops.AnyOperator) -> Iterator[ex.Expr]:
    """All parts of the expressions of an operator, those of its subqueries too."""
    for expr in operator_exprs(operator):
        yield from parts(expr)
    for query in subqueries(operator):
        for inner in query.operators.values():
            yield from _exprs(inner)


def _is_uninterpreted(expr: ex.Expr) -> TypeGuard[ex.Call]:
    if not isinstance(expr, ex.Call):
        return False
    return scalar_function(expr.function).solver is SolverMeaning.UNINTERPRETED


# -- what Spark is free to choose --------------------------------------------------------------


def _float_sums(part: Part) -> Iterator[FloatSum]:
    for id_, operator in part.operators:
        texts: list[str] = []
        if isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
            texts = [show_aggregate(n.call) for n in operator.calls if adds_floats(n.call)]
        if isinstance(operator, ops.Over):
            added = (n.call for n in operator.calls if n.call.function not in OVER)
            texts = [show_over(call) for call in added if adds_floats(call)]
        yield from (FloatSum(part.side, id_, text) for text in texts)


def _batches(part: Part) -> Iterator[BatchFunction]:
    for _, operator in part.operators:
        if isinstance(operator, ops.TableUdf) and operator.scope == "batch":
            yield BatchFunction(function_name(operator.identity))


def ties(pair: QueryPair, is_proven: Callable[[QueryPair], bool]) -> list[BreakTie]:
    """Operators of a question that choose among rows which tie, and what would break the ties."""
    choosing = [tie for part in parts_between(pair) for tie in _ties(part)]
    if not choosing or not any(tie.columns for tie in choosing):
        return choosing
    p, q = (_ordered(side, name, choosing) for side, name in ((pair.p, Side.P), (pair.q, Side.Q)))
    proven = is_proven(replace(pair, p=p, q=q))
    return [replace(tie, proven=proven) for tie in choosing]


def _ties(part: Part) -> Iterator[BreakTie]:
    for id_, operator in part.operators:
        if not isinstance(operator, ops.Limit | ops.Over | ops.Deduplicate):
            continue
        if isinstance(operator, ops.Over) and not any(_sees_ties(n.call) for n in operator.calls):
            continue
        if operator_kind(part.dataflow, id_) is Kind.CHOICE:
            columns = _telling_apart(part.dataflow, _ordering(part.dataflow, id_))
            yield BreakTie(part.side, id_, brief(operator), columns)


def _ordering(dataflow: Dataflow, id_: str) -> str:
    """The operator whose order a choosing operator follows: the sort below a limit, or itself."""
    start = id_
    while isinstance(dataflow.operators[id_], ops.Limit | ops.Filter | ops.Project):
        (id_,) = dataflow.inputs[id_]
    return id_ if isinstance(dataflow.operators[id_], ops.Sort) else start


def _telling_apart(dataflow: Dataflow, id_: str) -> tuple[str, ...]:
    """The fewest columns on which no two rows of an operator's input agree; none if not known."""
    (below,) = dataflow.inputs[id_]
    keys = sorted((sorted(key.places) for key in uniqueness(dataflow, below).keys), key=len)
    return tuple(dataflow.schemas[below].names[place] for place in keys[0]) if keys else ()


def _sees_ties(call: ex.OverCall) -> bool:
    """Whether the order of rows that tie shows in a window function; not by rounding alone."""
    if call.function in OVER:
        return OVER[call.function].kind is not Kind.PURE
    return not adds_floats(call) and not AGGREGATE[call.function].ignores_order


def _ordered(side: Dataflow, name: Side, choosing: Iterable[BreakTie]) -> Dataflow:
    """A side whose choosing operators order by the columns that break their ties."""
    operators = dict(side.operators)
    for tie in choosing:
        if tie.side is not name or not tie.columns:
            continue
        id_ = _ordering(side, tie.operator)
        keys = _sort_keys(side, id_, tie.columns)
        operator = operators[id_]  # with an order, or a choice without one
        if isinstance(operator, ops.Over):
            operators[id_] = ops.Over(tuple(_over_ordered(named, keys) for named in operator.calls))
        if isinstance(operator, ops.Sort):
            operators[id_] = ops.Sort(operator.keys + keys)
    return Dataflow(operators, side.links, side.declared)


def _over_ordered(named: ops.NamedOver, keys: tuple[ex.SortKey, ...]) -> ops.NamedOver:
    """A window function that orders by more, if it orders at all and ties show in it."""
    call = named.call
    if not call.order or not _sees_ties(call):
        return named
    return replace(named, call=replace(call, order=call.order + keys))


def _sort_keys(side: Dataflow, id_: str, columns: Iterable[str]) -> tuple[ex.SortKey, ...]:
    (below,) = side.inputs[id_]
    schema = side.schemas[below]
    known = [name for name in columns if schema.find(name) is not None]
    return tuple(ex.SortKey(ex.Column(n, schema.types[schema.place(n)])) for n in known)


# -- limits ------------------------------------------------------------------------------------


def limits(reason: reasons.Reason) -> list[GiveMore]:
    """The options whose greater values let a search go on that was stopped."""
    options = {
        "--timeout": any(isinstance(r, reasons.TimeLimit) for r in reasons_in(reason)),
        "--budget": any(
            r is reasons.Cause.QUESTION_BUDGET or isinstance(r, reasons.DecompositionBudget)
            for r in reasons_in(reason)
        ),
    }
    return [GiveMore(option) for option, stopped in options.items() if stopped]


def reasons_in(reason: reasons.Reason | None) -> Iterator[reasons.Reason]:
    """A reason and those it holds."""
    if reason is None:
        return
    yield reason
    match reason:
        case (
            reasons.NotProven()
            | reasons.NotShown()
            | reasons.SaidBy()
            | reasons.AtCutPoint()
            | reasons.DecompositionBudget()
        ):
            yield from reasons_in(reason.reason)
        case reasons.WindowNotShown() | reasons.ClaimNotShown() | reasons.Several():
            for inner in reason.reasons:
                yield from reasons_in(inner)
        case _:
            pass
