"""What stands in the way of a proof about two sides, read off their operators.

Each hint is a fact about the operators, or was tried: that a tie, once broken, leaves a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeGuard, final

from veer.analysis.call_kinds import adds_floats
from veer.analysis.determinism import operator_kind
from veer.analysis.keys import uniqueness
from veer.caveats import Side
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
from veer.model.dag import Dataflow
from veer.model.expr import Call, Column, Expr, OpaqueCall, OverCall, SortKey
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Deduplicate,
    Filter,
    GlobalAggregate,
    Limit,
    NamedOver,
    Over,
    Project,
    RowUdf,
    Sort,
    TableUdf,
)
from veer.model.pprint import brief, function_name, show_aggregate, show_over
from veer.model.query_pair import QueryPair, operators_between
from veer.model.walk import operator_exprs, parts, subqueries
from veer.reasons import (
    AtCutPoint,
    Cause,
    ClaimNotShown,
    DecompositionBudget,
    NotProven,
    NotShown,
    Reason,
    SaidBy,
    Several,
    TimeLimit,
    WindowNotShown,
)


@final
@dataclass(frozen=True)
class Part:
    """Some operators of one version."""

    side: Side
    dataflow: Dataflow
    ids: tuple[str, ...]

    @property
    def operators(self) -> Iterator[tuple[str, AnyOperator]]:
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
            case OpaqueCall(identity):
                yield DescribeFunction(function_name(identity))
            case RowUdf(identity) | TableUdf(identity):
                yield DescribeFunction(function_name(identity))
            case Call(function):
                uninterpreted[function] = None
    if uninterpreted:
        yield UninterpretedFunctions(tuple(uninterpreted))


def _applied(part: Part) -> Iterator[OpaqueCall | Call | RowUdf | TableUdf]:
    for _, operator in part.operators:
        if isinstance(operator, RowUdf | TableUdf):
            yield operator
        for expr in _exprs(operator):
            if isinstance(expr, OpaqueCall) or _is_uninterpreted(expr):
                yield expr


def _exprs(operator: AnyOperator) -> Iterator[Expr]:
    """All parts of the expressions of an operator, those of its subqueries too."""
    for expr in operator_exprs(operator):
        yield from parts(expr)
    for query in subqueries(operator):
        for inner in query.operators.values():
            yield from _exprs(inner)


def _is_uninterpreted(expr: Expr) -> TypeGuard[Call]:
    if not isinstance(expr, Call):
        return False
    return scalar_function(expr.function).solver is SolverMeaning.UNINTERPRETED


# -- what Spark is free to choose --------------------------------------------------------------


def _float_sums(part: Part) -> Iterator[FloatSum]:
    for id_, operator in part.operators:
        texts: list[str] = []
        if isinstance(operator, Aggregate | GlobalAggregate):
            texts = [show_aggregate(n.call) for n in operator.calls if adds_floats(n.call)]
        if isinstance(operator, Over):
            added = (n.call for n in operator.calls if n.call.function not in OVER)
            texts = [show_over(call) for call in added if adds_floats(call)]
        yield from (FloatSum(part.side, id_, text) for text in texts)


def _batches(part: Part) -> Iterator[BatchFunction]:
    for _, operator in part.operators:
        if isinstance(operator, TableUdf) and operator.scope == "batch":
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
        if not isinstance(operator, Limit | Over | Deduplicate):
            continue
        if isinstance(operator, Over) and not any(_sees_ties(n.call) for n in operator.calls):
            continue
        if operator_kind(part.dataflow, id_) is Kind.CHOICE:
            columns = _telling_apart(part.dataflow, _ordering(part.dataflow, id_))
            yield BreakTie(part.side, id_, brief(operator), columns)


def _ordering(dataflow: Dataflow, id_: str) -> str:
    """The operator whose order a choosing operator follows: the sort below a limit, or itself."""
    start = id_
    while isinstance(dataflow.operators[id_], Limit | Filter | Project):
        (id_,) = dataflow.inputs[id_]
    return id_ if isinstance(dataflow.operators[id_], Sort) else start


def _telling_apart(dataflow: Dataflow, id_: str) -> tuple[str, ...]:
    """The fewest columns on which no two rows of an operator's input agree; none if not known."""
    (below,) = dataflow.inputs[id_]
    keys = sorted((sorted(key.places) for key in uniqueness(dataflow, below).keys), key=len)
    return tuple(dataflow.schemas[below].names[place] for place in keys[0]) if keys else ()


def _sees_ties(call: OverCall) -> bool:
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
        if isinstance(operator, Over):
            operators[id_] = Over(tuple(_over_ordered(named, keys) for named in operator.calls))
        if isinstance(operator, Sort):
            operators[id_] = Sort(operator.keys + keys)
    return Dataflow(operators, side.links, side.declared)


def _over_ordered(named: NamedOver, keys: tuple[SortKey, ...]) -> NamedOver:
    """A window function that orders by more, if it orders at all and ties show in it."""
    call = named.call
    if not call.order or not _sees_ties(call):
        return named
    return replace(named, call=replace(call, order=call.order + keys))


def _sort_keys(side: Dataflow, id_: str, columns: Iterable[str]) -> tuple[SortKey, ...]:
    (below,) = side.inputs[id_]
    schema = side.schemas[below]
    known = [name for name in columns if schema.find(name) is not None]
    return tuple(SortKey(Column(n, schema.types[schema.place(n)])) for n in known)


# -- limits ------------------------------------------------------------------------------------


def limits(reason: Reason) -> list[GiveMore]:
    """The options whose greater values let a search go on that was stopped."""
    options = {
        "--timeout": any(isinstance(r, TimeLimit) for r in reasons_in(reason)),
        "--budget": any(
            r is Cause.QUESTION_BUDGET or isinstance(r, DecompositionBudget)
            for r in reasons_in(reason)
        ),
    }
    return [GiveMore(option) for option, stopped in options.items() if stopped]


def reasons_in(reason: Reason | None) -> Iterator[Reason]:
    """A reason and those it holds."""
    if reason is None:
        return
    yield reason
    match reason:
        case NotProven() | NotShown() | SaidBy() | AtCutPoint() | DecompositionBudget():
            yield from reasons_in(reason.reason)
        case WindowNotShown() | ClaimNotShown() | Several():
            for inner in reason.reasons:
                yield from reasons_in(inner)
        case _:
            pass
