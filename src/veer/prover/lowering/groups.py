"""Groups and limits spelled out: domains, existence, folds, and numbers of rows.

A group atom stays whole while conditions may move into it; `expanded` then writes it as: its keys
range over all values, some row with these keys exists, and each fold is the value over the rows
with these keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from veer.model.expr import Case, Cast, Expr, IsNull, Literal, Not, RowColumn
from veer.model.types import LONG, DoubleType, IntegralType, has_floats
from veer.prover.conditions import Classes, row_keys
from veer.prover.context import Context
from veer.prover.folds import sum_or_zero
from veer.prover.lowering.order import Ordered, rows_alike
from veer.prover.matching.matcher import Matcher
from veer.prover.simplify import simplify
from veer.prover.splitting import by_cases
from veer.prover.sums import shifted
from veer.prover.terms import (
    Atom,
    Bag,
    Domain,
    Fold,
    Group,
    Opaque,
    Table,
    Term,
    Top,
)
from veer.smt import Same, same


@dataclass
class Groups:
    """The group rules over a table of context."""

    context: Context
    matcher: Matcher

    def grouped(self, group: Group) -> Bag:
        """A group as a bag: its rows where each group has one, else an atom."""
        bag = tuple(self.pushed(t) for t in group.bag)
        group = replace(group, bag=bag)
        single = self._single_rows(group)
        if single is not None:
            return single
        atom = Atom(self.context.fresh(), group)
        return (Term((atom,), (), atom.columns),)

    # -- push keys -----------------------------------------------------------------------------

    def pushed(self, term: Term) -> Term:
        """Conditions on the keys of a group alone move into the group.

        HAVING k > 5   =>   WHERE k > 5 before grouping
        """
        for atom in term.atoms:
            group = atom.relation
            if not isinstance(group, Group) or group.is_global:
                continue
            keys = atom.columns[: group.keys]
            others = {a.var for a in term.atoms if a is not atom}
            moving = [
                c
                for c in term.conditions
                if (read := self.context.free(c)).intersection(keys)
                and all(r in keys for r in read if r.variable == atom.var)
                and others.isdisjoint(r.variable for r in read)
            ]
            if moving:
                inner = tuple(
                    replace(
                        t,
                        conditions=(
                            *t.conditions,
                            *(
                                self.context.substitute(c, dict(zip(keys, t.outputs, strict=False)))
                                for c in moving
                            ),
                        ),
                    )
                    for t in map(self.context.freshened, group.bag)
                )
                rest = tuple(c for c in term.conditions if c not in moving)
                narrowed = Atom(atom.var, replace(group, bag=inner))
                atoms = tuple(narrowed if a is atom else a for a in term.atoms)
                return self.pushed(Term(atoms, rest, term.outputs))
        return term

    # -- groups of one row ---------------------------------------------------------------------

    def _single_rows(self, group: Group) -> Bag | None:
        """A group whose keys hold a key of its input has one row each: no grouping at all."""
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

    def _keys_determine(self, term: Term, keys: tuple[Expr, ...]) -> bool:
        """Whether equal keys mean the same row of every atom."""
        classes = Classes.of(term.conditions)
        plain = (shifted(k)[1] for k in keys if not has_floats(k.type))  # x + 1 says what x is
        known = {m for k in plain for m in classes.members(k)}
        open_ = list(term.atoms)
        noted = []
        while open_:
            found = None
            for atom in open_:
                for key in self._unique_columns(atom, term.conditions, classes):
                    if all(self._is_known(c, known, classes) for c in key):
                        found = (atom, key)
                        break
                if found:
                    break
            if found is None:
                return False
            atom, key = found
            if isinstance(atom.relation, Table):
                noted.append(found)
            open_.remove(atom)
            known |= {m for c in atom.columns for m in classes.members(c)}
        for atom, key in noted:
            self.context.note_key(atom, key)
        return True

    def _is_known(self, c: RowColumn, known: set[Expr], classes: Classes) -> bool:
        return not has_floats(c.type) and any(
            m in known or isinstance(m, Literal) for m in classes.members(c)
        )

    def _unique_columns(
        self, atom: Atom, conditions: Sequence[Expr], classes: Classes
    ) -> list[tuple[RowColumn, ...]]:
        if isinstance(atom.relation, Group):
            return [atom.columns[: atom.relation.keys]]
        if isinstance(atom.relation, Domain):
            return [atom.columns]
        return list(row_keys(atom, conditions, classes))

    # -- expansion -----------------------------------------------------------------------------

    def expanded(self, bag: Bag) -> Bag:
        """The bag without groups and limits, simplified; empty terms go."""
        terms: list[Term] = []
        for term in bag:
            for part in self._spelled_out(self.pushed(term)):
                simple = simplify(self.context, part)
                if simple is not None:
                    terms += by_cases(self.context, simple)
        return tuple(terms)

    def _spelled_out(self, term: Term) -> Iterator[Term]:
        atom = next((a for a in term.atoms if isinstance(a.relation, Group | Top)), None)
        if atom is None:
            yield term
            return
        rest = replace(term, atoms=tuple(a for a in term.atoms if a is not atom))
        if isinstance(atom.relation, Group):
            rows: Bag = (self._group_row(atom.relation),)
        else:
            assert isinstance(atom.relation, Top)
            rows = self._first_rows(atom.relation)
        for row in map(self.context.freshened, rows):
            table = dict(zip(atom.columns, row.outputs, strict=True))
            opened = self.context.substitute_term(rest, table)
            yield from self._spelled_out(
                Term(
                    (*opened.atoms, *row.atoms),
                    (*opened.conditions, *row.conditions),
                    opened.outputs,
                )
            )

    def _group_row(self, group: Group) -> Term:
        """A row of a group: its keys range over all values, a row has them, folds go over those."""
        inner = self.expanded(group.bag)
        types = [e.type for e in group.bag[0].outputs[: group.keys]] if group.bag else []
        atoms = tuple(Atom(self.context.fresh(), Domain(t)) for t in types)
        keys = tuple(a.columns[0] for a in atoms)

        def member(t: Term) -> Term:
            t = self.context.freshened(t)
            fits = tuple(same(k, o) for k, o in zip(keys, t.outputs, strict=False))
            return replace(t, conditions=(*t.conditions, *fits))

        conditions: tuple[Expr, ...] = ()
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
        return Term(atoms, conditions, (*keys, *values))

    def _first_rows(self, top: Top) -> Bag:
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
        atom = Atom(self.context.fresh(), Opaque(name, (bag,), (), types, (True,) * len(types)))
        return (Term((atom,), (), atom.columns),)

    def tells_apart(self, bag: Bag, values: list[Expr]) -> bool:
        """Whether no two rows of a single term have the same values."""
        return len(bag) == 1 and self._keys_determine(bag[0], tuple(values))

    def _tell_apart(self, bag: Bag, top: Top) -> bool:
        """Whether no two rows have the same sort keys."""
        if not top.directions or any(has_floats(o.type) for o in bag[0].outputs[top.width :]):
            return False
        if len(bag) == 1 and self._keys_determine(bag[0], bag[0].outputs[top.width :]):
            return True
        one = Literal(1, LONG)
        return all(
            self.matcher.always(
                Same(rows_alike(self.context, bag, t.outputs[top.width :], top), one), t
            )
            for t in bag
        )


def _of_one_row(fold: Fold, term: Term) -> Expr | None:
    """What a fold gives over a single row."""
    if len(fold.args) != 1:
        return None
    arg = term.outputs[fold.args[0]]
    match fold.function:
        case "min" | "max":
            return arg
        case "avg" if isinstance(arg.type, IntegralType) and isinstance(fold.type, DoubleType):
            return Cast(arg, fold.type)
        case "sum" if not has_floats(arg.type):
            return arg if arg.type == fold.type else Cast(arg, fold.type)
        case "count":
            return Case(((Not(IsNull(arg)), Literal(1, fold.type)),), Literal(0, fold.type))
    return None
