"""Deciding whether two bags are equal: terms are paired, and one question settles each pair.

What the solver is given besides the conditions of the terms are facts about symbols, all ground:
a row that exists has its properties, a row at hand that fits makes an EXISTS true, rows that agree
on a key are one, children have parents, folds over equal bags are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product
from typing import TypeAlias, final

from veer.dataflow.coercion import conjunction
from veer.dataflow.expr import Case, Cast, Column, Compare, Expr, IsNull, Literal, Not
from veer.dataflow.types import BOOLEAN, INTEGER_BITS, LONG, DataType, IntegralType, has_floats
from veer.dataflow.walk import children, parts
from veer.evs.algebra.definitions import Folded, SomeRow, Totaled
from veer.evs.algebra.symbols import Symbols
from veer.evs.algebra.terms import (
    COPIES,
    TRUE,
    Atom,
    Bag,
    Domain,
    Opaque,
    Relation,
    Table,
    Term,
    columns,
    is_symbol,
    key_columns,
)
from veer.evs.algebra.totals import Coefficients, added, coefficients, multiplied
from veer.smt import All, Formula, Holds, No, Same, SameCount, Some, implies, same

MOST_ALIGNMENTS = 120  # looked at
OTHER_ALIGNMENTS = 24  # where rows shown at the same places are not the same rows
TRIED_ALIGNMENTS = 6  # asked about
MOST_MATCHES = 12  # ways to find an EXISTS among the rows at hand
MOST_LOOKED_AT = 400
GENERATIONS = 2  # parents, and theirs
MOST_LATE = 16  # symbols that come up among the facts
MOST_FOLDS = 40  # pairs compared for one question
MOST_SUMS = 8  # differences of totals looked at for one question
DEEPEST = 3  # folds inside folds
Mates: TypeAlias = tuple[list[Atom], list[Atom]]  # atoms of P, and as many alike of Q
ROUNDS = 2  # symbols inside the definitions of symbols


@final
@dataclass(frozen=True)
class Scope:
    """Rows and conditions that hold around a bag."""

    atoms: tuple[Atom, ...] = ()
    conditions: tuple[Expr, ...] = ()
    depth: int = 0


@dataclass
class Matcher:
    """Compares bags over one table of symbols; `may_count` allows questions about several terms.

    Without it each term of P needs a term of Q of its own, as in SPES.
    """

    symbols: Symbols
    may_count: bool = True
    _bags: dict[tuple[Bag, Bag, Scope, bool], bool] = field(default_factory=dict)
    _folds: dict[tuple[str, str, Scope], bool] = field(default_factory=dict)

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

    def _row(self, types: Sequence[DataType]) -> list[Column]:
        """A row of unknown values."""
        return [columns(Atom(self.symbols.fresh(), Domain(t)))[0] for t in types]

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
        moved = {c.name for a, b in pairs if a.var != b.var for c in columns(b)}
        return any(
            not moved.isdisjoint(self.symbols.bag_free(bag))
            for _, b in pairs
            if isinstance(b.relation, Opaque)
            for bag in b.relation.bags
        )

    def _renamed(
        self, q: Term, pairs: Sequence[tuple[Atom, Atom]]
    ) -> tuple[Term, tuple[Formula, ...]]:
        table: dict[str, Expr] = {}
        for ours, theirs in pairs:
            table.update((b.name, a) for a, b in zip(columns(ours), columns(theirs), strict=True))
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

    def same_folds(self, one: str, two: str, scope: Scope) -> bool:
        """Whether two folds have the same value, whatever the scope's rows are."""
        found = self._folds.get((one, two, scope))
        if found is None:
            found = self._same_folds(one, two, scope)
            self._folds[one, two, scope] = found
        return found

    def _same_folds(self, one: str, two: str, scope: Scope) -> bool:
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
            together: dict[str, Term] = {}
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

    def _cancels(self, times: Coefficients, terms: dict[str, Term], scope: Scope) -> bool:
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


