"""Whether rows exist, as a condition in a form that is the same for the same question."""

from __future__ import annotations

from dataclasses import replace

from veer.ir import expr as ex
from veer.ir.conditions import conjuncts
from veer.prove.algebra import terms as algebra_terms
from veer.prove.algebra.conditions import can_be_null, disjunction_of, two_valued
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import SomeRow
from veer.prove.algebra.simplify import simplify
from veer.prove.algebra.splitting import MOST_BRANCHES, by_outer_values, components


def exists(context: Context, bag: algebra_terms.Bag) -> ex.Expr:
    """The condition that some term of a bag has a row; never null."""
    terms = [replace(t, outputs=()) for t in bag]
    return disjunction_of([_term_exists(context, t) for t in _merged_halves(context, terms)])


def _merged_halves(context: Context, terms: list[algebra_terms.Term]) -> list[algebra_terms.Term]:
    """Terms that have a row where another has none, without that condition.

        exists x: p and q,  or  exists x: p and not q   =>   exists x: p

    Only for a `q` that is never null: neither half has a row on which it is.
    """
    if len(terms) < 2:
        return terms
    for place, term in enumerate(terms):
        for condition in term.conditions:
            if not isinstance(condition, ex.Not) or not _speaks_of_rows(context, condition.arg):
                continue
            if can_be_null(condition.arg):
                continue
            rest = tuple(c for c in term.conditions if c is not condition)
            half = context.freshened(replace(term, conditions=(*rest, condition.arg)))
            # Compared in their final form, in which equal conditions are written alike.
            wanted = frozenset(conjuncts(_term_exists(context, half)))
            others = terms[:place] + terms[place + 1 :]
            for other in others:
                given = conjuncts(_term_exists(context, context.freshened(other)))
                if frozenset(given) == wanted:
                    whole = replace(term, conditions=rest)
                    return _merged_halves(context, [t for t in others if t is not other] + [whole])
    return terms


def _term_exists(context: Context, term: algebra_terms.Term) -> ex.Expr:
    """The condition that a term has a row.

    Conditions on the rows around it are taken out, null as false, and atoms that nothing connects
    exist independently: (exists x, y: p(x) and q(y)) is (exists x: p(x)) and (exists y: q(y)).
    """
    simple = simplify(context, term, in_exists=True)
    if simple is None:
        return algebra_terms.FALSE
    branches = _branches(context, simple)
    if branches:
        return disjunction_of([_term_exists(context, t) for t in branches])
    simple = by_outer_values(context, simple)
    bound = {a.var for a in simple.atoms}
    outside = [c for c in simple.conditions if bound.isdisjoint(context.variables(c))]
    inside = [c for c in simple.conditions if c not in outside]
    needed = [*map(two_valued, outside)]
    for atoms, conditions in components(context, simple.atoms, inside):
        # A type has values, so atoms that range over all of one always have a row.
        if conditions or not all(isinstance(a.relation, algebra_terms.Domain) for a in atoms):
            needed.append(context.symbol(SomeRow(algebra_terms.Term(atoms, conditions, ()))))
    if algebra_terms.FALSE in needed:
        return algebra_terms.FALSE
    needed = [c for c in dict.fromkeys(needed) if c != algebra_terms.TRUE]
    if not needed:
        return algebra_terms.TRUE
    return needed[0] if len(needed) == 1 else ex.And(tuple(needed))


def _branches(context: Context, term: algebra_terms.Term) -> list[algebra_terms.Term]:
    """The cases of an OR that says which rows there are of a value that ranges over all."""
    domains = {a.var for a in term.atoms if isinstance(a.relation, algebra_terms.Domain)}
    for condition in term.conditions:
        if not isinstance(condition, ex.Or) or len(condition.args) > MOST_BRANCHES:
            continue
        if domains.isdisjoint(context.variables(condition)):
            continue
        if not any(_speaks_of_rows(context, a) for a in condition.args):
            continue
        rest = tuple(c for c in term.conditions if c is not condition)
        return [context.freshened(replace(term, conditions=(*rest, a))) for a in condition.args]
    return []


def _speaks_of_rows(context: Context, condition: ex.Expr) -> bool:
    return any(context.some_row(c) is not None for c in conjuncts(condition))
