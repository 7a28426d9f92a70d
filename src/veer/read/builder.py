"""A builder of dataflows, operator by operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from veer.errors import InputError
from veer.facts.determinism import dataflow_kind, is_random
from veer.functions.registry import Kind
from veer.ir import ops
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Expr
from veer.ir.schema import Schema
from veer.ir.traits import RowOrder
from veer.ir.walk import operator_exprs
from veer.settings import current


class FlowBuilder:
    """Collects operators and links; ids are given or numbered by kind."""

    def __init__(self) -> None:
        self.operators: dict[str, ops.AnyOperator] = {}
        self.links: list[Link] = []
        self.schemas: dict[str, Schema] = {}
        self._numbers: dict[str, int] = {}
        self._sources: dict[ops.Source, str] = {}
        self.one_row: str | None = None  # the id of the single row without columns
        self.of_python: set[Expr] = set()  # what calls of Python functions were read as
        self.site = ""  # where in the user's files the operator comes from

    def add(self, operator: ops.AnyOperator, *inputs: str, id_: str | None = None) -> str:
        """Add an operator fed by others; gives its id."""
        if isinstance(operator, ops.Source) and operator in self._sources:
            return self._sources[operator]
        name = id_ if id_ is not None and id_ not in self.operators else self._number(operator)
        try:
            schema = operator.output([self.schemas[i] for i in inputs])
        except InputError as error:
            raise type(error)(f"operator {name!r} ({type(operator).__name__}): {error}") from None
        self.place(name, operator, schema, inputs)
        if isinstance(operator, ops.Source):
            self._sources[operator] = name
        return name

    def place(
        self, id_: str, operator: ops.AnyOperator, schema: Schema, inputs: Sequence[str]
    ) -> None:
        """Put an operator of known schema under its id."""
        self.operators[id_] = _as_read(operator)
        self.schemas[id_] = schema
        self.links += [Link(src, id_, port) for port, src in enumerate(inputs)]

    def _number(self, operator: ops.AnyOperator) -> str:
        kind = type(operator).__name__.lower()
        if isinstance(operator, ops.Source):
            kind = operator.table
            if kind not in self.operators:
                return kind
        while True:  # a table may be called like an operator
            self._numbers[kind] = self._numbers.get(kind, 0) + 1
            name = f"{kind}_{self._numbers[kind]}{self.site and '@'}{self.site}"
            if name not in self.operators:
                return name

    def unordered(self, id_: str) -> str:
        """The signal without the order its rows may come in: a union of one.

        Nothing is added where no order can be lost.
        """
        return self.add(ops.Union(), id_) if self.is_sorted(id_) else id_

    def is_sorted(self, id_: str) -> bool:
        """Whether the rows of a signal come in an order that some operator gave them.

        The operators that keep order are looked through down to the one that makes it.
        """
        at = id_
        while self.operators[at].traits.order is RowOrder.KEPT:
            at = next(link.src for link in self.links if link.dst == at)
        return self.operators[at].traits.order is RowOrder.OWN

    def makes_a_choice(self, id_: str) -> bool:
        """Whether evaluating a signal twice may give different rows."""
        return dataflow_kind(self.probe(id_)) in (Kind.CHOICE, Kind.PARTITION)

    def probe(self, id_: str) -> Dataflow:
        """The dataflow of one signal."""
        probe = FlowBuilder()
        probe.operators, probe.schemas = dict(self.operators), dict(self.schemas)
        probe.links = list(self.links)
        for other, operator in list(probe.operators.items()):
            if isinstance(operator, ops.Sink):
                del probe.operators[other]
        probe.add(ops.Sink("probe"), id_, id_="probe")
        return probe.finish()

    def is_random(self, id_: str) -> bool:
        """Whether an expression below a signal is random: Spark evaluates such a WITH only once."""
        exprs = (e for operator in self.operators_below(id_) for e in operator_exprs(operator))
        return any(map(is_random, exprs))

    def operators_below(self, id_: str) -> Iterator[ops.AnyOperator]:
        """The operator of a signal, and all that it gets rows of."""
        waiting, seen = [id_], {id_}
        while waiting:
            here = waiting.pop()
            yield self.operators[here]
            below = {link.src for link in self.links if link.dst == here} - seen
            seen |= below
            waiting += below

    def finish(self) -> Dataflow:
        """The dataflow of everything a sink depends on."""
        needed: set[str] = set()
        feeding: dict[str, list[str]] = {}
        for link in self.links:
            feeding.setdefault(link.dst, []).append(link.src)
        stack = [i for i, op in self.operators.items() if isinstance(op, ops.Sink)]
        while stack:
            id_ = stack.pop()
            if id_ not in needed:
                needed.add(id_)
                stack += feeding.get(id_, [])
        return Dataflow(
            {i: op for i, op in self.operators.items() if i in needed},
            [link for link in self.links if link.dst in needed],
        )


def _as_read(operator: ops.AnyOperator) -> ops.AnyOperator:
    """A source together with the current settings that decide what it holds."""
    settings = current().reading
    if (
        not settings
        or not isinstance(operator, ops.Source)
        or operator.format in (ops.LOCAL, ops.COMPUTED)
    ):
        return operator
    told = [(f"{ops.OF_SESSION}{name}", value) for name, value in settings]
    return replace(operator, metadata=(*operator.metadata, *told))
