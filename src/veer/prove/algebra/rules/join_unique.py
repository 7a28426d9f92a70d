"""A group that has only one row is that row."""

from __future__ import annotations

from collections.abc import Sequence

from veer.ir.expr import Expr
from veer.prove.algebra.context import Context
from veer.prove.algebra.keys import determined_atoms
from veer.prove.algebra.terms import Atom, Domain, Term


def join_unique(context: Context, term: Term) -> Term | None:
    """Join the rows of an EXISTS that are fixed by the values around it.

        every k: some row of t has the key k   =>   t x, with x.key for k

    DISTINCT over rows that hold a key: "some row with these values" is met by one row at most, so
    joining it keeps multiplicities (one row where it exists, none where it does not), and the
    values are then read off that row. Of several rows those are joined that are fixed one after
    the other; the rest still only has to exist.
    """
    domains = {a.var for a in term.atoms if isinstance(a.relation, Domain)}
    if not domains:
        return None
    for condition in term.conditions:
        existing = context.some_row(condition)
        if existing is None or domains.isdisjoint(context.variables(condition)):
            continue
        inner = context.freshened(existing.term)
        fixed = determined_atoms(context, inner)
        if fixed:
            return _joined(context, term, condition, inner, fixed)
    return None


def _joined(
    context: Context, term: Term, condition: Expr, inner: Term, fixed: Sequence[Atom]
) -> Term:
    """The term with the fixed atoms of an EXISTS; conditions on the others stay inside one."""
    rest = tuple(a for a in inner.atoms if a not in fixed)
    unfixed = {a.var for a in rest}
    inside = tuple(c for c in inner.conditions if not unfixed.isdisjoint(context.variables(c)))
    outside = tuple(c for c in inner.conditions if c not in inside)
    exists_rest = (context.exists((Term(rest, inside, ()),)),) if rest else ()
    kept = tuple(c for c in term.conditions if c is not condition)
    return Term((*term.atoms, *fixed), (*kept, *outside, *exists_rest), term.outputs)
