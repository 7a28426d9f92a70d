"""What Veer says of a pair, as the judge needs it, and the judgement."""

from __future__ import annotations

import json
import logging
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.fuzz.judge import Outcome
from veer.assumptions import Assumption, SameChoice
from veer.caveats import Caveat, MayFail, MoreMayFail
from veer.errors import VeerError
from veer.reasons import ProofRefuted
from veer.show.wording import assumption_text, caveat_text, reason_text
from veer.verdict import Report, SinkReport

# From the worst to the least.
WRONG_EQUIVALENT = "wrong equivalent"
WRONG_INEQUIVALENT = "wrong inequivalent"
ILLEGAL_WITNESS = "illegal witness"
CRASH = "crash"
STALE = "stale"
WRONG = (WRONG_EQUIVALENT, WRONG_INEQUIVALENT, ILLEGAL_WITNESS, CRASH, STALE)
# Worth a look, but not wrong by themselves.
UNSAID_FAILURE = "unsaid failure"
SIGNED_ZERO = "signed zero"
OTHER_ROWS = "witness shows other rows"
NOTED = (UNSAID_FAILURE, SIGNED_ZERO, OTHER_ROWS)
NOTES = logging.getLogger("benchmarks.fuzz.notes")  # what was refused, or took long
SLOW = 30.0  # seconds


class TimeOutError(Exception):
    """A pair took too long."""


@dataclass(frozen=True)
class Answer:
    """What Veer says: a verdict, `error` for a refusal, `crash`, or `timeout`."""

    verdict: str
    reason: str = ""
    assumptions: tuple[Assumption, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    witness: Any = None

    def shown(self) -> dict[str, Any]:
        """For a file."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "assumptions": [assumption_text(a) for a in self.assumptions],
            "caveats": [caveat_text(c) for c in self.caveats],
            "witness": self.witness,
        }

    @property
    def choices(self) -> bool:
        """Whether the verdict rests on both versions making the same choice."""
        return any(isinstance(a, SameChoice) for a in self.assumptions)


@dataclass(frozen=True)
class Finding:
    """Something wrong, or worth noting."""

    kind: str
    why: str
    details: dict[str, Any] = field(default_factory=dict)


@contextmanager
def at_most(seconds: float, clock: int = signal.ITIMER_REAL) -> Iterator[None]:
    """Stop what takes too long by a clock; no seconds are no limit."""
    if not seconds:
        yield
        return

    def stop(*_: object) -> None:
        raise TimeOutError

    sent = {signal.ITIMER_REAL: signal.SIGALRM, signal.ITIMER_PROF: signal.SIGPROF}[clock]
    before = signal.signal(sent, stop)
    signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(sent, before)


def asked(
    verify: Callable[[], Report], seconds: float = 0.0, clock: int = signal.ITIMER_REAL
) -> Answer:
    """What Veer says, also where it fails; for at most some seconds, if any are given."""
    try:
        with at_most(seconds, clock):
            report = verify()
    except TimeOutError:
        return Answer("timeout", f"more than {seconds:g} s")
    except VeerError as error:
        return Answer("error", f"{type(error).__name__}: {error}")
    except Exception:
        return Answer("crash", traceback.format_exc()[-2000:])
    answer = answer_of(report.sinks[0])
    if isinstance(report.sinks[0].reason, ProofRefuted):
        return replace(answer, verdict="crash")
    return answer


def noted(id_: str, answer: Answer, seconds: float) -> None:
    """Keep a note of a pair that is refused, or takes long."""
    if answer.verdict in ("error", "timeout", "crash") or seconds > SLOW:
        line = {"id": id_, "verdict": answer.verdict, "seconds": round(seconds, 1)}
        NOTES.info(json.dumps({**line, "reason": answer.reason[:300]}, ensure_ascii=False))


def answer_of(sink: SinkReport) -> Answer:
    """The verdict on one sink."""
    return Answer(
        sink.verdict.value,
        reason_text(sink.reason),
        sink.assumptions,
        sink.caveats,
        sink.witness,
    )


def places(p: Outcome, q: Outcome, columns: str) -> tuple[list[int], list[int]]:
    """In which order the columns of both results are compared."""
    ours = list(range(len(p.names)))
    names, others = ([n.lower() for n in o.names] for o in (p, q))
    by_name = (
        columns == "name" and sorted(names) == sorted(others) and len(set(names)) == len(names)
    )
    return ours, [others.index(n) for n in names] if by_name else list(range(len(q.names)))


def same_rows(
    p: Outcome, q: Outcome, semantics: str, columns: str, *, signed_zeros: bool = True
) -> bool:
    """Whether two results are the same."""
    a, b = places(p, q, columns)
    if len(p.names) != len(q.names):
        return False
    if semantics == "ordered":
        ours, theirs = (
            [
                tuple(
                    map(
                        str,
                        Outcome(o.names, o.types, (row,)).bag(signed_zeros=signed_zeros, order=at),
                    )
                )
                for row in o.rows
            ]
            for o, at in ((p, a), (q, b))
        )
        return ours == theirs
    left = p.bag(signed_zeros=signed_zeros, order=a)
    right = q.bag(signed_zeros=signed_zeros, order=b)
    return set(left) == set(right) if semantics == "set" else left == right


def judged_equal(
    answer: Answer, p: Outcome, q: Outcome, semantics: str = "bag", columns: str = "name"
) -> Finding | None:
    """What is wrong with an EQUIVALENT after both versions ran on one database."""
    if p.refused or q.refused:
        return None
    if p.error or q.error:
        one = bool(p.error) != bool(q.error)
        if one and not any(isinstance(c, MayFail | MoreMayFail) for c in answer.caveats):
            return Finding(UNSAID_FAILURE, p.error or q.error)
        return None
    semantics = "bag" if semantics == "ordered" and answer.choices else semantics
    if same_rows(p, q, semantics, columns):
        return None
    if same_rows(p, q, semantics, columns, signed_zeros=False):
        return Finding(SIGNED_ZERO, "results differ in the sign of a zero")
    if answer.choices:
        return None
    return Finding(WRONG_EQUIVALENT, "the results differ")


def judged_witness(
    p: Outcome, q: Outcome, semantics: str = "bag", columns: str = "name"
) -> Finding | None:
    """What is wrong with an INEQUIVALENT after both versions ran on the witness."""
    if p.refused or q.refused:
        return None
    if p.error or q.error:
        return Finding(WRONG_INEQUIVALENT, f"fails on the witness: {p.error or q.error}")
    if same_rows(p, q, semantics, columns):
        return Finding(WRONG_INEQUIVALENT, "the results on the witness are the same")
    if same_rows(p, q, semantics, columns, signed_zeros=False):
        return Finding(WRONG_INEQUIVALENT, "only the sign of a zero differs on the witness")
    return None


def judged_schema(p: Outcome, q: Outcome, columns: str) -> Finding | None:
    """What is wrong with an INEQUIVALENT for other names or types."""
    if p.refused or q.refused:
        return None
    a, b = places(p, q, columns)
    if len(p.names) == len(q.names):
        names = [n.lower() for n in p.names] == [q.names[i].lower() for i in b]
        if (columns == "position" or names) and [p.types[i] for i in a] == [q.types[i] for i in b]:
            return Finding(WRONG_INEQUIVALENT, "names and types are the same")
    return None
