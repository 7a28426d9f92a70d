"""What may show a claim about two signals: steps without a verifier, and questions to verifiers.

Shared by the searches from the sinks down (`cut_points`) and from the sources up (`equal_signals`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, final

from veer.errors import InputError
from veer.evs.base import EV
from veer.model.dag import Dataflow
from veer.model.ops import Source, Union
from veer.model.query_pair import QueryPair
from veer.proof import (
    Claim,
    CongruenceStep,
    PassThroughStep,
    ProofError,
    VerifierStep,
    by_congruence,
    by_passing_through,
    query_pair,
    reason_of,
)
from veer.reasons import AtCutPoint, Cause, Reason, SaidBy
from veer.search.attempts import Attempts
from veer.search.candidates import Signals
from veer.verdict import Verdict

PlainStep: TypeAlias = CongruenceStep | PassThroughStep


@final
@dataclass
class Asking:
    """Steps for claims about the signals of two versions; `reason` is what stood in the way last."""

    p: Dataflow
    q: Dataflow
    attempts: Attempts
    progress: Callable[[str], None]
    reason: Reason = Cause.NO_CUT_POINT

    def plain_steps(
        self, claim: Claim, mates: Collection[Signals], *, in_p_first: bool
    ) -> Iterator[PlainStep]:
        """The steps without a verifier: the same operator, or past one of either version.

        `mates` are signals below that belong together, for inputs that may come in any order.
        """
        p, q = self.p, self.q
        for pairs in ((), mates):
            with suppress(ProofError):
                needed = by_congruence(p, q, claim, pairs)
                yield CongruenceStep(claim, tuple(dict.fromkeys(needed)))
            if not isinstance(p.operators[claim.p], Union):
                break  # the order of inputs counts
        for in_p in (in_p_first, not in_p_first):
            with suppress(ProofError):
                below = by_passing_through(p, q, claim, in_p=in_p)
                yield PassThroughStep(claim, (below,), in_p)

    def question(
        self, claim: Claim, leaves_needed: Callable[[], tuple[Claim, ...]]
    ) -> tuple[QueryPair | None, tuple[Claim, ...]]:
        """What a verifier is to be asked about a claim, and what must hold of the leaves below it."""
        try:
            leaves = leaves_needed()
            # The question is the same, whoever is asked.
            return query_pair(VerifierStep(claim, leaves, ""), self.p, self.q), leaves
        except (ProofError, InputError) as error:
            self.reason = reason_of(error)
            return None, ()

    def is_shown(self, ev: EV, claim: Claim, pair: QueryPair) -> bool:
        """Whether a verifier shows a claim."""
        self.progress(f"cut point {claim.p!r} ~ {claim.q!r}: asking {ev.name}")
        answer = self.attempts.ask(ev, pair)
        if answer.verdict is Verdict.EQUIVALENT:
            return True
        self.reason = AtCutPoint(claim.p, claim.q, SaidBy((ev.name,), answer.reason))
        return False

    def is_source(self, pair: Signals) -> bool:
        """Whether nothing stands below a pair of signals."""
        one, two = self.p.operators[pair[0]], self.q.operators[pair[1]]
        return isinstance(one, Source) and isinstance(two, Source)
