"""Edit mappings: which operator of Q each operator of P became.

By id where ids are stable. Else by structure: identical parts first (equal fingerprints), then
from the sinks upwards, then operators that are equal or of one type. Further mappings come from a
uniform-cost search over what is not identical, in order of edit distance.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import final

from veer.errors import IllFormedError
from veer.facts.fingerprint import fingerprints
from veer.ir.dag import Dataflow, Link
from veer.ir.ops import Sink

MOST_EXPANSIONS = 20_000  # states of the search for further mappings
SMALL = 24  # operators up to which also identical parts may be mapped otherwise
MODIFIED = 1
OTHER_TYPE = 2  # as much as deleting one operator and adding the other


@final
@dataclass(frozen=True)
class EditMapping:
    """A partial one-to-one correspondence of operators, as (id in P, id in Q) pairs."""

    pairs: frozenset[tuple[str, str]]

    def __post_init__(self) -> None:
        if len(self.to_q) < len(self.pairs) or len(self.to_p) < len(self.pairs):
            raise IllFormedError("an edit mapping is one to one")

    @cached_property
    def to_q(self) -> Mapping[str, str]:
        """The operator of Q that each mapped operator of P became."""
        return dict(sorted(self.pairs))

    @cached_property
    def to_p(self) -> Mapping[str, str]:
        """The operator of P that each mapped operator of Q was."""
        return {q: p for p, q in sorted(self.pairs)}


def edit_distance(p: Dataflow, q: Dataflow, mapping: EditMapping) -> int:
    """How many edits a mapping stands for; an operator of another type counts twice."""
    distance = len(p.operators) + len(q.operators) - 2 * len(mapping.pairs)
    distance += sum(_operator_cost(p, q, a, b) for a, b in mapping.pairs)
    kept = 0
    q_links = set(q.links)
    for link in p.links:
        src, dst = mapping.to_q.get(link.src), mapping.to_q.get(link.dst)
        kept += src is not None and dst is not None and Link(src, dst, link.port) in q_links
    return distance + len(p.links) + len(q.links) - 2 * kept


def _operator_cost(p: Dataflow, q: Dataflow, a: str, b: str) -> int:
    if p.operators[a] == q.operators[b]:
        return 0
    return MODIFIED if _same_type(p, q, a, b) else OTHER_TYPE


def _same_type(p: Dataflow, q: Dataflow, a: str, b: str) -> bool:
    return type(p.operators[a]) is type(q.operators[b])


# -- the best mapping --------------------------------------------------------------------------


def best_mapping(p: Dataflow, q: Dataflow, *, stable_ids: bool) -> EditMapping:
    """The mapping to start with."""
    return by_id(p, q) if stable_ids else by_structure(p, q)


def by_id(p: Dataflow, q: Dataflow) -> EditMapping:
    """Operators of one id and type."""
    shared = (i for i in p.operators if i in q.operators and _same_type(p, q, i, i))
    return EditMapping(frozenset((i, i) for i in shared))


def by_structure(p: Dataflow, q: Dataflow) -> EditMapping:
    """Identical parts first, then the best match of the rest; near-linear in the operators."""
    table: dict[str, str] = {}
    taken: set[str] = set()

    def pair(a: str, b: str) -> bool:
        if a in table or b in taken or not _same_type(p, q, a, b):
            return False
        table[a] = b
        taken.add(b)
        return True

    for a, b in identical_parts(p, q):
        pair(a, b)
    for a, b in sink_pairs(p, q):
        pair(a, b)
    _match_upwards(p, q, table, pair)
    _match_downwards(p, q, table, pair)
    for a, b in _equal_leftovers(p, q, table, taken):
        pair(a, b)
    _match_upwards(p, q, table, pair)
    return EditMapping(frozenset(table.items()))


def identical_parts(p: Dataflow, q: Dataflow) -> Iterator[tuple[str, str]]:
    """Operators at the end of identical sub-dataflows, larger ones first.

    Of several identical ones, those with the same consumers and sinks belong together; below a
    pair everything is identical, so the inputs are paired port by port.
    """
    prints_p, prints_q = fingerprints(p), fingerprints(q)
    waiting: dict[str, list[str]] = {}
    for b in q.order:
        waiting.setdefault(prints_q[b], []).append(b)
    sinks_p, sinks_q = _sinks_reached(p), _sinks_reached(q)
    done_p: set[str] = set()
    done_q: set[str] = set()
    for start in reversed(p.order):
        candidates = [b for b in waiting.get(prints_p[start], ()) if b not in done_q]
        if start in done_p or not candidates:
            continue
        best = max(candidates, key=lambda b: _likeness(p, q, start, b, sinks_p, sinks_q))
        stack = [(start, best)]
        while stack:
            a, b = stack.pop()
            if a in done_p or b in done_q:
                continue
            done_p.add(a)
            done_q.add(b)
            yield a, b
            stack += zip(p.inputs[a], q.inputs[b], strict=True)


def _sinks_reached(dataflow: Dataflow) -> Mapping[str, frozenset[str]]:
    """For each operator the names of the sinks that depend on it."""
    reached: dict[str, frozenset[str]] = {}
    for id_ in reversed(dataflow.order):
        operator = dataflow.operators[id_]
        own = frozenset([operator.name]) if isinstance(operator, Sink) else frozenset()
        above = {reached[link.dst] for link in dataflow.outputs[id_]}
        reached[id_] = next(iter(above)) if len(above) == 1 and not own else own.union(*above)
    return reached


def _likeness(
    p: Dataflow,
    q: Dataflow,
    a: str,
    b: str,
    sinks_p: Mapping[str, frozenset[str]],
    sinks_q: Mapping[str, frozenset[str]],
) -> tuple[int, bool, bool]:
    """How much two identical sub-dataflows are used alike."""
    consumers = [(q.operators[link.dst], link.port) for link in q.outputs[b]]
    shared = 0
    for link in p.outputs[a]:
        if (p.operators[link.dst], link.port) in consumers:
            consumers.remove((p.operators[link.dst], link.port))
            shared += 1
    extra = len(p.outputs[a]) + len(q.outputs[b]) - 2 * shared
    return -extra, sinks_p[a] == sinks_q[b], a == b


def sink_pairs(p: Dataflow, q: Dataflow) -> Iterator[tuple[str, str]]:
    """Sinks of the two versions that belong together: by target, then by name.

    The only result of a version belongs to the only one of the other, unless each is written
    somewhere: what a query is called depends on how it is written down.
    """
    left = {i: op for i, op in p.operators.items() if isinstance(op, Sink)}
    right = {i: op for i, op in q.operators.items() if isinstance(op, Sink)}
    keys: tuple[Callable[[Sink], str], ...] = (lambda s: s.target, lambda s: s.name)
    for key in keys:
        by_key = {key(op): i for i, op in sorted(right.items(), reverse=True) if key(op)}
        for a in sorted(left):
            b = by_key.get(key(left[a]))
            if b is not None and b in right:
                del left[a], right[b]
                yield a, b
    if len(p.sinks) == len(q.sinks) == 1 and left:
        (a, one), (b, two) = *left.items(), *right.items()
        if not (one.target and two.target):
            yield a, b


def _match_upwards(
    p: Dataflow, q: Dataflow, table: dict[str, str], pair: Callable[[str, str], bool]
) -> None:
    """From mapped operators to what feeds them, port by port; equal operators first."""
    for a in reversed(p.order):
        b = table.get(a)
        if b is None:
            continue
        # An operator such as a union may have more inputs in one version than in the other.
        feeding = list(zip(p.inputs[a], q.inputs[b], strict=False))
        for x, y in feeding:
            if p.operators[x] == q.operators[y]:
                pair(x, y)
        for x, y in feeding:
            pair(x, y)


def _match_downwards(
    p: Dataflow, q: Dataflow, table: dict[str, str], pair: Callable[[str, str], bool]
) -> None:
    """From mapped operators to what they feed, equal operators first."""
    for a in p.order:
        b = table.get(a)
        if b is None:
            continue
        for x in p.outputs[a]:
            for y in q.outputs[b]:
                if x.port == y.port and p.operators[x.dst] == q.operators[y.dst]:
                    pair(x.dst, y.dst)
        for x in p.outputs[a]:
            for y in q.outputs[b]:
                if x.port == y.port:
                    pair(x.dst, y.dst)


def _equal_leftovers(
    p: Dataflow, q: Dataflow, table: dict[str, str], taken: set[str]
) -> list[tuple[str, str]]:
    """Unmapped operators that are equal as values, in order."""
    waiting: dict[object, list[str]] = {}
    for b in q.order:
        if b not in taken:
            waiting.setdefault(q.operators[b], []).append(b)
    paired = []
    for a in p.order:
        candidates = waiting.get(p.operators[a]) if a not in table else None
        if candidates:
            paired.append((a, candidates.pop(0)))
    return paired


# -- further mappings --------------------------------------------------------------------------


def best_mappings(p: Dataflow, q: Dataflow, *, stable_ids: bool) -> Iterator[EditMapping]:
    """The best mapping, then others in order of edit distance, as long as the caller asks."""
    first = best_mapping(p, q, stable_ids=stable_ids)
    yield first
    for mapping in _enumerate(p, q):
        if mapping != first:
            yield mapping


def _enumerate(p: Dataflow, q: Dataflow) -> Iterator[EditMapping]:
    """Mappings that keep the identical parts, cheapest first, by uniform-cost search.

    A state decides the first operators of P in topological order; its cost counts the edits
    already certain. That never exceeds the cost of a completion, so complete mappings come out in
    order of edit distance. The search stops after a fixed number of states.
    """
    fixed = dict(identical_parts(p, q))
    if len(p.operators) + len(q.operators) <= 2 * SMALL:
        fixed = {a: b for a, b in fixed.items() if _is_unambiguous(p, q, a)}
    kept = set(fixed.values())
    rest_p = [a for a in p.order if a not in fixed]
    rest_q = [b for b in q.order if b not in kept]
    tie = count()  # states of one cost in the order they were made, the same on every run
    queue: list[tuple[int, int, int, tuple[str | None, ...]]] = [(0, next(tie), 0, ())]
    expansions = 0
    while queue and expansions < MOST_EXPANSIONS:
        _, _, decided, choice = heapq.heappop(queue)
        expansions += 1
        chosen = zip(rest_p[:decided], choice, strict=True)
        table = {**fixed, **{a: b for a, b in chosen if b is not None}}
        if decided == len(rest_p):
            yield EditMapping(frozenset(table.items()))
            continue
        a = rest_p[decided]
        used = set(choice)
        candidates: Iterable[str | None] = [
            *(b for b in rest_q if b not in used and _may_map(p, q, a, b)),
            None,
        ]
        for b in candidates:
            further = (*choice, b)
            cost = _certain_cost(p, q, fixed, rest_p[: decided + 1], further, rest_p, rest_q)
            heapq.heappush(queue, (cost, next(tie), decided + 1, further))


def _is_unambiguous(p: Dataflow, q: Dataflow, a: str) -> bool:
    """Whether there is only one sub-dataflow like that of `a` on either side."""
    wanted = fingerprints(p)[a]
    return all(list(fingerprints(side).values()).count(wanted) == 1 for side in (p, q))


def _may_map(p: Dataflow, q: Dataflow, a: str, b: str) -> bool:
    """Whether one operator may have become the other: sinks stay sinks, joins stay joins."""
    one, other = p.operators[a], q.operators[b]
    if isinstance(one, Sink) or isinstance(other, Sink):
        return isinstance(one, Sink) and isinstance(other, Sink)
    return type(one) is type(other) or (one.arity == other.arity == 1)


def _certain_cost(
    p: Dataflow,
    q: Dataflow,
    fixed: dict[str, str],
    decided: list[str],
    choice: tuple[str | None, ...],
    rest_p: list[str],
    rest_q: list[str],
) -> int:
    """Edits that no completion of the choice avoids; all of them once everything is decided."""
    table: dict[str, str | None] = {**fixed, **dict(zip(decided, choice, strict=True))}
    cost = 0
    for a, b in zip(decided, choice, strict=True):
        cost += 1 if b is None else _operator_cost(p, q, a, b)
    q_links = set(q.links)
    kept: set[Link] = set()
    for link in p.links:
        if link.src in table and link.dst in table:
            src, dst = table[link.src], table[link.dst]
            if src is not None and dst is not None and Link(src, dst, link.port) in q_links:
                kept.add(Link(src, dst, link.port))
            else:
                cost += 1
    if len(decided) == len(rest_p):
        mapped = {b for b in table.values() if b is not None}
        cost += sum(b not in mapped for b in rest_q)
        cost += len(q_links) - len(kept)
    return cost
