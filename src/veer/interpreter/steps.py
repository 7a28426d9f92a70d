"""What a compiled operator is: a step from input signals to an output signal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from veer.interpreter.expressions import Environment, Row
from veer.ir.schema import Schema


@dataclass(frozen=True)
class Signal:
    """Rows of one operator's output; `peers` numbers the layers of an ordered one."""

    rows: list[Row]
    peers: list[int] | None = None

    def pick(self, places: Sequence[int]) -> Signal:
        """The rows at these places, order kept."""
        peers = None if self.peers is None else [self.peers[i] for i in places]
        return Signal([self.rows[i] for i in places], peers)


Step: TypeAlias = Callable[[list[Signal], Environment], Signal]
# The schemas of the rows of enclosing queries, from the inside out.
Outer: TypeAlias = tuple[Schema, ...]
