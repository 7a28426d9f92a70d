"""What the profiles share: their questions go to the prover core, under their own rules."""

from __future__ import annotations

from typing import ClassVar

from veer.evs.base import EV
from veer.model.query_pair import QueryPair
from veer.prover.functions import uninterpreted
from veer.prover.prove import Rules, prove
from veer.verdict import Answer


class AlgebraProfile(EV):
    """An EV that asks the prover core, with its own rules."""

    rules: ClassVar[Rules] = Rules()

    def decide(self, pair: QueryPair) -> Answer:
        return prove(pair if self.rules.interpret else uninterpreted(pair), self.rules)
