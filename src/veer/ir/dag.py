"""The dataflow: operators by id, the links between them, and what follows from both."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar, cast, final

from veer.errors import IllFormedError, InputError
from veer.ir import ops
from veer.ir.schema import Schema

T = TypeVar("T")


@final
@dataclass(frozen=True, slots=True, order=True)
class Link:
    """Data flows from the output of `src` into input number `port` of `dst`."""

    src: str
    dst: str
    port: int = 0


@final
class Dataflow:
    """An immutable, well-formed DAG of operators; every end of it is a `Sink`.

    Two dataflows are equal if they have the same operators under the same ids and the same
    links; `fingerprint` compares them by structure instead. `declared` are tables that are known
    but not read: foreign keys may lead to them.
    """

    def __init__(
        self,
        operators: Mapping[str, ops.AnyOperator],
        links: Iterable[Link],
        declared: Iterable[ops.Source] = (),
    ) -> None:
        self.operators: Mapping[str, ops.AnyOperator] = MappingProxyType(dict(operators))
        self.links: tuple[Link, ...] = tuple(sorted(links))
        self.declared: tuple[ops.Source, ...] = tuple(declared)
        self._cache: dict[Hashable, Any] = {}
        self._check_links()
        self._check_schemas()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Dataflow)
            and self.operators == other.operators
            and self.links == other.links
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Dataflow({len(self.operators)} operators, sinks {', '.join(self.sinks)})"

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, computed once and kept as long as the dataflow.

        For facts that follow from the dataflow alone: an immutable value has no stale facts. A key
        names the fact, with its arguments if it has some, and belongs to one module.
        """
        if key not in self._cache:
            # Not setdefault: `make` may ask for other facts of the same dataflow.
            self._cache[key] = make()
        return cast(T, self._cache[key])

    @cached_property
    def _hash(self) -> int:
        return hash((frozenset(self.operators), self.links))

    @cached_property
    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """For each operator the ids feeding it, in port order."""
        by_consumer: dict[str, dict[int, str]] = {id_: {} for id_ in self.operators}
        for link in self.links:
            by_consumer[link.dst][link.port] = link.src
        return {
            id_: tuple(by_port[p] for p in sorted(by_port)) for id_, by_port in by_consumer.items()
        }

    @cached_property
    def outputs(self) -> Mapping[str, tuple[Link, ...]]:
        """For each operator the links leaving it."""
        by_producer: dict[str, list[Link]] = {id_: [] for id_ in self.operators}
        for link in self.links:
            by_producer[link.src].append(link)
        return {id_: tuple(links) for id_, links in by_producer.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The ids, inputs before what they feed; deterministic."""
        return tuple(topological_order(self.inputs))

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Where each id stands in `order`."""
        return {id_: i for i, id_ in enumerate(self.order)}

    @cached_property
    def schemas(self) -> Mapping[str, Schema]:
        """The schema of every operator's output."""
        schemas: dict[str, Schema] = {}
        for id_ in self.order:
            operator = self.operators[id_]
            try:
                schemas[id_] = operator.output([schemas[src] for src in self.inputs[id_]])
            except InputError as error:
                kind = type(operator).__name__
                raise type(error)(f"operator {id_!r} ({kind}): {error}") from None
        return schemas

    @cached_property
    def sinks(self) -> tuple[str, ...]:
        """Ids of the sinks, sorted."""
        return tuple(sorted(i for i, op in self.operators.items() if isinstance(op, ops.Sink)))

    @cached_property
    def sources(self) -> Mapping[str, ops.Source]:
        """The source operators by id."""
        return {i: op for i, op in sorted(self.operators.items()) if isinstance(op, ops.Source)}

    @property
    def result_schema(self) -> Schema:
        """The schema of the only sink; for dataflows used as queries."""
        (sink,) = self.sinks
        return self.schemas[sink]

    def ancestors(self, *ids: str, stop: Container[str] = ()) -> frozenset[str]:
        """The operators and everything they depend on, but nothing below those in `stop`."""
        seen = set(ids)
        stack = list(ids)
        while stack:
            above = stack.pop()
            for src in () if above in stop else self.inputs[above]:
                if src not in seen:
                    seen.add(src)
                    stack.append(src)
        return frozenset(seen)

    def restrict(self, ids: Iterable[str]) -> Dataflow:
        """The part with these operators and the links among them."""
        kept = set(ids)
        if kept >= self.operators.keys():
            return self
        return Dataflow(
            {i: op for i, op in self.operators.items() if i in kept},
            [link for link in self.links if link.src in kept and link.dst in kept],
            self.declared,
        )

    def declaring(self, tables: Iterable[ops.Source]) -> Dataflow:
        """The same dataflow, with tables that are declared though perhaps not read."""
        return Dataflow(self.operators, self.links, tables)

    def _check_links(self) -> None:
        if not self.operators:
            raise IllFormedError("a dataflow needs an operator")
        taken: dict[tuple[str, int], str] = {}
        for link in self.links:
            for end in (link.src, link.dst):
                if end not in self.operators:
                    raise IllFormedError(f"link {link.src!r} -> {link.dst!r}: no operator {end!r}")
            if isinstance(self.operators[link.src], ops.Sink):
                raise IllFormedError(f"link {link.src!r} -> {link.dst!r} leaves a sink")
            if (link.dst, link.port) in taken:
                raise IllFormedError(
                    f"port {link.port} of operator {link.dst!r} has two producers: "
                    f"{taken[link.dst, link.port]!r} and {link.src!r}"
                )
            taken[link.dst, link.port] = link.src
        for id_, operator in self.operators.items():
            count = len(self.inputs[id_])
            for port in range(count):
                if (id_, port) not in taken:
                    raise IllFormedError(f"operator {id_!r}: nothing feeds port {port}")
            kind = type(operator).__name__
            if operator.arity is None and not count:
                raise IllFormedError(f"operator {id_!r} ({kind}) has no input")
            if operator.arity is not None and count != operator.arity:
                raise IllFormedError(
                    f"operator {id_!r} ({kind}) has {count} inputs, expected {operator.arity}"
                )

    def _check_schemas(self) -> None:
        _ = self.schemas
        for id_, operator in self.operators.items():
            if not isinstance(operator, ops.Sink) and not self.outputs[id_]:
                kind = type(operator).__name__
                raise IllFormedError(f"operator {id_!r} ({kind}) feeds nothing, and is not a sink")


def topological_order(inputs: Mapping[str, Sequence[str]]) -> list[str]:
    """Ids with what feeds them before them, or an error showing a cycle."""
    feeds: dict[str, list[str]] = {id_: [] for id_ in inputs}
    missing = {id_: len(sources) for id_, sources in inputs.items()}
    for id_ in sorted(inputs, reverse=True):
        for source in inputs[id_]:
            feeds[source].append(id_)
    ready = sorted((id_ for id_, count in missing.items() if not count), reverse=True)
    done: list[str] = []
    while ready:
        id_ = ready.pop()
        done.append(id_)
        for above in feeds[id_]:
            missing[above] -= 1
            if not missing[above]:
                ready.append(above)
    if len(done) < len(missing):
        path = [min(set(missing) - set(done))]
        while (below := next(i for i in inputs[path[-1]] if missing[i])) not in path:
            path.append(below)
        cycle = [below, *reversed(path[path.index(below) :])]
        raise IllFormedError(f"the links form a cycle: {' -> '.join(cycle)}")
    return done
