"""Terms taken apart: by cases, by what connects their atoms, by what comes from around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from veer.ir import expr as ex
from veer.ir.conditions import conjuncts
from veer.prove.algebra import conditions as algebra_conditions
from veer.prove.algebra.context import Context
from veer.prove.algebra.simplify import simplify, simplify_conditions
from veer.prove.algebra.terms import FALSE, Atom, Domain, Term
from veer.prove.solver import same

MOST_BRANCHES = 6


def by_cases(context: Context, term: Term, *, constants: bool = False) -> list[Term]:
    """A term by the cases of an OR that fix a value which otherwise ranges over all.

        x is 'r' and p,  or  x is 's' and q   =>   x is 'r' and p;  x is 's' and q, not the first

    Each later case excludes the earlier ones, so no row is counted twice; null cases are excluded
    by none of them. With `constants` only an OR of equalities with constants is taken apart.
    """
    domains = {a.var for a in term.atoms if isinstance(a.relation, Domain)}
    for condition in term.conditions if domains else ():
        options = algebra_conditions.alternatives(condition)
        if len(options) > MOST_BRANCHES:
            continue
        if not any(_fixes_domain(context, a, domains) for a in options):
            continue
        if constants and not all(map(algebra_conditions.is_constant_case, options)):
            continue
        rest = tuple(c for c in term.conditions if c is not condition)
        earlier: tuple[ex.Expr, ...] = ()
        cases: list[Term] = []
        for option in options:
            part = context.freshened(replace(term, conditions=(*rest, option, *earlier)))
            simple = simplify(context, part)
            if simple is not None:
                cases += by_cases(context, simple, constants=constants)
            earlier = (*earlier, ex.Not(algebra_conditions.two_valued(option)))
        return cases
    return [term]


def _fixes_domain(context: Context, condition: ex.Expr, domains: set[int]) -> bool:
    """Whether a condition makes a value that ranges over all the same as another."""
    return any(
        one.variable in domains and one.variable not in context.variables(other)
        for c in conjuncts(condition)
        for one, other, _ in algebra_conditions.equalities(c)
        if isinstance(one, ex.RowColumn)
    )


def components(
    context: Context, atoms: Sequence[Atom], exprs: Sequence[ex.Expr]
) -> list[tuple[tuple[Atom, ...], tuple[ex.Expr, ...]]]:
    """Atoms in groups that no expression connects, each with the expressions about it.

    Rows of different groups combine freely, so a term is the product of its groups.
    """
    group = {a.var: a.var for a in atoms}

    def join(related: Iterable[int]) -> None:
        joined = {group[v] for v in related if v in group}
        for v in group:
            if group[v] in joined:
                group[v] = min(joined)

    for expr in exprs:
        join(context.variables(expr))
    for atom in atoms:
        join({atom.var, *(c.variable for c in context.relation_free(atom.relation))})
    groups = []
    for name in dict.fromkeys(group.values()):
        members = tuple(a for a in atoms if group[a.var] == name)
        own = {a.var for a in members}
        about = tuple(e for e in exprs if not own.isdisjoint(context.variables(e)))
        groups.append((members, about))
    return groups


def by_outer_values(context: Context, term: Term) -> Term:
    """Columns that equal a value from around the term are replaced by it everywhere else.

    Definitions that differ only in which of several equal values they name become the same. The
    equalities themselves stay, written against one value; a dropped `=` leaves behind that the
    value is not null.
    """
    bound = {a.var for a in term.atoms}
    conditions = list(term.conditions)
    outputs = list(term.outputs)
    for members in algebra_conditions.EqualityClasses.of(term.conditions).all():
        outer = [m for m in members if bound.isdisjoint(context.variables(m))]
        inner = [m for m in members if m not in outer]
        if not outer or not inner:
            continue
        # Every member has this value wherever the term has a row, floats included: see `equalities`.
        value = outer[0]
        dropped = [c for c in conditions if algebra_conditions.equates(c, members)]
        table = {m: value for m in inner if isinstance(m, ex.RowColumn)}
        conditions = [context.substitute(c, table) for c in conditions if c not in dropped]
        outputs = [context.substitute(o, table) for o in outputs]
        conditions += [same(m, value) for m in (*inner, *outer[1:])]
        if any(isinstance(c, ex.Compare) and c.op == "=" for c in dropped):
            conditions.append(ex.Not(ex.IsNull(value)))
    simple = simplify_conditions(context, conditions)
    return Term(term.atoms, (FALSE,) if simple is None else simple, tuple(outputs))
