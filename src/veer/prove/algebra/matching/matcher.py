"""Deciding whether two bags are equal: terms are paired, and one question settles each pair.

Besides the conditions of the terms the solver is given facts about their symbols (`solver_facts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.prove import solver
from veer.prove.algebra import terms as algebra_terms
from veer.prove.algebra.by_keys import by_keys
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import Folded, Totaled
from veer.prove.algebra.matching.alignment import Alignment, alignments
from veer.prove.algebra.matching.solver_facts import SolverFacts
from veer.prove.algebra.matching.surroundings import NOTHING_AROUND, Surroundings
from veer.prove.algebra.sums import Coefficients, added, multiplied, type_of_sum

TRIED_ALIGNMENTS = 6  # asked about


@dataclass
class Matcher:
    """Compares bags in the context of a proof; `may_count` allows questions about several terms.

    Without it each term of P needs a term of Q of its own, as in SPES.
    """

    context: Context
    may_count: bool = True
    _bags: dict[tuple[algebra_terms.Bag, algebra_terms.Bag, Surroundings, bool], bool] = field(
        default_factory=dict
    )
    _folds: dict[tuple[ex.Symbol, ex.Symbol, Surroundings], bool] = field(default_factory=dict)

    # -- bags ----------------------------------------------------------------------------------

    def same_bags(self, p: algebra_terms.Bag, q: algebra_terms.Bag, around: Surroundings) -> bool:
        """Whether two bags have the same rows equally often, whatever the rows around them are."""
        return self._remembered(p, q, around, True)

    def same_sets(self, p: algebra_terms.Bag, q: algebra_terms.Bag, around: Surroundings) -> bool:
        """Whether two bags have the same rows, however often."""
        return self._remembered(p, q, around, False)

    def _remembered(
        self, p: algebra_terms.Bag, q: algebra_terms.Bag, around: Surroundings, counted: bool
    ) -> bool:
        if p == q:
            return True
        key = (p, q, around, counted)
        answer = self._bags.get(key)
        if answer is None:
            answer = self._same_bags(p, q, around) if counted else self._same_sets(p, q, around)
            self._bags[key] = answer
        return answer

    def _same_bags(self, p: algebra_terms.Bag, q: algebra_terms.Bag, around: Surroundings) -> bool:
        """A bag is the sum of its terms, so equal terms may be taken off both sides.

        What is left over is compared without its empty terms, then by keys where the tables
        differ, then in sum: each way proves the same claim, so their order is only a matter of work.
        """
        ours, theirs = list(p), list(q)
        self._pair_up(ours, theirs, around)
        if not ours and not theirs:
            return True
        ours = [t for t in ours if not self._is_empty(t, around)]
        theirs = [t for t in theirs if not self._is_empty(t, around)]
        if not ours and not theirs:
            return True
        if not self.may_count:
            return False
        # Tables that only one side reads may be reached by their keys from what the other reads.
        only = _relations(ours) ^ _relations(theirs)
        if only:
            ours, theirs = (
                [by_keys(self.context, t, only) for t in terms] for terms in (ours, theirs)
            )
            self._pair_up(ours, theirs, around)
            if not ours and not theirs:
                return True
        if self._same_counts(list(ours), list(theirs), around):
            return True
        return self._same_multiplicities(ours, theirs, around)

    def _same_multiplicities(
        self, ours: list[algebra_terms.Term], theirs: list[algebra_terms.Term], around: Surroundings
    ) -> bool:
        """A row of any values comes equally often on both sides.

        Asked where rows are described by their values, not by the tables they come from.
        """
        described = [a for t in (*ours, *theirs) for a in t.atoms if _has_no_table(a)]
        types = [o.type for o in (ours or theirs)[0].outputs]
        single = [t for t in (*ours, *theirs) if not t.atoms]
        if not (described or single) or any(map(ty.has_floats, types)):
            return False
        row = self._row(types)
        counts = []
        for terms in (ours, theirs):
            totals = []
            for t in map(self.context.freshened, terms):
                fits = tuple(map(solver.same, row, t.outputs))
                one = algebra_terms.Term(t.atoms, (*t.conditions, *fits), (ex.Literal(1, ty.LONG),))
                totals.append(self.context.total(one, ty.LONG))
            counts.append(added(totals, ty.LONG))
        return self._proves(solver.Same(*counts), (), [(counts[0],), (counts[1],)], around)

    def _pair_up(
        self, ours: list[algebra_terms.Term], theirs: list[algebra_terms.Term], around: Surroundings
    ) -> None:
        """Remove terms that are equal one to one.

        Greedy: equality of terms is transitive, so which of several equal ones goes is the same.
        """
        for one in list(ours):
            for two in theirs:
                if self._same_terms(one, two, around):
                    ours.remove(one)
                    theirs.remove(two)
                    break

    def _same_totals(
        self, p: algebra_terms.Term, q: algebra_terms.Term, around: Surroundings
    ) -> bool:
        """Whether two terms add up to the same, as their rows are or by their keys."""
        if self._same_terms(p, q, around):
            return True
        only = _relations([p]) ^ _relations([q])
        if not self.may_count or not only:
            return False
        ours, theirs = (by_keys(self.context, t, only) for t in (p, q))
        return (ours, theirs) != (p, q) and self._same_terms(ours, theirs, around)

    def _same_terms(
        self, p: algebra_terms.Term, q: algebra_terms.Term, around: Surroundings
    ) -> bool:
        """Whether some alignment of two terms keeps the same rows and shows the same of them."""
        for alignment in islice(self._aligned(p, q, around), TRIED_ALIGNMENTS):
            candidate, obligations = alignment.term, alignment.obligations
            # Written alike: no question needed.
            if set(p.conditions) == set(candidate.conditions):
                if p.outputs == candidate.outputs and not obligations:
                    return True
            goal = self._term_goal(p, candidate, obligations)
            exprs = [
                (conjunction(p.conditions), *p.outputs),
                (conjunction(candidate.conditions), *candidate.outputs),
            ]
            # While arguments are still to be proven the same, a row of P is no row of Q.
            rows = [
                a
                for a in p.atoms
                if not (obligations and isinstance(a.relation, algebra_terms.Opaque))
            ]
            if self._proves(goal, rows, exprs, around, p.conditions):
                return True
        return False

    def _term_goal(
        self, p: algebra_terms.Term, q: algebra_terms.Term, obligations: Sequence[solver.Formula]
    ) -> solver.Formula:
        """The terms keep the same rows, and give the same outputs on them."""
        ours = solver.All(tuple(solver.Holds(c) for c in p.conditions))
        theirs = solver.All(tuple(solver.Holds(c) for c in q.conditions))
        outputs = tuple(solver.Same(a, b) for a, b in zip(p.outputs, q.outputs, strict=True))
        return solver.All(
            (
                solver.implies(ours, theirs),
                solver.implies(theirs, ours),
                solver.implies(ours, solver.All((*outputs, *obligations))),
            )
        )

    def always(self, goal: solver.Same, term: algebra_terms.Term) -> bool:
        """Whether something holds of every row of a term."""
        given = solver.All(tuple(solver.Holds(c) for c in term.conditions))
        return self._proves(
            solver.implies(given, goal),
            term.atoms,
            [(*term.conditions, goal.left, goal.right), ()],
            NOTHING_AROUND,
        )

    def _is_empty(self, term: algebra_terms.Term, around: Surroundings) -> bool:
        """Whether the conditions of a term are never all true."""
        never = solver.No(solver.All(tuple(solver.Holds(c) for c in term.conditions)))
        return self._proves(never, term.atoms, [term.conditions, ()], around)

    def _same_counts(
        self, ours: list[algebra_terms.Term], theirs: list[algebra_terms.Term], around: Surroundings
    ) -> bool:
        """Terms over the same relations give every row equally often in sum.

        One question per list of relations: for all rows of these and every output tuple, as many
        terms of P as of Q give it. Decides OR against UNION ALL, and p / not p / null partitions.
        """
        while ours or theirs:
            base = (ours or theirs)[0]
            left: list[algebra_terms.Term] = []
            right: list[algebra_terms.Term] = []
            for terms, kept in ((ours, left), (theirs, right)):
                for term in list(terms):
                    alignment = next(self._aligned(base, term, around), None)
                    if alignment is not None and not alignment.obligations:
                        kept.append(alignment.term)
                        terms.remove(term)
            if not self._equal_sums(base, left, right, around):
                return False
        return True

    def _equal_sums(
        self,
        base: algebra_terms.Term,
        left: list[algebra_terms.Term],
        right: list[algebra_terms.Term],
        around: Surroundings,
    ) -> bool:
        if not left and not right:
            return False  # the base could not even be aligned with itself
        row = self._row([o.type for o in base.outputs])

        def gives(term: algebra_terms.Term) -> solver.Formula:
            values = (solver.Same(r, o) for r, o in zip(row, term.outputs, strict=True))
            return solver.All((*(solver.Holds(c) for c in term.conditions), *values))

        goal = solver.SameCount(tuple(map(gives, left)), tuple(map(gives, right)))
        exprs = [
            tuple(e for t in side for e in (*t.conditions, *t.outputs)) for side in (left, right)
        ]
        return self._proves(goal, base.atoms, exprs, around)

    def _same_sets(self, p: algebra_terms.Bag, q: algebra_terms.Bag, around: Surroundings) -> bool:
        """A row is in P exactly if it is in Q: containment both ways in one question."""
        first = next(iter((*p, *q)))
        row = self._row([o.type for o in first.outputs])

        def contains(bag: algebra_terms.Bag) -> ex.Expr:
            terms = []
            for term in map(self.context.freshened, bag):
                fits = tuple(solver.same(r, o) for r, o in zip(row, term.outputs, strict=True))
                terms.append(algebra_terms.Term(term.atoms, (*term.conditions, *fits), ()))
            return self.context.exists(tuple(terms))

        ours, theirs = contains(p), contains(q)
        goal = solver.All(
            (
                solver.implies(solver.Holds(ours), solver.Holds(theirs)),
                solver.implies(solver.Holds(theirs), solver.Holds(ours)),
            )
        )
        return self._proves(goal, (), [(ours,), (theirs,)], around)

    def _row(self, types: Sequence[ty.DataType]) -> list[ex.RowColumn]:
        """A row of unknown values."""
        return [
            algebra_terms.Atom(self.context.fresh(), algebra_terms.Domain(t)).columns[0]
            for t in types
        ]

    # -- alignment -----------------------------------------------------------------------------

    def _aligned(
        self, p: algebra_terms.Term, q: algebra_terms.Term, around: Surroundings
    ) -> Iterator[Alignment]:
        return alignments(
            self.context, p, q, lambda a, b: self._same_relations(a.relation, b.relation, around)
        )

    def _same_relations(
        self, a: algebra_terms.Relation, b: algebra_terms.Relation, around: Surroundings
    ) -> bool:
        """Whether two relations have the same rows (opaque ones: for the same arguments)."""
        if a == b:
            return True
        if not isinstance(a, algebra_terms.Opaque) or not isinstance(b, algebra_terms.Opaque):
            return False
        if (a.identity, a.types) != (b.identity, b.types) or len(a.bags) != len(b.bags):
            return False
        if a.nullable != b.nullable or len(a.args) != len(b.args) or around.is_deepest:
            return False
        # Bags that read rows around them would need those rows aligned first.
        if any(self.context.bag_free(bag) for bag in (*a.bags, *b.bags)) and a.bags != b.bags:
            return False
        deeper = replace(around, depth=around.depth + 1)
        return all(self.same_bags(x, y, deeper) for x, y in zip(a.bags, b.bags, strict=True))

    def same_folds(self, one: ex.Symbol, two: ex.Symbol, around: Surroundings) -> bool:
        """Whether two folds have the same value, whatever the rows around them are."""
        answer = self._folds.get((one, two, around))
        if answer is None:
            answer = self._same_folds(one, two, around)
            self._folds[one, two, around] = answer
        return answer

    def _same_folds(self, one: ex.Symbol, two: ex.Symbol, around: Surroundings) -> bool:
        a, b = self.context.definitions[one], self.context.definitions[two]
        if isinstance(a, Totaled) and isinstance(b, Totaled):
            ours, theirs = self.context.freshened(a.term), self.context.freshened(b.term)
            return self._same_totals(ours, theirs, around)
        if not isinstance(a, Folded) or not isinstance(b, Folded):
            return False
        if (a.function, a.distinct, a.type) != (b.function, b.distinct, b.type):
            return False
        if not a.bag or not b.bag:
            return False
        if len(a.bag[0].outputs) != len(b.bag[0].outputs):
            return False
        # Bound variables of definitions have canonical numbers, which rows around may have too.
        one_bag = tuple(map(self.context.freshened, a.bag))
        other_bag = tuple(map(self.context.freshened, b.bag))
        if a.ignores_duplicates:
            return self.same_sets(one_bag, other_bag, around)
        return self.same_bags(one_bag, other_bag, around)

    def added_up(self, wanted: Coefficients, around: Surroundings) -> Iterator[Coefficients]:
        """Which of these multiples of totals cancel out, row by row.

        Totals over the same relations are added up together: what each row adds to one of them
        it takes from another. Those that nothing else ranges over must be zero by themselves.
        """
        left = {n: self.context.freshened(self.context.totaled(n).term) for n in wanted}
        while left:
            base = next(iter(left.values()))
            together: dict[ex.Symbol, algebra_terms.Term] = {}
            for name, term in list(left.items()):
                alignment = next(self._aligned(base, term, around), None)
                if alignment is not None and not alignment.obligations:
                    together[name] = alignment.term
                    del left[name]
            if not together:
                return
            given = {name: wanted[name] for name in together}
            if self._cancels(given, together, around):
                yield given

    def _cancels(
        self, times: Coefficients, terms: dict[ex.Symbol, algebra_terms.Term], around: Surroundings
    ) -> bool:
        sides: tuple[list[ex.Expr], list[ex.Expr]] = ([], [])
        type_ = type_of_sum([term.outputs[0].type for term in terms.values()])
        for name, term in terms.items():
            amount = multiplied([ex.Literal(abs(times[name]), type_), *term.outputs], type_)
            when = conjunction(term.conditions)
            given = (
                amount
                if when == algebra_terms.TRUE
                else ex.Case(((when, amount),), ex.Literal(0, type_))
            )
            sides[times[name] < 0].append(given)
        ours, theirs = (added(side, type_) for side in sides)
        atoms = next(iter(terms.values())).atoms
        exprs = [tuple(e for t in terms.values() for e in (*t.conditions, *t.outputs)), ()]
        return self._proves(solver.Same(ours, theirs), atoms, exprs, around)

    # -- facts ---------------------------------------------------------------------------------

    def _proves(
        self,
        goal: solver.Formula,
        atoms: Sequence[algebra_terms.Atom],
        sides: Sequence[Sequence[ex.Expr]],
        around: Surroundings,
        given: Sequence[ex.Expr] = (),
    ) -> bool:
        """Whether the goal holds for all rows, given what is around and the facts about symbols.

        Folds are compared on rows on which `given` is true: elsewhere they do not matter.
        """
        given_around = [solver.Holds(c) for c in around.conditions]
        facts = SolverFacts(self, around, tuple(given))
        exprs = [*around.conditions, *(e for side in sides for e in side)]
        first = facts.about(exprs, sides, (*around.atoms, *atoms))
        if self.context.solver.proves(goal, [*given_around, *first]):
            return True
        more = facts.about_late()
        return bool(more) and self.context.solver.proves(goal, [*given_around, *more])


def _relations(terms: Sequence[algebra_terms.Term]) -> set[algebra_terms.Relation]:
    return {a.relation for t in terms for a in t.atoms}


def _has_no_table(atom: algebra_terms.Atom) -> bool:
    relation = atom.relation
    return isinstance(relation, algebra_terms.Domain) or (
        isinstance(relation, algebra_terms.Opaque) and relation.identity == algebra_terms.COPIES
    )
