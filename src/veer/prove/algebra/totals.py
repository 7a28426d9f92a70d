"""What the rows of a term add up to: products of sums, in which equal parts are one symbol."""

from __future__ import annotations

from dataclasses import replace

from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.prove.algebra import sums
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import Totaled
from veer.prove.algebra.folds import fold_symbol
from veer.prove.algebra.keys import is_one_row
from veer.prove.algebra.simplify import simplify
from veer.prove.algebra.splitting import by_cases, by_outer_values, components
from veer.prove.algebra.terms import COPIES, Opaque, Term
from veer.prove.solver.formula import MULTIPLIED

MOST_BOUNDS = 3  # each of which doubles what is added up


def total(context: Context, term: Term, type_: ty.DataType) -> ex.Expr:
    """The only output of a term, never null where its conditions hold, added up.

    Taken apart into products; what does not depend on the rows is taken out, totals inside
    are joined, and rows that nothing connects are added up on their own.

        sum over x, y of f(x) * g(y)   =>   sum over x of f(x)  *  sum over y of g(y)

    Exact for integers and decimals, whose sums do not depend on the order; zero over no rows.
    """
    (output,) = term.outputs
    parts = [
        _total_of_product(
            context,
            Term(term.atoms, (*term.conditions, *s.conditions), s.factors),
            sums.type_of_product(s.factors, type_),
        )
        for s in sums.summands(output)
    ]
    return sums.added(parts, type_)


def _total_of_product(context: Context, term: Term, type_: ty.DataType) -> ex.Expr:
    """The total of a term whose outputs are the factors of what is added."""
    if is_one_row(context, term):
        return _one_row_total(context, term, sums.multiplied(list(term.outputs), type_), type_)
    simple = simplify(context, term)
    if simple is None:
        return ex.Literal(0, type_)
    opened = _with_factor_opened(context, simple)
    if opened is not None:
        return total(context, opened, type_)
    cases = by_cases(context, simple, constants=True)
    if len(cases) == 1:
        cases = list(_split_at_bound(context, simple))
    if len(cases) != 1:
        return sums.added([_total_of_product(context, t, type_) for t in cases], type_)
    return _product_of_totals(context, by_outer_values(context, simple), type_)


def _product_of_totals(context: Context, term: Term, type_: ty.DataType) -> ex.Expr:
    """Conditions and factors from around the term taken out, a total for each component."""
    bound = {a.var for a in term.atoms}
    # Where an outer condition is not true there is no row at all, so the total is zero.
    outside = [c for c in term.conditions if bound.isdisjoint(context.variables(c))]
    factors = [f for f in term.outputs if bound.isdisjoint(context.variables(f))]
    connected = [e for e in (*term.conditions, *term.outputs) if e not in outside + factors]
    for atoms, exprs in components(context, term.atoms, connected):
        inside = tuple(e for e in exprs if e in term.conditions)
        own = [e for e in exprs if e in term.outputs]
        factors.append(_component_total(context, Term(atoms, inside, ()), own, type_))
    value = sums.multiplied(factors, type_)
    if not outside:
        return value
    return ex.Case(((conjunction(tuple(outside)), value),), ex.Literal(0, type_))


def _component_total(
    context: Context, rows: Term, factors: list[ex.Expr], type_: ty.DataType
) -> ex.Expr:
    value = sums.multiplied(factors, type_)
    if is_one_row(context, rows):
        return _one_row_total(context, rows, value, type_)
    return context.symbol(Totaled(replace(rows, outputs=(value,))))


def _one_row_total(context: Context, term: Term, value: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """What at most one row adds: its value, which is the greatest there is; else zero.

    The value is never null where the row is, so a null maximum means that there is no row.
    """
    if {a.var for a in term.atoms}.isdisjoint(context.variables(value)):
        has_row = context.exists((replace(term, outputs=()),))
        return ex.Case(((has_row, value),), ex.Literal(0, type_))
    greatest = fold_symbol(context, "max", type_, False, (replace(term, outputs=(value,)),))
    return ex.Case(((ex.Not(ex.IsNull(greatest)), greatest),), ex.Literal(0, type_))


def _split_at_bound(context: Context, term: Term) -> tuple[Term, ...]:
    """A term whose rows are bounded from around it: those within, and those at the bound.

        x <= y   =>   x < y,   x = y

    Rows with a null on either side are in neither, as before.
    """
    bound = {a.var for a in term.atoms}
    bounds = [c for c in term.conditions if isinstance(c, ex.Compare) and c.op in ("<=", ">=")]
    for condition in bounds if len(bounds) <= MOST_BOUNDS else ():
        left, right = condition.left, condition.right
        if ty.has_floats(left.type):
            continue  # equal floats need not be the same: nothing would be gained
        sides = [context.variables(left), context.variables(right)]
        inside = [not bound.isdisjoint(side) for side in sides]
        if sorted(inside) != [False, True] or not sides[inside.index(False)]:
            continue
        rest = tuple(c for c in term.conditions if c is not condition)
        within, at = (ex.Compare(op, left, right) for op in (condition.op[0], "="))
        return (
            replace(term, conditions=(*rest, within)),
            context.freshened(replace(term, conditions=(*rest, at))),
        )
    return (term,)


def _with_factor_opened(context: Context, term: Term) -> Term | None:
    """A term with one factor taken apart, if one can be: a sum, a total, a number of copies."""
    bound = {a.var for a in term.atoms}
    for atom in term.atoms:
        if isinstance(atom.relation, Opaque) and atom.relation.identity == COPIES:
            rest = tuple(a for a in term.atoms if a is not atom)
            factors = (*term.outputs, *atom.relation.args)
            return Term(rest, term.conditions, (ex.OpaqueCall(MULTIPLIED, factors, ty.LONG),))
    for place, factor in enumerate(term.outputs):
        others = [*term.outputs[:place], *term.outputs[place + 1 :]]
        if bound.isdisjoint(context.variables(factor)):
            continue
        if isinstance(factor, ex.Symbol):
            definition = context.definitions[factor]
            if isinstance(definition, Totaled):
                inner = context.freshened(definition.term)
                return Term(
                    term.atoms + inner.atoms,
                    term.conditions + inner.conditions,
                    (sums.multiplied([*others, *inner.outputs], factor.type),),
                )
        if sums.summands(factor) != [sums.Summand((), (factor,))]:
            product = ex.OpaqueCall(MULTIPLIED, (*others, factor), factor.type)
            return replace(term, outputs=(product,))
    return None
