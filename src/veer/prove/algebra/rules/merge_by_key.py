"""Two rows of a table that agree on a key are one row."""

from __future__ import annotations

from dataclasses import replace

from veer.ir.types import has_floats
from veer.prove.algebra.conditions import EqualityClasses, row_keys
from veer.prove.algebra.context import Context
from veer.prove.algebra.terms import Atom, Term


def merge_by_key(context: Context, term: Term) -> Term | None:
    """Drop an atom whose row is that of another atom.

        t a, t b: a.id = b.id   =>   t a, with `a` for `b`

    Holds for every content of the table: a key has no nulls and no two rows with the same values,
    so for each row of `a` exactly one row of `b` fits, `a` itself. Columns declared unique count
    as a key only where the conditions leave none of them null. Floats are left alone: a key may
    hold both 0.0 and -0.0, which `=` does not tell apart.
    """
    classes = EqualityClasses.of(term.conditions)
    for place, kept in enumerate(term.atoms):
        for other in term.atoms[place + 1 :]:
            if kept.relation == other.relation and _is_same_row(
                context, term, classes, kept, other
            ):
                table = dict(zip(other.columns, kept.columns, strict=True))
                rest = tuple(a for a in term.atoms if a is not other)
                return context.substitute_term(replace(term, atoms=rest), table)
    return None


def _is_same_row(
    context: Context, term: Term, classes: EqualityClasses, kept: Atom, other: Atom
) -> bool:
    """Whether the conditions make two atoms of one table agree on a key."""
    for key in row_keys(kept, term.conditions, classes):
        if any(has_floats(c.type) for c in key):
            continue
        if all(classes.are_same(c, other.columns[c.index]) for c in key):
            context.note_key(kept, key)
            return True
    return False
