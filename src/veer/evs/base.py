"""What an equivalence verifier (EV) is: semantics and restrictions as data, and `decide`.

An EV proves or does not know; refuting is the refuter's work. A query pair is valid for an EV if
it violates none of its restrictions (the paper's section 4.2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

from veer.dataflow.dag import Dataflow
from veer.dataflow.ops import Operator, Sink
from veer.verdict import Answer, TableSemantics, Verdict


@final
@dataclass(frozen=True)
class QueryPair:
    """Two closed sub-dataflows with one sink each, and what must be shown about their results.

    `columns` pairs positions of P's result with positions of Q's; sources of equal name are the
    same table on both sides.
    """

    p: Dataflow
    q: Dataflow
    semantics: TableSemantics
    columns: tuple[tuple[int, int], ...]


class Restriction(ABC):
    """A condition a query pair must meet before an EV can be asked.

    `monotonic` means: once violated, a larger window violates it too.
    """

    monotonic: ClassVar[bool] = True

    @abstractmethod
    def violations(self, pair: QueryPair) -> Iterator[str]:
        """Why the pair does not meet the condition; nothing if it does."""


class EV(ABC):
    """An equivalence verifier; subclasses state `name`, `semantics`, `restrictions`."""

    name: ClassVar[str]
    semantics: ClassVar[TableSemantics]
    restrictions: ClassVar[tuple[Restriction, ...]] = ()

    @property
    def monotonic(self) -> bool:
        """Whether an invalid window can never become valid by growing."""
        return all(r.monotonic for r in self.restrictions)

    def violations(self, pair: QueryPair) -> Iterator[str]:
        """Why a query pair is not valid for this EV."""
        if not self.semantics.implies(pair.semantics):
            yield f"{self.name} proves {self.semantics.value}, {pair.semantics.value} is needed"
        for restriction in self.restrictions:
            yield from restriction.violations(pair)

    def is_valid(self, pair: QueryPair) -> bool:
        """Whether the pair meets every restriction."""
        return next(self.violations(pair), None) is None

    def verify(self, pair: QueryPair) -> Answer:
        """EQUIVALENT or UNKNOWN, with the first violation or the prover's reason."""
        reason = next(self.violations(pair), None)
        if reason is not None:
            return Answer(Verdict.UNKNOWN, reason)
        answer = self.decide(pair)
        if answer.verdict is Verdict.INEQUIVALENT:
            return Answer(Verdict.UNKNOWN, f"not proven: {answer.reason}")
        return answer

    @abstractmethod
    def decide(self, pair: QueryPair) -> Answer:
        """The answer on a valid pair."""


# -- restrictions any EV may use ---------------------------------------------------------------


def count_operators(kind: type[Operator], side: Dataflow) -> int:
    """How many operators of a kind a dataflow has."""
    return sum(isinstance(op, kind) for op in side.operators.values())


@final
@dataclass(frozen=True)
class OnlyOperators(Restriction):
    """Every operator is of one of these kinds."""

    kinds: tuple[type[Operator], ...]

    def violations(self, pair: QueryPair) -> Iterator[str]:
        for side, dataflow in (("P", pair.p), ("Q", pair.q)):
            for id_ in dataflow.order:
                operator = dataflow.operators[id_]
                if not isinstance(operator, (*self.kinds, Sink)):
                    yield f"operator {id_!r} of {side} is a {type(operator).__name__}"


@final
@dataclass(frozen=True)
class SameCount(Restriction):
    """Both sides have as many operators of a kind."""

    counted: type[Operator]
    monotonic = False  # a later neighbor can restore the balance

    def violations(self, pair: QueryPair) -> Iterator[str]:
        p, q = (count_operators(self.counted, side) for side in (pair.p, pair.q))
        if p != q:
            yield f"{p} {self.counted.__name__} in P but {q} in Q"
