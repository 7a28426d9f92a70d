"""Conditions put together and taken apart: AND and OR of any number of boolean expressions.

Flattening is sound in three-valued logic: AND and OR are associative with nulls too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veer.ir import expr as ex
from veer.ir.types import BOOLEAN


def conjunction(conditions: Sequence[ex.Expr]) -> ex.Expr:
    """AND of any number of conditions, nested ANDs flattened; true if there are none."""
    parts = [part for condition in conditions for part in conjuncts(condition)]
    if not parts:
        return ex.Literal(True, BOOLEAN)
    return parts[0] if len(parts) == 1 else ex.And(tuple(parts))


def disjunction(conditions: Sequence[ex.Expr]) -> ex.Expr:
    """OR of at least one condition, nested ORs flattened."""
    alternatives: list[ex.Expr] = []
    for condition in conditions:
        alternatives.extend(condition.args if isinstance(condition, ex.Or) else [condition])
    return alternatives[0] if len(alternatives) == 1 else ex.Or(tuple(alternatives))


def conjuncts(condition: ex.Expr) -> Iterator[ex.Expr]:
    """The conditions that a condition joins by AND; itself if it is no AND.

    The whole is true exactly where each of them is. It is false or null elsewhere, and which of the
    two cannot be read off the parts one by one.
    """
    if isinstance(condition, ex.And):
        for arg in condition.args:
            yield from conjuncts(arg)
    else:
        yield condition
