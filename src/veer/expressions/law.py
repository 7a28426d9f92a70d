"""What a law of expressions is, and what applies laws until none changes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias, final

from veer.ir import expr as ex

Simplify: TypeAlias = Callable[[ex.Expr], ex.Expr]  # an expression whose parts are simplified
Rewrite: TypeAlias = Callable[[ex.Expr, Simplify], ex.Expr | None]
MOST_STEPS = 100  # on one node; a bound all the same


class Stage(IntEnum):
    """Who uses a law: each stage uses the laws of those before it, too."""

    FOLDING = 1  # known values alone: where variables of a proof are replaced
    SIMPLER = 2  # fewer functions and fewer nulls: the prover and the refuter
    NORMAL = 3  # one form among several as good: the normal form of a dataflow


@final
@dataclass(frozen=True, slots=True)
class Law:
    """A rewrite of the topmost node of an expression, whose parts are simplified already.

    Both sides have the same type and the same value on every row, to the sign of a zero; one is null
    where the other is, and the new one fails on no row on which the old one does not. The rewrite gives
    None where the law does not apply. It simplifies the parts that it makes, not the result.
    """

    statement: str  # before => after
    stage: Stage
    nodes: tuple[type[ex.Expr] | str, ...]  # classes of nodes, and names of functions
    rewrite: Rewrite

    @property
    def name(self) -> str:
        """The name of the law."""
        return self.rewrite.__name__

    @property
    def precondition(self) -> str:
        """When the law holds, and why."""
        return self.rewrite.__doc__ or ""


def law(
    statement: str, *nodes: type[ex.Expr] | str, stage: Stage = Stage.SIMPLER
) -> Callable[[Rewrite], Law]:
    """Make a law of a function, whose docstring is the precondition."""
    return lambda rewrite: Law(statement, stage, nodes, rewrite)


@final
class Simplifier:
    """Applies the laws of a stage in order, again from the first after each that applies.

    Looks at the topmost node only: `transform(expr, simplifier)` simplifies an expression.
    """

    def __init__(self, laws: Iterable[Law], stage: Stage) -> None:
        self.laws = tuple(each for each in laws if each.stage <= stage)
        self._by_node: dict[type[ex.Expr] | str, tuple[Rewrite, ...]] = {}

    def __call__(self, expr: ex.Expr) -> ex.Expr:
        """The expression after all laws that apply; itself if none does."""
        for _ in range(MOST_STEPS):
            for rewrite in self._for(expr):
                changed = rewrite(expr, self)
                if changed is not None and changed is not expr and changed != expr:
                    expr = changed
                    break
            else:
                break
        return expr

    def _for(self, expr: ex.Expr) -> tuple[Rewrite, ...]:
        """The laws that may apply to a node, by its class and function."""
        key = expr.function if isinstance(expr, ex.Call) else type(expr)
        rewrites = self._by_node.get(key)
        if rewrites is None:
            keys = {key, type(expr)}
            rewrites = tuple(e.rewrite for e in self.laws if not keys.isdisjoint(e.nodes))
            self._by_node[key] = rewrites
        return rewrites
