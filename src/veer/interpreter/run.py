"""Running dataflows: a `Program` is compiled once and run on many instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from veer.errors import UnsupportedError
from veer.facts.determinism import operator_kind
from veer.functions.registry import Kind
from veer.interpreter.choices import Choices
from veer.interpreter.expressions import Environment, Row
from veer.interpreter.join_groups import JoinGroup, compile_group, gather_group
from veer.interpreter.opaque import noise, opaque_value
from veer.interpreter.operators import compile_operator
from veer.interpreter.steps import Signal, Step
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import DataType

Tables = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Result:
    """The rows of a sink; `peers` numbers the layers of tied rows of an ordered result."""

    names: tuple[str, ...]
    types: tuple[DataType, ...]
    rows: list[Row]
    peers: list[int] | None = None


@dataclass
class Run:
    """What one run shares: tables, opaque functions, and results of subqueries."""

    tables: Tables
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    memo: dict[Any, list[Row]] = field(default_factory=dict)
    choices: Choices | None = None
    likely: Sequence[Any] = ()  # values opaque functions often give

    def compile(self, query: Dataflow, outer: tuple[Schema, ...]) -> Program:
        """A subquery, ready to run inside rows of these schemas."""
        return Program(query, outer)

    def opaque_call(self, identity: str, args: tuple[Any, ...], type_: DataType) -> Any:
        """The value of an opaque scalar function."""
        supplied = self.functions.get(identity)
        if supplied is not None:
            return supplied(*args)
        return opaque_value(noise(identity, args), type_, likely=self.likely)


class Program:
    """A dataflow compiled for running; `outer` are the schemas of enclosing queries' rows.

    Joins below a filter are joined together with it, unless every signal is to be seen.
    """

    def __init__(
        self, dataflow: Dataflow, outer: tuple[Schema, ...] = (), *, every_signal: bool = False
    ) -> None:
        self.dataflow = dataflow
        self.steps: list[tuple[str, tuple[str, ...], Step]] = []
        inlined: set[str] = set()
        groups: dict[str, JoinGroup] = {}
        for id_ in reversed(dataflow.order):
            if id_ in inlined or every_signal:
                continue
            if _starts_group(dataflow, id_):
                groups[id_] = gather_group(dataflow, id_)
                inlined |= groups[id_].members - {id_}
        for id_ in dataflow.order:
            if id_ in inlined:
                continue
            if id_ in groups:
                group = groups[id_]
                step = _compiled(partial(compile_group, group, dataflow, outer))
                self.steps.append((id_, group.inputs, step))
            else:
                below = dataflow.inputs[id_]
                schemas = [dataflow.schemas[i] for i in below]
                operator = dataflow.operators[id_]
                step = _compiled(partial(compile_operator, operator, schemas, outer))
                self.steps.append((id_, below, step))

    def run(
        self,
        tables: Tables,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        likely: Sequence[Any] = (),
    ) -> dict[str, Result]:
        """Every sink's result on the tables; raises `Failure` where Spark's run would fail."""
        return self._results(self.evaluate((Run(tables, functions or {}, likely=likely),)))

    def _results(self, signals: Mapping[str, Signal]) -> dict[str, Result]:
        results = {}
        for sink in self.dataflow.sinks:
            schema, signal = self.dataflow.schemas[sink], signals[sink]
            results[sink] = Result(schema.names, schema.types, signal.rows, signal.peers)
        return results

    def evaluate(self, env: Environment) -> dict[str, Signal]:
        """The output of every operator that is not inlined into a join."""
        signals: dict[str, Signal] = {}
        choices = env[0].choices
        for id_, inputs, step in self.steps:
            fed = [signals[i] for i in inputs]
            if choices is not None and id_ in self.choosing:
                fed = [choices.arrange(s, self._kept(id_, s)) for s in fed]
            signals[id_] = step(fed, env)
        return signals

    def _kept(self, id_: str, fed: Signal) -> range | None:
        """The places whose rows a Limit keeps; their order is left to whoever reads them."""
        operator = self.dataflow.operators[id_]
        if not isinstance(operator, ops.Limit):
            return None
        end = None if operator.count is None else operator.offset + operator.count
        return range(len(fed.rows))[operator.offset : end]

    @cached_property
    def choosing(self) -> frozenset[str]:
        """The operators whose result depends on the order of their input rows."""
        kinds = {i: operator_kind(self.dataflow, i) for i in self.dataflow.operators}
        return frozenset(i for i, kind in kinds.items() if kind is Kind.CHOICE)

    def outcomes(
        self,
        tables: Tables,
        most: int,
        functions: Mapping[str, Callable[..., Any]] | None = None,
    ) -> Iterator[dict[str, Result]]:
        """The results under every combination of choices; `TooManyChoicesError` past `most`."""
        choices = Choices(most)
        while True:
            choices.start()
            yield self._results(self.evaluate((Run(tables, functions or {}, {}, choices),)))
            if not choices.advance():
                return


def _compiled(compile_step: Callable[[], Step]) -> Step:
    """A step; of what the interpreter has no meaning for, one that says so when it is run."""
    try:
        return compile_step()
    except UnsupportedError as error:
        reason = error

    def not_run(_fed: list[Signal], _env: Environment) -> Signal:
        raise reason

    return not_run


def _starts_group(dataflow: Dataflow, id_: str) -> bool:
    """Whether joins below an operator are worth joining together: see `join_groups`."""

    def is_inner(operator: ops.AnyOperator) -> bool:
        return isinstance(operator, ops.Join) and operator.kind in (
            ops.JoinKind.INNER,
            ops.JoinKind.CROSS,
        )

    operator = dataflow.operators[id_]
    if isinstance(operator, ops.Filter):
        (below,) = dataflow.inputs[id_]
        single = len(dataflow.outputs[below]) == 1
        return single and (
            is_inner(dataflow.operators[below]) or isinstance(dataflow.operators[below], ops.Filter)
        )
    return is_inner(operator)


def program(dataflow: Dataflow) -> Program:
    """The compiled form of a dataflow, kept with it."""
    return dataflow.cached("program", lambda: Program(dataflow))


def run_dataflow(
    dataflow: Dataflow,
    tables: Tables,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> dict[str, Result]:
    """Run a dataflow on small tables, as Spark would run it."""
    return program(dataflow).run(tables, functions)
