"""What an equivalence verifier (EV) is: semantics and restrictions as data, and `decide`.

An EV proves or does not know; refuting is the refuter's work. A query pair is valid for an EV if
it violates none of its restrictions (the paper's section 4.2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, final

from veer.facts.determinism import operator_kind
from veer.facts.facts import is_linear
from veer.functions.registry import Kind, aggregate_function
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.pprint import brief
from veer.ir.query_pair import QueryPair
from veer.ir.types import AtomicType
from veer.ir.walk import operator_exprs, parts, query_of
from veer.reasons import NotProven, Restricted
from veer.verdict import Answer, TableSemantics, Verdict

Ids: TypeAlias = Collection[str]


class Restriction(ABC):
    """A condition the operators on both sides must meet before an EV can be asked.

    `monotonic` means: once violated, a larger window violates it too.
    """

    monotonic: ClassVar[bool] = True

    @abstractmethod
    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """Why these operators of P and Q do not meet the condition; nothing if they do."""

    def violations(self, pair: QueryPair) -> Iterator[str]:
        """Why a query pair does not meet the condition."""
        ids = [[i for i in side.order if i not in side.sinks] for side in (pair.p, pair.q)]
        return self.violations_in(pair.p, ids[0], pair.q, ids[1])


class OperatorRestriction(Restriction):
    """A condition on each operator alone: always monotonic, as a larger window has it still."""

    @abstractmethod
    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """What is wrong with one operator."""

    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """Every operator of either side that does not meet the condition, with what is wrong."""
        for side, dataflow, ids in (("before", p, p_ids), ("after", q, q_ids)):
            for id_ in ids:
                violation = self.violation(dataflow, id_)
                if violation is not None:
                    yield f"operator {id_!r} ({side}) {violation}"


class CountRestriction(Restriction):
    """Both sides have as many operators of a kind; a neighbor can restore the balance."""

    monotonic = False

    @abstractmethod
    def counts(self, operator: ops.AnyOperator) -> bool:
        """Whether an operator is of the kind."""

    @property
    @abstractmethod
    def noun(self) -> str:
        """The kind in words."""

    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """Both numbers, where they differ."""
        ours = sum(self.counts(p.operators[i]) for i in p_ids)
        theirs = sum(self.counts(q.operators[i]) for i in q_ids)
        if ours != theirs:
            yield f"{ours} {self.noun} before but {theirs} after"


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
        """Whether an invalid window can never become valid by growing.

        The search may then give up a window, and all that contain it, at the first violation.
        """
        return all(r.monotonic for r in self.active)

    def violations(self, pair: QueryPair) -> Iterator[str]:
        """Why a query pair is not valid for this EV."""
        # Equal bags are equal sets: a proof for finer semantics than needed will do.
        if not self.semantics.implies(pair.semantics):
            yield f"{self.name} proves {self.semantics.value}, {pair.semantics.value} is needed"
        for restriction in self.active:
            yield from restriction.violations(pair)

    def is_valid(self, pair: QueryPair) -> bool:
        """Whether the pair meets every restriction."""
        return next(self.violations(pair), None) is None

    def verify(self, pair: QueryPair) -> Answer:
        """EQUIVALENT or UNKNOWN, with the first violation or the prover's reason."""
        violation = next(self.violations(pair), None)
        if violation is not None:
            return Answer(Verdict.UNKNOWN, Restricted(violation))
        answer = self.decide(pair)
        if answer.verdict is Verdict.INEQUIVALENT:
            # Only the refuter's witness, replayed, makes two versions inequivalent.
            return Answer(Verdict.UNKNOWN, NotProven(answer.reason))
        return answer

    @abstractmethod
    def decide(self, pair: QueryPair) -> Answer:
        """The answer on a valid pair."""


# -- restrictions any EV may use ---------------------------------------------------------------


@final
@dataclass(frozen=True)
class OnlyOperators(OperatorRestriction):
    """Every operator is of one of these kinds."""

    kinds: tuple[type[ops.AnyOperator], ...]

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """The kind of an operator that is none of those allowed."""
        operator = dataflow.operators[id_]
        return None if isinstance(operator, self.kinds) else f"is a {type(operator).__name__}"


@final
@dataclass(frozen=True)
class NoSubqueries(OperatorRestriction):
    """No expression holds a query of its own."""

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """Whether an operator evaluates a query for each row, however deep in an expression."""
        for expr in operator_exprs(dataflow.operators[id_]):
            if any(query_of(node) is not None for node in parts(expr)):
                return "holds a subquery"
        return None


