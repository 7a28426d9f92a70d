"""Symbols: conditions and values defined by whole bags, and the simplification of terms.

`?3!` may stand for "some row of this term exists", `?4` for "the sum over this bag". Equal
definitions, up to the names of bound variables, are one symbol. Substituting a column rebuilds
the symbols that read it, so there is no capture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias, final

from veer.dataflow.coercion import conjunction
from veer.dataflow.constants import computed
from veer.dataflow.expr import (
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Expr,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
)
from veer.dataflow.functions.registry import Nulls, scalar_function
from veer.dataflow.nullability import is_nullable
from veer.dataflow.schema import Field, Schema
from veer.dataflow.types import BOOLEAN, LONG, DataType, has_floats, is_orderable
from veer.dataflow.walk import columns_read, map_children, parts
from veer.evs.algebra.terms import (
    COPIES,
    FALSE,
    TRUE,
    Atom,
    Bag,
    Domain,
    Group,
    Opaque,
    Relation,
    Table,
    Term,
    Top,
    columns,
    is_symbol,
    key_columns,
    variable,
)
from veer.evs.algebra.totals import (
    Summand,
    added,
    arms,
    is_summed_exactly,
    multiplied,
    shifted,
    shifted_back,
    summands,
)
from veer.smt import Holds, Solver, never_null, same
from veer.smt.formula import ADDED, MULTIPLIED, SAME

ROUNDS = 40
MOST_BRANCHES = 4
SET_LIKE = frozenset({"min", "max", "bool_and", "bool_or"})  # duplicates do not matter
SKIP_NULLS = frozenset({"sum", "min", "max", "avg", "bool_and", "bool_or", "count"})


class TooLargeError(Exception):
    """A normal form larger than is worth trying; never escapes the prover."""


@final
@dataclass(frozen=True, slots=True)
class SomeRow:
    """True if the term has a row."""

    term: Term


@final
@dataclass(frozen=True, slots=True)
class Folded:
    """The value of an aggregate function over a bag of argument rows."""

    function: str
    type: DataType
    distinct: bool
    bag: Bag

    @property
    def ignores_duplicates(self) -> bool:
        return self.distinct or self.function in SET_LIKE


@final
@dataclass(frozen=True, slots=True)
class Totaled:
    """The only output of a term, which is never null, added up: zero over no rows."""

    term: Term

    @property
    def counts(self) -> bool:
        """Whether every row adds at least one."""
        (output,) = self.term.outputs
        return isinstance(output, Literal) and output.value >= 1


Definition: TypeAlias = SomeRow | Folded | Totaled


def body(definition: Definition) -> Bag:
    """The terms a definition is about."""
    return definition.bag if isinstance(definition, Folded) else (definition.term,)


@dataclass
class Symbols:
    """The definitions of one query pair; also hands out tuple variables."""

    solver: Solver
    definitions: dict[str, Definition] = field(default_factory=dict)
    _names: dict[Definition, str] = field(default_factory=dict)
    _free: dict[str, frozenset[str]] = field(default_factory=dict)
    _last: int = 0
    keys_used: set[str] = field(default_factory=set)

    def fresh(self) -> int:
        """A new tuple variable."""
        self._last += 1
        return self._last

    def type_of(self, name: str) -> DataType:
        """The type of a symbol."""
        definition = self.definitions[name]
        if isinstance(definition, Totaled):
            return definition.term.outputs[0].type
        return definition.type if isinstance(definition, Folded) else BOOLEAN

    def is_total(self, name: str) -> bool:
        """Whether a symbol is a total."""
        return isinstance(self.definitions[name], Totaled)

    def totaled(self, name: str) -> Totaled:
        """The definition of a total."""
        definition = self.definitions[name]
        assert isinstance(definition, Totaled)
        return definition

    # -- free columns and substitution ---------------------------------------------------------

    def free(self, expr: Expr) -> frozenset[str]:
        """Columns of tuple variables an expression depends on, through symbols too."""
        found: set[str] = set()
        for node in parts(expr):
            if isinstance(node, Column):
                if is_symbol(node.name):
                    found |= self._free[node.name]
                else:
                    found.add(node.name)
        return frozenset(found)

    def variables(self, expr: Expr) -> frozenset[int]:
        """Tuple variables an expression depends on."""
        return frozenset(variable(name) for name in self.free(expr))

    def relation_free(self, relation: Relation) -> frozenset[str]:
        """Columns of other variables a relation depends on."""
        match relation:
            case Table() | Domain():
                return frozenset()
            case Group(bag) | Top(bag):
                return self.bag_free(bag)
            case Opaque(bags=bags, args=args):
                found = [self.bag_free(b) for b in bags] + [self.free(a) for a in args]
                return frozenset().union(*found)

    def bag_free(self, bag: Bag) -> frozenset[str]:
        """Columns a bag reads of variables it does not bind."""
        return frozenset().union(*(self.term_free(t) for t in bag))

    def term_free(self, term: Term) -> frozenset[str]:
        """Columns a term reads of variables it does not bind."""
        read: set[str] = set()
        for expr in (*term.conditions, *term.outputs):
            read |= self.free(expr)
        for atom in term.atoms:
            read |= self.relation_free(atom.relation)
        bound = {a.var for a in term.atoms}
        return frozenset(name for name in read if variable(name) not in bound)

    def substitute(self, expr: Expr, table: Mapping[str, Expr]) -> Expr:
        """Replace columns of tuple variables, inside the definitions of symbols too."""
        if isinstance(expr, Column):
            if not is_symbol(expr.name):
                return table.get(expr.name, expr)
            if self._free[expr.name].isdisjoint(table):
                return expr
            return self._rebuilt(self.definitions[expr.name], table)
        return map_children(expr, lambda child: self.substitute(child, table))

    def _rebuilt(self, definition: Definition, table: Mapping[str, Expr]) -> Expr:
        if isinstance(definition, SomeRow):
            return self.exists((self.substitute_term(self.freshened(definition.term), table),))
        if isinstance(definition, Totaled):
            term = self.substitute_term(self.freshened(definition.term), table)
            return self.total(term, definition.term.outputs[0].type)
        bag = tuple(self.substitute_term(self.freshened(t), table) for t in definition.bag)
        return self.fold(definition.function, definition.type, definition.distinct, bag)

    def substitute_term(self, term: Term, table: Mapping[str, Expr]) -> Term:
        """Replace columns of variables the term does not bind."""
        return Term(
            tuple(Atom(a.var, self._substitute_relation(a.relation, table)) for a in term.atoms),
            tuple(self.substitute(c, table) for c in term.conditions),
            tuple(self.substitute(o, table) for o in term.outputs),
        )

    def _substitute_relation(self, relation: Relation, table: Mapping[str, Expr]) -> Relation:
        if isinstance(relation, Table | Domain):
            return relation
        if self.relation_free(relation).isdisjoint(table):
            return relation
        if isinstance(relation, Group | Top):
            bag = tuple(self.substitute_term(self.freshened(t), table) for t in relation.bag)
            return replace(relation, bag=bag)
        bags = tuple(
            tuple(self.substitute_term(self.freshened(t), table) for t in bag)
            for bag in relation.bags
        )
        args = tuple(self.substitute(a, table) for a in relation.args)
        return replace(relation, bags=bags, args=args)

    def freshened(self, term: Term) -> Term:
        """The same term with new bound variables."""
        return self._renamed(term, [self.fresh() for _ in term.atoms])

    def _renamed(self, term: Term, new: Sequence[int]) -> Term:
        table: dict[str, Expr] = {}
        for atom, var in zip(term.atoms, new, strict=True):
            if atom.var != var:
                table.update(
                    (a.name, b)
                    for a, b in zip(columns(atom), columns(Atom(var, atom.relation)), strict=True)
                )
        if not table:
            return term
        moved = tuple(Atom(v, a.relation) for a, v in zip(term.atoms, new, strict=True))
        return self.substitute_term(replace(term, atoms=moved), table)

    # -- smart constructors --------------------------------------------------------------------

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
                if not isinstance(condition, Not) or self._some_row(condition.arg) is None:
                    continue
                rest = tuple(c for c in term.conditions if c is not condition)
                half = self.freshened(replace(term, conditions=(*rest, condition.arg)))
                other_half = _conjuncts(self._exists(half))
                others = terms[:place] + terms[place + 1 :]
                for other in others:
                    if _conjuncts(self._exists(self.freshened(other))) == other_half:
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
                found.append(self._symbol(SomeRow(Term(atoms, conditions, ())), BOOLEAN, "!"))
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

    def by_cases(self, term: Term) -> list[Term]:
        """A term by the cases of an OR that fix a value which otherwise ranges over all.

        x is 'r' and p,  or  x is 's' and q   =>   x is 'r' and p;  x is 's' and q, not the first
        """
        domains = {a.var for a in term.atoms if isinstance(a.relation, Domain)}
        for condition in term.conditions:
            if not isinstance(condition, Or) or len(condition.args) > MOST_BRANCHES:
                continue
            if not any(self._fixes(a, domains) for a in condition.args):
                continue
            rest = tuple(c for c in term.conditions if c is not condition)
            before: tuple[Expr, ...] = ()
            found: list[Term] = []
            for case in condition.args:
                part = self.freshened(replace(term, conditions=(*rest, case, *before)))
                made = self.simplify(part)
                if made is not None:
                    found += self.by_cases(made)
                before = (*before, Not(two_valued(case)))
            return found
        return [term]

    def _fixes(self, condition: Expr, domains: set[int]) -> bool:
        """Whether a condition makes a value that ranges over all the same as another."""
        return any(
            {variable(name)} <= domains and variable(name) not in self.variables(other)
            for c in _conjuncts(condition)
            for name, other, _ in _equalities(c)
            if not is_symbol(name)
        )

    def _speaks_of_rows(self, condition: Expr) -> bool:
        conjuncts = condition.args if isinstance(condition, And) else (condition,)
        return any(self._some_row(c) is not None for c in conjuncts)

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
            join({atom.var, *map(variable, self.relation_free(atom.relation))})
        found = []
        for name in dict.fromkeys(group.values()):
            members = tuple(a for a in atoms if group[a.var] == name)
            own = {a.var for a in members}
            kept = tuple(c for c in conditions if not own.isdisjoint(self.variables(c)))
            found.append((members, kept))
        return found

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
            factor, offset, rest = _unshifted(bag)
            if rest is not bag:
                end = function if factor > 0 else OTHER_END[function]
                value = self._folded(end, rest[0].outputs[0].type, False, rest)
                return shifted_back(value, factor, offset, type_)
        return self._folded(function, type_, distinct and function not in SET_LIKE, bag)

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
        values = [columns(a)[0] for a in row]
        members = tuple(
            replace(t, conditions=(*t.conditions, *map(same, values, t.outputs)))
            for t in map(self.freshened, bag)
        )
        known = () if with_nulls else tuple(Not(IsNull(v)) for v in values)
        return (Term(tuple(row), (self.exists(members), *known), tuple(values)),)

    def _folded(self, function: str, type_: DataType, distinct: bool, bag: Bag) -> Expr:
        simple: list[Term] = []
        for term in bag:
            if function in SKIP_NULLS:
                known = tuple(Not(IsNull(o)) for o in term.outputs)
                term = replace(term, conditions=term.conditions + known)
            made = self.simplify(term)
            if made is not None:
                simple.append(made)
        nothing = Literal(0 if function == "count" else None, type_)
        if not simple and (function in SKIP_NULLS or function == "scalar"):
            return nothing
        definition = Folded(function, type_, distinct, tuple(simple))
        constant = self._constant_fold(definition)
        if constant is not None:
            return Case(((self.exists(definition.bag), constant),), nothing)
        return self._symbol(definition, type_, "!" if function == "count" else "")

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

    # -- totals --------------------------------------------------------------------------------

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

    def is_one_row(self, term: Term) -> bool:
        """Whether keys leave one combination of rows at most."""
        if not term.atoms or not all(isinstance(a.relation, Table) for a in term.atoms):
            return False
        return len(self._determined(term)) == len(term.atoms)

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
        return self._symbol(Totaled(term), type_, "!")

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
            if isinstance(factor, Column) and is_symbol(factor.name):
                definition = self.definitions[factor.name]
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
            equalities = [c for c in conditions if _equates(c, members)]
            table = {m.name: value for m in inner if isinstance(m, Column)}
            conditions = [self.substitute(c, table) for c in conditions if c not in equalities]
            outputs = [self.substitute(o, table) for o in outputs]
            conditions += [same(m, value) for m in (*inner, *outer[1:])]
            if any(isinstance(c, Compare) and c.op == "=" for c in equalities):
                conditions.append(Not(IsNull(value)))
        made = self._flat(conditions)
        assert made is not None or conditions
        return Term(term.atoms, made if made is not None else (FALSE,), tuple(outputs))

    def _symbol(self, definition: Definition, type_: DataType, suffix: str) -> Column:
        bag = body(definition)
        free = self.bag_free(bag)
        lowest = min((variable(name) for name in free), default=0)
        named = tuple(self._canonical(term, min(lowest, 0)) for term in bag)
        if isinstance(definition, Folded):
            definition = replace(definition, bag=named)
        else:
            definition = replace(definition, term=named[0])
        name = self._names.get(definition)
        if name is None:
            name = f"?{len(self._names)}{suffix}"
            self._names[definition] = name
            self.definitions[name] = definition
            self._free[name] = free
        return Column(name, type_)

    def _canonical(self, term: Term, lowest: int) -> Term:
        """Bound variables named by their place: negative, below those of enclosing terms."""
        return self._renamed(term, [lowest - 1 - i for i in range(len(term.atoms))])

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
                return _joined_texts(args, type_)
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
        return any(isinstance(node, Column) for node in parts(expr))

    # -- simplification ------------------------------------------------------------------------

    def simplify(self, term: Term, *, in_exists: bool = False) -> Term | None:
        """The same bag (or, in an EXISTS, the same emptiness) in fewer atoms; None if empty."""
        for _ in range(ROUNDS):
            conditions = self._flat(term.conditions)
            if conditions is None:
                return None
            term = replace(term, conditions=conditions)
            changed = (
                self._eliminate_domain(term)
                or self._merge_by_key(term)
                or (self._inline_exists(term) if in_exists else self._inline_unique(term))
                or (None if in_exists else self._move_to_exists(term))
            )
            if changed is None:
                return self._with_plain_outputs(term)
            term = changed
        return term

    def _flat(self, conditions: Iterable[Expr]) -> tuple[Expr, ...] | None:
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
                case Not(And(args)) if any(_is_never(a) for a in args):
                    continue
                case Not(Or(args)):
                    stack.extend(Not(a) for a in reversed(args))
                    continue
                case Not(IsNull(Column(name))) if never_null(name):
                    continue
                case Not(IsNull(OpaqueCall(identity))) if identity in (ADDED, MULTIPLIED):
                    continue
                case Not(IsNull(Call(function, args))) if _is_strict(function):
                    stack.extend(Not(IsNull(a)) for a in reversed(args))
                    continue
                case Not(IsNull(Literal(value))):
                    condition = FALSE if value is None else TRUE
                case IsNull(Column(name)) if never_null(name):
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

    def _eliminate_domain(self, term: Term) -> Term | None:
        """A value that is equal to an expression ranges over that expression only.

        sum over d of [d = e] f(d)   =>   f(e)
        """
        domains = {columns(a)[0].name: a for a in term.atoms if isinstance(a.relation, Domain)}
        if not domains:
            return None
        for condition in term.conditions:
            for name, value, is_sql in _equalities(condition):
                atom = domains.get(name)
                if atom is None or atom.var in self.variables(value):
                    continue
                if value.type != columns(atom)[0].type:
                    continue
                rest = tuple(c for c in term.conditions if c is not condition)
                known = (Not(IsNull(value)),) if is_sql else ()
                return self.substitute_term(
                    Term(
                        tuple(a for a in term.atoms if a is not atom),
                        (*rest, *known),
                        term.outputs,
                    ),
                    {name: value},
                )
        return None

    def _merge_by_key(self, term: Term) -> Term | None:
        """Two rows of a table that agree on a key are one row."""
        classes = Classes.of(term.conditions)
        for i, a in enumerate(term.atoms):
            for b in term.atoms[i + 1 :]:
                if a.relation != b.relation:
                    continue
                for one, two in zip(key_columns(a), key_columns(b), strict=True):
                    if any(has_floats(c.type) for c in one):
                        continue
                    if all(classes.are_same(x, y) for x, y in zip(one, two, strict=True)):
                        self.note_key(a, one)
                        table = dict(zip((c.name for c in columns(b)), columns(a), strict=True))
                        rest = tuple(x for x in term.atoms if x is not b)
                        return self.substitute_term(replace(term, atoms=rest), table)
        return None

    def note_key(self, atom: Atom, key: Sequence[Column]) -> None:
        """Remember that a declared key was relied on."""
        assert isinstance(atom.relation, Table)
        source = atom.relation.source
        own = columns(atom)
        names = ", ".join(source.fields[own.index(c)].name for c in key)
        self.keys_used.add(f"{names} is a key of {source.table}")

    def _inline_exists(self, term: Term) -> Term | None:
        """Inside an EXISTS, a further EXISTS is a join: multiplicities do not matter."""
        for condition in term.conditions:
            definition = self._some_row(condition)
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
            definition = self._some_row(condition)
            if definition is None or domains.isdisjoint(self.variables(condition)):
                continue
            body = self.freshened(definition.term)
            fixed = self._determined(body)
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

    def _some_row(self, condition: Expr) -> SomeRow | None:
        if isinstance(condition, Column) and is_symbol(condition.name):
            definition = self.definitions[condition.name]
            if isinstance(definition, SomeRow):
                return definition
        return None

    def _joined(self, term: Term, condition: Expr, definition: SomeRow) -> Term:
        body = self.freshened(definition.term)
        rest = tuple(c for c in term.conditions if c is not condition)
        return Term(term.atoms + body.atoms, rest + body.conditions, term.outputs)

    def _determined(self, body: Term) -> list[Atom]:
        """Atoms of which at most one row fits the rows around the body, one after the other."""
        classes = Classes.of(body.conditions)
        read = {variable(n) for a in body.atoms for n in self.relation_free(a.relation)}
        open_ = {a.var: a for a in body.atoms if a.var not in read}
        determined: list[Atom] = []
        fixed: set[int] = set()
        while True:
            found = next(
                (
                    (a, key)
                    for a in open_.values()
                    for key in key_columns(a)
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

    def _is_fixed(self, key: Sequence[Column], classes: Classes, unknown: set[int]) -> bool:
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
        for atom in term.atoms:
            if not isinstance(atom.relation, Table):
                continue
            fixed = next(
                (k for k in key_columns(atom) if self._is_fixed(k, classes, {atom.var})), None
            )
            if fixed is None:
                continue
            others = tuple(a for a in term.atoms if a is not atom)
            if any(atom.var in map(variable, self.relation_free(a.relation)) for a in others):
                continue
            outputs = [self._without(o, atom, classes) for o in term.outputs]
            if any(o is None for o in outputs):
                continue
            inside = tuple(c for c in term.conditions if atom.var in self.variables(c))
            outside = tuple(c for c in term.conditions if c not in inside)
            self.note_key(atom, fixed)
            found = self.exists((Term((atom,), inside, ()),))
            return Term(others, (*outside, found), tuple(o for o in outputs if o is not None))
        return None

    def by_keys(self, term: Term) -> Term | None:
        """Rows of tables with a key as values of the key and what it leads to; None if no table.

        dept d: d.name   =>   every k: some dept has the key k, and the name of the dept with key k
        """
        for atom in term.atoms:
            made = self._by_key(term, atom)
            if made is not None:
                rest = self.by_keys(made)
                return self._without_domains(made) if rest is None else rest
        return None

    def _by_key(self, term: Term, atom: Atom) -> Term | None:
        key = next((k for k in key_columns(atom) if not any(has_floats(c.type) for c in k)), None)
        others = tuple(a for a in term.atoms if a is not atom)
        if key is None or any(
            atom.var in map(variable, self.relation_free(a.relation)) for a in others
        ):
            return None
        domains = [Atom(self.fresh(), Domain(c.type)) for c in key]
        row = Atom(self.fresh(), atom.relation)
        place = {c: i for i, c in enumerate(columns(atom))}
        values = [columns(d)[0] for d in domains]
        fits = tuple(same(columns(row)[place[c]], v) for c, v in zip(key, values, strict=True))
        table: dict[str, Expr] = {c.name: v for c, v in zip(key, values, strict=True)}
        read = frozenset().union(*(self.free(e) for e in (*term.conditions, *term.outputs)))
        for column in columns(atom):
            if column.name in read and column.name not in table:
                if not is_orderable(column.type):
                    return None
                own = Term((row,), fits, (columns(row)[place[column]],))
                table[column.name] = self._folded("max", column.type, False, (own,))
        self.note_key(atom, key)
        found = self._symbol(SomeRow(Term((row,), fits, ())), BOOLEAN, "!")
        moved = self.substitute_term(Term(others, term.conditions, term.outputs), table)
        return Term((*moved.atoms, *domains), (*moved.conditions, found), moved.outputs)

    def _without_domains(self, term: Term) -> Term:
        for _ in range(ROUNDS):
            conditions = self._flat(term.conditions)
            if conditions is None:
                return replace(term, conditions=(FALSE,))
            term = replace(term, conditions=conditions)
            changed = self._eliminate_domain(term)
            if changed is None:
                return term
            term = changed
        return term

    def _without(self, expr: Expr, atom: Atom, classes: Classes) -> Expr | None:
        """The expression without reading an atom, by what its columns are equal to."""
        table: dict[str, Expr] = {}
        for c in columns(atom):
            if c.name in self.free(expr):
                other = next(
                    (e for e in classes.members(c) if atom.var not in self.variables(e)), None
                )
                if other is None:
                    return None
                table[c.name] = other
        return self.substitute(expr, table) if table else expr

    def _with_plain_outputs(self, term: Term) -> Term:
        """Outputs in terms of constants and outer columns where equalities allow it."""
        if not term.outputs:
            return term
        classes = Classes.of(term.conditions)
        bound = {a.var for a in term.atoms}
        table: dict[str, Expr] = {}
        for name in sorted(frozenset().union(*(self.free(o) for o in term.outputs))):
            if variable(name) in bound:
                own = next(c for a in term.atoms for c in columns(a) if c.name == name)
                plain = next(
                    (e for e in classes.members(own) if bound.isdisjoint(self.variables(e))), None
                )
                if plain is not None:
                    table[name] = plain
        if not table:
            return term
        return replace(term, outputs=tuple(self.substitute(o, table) for o in term.outputs))


WILD = re.compile(r"[%_\\\\]")


def _joined_texts(args: tuple[Expr, ...], type_: DataType) -> Expr:
    """A concatenation without nested ones, constants side by side put together."""
    flat: list[Expr] = []
    for arg in args:
        for part in arg.args if isinstance(arg, Call) and arg.function == "concat" else (arg,):
            match flat[-1:], part:
                case [Literal(str() as before)], Literal(str() as after):
                    flat[-1] = Literal(before + after, part.type)
                case _:
                    flat.append(part)
    if len(flat) == 1 and flat[0].type == type_:
        return flat[0]
    return Call("concat", tuple(flat), type_)


def _is_never(condition: Expr) -> bool:
    """Whether a condition says that two different constants are the same."""
    match condition:
        case Compare("=" | "<=>", Literal(a), Literal(b)):
            types = (condition.left.type, condition.right.type)
            return (
                types[0] == types[1]
                and not has_floats(types[0])
                and a is not None
                and b is not None
                and a != b
            )
        case _:
            return condition == FALSE


def _is_strict(function: str) -> bool:
    """Whether a function gives null exactly if an argument is null."""
    return scalar_function(function).nulls is Nulls.STRICT


OTHER_END = {"min": "max", "max": "min"}


def present(term: Term) -> Iterator[Term]:
    """The rows of a term whose only output is not null; a CASE by its arms."""
    (output,) = term.outputs
    if not can_be_null(output):
        yield term
        return
    for conditions, arm in arms(output):
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


def disjunction_of(conditions: Sequence[Expr]) -> Expr:
    """OR of conditions that are never null.

    p and q,  or  p and not q   =>   p
    """
    kept = [c for c in dict.fromkeys(conditions) if c != FALSE]
    if TRUE in kept:
        return TRUE
    if not kept:
        return FALSE
    for one, other in combinations(kept, 2):
        both = _conjuncts(one) & _conjuncts(other)
        ours, theirs = _conjuncts(one) - both, _conjuncts(other) - both
        if _are_opposite(ours, theirs) or _are_opposite(theirs, ours):
            return disjunction_of([c for c in kept if c not in (one, other)] + [_all(one, both)])
    return kept[0] if len(kept) == 1 else Or(tuple(kept))


def _are_opposite(some: frozenset[Expr], others: frozenset[Expr]) -> bool:
    """Whether the others say nothing but that not all of some hold."""
    return any(
        isinstance(c, Not) and len(others) == 1 and _conjuncts(c.arg) == some for c in others
    )


def _conjuncts(condition: Expr) -> frozenset[Expr]:
    return frozenset(condition.args if isinstance(condition, And) else (condition,))


def _all(condition: Expr, wanted: frozenset[Expr]) -> Expr:
    """Some conjuncts of a condition, in its order."""
    conjuncts = condition.args if isinstance(condition, And) else (condition,)
    return conjunction([c for c in conjuncts if c in wanted])


def two_valued(condition: Expr) -> Expr:
    """The condition with null as false: what an EXISTS makes of the conditions inside it."""
    if not can_be_null(condition):
        return condition
    return Case(((condition, TRUE),), FALSE)


def can_be_null(expr: Expr) -> bool:
    """Whether a value can be null, as far as its columns tell."""
    return is_nullable(expr, schema_of(expr))


def schema_of(expr: Expr) -> Schema:
    """A schema in which the columns an expression reads are nullable as their names say."""
    seen = {c.name: c for c in columns_read(expr)}
    return Schema(tuple(Field(c.name, c.type, not never_null(c.name)) for c in seen.values()))


def _equates(condition: Expr, members: Sequence[Expr]) -> bool:
    """Whether a condition only says that two of these are the same."""
    match condition:
        case Compare("=" | "<=>", left, right) if not has_floats(left.type):
            return left in members and right in members
        case OpaqueCall(identity, (left, right)) if identity == SAME and left.type == right.type:
            return left in members and right in members
        case _:
            return False


def _equalities(condition: Expr) -> Iterable[tuple[str, Expr, bool]]:
    """Columns a condition makes the same as an expression; whether neither may be null."""
    match condition:
        case Compare("=" | "<=>" as op, left, right) if not has_floats(left.type):
            pairs = ((left, right), (right, left))
        case OpaqueCall(identity, (left, right)) if identity == SAME and left.type == right.type:
            op, pairs = "<=>", ((left, right), (right, left))
        case _:
            return
    for one, two in pairs:
        if isinstance(one, Column):
            yield one.name, two, op == "="


@final
@dataclass
class Classes:
    """Expressions that have the same value on every row on which the conditions are true."""

    _of: dict[Expr, list[Expr]]

    @classmethod
    def of(cls, conditions: Iterable[Expr]) -> Classes:
        """Classes closed under the equalities among conjuncts; constants come first."""
        found: dict[Expr, list[Expr]] = {}
        for condition in conditions:
            for _, _, _ in list(_equalities(condition))[:1]:
                one, two = (
                    condition.args
                    if isinstance(condition, OpaqueCall)
                    else (condition.left, condition.right)  # type: ignore[union-attr]
                )
                merged = list(dict.fromkeys(found.get(one, [one]) + found.get(two, [two])))
                merged.sort(key=lambda e: not isinstance(e, Literal))
                for member in merged:
                    found[member] = merged
        return cls(found)

    def all(self) -> list[list[Expr]]:
        """The classes, in order of appearance."""
        return list({id(members): members for members in self._of.values()}.values())

    def members(self, expr: Expr) -> list[Expr]:
        """Everything known to be the same as an expression, itself included."""
        return self._of.get(expr, [expr])

    def are_same(self, one: Expr, two: Expr) -> bool:
        """Whether two expressions are known to be the same."""
        return one == two or two in self.members(one)
