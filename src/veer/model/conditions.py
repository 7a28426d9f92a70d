"""Conditions put together and taken apart: AND and OR of any number of boolean expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veer.model.expr import And, Expr, Literal, Or
from veer.model.types import BOOLEAN


def conjunction(conditions: Sequence[Expr]) -> Expr:
    """AND of any number of conditions, nested ANDs flattened; true if there are none."""
    flat = [part for condition in conditions for part in conjuncts(condition)]
    if not flat:
        return Literal(True, BOOLEAN)
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def disjunction(conditions: Sequence[Expr]) -> Expr:
    """OR of at least one condition, nested ORs flattened."""
    flat: list[Expr] = []
    for condition in conditions:
        flat.extend(condition.args if isinstance(condition, Or) else [condition])
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def conjuncts(condition: Expr) -> Iterator[Expr]:
    """The conditions that a condition joins by AND; itself if it is no AND."""
    if isinstance(condition, And):
        for arg in condition.args:
            yield from conjuncts(arg)
    else:
        yield condition
