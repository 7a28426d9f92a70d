"""What was asked of which verifier, and what it said."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import final

from veer.dataflow.query_pair import QueryPair
from veer.evs.base import EV
from veer.verdict import Answer, Verdict, WindowReport


@final
@dataclass
class Attempts:
    """What was asked of whom; answers are given again, not found again."""

    windows: list[WindowReport] = field(default_factory=list)
    _answers: dict[tuple[str, QueryPair], Answer] = field(default_factory=dict)

    def ask(self, ev: EV, pair: QueryPair) -> Answer:
        """The verifier's answer, with the time it took."""
        key = (ev.name, pair)
        if key not in self._answers:
            start = time.perf_counter()
            answer = ev.verify(pair)
            taken = time.perf_counter() - start
            self._answers[key] = answer
            ids = [tuple(i for i in side.order) for side in (pair.p, pair.q)]
            said = answer.verdict.value
            if answer.reason:
                said += f": {answer.reason}"
            self.windows.append(WindowReport(ids[0], ids[1], ev.name, said, taken))
        return self._answers[key]

    def answer(self, ev: str, pair: QueryPair) -> Answer:
        """A recorded answer, for the checker."""
        unasked = Answer(Verdict.UNKNOWN, f"{ev} was never asked this")
        return self._answers.get((ev, pair), unasked)
