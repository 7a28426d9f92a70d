"""What keys determine: atoms of which the rows around them leave one row at most."""

from __future__ import annotations

from collections.abc import Sequence

from veer.ir.expr import RowColumn
from veer.ir.types import has_floats
from veer.prove.algebra.conditions import EqualityClasses, row_keys
from veer.prove.algebra.context import Context
from veer.prove.algebra.terms import Atom, Table, Term


def determined_atoms(context: Context, body: Term) -> list[Atom]:
    """Atoms of which at most one row fits the rows around the body, one after the other.

    Atoms that others depend on are left out: what those hold is not known before.
    """
    classes = EqualityClasses.of(body.conditions)
    read = {c.variable for a in body.atoms for c in context.relation_free(a.relation)}
    remaining = {a.var: a for a in body.atoms if a.var not in read}
    unknown = {a.var for a in body.atoms}
    determined: list[Atom] = []
    while True:
        next_fixed = next(
            (
                (atom, key)
                for atom in remaining.values()
                for key in row_keys(atom, body.conditions, classes)
                if is_fixed(context, key, classes, unknown)
            ),
            None,
        )
        if next_fixed is None:
            return determined
        # The conditions fix its key, so one row fits at most; others may now be fixed by its row.
        atom, key = next_fixed
        context.note_key(atom, key)
        determined.append(atom)
        unknown.discard(atom.var)
        del remaining[atom.var]


def is_fixed(
    context: Context, key: Sequence[RowColumn], classes: EqualityClasses, unknown: set[int]
) -> bool:
    """Whether each column of a key is equal to something that reads no unknown variable.

    Floats fix nothing: 0.0 and -0.0 are equal and yet two values of a key.
    """
    return all(
        not has_floats(c.type)
        and any(unknown.isdisjoint(context.variables(e)) for e in classes.members(c))
        for c in key
    )


def is_one_row(context: Context, term: Term) -> bool:
    """Whether keys leave one combination of rows at most.

    Of tables only: groups and limits are spelled out before, other relations have no keys.
    """
    if not term.atoms or not all(isinstance(a.relation, Table) for a in term.atoms):
        return False
    return len(determined_atoms(context, term)) == len(term.atoms)
