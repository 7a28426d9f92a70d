"""A row fixed by a key whose columns nobody reads only has to exist."""

from __future__ import annotations

from veer.ir import expr as ex
from veer.prove.algebra.conditions import EqualityClasses, row_keys
from veer.prove.algebra.context import Context
from veer.prove.algebra.keys import is_fixed
from veer.prove.algebra.terms import Atom, Term


def move_to_exists(context: Context, term: Term) -> Term | None:
    """Turn the join to a row that a key fixes into an EXISTS.

        child c, parent p: p.id = c.parent   =>   child c: some parent has the id c.parent

    A key fixes at most one row of the atom for each combination of the others, so the join repeats
    no row and drops those without a partner: that is what the EXISTS says, also over an empty
    table and where the value is null. Outputs that read the atom are first replaced by what its
    columns are equal to; if that does not remove them, or another atom depends on this one, the
    rule does not apply.
    """
    classes = EqualityClasses.of(term.conditions)
    fixed = _fixed_atoms(context, term, classes)
    leading = _leading(context, fixed, classes)
    for atom in sorted(fixed, key=lambda a: a.var in leading):
        others = tuple(a for a in term.atoms if a is not atom)
        if any(context.depends_on(a.relation, atom.var) for a in others):
            continue
        outputs = _outputs_without(context, term.outputs, atom, classes)
        if outputs is None:
            continue
        inside = tuple(c for c in term.conditions if atom.var in context.variables(c))
        outside = tuple(c for c in term.conditions if c not in inside)
        context.note_key(atom, fixed[atom])
        partner_exists = context.exists((Term((atom,), inside, ()),))
        return Term(others, (*outside, partner_exists), outputs)
    return None


def _fixed_atoms(
    context: Context, term: Term, classes: EqualityClasses
) -> dict[Atom, tuple[ex.RowColumn, ...]]:
    """The atoms of which the others leave one row at most, each with the key that says so."""
    fixed: dict[Atom, tuple[ex.RowColumn, ...]] = {}
    for atom in term.atoms:
        for key in row_keys(atom, term.conditions, classes):
            if atom not in fixed and is_fixed(context, key, classes, {atom.var}):
                fixed[atom] = key
    return fixed


def _leading(
    context: Context, fixed: dict[Atom, tuple[ex.RowColumn, ...]], classes: EqualityClasses
) -> set[int]:
    """Variables that fix another atom; they go after it."""
    return {
        variable
        for atom, key in fixed.items()
        for column in key
        for expr in classes.members(column)
        for variable in context.variables(expr)
        if variable != atom.var
    }


def _outputs_without(
    context: Context, outputs: tuple[ex.Expr, ...], atom: Atom, classes: EqualityClasses
) -> tuple[ex.Expr, ...] | None:
    """The outputs without reading an atom, by what its columns are equal to; None if one must."""
    table: dict[ex.RowColumn, ex.Expr] = {}
    read = frozenset().union(*map(context.free, outputs))
    for column in atom.columns:
        if column in read:
            other = next(
                (e for e in classes.members(column) if atom.var not in context.variables(e)), None
            )
            if other is None:
                return None
            table[column] = other
    return tuple(context.substitute(o, table) for o in outputs) if table else outputs
