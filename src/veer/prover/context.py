"""The context of a proof: symbols with their definitions, tuple variables, substitution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from veer.assumptions import Declared, UniqueHolds
from veer.expressions.laws import fold
from veer.model.expr import Call, Cast, Compare, Expr, GetField, RowColumn, Symbol
from veer.model.sources import declared_key
from veer.model.types import DataType
from veer.model.walk import map_children, parts
from veer.prover.definitions import (
    Definition,
    Folded,
    SomeRow,
    Totaled,
    body,
    is_nullable,
    type_of,
)
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
)
from veer.smt import Solver, Variable

MOST_VARIABLES = 4_000
MOST_SUBSTITUTIONS = 60_000  # some times what the longest proofs of whole queries take
Columns: TypeAlias = frozenset[RowColumn]


class TooLargeError(Exception):
    """A normal form larger than is worth trying; never escapes the prover.

    `operator` is the id that the message names, if it names one.
    """

    def __init__(self, message: str, *, operator: str = "") -> None:
        super().__init__(message)
        self.operator = operator


@dataclass
class Context(ABC):
    """All that the steps of one proof share: solver, symbols, tuple variables, what is relied on.

    Equal definitions, up to the numbers of bound variables, are one symbol. Substituting a column
    rebuilds the symbols that read it, so no variable is captured. How symbols are made is left to
    `Algebra`: rules need a `Context` only.
    """

    solver: Solver
    definitions: dict[Symbol, Definition] = field(default_factory=dict)
    _symbols: dict[Definition, Symbol] = field(default_factory=dict)
    _free: dict[Symbol, Columns] = field(default_factory=dict)
    _last: int = 0
    keys_used: set[Declared] = field(default_factory=set)
    _substitutions: int = 0

    def fresh(self) -> int:
        """A new tuple variable; so many at most, which bounds the work on a pair."""
        self._last += 1
        if self._last > MOST_VARIABLES:
            raise TooLargeError("too many cases to compare")
        return self._last

    def is_total(self, symbol: Symbol) -> bool:
        """Whether a symbol is a total."""
        return isinstance(self.definitions[symbol], Totaled)

    def totaled(self, symbol: Symbol) -> Totaled:
        """The definition of a total."""
        definition = self.definitions[symbol]
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

    def some_row(self, condition: Expr) -> SomeRow | None:
        """What a condition says to exist, if it is a symbol for that."""
        if isinstance(condition, Symbol):
            definition = self.definitions[condition]
            if isinstance(definition, SomeRow):
                return definition
        return None

    def note_key(self, atom: Atom, key: Sequence[RowColumn]) -> None:
        """Remember that a declared key was relied on: the answer lists it as an assumption."""
        assert isinstance(atom.relation, Table)
        source = atom.relation.source
        names = tuple(source.fields[c.index].name for c in key)
        if names in source.keys:
            self.keys_used.add(declared_key(source, names))
        else:
            self.keys_used.add(UniqueHolds(source.table, names))

    # -- free columns and substitution ---------------------------------------------------------

    def free(self, expr: Expr) -> Columns:
        """Columns of tuple variables an expression depends on, through symbols too."""
        free: set[RowColumn] = set()
        for node in parts(expr):
            if isinstance(node, RowColumn):
                free.add(node)
            elif isinstance(node, Symbol):
                free |= self._free[node]
        return frozenset(free)

    def variables(self, expr: Expr) -> frozenset[int]:
        """Tuple variables an expression depends on."""
        return frozenset(column.variable for column in self.free(expr))

    def relation_free(self, relation: Relation) -> Columns:
        """Columns of other variables a relation depends on."""
        match relation:
            case Table() | Domain():
                return frozenset()
            case Group(bag) | Top(bag):
                return self.bag_free(bag)
            case Opaque(bags=bags, args=args):
                free = [self.bag_free(b) for b in bags] + [self.free(a) for a in args]
                return frozenset().union(*free)

    def bag_free(self, bag: Bag) -> Columns:
        """Columns a bag reads of variables it does not bind."""
        return frozenset().union(*(self.term_free(t) for t in bag))

    def term_free(self, term: Term) -> Columns:
        """Columns a term reads of variables it does not bind."""
        read: set[RowColumn] = set()
        for expr in (*term.conditions, *term.outputs):
            read |= self.free(expr)
        for atom in term.atoms:
            read |= self.relation_free(atom.relation)
        bound = {a.var for a in term.atoms}
        return frozenset(column for column in read if column.variable not in bound)

    def depends_on(self, relation: Relation, variable: int) -> bool:
        """Whether a relation reads a column of some tuple variable."""
        return any(column.variable == variable for column in self.relation_free(relation))

    def substitute(self, expr: Expr, table: Mapping[RowColumn, Expr]) -> Expr:
        """Replace columns of tuple variables, inside the definitions of symbols too."""
        self._substitutions += 1
        if self._substitutions > MOST_SUBSTITUTIONS:
            raise TooLargeError("too many cases to compare")
        if isinstance(expr, RowColumn):
            return table.get(expr, expr)
        if isinstance(expr, Symbol):
            if self._free[expr].isdisjoint(table):
                return expr
            return self._rebuilt(self.definitions[expr], table)
        # With constants in their place some calls can be computed; see `expressions`.
        substituted = map_children(expr, lambda child: self.substitute(child, table))
        if isinstance(substituted, Call | Cast | GetField):
            return fold(substituted)
        return substituted

    def _rebuilt(self, definition: Definition, table: Mapping[RowColumn, Expr]) -> Expr:
        if isinstance(definition, SomeRow):
            return self.exists((self.substitute_term(self.freshened(definition.term), table),))
        if isinstance(definition, Totaled):
            term = self.substitute_term(self.freshened(definition.term), table)
            return self.total(term, definition.term.outputs[0].type)
        bag = tuple(self.substitute_term(self.freshened(t), table) for t in definition.bag)
        return self.fold(definition.function, definition.type, definition.distinct, bag)

    def substitute_term(self, term: Term, table: Mapping[RowColumn, Expr]) -> Term:
        """Replace columns of variables the term does not bind."""
        return Term(
            tuple(Atom(a.var, self._substitute_relation(a.relation, table)) for a in term.atoms),
            tuple(self.substitute(c, table) for c in term.conditions),
            tuple(self.substitute(o, table) for o in term.outputs),
        )

    def _substitute_relation(self, relation: Relation, table: Mapping[RowColumn, Expr]) -> Relation:
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
        table: dict[RowColumn, Expr] = {}
        moved = tuple(Atom(v, a.relation) for a, v in zip(term.atoms, new, strict=True))
        for before, after in zip(term.atoms, moved, strict=True):
            if before.var != after.var:
                table.update(zip(before.columns, after.columns, strict=True))
        if not table:
            return term
        return self.substitute_term(replace(term, atoms=moved), table)

    # -- names ---------------------------------------------------------------------------------

    def symbol(self, definition: Definition) -> Symbol:
        """The symbol of a definition, the same for the same one."""
        bag = body(definition)
        free = self.bag_free(bag)
        # Bound variables get numbers below all free ones, which may be canonical themselves.
        lowest = min((column.variable for column in free), default=0)
        named = tuple(self._canonical(term, min(lowest, 0)) for term in bag)
        if isinstance(definition, Folded):
            definition = replace(definition, bag=named)
        else:
            definition = replace(definition, term=named[0])
        symbol = self._symbols.get(definition)
        if symbol is None:
            symbol = Symbol(len(self._symbols), type_of(definition), is_nullable(definition))
            self._symbols[definition] = symbol
            self.definitions[symbol] = definition
            self._free[symbol] = free
        return symbol

    def _canonical(self, term: Term, lowest: int) -> Term:
        """Bound variables named by their place: negative, below those of enclosing terms."""
        named = self._renamed(term, [lowest - 1 - i for i in range(len(term.atoms))])
        conditions = sorted(map(_turned, named.conditions), key=_condition_order)
        return replace(named, conditions=tuple(conditions))


def _turned(condition: Expr) -> Expr:
    """An equality of two variables with these in order."""
    match condition:
        case Compare("<=>", RowColumn() | Symbol() as left, RowColumn() | Symbol() as right) if (
            _variable_order(right) < _variable_order(left)
        ):
            return Compare("<=>", right, left)
        case _:
            return condition


def _condition_order(condition: Expr) -> tuple[str, list[tuple[int, ...]]]:
    variables = (n for n in parts(condition) if isinstance(n, RowColumn | Symbol))
    return type(condition).__name__, [_variable_order(v) for v in variables]


def _variable_order(variable: Variable) -> tuple[int, ...]:
    """Symbols first, then columns."""
    match variable:
        case Symbol(id_):
            return (0, id_)
        case RowColumn(row, index):
            return (1, row, index)
        case _:
            assert_never(variable)
