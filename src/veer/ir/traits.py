"""Traits of operators: what passes over dataflows rely on, declared by every operator class.

No trait has a default: a class that leaves one out, or a new trait that a class does not give, is
an error of the type check. Passes read traits instead of listing classes, so that an operator
added later is judged by what its author declared and never by what happens to fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final


class RowOrder(Enum):
    """The order in which an operator gives its rows, compared with that of its inputs."""

    OWN = "own"  # an order of its own making, whatever the input's: Sort alone
    KEPT = "kept"  # that of its only input: rows are dropped or computed on, never moved
    SHOWN = "shown"  # that of its only input, to whoever reads the result: Sink alone
    NONE = "none"  # none, whatever the inputs': Spark shuffles or mixes them
    UNKNOWN = "unknown"  # Spark promises none, yet that of an input may show

    @property
    def ignores_inputs(self) -> bool:
        """Whether inputs that differ in order alone give outputs in the same order, or in none."""
        return self in (RowOrder.OWN, RowOrder.NONE)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorTraits:
    """What holds of every operator of a class, whatever its properties.

    The soundness of proofs rests on all but the last two. Where one is in doubt, the safe value is
    `UNKNOWN` for `order`, true for `sees_order` and `relies_on_keys`, false for the others.
    """

    order: RowOrder
    """How the order of rows that come out depends on that of rows that go in."""

    sees_order: bool
    """Whether *which* rows come out may depend on the order of the input even where the operator
    counts as deterministic: a Limit takes the first rows, a function of tables reads them in turn.
    Operators that choose among tied rows are judged by `operator_kind` and need no trait."""

    keeps_sets: bool
    """Whether inputs equal as sets give outputs equal as sets: each row that comes out depends on
    single rows of the inputs, never on how often they occur. Aggregates are false here; whether
    sets suffice for one depends on its calls. A Sink is false: what it needs is what was asked
    for. Set operations with ALL, window functions, limits and samples count duplicates."""

    extends_input: bool
    """Whether the output begins with the columns of the only input and each output row begins with
    a row of it: what holds of every input row then holds of every output row."""

    keeps_keys: bool
    """Whether columns without duplicates in the only input have none in the output: it
    `extends_input` and gives each input row at most once."""

    relies_on_keys: bool
    """Whether it chooses among rows unless a key of its input leaves it no choice. The declared
    keys are then assumptions of a proof; for other operators nobody asks."""

    reduces_rows: bool
    """Whether it commonly brings many rows down to few, so that its result is cheap to store. A
    matter of cost alone."""

    is_costly: bool
    """Whether computing it takes longer than reading its stored result: it shuffles, or runs code
    of users. A matter of cost alone."""