@dataclass
class Facts:
    """Collects ground facts about the symbols and rows of one question."""

    matcher: Matcher
    scope: Scope
    context: tuple[Expr, ...] = ()
    found: list[Formula] = field(default_factory=list)
    rows: list[tuple[Atom, tuple[Expr, ...]]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    late: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    @property
    def symbols(self) -> Symbols:
        return self.matcher.symbols

    def about(
        self, exprs: Sequence[Expr], sides: Sequence[Sequence[Expr]], atoms: Sequence[Atom]
    ) -> list[Formula]:
        """Everything worth telling the solver about these expressions and rows."""
        self.rows = [(a, ()) for a in atoms]
        self._folds(sides)
        new = self._symbols_in(exprs)
        every: list[str] = []
        for _ in range(ROUNDS):
            every += new
            made = [e for name in new for e in self._row_of(name)]
            if not made:
                break
            new = self._symbols_in(made)
        every += new
        if any(isinstance(self.symbols.definitions[n], SomeRow) for n in every):
            self._parents(every)
        for name in every:
            self._fits(name)
        self._keys()
        if any(isinstance(node, Cast) for e in exprs for node in parts(e)):
            self._ranges()
        return self.found

    def about_late(self) -> list[Formula]:
        """The facts with those about symbols that only came up among them; nothing if none did."""
        late, self.late = self.late, []
        if not late or len(late) > MOST_LATE:
            return []
        late += self._symbols_in([e for name in late for e in self._row_of(name)])
        for name in late:
            self._fits(name)
        self._keys()
        return self.found

    def _ranges(self) -> None:
        """Columns of tables hold what their type holds."""
        for atom, _ in self.rows:
            if not isinstance(atom.relation, Table):
                continue
            for c in columns(atom):
                if isinstance(c.type, IntegralType) and c.name in self.used:
                    size = 2 ** (INTEGER_BITS[c.type] - 1)
                    above = Compare(">=", c, Literal(-size, c.type))
                    below = Compare("<=", c, Literal(size - 1, c.type))
                    self._add(Some((Holds(IsNull(c)), All((Holds(above), Holds(below))))))

    def _symbols_in(self, exprs: Iterable[Expr]) -> list[str]:
        """Symbols not met before."""
        new = []
        for expr in exprs:
            for node in parts(expr):
                if isinstance(node, Column):
                    if is_symbol(node.name):
                        if node.name not in self.seen:
                            self.seen.add(node.name)
                            new.append(node.name)
                    else:
                        self.used.add(node.name)
        return new

    def _row_of(self, name: str) -> list[Expr]:
        """If something exists, there is a row with its properties."""
        definition = self.symbols.definitions[name]
        if isinstance(definition, Totaled):
            return self._total_is_zero(name, definition)
        if isinstance(definition, Folded):
            return self._fold_is_null(name, definition)
        term = self.symbols.freshened(definition.term)
        holds = Column(name, BOOLEAN)
        self.rows += [(a, (holds,)) for a in term.atoms]
        self._add(implies(Holds(holds), All(tuple(map(Holds, term.conditions)))))
        return list(term.conditions)

    def _total_is_zero(self, name: str, total: Totaled) -> list[Expr]:
        """Over no rows a total is zero; a number of rows is positive exactly if there is one."""
        value = Column(name, total.term.outputs[0].type)
        some = self.symbols.exists((self.symbols.freshened(total.term),))
        zero = Same(value, Literal(0, value.type))
        self._add(Some((Holds(some), zero)))
        if total.counts:
            positive = Holds(Compare(">=", value, Literal(1, value.type)))
            self._add(implies(Holds(some), positive))
        return [some]

    def _fold_is_null(self, name: str, fold: Folded) -> list[Expr]:
        """A minimum or maximum is null exactly if there is no value; else a row has it, and
        none has a value beyond it.
        """
        if fold.function not in ("sum", "min", "max"):
            return []
        bag = tuple(map(self.symbols.freshened, fold.bag))
        value = Column(name, fold.type)
        null = Holds(IsNull(value))
        some = self.symbols.exists(bag)
        self._add(All((implies(null, No(Holds(some))), Some((null, Holds(some))))))
        if fold.function == "sum" or any(t.outputs[0].type != fold.type for t in bag):
            return [some]
        beyond = "<" if fold.function == "min" else ">"
        reached = self._some_output(fold, lambda output: same(output, value))
        passed = self._some_output(fold, lambda output: Compare(beyond, output, value))
        self._add(Some((null, Holds(reached))))
        self._add(No(Holds(passed)))
        return [some, reached, passed]

    def _some_output(self, fold: Folded, test: Callable[[Expr], Expr]) -> Expr:
        """Whether some value a fold goes over passes a test."""
        rows = map(self.symbols.freshened, fold.bag)
        return self.symbols.exists(
            tuple(replace(t, conditions=(*t.conditions, test(t.outputs[0]))) for t in rows)
        )

    def _fits(self, name: str) -> None:
        """Rows at hand that fit the description make an EXISTS true."""
        definition = self.symbols.definitions[name]
        if not isinstance(definition, SomeRow):
            return
        body = self.symbols.freshened(definition.term)
        choices = [
            [row for row in self.rows if row[0].relation == atom.relation] for atom in body.atoms
        ]
        if any(isinstance(a.relation, Domain) for a in body.atoms):
            return
        own = Column(name, BOOLEAN)  # its own row says nothing new
        others = [[row for row in rows if all(g != own for g in row[1])] for rows in choices]
        ways = sorted(
            islice(product(*others), MOST_LOOKED_AT),
            key=lambda way: len({guard for _, guard in way}),  # rows that come together first
        )
        for way in ways[:MOST_MATCHES]:
            table: dict[str, Expr] = {}
            guards: list[Expr] = []
            for atom, (row, guard) in zip(body.atoms, way, strict=True):
                guards += guard
                table.update((b.name, a) for a, b in zip(columns(row), columns(atom), strict=True))
            met = [self.symbols.substitute(c, table) for c in body.conditions]
            self.late += self._symbols_in(met)
            fits = All((*map(Holds, dict.fromkeys(guards)), *map(Holds, met)))
            self._add(implies(fits, Holds(own)))

    def _parents(self, names: Sequence[str]) -> None:
        """A row with a foreign key has a parent row."""
        wanted: dict[str, Table] = {}
        for name in names:
            definition = self.symbols.definitions[name]
            if isinstance(definition, SomeRow):
                for atom in definition.term.atoms:
                    if isinstance(atom.relation, Table):
                        wanted[atom.relation.source.table.lower()] = atom.relation
        children = [(a, guard, 1) for a, guard in self.rows]
        for atom, guard, generation in children:  # parents are added while it goes on
            if not isinstance(atom.relation, Table) or generation > GENERATIONS:
                continue
            source = atom.relation.source
            for foreign in source.foreign_keys:
                parent = wanted.get(foreign.parent.lower())
                if parent is None:
                    continue
                row = Atom(self.symbols.fresh(), parent)
                child = _columns_named(atom, foreign.columns)
                declared = parent.source.keys
                keys = _columns_named(
                    row, foreign.parent_columns or (declared[0] if declared else ())
                )
                if child is None or keys is None or len(child) != len(keys):
                    continue
                if any(has_floats(c.type) for c in keys):
                    continue
                if any(a.type != b.type for a, b in zip(keys, child, strict=True)):
                    continue
                present = tuple(Not(IsNull(c)) for c in child)
                guards = (*guard, *present)
                fits = All(tuple(Same(a, b) for a, b in zip(keys, child, strict=True)))
                self._add(implies(All(tuple(map(Holds, guards))), fits))
                self.used.update(c.name for c in (*keys, *child))
                self.rows.append((row, guards))
                children.append((row, guards, generation + 1))
                self.symbols.keys_used.add(
                    f"{', '.join(foreign.columns)} of {source.table} refers to {foreign.parent}"
                )

    def _keys(self) -> None:
        """Rows of a table that agree on a key are the same row."""
        for i, (a, _) in enumerate(self.rows):
            for b, _ in self.rows[i + 1 :]:
                if a.relation != b.relation:
                    continue
                pairs = list(zip(columns(a), columns(b), strict=True))
                read = [(x, y) for x, y in pairs if {x.name, y.name} & self.used]
                for one, two in zip(key_columns(a), key_columns(b), strict=True):
                    if any(has_floats(c.type) for c in one):
                        continue
                    equal = All(tuple(Same(x, y) for x, y in zip(one, two, strict=True)))
                    self._add(implies(equal, All(tuple(Same(x, y) for x, y in read))))
                    self.symbols.note_key(a, one)

    def _folds(self, sides: Sequence[Sequence[Expr]]) -> None:
        """Folds of P and Q over equal bags are equal; sides of one length are met place by place."""
        if self.scope.depth >= DEEPEST or len(sides) != 2:
            return
        pairs: dict[tuple[str, str], None] = {}
        sums: list[Coefficients] = []
        ours, theirs = sides
        places = [([a], [b]) for a, b in zip(ours, theirs, strict=False)]
        for left, right in places if len(ours) == len(theirs) else [(list(ours), list(theirs))]:
            found = self._folds_in(left), self._folds_in(right)
            pairs.update(((a, b), None) for a in found[0] for b in found[1] if a != b)
            sums += self._differences(left, right)
        if not pairs and not sums:
            return
        context = tuple(c for c in self.context if not self._folds_in([c]))
        deeper = Scope(
            tuple(a for a, _ in self.rows),
            (*self.scope.conditions, *context),
            self.scope.depth + 1,
        )
        holds = All(tuple(map(Holds, context)))
        for first, second in list(pairs)[:MOST_FOLDS]:
            if self.matcher.same_folds(first, second, deeper):
                a = Column(first, self.symbols.type_of(first))
                b = Column(second, self.symbols.type_of(second))
                self._add(implies(holds, Same(a, b)))
        for wanted in sums[:MOST_SUMS]:
            for times in self.matcher.added_up(wanted, deeper):
                self._add(implies(holds, self._is_zero(times)))

    def _differences(self, left: Sequence[Expr], right: Sequence[Expr]) -> list[Coefficients]:
        """Totals of P less those of Q, where there are several of them."""
        found: list[Coefficients] = []
        for a, b in product(self._sums_in(left), self._sums_in(right)):
            names = {n: a.get(n, 0) - b.get(n, 0) for n in (*a, *b)}
            wanted = {n: times for n, times in names.items() if times}
            if len(wanted) > 2 and wanted not in found:
                found.append(wanted)
        return found

    def _sums_in(self, exprs: Iterable[Expr]) -> list[Coefficients]:
        """The totals added up in each largest sum."""
        totals = {n for e in exprs for n in self._folds_in([e]) if self.symbols.is_total(n)}
        found: list[Coefficients] = []
        stack = list(exprs) if totals else []
        while stack:
            expr = stack.pop()
            counted = coefficients(expr, totals)
            if counted:
                found.append(counted)
            else:
                stack.extend(children(expr))
        return found

    def _is_zero(self, times: Coefficients) -> Formula:
        sides: tuple[list[Expr], list[Expr]] = ([], [])
        for name, n in times.items():
            type_ = self.symbols.type_of(name)
            sides[n < 0].append(multiplied([Literal(abs(n), type_), Column(name, type_)], type_))
        type_ = self.symbols.type_of(next(iter(times)))
        return Same(added(sides[0], type_), added(sides[1], type_))

    def _folds_in(self, exprs: Iterable[Expr]) -> list[str]:
        found: dict[str, None] = {}
        for expr in exprs:
            for node in parts(expr):
                if isinstance(node, Column) and is_symbol(node.name):
                    if not isinstance(self.symbols.definitions[node.name], SomeRow):
                        found[node.name] = None
        return list(found)

    def _add(self, fact: Formula) -> None:
        self.found.append(fact)
        self._note(fact)

    def _note(self, fact: Formula) -> None:
        match fact:
            case Holds(condition):
                self.used |= self.symbols.free(condition)
            case Same(left, right):
                self.used |= self.symbols.free(left) | self.symbols.free(right)
            case All(some) | Some(some):
                for part in some:
                    self._note(part)
            case No(part):
                self._note(part)


def _by_shown(p: Term, q: Term, ours: list[Atom], mates: list[Atom]) -> list[Mates]:
    """Atoms grouped by the places at which their columns are shown; nothing if these differ."""

    def shown(term: Term, atom: Atom) -> tuple[tuple[int, int], ...]:
        places = {c: i for i, c in enumerate(columns(atom))}
        return tuple(
            (place, places[o])
            for place, o in enumerate(term.outputs)
            if isinstance(o, Column) and o in places
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


def _columns_named(atom: Atom, names: Sequence[str]) -> tuple[Column, ...] | None:
    """Columns of a table atom by name."""
    assert isinstance(atom.relation, Table)
    places = {f.name.lower(): i for i, f in enumerate(atom.relation.source.fields)}
    own = columns(atom)
    if any(n.lower() not in places for n in names):
        return None
    return tuple(own[places[n.lower()]] for n in names)
