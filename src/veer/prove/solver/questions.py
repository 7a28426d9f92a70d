"""The questions a proof rests on: noted by every solver while somebody listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import final

from veer.prove.solver.formula import Formula


@final
@dataclass(frozen=True, slots=True)
class Question:
    """Whether the goal follows from what is given, for all values of the columns."""

    goal: Formula
    given: tuple[Formula, ...] = ()


_noted: ContextVar[dict[Question, None] | None] = ContextVar("noted", default=None)


@contextmanager
def listening() -> Iterator[dict[Question, None]]:
    """Collect the questions answered by yes meanwhile, each once, in the order they came.

    Only these are relied on: what is not proven changes nothing.
    """
    questions: dict[Question, None] = {}
    before = _noted.set(questions)
    try:
        yield questions
    finally:
        _noted.reset(before)


def note(goal: Formula, given: tuple[Formula, ...]) -> None:
    """A question was answered by yes, now or earlier."""
    noted = _noted.get()
    if noted is not None:
        noted[Question(goal, given)] = None