@final
@dataclass(frozen=True)
class NoChoices(OperatorRestriction):
    """Every operator is a function of its inputs."""

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """Whether Spark may give different results of an operator for the same input."""
        chooses = operator_kind(dataflow, id_) in (Kind.CHOICE, Kind.PARTITION)
        shown = brief(dataflow.operators[id_])
        return f"[{shown}] can give different results on the same input" if chooses else None


@final
@dataclass(frozen=True)
class LinearConditions(OperatorRestriction):
    """Conditions multiply and divide by constants only, and call no function a solver has not."""

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """Whether a filter or join condition is beyond linear arithmetic."""
        operator = dataflow.operators[id_]
        if isinstance(operator, ops.Filter | ops.Join):
            if not all(map(is_linear, operator_exprs(operator))):
                return "has a condition that is not linear"
        return None


@final
@dataclass(frozen=True)
class SameCount(CountRestriction):
    """Both sides have as many operators of a type."""

    counted: type[ops.AnyOperator]

    def counts(self, operator: ops.AnyOperator) -> bool:
        """Whether an operator is of the type."""
        return isinstance(operator, self.counted)

    @property
    def noun(self) -> str:
        """The name of the type."""
        return self.counted.__name__


@final
@dataclass(frozen=True)
class SameOuterJoins(CountRestriction):
    """Both sides have as many outer joins."""

    noun = "outer joins"

    def counts(self, operator: ops.AnyOperator) -> bool:
        """Whether an operator is a left or full join."""
        return is_outer_join(operator)


@final
@dataclass(frozen=True)
class CountsOverSpjOnly(Restriction):
    """What counts duplicates stands on selections, projections and joins of different tables."""

    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """What stands below an aggregate that tells a bag from its set."""
        for side, dataflow, ids in (("before", p, p_ids), ("after", q, q_ids)):
            for id_ in ids:
                operator = dataflow.operators[id_]
                if not isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
                    continue
                if all(
                    ignores_duplicates(n.call.function, n.call.distinct) for n in operator.calls
                ):
                    continue
                yield from self._below(side, dataflow, id_, ids)

    def _below(self, side: str, dataflow: Dataflow, id_: str, ids: Ids) -> Iterator[str]:
        inside = set(ids)
        seen: set[str] = set()
        scans: list[str] = []
        stack = [id_]
        while stack:
            above = stack.pop()
            for below in dataflow.inputs[above]:
                operator = dataflow.operators[below]
                if below not in inside or isinstance(operator, ops.Source):
                    scans.append(operator.table if isinstance(operator, ops.Source) else below)
                elif below not in seen:
                    seen.add(below)
                    stack.append(below)
                    if not isinstance(operator, SPJ) or is_outer_join(operator):
                        kind = type(operator).__name__
                        yield f"aggregate {id_!r} ({side}) counts the rows of a {kind}"
        if len(set(scans)) < len(scans):
            yield f"aggregate {id_!r} ({side}) counts rows of a table that is read twice"


@final
@dataclass(frozen=True)
class AtMostOne(Restriction):
    """Neither side has two operators of a type."""

    counted: type[ops.AnyOperator]

    def violations_in(self, p: Dataflow, p_ids: Ids, q: Dataflow, q_ids: Ids) -> Iterator[str]:
        """How many there are on a side that has several."""
        for side, dataflow, ids in (("before", p, p_ids), ("after", q, q_ids)):
            count = sum(isinstance(dataflow.operators[i], self.counted) for i in ids)
            if count > 1:
                yield f"{count} {self.counted.__name__} {side}, at most one is allowed"


@final
@dataclass(frozen=True)
class PrimitiveResults(OperatorRestriction):
    """Aggregates give plain values: numbers, texts, dates."""

    def violation(self, dataflow: Dataflow, id_: str) -> str | None:
        """The type of the first result that is an array, a map or a struct."""
        operator = dataflow.operators[id_]
        if not isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
            return None
        odd = [n.call for n in operator.calls if not isinstance(n.call.type, AtomicType)]
        return f"gives a {odd[0].type}" if odd else None


SPJ = (ops.Source, ops.Filter, ops.Project, ops.Join)


def is_outer_join(operator: ops.AnyOperator) -> bool:
    """Whether an operator pads rows without partner."""
    return isinstance(operator, ops.Join) and operator.kind in (
        ops.JoinKind.LEFT,
        ops.JoinKind.FULL,
    )


def ignores_duplicates(function: str, distinct: bool) -> bool:
    """Whether an aggregate gives the same on a set as on the bag."""
    return distinct or aggregate_function(function).ignores_duplicates
