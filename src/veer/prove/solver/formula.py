"""Two-valued formulas over expressions: what a prover asks the solver.

The variables of these expressions are free constants: columns of tuple variables, and symbols that
stand for something defined elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never, final

from veer.ir import expr as ex, types as ty

SAME = "veer.same"  # whether both arguments are the same value, see `Same`; never null
NORMALIZED = "veer.normalized"
ADDED = "veer.added"  # the exact sum of its arguments, none of which is null where it is read
MULTIPLIED = "veer.multiplied"  # their exact product


@final
@dataclass(frozen=True, slots=True)
class Holds:
    """The condition is true: neither false nor null."""

    condition: ex.Expr


@final
@dataclass(frozen=True, slots=True)
class Same:
    """Both are null, or both are the same value in the same representation."""

    left: ex.Expr
    right: ex.Expr


@final
@dataclass(frozen=True, slots=True)
class All:
    """Every part."""

    parts: tuple[Formula, ...]


@final
@dataclass(frozen=True, slots=True)
class Some:
    """At least one part."""

    parts: tuple[Formula, ...]


@final
@dataclass(frozen=True, slots=True)
class No:
    """Not the part."""

    part: Formula


@final
@dataclass(frozen=True, slots=True)
class SameCount:
    """As many of `left` hold as of `right`."""

    left: tuple[Formula, ...]
    right: tuple[Formula, ...]


Variable: TypeAlias = ex.RowColumn | ex.Symbol
Formula: TypeAlias = Holds | Same | All | Some | No | SameCount


def implies(given: Formula, then: Formula) -> Formula:
    """If `given`, then `then`."""
    return Some((No(given), then))


def atoms(formula: Formula) -> int:
    """How many conditions and equalities a formula is made of: what it costs to ask."""
    match formula:
        case Holds() | Same():
            return 1
        case All(some) | Some(some):
            return sum(map(atoms, some))
        case No(part):
            return atoms(part)
        case SameCount(left, right):
            return sum(map(atoms, left)) + sum(map(atoms, right))
        case _:
            assert_never(formula)


def same(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """The condition that two values are the same: never null, exact also on floats.

    Spark's `<=>` says that where it can; it takes 0.0 for -0.0.
    """
    if ty.is_orderable(left.type) and not ty.has_floats(left.type) and left.type == right.type:
        return ex.Compare("<=>", left, right)
    return ex.OpaqueCall(SAME, (left, right), ty.BOOLEAN)
