"""Window functions: folds over the rows of a partition that stand in the frame of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from veer.functions.registry import AGGREGATE, OVER
from veer.functions.traits import FoldMeaning, OverMeaning
from veer.model.expr import (
    RUNNING,
    WHOLE,
    AggregateCall,
    Case,
    Expr,
    Frame,
    Literal,
    Not,
    OverCall,
    SortKey,
)
from veer.model.ops import NamedOver, Over
from veer.model.types import LONG, has_floats, is_orderable
from veer.prover.conditions import can_be_null
from veer.prover.folds import distinct_count, sum_or_zero
from veer.prover.lowering.aggregates import as_fold
from veer.prover.lowering.base import ExpressionLowering, OperatorInput
from veer.prover.precedence import comes_before, ties
from veer.prover.sums import added
from veer.prover.terms import TRUE, Bag, Term

RANKS = (OverMeaning.ROW_NUMBER, OverMeaning.RANK, OverMeaning.DENSE_RANK)
UP_TO_ROW = Frame("rows", None, 0)
BEFORE_ROW = Frame("rows", None, -1)
FRAMES = (WHOLE, RUNNING, Frame("range", None, None), UP_TO_ROW, BEFORE_ROW)

Read: TypeAlias = Callable[[Sequence[Expr], Term], list[Expr]]
Test: TypeAlias = Callable[[list[Expr]], Expr]  # of the sort keys of another row


def lower_over(lowering: ExpressionLowering, over: Over, given: OperatorInput) -> Bag | None:
    """Window functions as folds over the rows around each; None if one is not such a fold."""
    if not all(_is_fold(named.call) for named in over.calls):
        return None
    bag = lowering.groups.expanded(given.bag)

    def read(exprs: Sequence[Expr], term: Term) -> list[Expr]:
        return [lowering.expr(e, given.schema, term, given.outer) for e in exprs]

    terms = []
    for term in bag:
        values = []
        for named in over.calls:
            value = _value(lowering, named.call, term, bag, read)
            if value is None:
                return None
            values.append(value)
        terms.append(replace(term, outputs=(*term.outputs, *values)))
    return tuple(terms)


def _is_fold(call: OverCall) -> bool:
    """Whether a window function is a fold over rows before and alike, or their number."""
    if call.ignore_nulls or any(has_floats(a.type) for a in call.args):
        return False
    if _rank(call) is not None or _is_row_before(call):
        return True
    folded = AGGREGATE.get(call.function)
    if folded is None or folded.prover is FoldMeaning.UNINTERPRETED:
        return False
    return call.frame in FRAMES


def _is_row_before(call: OverCall) -> bool:
    """Whether a window function gives a value of the row just before."""
    function = OVER.get(call.function)
    if function is None or function.prover is not OverMeaning.EARLIER or not call.order:
        return False
    offset = call.args[1] if len(call.args) > 1 else Literal(1, LONG)
    return isinstance(offset, Literal) and offset.value == 1 and is_orderable(call.type)


def _rank(call: OverCall) -> OverMeaning | None:
    """Which rank a window function gives, if it gives one."""
    function = OVER.get(call.function)
    return function.prover if function is not None and function.prover in RANKS else None


def _value(
    lowering: ExpressionLowering, call: OverCall, row: Term, bag: Bag, read: Read
) -> Expr | None:
    """The value of a window function on one row; None where ties leave a choice."""
    sort_exprs = [k.expr for k in call.order]
    rank = _rank(call)
    is_row_before = _is_row_before(call)
    by_rows = rank is OverMeaning.ROW_NUMBER or (
        rank is None and call.frame in (UP_TO_ROW, BEFORE_ROW)
    )
    by_rows = by_rows or is_row_before
    # Which of two peers comes first is a choice, unless partition and order tell all rows apart.
    if by_rows and not lowering.groups.tells_apart(bag, read([*call.partition, *sort_exprs], row)):
        return None
    in_frame = list(_rows_in_frame(lowering, call, row, bag, read))
    if rank is OverMeaning.DENSE_RANK:
        if any(has_floats(e.type) for e in sort_exprs):
            return None
        ahead = tuple(replace(t, outputs=tuple(read(sort_exprs, t))) for t in in_frame)
        return _one_more(distinct_count(lowering.context, ahead, LONG), call)
    if rank is not None:
        ahead = tuple(replace(t, outputs=(Literal(1, LONG),)) for t in in_frame)
        return _one_more(sum_or_zero(lowering.context, LONG, ahead), call)
    if is_row_before:
        return _of_row_before(lowering, call, row, bag, in_frame, read)
    aggregate = AggregateCall(call.function, call.args, call.type, where=call.where)
    fold, args = as_fold(aggregate, 0, is_global=True)
    members = tuple(replace(t, outputs=tuple(read(args, t))) for t in in_frame)
    if fold.or_zero:
        return sum_or_zero(lowering.context, fold.type, members)
    return lowering.context.fold(fold.function, fold.type, fold.distinct, members)


def _rows_in_frame(
    lowering: ExpressionLowering, call: OverCall, row: Term, bag: Bag, read: Read
) -> Iterator[Term]:
    """The rows of the same partition in the frame of a row: those before it, its peers, or all."""
    sort_exprs = [k.expr for k in call.order]
    tests = _frame_tests(call, read(sort_exprs, row))
    for other in bag:
        for in_frame in tests:
            mate = lowering.context.freshened(other)
            same_partition = ties(read(call.partition, mate), read(call.partition, row))
            conditions = (same_partition, in_frame(read(sort_exprs, mate)))
            yield replace(mate, conditions=(*mate.conditions, *conditions))


def _of_row_before(
    lowering: ExpressionLowering,
    call: OverCall,
    row: Term,
    bag: Bag,
    earlier: Sequence[Term],
    read: Read,
) -> Expr:
    """A value of that of the earlier rows between which and a row there is none."""
    context, first = lowering.context, call.order[0]
    values = [read(call.args[:1], t)[0] for t in earlier]
    # What rows are sorted by first is at its greatest there; what comes before that is no matter.
    end = "max" if first.ascending else "min"
    if call.args[0] == first.expr and not any(map(can_be_null, values)):
        last = [replace(t, outputs=(v,)) for t, v in zip(earlier, values, strict=True)]
    else:
        end = "max"  # of one value
        last = []
        for term, value in zip(earlier, values, strict=True):
            between = tuple(_rows_between(lowering, call, (term, row), bag, read))
            is_last = Not(context.exists(between))
            last.append(Term(term.atoms, (*term.conditions, is_last), (value,)))
    value = context.fold(end, call.type, False, tuple(last))
    default = read(call.args[2:3], row)
    if not default or default[0] == Literal(None, call.type):
        return value
    found = tuple(replace(t, outputs=()) for t in earlier)
    return Case(((context.exists(found), value),), default[0])


def _rows_between(
    lowering: ExpressionLowering, call: OverCall, ends: tuple[Term, Term], bag: Bag, read: Read
) -> Iterator[Term]:
    """The rows of a partition after one row and before another."""
    sort_exprs = [k.expr for k in call.order]
    directions = tuple((k.ascending, k.nulls_first) for k in call.order)
    first, last = (read(sort_exprs, end) for end in ends)
    for other in bag:
        mate = lowering.context.freshened(other)
        keys = read(sort_exprs, mate)
        conditions = (
            ties(read(call.partition, mate), read(call.partition, ends[1])),
            comes_before(first, keys, directions),
            comes_before(keys, last, directions),
        )
        yield Term(mate.atoms, (*mate.conditions, *conditions), ())


def _frame_tests(call: OverCall, ours: list[Expr]) -> tuple[Test, ...]:
    """Tests of which exactly one is true of a row in the frame of a row with our sort keys."""
    directions = tuple((k.ascending, k.nulls_first) for k in call.order)

    def before(theirs: list[Expr]) -> Expr:
        return comes_before(theirs, ours, directions)

    if _rank(call) is not None or _is_row_before(call) or call.frame == BEFORE_ROW:
        return (before,)
    if call.frame.end == 0 and directions:
        return (before, lambda theirs: ties(theirs, ours))
    return (lambda _: TRUE,)


def _one_more(count: Expr, call: OverCall) -> Expr:
    return added([count, Literal(1, LONG)], call.type)


def looking_back(over: Over) -> Over:
    """The operator with every `lead` as a `lag`: rows that follow are before in the other order."""
    return Over(tuple(map(_looking_back, over.calls)))


def _looking_back(named: NamedOver) -> NamedOver:
    call = named.call
    if call.function != "lead" or not call.order:
        return named
    # Nulls change ends with the direction; peers stay peers, and choices among them are refused.
    order = tuple(SortKey(k.expr, not k.ascending, not k.nulls_first) for k in call.order)
    return replace(named, call=replace(call, function="lag", order=order))
