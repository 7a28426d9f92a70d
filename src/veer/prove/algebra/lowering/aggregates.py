"""GROUP BY, and aggregate calls as folds over the argument rows of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.errors import UnsupportedError
from veer.facts.call_kinds import call_kind
from veer.functions.registry import Kind, aggregate_function
from veer.functions.traits import FoldMeaning
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.ir.ops import NamedCall
from veer.ir.walk import struct_parts
from veer.prove.algebra.conditions import can_be_null
from veer.prove.algebra.folds import BY_EXTREME, OTHER_END, goes_before, sum_or_zero
from veer.prove.algebra.lowering.base import ExpressionLowering, OperatorInput
from veer.prove.algebra.lowering.periods import period_keys
from veer.prove.algebra.sums import is_summed_exactly, shifted, shifted_back
from veer.prove.algebra.terms import Bag, Fold, Group, Term
from veer.prove.solver import same
from veer.prove.solver.formula import NORMALIZED

AS_EXTREME = {FoldMeaning.ANY: "max", FoldMeaning.ALL: "min"}  # false comes before true
FILTERED = (
    "sum",
    "min",
    "max",
    "avg",
    "count",
    *BY_EXTREME,
)  # skip the nulls that FILTER puts instead


def lower_aggregate(
    lowering: ExpressionLowering,
    keys: Sequence[ex.Expr],
    calls: Sequence[NamedCall],
    given: OperatorInput,
    *,
    is_global: bool,
) -> Bag:
    """A group atom over terms that give the keys, then the arguments of the calls.

    Without rows there is no group, but a global aggregate has its one row all the same.
    """
    folds: list[Fold] = []
    args: list[ex.Expr] = []
    for named in calls:
        fold, own_args = as_fold(named.call, len(keys) + len(args), is_global=is_global)
        folds.append(fold)
        args += own_args
    terms = []
    for term in given.bag:
        resolved = [lowering.expr(e, given.schema, term, given.outer) for e in (*keys, *args)]
        outputs = (*map(_group_key, resolved[: len(keys)]), *resolved[len(keys) :])
        terms.append(replace(term, outputs=outputs))
    if not terms and not is_global:
        return ()  # no rows, no groups
    if not is_global:
        rows = _rows_at_extreme(lowering, terms, len(keys), folds)
        if rows is not None:
            return rows
    return _by_periods(lowering, Group(tuple(terms), len(keys), tuple(folds), is_global))


def _rows_at_extreme(
    lowering: ExpressionLowering, terms: Sequence[Term], keys: int, folds: Sequence[Fold]
) -> Bag | None:
    """Groups of which the row with the greatest of something is read, as these rows.

        max_by(x, y), max(y), sum(z) GROUP BY k
            =>   k, x, y of the rows with no greater y of the same k, the sum over rows of the same k

    No two rows of a group tie, or the aggregate would make a choice: not so if all it shows is what
    rows go by, of which those that tie have the same. What they go by is never null. None if the
    calls go by different things.
    """
    by_extreme = [f for f in folds if f.function in BY_EXTREME]
    ends = {BY_EXTREME[f.function] for f in by_extreme}
    if len(ends) != 1 or any(ty.has_floats(o.type) for t in terms for o in t.outputs[:keys]):
        return None
    (end,) = ends
    for term in terms:
        going_by = {term.outputs[f.args[1]] for f in by_extreme}
        place = next(iter(going_by))
        if len(going_by) != 1 or can_be_null(place) or ty.has_floats(place.type):
            return None
        if all(term.outputs[f.args[0]] in struct_parts(place) for f in by_extreme):
            apart = [*term.outputs[:keys], *struct_parts(place)]
            if not lowering.groups.tells_apart(tuple(terms), apart):
                return None
    groups = _Groups(lowering, tuple(terms), keys)
    return tuple(groups.first_row(term, folds, end) for term in terms)


@final
@dataclass(frozen=True)
class _Groups:
    """Terms that give grouping keys, then arguments."""

    lowering: ExpressionLowering
    bag: Bag
    keys: int

    def first_row(self, term: Term, folds: Sequence[Fold], end: str) -> Term:
        """The rows of a term before which none of their group goes, and folds over the group."""
        by = next(f.args[1] for f in folds if f.function in BY_EXTREME)
        place = term.outputs[by]
        ahead = [
            replace(mate, conditions=(*mate.conditions, goes_before(end, mate.outputs[by], place)))
            for mate in self._mates(term)
        ]
        rows = tuple(Term(t.atoms, t.conditions, ()) for t in ahead)
        is_first = ex.Not(self.lowering.context.exists(self.lowering.groups.expanded(rows)))
        values = [self._value(term, fold, place, end) for fold in folds]
        return Term(term.atoms, (*term.conditions, is_first), (*term.outputs[: self.keys], *values))

    def _value(self, term: Term, fold: Fold, place: ex.Expr, end: str) -> ex.Expr:
        own = term.outputs[fold.args[0]]
        if fold.function in BY_EXTREME or _is_extreme(fold, own, struct_parts(place)[0], end):
            return own
        members = tuple(
            replace(mate, outputs=tuple(mate.outputs[i] for i in fold.args))
            for mate in self._mates(term)
        )
        members = self.lowering.groups.expanded(members)
        context = self.lowering.context
        is_plain_sum = fold.function == "sum" and not fold.distinct
        if is_plain_sum and is_summed_exactly(fold.type) and not can_be_null(own):
            return sum_or_zero(context, fold.type, members)  # the row itself is among them
        return context.fold(fold.function, fold.type, fold.distinct, members)

    def _mates(self, term: Term) -> Iterator[Term]:
        """The rows of the same group."""
        for mate in map(self.lowering.context.freshened, self.bag):
            same_group = map(same, mate.outputs[: self.keys], term.outputs[: self.keys])
            yield replace(mate, conditions=(*mate.conditions, *same_group))


def _is_extreme(fold: Fold, value: ex.Expr, first: ex.Expr, end: str) -> bool:
    """Whether a fold gives the first of what rows go by where that is at its greatest, or least.

    Nulls are less than all values, but skipped.
    """
    match first:
        case ex.Call("negative", (arg,)):
            return fold.function == OTHER_END[end] and arg == value and not can_be_null(arg)
    return fold.function == end and first == value and (end == "max" or not can_be_null(first))


def _group_key(key: ex.Expr) -> ex.Expr:
    """Grouping takes 0.0 for -0.0 and shows one of them: the key is the normalized value."""
    return ex.OpaqueCall(NORMALIZED, (key,), key.type) if ty.has_floats(key.type) else key


def _by_periods(lowering: ExpressionLowering, group: Group) -> Bag:
    """Groups by parts of a day as groups by the period they tell, which is the same partition.

    Keys that differ among the terms stay as they are.
    """
    found = [period_keys(t.outputs[: group.keys]) for t in group.bag]
    shapes = {tuple(k and k.of(ex.Literal(None, ty.DATE)) for k in keys) for keys in found}
    if len(shapes) != 1 or not any(found[0]):
        return _by_plain_keys(lowering, group)
    terms = list(group.bag)
    for place in range(group.keys):
        for number, keys in enumerate(found):
            key = keys[place]
            if key is not None:
                terms[number] = _with_output(terms[number], place, key.first)
    bag = _by_plain_keys(lowering, replace(group, bag=tuple(terms)))
    for place, key in enumerate(found[0]):
        if key is not None:
            bag = tuple(_with_output(t, place, key.of(t.outputs[place])) for t in bag)
    return bag


def _by_plain_keys(lowering: ExpressionLowering, group: Group) -> Bag:
    """Groups by `c * x + d` as groups by `x`, which is the same partition; c is not zero.

    Keys of other types, and those that differ among the terms, stay as they are.
    """
    shifts: list[tuple[int, int, int, ty.DataType]] = []
    terms = list(group.bag)
    for place in range(group.keys):
        plain = [shifted(t.outputs[place]) for t in terms]
        factor, first, offset = plain[0]
        type_ = terms[0].outputs[place].type
        alike = all((f, e.type, o) == (factor, first.type, offset) for f, e, o in plain)
        if alike and first != terms[0].outputs[place]:
            terms = [_with_output(t, place, e) for t, (_, e, _) in zip(terms, plain, strict=True)]
            shifts.append((place, factor, offset, type_))
    bag = lowering.groups.grouped(replace(group, bag=tuple(terms)))
    for place, factor, offset, type_ in shifts:
        bag = tuple(
            _with_output(t, place, shifted_back(t.outputs[place], factor, offset, type_))
            for t in bag
        )
    return bag


def _with_output(term: Term, place: int, output: ex.Expr) -> Term:
    return replace(term, outputs=(*term.outputs[:place], output, *term.outputs[place + 1 :]))


def as_fold(call: ex.AggregateCall, place: int, *, is_global: bool) -> tuple[Fold, list[ex.Expr]]:
    """A call as a fold and its arguments, of which the first is at a place among the outputs.

    FILTER and what COUNT counts are put into the arguments: a row that does not count adds zero,
    or gives a null that the function skips. A count over no rows is zero in a global aggregate;
    a group has a row.
    """
    # The operator is a function of its rows, so that no two rows tie in what such a call goes by.
    if call_kind(call) is not Kind.PURE and call.function not in BY_EXTREME:
        raise UnsupportedError(f"{call.function} depends on the order of rows")
    if call.function in ("count", "count_if") and not call.distinct:
        one = _one_if_counted(call)
        return Fold("sum", (place,), call.type, or_zero=is_global), [one]
    args = list(call.args)
    if call.where is not None:
        if call.function not in FILTERED:
            raise UnsupportedError(f"{call.function} with FILTER")
        args = [ex.Case(((call.where, a),), ex.Literal(None, a.type)) for a in args]
    places = tuple(place + i for i in range(len(args)))
    function = AS_EXTREME.get(aggregate_function(call.function).prover, call.function)
    return Fold(function, places, call.type, call.distinct), args


def _one_if_counted(call: ex.AggregateCall) -> ex.Expr:
    """One for a row that a count counts, zero for the others."""
    if call.function == "count_if":
        conditions = list(call.args)
    else:
        conditions = [ex.Not(ex.IsNull(a)) for a in call.args if not _is_never_null_literal(a)]
    if call.where is not None:
        conditions.append(call.where)
    one = ex.Literal(1, ty.INT)
    if not conditions:
        return one
    return ex.Case(((conjunction(conditions), one),), ex.Literal(0, ty.INT))


def _is_never_null_literal(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal) and expr.value is not None
