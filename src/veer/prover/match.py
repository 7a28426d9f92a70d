"""Deciding whether two bags are equal: terms are paired, and one question settles each pair.

Besides the conditions of the terms the solver is given facts about their symbols (`facts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product
from typing import TypeAlias

from veer.model.conditions import conjunction
from veer.model.expr import Case, Expr, Literal, RowColumn, Symbol
from veer.model.types import LONG, DataType, has_floats
from veer.prover.definitions import Folded, Totaled
from veer.prover.facts import DEEPEST, Facts, Scope
from veer.prover.symbols import Symbols
from veer.prover.terms import (
    COPIES,
    TRUE,
    Atom,
    Bag,
    Domain,
    Opaque,
    Relation,
    Term,
)
from veer.prover.totals import Coefficients, added, multiplied
from veer.smt import All, Formula, Holds, No, Same, SameCount, implies, same

MOST_ALIGNMENTS = 120  # looked at
OTHER_ALIGNMENTS = 24  # where rows shown at the same places are not the same rows
TRIED_ALIGNMENTS = 6  # asked about
Mates: TypeAlias = tuple[list[Atom], list[Atom]]  # atoms of P, and as many alike of Q


@dataclass
class Matcher:
    """Compares bags over one table of symbols; `may_count` allows questions about several terms.

    Without it each term of P needs a term of Q of its own, as in SPES.
    """

    symbols: Symbols
    may_count: bool = True
    _bags: dict[tuple[Bag, Bag, Scope, bool], bool] = field(default_factory=dict)
    _folds: dict[tuple[Symbol, Symbol, Scope], bool] = field(default_factory=dict)

    # -- bags ----------------------------------------------------------------------------------

    def same_bags(self, p: Bag, q: Bag, scope: Scope) -> bool:
        """Whether two bags have the same rows equally often, whatever the scope's rows are."""
        return self._remembered(p, q, scope, True)

    def same_sets(self, p: Bag, q: Bag, scope: Scope) -> bool:
        """Whether two bags have the same rows, however often."""
        return self._remembered(p, q, scope, False)

    def _remembered(self, p: Bag, q: Bag, scope: Scope, counted: bool) -> bool:
        if p == q:
            return True
        key = (p, q, scope, counted)
        found = self._bags.get(key)
        if found is None:
            found = self._same_bags(p, q, scope) if counted else self._same_sets(p, q, scope)
            self._bags[key] = found
        return found

    def _same_bags(self, p: Bag, q: Bag, scope: Scope) -> bool:
        ours, theirs = list(p), list(q)
        self._pair_up(ours, theirs, scope)
        if not ours and not theirs:
            return True
        ours = [t for t in ours if not self._is_empty(t, scope)]
        theirs = [t for t in theirs if not self._is_empty(t, scope)]
        if not ours and not theirs:
            return True
        if not self.may_count:
            return False
        only = _relations(ours) ^ _relations(theirs)
        if only:
            ours, theirs = (
                [self.symbols.by_keys(t, only) for t in terms] for terms in (ours, theirs)
            )
            self._pair_up(ours, theirs, scope)
            if not ours and not theirs:
                return True
        if self._same_counts(list(ours), list(theirs), scope):
            return True
        return self._same_multiplicities(ours, theirs, scope)

    def _same_multiplicities(self, ours: list[Term], theirs: list[Term], scope: Scope) -> bool:
        """A row of any values comes equally often on both sides.

        Asked where rows are described by their values, not by the tables they come from.
        """
        described = [a for t in (*ours, *theirs) for a in t.atoms if _has_no_table(a)]
        types = [o.type for o in (ours or theirs)[0].outputs]
        single = [t for t in (*ours, *theirs) if not t.atoms]
        if not (described or single) or any(map(has_floats, types)):
            return False
        row = self._row(types)
        counts = []
        for terms in (ours, theirs):
            found = []
            for t in map(self.symbols.freshened, terms):
                fits = tuple(map(same, row, t.outputs))
                one = Term(t.atoms, (*t.conditions, *fits), (Literal(1, LONG),))
                found.append(self.symbols.total(one, LONG))
            counts.append(added(found, LONG))
        return self._proves(Same(*counts), (), [(counts[0],), (counts[1],)], scope)

    def _pair_up(self, ours: list[Term], theirs: list[Term], scope: Scope) -> None:
        """Remove terms that are equal one to one."""
        for one in list(ours):
            for two in theirs:
                if self._same_terms(one, two, scope):
                    ours.remove(one)
                    theirs.remove(two)
                    break

    def _same_totals(self, p: Term, q: Term, scope: Scope) -> bool:
        """Whether two terms add up to the same, as their rows are or by their keys."""
        if self._same_terms(p, q, scope):
            return True
        only = _relations([p]) ^ _relations([q])
        if not self.may_count or not only:
            return False
        ours, theirs = (self.symbols.by_keys(t, only) for t in (p, q))
        return (ours, theirs) != (p, q) and self._same_terms(ours, theirs, scope)

    def _same_terms(self, p: Term, q: Term, scope: Scope) -> bool:
        for candidate, extra in islice(self._aligned(p, q, scope), TRIED_ALIGNMENTS):
            if set(p.conditions) == set(candidate.conditions):
                if p.outputs == candidate.outputs and not extra:
                    return True
            goal = self._term_goal(p, candidate, extra)
            exprs = [
                (conjunction(p.conditions), *p.outputs),
                (conjunction(candidate.conditions), *candidate.outputs),
            ]
            # While arguments are still to be proven the same, a row of P is no row of Q.
            rows = [a for a in p.atoms if not (extra and isinstance(a.relation, Opaque))]
            if self._proves(goal, rows, exprs, scope, p.conditions):
                return True
        return False

    def _term_goal(self, p: Term, q: Term, extra: Sequence[Formula]) -> Formula:
        """The terms keep the same rows, and give the same outputs on them."""
        ours = All(tuple(Holds(c) for c in p.conditions))
        theirs = All(tuple(Holds(c) for c in q.conditions))
        outputs = tuple(Same(a, b) for a, b in zip(p.outputs, q.outputs, strict=True))
        return All(
            (
                implies(ours, theirs),
                implies(theirs, ours),
                implies(ours, All((*outputs, *extra))),
            )
        )

    def always(self, goal: Same, term: Term) -> bool:
        """Whether something holds of every row of a term."""
        given = All(tuple(Holds(c) for c in term.conditions))
        return self._proves(
            implies(given, goal),
            term.atoms,
            [(*term.conditions, goal.left, goal.right), ()],
            Scope(),
        )

    def _is_empty(self, term: Term, scope: Scope) -> bool:
        never = No(All(tuple(Holds(c) for c in term.conditions)))
        return self._proves(never, term.atoms, [term.conditions, ()], scope)

    def _same_counts(self, ours: list[Term], theirs: list[Term], scope: Scope) -> bool:
        """Terms over the same relations give every row equally often in sum.

        One question per list of relations: for all rows of these and every output tuple, as many
        terms of P as of Q give it. Decides OR against UNION ALL, and p / not p / null partitions.
        """
        while ours or theirs:
            base = (ours or theirs)[0]
            left: list[Term] = []
            right: list[Term] = []
            for terms, kept in ((ours, left), (theirs, right)):
                for term in list(terms):
                    found = next(self._aligned(base, term, scope), None)
                    if found is not None and not found[1]:
                        kept.append(found[0])
                        terms.remove(term)
            if not self._equal_sums(base, left, right, scope):
                return False
        return True

    def _equal_sums(self, base: Term, left: list[Term], right: list[Term], scope: Scope) -> bool:
        if not left and not right:
            return False  # the base could not even be aligned with itself
        row = self._row([o.type for o in base.outputs])

        def gives(term: Term) -> Formula:
            values = (Same(r, o) for r, o in zip(row, term.outputs, strict=True))
            return All((*(Holds(c) for c in term.conditions), *values))

        goal = SameCount(tuple(map(gives, left)), tuple(map(gives, right)))
        exprs = [
            tuple(e for t in side for e in (*t.conditions, *t.outputs)) for side in (left, right)
        ]
        return self._proves(goal, base.atoms, exprs, scope)

    def _same_sets(self, p: Bag, q: Bag, scope: Scope) -> bool:
        """A row is in P exactly if it is in Q: containment both ways in one question."""
        first = next(iter((*p, *q)))
        row = self._row([o.type for o in first.outputs])

        def contains(bag: Bag) -> Expr:
            terms = []
            for term in map(self.symbols.freshened, bag):
                fits = tuple(same(r, o) for r, o in zip(row, term.outputs, strict=True))
                terms.append(Term(term.atoms, (*term.conditions, *fits), ()))
            return self.symbols.exists(tuple(terms))

        ours, theirs = contains(p), contains(q)
        goal = All((implies(Holds(ours), Holds(theirs)), implies(Holds(theirs), Holds(ours))))
        return self._proves(goal, (), [(ours,), (theirs,)], scope)

    def _row(self, types: Sequence[DataType]) -> list[RowColumn]:
        """A row of unknown values."""
        return [Atom(self.symbols.fresh(), Domain(t)).columns[0] for t in types]

    # -- alignment -----------------------------------------------------------------------------

    def _aligned(
        self, p: Term, q: Term, scope: Scope
    ) -> Iterator[tuple[Term, tuple[Formula, ...]]]:
        """The term `q` over the variables of `p`, in every way, the likeliest first.

        With each comes what must still hold: arguments of opaque relations are the same.
        """
        if len(p.atoms) != len(q.atoms) or len(p.outputs) != len(q.outputs):
            return
        groups: list[Mates] = []
        left = list(q.atoms)
        for atom in p.atoms:
            known = next((g for g in groups if self._alike(g[0][0], atom, scope)), None)
            if known is not None:
                known[0].append(atom)
                continue
            mates = [b for b in left if self._alike(atom, b, scope)]
            left = [b for b in left if b not in mates]
            groups.append(([atom], mates))
        if left or any(len(a) != len(b) for a, b in groups):
            return
        shown = [_by_shown(p, q, *group) for group in groups]
        if all(shown) and shown != [[group] for group in groups]:
            likely = [part for parts_ in shown for part in parts_]
            yield from self._renamings(p, q, likely, MOST_ALIGNMENTS)
            yield from self._renamings(p, q, groups, OTHER_ALIGNMENTS)
        else:
            yield from self._renamings(p, q, groups, MOST_ALIGNMENTS)

    def _renamings(
        self, p: Term, q: Term, groups: Sequence[Mates], most: int
    ) -> list[tuple[Term, tuple[Formula, ...]]]:
        """The term `q` over the variables of `p`, atoms paired within their groups."""
        found = []
        # `product` holds all of each: twelve tables alike have 479 million orders.
        ways = product(*(islice(permutations(b), most) for _, b in groups))
        for way in islice(ways, most):
            pairs = [
                (a, b)
                for (ours, _), mates in zip(groups, way, strict=True)
                for a, b in zip(ours, mates, strict=True)
            ]
            if not self._moves_inputs(pairs):
                found.append(self._renamed(q, pairs))
        wanted = set(p.conditions)
        found.sort(
            key=lambda item: (
                -2 * sum(c in wanted for c in item[0].conditions)
                - sum(a == b for a, b in zip(item[0].outputs, p.outputs, strict=True))
            )
        )
        return found

    def _moves_inputs(self, pairs: Sequence[tuple[Atom, Atom]]) -> bool:
        """Whether renaming would change what the bags of an opaque relation read."""
        moved = {c for a, b in pairs if a.var != b.var for c in b.columns}
        return any(
            not moved.isdisjoint(self.symbols.bag_free(bag))
            for _, b in pairs
            if isinstance(b.relation, Opaque)
            for bag in b.relation.bags
        )

    def _renamed(
        self, q: Term, pairs: Sequence[tuple[Atom, Atom]]
    ) -> tuple[Term, tuple[Formula, ...]]:
        table: dict[RowColumn, Expr] = {}
        for ours, theirs in pairs:
            table.update(zip(theirs.columns, ours.columns, strict=True))
        renamed = self.symbols.substitute_term(Term((), q.conditions, q.outputs), table)
        extra = []
        for ours, theirs in pairs:
            if isinstance(ours.relation, Opaque) and isinstance(theirs.relation, Opaque):
                args = (self.symbols.substitute(a, table) for a in theirs.relation.args)
                extra += [
                    Same(a, b) for a, b in zip(ours.relation.args, args, strict=True) if a != b
                ]
        return replace(renamed, atoms=tuple(a for a, _ in pairs)), tuple(extra)

    def _alike(self, a: Atom, b: Atom, scope: Scope) -> bool:
        return self._same_relations(a.relation, b.relation, scope)

    def _same_relations(self, a: Relation, b: Relation, scope: Scope) -> bool:
        """Whether two relations have the same rows (opaque ones: for the same arguments)."""
        if a == b:
            return True
        if not isinstance(a, Opaque) or not isinstance(b, Opaque):
            return False
        if (a.identity, a.types) != (b.identity, b.types) or len(a.bags) != len(b.bags):
            return False
        if a.nullable != b.nullable or len(a.args) != len(b.args) or scope.depth >= DEEPEST:
            return False
        # Bags that read rows around them would need those rows aligned first.
        if any(self.symbols.bag_free(bag) for bag in (*a.bags, *b.bags)) and a.bags != b.bags:
            return False
        deeper = replace(scope, depth=scope.depth + 1)
        return all(self.same_bags(x, y, deeper) for x, y in zip(a.bags, b.bags, strict=True))

    def same_folds(self, one: Symbol, two: Symbol, scope: Scope) -> bool:
        """Whether two folds have the same value, whatever the scope's rows are."""
        found = self._folds.get((one, two, scope))
        if found is None:
            found = self._same_folds(one, two, scope)
            self._folds[one, two, scope] = found
        return found

    def _same_folds(self, one: Symbol, two: Symbol, scope: Scope) -> bool:
        a, b = self.symbols.definitions[one], self.symbols.definitions[two]
        if isinstance(a, Totaled) and isinstance(b, Totaled):
            ours, theirs = self.symbols.freshened(a.term), self.symbols.freshened(b.term)
            return self._same_totals(ours, theirs, scope)
        if not isinstance(a, Folded) or not isinstance(b, Folded):
            return False
        if (a.function, a.distinct, a.type) != (b.function, b.distinct, b.type):
            return False
        if not a.bag or not b.bag:
            return False
        if len(a.bag[0].outputs) != len(b.bag[0].outputs):
            return False
        # Bound variables of definitions have canonical names, which the scope may use too.
        one_bag = tuple(map(self.symbols.freshened, a.bag))
        other_bag = tuple(map(self.symbols.freshened, b.bag))
        if a.ignores_duplicates:
            return self.same_sets(one_bag, other_bag, scope)
        return self.same_bags(one_bag, other_bag, scope)

    def added_up(self, wanted: Coefficients, scope: Scope) -> Iterator[Coefficients]:
        """Which of these multiples of totals cancel out, row by row.

        Totals over the same relations are added up together: what each row adds to one of them
        it takes from another. Those that nothing else ranges over must be zero by themselves.
        """
        left = {n: self.symbols.freshened(self.symbols.totaled(n).term) for n in wanted}
        while left:
            base = next(iter(left.values()))
            together: dict[Symbol, Term] = {}
            for name, term in list(left.items()):
                found = next(self._aligned(base, term, scope), None)
                if found is not None and not found[1]:
                    together[name] = found[0]
                    del left[name]
            if not together:
                return
            given = {name: wanted[name] for name in together}
            if self._cancels(given, together, scope):
                yield given

    def _cancels(self, times: Coefficients, terms: dict[Symbol, Term], scope: Scope) -> bool:
        sides: tuple[list[Expr], list[Expr]] = ([], [])
        type_ = next(iter(terms.values())).outputs[0].type
        for name, term in terms.items():
            amount = multiplied([Literal(abs(times[name]), type_), *term.outputs], type_)
            when = conjunction(term.conditions)
            given = amount if when == TRUE else Case(((when, amount),), Literal(0, type_))
            sides[times[name] < 0].append(given)
        ours, theirs = (added(side, type_) for side in sides)
        atoms = next(iter(terms.values())).atoms
        exprs = [tuple(e for t in terms.values() for e in (*t.conditions, *t.outputs)), ()]
        return self._proves(Same(ours, theirs), atoms, exprs, scope)

    # -- facts ---------------------------------------------------------------------------------

    def _proves(
        self,
        goal: Formula,
        atoms: Sequence[Atom],
        sides: Sequence[Sequence[Expr]],
        scope: Scope,
        context: Sequence[Expr] = (),
    ) -> bool:
        """Whether the goal holds for all rows, given the scope and the facts about symbols.

        Folds are compared on rows that meet the context: elsewhere they do not matter.
        """
        given = [Holds(c) for c in scope.conditions]
        facts = Facts(self, scope, tuple(context))
        exprs = [*scope.conditions, *(e for side in sides for e in side)]
        found = facts.about(exprs, sides, (*scope.atoms, *atoms))
        if self.symbols.solver.proves(goal, [*given, *found]):
            return True
        more = facts.about_late()
        return bool(more) and self.symbols.solver.proves(goal, [*given, *more])


def _by_shown(p: Term, q: Term, ours: list[Atom], mates: list[Atom]) -> list[Mates]:
    """Atoms grouped by the places at which their columns are shown; nothing if these differ."""

    def shown(term: Term, atom: Atom) -> tuple[tuple[int, int], ...]:
        places = {c: i for i, c in enumerate(atom.columns)}
        return tuple(
            (place, places[o])
            for place, o in enumerate(term.outputs)
            if isinstance(o, RowColumn) and o in places
        )

    found: dict[tuple[tuple[int, int], ...], Mates] = {}
    for term, atoms, side in ((p, ours, 0), (q, mates, 1)):
        for atom in atoms:
            found.setdefault(shown(term, atom), ([], []))[side].append(atom)
    return list(found.values()) if all(len(a) == len(b) for a, b in found.values()) else []


def _relations(terms: Sequence[Term]) -> set[Relation]:
    return {a.relation for t in terms for a in t.atoms}


def _has_no_table(atom: Atom) -> bool:
    relation = atom.relation
    return isinstance(relation, Domain) or (
        isinstance(relation, Opaque) and relation.identity == COPIES
    )
