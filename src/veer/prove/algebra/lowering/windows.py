"""Window functions: folds over the rows of a partition that stand in the frame of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from veer.functions.registry import AGGREGATE, OVER
from veer.functions.traits import FoldMeaning, OverMeaning
from veer.ir import expr as ex, ops, types as ty
from veer.prove.algebra.conditions import can_be_null
from veer.prove.algebra.folds import distinct_count, sum_or_zero
from veer.prove.algebra.lowering.aggregates import as_fold
from veer.prove.algebra.lowering.base import ExpressionLowering, OperatorInput
from veer.prove.algebra.precedence import comes_before, ties
from veer.prove.algebra.sums import added
from veer.prove.algebra.terms import TRUE, Bag, Term

RANKS = (OverMeaning.ROW_NUMBER, OverMeaning.RANK, OverMeaning.DENSE_RANK)
UP_TO_ROW = ex.Frame("rows", None, 0)
BEFORE_ROW = ex.Frame("rows", None, -1)
FRAMES = (ex.WHOLE, ex.RUNNING, ex.Frame("range", None, None), UP_TO_ROW, BEFORE_ROW)

Read: TypeAlias = Callable[[Sequence[ex.Expr], Term], list[ex.Expr]]
Test: TypeAlias = Callable[[list[ex.Expr]], ex.Expr]  # of the sort keys of another row


def lower_over(lowering: ExpressionLowering, over: ops.Over, given: OperatorInput) -> Bag | None:
    """Window functions as folds over the rows around each; None if one is not such a fold."""
    if not all(_is_fold(named.call) for named in over.calls):
        return None
    bag = lowering.groups.expanded(given.bag)

    def read(exprs: Sequence[ex.Expr], term: Term) -> list[ex.Expr]:
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


def _is_fold(call: ex.OverCall) -> bool:
    """Whether a window function is a fold over rows before and alike, or their number."""
    if call.ignore_nulls or any(ty.has_floats(a.type) for a in call.args):
        return False
    if _rank(call) is not None or _is_row_before(call):
        return True
    folded = AGGREGATE.get(call.function)
    if folded is None or folded.prover is FoldMeaning.UNINTERPRETED:
        return False
    return call.frame in FRAMES


def _is_row_before(call: ex.OverCall) -> bool:
    """Whether a window function gives a value of the row just before."""
    function = OVER.get(call.function)
    if function is None or function.prover is not OverMeaning.EARLIER or not call.order:
        return False
    offset = call.args[1] if len(call.args) > 1 else ex.Literal(1, ty.LONG)
    return isinstance(offset, ex.Literal) and offset.value == 1 and ty.is_orderable(call.type)


def _rank(call: ex.OverCall) -> OverMeaning | None:
    """Which rank a window function gives, if it gives one."""
    function = OVER.get(call.function)
    return function.prover if function is not None and function.prover in RANKS else None


def _value(
    lowering: ExpressionLowering, call: ex.OverCall, row: Term, bag: Bag, read: Read
) -> ex.Expr | None:
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
        if any(ty.has_floats(e.type) for e in sort_exprs):
            return None
        ahead = tuple(replace(t, outputs=tuple(read(sort_exprs, t))) for t in in_frame)
        return _one_more(distinct_count(lowering.context, ahead, ty.LONG), call)
    if rank is not None:
        ahead = tuple(replace(t, outputs=(ex.Literal(1, ty.LONG),)) for t in in_frame)
        return _one_more(sum_or_zero(lowering.context, ty.LONG, ahead), call)
    if is_row_before:
        return _of_row_before(lowering, call, row, bag, in_frame, read)
    aggregate = ex.AggregateCall(call.function, call.args, call.type, where=call.where)
    fold, args = as_fold(aggregate, 0, is_global=True)
    members = tuple(replace(t, outputs=tuple(read(args, t))) for t in in_frame)
    if fold.or_zero:
        return sum_or_zero(lowering.context, fold.type, members)
    return lowering.context.fold(fold.function, fold.type, fold.distinct, members)


def _rows_in_frame(
    lowering: ExpressionLowering, call: ex.OverCall, row: Term, bag: Bag, read: Read
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
    call: ex.OverCall,
    row: Term,
    bag: Bag,
    earlier: Sequence[Term],
    read: Read,
) -> ex.Expr:
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
            is_last = ex.Not(context.exists(between))
            last.append(Term(term.atoms, (*term.conditions, is_last), (value,)))
    value = context.fold(end, call.type, False, tuple(last))
    default = read(call.args[2:3], row)
    if not default or default[0] == ex.Literal(None, call.type):
        return value
    found = tuple(replace(t, outputs=()) for t in earlier)
    return ex.Case(((context.exists(found), value),), default[0])


def _rows_between(
    lowering: ExpressionLowering, call: ex.OverCall, ends: tuple[Term, Term], bag: Bag, read: Read
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


def _frame_tests(call: ex.OverCall, ours: list[ex.Expr]) -> tuple[Test, ...]:
    """Tests of which exactly one is true of a row in the frame of a row with our sort keys."""
    directions = tuple((k.ascending, k.nulls_first) for k in call.order)

    def before(theirs: list[ex.Expr]) -> ex.Expr:
        return comes_before(theirs, ours, directions)

    if _rank(call) is not None or _is_row_before(call) or call.frame == BEFORE_ROW:
        return (before,)
    if call.frame.end == 0 and directions:
        return (before, lambda theirs: ties(theirs, ours))
    return (lambda _: TRUE,)


def _one_more(count: ex.Expr, call: ex.OverCall) -> ex.Expr:
    return added([count, ex.Literal(1, ty.LONG)], call.type)


def looking_back(over: ops.Over) -> ops.Over:
    """The operator with every `lead` as a `lag`: rows that follow are before in the other order."""
    return ops.Over(tuple(map(_looking_back, over.calls)))


def _looking_back(named: ops.NamedOver) -> ops.NamedOver:
    call = named.call
    if call.function != "lead" or not call.order:
        return named
    # Nulls change ends with the direction; peers stay peers, and choices among them are refused.
    order = tuple(ex.SortKey(k.expr, not k.ascending, not k.nulls_first) for k in call.order)
    return replace(named, call=replace(call, function="lag", order=order))
