"""Facts about symbols and rows that the solver is given with a question, all ground.

A row that exists has its properties, a row at hand that fits makes an EXISTS true, rows that agree
on a key are one, children have parents, a minimum is reached by a row and passed by none, folds
over equal bags are equal, and totals that cancel out row by row are zero together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Protocol

from veer.assumptions import ForeignKeyHolds
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import conjunction
from veer.ir.ops import ForeignKey
from veer.ir.walk import children, parts
from veer.prove import solver
from veer.prove.algebra import sums as algebra_sums, terms
from veer.prove.algebra.context import Context
from veer.prove.algebra.definitions import Folded, SomeRow, Totaled
from veer.prove.algebra.matching.surroundings import Surroundings

MOST_MATCHES = 12  # ways to find an EXISTS among the rows at hand
MOST_LOOKED_AT = 400
GENERATIONS = 2  # parents, and theirs
MOST_LATE = 16  # symbols that come up among the facts
MOST_FOLDS = 40  # pairs compared for one question
MOST_SUMS = 8  # differences of totals looked at for one question
ROUNDS = 2  # symbols inside the definitions of symbols


class Comparer(Protocol):
    """Compares what symbols stand for: facts rest on that."""

    @property
    def context(self) -> Context:
        """The context of the proof."""
        ...

    def same_folds(self, one: ex.Symbol, two: ex.Symbol, around: Surroundings) -> bool:
        """Whether two folds have the same value, whatever the rows around them are."""

    def added_up(
        self, wanted: algebra_sums.Coefficients, around: Surroundings
    ) -> Iterator[algebra_sums.Coefficients]:
        """Which of these multiples of totals cancel out, row by row."""


@dataclass
class SolverFacts:
    """Collects ground facts about the symbols and rows of one question."""

    comparer: Comparer
    around: Surroundings
    given: tuple[ex.Expr, ...] = ()
    facts: list[solver.Formula] = field(default_factory=list)
    rows: list[tuple[terms.Atom, tuple[ex.Expr, ...]]] = field(default_factory=list)
    seen: set[ex.Symbol] = field(default_factory=set)
    late: list[ex.Symbol] = field(default_factory=list)
    used: set[ex.RowColumn] = field(default_factory=set)

    @property
    def context(self) -> Context:
        """The context of the proof."""
        return self.comparer.context

    def about(
        self,
        exprs: Sequence[ex.Expr],
        sides: Sequence[Sequence[ex.Expr]],
        atoms: Sequence[terms.Atom],
    ) -> list[solver.Formula]:
        """Everything worth telling the solver about these expressions and rows.

        Facts only rule out models that no data gives; which of them are left out, for their number,
        costs proofs and nothing else.
        """
        self.rows = [(a, ()) for a in atoms]
        self._folds(sides)
        new = self._symbols_in(exprs)
        every: list[ex.Symbol] = []
        for _ in range(ROUNDS):
            every += new
            exprs_of_new = [e for name in new for e in self._row_of(name)]
            if not exprs_of_new:
                break
            new = self._symbols_in(exprs_of_new)
        every += new
        if any(isinstance(self.context.definitions[n], SomeRow) for n in every):
            self._parents(every)
        for name in every:
            self._fits(name)
        self._keys()
        if any(isinstance(node, ex.Cast) for e in exprs for node in parts(e)):
            self._ranges()
        return self.facts

    def about_late(self) -> list[solver.Formula]:
        """The facts with those about symbols that only came up among them; nothing if none did."""
        late, self.late = self.late, []
        early = sorted(self.seen, key=lambda symbol: symbol.id)
        late += self._symbols_in([e for name in early for e in self._second_row(name)])
        if not late or len(late) > MOST_LATE:
            return []
        late += self._symbols_in([e for name in late for e in self._row_of(name)])
        for name in dict.fromkeys((*early, *late)):
            self._fits(name)  # the early ones among the rows that came late
        self._keys()
        self.facts = list(dict.fromkeys(self.facts))
        return self.facts

    def _ranges(self) -> None:
        """Columns of tables hold what their type holds."""
        for atom, _ in self.rows:
            if not isinstance(atom.relation, terms.Table):
                continue
            for c in atom.columns:
                if isinstance(c.type, ty.IntegralType) and c in self.used:
                    size = 2 ** (ty.INTEGER_BITS[c.type] - 1)
                    above = ex.Compare(">=", c, ex.Literal(-size, c.type))
                    below = ex.Compare("<=", c, ex.Literal(size - 1, c.type))
                    self._add(
                        solver.Some(
                            (
                                solver.Holds(ex.IsNull(c)),
                                solver.All((solver.Holds(above), solver.Holds(below))),
                            )
                        )
                    )

    def _symbols_in(self, exprs: Iterable[ex.Expr]) -> list[ex.Symbol]:
        """Symbols not met before."""
        new = []
        for expr in exprs:
            for node in parts(expr):
                if isinstance(node, ex.RowColumn):
                    self.used.add(node)
                elif isinstance(node, ex.Symbol) and node not in self.seen:
                    self.seen.add(node)
                    new.append(node)
        return new

    def _row_of(self, symbol: ex.Symbol) -> list[ex.Expr]:
        """If something exists, there is a row with its properties.

        A fresh variable stands for that row, so nothing else is claimed of it.
        """
        definition = self.context.definitions[symbol]
        if isinstance(definition, Totaled):
            return self._total_is_zero(symbol, definition)
        if isinstance(definition, Folded):
            return self._fold_is_null(symbol, definition)
        term = self.context.freshened(definition.term)
        self.rows += [(a, (symbol,)) for a in term.atoms]
        self._add(
            solver.implies(
                solver.Holds(symbol), solver.All(tuple(map(solver.Holds, term.conditions)))
            )
        )
        return list(term.conditions)

    def _total_is_zero(self, value: ex.Symbol, total: Totaled) -> list[ex.Expr]:
        """Over no rows a total is zero; a number of rows is positive exactly if there is one."""
        some = self.context.exists((self.context.freshened(total.term),))
        zero = solver.Same(value, ex.Literal(0, value.type))
        self._add(solver.Some((solver.Holds(some), zero)))
        if total.counts:
            positive = solver.Holds(ex.Compare(">=", value, ex.Literal(1, value.type)))
            self._add(solver.implies(solver.Holds(some), positive))
        return [some]

    def _second_row(self, symbol: ex.Symbol) -> list[ex.Expr]:
        """A number of rows of tables with keys is two or more exactly if two differ in a key."""
        total = self.context.definitions[symbol]
        if not isinstance(total, Totaled) or total.term.outputs[0] != ex.Literal(1, ty.LONG):
            return []
        one, other = self.context.freshened(total.term), self.context.freshened(total.term)
        alike: list[ex.Expr] = []
        for a, b in zip(one.atoms, other.atoms, strict=True):
            keys = list(zip(terms.key_columns(a), terms.key_columns(b), strict=True))
            if not keys or any(ty.has_floats(c.type) for c in keys[0][0]):
                return []
            alike += map(solver.same, *keys[0])
            self.context.note_key(a, keys[0][0])
        differ = ex.Not(conjunction(alike))
        conditions = (*one.conditions, *other.conditions, differ)
        two = self.context.exists((terms.Term(one.atoms + other.atoms, conditions, ()),))
        several = solver.Holds(ex.Compare(">=", symbol, ex.Literal(2, ty.LONG)))
        self._add(
            solver.All(
                (
                    solver.implies(solver.Holds(two), several),
                    solver.implies(several, solver.Holds(two)),
                )
            )
        )
        return [two]

    def _fold_is_null(self, value: ex.Symbol, fold: Folded) -> list[ex.Expr]:
        """A minimum or maximum is null exactly if there is no value; else a row has it, and
        none has a value beyond it.
        """
        if fold.function not in ("sum", "min", "max"):
            return []
        bag = tuple(map(self.context.freshened, fold.bag))
        null = solver.Holds(ex.IsNull(value))
        some = self.context.exists(bag)
        self._add(
            solver.All(
                (
                    solver.implies(null, solver.No(solver.Holds(some))),
                    solver.Some((null, solver.Holds(some))),
                )
            )
        )
        if fold.function == "sum" or any(t.outputs[0].type != fold.type for t in bag):
            return [some]
        beyond = "<" if fold.function == "min" else ">"
        reached = self._some_output(fold, lambda output: solver.same(output, value))
        passed = self._some_output(fold, lambda output: ex.Compare(beyond, output, value))
        self._add(solver.Some((null, solver.Holds(reached))))
        self._add(solver.No(solver.Holds(passed)))
        return [some, reached, passed]

    def _some_output(self, fold: Folded, test: Callable[[ex.Expr], ex.Expr]) -> ex.Expr:
        """Whether some value a fold goes over passes a test."""
        rows = map(self.context.freshened, fold.bag)
        return self.context.exists(
            tuple(replace(t, conditions=(*t.conditions, test(t.outputs[0]))) for t in rows)
        )

    def _fits(self, own: ex.Symbol) -> None:
        """Rows at hand that fit the description make an EXISTS true.

        Sound for any choice of rows of the same relations; the guards say when a row is there.
        """
        definition = self.context.definitions[own]
        if not isinstance(definition, SomeRow):
            return
        body = self.context.freshened(definition.term)
        choices = [
            [row for row in self.rows if row[0].relation == atom.relation] for atom in body.atoms
        ]
        if any(isinstance(a.relation, terms.Domain) for a in body.atoms):
            return  # whose rows are all values, not those at hand
        # Its own row says nothing new.
        others = [[row for row in rows if all(g != own for g in row[1])] for rows in choices]
        ways = sorted(
            islice(product(*others), MOST_LOOKED_AT),
            # Rows that come together first, and each row once.
            key=lambda way: (len({guard for _, guard in way}), -len({row.var for row, _ in way})),
        )
        for way in ways[:MOST_MATCHES]:
            table: dict[ex.RowColumn, ex.Expr] = {}
            guards: list[ex.Expr] = []
            for atom, (row, guard) in zip(body.atoms, way, strict=True):
                guards += guard
                table.update(zip(atom.columns, row.columns, strict=True))
            met = [self.context.substitute(c, table) for c in body.conditions]
            self.late += self._symbols_in(met)
            fits = solver.All((*map(solver.Holds, dict.fromkeys(guards)), *map(solver.Holds, met)))
            self._add(solver.implies(fits, solver.Holds(own)))

    def _parents(self, symbols: Sequence[ex.Symbol]) -> None:
        """A row with a foreign key has a parent row, unless a column of the key is null.

        The declaration says so, and is listed among the assumptions.
        """
        wanted: dict[str, terms.Table] = {}
        for symbol in symbols:
            definition = self.context.definitions[symbol]
            if isinstance(definition, SomeRow):
                for atom in definition.term.atoms:
                    if isinstance(atom.relation, terms.Table):
                        wanted[atom.relation.source.table.lower()] = atom.relation
        children = [(a, guard, 1) for a, guard in self.rows]
        for atom, guard, generation in children:  # parents are added while it goes on
            if not isinstance(atom.relation, terms.Table) or generation > GENERATIONS:
                continue
            for foreign in atom.relation.source.foreign_keys:
                parent = wanted.get(foreign.parent.lower())
                if parent is not None:
                    row = self._parent_row(atom, guard, foreign, parent)
                    if row is not None:
                        children.append((*row, generation + 1))

    def _parent_row(
        self, atom: terms.Atom, guard: tuple[ex.Expr, ...], foreign: ForeignKey, parent: terms.Table
    ) -> tuple[terms.Atom, tuple[ex.Expr, ...]] | None:
        """The row a foreign key leads to, and when it is there; None if its columns do not fit."""
        assert isinstance(atom.relation, terms.Table)
        row = terms.Atom(self.context.fresh(), parent)
        child = _columns_named(atom, foreign.columns)
        keys = _columns_named(row, foreign.target(parent.source))
        if child is None or keys is None or len(child) != len(keys):
            return None
        # Columns of two types are compared after a cast, and floats may be equal but not the same.
        if any(ty.has_floats(c.type) for c in keys):
            return None
        if any(a.type != b.type for a, b in zip(keys, child, strict=True)):
            return None
        guards = (*guard, *(ex.Not(ex.IsNull(c)) for c in child))
        fits = solver.All(tuple(solver.Same(a, b) for a, b in zip(keys, child, strict=True)))
        self._add(solver.implies(solver.All(tuple(map(solver.Holds, guards))), fits))
        self.used.update((*keys, *child))
        self.rows.append((row, guards))
        self.context.keys_used.add(
            ForeignKeyHolds(atom.relation.source.table, foreign.columns, foreign.parent)
        )
        return row, guards

    def _keys(self) -> None:
        """Rows of a table that agree on a key are the same row.

        Unique columns say so of rows that have no null there, floats nothing: 0.0 is -0.0.
        """
        for i, (a, _) in enumerate(self.rows):
            for b, _ in self.rows[i + 1 :]:
                if a.relation != b.relation:
                    continue
                pairs = list(zip(a.columns, b.columns, strict=True))
                read = [(x, y) for x, y in pairs if {x, y} & self.used]
                ours, theirs = ((*terms.key_columns(x), *terms.unique_columns(x)) for x in (a, b))
                for one, two in zip(ours, theirs, strict=True):
                    if any(ty.has_floats(c.type) for c in one):
                        continue
                    present = (solver.Holds(ex.Not(ex.IsNull(c))) for c in one if c.nullable)
                    alike = (solver.Same(x, y) for x, y in zip(one, two, strict=True))
                    equal = solver.All((*present, *alike))
                    self._add(
                        solver.implies(equal, solver.All(tuple(solver.Same(x, y) for x, y in read)))
                    )
                    self.context.note_key(a, one)

    def _folds(self, sides: Sequence[Sequence[ex.Expr]]) -> None:
        """Folds of P and Q over equal bags are equal; sides of one length are met place by place."""
        if self.around.is_deepest or len(sides) != 2:
            return
        pairs: dict[tuple[ex.Symbol, ex.Symbol], None] = {}
        sums: list[algebra_sums.Coefficients] = []
        ours, theirs = sides
        places = [([a], [b]) for a, b in zip(ours, theirs, strict=False)]
        for left, right in places if len(ours) == len(theirs) else [(list(ours), list(theirs))]:
            folds = self._folds_in(left), self._folds_in(right)
            pairs.update(((a, b), None) for a in folds[0] for b in folds[1] if a != b)
            sums += self._differences(left, right)
        if not pairs and not sums:
            return
        # Fewer conditions are assumed than hold: those with folds in them would be compared in turn.
        given = tuple(c for c in self.given if not self._folds_in([c]))
        deeper = Surroundings(
            tuple(a for a, _ in self.rows),
            (*self.around.conditions, *given),
            self.around.depth + 1,
        )
        holds = solver.All(tuple(map(solver.Holds, given)))
        for first, second in list(pairs)[:MOST_FOLDS]:
            if self.comparer.same_folds(first, second, deeper):
                self._add(solver.implies(holds, solver.Same(first, second)))
        for wanted in sums[:MOST_SUMS]:
            for times in self.comparer.added_up(wanted, deeper):
                self._add(solver.implies(holds, self._is_zero(times)))

    def _differences(
        self, left: Sequence[ex.Expr], right: Sequence[ex.Expr]
    ) -> list[algebra_sums.Coefficients]:
        """Totals of P less those of Q, where there are several of them."""
        differences: list[algebra_sums.Coefficients] = []
        for a, b in product(self._sums_in(left), self._sums_in(right)):
            for sign in (-1, 1):
                names = {n: a.get(n, 0) + sign * b.get(n, 0) for n in (*a, *b)}
                wanted = {n: times for n, times in names.items() if times}
                if len(wanted) > 2 and wanted not in differences:
                    differences.append(wanted)
        return differences

    def _sums_in(self, exprs: Iterable[ex.Expr]) -> list[algebra_sums.Coefficients]:
        """The totals added up in each largest sum."""
        totals = {n for e in exprs for n in self._folds_in([e]) if self.context.is_total(n)}
        sums: list[algebra_sums.Coefficients] = []
        stack = list(exprs) if totals else []
        while stack:
            expr = stack.pop()
            counted = algebra_sums.coefficients(expr, totals)
            if counted:
                sums.append(counted)
                continue
            if isinstance(expr, ex.Compare):
                left, right = (
                    algebra_sums.coefficients(e, totals) for e in (expr.left, expr.right)
                )
                if left and right:
                    both = {n: left.get(n, 0) - right.get(n, 0) for n in (*left, *right)}
                    sums.append(both)
            stack.extend(children(expr))
        return sums

    def _is_zero(self, times: algebra_sums.Coefficients) -> solver.Formula:
        sides: tuple[list[ex.Expr], list[ex.Expr]] = ([], [])
        for total, n in times.items():
            factors: list[ex.Expr] = [ex.Literal(abs(n), total.type), total]
            sides[n < 0].append(algebra_sums.multiplied(factors, total.type))
        type_ = algebra_sums.type_of_sum([total.type for total in times])
        return solver.Same(algebra_sums.added(sides[0], type_), algebra_sums.added(sides[1], type_))

    def _folds_in(self, exprs: Iterable[ex.Expr]) -> list[ex.Symbol]:
        folds: dict[ex.Symbol, None] = {}
        for expr in exprs:
            for node in parts(expr):
                if isinstance(node, ex.Symbol):
                    if not isinstance(self.context.definitions[node], SomeRow):
                        folds[node] = None
        return list(folds)

    def _add(self, fact: solver.Formula) -> None:
        self.facts.append(fact)
        self._note(fact)

    def _note(self, fact: solver.Formula) -> None:
        match fact:
            case solver.Holds(condition):
                self.used |= self.context.free(condition)
            case solver.Same(left, right):
                self.used |= self.context.free(left) | self.context.free(right)
            case solver.All(some) | solver.Some(some):
                for part in some:
                    self._note(part)
            case solver.No(part):
                self._note(part)


def _columns_named(atom: terms.Atom, names: Sequence[str]) -> tuple[ex.RowColumn, ...] | None:
    """Columns of a table atom by name."""
    assert isinstance(atom.relation, terms.Table)
    places = {f.name.lower(): i for i, f in enumerate(atom.relation.source.fields)}
    own = atom.columns
    if any(n.lower() not in places for n in names):
        return None
    return tuple(own[places[n.lower()]] for n in names)
