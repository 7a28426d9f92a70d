"""Where the tables of a witness part: the operators to look at for why two sinks differ.

From the sinks down. Between two signals that differ and the nearest ones that both versions have below
them stands a region of each version; where what it reads is the same, what changed in it is to blame:

    P:  t -> f(a > 1) -> g -> sink          Q:  t -> f(a > 2) -> h -> g -> sink

    sink: reads g of both, which differ     g: reads f of both, which differ
    f: reads t of both, which is the same   =>   f

Two signals are the same if they are so in what the sinks need of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, final

from veer.facts.needs import Need, needs
from veer.interpreter import Signal
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.ir.schema import Schema
from veer.ir.types import same_by_value
from veer.refute import Refutation, rows_alone, same_rows
from veer.verification.versions import VersionPair

Pairs: TypeAlias = list[tuple[int, int]]  # columns of a table that belong to those of another
Ends: TypeAlias = tuple[str, str]  # an operator of P and one of Q


@final
@dataclass(frozen=True)
class Side:
    """One version on a witness: its tables, what is needed of them, and its partners."""

    dataflow: Dataflow
    tables: Mapping[str, Signal]
    needs: Mapping[str, Need]
    partner: Mapping[str, str]  # the operators that the other version has too

    def table(self, id_: str) -> tuple[Schema, Signal]:
        """What an operator gives."""
        return self.dataflow.schemas[id_], self.tables[id_]


@final
@dataclass
class Region:
    """Operators of both versions above signals that both have."""

    p: list[str]
    q: list[str]
    reads: list[Ends]


@final
class Parting:
    """Both versions on a witness that tells them apart."""

    def __init__(
        self,
        refutation: Refutation,
        pair: VersionPair,
        p: Mapping[str, Signal],
        q: Mapping[str, Signal],
    ) -> None:
        self._refutation = refutation
        semantics = refutation.semantics
        ours = Need(semantics, frozenset(i for i, _ in refutation.columns))
        theirs = Need(semantics, frozenset(j for _, j in refutation.columns))
        to_q = {a: b for a, b in pair.mapping.to_q.items() if a in p and b in q}
        self.p = Side(refutation.p, p, needs(refutation.p, {refutation.p_sink: ours}), to_q)
        self.q = Side(
            refutation.q,
            q,
            needs(refutation.q, {refutation.q_sink: theirs}),
            {b: a for a, b in to_q.items()},
        )

    # -- the same, or not ----------------------------------------------------------------------------

    def differ(self, a: str, b: str) -> bool:
        """Whether a table of P and one of Q are different in what the sinks need of them."""
        ours, theirs = self.p.needs.get(a), self.q.needs.get(b)
        if ours is None or theirs is None:
            return False
        left, right = self.p.dataflow.schemas[a], self.q.dataflow.schemas[b]
        pairs = [(i, j) for i, j in self.pairs(a, b) if i in ours.columns or j in theirs.columns]
        if not all(same_by_value(left.fields[i].type, right.fields[j].type) for i, j in pairs):
            return True
        asked = replace(self._refutation, semantics=ours.semantics | theirs.semantics)
        return not same_rows(asked, self.p.table(a), self.q.table(b), pairs)

    def pairs(self, a: str, b: str) -> Pairs:
        """The columns of two tables that belong together: at the sinks as these are compared."""
        if (a, b) == self._sinks:
            return list(self._refutation.columns)
        if (a, b) == self._below_sinks:
            return self._pairs_below_sinks
        return paired_columns(self.p.dataflow.schemas[a], self.q.dataflow.schemas[b])

    def alone(self, a: str, b: str) -> tuple[list[int], list[int]]:
        """The rows that only one of two tables has, as numbers."""
        left, right = self.p.dataflow.schemas[a], self.q.dataflow.schemas[b]
        pairs = [
            (i, j)
            for i, j in self.pairs(a, b)
            if same_by_value(left.fields[i].type, right.fields[j].type)
        ]
        return rows_alone(self.p.table(a), self.q.table(b), pairs)

    @property
    def _sinks(self) -> Ends:
        return self._refutation.p_sink, self._refutation.q_sink

    @cached_property
    def _below_sinks(self) -> Ends | None:
        """What the sinks read, where they do nothing but show it."""
        p, q = (side.dataflow for side in (self.p, self.q))
        a, b = self._sinks
        if not isinstance(p.operators[a], Sink) or not isinstance(q.operators[b], Sink):
            return None
        return p.inputs[a][0], q.inputs[b][0]

    @cached_property
    def _pairs_below_sinks(self) -> Pairs:
        shown = []
        for side, sink in zip((self.p, self.q), self._sinks, strict=True):
            operator = side.dataflow.operators[sink]
            assert isinstance(operator, Sink)
            shown.append(operator.places(side.dataflow.schemas[side.dataflow.inputs[sink][0]]))
        return [(shown[0][i], shown[1][j]) for i, j in self._refutation.columns]

    # -- where they part -----------------------------------------------------------------------------

    def parted(self) -> tuple[list[str], list[str]]:
        """The operators of P and of Q that make tables differ though what they read is the same."""
        blamed: tuple[dict[str, None], dict[str, None]] = {}, {}
        seen = {self._sinks}
        stack = [self._sinks]
        while stack:
            top = stack.pop()
            region = self._region(*top)
            differing = [ends for ends in region.reads if self.differ(*ends)]
            if not differing:
                for found, ids in zip(blamed, self._to_blame(top, region), strict=True):
                    found.update(dict.fromkeys(ids))
            stack += [ends for ends in differing if ends not in seen]
            seen.update(differing)
        return list(blamed[0]), list(blamed[1])

    def _region(self, a: str, b: str) -> Region:
        """The operators from two signals down to the nearest ones that both versions have."""
        p, q = _Descent(self.p, a), _Descent(self.q, b)
        reads: dict[Ends, None] = {}
        while True:
            p.settle(q)
            q.settle(p)
            reads.update(dict.fromkeys(p.reads | {(a, b): None for b, a in q.reads}))
            loose = p.loose(), q.loose()
            if not any(loose):
                break
            # An operator waits while its partner stands below what the other side has yet to pass.
            first = p.not_waiting(loose[0], q, loose[1]), q.not_waiting(loose[1], p, loose[0])
            for side, ids in zip((p, q), first if any(first) else loose, strict=True):
                side.go_below(ids)
        return Region(list(p.passed), list(q.passed), list(reads))

    def _to_blame(self, top: Ends, region: Region) -> tuple[list[str], list[str]]:
        """What changed in a region whose inputs are the same, as far as it shows in its tables."""
        at_top = [top[0]], [top[1]]
        p, q = self.p.dataflow, self.q.dataflow
        ours = [a for a in region.p if a != top[0] and self._is_edited(self.p, a, q, region.q)]
        theirs = [b for b in region.q if b != top[1] and self._is_edited(self.q, b, p, region.p)]
        if not ours and not theirs:
            return at_top  # it changed, or what it is linked to
        if p.operators[top[0]] != q.operators[top[1]]:
            inputs = p.inputs[top[0]], q.inputs[top[1]]
            if len(inputs[0]) == len(inputs[1]) and not any(map(self.differ, *inputs)):
                return at_top
        shown_p = [a for a in ours if not self._passes(self.p, a)]
        shown_q = [b for b in theirs if not self._passes(self.q, b)]
        return (shown_p, shown_q) if shown_p or shown_q else (ours, theirs)

    def _is_edited(self, side: Side, id_: str, other: Dataflow, region: Collection[str]) -> bool:
        """Whether an operator changed, or stands elsewhere in the other version."""
        partner = side.partner.get(id_)
        if partner is None:
            return bool(side.dataflow.inputs[id_])  # a source alone does nothing
        return partner not in region or side.dataflow.operators[id_] != other.operators[partner]

    def _passes(self, side: Side, id_: str) -> bool:
        """Whether an operator of one version alone gives what it reads, in what is needed of it."""
        inputs = side.dataflow.inputs[id_]
        if id_ in side.partner or len(inputs) != 1:
            return False
        need = side.needs.get(id_)
        if need is None:
            return True
        above, below = side.dataflow.schemas[id_], side.dataflow.schemas[inputs[0]]
        pairs = [
            (i, j)
            for i, j in paired_columns(above, below)
            if i in need.columns and above.fields[i].type == below.fields[j].type
        ]
        if len(pairs) < len(need.columns):
            return False
        asked = replace(self._refutation, semantics=need.semantics)
        return same_rows(asked, side.table(id_), side.table(inputs[0]), pairs)


@final
class _Descent:
    """The way down from a signal of one version, to signals that the other has too."""

    def __init__(self, side: Side, top: str) -> None:
        self.side = side
        self.passed: dict[str, None] = {top: None}
        self.front: dict[str, None] = dict.fromkeys(side.dataflow.inputs[top])
        self.reads: dict[Ends, None] = {}  # signals where it stops, with their partners

    def loose(self) -> list[str]:
        """Where it stands and cannot stop: the other does not stand there."""
        return [i for i in self.front if not self._stops(i)]

    def _stops(self, id_: str) -> bool:
        return (id_, self.side.partner.get(id_)) in self.reads

    def settle(self, other: _Descent) -> None:
        """Stop where the other stands too, or where it stopped above."""
        stopped = [
            i for i in other.front if other._stops(i) or other.side.partner.get(i) in self.front
        ]
        below = other.side.dataflow.ancestors(*stopped) - set(other.passed)
        for i in self.front:
            partner = self.side.partner.get(i)
            if partner is not None and partner in below:
                self.reads[i, partner] = None

    def not_waiting(
        self, loose: Iterable[str], other: _Descent, others: Iterable[str]
    ) -> list[str]:
        """Those whose partners the other will not come to."""
        ahead = other.side.dataflow.ancestors(*others)
        return [i for i in loose if self.side.partner.get(i) not in ahead]

    def go_below(self, ids: Sequence[str]) -> None:
        """Pass some operators."""
        for id_ in ids:
            del self.front[id_]
            self.passed[id_] = None
        for id_ in ids:
            self.front.update(
                dict.fromkeys(i for i in self.side.dataflow.inputs[id_] if i not in self.passed)
            )


def paired_columns(ours: Schema, theirs: Schema) -> Pairs:
    """The columns of two tables that belong together: by name, then others of a type in order."""
    pairs = [
        (i, j)
        for i, field in enumerate(ours)
        if (j := theirs.find(field.name, ours.occurrence(i))) is not None
    ]
    left = [j for j in range(len(theirs)) if j not in {j for _, j in pairs}]
    for i in sorted(set(range(len(ours))) - {i for i, _ in pairs}):
        j = next((j for j in left if theirs.fields[j].type == ours.fields[i].type), None)
        if j is not None:
            left.remove(j)
            pairs.append((i, j))
    return sorted(pairs)
