"""The value of an aggregate function over a bag, as an expression or as a symbol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veer.ir import expr as ex, types as ty
from veer.ir.walk import struct_parts
from veer.prove.algebra import sums
from veer.prove.algebra.conditions import can_be_null
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import Folded, is_set_like, skips_nulls, value_over_nothing
from veer.prove.algebra.precedence import comes_before
from veer.prove.algebra.simplify import simplify
from veer.prove.algebra.terms import Atom, Bag, Domain, Term
from veer.prove.solver import same

OTHER_END = {"min": "max", "max": "min"}
BY_EXTREME = {"max_by": "max", "min_by": "min"}


def fold(context: Context, function: str, type_: ty.DataType, distinct: bool, bag: Bag) -> ex.Expr:
    """The value of an aggregate function over a bag of argument rows."""
    exact = not any(ty.has_floats(o.type) for t in bag for o in t.outputs)
    # Not for floats, of which 0.0 and -0.0 count as one value though they are two.
    if function == "count" and distinct and exact:
        return _row_count(context, _distinct(context, bag), type_)
    if function == "sum" and sums.is_summed_exactly(type_):
        rows = _distinct(context, bag) if distinct else bag
        bag = tuple(row for t in rows for row in present_rows(t))
        value = sums.added([context.total(t, type_) for t in bag], type_)
        # A sum over no rows, or over nulls alone, is null: the total is zero there.
        return ex.Case(((context.exists(bag), value),), ex.Literal(None, type_))
    if function in BY_EXTREME and ty.is_orderable(type_):
        return _value_at_extreme(context, function, type_, bag)
    if function in ("min", "max") and bag:
        bag = tuple(row for t in bag for row in _rows_below(context, function, t))
        factor, offset, rest = _common_shift(bag)
        if rest is not bag:
            # A negative factor turns the order round: the least of -x is minus the greatest x.
            end = function if factor > 0 else OTHER_END[function]
            value = fold_symbol(context, end, rest[0].outputs[0].type, False, rest)
            return sums.shifted_back(value, factor, offset, type_)
    is_distinct = distinct and not is_set_like(function)
    return fold_symbol(context, function, type_, is_distinct, bag)


def _value_at_extreme(context: Context, function: str, type_: ty.DataType, bag: Bag) -> ex.Expr:
    """The value of the only row before which no other goes: the greatest of one value.

    Rows that have nothing to go by are skipped; no two others tie, or there would be a choice.
    """
    rows = []
    end = BY_EXTREME[function]
    for term in bag:
        value, place = term.outputs
        ahead = tuple(
            Term(t.atoms, (*t.conditions, goes_before(end, t.outputs[1], place)), ())
            for t in map(context.freshened, bag)
        )
        present = () if not can_be_null(place) else (ex.Not(ex.IsNull(place)),)
        is_first = (*present, ex.Not(context.exists(ahead)))
        rows.append(Term(term.atoms, (*term.conditions, *is_first), (value,)))
    return fold_symbol(context, "max", type_, False, tuple(rows))


def goes_before(end: str, ours: ex.Expr, theirs: ex.Expr) -> ex.Expr:
    """A row that has ours at a greater (`max`) or less (`min`) place than one that has theirs.

    Structs are compared part by part, nulls being less than all values.
    """
    is_least = end == "min"
    one, two = struct_parts(ours), struct_parts(theirs)
    if one == (ours,) or len(one) != len(two):
        return ex.Compare("<" if is_least else ">", ours, theirs)
    return comes_before(one, two, [(is_least, is_least)] * len(one))


def sum_or_zero(context: Context, type_: ty.DataType, bag: Bag) -> ex.Expr:
    """A sum that is zero over no rows."""
    return sums.added([context.total(row, type_) for t in bag for row in present_rows(t)], type_)


def distinct_count(context: Context, bag: Bag, type_: ty.DataType) -> ex.Expr:
    """How many different rows a bag has, nulls included."""
    return _row_count(context, _distinct(context, bag, with_nulls=True), type_)


def _row_count(context: Context, bag: Bag, type_: ty.DataType) -> ex.Expr:
    one = (ex.Literal(1, type_),)
    return sums.added([context.total(replace(t, outputs=one), type_) for t in bag], type_)


def _distinct(context: Context, bag: Bag, *, with_nulls: bool = False) -> Bag:
    """The rows of a bag, each once, usually those without nulls.

    Values range over all there are, and some row of the bag has them.
    """
    if not bag:
        return ()
    row = [Atom(context.fresh(), Domain(o.type)) for o in bag[0].outputs]
    values = [a.columns[0] for a in row]
    members = tuple(
        replace(t, conditions=(*t.conditions, *map(same, values, t.outputs)))
        for t in map(context.freshened, bag)
    )
    not_null = () if with_nulls else tuple(ex.Not(ex.IsNull(v)) for v in values)
    return (Term(tuple(row), (context.exists(members), *not_null), tuple(values)),)


def fold_symbol(
    context: Context, function: str, type_: ty.DataType, distinct: bool, bag: Bag
) -> ex.Expr:
    """The symbol for an aggregate over a bag, or what it is known to be.

    Rows with null arguments are left out for functions that skip them, empty terms for all: a
    fold over no rows at all is null, of a count zero.
    """
    simple: list[Term] = []
    for term in bag:
        if skips_nulls(function):
            not_null = tuple(ex.Not(ex.IsNull(o)) for o in term.outputs)
            term = replace(term, conditions=term.conditions + not_null)
        simplified = simplify(context, term)
        if simplified is not None:
            simple.append(simplified)
    nothing = value_over_nothing(function, type_)
    if not simple and nothing is not None:
        return nothing
    definition = Folded(function, type_, distinct, tuple(simple))
    constant = _constant_fold(context, definition)
    if constant is not None and nothing is not None:
        return ex.Case(((context.exists(definition.bag), constant),), nothing)
    return context.symbol(definition)


def _rows_below(context: Context, function: str, term: Term) -> Iterator[Term]:
    """The rows of a term, or those below if what it gives is such an extreme of rows itself.

        min over x of (min over y of f(x, y))   =>   min over x, y of f(x, y)

    Where there is no y the inner minimum is null and the outer one skips it, as the join does.
    """
    (output,) = term.outputs
    inner = context.definitions.get(output) if isinstance(output, ex.Symbol) else None
    if not isinstance(inner, Folded) or inner.function != function:
        yield term
        return
    for row in map(context.freshened, inner.bag):
        atoms, conditions = term.atoms + row.atoms, term.conditions + row.conditions
        yield from _rows_below(context, function, Term(atoms, conditions, row.outputs))


def _constant_fold(context: Context, folded: Folded) -> ex.Expr | None:
    """The minimum or maximum of rows that are all the same; the value where there is a row."""
    if folded.function not in ("min", "max"):
        return None
    values = {t.outputs[0] for t in folded.bag}
    if len(values) != 1:
        return None
    (output,) = values
    bound = {a.var for t in folded.bag for a in t.atoms}
    return output if bound.isdisjoint(context.variables(output)) else None


def present_rows(term: Term) -> Iterator[Term]:
    """The rows of a term whose only output is not null; a CASE by its arms."""
    (output,) = term.outputs
    if not can_be_null(output):
        yield term
        return
    for conditions, arm in sums.few_arms(output):
        yield Term(term.atoms, (*term.conditions, *conditions, ex.Not(ex.IsNull(arm))), (arm,))


def _common_shift(bag: Bag) -> tuple[int, int, Bag]:
    """Outputs without a constant factor and offset they have in common; 1, 0 if there is none."""
    shifts = [sums.shifted(t.outputs[0]) for t in bag]
    factor, first, offset = shifts[0]
    if any((f, e.type, o) != (factor, first.type, offset) for f, e, o in shifts):
        return 1, 0, bag
    if first == bag[0].outputs[0]:
        return 1, 0, bag
    pairs = zip(bag, shifts, strict=True)
    return factor, offset, tuple(replace(t, outputs=(rest,)) for t, (_, rest, _) in pairs)
