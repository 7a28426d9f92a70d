"""What was asked of which verifier, and what it said."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import final

from veer.dataflow.query_pair import QueryPair
from veer.errors import VeerError
from veer.evs.base import EV
from veer.refute import Refutation, tells_apart
from veer.verdict import Answer, Verdict, WindowReport

INSTANCES = 10
DIFFERENT = "the two sides differ on a small instance"


@final
@dataclass
class Attempts:
    """What was asked of whom; answers are given again, not found again."""

    windows: list[WindowReport] = field(default_factory=list)
    _answers: dict[tuple[str, QueryPair], Answer] = field(default_factory=dict)
    _differ: dict[QueryPair, bool] = field(default_factory=dict)

    def ask(self, ev: EV, pair: QueryPair) -> Answer:
        """The verifier's answer, with the time it took."""
        key = (ev.name, pair)
        if key not in self._answers:
            start = time.perf_counter()
            answer = self._simulated(pair) or ev.verify(pair)
            taken = time.perf_counter() - start
            self._answers[key] = answer
            ids = [tuple(i for i in side.order) for side in (pair.p, pair.q)]
            said = answer.verdict.value
            if answer.reason:
                said += f": {answer.reason}"
            self.windows.append(WindowReport(ids[0], ids[1], ev.name, said, taken))
        return self._answers[key]

    def _simulated(self, pair: QueryPair) -> Answer | None:
        """UNKNOWN if a few instances tell the sides apart: nobody could prove them equal."""
        if pair not in self._differ:
            sinks = pair.p.sinks[0], pair.q.sinks[0]
            refutation = Refutation(pair.p, pair.q, *sinks, pair.columns, pair.semantics)
            try:
                self._differ[pair] = tells_apart(refutation, INSTANCES, seed=3)
            except VeerError:
                self._differ[pair] = False
        return Answer(Verdict.UNKNOWN, DIFFERENT) if self._differ[pair] else None

    def answer(self, ev: str, pair: QueryPair) -> Answer:
        """A recorded answer, for the checker."""
        unasked = Answer(Verdict.UNKNOWN, f"{ev} was never asked this")
        return self._answers.get((ev, pair), unasked)
