"""The pair graph: the operators of both versions as numbered nodes, a mapped pair being one.

Windows are bit sets over these nodes, so that mapped operators are both in a window or both outside
(the paper's Definition of a window, section 3.2). The graph may be cyclic where operators were
swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.verification.proof import same_operator
from veer.verification.versions import VersionPair


class Node(NamedTuple):
    """An operator of P, of Q, or one of each mapped onto each other; None for neither."""

    p: str | None
    q: str | None


class Port(NamedTuple):
    """An input of a mapped operator: what feeds it in P and what in Q; `consumer` is P's id."""

    consumer: str
    p: str
    q: str


def bits(mask: int) -> Iterator[int]:
    """The numbers of the nodes in a window."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@final
@dataclass(frozen=True)
class PairGraph:
    """Two versions under an edit mapping, restricted to what one pair of sinks depends on."""

    p: Dataflow
    q: Dataflow
    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, pair: VersionPair, p_sink: str, q_sink: str) -> PairGraph:
        """The graph of a pair of sinks; the sinks themselves are no nodes."""
        p = pair.p.restrict(pair.p.ancestors(p_sink))
        q = pair.q.restrict(pair.q.ancestors(q_sink))
        nodes = []
        for a in p.order:
            if not isinstance(p.operators[a], Sink):
                b = pair.mapping.to_q.get(a)
                nodes.append(Node(a, b if b in q.operators else None))
        mapped = {n.q for n in nodes}
        for b in q.order:
            if not isinstance(q.operators[b], Sink) and b not in mapped:
                nodes.append(Node(None, b))
        return cls(p, q, tuple(nodes))

    @cached_property
    def of_p(self) -> dict[str, int]:
        """The node of each operator of P."""
        return {n.p: i for i, n in enumerate(self.nodes) if n.p is not None}

    @cached_property
    def of_q(self) -> dict[str, int]:
        """The node of each operator of Q."""
        return {n.q: i for i, n in enumerate(self.nodes) if n.q is not None}

    @cached_property
    def to_q(self) -> dict[str, str]:
        """Q's operator for each mapped operator of P, sinks included."""
        mapped = {n.p: n.q for n in self.nodes if n.p is not None and n.q is not None}
        return {**mapped, self.p.sinks[0]: self.q.sinks[0]}

    @cached_property
    def to_p(self) -> dict[str, str]:
        """P's operator for each mapped operator of Q, sinks included."""
        return {b: a for a, b in self.to_q.items()}

    @cached_property
    def adjacent(self) -> tuple[int, ...]:
        """For each node the nodes linked with it in either version."""
        neighbors = [0] * len(self.nodes)
        for dataflow, numbers in ((self.p, self.of_p), (self.q, self.of_q)):
            for link in dataflow.links:
                if link.dst in numbers:
                    a, b = numbers[link.src], numbers[link.dst]
                    neighbors[a] |= 1 << b
                    neighbors[b] |= 1 << a
        return tuple(neighbors)

    def around(self, mask: int) -> int:
        """The nodes next to a window."""
        neighbors = 0
        for node in bits(mask):
            neighbors |= self.adjacent[node]
        return neighbors & ~mask

    @cached_property
    def everything(self) -> int:
        """The window of all nodes: the whole version pair."""
        return (1 << len(self.nodes)) - 1

    @cached_property
    def ports(self) -> tuple[Port, ...]:
        """The inputs of mapped operators and of the sinks, port by port."""
        ports = []
        for a, b in self.to_q.items():
            ours, theirs = self.p.inputs[a], self.q.inputs[b]
            ports += [Port(a, x, y) for x, y in zip(ours, theirs, strict=False)]
        return tuple(ports)

    @cached_property
    def edited(self) -> tuple[int, ...]:
        """The nodes with an edit, each as a window of its own.

        Added, deleted and modified operators; and mapped operators that are fed by others than
        before, unless both feeders have an edit themselves: then it is their output that changed.
        """
        changed = {i for i, n in enumerate(self.nodes) if not self._is_kept(n)}
        changed |= self._fed_otherwise(changed)
        for ours, theirs in self.to_q.items():
            if len(self.p.inputs[ours]) != len(self.q.inputs[theirs]) and ours in self.of_p:
                changed.add(self.of_p[ours])
        return tuple(1 << i for i in sorted(changed))

    def _fed_otherwise(self, changed: Set[int]) -> set[int]:
        """Mapped operators with a mapped feeder that is not the counterpart of the one before.

        Not where both feeders have an edit, or are rewired themselves.
        """
        moved: dict[str, list[tuple[int, int]]] = {}
        for port in self.ports:
            a, b = self.of_p[port.p], self.of_q[port.q]
            if a != b and self.nodes[a].q is not None and self.nodes[b].p is not None:
                moved.setdefault(port.consumer, []).append((a, b))
        rewired = {self.of_p[c] for c in moved if c in self.of_p}
        edited: set[int] = set()
        for consumer, feeders in moved.items():
            number = self.of_p.get(consumer)
            if number is None:
                continue  # a sink
            settled = changed | edited | rewired - {number}
            if not all(a in settled and b in settled for a, b in feeders):
                edited.add(number)
        return edited

    def _is_kept(self, node: Node) -> bool:
        if node.p is None or node.q is None:
            return False
        return same_operator(self.p, node.p, self.q, node.q)

    def p_ids(self, mask: int) -> list[str]:
        """P's operators in a window."""
        return [a for i in bits(mask) if (a := self.nodes[i].p) is not None]

    def q_ids(self, mask: int) -> list[str]:
        """Q's operators in a window."""
        return [b for i in bits(mask) if (b := self.nodes[i].q) is not None]

    def in_p(self, mask: int, id_: str) -> bool:
        """Whether an operator of P is in a window."""
        number = self.of_p.get(id_)
        return number is not None and bool(mask >> number & 1)

    def in_q(self, mask: int, id_: str) -> bool:
        """Whether an operator of Q is in a window."""
        number = self.of_q.get(id_)
        return number is not None and bool(mask >> number & 1)


def entering(dataflow: Dataflow, start: str, inside: Callable[[str], bool]) -> set[str]:
    """Signals outside a part of a dataflow that one of its outputs depends on directly."""
    signals: set[str] = set()
    seen: set[str] = set()
    stack = [start]
    while stack:
        id_ = stack.pop()
        if id_ in seen:
            continue
        seen.add(id_)
        if inside(id_):
            stack.extend(dataflow.inputs[id_])
        else:
            signals.add(id_)
    return signals
