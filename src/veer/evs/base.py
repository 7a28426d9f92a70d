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
from veer.dataflow.expr import Call, Expr, Literal
from veer.dataflow.functions.registry import aggregate_function
from veer.dataflow.ops import (
    Aggregate,
    Filter,
    GlobalAggregate,
    Join,
    Operator,
    Project,
    Sink,
    Source,
)
from veer.dataflow.query_pair import QueryPair
from veer.dataflow.walk import operator_exprs, parts, query_of
from veer.verdict import Answer, TableSemantics, Verdict


class Restriction(ABC):
    """A condition a query pair must meet before an EV can be asked.

    `monotonic` means: once violated, a larger window violates it too.
    """

    monotonic: ClassVar[bool] = True

    @abstractmethod
    def violations(self, pair: QueryPair) -> Iterator[str]:
        """Why the pair does not meet the condition; nothing if it does."""


class EV(ABC):
    """An equivalence verifier; subclasses state `name`, `semantics`, `restrictions`.

    `restrictions` say what it can attempt (the paper's section 8). Where it is known to answer
    every pair of a smaller class, `complete_for` says which (section 4.2).
    """

    name: ClassVar[str]
    semantics: ClassVar[TableSemantics]
    restrictions: ClassVar[tuple[Restriction, ...]] = ()
    complete_for: ClassVar[tuple[Restriction, ...]] = ()
    relaxed: bool = True

    @property
    def active(self) -> tuple[Restriction, ...]:
        """The restrictions in force: those for attempting, or those for completeness too."""
        return self.restrictions if self.relaxed else (*self.restrictions, *self.complete_for)

    @property
    def monotonic(self) -> bool:
        """Whether an invalid window can never become valid by growing."""
        return all(r.monotonic for r in self.active)

    def violations(self, pair: QueryPair) -> Iterator[str]:
        """Why a query pair is not valid for this EV."""
        if not self.semantics.implies(pair.semantics):
            yield f"{self.name} proves {self.semantics.value}, {pair.semantics.value} is needed"
        for restriction in self.active:
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


@final
@dataclass(frozen=True)
class SameOuterJoins(Restriction):
    """Both sides have as many outer joins."""

    monotonic = False

    def violations(self, pair: QueryPair) -> Iterator[str]:
        p, q = (sum(map(is_outer_join, side.operators.values())) for side in (pair.p, pair.q))
        if p != q:
            yield f"{p} outer joins in P but {q} in Q"


@final
@dataclass(frozen=True)
class NoSubqueries(Restriction):
    """No expression holds a query of its own."""

    def violations(self, pair: QueryPair) -> Iterator[str]:
        for side, id_, expr in _all_exprs(pair):
            if any(query_of(node) is not None for node in parts(expr)):
                yield f"operator {id_!r} of {side} holds a subquery"


@final
@dataclass(frozen=True)
class LinearConditions(Restriction):
    """Conditions multiply and divide by constants only, and call no function a solver has not."""

    def violations(self, pair: QueryPair) -> Iterator[str]:
        for side, dataflow in (("P", pair.p), ("Q", pair.q)):
            for id_ in dataflow.order:
                operator = dataflow.operators[id_]
                if isinstance(operator, Filter | Join):
                    for expr in operator_exprs(operator):
                        if not is_linear(expr):
                            yield f"the condition of {id_!r} of {side} is not linear"


@final
@dataclass(frozen=True)
class CountsOverSpjOnly(Restriction):
    """What counts duplicates stands on selections, projections and joins of different tables."""

    def violations(self, pair: QueryPair) -> Iterator[str]:
        for side, dataflow in (("P", pair.p), ("Q", pair.q)):
            for id_ in dataflow.order:
                operator = dataflow.operators[id_]
                if not isinstance(operator, Aggregate | GlobalAggregate):
                    continue
                if all(
                    ignores_duplicates(n.call.function, n.call.distinct) for n in operator.calls
                ):
                    continue
                yield from self._below(side, dataflow, id_)

    def _below(self, side: str, dataflow: Dataflow, id_: str) -> Iterator[str]:
        below = [dataflow.operators[i] for i in sorted(dataflow.ancestors(id_)) if i != id_]
        for operator in below:
            if not isinstance(operator, SPJ) or is_outer_join(operator):
                yield f"aggregate {id_!r} of {side} counts over a {type(operator).__name__}"
        inside = dataflow.ancestors(id_)
        scans = [
            source.table
            for i, source in dataflow.sources.items()
            for link in dataflow.outputs[i]
            if link.dst in inside
        ]
        if len(set(scans)) < len(scans):
            yield f"aggregate {id_!r} of {side} counts over a table that is read twice"


SPJ = (Source, Filter, Project, Join)


def is_outer_join(operator: Operator) -> bool:
    """Whether an operator pads rows without partner."""
    return isinstance(operator, Join) and operator.kind in ("left", "full")


def ignores_duplicates(function: str, distinct: bool) -> bool:
    """Whether an aggregate gives the same on a set as on the bag."""
    return distinct or aggregate_function(function).ignores_duplicates


def is_linear(expr: Expr) -> bool:
    """Whether a condition is linear: the class solvers decide."""
    for node in parts(expr):
        if isinstance(node, Call):
            constants = sum(isinstance(a, Literal) for a in node.args)
            if node.function in ("*", "div", "%", "/") and not constants:
                return False
            if node.function not in LINEAR:
                return False
    return True


LINEAR = frozenset({"+", "-", "*", "/", "div", "%", "negative", "positive", "abs", "coalesce"})


def _all_exprs(pair: QueryPair) -> Iterator[tuple[str, str, Expr]]:
    for side, dataflow in (("P", pair.p), ("Q", pair.q)):
        for id_ in dataflow.order:
            for expr in operator_exprs(dataflow.operators[id_]):
                yield side, id_, expr
