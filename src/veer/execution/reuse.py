"""What to compute and what to read: the plan of a run.

Each sink is compared with stored results that look like it in simulation; one proven equal is
served. Below a sink that is not, the largest parts that are stored are read instead of computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from veer.errors import VeerError
from veer.execution.constraints import Constraints
from veer.execution.order import order_of
from veer.execution.signals import Signals, cannot_store, without_declarations
from veer.execution.signatures import signatures
from veer.execution.sources import source_name
from veer.execution.store import Store, StoredResult, StoredVersion
from veer.facts.fingerprint import fingerprints
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.digests import json_digest
from veer.ir.json import to_json
from veer.ir.sources import distinct_sources
from veer.ir.traits import RowOrder
from veer.options import ColumnMatching, Keep
from veer.own_code import own_code_digest
from veer.show.wording import reason_text
from veer.verdict import TableSemantics, Verdict
from veer.verification.comparison import Comparison
from veer.verification.reusable_rows import may_serve
from veer.verification.verify import verify_versions
from veer.verification.versions.version import Version

SHARE = 0.05  # of the seconds a stored result took; proving may take as long
CANDIDATES = 50  # results that are compared with a signal, the newest first
START = 4.0  # seconds that Spark takes to start
SAME = "the same computation on the same sources"
NOTHING_STORED = "nothing stored is known to be the same"


class _OverspentError(Exception):
    """Proving took its share of time."""


@final
@dataclass(frozen=True)
class Reused:
    """A stored result that holds the rows of a signal, and why."""

    signal: str
    result: StoredResult
    why: str


@final
@dataclass
class RunPlan:
    """What a run reads, computes and keeps."""

    served: dict[str, Reused] = field(default_factory=dict)  # sinks
    cuts: dict[str, Reused] = field(default_factory=dict)  # signals below those computed
    computed: dict[str, str] = field(default_factory=dict)  # sinks, and why they are
    keep: list[str] = field(default_factory=list)  # signals to store on the way
    notes: list[str] = field(default_factory=list)
    proving: float = 0.0


@final
class Planner:
    """Plans a run of one version against a store."""

    def __init__(
        self,
        store: Store,
        signals: Signals,
        constraints: Constraints,
        *,
        share: float = SHARE,
        exact_only: bool = False,
        starting: float = START,
        can_cut: Callable[[str], bool] = lambda _: True,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.store, self.signals, self.constraints = store, signals, constraints
        self.share, self.exact_only, self.starting = share, exact_only, starting
        self.can_cut, self.progress = can_cut, progress
        self.dataflow = signals.dataflow
        self.plan = RunPlan()

    @cached_property
    def looks(self) -> dict[str, str]:
        """The signature of each signal, and where and on what it is computed."""
        simulated = signatures(self.signals.declared, self.store)
        return {i: s for i, s in simulated.items() if self.signals.unrepeatable(i) is None}

    @cached_property
    def there(self) -> frozenset[str]:
        """What there are results of: most signals need not be looked up."""
        return self.store.keys()

    def signature(self, id_: str) -> str:
        """What a signal gives in simulation; empty if nothing stored may stand for it."""
        return self.looks.get(id_, "")

    def make(self, previous: StoredVersion | None, keep: Keep) -> RunPlan:
        """The plan; `keep` says which signals are stored beside the sinks."""
        for sink in self.dataflow.sinks:
            reused = self._stored(sink)
            if reused is not None:
                self.plan.served[sink] = reused
            else:
                reason = self.signals.unrepeatable(sink)
                self.plan.computed[sink] = NOTHING_STORED if reason is None else reason.text
        self._cut()
        if keep is Keep.CUTS:
            self.plan.keep = self._worth_keeping(previous)
        return self.plan

    # -- one signal ----------------------------------------------------------------------------

    def _stored(self, id_: str) -> Reused | None:
        """A stored result with the rows of a signal."""
        if self.signals.unrepeatable(id_) is not None or not self.there:
            return None
        exact = self.signals.exact(id_)
        for result in self.store.with_exact([exact]) if exact in self.there else ():
            if self._usable(result):
                return Reused(id_, result, SAME)
        if self.exact_only or self.signature(id_) not in self.there:
            return None
        for result in self.store.with_signature(self.signature(id_))[:CANDIDATES]:
            why = self._proven(id_, result)
            if why is not None and self._usable(result):
                return Reused(id_, result, why)
        return None

    def _usable(self, result: StoredResult) -> bool:
        """Whether a result is there undamaged; it is held for this run then."""
        problem = self.store.acquire(result)
        if problem:
            self.plan.notes.append(f"a stored result was not used: {problem}")
        return not problem

    def _proven(self, id_: str, result: StoredResult) -> str | None:
        """Why a stored result has the rows of a signal; None if that is not known."""
        if result.environment != self.signals.environment(id_):
            return None
        p, q = result.dataflow, self.signals.cone(id_)
        if not self._is_comparable(id_, result, p, q):
            return None
        saved = result.seconds + (0 if self.plan.computed else self.starting)
        why = self._verdict_on_beliefs(p, q, saved)
        if why is not None or self.constraints.trust:
            return why
        unchecked = [s for s in _shared(p, q) if self.constraints.holds(s) is None]
        # Data is looked at only where that decides: with all that is declared there is a proof.
        if not unchecked or self._verdict(p, q, saved) is None:
            return None
        self.progress("checking declared keys against the data")
        if not self.constraints.check(unchecked):
            return None
        return self._verdict_on_beliefs(p, q, saved)

    def _is_comparable(self, id_: str, result: StoredResult, p: Dataflow, q: Dataflow) -> bool:
        """Whether a stored result could stand for a signal, if both computations are equal."""
        if self._is_sink(id_):
            if result.names != self.dataflow.schemas[id_].names:
                return False
            if order_of(self.dataflow, id_) is None:
                return False  # read back, its rows could not be put in order
        same_types = p.result_schema.types == q.result_schema.types
        return same_types and self._same_sources(p, result, id_)

    def _verdict_on_beliefs(self, p: Dataflow, q: Dataflow, saved: float) -> str | None:
        """The verdict on what is left if only declarations that hold, or are trusted, are used.

        Those of a table that Q does not read are left out: nobody looks at it in this run.
        """
        read = {source_name(source) for source in distinct_sources(q)}

        def is_believed(source: ops.Source) -> bool:
            is_read = source_name(source) in read
            return is_read and (self.constraints.trust or bool(self.constraints.holds(source)))

        p, q = without_declarations(p, is_believed), without_declarations(q, is_believed)
        return self._verdict(p, q, saved)

    def _same_sources(self, p: Dataflow, result: StoredResult, id_: str) -> bool:
        """Whether tables of one name are one table, with the content it had where both read it."""
        now = self.signals.sources(id_)
        both = [distinct_sources(d) for d in (p, self.signals.cone(id_))]
        # The prover takes tables of one name for one table; here they may be of different files.
        names: dict[str, str] = {}
        for source in (s for sources in both for s in sources):
            if names.setdefault(source.table, source_name(source)) != source_name(source):
                return False
        then = {source_name(s) for s in both[0]}
        return all(result.sources.get(name) == now[name] for name in now if name in then)

    def _verdict(self, p: Dataflow, q: Dataflow, saved: float) -> str | None:
        """Why two computations give the same rows; None if that is not known."""
        names = json_digest(to_json(p)), json_digest(to_json(q))
        remembered = self.store.verdict(*names, own_code_digest())
        if remembered is None:
            allowed = self.share * saved - self.plan.proving
            if allowed <= 0:
                return None
            started = time.perf_counter()
            try:
                remembered = self._verify(p, q, started + allowed)
            finally:
                self.plan.proving += time.perf_counter() - started
            if remembered is None:
                return None
            self.store.remember_verdict(*names, own_code_digest(), *remembered)
        verdict, reason = remembered
        return reason if verdict == Verdict.EQUIVALENT.value else None

    def _verify(self, p: Dataflow, q: Dataflow, until: float) -> tuple[str, str] | None:
        """A verdict and its reason as the store keeps them; None if the time was over before."""

        def progress(text: str) -> None:
            self.progress(text)
            if time.perf_counter() > until:
                raise _OverspentError

        # As bags: what has an order is sorted again when it is read back.
        asked = Comparison(TableSemantics.BAG, columns=ColumnMatching.POSITION, witnesses=False)
        one, two = (Version(n, d, stable_ids=False) for n, d in (("P", p), ("Q", q)))
        try:
            (sink,) = verify_versions(one, two, asked, progress).sinks
        except _OverspentError:
            return None
        except VeerError as error:
            return Verdict.UNKNOWN.value, str(error)
        verdict = Verdict.EQUIVALENT if may_serve(sink, self.constraints.trust) else Verdict.UNKNOWN
        return verdict.value, reason_text(sink.reason)

    # -- below sinks ---------------------------------------------------------------------------

    def _cut(self) -> None:
        """Read the largest stored parts below the sinks that are computed."""
        seen: set[str] = set()
        stack = [i for sink in self.plan.computed for i in self.dataflow.inputs[sink]]
        # Users first: what is below a part that is read is not looked at.
        stack.sort(key=self.dataflow.position.__getitem__)
        while stack:
            id_ = stack.pop()
            if id_ in seen:
                continue
            seen.add(id_)
            reused = self._stored(id_) if self._is_worth(id_) else None
            if reused is not None:
                self.plan.cuts[id_] = reused
                continue
            stack += self.dataflow.inputs[id_]
            stack.sort(key=self.dataflow.position.__getitem__)

    def _is_worth(self, id_: str) -> bool:
        """Whether reading a signal saves more than reading its sources costs."""
        if self.dataflow.operators[id_].arity == 0:
            return False  # its rows are read anyhow
        if order_of(self.dataflow, id_) is None:
            return False  # read back, its rows would be in another order
        below = (self.dataflow.operators[i] for i in self.dataflow.ancestors(id_))
        return any(op.traits.is_costly for op in below) and self.can_cut(id_)

    def _worth_keeping(self, previous: StoredVersion | None) -> list[str]:
        """What was computed for the previous version too, and is small beside what it took.

        People go on editing where they edited last; what lies below stays. The output of a join may
        take longer to write than to compute: only what was brought down to few rows is kept.
        """
        if previous is None:
            return []
        before = set(fingerprints(previous.dataflow).values())
        prints = fingerprints(self.dataflow)
        kept: list[str] = []
        covered: set[str] = set()
        for id_ in reversed(list(self._computed())):
            if id_ in covered or prints[id_] not in before or not self._is_few(id_):
                continue
            ends = [link.dst for link in self.dataflow.outputs[id_]]
            repeatable = self.signals.unrepeatable(id_) is None
            if all(self._is_sink(e) for e in ends) or not repeatable:
                continue
            if self._is_worth(id_) and cannot_store(self.dataflow.schemas[id_]) is None:
                kept.append(id_)
                covered |= self.dataflow.ancestors(id_)
        return kept[::-1]

    def _is_few(self, id_: str) -> bool:
        """Whether a signal is what comes out of an operator that brings many rows down to few."""
        operator = self.dataflow.operators[id_]
        while operator.traits.order is RowOrder.KEPT and not operator.traits.reduces_rows:
            (id_,) = self.dataflow.inputs[id_]
            operator = self.dataflow.operators[id_]
        return operator.traits.reduces_rows

    def _is_sink(self, id_: str) -> bool:
        return isinstance(self.dataflow.operators[id_], ops.Sink)

    def _computed(self) -> Iterator[str]:
        """What has to be computed, inputs first."""
        needed = self.dataflow.ancestors(*self.plan.computed, stop=self.plan.cuts)
        needed -= self.plan.cuts.keys()
        return (i for i in self.dataflow.order if i in needed)


def _shared(p: Dataflow, q: Dataflow) -> list[ops.Source]:
    """The sources of both dataflows, as each declares them, without tables that Q does not read."""
    read = {source_name(source) for source in distinct_sources(q)}
    both = (*distinct_sources(p), *distinct_sources(q))
    return [source for source in both if source_name(source) in read]


__all__ = ["Planner", "Reused", "RunPlan"]
