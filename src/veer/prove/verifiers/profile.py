"""What the profiles share: their questions go to the prover core, with their own options."""

from __future__ import annotations

from typing import ClassVar

from veer.ir.query_pair import QueryPair
from veer.prove.algebra.functions import uninterpreted
from veer.prove.algebra.prove import ProverOptions, prove
from veer.prove.verifiers.base import EV
from veer.verdict import Answer


class AlgebraProfile(EV):
    """An EV that asks the prover core, with its own options."""

    options: ClassVar[ProverOptions] = ProverOptions()

    def decide(self, pair: QueryPair) -> Answer:
        """What the prover core answers under the options of this profile."""
        return prove(pair if self.options.interpret else uninterpreted(pair), self.options)
