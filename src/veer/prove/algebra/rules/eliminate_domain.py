"""A value that is equal to an expression ranges over that expression only."""

from __future__ import annotations

from veer.ir import expr as ex
from veer.prove.algebra.conditions import equalities
from veer.prove.algebra.context import Context
from veer.prove.algebra.terms import Atom, Domain, Term
from veer.prove.solver import Variable


def eliminate_domain(context: Context, term: Term) -> Term | None:
    """Replace a variable that ranges over all values of a type by what it is equal to.

        sum over d of [d = e] f(d)   =>   f(e)

    A domain holds every value of its type once, null included, so exactly one value is the same
    as `e`: multiplicities stay. SQL's `=` is not true of nulls, hence the condition that `e` is
    not null. `e` must have the very type of the domain, must not read the variable itself, and
    equalities of floats are not used: `=` takes 0.0 for -0.0.
    """
    domains: dict[Variable, Atom] = {
        a.columns[0]: a for a in term.atoms if isinstance(a.relation, Domain)
    }
    if not domains:
        return None
    for condition in term.conditions:
        for variable, value, excludes_null in equalities(condition):
            atom = domains.get(variable)
            if atom is None or atom.var in context.variables(value):
                continue
            if value.type != variable.type:
                continue
            rest = tuple(c for c in term.conditions if c is not condition)
            not_null = (ex.Not(ex.IsNull(value)),) if excludes_null else ()
            others = tuple(a for a in term.atoms if a is not atom)
            return context.substitute_term(
                Term(others, (*rest, *not_null), term.outputs), {atom.columns[0]: value}
            )
    return None
