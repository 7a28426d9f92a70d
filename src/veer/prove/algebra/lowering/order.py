"""Rows in order: windows and limits as numbers of rows that come before.

A row's window aggregate is a fold over the rows of its partition that are in its frame, its rank
one more than the rows before it, and a limit keeps the rows that have few enough before them.
What cannot be said so is left to be compared as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.prove.algebra import terms as algebra_terms
from veer.prove.algebra.context import Context
from veer.prove.algebra.precedence import Values, comes_before
from veer.prove.algebra.sums import added, multiplied, shifted
from veer.prove.solver import same


def rows_before(
    context: Context, bag: algebra_terms.Bag, keys: Values, top: algebra_terms.Top
) -> ex.Expr:
    """How many rows of a bag that ends in sort keys come before a row with these."""
    counts: list[ex.Expr] = []
    for term in map(context.freshened, bag if top.directions else ()):
        first = comes_before(term.outputs[top.width :], keys, top.directions)
        counts.append(_count(context, term, first))
    return added(counts, ty.LONG)


def rows_alike(
    context: Context, bag: algebra_terms.Bag, keys: Values, top: algebra_terms.Top
) -> ex.Expr:
    """How many rows of a bag have these sort keys."""
    counts = []
    for term in map(context.freshened, bag):
        fits = conjunction(list(map(same, term.outputs[top.width :], keys)))
        counts.append(_count(context, term, fits))
    return added(counts, ty.LONG)


def _count(context: Context, term: algebra_terms.Term, condition: ex.Expr) -> ex.Expr:
    conditions = (*term.conditions, condition)
    return context.total(
        algebra_terms.Term(term.atoms, conditions, (ex.Literal(1, ty.LONG),)), ty.LONG
    )


@dataclass
class Ordered:
    """Limits spelled out, in the context of a proof."""

    context: Context

    def merged(self, top: algebra_terms.Top) -> algebra_terms.Bag:
        """The rows of a limit as a bag; limits below that it makes superfluous are gone.

        first 5 of the first 9   =>   first 5
        first 5 of (first 9 of A, and B)   =>   first 5 of A and B
        """
        if top.limit == 0 or not top.bag:
            return ()
        if len(top.bag) == 1:
            inner = self._limit_below(top.bag[0], top)
            if inner is not None:
                term = top.bag[0]
                left = None if inner.limit is None else max(inner.limit - top.offset, 0)
                limits = [n for n in (left, top.limit) if n is not None]
                both = replace(
                    inner, limit=min(limits, default=None), offset=inner.offset + top.offset
                )
                if both.limit == 0:
                    return ()
                atom = algebra_terms.Atom(term.atoms[0].var, both)
                return (replace(term, atoms=(atom,)),)
        terms: list[algebra_terms.Term] = []
        for term in top.bag:
            inner = self._limit_below(term, top)
            if inner is None or top.limit is None or not _is_superfluous(inner, top):
                terms.append(term)
                continue
            for row in map(self.context.freshened, inner.bag):
                table = dict(zip(term.atoms[0].columns, row.outputs, strict=True))
                outputs = tuple(self.context.substitute(o, table) for o in term.outputs)
                terms.append(replace(row, outputs=outputs))
        atom = algebra_terms.Atom(self.context.fresh(), replace(top, bag=tuple(terms)))
        return (algebra_terms.Term((atom,), (), atom.columns),)

    def _limit_below(
        self, term: algebra_terms.Term, top: algebra_terms.Top
    ) -> algebra_terms.Top | None:
        """The limit a term consists of, if it is in the same order."""
        if len(term.atoms) != 1 or term.conditions:
            return None
        (atom,) = term.atoms
        inner = atom.relation
        if not isinstance(inner, algebra_terms.Top) or inner.directions != top.directions:
            return None
        for row in inner.bag:
            table = dict(zip(atom.columns, row.outputs, strict=True))
            for key, own in zip(term.outputs[top.width :], row.outputs[inner.width :], strict=True):
                given = self.context.substitute(key, table)
                if given == own:
                    continue
                if len(inner.bag) > 1 or not _in_one_order(given, own):
                    return None
        return inner

    def by_counting(
        self, top: algebra_terms.Top, bag: algebra_terms.Bag, *, is_unique: bool
    ) -> algebra_terms.Bag | None:
        """The rows of a limit by how many come before each; None if ties make that unclear."""
        places = [self._place(bag, i, top) for i in range(top.width)]
        floats = any(ty.has_floats(o.type) for t in bag for o in t.outputs)
        # Rows that tie on all sort keys are then the same row: which of them are kept nobody sees.
        keys_show_row = not floats and all(place is not None for place in places)
        is_first = top.limit == 1 and top.offset == 0 and len(top.directions) <= 1
        if is_unique and not (keys_show_row and is_first):
            return tuple(self._first(t, bag, top) for t in bag)
        if not keys_show_row:
            return None
        if is_first:
            row: tuple[algebra_terms.Atom, ...] = ()
            keys = tuple(self._extreme(bag, top) for _ in top.directions)
            row_term = algebra_terms.Term(
                (), (self.context.exists(tuple(map(self.context.freshened, bag))),), ()
            )
        else:
            types = [o.type for o in bag[0].outputs[top.width :]]
            row = tuple(
                algebra_terms.Atom(self.context.fresh(), algebra_terms.Domain(t)) for t in types
            )
            keys = tuple(a.columns[0] for a in row)
            row_term = repeated(self.context, row, self._copies(bag, keys, top), ())
        shown = [keys[p] if isinstance(p, int) else p for p in places if p is not None]
        return (replace(row_term, outputs=(*shown, *keys)),)

    def _extreme(self, bag: algebra_terms.Bag, top: algebra_terms.Top) -> ex.Expr:
        """The sort key of the first row."""
        ((ascending, nulls_first),) = top.directions
        type_ = bag[0].outputs[top.width].type
        rows = [replace(t, outputs=t.outputs[top.width :]) for t in bag]
        fresh = tuple(map(self.context.freshened, rows))
        value = self.context.fold("min" if ascending else "max", type_, False, fresh)
        if not nulls_first:
            return value
        nulls = tuple(
            replace(t, conditions=(*t.conditions, ex.IsNull(t.outputs[0])))
            for t in map(self.context.freshened, rows)
        )
        return ex.Case(((self.context.exists(nulls), ex.Literal(None, type_)),), value)

    def _copies(self, bag: algebra_terms.Bag, keys: Values, top: algebra_terms.Top) -> ex.Expr:
        """How many of the rows with these sort keys are kept."""
        before = rows_before(self.context, bag, keys, top)
        upto = added([before, rows_alike(self.context, bag, keys, top)], ty.LONG)
        first = _greatest(before, ex.Literal(top.offset, ty.LONG))
        last = (
            upto if top.limit is None else _least(upto, ex.Literal(top.offset + top.limit, ty.LONG))
        )
        return minus(last, first)

    def _first(
        self, term: algebra_terms.Term, bag: algebra_terms.Bag, top: algebra_terms.Top
    ) -> algebra_terms.Term:
        before = rows_before(self.context, bag, term.outputs[top.width :], top)
        kept = [ex.Compare(">=", before, ex.Literal(top.offset, ty.LONG))] if top.offset else []
        if top.limit is not None:
            kept.append(ex.Compare("<", before, ex.Literal(top.offset + top.limit, ty.LONG)))
        return replace(term, conditions=(*term.conditions, *kept))

    def _place(
        self, bag: algebra_terms.Bag, output: int, top: algebra_terms.Top
    ) -> int | ex.Literal | None:
        """Which sort key an output is, or which constant, in every term."""
        for place in range(len(top.directions)):
            if all(t.outputs[output] == t.outputs[top.width + place] for t in bag):
                return place
        first = bag[0].outputs[output]
        alike = isinstance(first, ex.Literal) and all(t.outputs[output] == first for t in bag)
        return first if alike and isinstance(first, ex.Literal) else None


def _in_one_order(one: ex.Expr, other: ex.Expr) -> bool:
    """Whether rows are in the order of one exactly if they are in that of the other: x, 2x + 1."""
    (a, plain, _), (b, same_plain, _) = shifted(one), shifted(other)
    return plain == same_plain and a * b > 0


def _is_superfluous(inner: algebra_terms.Top, top: algebra_terms.Top) -> bool:
    """Whether what a limit below cuts off would be cut off anyway."""
    assert top.limit is not None
    return inner.offset == 0 and (inner.limit is None or inner.limit >= top.limit + top.offset)


def repeated(
    context: Context, row: tuple[algebra_terms.Atom, ...], copies: ex.Expr, outputs: Values
) -> algebra_terms.Term:
    """A row of values as often as a number says."""
    atom = algebra_terms.Atom(
        context.fresh(), algebra_terms.Opaque(algebra_terms.COPIES, (), (copies,), (), ())
    )
    return algebra_terms.Term(
        (*row, atom), (ex.Compare(">=", copies, ex.Literal(1, ty.LONG)),), tuple(outputs)
    )


def minus(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """The exact difference."""
    return added([left, multiplied([ex.Literal(-1, ty.LONG), right], ty.LONG)], ty.LONG)


def _greatest(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    return ex.Case(((ex.Compare(">=", left, right), left),), right)


def _least(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    return ex.Case(((ex.Compare("<=", left, right), left),), right)


def in_common(
    context: Context, bags: Sequence[algebra_terms.Bag], *, without: bool
) -> algebra_terms.Term | None:
    """INTERSECT ALL or EXCEPT ALL: how often a row comes on either side says how often it stays.

    The least of both, or the difference where it is positive. Nulls are the same here, as in SQL's
    set operations; floats are not compared, which would take -0.0 for 0.0.
    """
    types = [o.type for o in next(t for bag in bags for t in bag).outputs]
    if any(map(ty.has_floats, types)):
        return None
    row = tuple(algebra_terms.Atom(context.fresh(), algebra_terms.Domain(t)) for t in types)
    values = [a.columns[0] for a in row]
    left, right = (
        added(
            [
                _count(
                    context,
                    t,
                    conjunction(list(map(same, t.outputs, values)))
                    if values
                    else algebra_terms.TRUE,
                )
                for t in map(context.freshened, bag)
            ],
            ty.LONG,
        )
        for bag in bags
    )
    copies = minus(left, right) if without else _least(left, right)
    return repeated(context, row, copies, values)
