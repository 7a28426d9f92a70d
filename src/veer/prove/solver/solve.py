"""Questions to the solver: a fresh context each, a fixed seed, a budget of work, not of time.

A goal is proven if what is given and the negated goal have no model: z3 answers "unsat". Its two
other answers mean the same to a prover, namely nothing: a model may be one that no data gives, as
encodings admit more than Spark computes, and "unknown" is an exhausted budget. So no caller takes
them for "not equivalent", and none for "equivalent".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias, final

import z3

from veer.errors import UnsupportedError
from veer.prove.solver.encode import Encoder
from veer.prove.solver.formula import Formula, No, Variable, atoms
from veer.prove.solver.model import read_model
from veer.prove.solver.questions import note

WORK = 400_000  # z3's resource units per question
SEED = 7


class SolverOutcome(Enum):
    """What became of a question."""

    PROVEN = "proven"
    NOT_PROVEN = "not proven"  # there is a model, perhaps one no data can give
    GAVE_UP = "out of budget"


Answers: TypeAlias = dict[tuple[Formula, tuple[Formula, ...]], SolverOutcome]


@final
@dataclass
class Solver:
    """Answers questions of one query pair, each at most once, within a budget of questions.

    `gave_up` tells whether some question was not answered for want of budget, so that more of it
    might prove more. `answers` may be shared by solvers of the same questions.
    """

    work: int = WORK
    questions: int = 400
    size: int = 20_000  # atoms in all questions together
    asked: int = 0
    gave_up: bool = False
    answers: Answers = field(default_factory=dict)

    def proves(self, goal: Formula, given: Sequence[Formula] = ()) -> bool:
        """Whether the goal follows, for all values of the columns."""
        return self.ask(goal, given) is SolverOutcome.PROVEN

    def refutes(self, given: Sequence[Formula]) -> bool:
        """Whether no values of the columns satisfy all of these; at least one is to be given."""
        return self.ask(No(given[0]), given[1:]) is SolverOutcome.PROVEN

    def ask(self, goal: Formula, given: Sequence[Formula] = ()) -> SolverOutcome:
        """Whether the goal follows from what is given."""
        key = (goal, tuple(given))
        outcome = self.answers.get(key)
        if outcome is None:
            self.size -= sum(map(atoms, key[1])) + atoms(goal)
            if self.asked >= self.questions or self.size < 0:
                self.gave_up = True
                return SolverOutcome.GAVE_UP
            self.asked += 1
            outcome = _ask(goal, given, self.work)
            self.gave_up = self.gave_up or outcome is SolverOutcome.GAVE_UP
            # Remembered for other solvers, whose budget may be larger than this one's.
            if outcome is not SolverOutcome.GAVE_UP:
                self.answers[key] = outcome
        if outcome is SolverOutcome.PROVEN:
            note(*key)
        return outcome


def find_model(given: Sequence[Formula], work: int = WORK) -> dict[Variable, Any] | None:
    """Values for the variables that satisfy all of these, if the solver finds some.

    A suggestion of data to try, no witness: where functions are uninterpreted, Spark's values of
    them may be others.
    """
    context = z3.Context()
    encoder = Encoder(context)
    try:
        asserted = [encoder.formula(g) for g in given]
    except UnsupportedError:
        return None
    solver = _solver(context, work)
    solver.add(*asserted, *encoder.definitions(), *encoder.axioms())
    return read_model(solver.model(), encoder) if solver.check() == z3.sat else None


def _solver(context: z3.Context, work: int) -> z3.Solver:
    """A solver that gives the same answer on every machine: no clock, no random seed."""
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", work)
    solver.set("random_seed", SEED)
    return solver


def assertions(encoder: Encoder, goal: Formula, given: Sequence[Formula]) -> list[Any]:
    """What has no model if the goal follows: the given, the goal negated, what holds of literals."""
    asserted = [encoder.formula(g) for g in given]
    asserted.append(z3.Not(encoder.formula(goal)))
    return [*asserted, *encoder.axioms()]


def _ask(goal: Formula, given: Sequence[Formula], work: int) -> SolverOutcome:
    context = z3.Context()
    encoder = Encoder(context)
    try:
        asserted = assertions(encoder, goal, given)
    except UnsupportedError:
        # Nothing was asked; leaving out the part that has no encoding might prove too much.
        return SolverOutcome.NOT_PROVEN
    solver = _solver(context, work)
    solver.add(*asserted)
    match str(solver.check()):
        case "unsat":
            return SolverOutcome.PROVEN
        case "sat":
            return SolverOutcome.NOT_PROVEN
        case _:
            return SolverOutcome.GAVE_UP
