"""GROUP BY, and aggregate calls as folds over the argument rows of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.analysis.call_kinds import call_kind
from veer.errors import UnsupportedError
from veer.functions.registry import Kind, aggregate_function
from veer.functions.traits import FoldMeaning
from veer.model.conditions import conjunction
from veer.model.expr import AggregateCall, Case, Expr, IsNull, Literal, Not, OpaqueCall
from veer.model.ops import NamedCall
from veer.model.types import INT, DataType, has_floats
from veer.prover.folds import BY_EXTREME
from veer.prover.lowering.base import ExpressionLowering, OperatorInput
from veer.prover.sums import shifted, shifted_back
from veer.prover.terms import Bag, Fold, Group, Term
from veer.smt.formula import NORMALIZED

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
    keys: Sequence[Expr],
    calls: Sequence[NamedCall],
    given: OperatorInput,
    *,
    is_global: bool,
) -> Bag:
    """A group atom over terms that give the keys, then the arguments of the calls.

    Without rows there is no group, but a global aggregate has its one row all the same.
    """
    folds: list[Fold] = []
    args: list[Expr] = []
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
    return _by_plain_keys(lowering, Group(tuple(terms), len(keys), tuple(folds), is_global))


def _group_key(key: Expr) -> Expr:
    """Grouping takes 0.0 for -0.0 and shows one of them: the key is the normalized value."""
    return OpaqueCall(NORMALIZED, (key,), key.type) if has_floats(key.type) else key


def _by_plain_keys(lowering: ExpressionLowering, group: Group) -> Bag:
    """Groups by `c * x + d` as groups by `x`, which is the same partition; c is not zero.

    Keys of other types, and those that differ among the terms, stay as they are.
    """
    shifts: list[tuple[int, int, int, DataType]] = []
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


def _with_output(term: Term, place: int, output: Expr) -> Term:
    return replace(term, outputs=(*term.outputs[:place], output, *term.outputs[place + 1 :]))


def as_fold(call: AggregateCall, place: int, *, is_global: bool) -> tuple[Fold, list[Expr]]:
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
        args = [Case(((call.where, a),), Literal(None, a.type)) for a in args]
    places = tuple(place + i for i in range(len(args)))
    function = AS_EXTREME.get(aggregate_function(call.function).prover, call.function)
    return Fold(function, places, call.type, call.distinct), args


def _one_if_counted(call: AggregateCall) -> Expr:
    """One for a row that a count counts, zero for the others."""
    if call.function == "count_if":
        conditions = list(call.args)
    else:
        conditions = [Not(IsNull(a)) for a in call.args if not _is_never_null_literal(a)]
    if call.where is not None:
        conditions.append(call.where)
    one = Literal(1, INT)
    if not conditions:
        return one
    return Case(((conjunction(conditions), one),), Literal(0, INT))


def _is_never_null_literal(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value is not None
