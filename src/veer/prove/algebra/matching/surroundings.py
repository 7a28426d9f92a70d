"""What is known around the bags that are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from veer.ir.expr import Expr
from veer.prove.algebra.terms import Atom

DEEPEST = 3  # folds inside folds


@final
@dataclass(frozen=True)
class Surroundings:
    """Rows that exist around a bag, and conditions that are true of them.

    A bag inside a definition reads columns of these rows; it is compared for all of their values.
    `depth` counts the definitions around it, which bounds the work.
    """

    atoms: tuple[Atom, ...] = ()
    conditions: tuple[Expr, ...] = ()
    depth: int = 0

    @property
    def is_deepest(self) -> bool:
        """Whether definitions inside are no longer looked into."""
        return self.depth >= DEEPEST


NOTHING_AROUND = Surroundings()
