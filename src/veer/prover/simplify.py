"""Terms in fewer atoms: rules that keep the bag, or inside an EXISTS whether it is empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from veer.analysis.constants import computed
from veer.model.expr import (
    And,
    Call,
    Case,
    Cast,
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
from veer.model.types import has_floats
from veer.model.walk import parts
from veer.prover.conditions import (
    WILD,
    Classes,
    can_be_null,
    equalities,
    is_never,
    is_strict,
    joined_texts,
    row_keys,
)
from veer.prover.definitions import Definitions, SomeRow
from veer.prover.terms import (
    FALSE,
    TRUE,
    Atom,
    Domain,
    Relation,
    Table,
    Term,
)
from veer.smt import Holds
from veer.smt.formula import ADDED, MULTIPLIED, SAME, Variable

ROUNDS = 40


@dataclass
class Simplifying(Definitions):
    """The rules over a table of symbols."""

    def simplify(self, term: Term, *, in_exists: bool = False) -> Term | None:
        """The same bag (or, in an EXISTS, the same emptiness) in fewer atoms; None if empty."""
        for _ in range(ROUNDS):
            conditions = self.flat(term.conditions)
            if conditions is None:
                return None
            term = replace(term, conditions=conditions)
            changed = (
                self.eliminate_domain(term)
                or self._merge_by_key(term)
                or (self._inline_exists(term) if in_exists else self._inline_unique(term))
                or (None if in_exists else self._move_to_exists(term))
            )
            if changed is None:
                return self._with_plain_outputs(term)
            term = changed
        return term

    def flat(self, conditions: Iterable[Expr]) -> tuple[Expr, ...] | None:
        """Conjuncts without repetition; None if one is never true."""
        kept: dict[Expr, None] = {}
        stack = list(reversed(tuple(conditions)))
        while stack:
            condition = stack.pop()
            match condition:
                case And(args):
                    stack.extend(reversed(args))
                    continue
                case Not(Not(arg)) | Case(((arg, Literal(True)),), Literal(False)):
                    stack.append(arg)
                    continue
                case Case(((arg, Literal(True)), (_, Literal(None))), Literal(False)):
                    stack.append(arg)  # IN: null is not true either
                    continue
                case Not(And(args)) if any(is_never(a) for a in args):
                    continue
                case Not(Or(args)):
                    stack.extend(Not(a) for a in reversed(args))
                    continue
                case Not(IsNull(RowColumn(nullable=False) | Symbol(nullable=False))):
                    continue
                case Not(IsNull(OpaqueCall(identity))) if identity in (ADDED, MULTIPLIED):
                    continue
                case Not(IsNull(Call(function, args))) if is_strict(function):
                    stack.extend(Not(IsNull(a)) for a in reversed(args))
                    continue
                case Not(IsNull(Literal(value))):
                    condition = FALSE if value is None else TRUE
                case IsNull(RowColumn(nullable=False) | Symbol(nullable=False)):
                    condition = FALSE
                case Compare("<=>" | "=" as op, Literal(a), Literal(b)) if (
                    condition.left.type == condition.right.type
                    and not has_floats(condition.left.type)
                ):
                    known = a is not None and b is not None
                    equal = a == b and (known or op == "<=>")
                    condition = TRUE if equal else FALSE
                case Compare("<=>" | "=", left, right) if left == right:
                    if isinstance(condition, Compare) and condition.op == "=":
                        stack.append(Not(IsNull(left)))
                    continue
                case Compare("=", left, right) if not has_floats(left.type):
                    if can_be_null(left) and can_be_null(right):
                        stack.append(Not(IsNull(left)))
                    condition = Compare("<=>", left, right)
                case OpaqueCall(identity, (left, right)) if identity == SAME and left == right:
                    continue
            if isinstance(condition, Literal):
                if condition.value is not True:
                    return None
                continue
            if condition not in kept and not self._reads(condition):
                if self.solver.refutes([Holds(condition)]):
                    return None
                if self.solver.proves(Holds(condition)):
                    continue
            kept[condition] = None
        return tuple(kept)

    def eliminate_domain(self, term: Term) -> Term | None:
        """A value that is equal to an expression ranges over that expression only.

        sum over d of [d = e] f(d)   =>   f(e)
        """
        domains: dict[Variable, Atom] = {
            a.columns[0]: a for a in term.atoms if isinstance(a.relation, Domain)
        }
        if not domains:
            return None
        for condition in term.conditions:
            for variable, value, is_sql in equalities(condition):
                atom = domains.get(variable)
                if atom is None or atom.var in self.variables(value):
                    continue
                if value.type != atom.columns[0].type:
                    continue
                rest = tuple(c for c in term.conditions if c is not condition)
                known = (Not(IsNull(value)),) if is_sql else ()
                return self.substitute_term(
                    Term(
                        tuple(a for a in term.atoms if a is not atom),
                        (*rest, *known),
                        term.outputs,
                    ),
                    {atom.columns[0]: value},
                )
        return None

    def _merge_by_key(self, term: Term) -> Term | None:
        """Two rows of a table that agree on a key are one row."""
        classes = Classes.of(term.conditions)
        for i, a in enumerate(term.atoms):
            for b in term.atoms[i + 1 :]:
                if a.relation != b.relation:
                    continue
                places = {c: i for i, c in enumerate(a.columns)}
                for one in row_keys(a, term.conditions, classes):
                    if any(has_floats(c.type) for c in one):
                        continue
                    two = tuple(b.columns[places[c]] for c in one)
                    if all(classes.are_same(x, y) for x, y in zip(one, two, strict=True)):
                        self.note_key(a, one)
                        table = dict(zip(b.columns, a.columns, strict=True))
                        rest = tuple(x for x in term.atoms if x is not b)
                        return self.substitute_term(replace(term, atoms=rest), table)
        return None

    def note_key(self, atom: Atom, key: Sequence[RowColumn]) -> None:
        """Remember that a declared key was relied on."""
        assert isinstance(atom.relation, Table)
        source = atom.relation.source
        own = atom.columns
        names = tuple(source.fields[own.index(c)].name for c in key)
        is_key = names in source.keys
        said = f"is a key of {source.table}" if is_key else f"is unique in {source.table}"
        self.keys_used.add(f"{', '.join(names)} {said}")

    def _inline_exists(self, term: Term) -> Term | None:
        """Inside an EXISTS, a further EXISTS is a join: multiplicities do not matter."""
        for condition in term.conditions:
            definition = self.some_row(condition)
            if definition is not None:
                return self._joined(term, condition, definition)
        return None

    def _inline_unique(self, term: Term) -> Term | None:
        """A group that has only one row is that row.

        DISTINCT over rows that hold a key: "some row with these values" is met by one row at
        most, so it may be joined, and the values are then read off that row. Of several rows
        those are joined that are fixed one after the other.
        """
        domains = {a.var for a in term.atoms if isinstance(a.relation, Domain)}
        if not domains:
            return None
        for condition in term.conditions:
            definition = self.some_row(condition)
            if definition is None or domains.isdisjoint(self.variables(condition)):
                continue
            body = self.freshened(definition.term)
            fixed = self.determined(body)
            if fixed:
                return self._split(term, condition, body, fixed)
        return None

    def _split(self, term: Term, condition: Expr, body: Term, fixed: Sequence[Atom]) -> Term:
        """Join the rows of an EXISTS that are fixed by what is around it; the rest stays inside."""
        rest = tuple(a for a in body.atoms if a not in fixed)
        inner = {a.var for a in rest}
        inside = tuple(c for c in body.conditions if not inner.isdisjoint(self.variables(c)))
        outside = tuple(c for c in body.conditions if c not in inside)
        found = (self.exists((Term(rest, inside, ()),)),) if rest else ()
        kept = tuple(c for c in term.conditions if c is not condition)
        return Term((*term.atoms, *fixed), (*kept, *outside, *found), term.outputs)

    def some_row(self, condition: Expr) -> SomeRow | None:
        if isinstance(condition, Symbol):
            definition = self.definitions[condition]
            if isinstance(definition, SomeRow):
                return definition
        return None

    def _joined(self, term: Term, condition: Expr, definition: SomeRow) -> Term:
        body = self.freshened(definition.term)
        rest = tuple(c for c in term.conditions if c is not condition)
        return Term(term.atoms + body.atoms, rest + body.conditions, term.outputs)

    def determined(self, body: Term) -> list[Atom]:
        """Atoms of which at most one row fits the rows around the body, one after the other."""
        classes = Classes.of(body.conditions)
        read = {c.variable for a in body.atoms for c in self.relation_free(a.relation)}
        open_ = {a.var: a for a in body.atoms if a.var not in read}
        determined: list[Atom] = []
        fixed: set[int] = set()
        while True:
            found = next(
                (
                    (a, key)
                    for a in open_.values()
                    for key in row_keys(a, body.conditions, classes)
                    if self._is_fixed(key, classes, {b.var for b in body.atoms} - fixed)
                ),
                None,
            )
            if found is None:
                return determined
            self.note_key(*found)
            determined.append(found[0])
            fixed.add(found[0].var)
            del open_[found[0].var]

    def _is_fixed(self, key: Sequence[RowColumn], classes: Classes, unknown: set[int]) -> bool:
        return all(
            not has_floats(c.type)
            and any(unknown.isdisjoint(self.variables(e)) for e in classes.members(c))
            for c in key
        )

    def _move_to_exists(self, term: Term) -> Term | None:
        """A row fixed by a key whose columns nobody reads only has to exist.

        Also the other way of reading an inner join to a parent table.
        """
        classes = Classes.of(term.conditions)
        fixed: dict[Atom, tuple[RowColumn, ...]] = {}
        for atom in term.atoms:
            for key in row_keys(atom, term.conditions, classes):
                if atom not in fixed and self._is_fixed(key, classes, {atom.var}):
                    fixed[atom] = key
        # A row that fixes another goes after it.
        leading = {
            read
            for atom, key in fixed.items()
            for c in key
            for e in classes.members(c)
            for read in self.variables(e)
            if read != atom.var
        }
        for atom in sorted(fixed, key=lambda a: a.var in leading):
            others = tuple(a for a in term.atoms if a is not atom)
            if any(self._depends_on(a.relation, atom.var) for a in others):
                continue
            outputs = [self._without(o, atom, classes) for o in term.outputs]
            if any(o is None for o in outputs):
                continue
            inside = tuple(c for c in term.conditions if atom.var in self.variables(c))
            outside = tuple(c for c in term.conditions if c not in inside)
            self.note_key(atom, fixed[atom])
            found = self.exists((Term((atom,), inside, ()),))
            return Term(others, (*outside, found), tuple(o for o in outputs if o is not None))
        return None

    def _depends_on(self, relation: Relation, var: int) -> bool:
        return any(column.variable == var for column in self.relation_free(relation))

    def _without(self, expr: Expr, atom: Atom, classes: Classes) -> Expr | None:
        """The expression without reading an atom, by what its columns are equal to."""
        table: dict[RowColumn, Expr] = {}
        for c in atom.columns:
            if c in self.free(expr):
                other = next(
                    (e for e in classes.members(c) if atom.var not in self.variables(e)), None
                )
                if other is None:
                    return None
                table[c] = other
        return self.substitute(expr, table) if table else expr

    def _with_plain_outputs(self, term: Term) -> Term:
        """Outputs in terms of constants and outer columns where equalities allow it."""
        if not term.outputs:
            return term
        classes = Classes.of(term.conditions)
        bound = {a.var for a in term.atoms}
        table: dict[RowColumn, Expr] = {}
        for column in frozenset().union(*(self.free(o) for o in term.outputs)):
            if column.variable in bound:
                plain = next(
                    (e for e in classes.members(column) if bound.isdisjoint(self.variables(e))),
                    None,
                )
                if plain is not None:
                    table[column] = plain
        if not table:
            return term
        return replace(term, outputs=tuple(self.substitute(o, table) for o in term.outputs))

    # -- expressions -------------------------------------------------------------------------

    def settled(self, expr: Expr) -> Expr:
        """The expression without tests and branches whose outcome is known beforehand."""
        match expr:
            case IsNull(arg) if not can_be_null(arg):
                return FALSE
            case Not(Literal(bool() as value)):
                return FALSE if value else TRUE
            case Call("like", (arg, Literal(str() as pattern))) if not WILD.search(pattern):
                return Compare("=", arg, Literal(pattern, arg.type))
            case Call("like", (arg, Literal("%"))):
                return Compare("=", arg, arg)
            case Call("concat", args, type_):
                return joined_texts(args, type_)
            case Call() | Cast():
                return computed(expr)
            case Case(branches, otherwise):
                kept: list[tuple[Expr, Expr]] = []
                for when, then in branches:
                    if not self._reads(when):
                        if self.solver.refutes([Holds(when)]):
                            continue
                        if self.solver.proves(Holds(when)):
                            otherwise = then
                            break
                    kept.append((when, then))
                if not kept:
                    return otherwise
                return expr if len(kept) == len(branches) else Case(tuple(kept), otherwise)
            case _:
                return expr

    def _reads(self, expr: Expr) -> bool:
        return any(isinstance(node, RowColumn | Symbol) for node in parts(expr))
