"""Inside an EXISTS, a further EXISTS is a join."""

from __future__ import annotations

from veer.prove.algebra.context import Context
from veer.prove.algebra.terms import Term


def join_existing(context: Context, term: Term) -> Term | None:
    """Put the rows that a condition says to exist among the atoms.

        exists x: p(x) and (exists y: q(x, y))   =>   exists x, y: p(x) and q(x, y)

    Only inside an EXISTS: the join may give a row of `x` several times, which does not change
    whether there is one. Over an empty inner table both sides are false.
    """
    for condition in term.conditions:
        existing = context.some_row(condition)
        if existing is not None:
            inner = context.freshened(existing.term)
            rest = tuple(c for c in term.conditions if c is not condition)
            return Term(term.atoms + inner.atoms, rest + inner.conditions, term.outputs)
    return None
