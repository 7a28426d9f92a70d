"""Which of two rows comes first in an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from veer.ir import expr as ex
from veer.ir.conditions import conjunction, disjunction
from veer.prove.algebra.conditions import can_be_null
from veer.prove.algebra.terms import Direction

Values: TypeAlias = Sequence[ex.Expr]


def ties(ours: Values, theirs: Values) -> ex.Expr:
    """The values are peers in an order, or in one partition: nulls are, and 0.0 and -0.0."""
    return conjunction([ex.Compare("<=>", a, b) for a, b in zip(ours, theirs, strict=True)])


def comes_before(ours: Values, theirs: Values, directions: Sequence[Direction]) -> ex.Expr:
    """A row with our sort keys comes before a row with theirs, peers aside.

    Lexicographic: an earlier key decides unless it ties. Used as a condition, where a comparison
    with null is not true; where nulls come first or last is said by cases of their own.
    """
    cases = []
    for place, (a, b, (ascending, nulls_first)) in enumerate(
        zip(ours, theirs, directions, strict=True)
    ):
        less = ex.Compare("<" if ascending else ">", a, b)
        first, last = (a, b) if nulls_first else (b, a)
        ways: list[ex.Expr] = [less]
        if can_be_null(first):
            ways.append(conjunction([ex.IsNull(first), ex.Not(ex.IsNull(last))]))
        equal = [ex.Compare("<=>", x, y) for x, y in zip(ours[:place], theirs[:place], strict=True)]
        cases.append(conjunction([*equal, ways[0] if len(ways) == 1 else disjunction(ways)]))
    return cases[0] if len(cases) == 1 else disjunction(cases)
