"""Rows of tables as values of their keys, so that terms over different tables can be compared."""

from __future__ import annotations

from collections.abc import Collection

from veer.ir import expr as ex, types as ty
from veer.prove.algebra.conditions import EqualityClasses, row_keys
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import SomeRow
from veer.prove.algebra.folds import fold_symbol
from veer.prove.algebra.simplify import without_domains
from veer.prove.algebra.terms import Atom, Domain, Relation, Term
from veer.prove.solver import same


def by_keys(context: Context, term: Term, tables: Collection[Relation]) -> Term:
    """Rows of some tables with a key as values of the key and what it leads to.

        dept d: d.name   =>   every k: some dept has the key k, and the name of the dept with key k

    A key has each of its values on one row at most, so the values stand for the rows one to one;
    a column of that row is the greatest of its only value.
    """
    for atom in term.atoms:
        changed = _by_key(context, term, atom) if atom.relation in tables else None
        if changed is not None:
            return by_keys(context, without_domains(context, changed), tables)
    return term


def _by_key(context: Context, term: Term, atom: Atom) -> Term | None:
    read = frozenset().union(*map(context.free, (*term.conditions, *term.outputs)))
    key = _best_key(term, atom, read)
    others = tuple(a for a in term.atoms if a is not atom)
    if key is None or any(context.depends_on(a.relation, atom.var) for a in others):
        return None
    domains = [Atom(context.fresh(), Domain(c.type)) for c in key]
    row = Atom(context.fresh(), atom.relation)
    values = [d.columns[0] for d in domains]
    fits = tuple(same(row.columns[c.index], v) for c, v in zip(key, values, strict=True))
    table: dict[ex.RowColumn, ex.Expr] = dict(zip(key, values, strict=True))
    for column in atom.columns:
        if column in read and column not in table:
            if not ty.is_orderable(column.type):
                return None  # there is no greatest map
            own = Term((row,), fits, (row.columns[column.index],))
            table[column] = fold_symbol(context, "max", column.type, False, (own,))
    context.note_key(atom, key)
    has_row = context.symbol(SomeRow(Term((row,), fits, ())))
    moved = context.substitute_term(Term(others, term.conditions, term.outputs), table)
    return Term((*moved.atoms, *domains), (*moved.conditions, has_row), moved.outputs)


def _best_key(
    term: Term, atom: Atom, read: frozenset[ex.RowColumn]
) -> tuple[ex.RowColumn, ...] | None:
    """A key of which every column is read, if there is one: what is not read would be added."""
    keys = [
        key
        for key in row_keys(atom, term.conditions, EqualityClasses.of(term.conditions))
        if not any(ty.has_floats(c.type) for c in key)  # two rows may have 0.0 and -0.0
    ]
    keys.sort(key=lambda key: any(c not in read for c in key))
    return keys[0] if keys else None
