"""What conditions say by themselves: what they make the same, what is never null or never true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import final

from veer.expressions.laws import fold
from veer.functions.registry import Nulls, scalar_function
from veer.ir import expr as ex
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.nullability import is_nullable
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.prove.algebra import terms
from veer.prove.solver.formula import SAME, Variable

NO_COLUMNS = Schema(())


def two_valued(condition: ex.Expr) -> ex.Expr:
    """The condition with null as false: what an EXISTS makes of the conditions inside it."""
    if not can_be_null(condition):
        return condition
    return ex.Case(((condition, terms.TRUE),), terms.FALSE)


def can_be_null(expr: ex.Expr) -> bool:
    """Whether a value can be null, as far as its variables tell; they know it themselves."""
    return is_nullable(expr, NO_COLUMNS)


def alternatives(condition: ex.Expr) -> tuple[ex.Expr, ...]:
    """The cases of an OR or of a list of values; nothing for other conditions."""
    match condition:
        case ex.Or(args):
            return args
        case ex.InList(arg, options):
            return tuple(ex.Compare("=", arg, option) for option in options)
        case _:
            return ()


def is_constant_case(condition: ex.Expr) -> bool:
    """Whether a condition says that a column is a constant."""
    match condition:
        case ex.Compare("=" | "<=>", ex.RowColumn() | ex.Symbol(), ex.Literal()):
            return True
        case ex.Compare("=" | "<=>", ex.Literal(), ex.RowColumn() | ex.Symbol()):
            return True
        case _:
            return False


def disjunction_of(conditions: Sequence[ex.Expr]) -> ex.Expr:
    """OR of conditions that are never null.

    p and q,  or  p and not q   =>   p

    Of a `q` that may be null neither half would be true, and `p` alone would be too much.
    """
    kept = [c for c in dict.fromkeys(conditions) if c != terms.FALSE]
    if terms.TRUE in kept:
        return terms.TRUE
    if not kept:
        return terms.FALSE
    for one, other in combinations(kept, 2):
        parts = frozenset(conjuncts(one)), frozenset(conjuncts(other))
        both = parts[0] & parts[1]
        ours, theirs = parts[0] - both, parts[1] - both
        if _are_opposite(ours, theirs) or _are_opposite(theirs, ours):
            return disjunction_of([c for c in kept if c not in (one, other)] + [_all(one, both)])
    return kept[0] if len(kept) == 1 else ex.Or(tuple(kept))


def _are_opposite(some: frozenset[ex.Expr], others: frozenset[ex.Expr]) -> bool:
    """Whether the others say nothing but that not all of some hold."""
    return len(others) == 1 and any(
        isinstance(c, ex.Not) and frozenset(conjuncts(c.arg)) == some for c in others
    )


def _all(condition: ex.Expr, wanted: frozenset[ex.Expr]) -> ex.Expr:
    """Some conjuncts of a condition, in its order."""
    return conjunction([c for c in conjuncts(condition) if c in wanted])


def is_never(condition: ex.Expr) -> bool:
    """Whether a condition is false by its constants."""
    return fold(condition) == terms.FALSE


def is_strict(function: str) -> bool:
    """Whether a function gives null exactly if an argument is null."""
    return scalar_function(function).nulls is Nulls.STRICT


def equates(condition: ex.Expr, members: Sequence[ex.Expr]) -> bool:
    """Whether a condition only says that two of these are the same."""
    match condition:
        case ex.Compare("=" | "<=>", left, right) if not has_floats(left.type):
            return left in members and right in members
        case ex.OpaqueCall(identity, (left, right)) if identity == SAME and left.type == right.type:
            return left in members and right in members
        case _:
            return False


def equalities(condition: ex.Expr) -> Iterable[tuple[Variable, ex.Expr, bool]]:
    """Variables a condition makes the same as an expression; whether neither may be null.

    Equal floats need not be the same, so only `SAME` says anything of them.
    """
    match condition:
        case ex.Compare("=" | "<=>" as op, left, right) if not has_floats(left.type):
            pairs = ((left, right), (right, left))
        case ex.OpaqueCall(identity, (left, right)) if identity == SAME and left.type == right.type:
            op, pairs = "<=>", ((left, right), (right, left))
        case _:
            return
    for one, two in pairs:
        if isinstance(one, ex.RowColumn | ex.Symbol):
            yield one, two, op == "="


@final
@dataclass
class EqualityClasses:
    """Expressions that have the same value on every row on which the conditions are true.

    The same in every respect, so one may stand for the other anywhere in a term.
    """

    _of: dict[ex.Expr, list[ex.Expr]]

    @classmethod
    def of(cls, conditions: Iterable[ex.Expr]) -> EqualityClasses:
        """The classes that the equalities among conjuncts lead to; constants come first in each."""
        classes: dict[ex.Expr, list[ex.Expr]] = {}
        for condition in conditions:
            for _, _, _ in list(equalities(condition))[:1]:
                one, two = (
                    condition.args
                    if isinstance(condition, ex.OpaqueCall)
                    else (condition.left, condition.right)  # type: ignore[union-attr]
                )
                merged = list(dict.fromkeys(classes.get(one, [one]) + classes.get(two, [two])))
                merged.sort(key=lambda e: not isinstance(e, ex.Literal))
                for member in merged:
                    classes[member] = merged
        return cls(classes)

    def all(self) -> list[list[ex.Expr]]:
        """The classes, in order of appearance."""
        return list({id(members): members for members in self._of.values()}.values())

    def members(self, expr: ex.Expr) -> list[ex.Expr]:
        """Everything known to be the same as an expression, itself included."""
        return self._of.get(expr, [expr])

    def are_same(self, one: ex.Expr, two: ex.Expr) -> bool:
        """Whether two expressions are known to be the same."""
        return one == two or two in self.members(one)


def row_keys(
    atom: terms.Atom, conditions: Sequence[ex.Expr], classes: EqualityClasses
) -> Iterator[tuple[ex.RowColumn, ...]]:
    """Columns of an atom on which no two rows agree that meet the conditions.

    These are its keys, and what is declared unique where the conditions leave none of it null.
    """
    yield from terms.key_columns(atom)
    for unique in terms.unique_columns(atom):
        if all(_is_present(c, conditions, classes) for c in unique):
            yield unique


def _is_present(
    column: ex.RowColumn, conditions: Sequence[ex.Expr], classes: EqualityClasses
) -> bool:
    """Whether a column is not null on the rows that meet all conditions."""
    members = classes.members(column)
    if not all(map(can_be_null, members)):
        return True
    for condition in conditions:
        match condition:
            # A comparison with null is null, so it is not true.
            case ex.Compare(op, left, right) if op != "<=>" and (
                left in members or right in members
            ):
                return True
            case ex.Not(ex.IsNull(arg)) | ex.InList(arg) if arg in members:
                return True
    return False
