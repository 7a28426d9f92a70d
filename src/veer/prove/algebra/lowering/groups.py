"""Groups and limits spelled out: domains, existence, folds, and numbers of rows.

A group atom stays whole while conditions may move into it; `expanded` then writes it as: its keys
range over all values, some row with these keys exists, and each fold is the value over the rows
with these keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from veer.ir import expr as ex, types as ty
from veer.prove.algebra import terms as algebra_terms
from veer.prove.algebra.conditions import EqualityClasses, row_keys
from veer.prove.algebra.context import Context
from veer.prove.algebra.folds import sum_or_zero
from veer.prove.algebra.lowering.order import Ordered, rows_alike
from veer.prove.algebra.matching.matcher import Matcher
from veer.prove.algebra.simplify import simplify
from veer.prove.algebra.splitting import by_cases
from veer.prove.algebra.sums import shifted
from veer.prove.solver import Same, same


@dataclass
class Groups:
    """Groups and limits of one proof: kept whole while conditions move in, then spelled out."""

    context: Context
    matcher: Matcher

    def grouped(self, group: algebra_terms.Group) -> algebra_terms.Bag:
        """A group as a bag: its rows where each group has one, else an atom."""
        bag = tuple(self.pushed(t) for t in group.bag)
        group = replace(group, bag=bag)
        single = self._single_rows(group)
        if single is not None:
            return single
        atom = algebra_terms.Atom(self.context.fresh(), group)
        return (algebra_terms.Term((atom,), (), atom.columns),)

    # -- push keys -----------------------------------------------------------------------------

    def pushed(self, term: algebra_terms.Term) -> algebra_terms.Term:
        """Conditions on the keys of a group alone move into the group.

            HAVING k > 5   =>   WHERE k > 5 before grouping

        All rows of a group have its keys, so a condition on the keys keeps or drops a group as a
        whole; nulls form a group and meet the condition alike. Not for a global group: it has a
        row even if none is left.
        """
        for atom in term.atoms:
            group = atom.relation
            if not isinstance(group, algebra_terms.Group) or group.is_global:
                continue
            moving = self._conditions_on_keys(term, atom, group)
            if moving:
                rest = tuple(c for c in term.conditions if c not in moving)
                narrowed = algebra_terms.Atom(atom.var, self._narrowed(atom, group, moving))
                atoms = tuple(narrowed if a is atom else a for a in term.atoms)
                return self.pushed(algebra_terms.Term(atoms, rest, term.outputs))
        return term

    def _conditions_on_keys(
        self, term: algebra_terms.Term, atom: algebra_terms.Atom, group: algebra_terms.Group
    ) -> list[ex.Expr]:
        """Conditions that read keys of a group atom, and no other column of the term."""
        keys = atom.columns[: group.keys]
        others = {a.var for a in term.atoms if a is not atom}
        return [
            c
            for c in term.conditions
            if (read := self.context.free(c)).intersection(keys)
            and all(r in keys for r in read if r.variable == atom.var)
            and others.isdisjoint(r.variable for r in read)
        ]

    def _narrowed(
        self, atom: algebra_terms.Atom, group: algebra_terms.Group, conditions: Sequence[ex.Expr]
    ) -> algebra_terms.Group:
        """The group over those of its rows whose keys meet the conditions."""
        keys = atom.columns[: group.keys]
        bag = []
        for row in map(self.context.freshened, group.bag):
            table = dict(zip(keys, row.outputs, strict=False))
            moved = (self.context.substitute(c, table) for c in conditions)
            bag.append(replace(row, conditions=(*row.conditions, *moved)))
        return replace(group, bag=tuple(bag))

    # -- groups of one row ---------------------------------------------------------------------

    def _single_rows(self, group: algebra_terms.Group) -> algebra_terms.Bag | None:
        """A group whose keys hold a key of its input has one row each: no grouping at all.

        Not for several terms, which could give the same keys twice, nor for a global group.
        """
        if group.is_global or len(group.bag) != 1:
            return None
        (term,) = group.bag
        if not term.atoms or not self._keys_determine(term, term.outputs[: group.keys]):
            return None
        values = []
        for fold in group.folds:
            value = _of_one_row(fold, term)
            if value is None:
                return None
            values.append(value)
        return (replace(term, outputs=(*term.outputs[: group.keys], *values)),)

    def _keys_determine(self, term: algebra_terms.Term, keys: tuple[ex.Expr, ...]) -> bool:
        """Whether equal keys mean the same row of every atom.

        An atom is determined if the columns of one of its keys are fixed; then all its columns
        are, and may determine further atoms. Float keys say nothing: 0.0 groups with -0.0.
        """
        classes = EqualityClasses.of(term.conditions)
        plain = (shifted(k)[1] for k in keys if not ty.has_floats(k.type))  # x + 1 says what x is
        fixed = {m for k in plain for m in classes.members(k)}
        remaining = list(term.atoms)
        relied_on = []
        while remaining:
            determined = self._determined(remaining, term.conditions, classes, fixed)
            if determined is None:
                return False
            atom, key = determined
            if isinstance(atom.relation, algebra_terms.Table):
                relied_on.append(determined)
            remaining.remove(atom)
            fixed |= {m for c in atom.columns for m in classes.members(c)}
        for atom, key in relied_on:
            self.context.note_key(atom, key)
        return True

    def _determined(
        self,
        atoms: Sequence[algebra_terms.Atom],
        conditions: Sequence[ex.Expr],
        classes: EqualityClasses,
        fixed: set[ex.Expr],
    ) -> tuple[algebra_terms.Atom, tuple[ex.RowColumn, ...]] | None:
        """The first atom of which all columns of a key are among the fixed ones, with that key."""
        for atom in atoms:
            for key in self._unique_columns(atom, conditions, classes):
                if all(self._is_fixed(c, fixed, classes) for c in key):
                    return atom, key
        return None

    def _is_fixed(self, c: ex.RowColumn, fixed: set[ex.Expr], classes: EqualityClasses) -> bool:
        return not ty.has_floats(c.type) and any(
            m in fixed or isinstance(m, ex.Literal) for m in classes.members(c)
        )

    def _unique_columns(
        self, atom: algebra_terms.Atom, conditions: Sequence[ex.Expr], classes: EqualityClasses
    ) -> list[tuple[ex.RowColumn, ...]]:
        if isinstance(atom.relation, algebra_terms.Group):
            return [atom.columns[: atom.relation.keys]]  # none for a global one, which has one row
        if isinstance(atom.relation, algebra_terms.Domain):
            return [atom.columns]  # each value once
        return list(row_keys(atom, conditions, classes))

    # -- expansion -----------------------------------------------------------------------------

    def expanded(self, bag: algebra_terms.Bag) -> algebra_terms.Bag:
        """The bag without groups and limits, simplified; empty terms go."""
        terms: list[algebra_terms.Term] = []
        for term in bag:
            for part in self._spelled_out(self.pushed(term)):
                simple = simplify(self.context, part)
                if simple is not None:
                    terms += by_cases(self.context, simple)
        return tuple(terms)

    def _spelled_out(self, term: algebra_terms.Term) -> Iterator[algebra_terms.Term]:
        atom = next(
            (
                a
                for a in term.atoms
                if isinstance(a.relation, algebra_terms.Group | algebra_terms.Top)
            ),
            None,
        )
        if atom is None:
            yield term
            return
        rest = replace(term, atoms=tuple(a for a in term.atoms if a is not atom))
        if isinstance(atom.relation, algebra_terms.Group):
            rows: algebra_terms.Bag = (self._group_row(atom.relation),)
        else:
            assert isinstance(atom.relation, algebra_terms.Top)
            rows = self._first_rows(atom.relation)
        for row in map(self.context.freshened, rows):
            table = dict(zip(atom.columns, row.outputs, strict=True))
            opened = self.context.substitute_term(rest, table)
            yield from self._spelled_out(
                algebra_terms.Term(
                    (*opened.atoms, *row.atoms),
                    (*opened.conditions, *row.conditions),
                    opened.outputs,
                )
            )

    def _group_row(self, group: algebra_terms.Group) -> algebra_terms.Term:
        """A row of a group: its keys range over all values, a row has them, folds go over those.

        Each combination of keys, nulls included, comes once, and only if some row has it. A global
        group is there without rows too.
        """
        inner = self.expanded(group.bag)
        types = [e.type for e in group.bag[0].outputs[: group.keys]] if group.bag else []
        atoms = tuple(
            algebra_terms.Atom(self.context.fresh(), algebra_terms.Domain(t)) for t in types
        )
        keys = tuple(a.columns[0] for a in atoms)

        def member(t: algebra_terms.Term) -> algebra_terms.Term:
            t = self.context.freshened(t)
            fits = tuple(same(k, o) for k, o in zip(keys, t.outputs, strict=False))
            return replace(t, conditions=(*t.conditions, *fits))

        conditions: tuple[ex.Expr, ...] = ()
        if not group.is_global:
            conditions = (self.context.exists(tuple(map(member, inner))),)
        values = []
        for fold in group.folds:
            rows = tuple(
                replace(t, outputs=tuple(t.outputs[i] for i in fold.args))
                for t in map(member, inner)
            )
            if fold.or_zero:
                values.append(sum_or_zero(self.context, fold.type, rows))
            else:
                value = self.context.fold(fold.function, fold.type, fold.distinct, rows)
                values.append(value)
        return algebra_terms.Term(atoms, conditions, (*keys, *values))

    def _first_rows(self, top: algebra_terms.Top) -> algebra_terms.Bag:
        """The rows of a limit, by counting where that says which they are."""
        bag = self.expanded(top.bag)
        if not bag:
            return ()
        ordered = Ordered(self.context)
        counted = ordered.by_counting(top, bag, is_unique=self._tell_apart(bag, top))
        if counted is not None:
            return counted
        name = f"limit {top.limit} offset {top.offset} in order {top.directions}"
        types = tuple(o.type for o in bag[0].outputs)
        atom = algebra_terms.Atom(
            self.context.fresh(),
            algebra_terms.Opaque(name, (bag,), (), types, (True,) * len(types)),
        )
        return (algebra_terms.Term((atom,), (), atom.columns),)

    def tells_apart(self, bag: algebra_terms.Bag, values: list[ex.Expr]) -> bool:
        """Whether no two rows of a single term have the same values."""
        return len(bag) == 1 and self._keys_determine(bag[0], tuple(values))

    def _tell_apart(self, bag: algebra_terms.Bag, top: algebra_terms.Top) -> bool:
        """Whether no two rows have the same sort keys."""
        if not top.directions or any(ty.has_floats(o.type) for o in bag[0].outputs[top.width :]):
            return False
        if len(bag) == 1 and self._keys_determine(bag[0], bag[0].outputs[top.width :]):
            return True
        one = ex.Literal(1, ty.LONG)
        return all(
            self.matcher.always(
                Same(rows_alike(self.context, bag, t.outputs[top.width :], top), one), t
            )
            for t in bag
        )


def _of_one_row(fold: algebra_terms.Fold, term: algebra_terms.Term) -> ex.Expr | None:
    """What a fold gives over a single row; None where that is not said so simply.

    A sum of floats is left out: 0.0 + -0.0 is 0.0, so the sum of -0.0 alone is not -0.0.
    """
    if len(fold.args) != 1:
        return None
    arg = term.outputs[fold.args[0]]
    match fold.function:
        case "min" | "max":
            return arg
        case "avg" if isinstance(arg.type, ty.IntegralType) and isinstance(
            fold.type, ty.DoubleType
        ):
            return ex.Cast(arg, fold.type)
        case "sum" if not ty.has_floats(arg.type):
            return arg if arg.type == fold.type else ex.Cast(arg, fold.type)
        case "count":
            return ex.Case(
                ((ex.Not(ex.IsNull(arg)), ex.Literal(1, fold.type)),), ex.Literal(0, fold.type)
            )
    return None
