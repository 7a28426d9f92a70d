"""What may show a claim about two signals: steps without a verifier, and questions to verifiers.

Shared by the searches from the sinks down (`cut_points`) and from the sources up (`equal_signals`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, final

from veer.errors import InputError
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers.base import EV
from veer.reasons import AtCutPoint, Cause, Reason, SaidBy
from veer.verdict import Verdict
from veer.verification import proof
from veer.verification.search.attempts import Attempts
from veer.verification.search.candidates import Signals

PlainStep: TypeAlias = proof.CongruenceStep | proof.PassThroughStep


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
        self, claim: proof.Claim, mates: Collection[Signals], *, in_p_first: bool
    ) -> Iterator[PlainStep]:
        """The steps without a verifier: the same operator, or past one of either version.

        `mates` are signals below that belong together, for inputs that may come in any order.
        """
        p, q = self.p, self.q
        for pairs in ((), mates):
            with suppress(proof.ProofError):
                needed = proof.by_congruence(p, q, claim, pairs)
                yield proof.CongruenceStep(claim, tuple(dict.fromkeys(needed)))
            if not isinstance(p.operators[claim.p], ops.Union):
                break  # the order of inputs counts
        for in_p in (in_p_first, not in_p_first):
            with suppress(proof.ProofError):
                below = proof.by_passing_through(p, q, claim, in_p=in_p)
                yield proof.PassThroughStep(claim, (below,), in_p)

    def question(
        self, claim: proof.Claim, leaves_needed: Callable[[], tuple[proof.Claim, ...]]
    ) -> tuple[QueryPair | None, tuple[proof.Claim, ...]]:
        """What a verifier is to be asked about a claim, and what must hold of the leaves below it."""
        try:
            leaves = leaves_needed()
            # The question is the same, whoever is asked.
            return proof.query_pair(proof.VerifierStep(claim, leaves, ""), self.p, self.q), leaves
        except (proof.ProofError, InputError) as error:
            self.reason = proof.reason_of(error)
            return None, ()

    def is_shown(self, ev: EV, claim: proof.Claim, pair: QueryPair) -> bool:
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
        return isinstance(one, ops.Source) and isinstance(two, ops.Source)
