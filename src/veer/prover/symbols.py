"""Whether rows exist, and what is added up or folded over them: the smart constructors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from veer.model.conditions import conjunction
from veer.model.expr import (
    And,
    Case,
    Compare,
    Expr,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    RowColumn,
    Symbol,
)
from veer.model.types import LONG, DataType, has_floats, is_orderable
from veer.prover.conditions import (
    Classes,
    alternatives,
    can_be_null,
    conjuncts,
    disjunction_of,
    equalities,
    equates,
    is_constant_case,
    row_keys,
    two_valued,
)
from veer.prover.definitions import Folded, SomeRow, Totaled, is_set_like, skips_nulls
from veer.prover.simplify import ROUNDS, Simplifying
from veer.prover.terms import (
    COPIES,
    FALSE,
    TRUE,
    Atom,
    Bag,
    Domain,
    Opaque,
    Relation,
    Table,
    Term,
)
from veer.prover.totals import (
    Summand,
    added,
    few_arms,
    is_summed_exactly,
    multiplied,
    shifted,
    shifted_back,
    summands,
)
from veer.smt import same
from veer.smt.formula import MULTIPLIED

MOST_BRANCHES = 6
MOST_BOUNDS = 3  # each of which doubles what is added up
OTHER_END = {"min": "max", "max": "min"}


@dataclass
class Symbols(Simplifying):
    """The definitions of one query pair; also hands out tuple variables."""

    # -- existence -----------------------------------------------------------------------------

    def exists(self, bag: Bag) -> Expr:
        """The condition that some term of a bag has a row."""
        terms = [replace(t, outputs=()) for t in bag]
        return disjunction_of([self._exists(t) for t in self._without_halves(terms)])

    def _without_halves(self, terms: list[Term]) -> list[Term]:
        """Terms that have a row where another has none, without that condition.

        exists x: p and q,  or  exists x: p and not q   =>   exists x: p
        """
        if len(terms) < 2:
            return terms
        for place, term in enumerate(terms):
            for condition in term.conditions:
                if not isinstance(condition, Not) or not self._speaks_of_rows(condition.arg):
                    continue
                if can_be_null(condition.arg):
                    continue  # neither half has such a row
                rest = tuple(c for c in term.conditions if c is not condition)
                half = self.freshened(replace(term, conditions=(*rest, condition.arg)))
                other_half = conjuncts(self._exists(half))
                others = terms[:place] + terms[place + 1 :]
                for other in others:
                    if conjuncts(self._exists(self.freshened(other))) == other_half:
                        whole = replace(term, conditions=rest)
                        return self._without_halves([t for t in others if t is not other] + [whole])
        return terms

    def _exists(self, term: Term) -> Expr:
        simple = self.simplify(term, in_exists=True)
        if simple is None:
            return FALSE
        branches = self._branches(simple)
        if branches:
            return disjunction_of([self._exists(t) for t in branches])
        simple = self._by_outer_values(simple)
        bound = {a.var for a in simple.atoms}
        outside = [c for c in simple.conditions if bound.isdisjoint(self.variables(c))]
        inside = [c for c in simple.conditions if c not in outside]
        found = [*map(two_valued, outside)]
        for atoms, conditions in self._components(simple.atoms, inside):
            if conditions or not all(isinstance(a.relation, Domain) for a in atoms):
                found.append(self.symbol(SomeRow(Term(atoms, conditions, ()))))
        if FALSE in found:
            return FALSE
        found = [c for c in dict.fromkeys(found) if c != TRUE]
        if not found:
            return TRUE
        return found[0] if len(found) == 1 else And(tuple(found))

    def _branches(self, term: Term) -> list[Term]:
        """The cases of an OR that says which rows there are of a value that ranges over all."""
        domains = {a.var for a in term.atoms if isinstance(a.relation, Domain)}
        for condition in term.conditions:
            if not isinstance(condition, Or) or len(condition.args) > MOST_BRANCHES:
                continue
            if domains.isdisjoint(self.variables(condition)):
                continue
            if not any(self._speaks_of_rows(a) for a in condition.args):
                continue
            rest = tuple(c for c in term.conditions if c is not condition)
            return [self.freshened(replace(term, conditions=(*rest, a))) for a in condition.args]
        return []

    def by_cases(self, term: Term, *, constants: bool = False) -> list[Term]:
        """A term by the cases of an OR that fix a value which otherwise ranges over all.

        x is 'r' and p,  or  x is 's' and q   =>   x is 'r' and p;  x is 's' and q, not the first
        """
        domains = {a.var for a in term.atoms if isinstance(a.relation, Domain)}
        for condition in term.conditions if domains else ():
            options = alternatives(condition)
            if len(options) > MOST_BRANCHES or not any(self._fixes(a, domains) for a in options):
                continue
            if constants and not all(map(is_constant_case, options)):
                continue
            rest = tuple(c for c in term.conditions if c is not condition)
            before: tuple[Expr, ...] = ()
            found: list[Term] = []
            for case in options:
                part = self.freshened(replace(term, conditions=(*rest, case, *before)))
                made = self.simplify(part)
                if made is not None:
                    found += self.by_cases(made, constants=constants)
                before = (*before, Not(two_valued(case)))
            return found
        return [term]

    def _fixes(self, condition: Expr, domains: set[int]) -> bool:
        """Whether a condition makes a value that ranges over all the same as another."""
        return any(
            one.variable in domains and one.variable not in self.variables(other)
            for c in conjuncts(condition)
            for one, other, _ in equalities(c)
            if isinstance(one, RowColumn)
        )

    def _speaks_of_rows(self, condition: Expr) -> bool:
        return any(self.some_row(c) is not None for c in conjuncts(condition))

    def _components(
        self, atoms: Sequence[Atom], conditions: Sequence[Expr]
    ) -> list[tuple[tuple[Atom, ...], tuple[Expr, ...]]]:
        """Atoms in groups that no condition connects."""
        group = {a.var: a.var for a in atoms}

        def join(related: Iterable[int]) -> None:
            names = {group[v] for v in related if v in group}
            for v in group:
                if group[v] in names:
                    group[v] = min(names)

        for condition in conditions:
            join(self.variables(condition))
        for atom in atoms:
            join({atom.var, *(c.variable for c in self.relation_free(atom.relation))})
        found = []
        for name in dict.fromkeys(group.values()):
            members = tuple(a for a in atoms if group[a.var] == name)
            own = {a.var for a in members}
            kept = tuple(c for c in conditions if not own.isdisjoint(self.variables(c)))
            found.append((members, kept))
        return found

    def _by_outer_values(self, term: Term) -> Term:
        """Columns that equal a value from around the term are replaced by it everywhere else."""
        bound = {a.var for a in term.atoms}
        conditions = list(term.conditions)
        outputs = list(term.outputs)
        for members in Classes.of(term.conditions).all():
            outer = [m for m in members if bound.isdisjoint(self.variables(m))]
            inner = [m for m in members if m not in outer]
            if not outer or not inner:
                continue
            value = outer[0]
            equalities = [c for c in conditions if equates(c, members)]
            table = {m: value for m in inner if isinstance(m, RowColumn)}
            conditions = [self.substitute(c, table) for c in conditions if c not in equalities]
            outputs = [self.substitute(o, table) for o in outputs]
            conditions += [same(m, value) for m in (*inner, *outer[1:])]
            if any(isinstance(c, Compare) and c.op == "=" for c in equalities):
                conditions.append(Not(IsNull(value)))
        made = self.flat(conditions)
        return Term(term.atoms, (FALSE,) if made is None else made, tuple(outputs))

    # -- folds -------------------------------------------------------------------------------

    def fold(self, function: str, type_: DataType, distinct: bool, bag: Bag) -> Expr:
        """The value of an aggregate function over a bag of argument rows."""
        exact = not any(has_floats(o.type) for t in bag for o in t.outputs)
        if function == "count" and distinct and exact:
            return self._counted(self._distinct(bag), type_)
        if function == "sum" and is_summed_exactly(type_):
            bag = tuple(
                row for t in (self._distinct(bag) if distinct else bag) for row in present(t)
            )
            value = added([self.total(t, type_) for t in bag], type_)
            return Case(((self.exists(bag), value),), Literal(None, type_))
        if function in ("min", "max") and bag:
            bag = tuple(row for t in bag for row in self._members(function, t))
            factor, offset, rest = _unshifted(bag)
            if rest is not bag:
                end = function if factor > 0 else OTHER_END[function]
                value = self._folded(end, rest[0].outputs[0].type, False, rest)
                return shifted_back(value, factor, offset, type_)
        return self._folded(function, type_, distinct and not is_set_like(function), bag)

    def sum_or_zero(self, type_: DataType, bag: Bag) -> Expr:
        """A sum that is zero over no rows."""
        return added([self.total(row, type_) for t in bag for row in present(t)], type_)

    def _counted(self, bag: Bag, type_: DataType) -> Expr:
        one = (Literal(1, type_),)
        return added([self.total(replace(t, outputs=one), type_) for t in bag], type_)

    def distinct_rows(self, bag: Bag, type_: DataType) -> Expr:
        """How many different rows a bag has, nulls included."""
        return self._counted(self._distinct(bag, with_nulls=True), type_)

    def _distinct(self, bag: Bag, *, with_nulls: bool = False) -> Bag:
        """The rows of a bag, each once, usually those without nulls."""
        if not bag:
            return ()
        row = [Atom(self.fresh(), Domain(o.type)) for o in bag[0].outputs]
        values = [a.columns[0] for a in row]
        members = tuple(
            replace(t, conditions=(*t.conditions, *map(same, values, t.outputs)))
            for t in map(self.freshened, bag)
        )
        known = () if with_nulls else tuple(Not(IsNull(v)) for v in values)
        return (Term(tuple(row), (self.exists(members), *known), tuple(values)),)

    def _folded(self, function: str, type_: DataType, distinct: bool, bag: Bag) -> Expr:
        simple: list[Term] = []
        for term in bag:
            if skips_nulls(function):
                known = tuple(Not(IsNull(o)) for o in term.outputs)
                term = replace(term, conditions=term.conditions + known)
            made = self.simplify(term)
            if made is not None:
                simple.append(made)
        nothing = Literal(0 if function == "count" else None, type_)
        if not simple and (skips_nulls(function) or function == "scalar"):
            return nothing
        definition = Folded(function, type_, distinct, tuple(simple))
        constant = self._constant_fold(definition)
        if constant is not None:
            return Case(((self.exists(definition.bag), constant),), nothing)
        return self.symbol(definition)

    def _members(self, function: str, term: Term) -> Iterator[Term]:
        """The rows of a term, or those below if what it gives is such an extreme of rows itself.

        min over x of (min over y of f(x, y))   =>   min over x, y of f(x, y)
        """
        (output,) = term.outputs
        inner = self.definitions.get(output) if isinstance(output, Symbol) else None
        if not isinstance(inner, Folded) or inner.function != function:
            yield term
            return
        for row in map(self.freshened, inner.bag):
            atoms, conditions = term.atoms + row.atoms, term.conditions + row.conditions
            yield from self._members(function, Term(atoms, conditions, row.outputs))

    def _constant_fold(self, fold: Folded) -> Expr | None:
        """The minimum or maximum of rows that are all the same."""
        if fold.function not in ("min", "max"):
            return None
        values = {t.outputs[0] for t in fold.bag}
        if len(values) != 1:
            return None
        (output,) = values
        bound = {a.var for t in fold.bag for a in t.atoms}
        return output if bound.isdisjoint(self.variables(output)) else None

    # -- totals ------------------------------------------------------------------------------

    def total(self, term: Term, type_: DataType) -> Expr:
        """The only output of a term, never null where its conditions hold, added up.

        Taken apart into products; what does not depend on the rows is taken out, totals inside
        are joined, and rows that nothing connects are added up on their own.

        sum over x, y of f(x) * g(y)   =>   sum over x of f(x)  *  sum over y of g(y)
        """
        (output,) = term.outputs
        parts = [
            self._product_total(
                Term(term.atoms, (*term.conditions, *s.conditions), s.factors), type_
            )
            for s in summands(output)
        ]
        return added(parts, type_)

    def _product_total(self, term: Term, type_: DataType) -> Expr:
        """The total of a term whose outputs are the factors of what is added."""
        if self.is_one_row(term):
            return self._one_row(term, multiplied(list(term.outputs), type_), type_)
        simple = self.simplify(term)
        if simple is None:
            return Literal(0, type_)
        opened = self._opened(simple)
        if opened is not None:
            return self.total(opened, type_)
        cases = self.by_cases(simple, constants=True)
        if len(cases) != 1:
            return added([self._product_total(t, type_) for t in cases], type_)
        parts = self._less_or_equal(simple)
        if parts is not None:
            return added([self._product_total(t, type_) for t in parts], type_)
        term = self._by_outer_values(simple)
        bound = {a.var for a in term.atoms}
        outside = [c for c in term.conditions if bound.isdisjoint(self.variables(c))]
        factors = [f for f in term.outputs if bound.isdisjoint(self.variables(f))]
        connected = [e for e in (*term.conditions, *term.outputs) if e not in outside + factors]
        for atoms, exprs in self._components(term.atoms, connected):
            inside = tuple(e for e in exprs if e in term.conditions)
            own = [e for e in exprs if e in term.outputs]
            factors.append(self._total_symbol(Term(atoms, inside, ()), own, type_))
        value = multiplied(factors, type_)
        if not outside:
            return value
        return Case(((conjunction(tuple(outside)), value),), Literal(0, type_))

    def _less_or_equal(self, term: Term) -> tuple[Term, Term] | None:
        """A term whose rows are bounded from around it: those within, and those at the bound.

        x <= y   =>   x < y,   x = y
        """
        bound = {a.var for a in term.atoms}
        bounds = [c for c in term.conditions if isinstance(c, Compare) and c.op in ("<=", ">=")]
        for condition in bounds if len(bounds) <= MOST_BOUNDS else ():
            match condition:
                case Compare("<=" | ">=" as op, left, right) if not has_floats(left.type):
                    sides = [self.variables(left), self.variables(right)]
                    inside = [not bound.isdisjoint(side) for side in sides]
                    if sorted(inside) != [False, True] or not sides[inside.index(False)]:
                        continue
                    rest = tuple(c for c in term.conditions if c is not condition)
                    within, at = (Compare(o, left, right) for o in (op[0], "="))
                    return (
                        replace(term, conditions=(*rest, within)),
                        self.freshened(replace(term, conditions=(*rest, at))),
                    )
        return None

    def is_one_row(self, term: Term) -> bool:
        """Whether keys leave one combination of rows at most."""
        if not term.atoms or not all(isinstance(a.relation, Table) for a in term.atoms):
            return False
        return len(self.determined(term)) == len(term.atoms)

    def _one_row(self, term: Term, value: Expr, type_: DataType) -> Expr:
        """What at most one row adds: its value, which is the greatest there is."""
        if {a.var for a in term.atoms}.isdisjoint(self.variables(value)):
            some = self.exists((replace(term, outputs=()),))
            return Case(((some, value),), Literal(0, type_))
        greatest = self._folded("max", type_, False, (replace(term, outputs=(value,)),))
        return Case(((Not(IsNull(greatest)), greatest),), Literal(0, type_))

    def _total_symbol(self, rows: Term, factors: list[Expr], type_: DataType) -> Expr:
        if self.is_one_row(rows):
            return self._one_row(rows, multiplied(factors, type_), type_)
        term = replace(rows, outputs=(multiplied(factors, type_),))
        return self.symbol(Totaled(term))

    def _opened(self, term: Term) -> Term | None:
        """A term with one factor taken apart, if one can be: a sum, a total, a number of copies."""
        bound = {a.var for a in term.atoms}
        for atom in term.atoms:
            if isinstance(atom.relation, Opaque) and atom.relation.identity == COPIES:
                rest = tuple(a for a in term.atoms if a is not atom)
                factors = (*term.outputs, *atom.relation.args)
                return Term(rest, term.conditions, (OpaqueCall(MULTIPLIED, factors, LONG),))
        for place, factor in enumerate(term.outputs):
            others = [*term.outputs[:place], *term.outputs[place + 1 :]]
            if bound.isdisjoint(self.variables(factor)):
                continue
            if isinstance(factor, Symbol):
                definition = self.definitions[factor]
                if isinstance(definition, Totaled):
                    inner = self.freshened(definition.term)
                    return Term(
                        term.atoms + inner.atoms,
                        term.conditions + inner.conditions,
                        (multiplied([*others, *inner.outputs], factor.type),),
                    )
            if summands(factor) != [Summand((), (factor,))]:
                product = OpaqueCall(MULTIPLIED, (*others, factor), factor.type)
                return replace(term, outputs=(product,))
        return None

    # -- rows by their keys ------------------------------------------------------------------

    def by_keys(self, term: Term, tables: Collection[Relation]) -> Term:
        """Rows of some tables with a key as values of the key and what it leads to.

        dept d: d.name   =>   every k: some dept has the key k, and the name of the dept with key k
        """
        for atom in term.atoms:
            made = self._by_key(term, atom) if atom.relation in tables else None
            if made is not None:
                return self.by_keys(self._without_domains(made), tables)
        return term

    def _by_key(self, term: Term, atom: Atom) -> Term | None:
        every = row_keys(atom, term.conditions, Classes.of(term.conditions))
        keys = [k for k in every if not any(has_floats(c.type) for c in k)]
        read = frozenset().union(*(self.free(e) for e in (*term.conditions, *term.outputs)))
        # What is read stays: a key of which nothing is read would only be added.
        keys.sort(key=lambda k: any(c not in read for c in k))
        key = keys[0] if keys else None
        others = tuple(a for a in term.atoms if a is not atom)
        if key is None or any(self._depends_on(a.relation, atom.var) for a in others):
            return None
        domains = [Atom(self.fresh(), Domain(c.type)) for c in key]
        row = Atom(self.fresh(), atom.relation)
        place = {c: i for i, c in enumerate(atom.columns)}
        values = [d.columns[0] for d in domains]
        fits = tuple(same(row.columns[place[c]], v) for c, v in zip(key, values, strict=True))
        table: dict[RowColumn, Expr] = dict(zip(key, values, strict=True))
        for column in atom.columns:
            if column in read and column not in table:
                if not is_orderable(column.type):
                    return None
                own = Term((row,), fits, (row.columns[place[column]],))
                table[column] = self._folded("max", column.type, False, (own,))
        self.note_key(atom, key)
        found = self.symbol(SomeRow(Term((row,), fits, ())))
        moved = self.substitute_term(Term(others, term.conditions, term.outputs), table)
        return Term((*moved.atoms, *domains), (*moved.conditions, found), moved.outputs)

    def _without_domains(self, term: Term) -> Term:
        for _ in range(ROUNDS):
            conditions = self.flat(term.conditions)
            if conditions is None:
                return replace(term, conditions=(FALSE,))
            term = replace(term, conditions=conditions)
            changed = self.eliminate_domain(term)
            if changed is None:
                return term
            term = changed
        return term


def present(term: Term) -> Iterator[Term]:
    """The rows of a term whose only output is not null; a CASE by its arms."""
    (output,) = term.outputs
    if not can_be_null(output):
        yield term
        return
    for conditions, arm in few_arms(output):
        known = (Not(IsNull(arm)),)
        yield Term(term.atoms, (*term.conditions, *conditions, *known), (arm,))


def _unshifted(bag: Bag) -> tuple[int, int, Bag]:
    """Outputs without a constant factor and offset they have in common."""
    found = [shifted(t.outputs[0]) for t in bag]
    factor, first, offset = found[0]
    if any((f, e.type, o) != (factor, first.type, offset) for f, e, o in found):
        return 1, 0, bag
    if first == bag[0].outputs[0]:
        return 1, 0, bag
    made = zip(bag, found, strict=True)
    return factor, offset, tuple(replace(t, outputs=(rest,)) for t, (_, rest, _) in made)
