"""Symbols and what they stand for: conditions and values defined by whole bags.

`?3!` may stand for "some row of this term exists", `?4` for "the greatest of this bag". Equal
definitions, up to the names of bound variables, are one symbol. Substituting a column rebuilds
the symbols that read it, so there is no capture.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

from veer.analysis.constants import computed
from veer.assumptions import Declared
from veer.model.expr import (
    Call,
    Cast,
    Column,
    Compare,
    Expr,
    Literal,
)
from veer.model.types import BOOLEAN, DataType
from veer.model.walk import columns_read, map_children, parts
from veer.prover.terms import (
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
    variable,
)
from veer.smt import Solver

MOST_VARIABLES = 4_000
SET_LIKE = frozenset({"min", "max", "bool_and", "bool_or"})  # duplicates do not matter


class TooLargeError(Exception):
    """A normal form larger than is worth trying; never escapes the prover.

    `operator` is the id that the message names, if it names one.
    """

    def __init__(self, message: str, *, operator: str = "") -> None:
        super().__init__(message)
        self.operator = operator


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
class Definitions(ABC):
    """The definitions of one query pair; also hands out tuple variables."""

    solver: Solver
    definitions: dict[str, Definition] = field(default_factory=dict)
    _names: dict[Definition, str] = field(default_factory=dict)
    _free: dict[str, frozenset[str]] = field(default_factory=dict)
    _last: int = 0
    keys_used: set[Declared] = field(default_factory=set)

    def fresh(self) -> int:
        """A new tuple variable; so many at most, which bounds the work on a pair."""
        self._last += 1
        if self._last > MOST_VARIABLES:
            raise TooLargeError("too many cases to compare")
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

    @abstractmethod
    def exists(self, bag: Bag) -> Expr:
        """The condition that some term of a bag has a row."""

    @abstractmethod
    def fold(self, function: str, type_: DataType, distinct: bool, bag: Bag) -> Expr:
        """The value of an aggregate function over a bag of argument rows."""

    @abstractmethod
    def total(self, term: Term, type_: DataType) -> Expr:
        """The only output of a term, never null where its conditions hold, added up."""

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
        made = map_children(expr, lambda child: self.substitute(child, table))
        return computed(made) if isinstance(made, Call | Cast) else made

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

    # -- names ---------------------------------------------------------------------------------

    def symbol(self, definition: Definition, type_: DataType, suffix: str) -> Column:
        """The name of a definition, the same for the same one."""
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
        named = self._renamed(term, [lowest - 1 - i for i in range(len(term.atoms))])
        conditions = sorted(map(_turned, named.conditions), key=_columns_in)
        return replace(named, conditions=tuple(conditions))


def _turned(condition: Expr) -> Expr:
    """An equality of two columns with the names in order."""
    match condition:
        case Compare("<=>", Column(left), Column(right)) if right < left:
            return Compare("<=>", condition.right, condition.left)
        case _:
            return condition


def _columns_in(condition: Expr) -> tuple[str, list[str]]:
    return type(condition).__name__, [c.name for c in columns_read(condition)]
