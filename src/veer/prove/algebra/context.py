"""The context of a proof: symbols with their definitions, tuple variables, substitution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from veer.assumptions import Declared, UniqueHolds
from veer.expressions.laws import fold
from veer.ir import expr as ex
from veer.ir.sources import declared_key
from veer.ir.types import DataType
from veer.ir.walk import map_children, parts
from veer.prove.algebra import definitions as algebra_definitions, terms
from veer.prove.solver import Solver, Variable

MOST_VARIABLES = 4_000
MOST_SUBSTITUTIONS = 60_000  # some times what the longest proofs of whole queries take
Columns: TypeAlias = frozenset[ex.RowColumn]


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
    definitions: dict[ex.Symbol, algebra_definitions.Definition] = field(default_factory=dict)
    _symbols: dict[algebra_definitions.Definition, ex.Symbol] = field(default_factory=dict)
    _free: dict[ex.Symbol, Columns] = field(default_factory=dict)
    _last: int = 0
    keys_used: set[Declared] = field(default_factory=set)
    _substitutions: int = 0

    def fresh(self) -> int:
        """A new tuple variable; so many at most, which bounds the work on a pair."""
        self._last += 1
        if self._last > MOST_VARIABLES:
            raise TooLargeError("too many cases to compare")
        return self._last

    def is_total(self, symbol: ex.Symbol) -> bool:
        """Whether a symbol is a total."""
        return isinstance(self.definitions[symbol], algebra_definitions.Totaled)

    def totaled(self, symbol: ex.Symbol) -> algebra_definitions.Totaled:
        """The definition of a total."""
        definition = self.definitions[symbol]
        assert isinstance(definition, algebra_definitions.Totaled)
        return definition

    @abstractmethod
    def exists(self, bag: terms.Bag) -> ex.Expr:
        """The condition that some term of a bag has a row."""

    @abstractmethod
    def fold(self, function: str, type_: DataType, distinct: bool, bag: terms.Bag) -> ex.Expr:
        """The value of an aggregate function over a bag of argument rows."""

    @abstractmethod
    def total(self, term: terms.Term, type_: DataType) -> ex.Expr:
        """The only output of a term, never null where its conditions hold, added up."""

    def some_row(self, condition: ex.Expr) -> algebra_definitions.SomeRow | None:
        """What a condition says to exist, if it is a symbol for that."""
        if isinstance(condition, ex.Symbol):
            definition = self.definitions[condition]
            if isinstance(definition, algebra_definitions.SomeRow):
                return definition
        return None

    def note_key(self, atom: terms.Atom, key: Sequence[ex.RowColumn]) -> None:
        """Remember that a declared key was relied on: the answer lists it as an assumption."""
        assert isinstance(atom.relation, terms.Table)
        source = atom.relation.source
        names = tuple(source.fields[c.index].name for c in key)
        if names in source.keys:
            self.keys_used.add(declared_key(source, names))
        else:
            self.keys_used.add(UniqueHolds(source.table, names))

    # -- free columns and substitution ---------------------------------------------------------

    def free(self, expr: ex.Expr) -> Columns:
        """Columns of tuple variables an expression depends on, through symbols too."""
        free: set[ex.RowColumn] = set()
        for node in parts(expr):
            if isinstance(node, ex.RowColumn):
                free.add(node)
            elif isinstance(node, ex.Symbol):
                free |= self._free[node]
        return frozenset(free)

    def variables(self, expr: ex.Expr) -> frozenset[int]:
        """Tuple variables an expression depends on."""
        return frozenset(column.variable for column in self.free(expr))

    def relation_free(self, relation: terms.Relation) -> Columns:
        """Columns of other variables a relation depends on."""
        match relation:
            case terms.Table() | terms.Domain():
                return frozenset()
            case terms.Group(bag) | terms.Top(bag):
                return self.bag_free(bag)
            case terms.Opaque(bags=bags, args=args):
                free = [self.bag_free(b) for b in bags] + [self.free(a) for a in args]
                return frozenset().union(*free)

    def bag_free(self, bag: terms.Bag) -> Columns:
        """Columns a bag reads of variables it does not bind."""
        return frozenset().union(*(self.term_free(t) for t in bag))

    def term_free(self, term: terms.Term) -> Columns:
        """Columns a term reads of variables it does not bind."""
        read: set[ex.RowColumn] = set()
        for expr in (*term.conditions, *term.outputs):
            read |= self.free(expr)
        for atom in term.atoms:
            read |= self.relation_free(atom.relation)
        bound = {a.var for a in term.atoms}
        return frozenset(column for column in read if column.variable not in bound)

    def depends_on(self, relation: terms.Relation, variable: int) -> bool:
        """Whether a relation reads a column of some tuple variable."""
        return any(column.variable == variable for column in self.relation_free(relation))

    def substitute(self, expr: ex.Expr, table: Mapping[ex.RowColumn, ex.Expr]) -> ex.Expr:
        """Replace columns of tuple variables, inside the definitions of symbols too."""
        self._substitutions += 1
        if self._substitutions > MOST_SUBSTITUTIONS:
            raise TooLargeError("too many cases to compare")
        if isinstance(expr, ex.RowColumn):
            return table.get(expr, expr)
        if isinstance(expr, ex.Symbol):
            if self._free[expr].isdisjoint(table):
                return expr
            return self._rebuilt(self.definitions[expr], table)
        # With constants in their place some calls can be computed; see `expressions`.
        substituted = map_children(expr, lambda child: self.substitute(child, table))
        if isinstance(substituted, ex.Call | ex.Cast | ex.GetField):
            return fold(substituted)
        return substituted

    def _rebuilt(
        self, definition: algebra_definitions.Definition, table: Mapping[ex.RowColumn, ex.Expr]
    ) -> ex.Expr:
        if isinstance(definition, algebra_definitions.SomeRow):
            return self.exists((self.substitute_term(self.freshened(definition.term), table),))
        if isinstance(definition, algebra_definitions.Totaled):
            term = self.substitute_term(self.freshened(definition.term), table)
            return self.total(term, definition.term.outputs[0].type)
        bag = tuple(self.substitute_term(self.freshened(t), table) for t in definition.bag)
        return self.fold(definition.function, definition.type, definition.distinct, bag)

    def substitute_term(
        self, term: terms.Term, table: Mapping[ex.RowColumn, ex.Expr]
    ) -> terms.Term:
        """Replace columns of variables the term does not bind."""
        return terms.Term(
            tuple(
                terms.Atom(a.var, self._substitute_relation(a.relation, table)) for a in term.atoms
            ),
            tuple(self.substitute(c, table) for c in term.conditions),
            tuple(self.substitute(o, table) for o in term.outputs),
        )

    def _substitute_relation(
        self, relation: terms.Relation, table: Mapping[ex.RowColumn, ex.Expr]
    ) -> terms.Relation:
        if isinstance(relation, terms.Table | terms.Domain):
            return relation
        if self.relation_free(relation).isdisjoint(table):
            return relation
        if isinstance(relation, terms.Group | terms.Top):
            bag = tuple(self.substitute_term(self.freshened(t), table) for t in relation.bag)
            return replace(relation, bag=bag)
        bags = tuple(
            tuple(self.substitute_term(self.freshened(t), table) for t in bag)
            for bag in relation.bags
        )
        args = tuple(self.substitute(a, table) for a in relation.args)
        return replace(relation, bags=bags, args=args)

    def freshened(self, term: terms.Term) -> terms.Term:
        """The same term with new bound variables."""
        return self._renamed(term, [self.fresh() for _ in term.atoms])

    def _renamed(self, term: terms.Term, new: Sequence[int]) -> terms.Term:
        table: dict[ex.RowColumn, ex.Expr] = {}
        moved = tuple(terms.Atom(v, a.relation) for a, v in zip(term.atoms, new, strict=True))
        for before, after in zip(term.atoms, moved, strict=True):
            if before.var != after.var:
                table.update(zip(before.columns, after.columns, strict=True))
        if not table:
            return term
        return self.substitute_term(replace(term, atoms=moved), table)

    # -- names ---------------------------------------------------------------------------------

    def symbol(self, definition: algebra_definitions.Definition) -> ex.Symbol:
        """The symbol of a definition, the same for the same one."""
        bag = algebra_definitions.body(definition)
        free = self.bag_free(bag)
        # Bound variables get numbers below all free ones, which may be canonical themselves.
        lowest = min((column.variable for column in free), default=0)
        named = tuple(self._canonical(term, min(lowest, 0)) for term in bag)
        if isinstance(definition, algebra_definitions.Folded):
            definition = replace(definition, bag=named)
        else:
            definition = replace(definition, term=named[0])
        symbol = self._symbols.get(definition)
        if symbol is None:
            symbol = ex.Symbol(
                len(self._symbols),
                algebra_definitions.type_of(definition),
                algebra_definitions.is_nullable(definition),
            )
            self._symbols[definition] = symbol
            self.definitions[symbol] = definition
            self._free[symbol] = free
        return symbol

    def _canonical(self, term: terms.Term, lowest: int) -> terms.Term:
        """Bound variables named by their place: negative, below those of enclosing terms."""
        named = self._renamed(term, [lowest - 1 - i for i in range(len(term.atoms))])
        conditions = sorted(map(_turned, named.conditions), key=_condition_order)
        return replace(named, conditions=tuple(conditions))


def _turned(condition: ex.Expr) -> ex.Expr:
    """An equality of two variables with these in order."""
    match condition:
        case ex.Compare(
            "<=>", ex.RowColumn() | ex.Symbol() as left, ex.RowColumn() | ex.Symbol() as right
        ) if _variable_order(right) < _variable_order(left):
            return ex.Compare("<=>", right, left)
        case _:
            return condition


def _condition_order(condition: ex.Expr) -> tuple[str, list[tuple[int, ...]]]:
    variables = (n for n in parts(condition) if isinstance(n, ex.RowColumn | ex.Symbol))
    return type(condition).__name__, [_variable_order(v) for v in variables]


def _variable_order(variable: Variable) -> tuple[int, ...]:
    """Symbols first, then columns."""
    match variable:
        case ex.Symbol(id_):
            return (0, id_)
        case ex.RowColumn(row, index):
            return (1, row, index)
        case _:
            assert_never(variable)
