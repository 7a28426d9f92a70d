"""A run of one version: plan, compute what must be, register what was computed.

version -> plan (`reuse`) -> Spark -> results, registered if no source changed meanwhile
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, final

from veer import __version__
from veer.errors import InputError, UntoldSourceError
from veer.execution.constraints import Constraints
from veer.execution.order import order_of
from veer.execution.results import Results
from veer.execution.reuse import SHARE, START, Planner, RunPlan
from veer.execution.signals import PYTHON_SAYS, Signals, cannot_store
from veer.execution.sources import name_of_stable, source_name
from veer.execution.store import SinkResult, Store, StoredResult, StoredVersion
from veer.execution.store.records import COMPUTED, NOT_KEPT, REUSED
from veer.execution.store.runs import RunLog
from veer.facts.fingerprint import fingerprint
from veer.ir.dag import Dataflow
from veer.ir.digests import json_digest
from veer.ir.ops import Source
from veer.options import Keep, Reuse, chosen
from veer.own_code import own_code_digest
from veer.read.function_bodies import Bodies
from veer.verification.versions import VersionPair
from veer.verification.versions.describe import describe_edits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SEALED = ("settings", PYTHON_SAYS)  # of an environment: what may hold secrets


class Computation(Protocol):
    """Something that can be run: a compiled dataflow, or DataFrames of a program."""

    dataflow: Dataflow
    bodies: Bodies

    def fingerprint(self, source: Source) -> str:
        """What a source holds now; an error where that cannot be told."""
        ...

    def stamp(self, source: Source) -> str:
        """A stamp that changes whenever a source is touched, even if its content is the same again."""
        ...

    def read(self, source: Source) -> DataFrame:
        """The rows of a source."""
        ...

    def can_cut(self, id_: str) -> bool:
        """Whether a signal below the sinks can be read from the store."""
        ...

    def frame(self, id_: str, stored: Mapping[str, DataFrame]) -> DataFrame:
        """The rows of a signal, those of stored ones read."""
        ...


@final
@dataclass(frozen=True)
class Request:
    """What is to be run, under which name, and what may be reused."""

    name: str
    spec: str = ""
    keep: Keep = Keep.SINKS
    reuse: Reuse = Reuse.PROVEN
    trust: bool = False  # declarations are believed, and that functions do not see batches
    share: float = SHARE
    stable_ids: bool = True
    code: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    look: Callable[[], Mapping[str, Any]] | None = None  # at the environment, once Spark runs
    starting: float = START  # seconds until Spark runs; none if it does
    stable: frozenset[str] = frozenset()  # sources that are declared not to change

    def __post_init__(self) -> None:
        """Turn options given as text into members, or refuse them."""
        object.__setattr__(self, "keep", chosen(Keep, self.keep, "keep"))
        object.__setattr__(self, "reuse", chosen(Reuse, self.reuse, "reuse"))


@final
@dataclass
class RunOutcome:
    """What a run did: its plan, its sinks, and the version it was recorded as."""

    plan: RunPlan
    version: StoredVersion | None = None
    is_new: bool = False
    sinks: tuple[SinkResult, ...] = ()  # what this run did for each
    results: dict[str, StoredResult] = field(default_factory=dict)  # by sink
    computed: list[StoredResult] = field(default_factory=list)  # and stored, by this run
    kept: list[StoredResult] = field(default_factory=list)  # of these, what is below the sinks
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    planning: float = 0.0


@final
class Running:
    """One run of a computation against a store."""

    def __init__(
        self,
        request: Request,
        computation: Computation,
        store: Store,
        spark: Callable[[], SparkSession],
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.request, self.computation, self.store = request, computation, store
        self.spark, self.progress = spark, progress
        self.started = time.time()
        self.constraints = Constraints(
            store, self._first_seen, computation.read, trust=request.trust
        )
        self._fingerprints: dict[Source, str] = {}
        self._stamps: dict[Source, str] = {}
        self.assumed_stable: dict[Source, str] = {}  # believed not to change, and as what
        self._environment = request.environment
        self.previous = store.version(request.name)
        self.signals = self._signals()

    def _first_seen(self, source: Source) -> str:
        """The fingerprint of a source when it was first looked at; the stamp is of before that."""
        if source not in self._fingerprints:
            with suppress(InputError):  # the fingerprint says why
                self._stamps[source] = self.computation.stamp(source)
            self._fingerprints[source] = self._fingerprint(source)
        return self._fingerprints[source]

    def _fingerprint(self, source: Source) -> str:
        """What a source holds now; of one that does not tell it, that it is declared not to change."""
        try:
            return self.computation.fingerprint(source)
        except UntoldSourceError:
            name = name_of_stable(source, self.request.stable)
            if not name:
                raise
            self.assumed_stable[source] = name
            return json_digest(["declared not to change", source_name(source)])

    def _signals(self, look: Callable[[Source], str] | None = None) -> Signals:
        dataflow = self.constraints.believed(self.computation.dataflow)
        return Signals(
            dataflow,
            self.computation.dataflow,
            look or self._first_seen,
            self.computation.bodies,
            # What was computed on trust serves only those who trust.
            {
                **self._sealed_environment(),
                "veer": own_code_digest(),
                **({"trust": True} if self.request.trust else {}),
            },
            trust=self.request.trust,
        )

    def _sealed_environment(self) -> dict[str, Any]:
        """The environment as it may be stored."""
        seal = self.store.seal
        sealed = {name: seal.settings(self._environment.get(name, {})) for name in SEALED}
        return {**self._environment, **{name: s for name, s in sealed.items() if s}}

    # -- planning ------------------------------------------------------------------------------

    def plan(self) -> Planner:
        """What is to be read and computed; everything it depends on is looked at first."""
        request = self.request
        self.signals.look()
        planner = Planner(
            self.store,
            self.signals,
            self.constraints,
            share=request.share,
            exact_only=request.reuse is Reuse.EXACT,
            starting=request.starting,
            can_cut=self.computation.can_cut,
            progress=self.progress,
        )
        if request.reuse is Reuse.NONE:
            for sink in self.signals.dataflow.sinks:
                planner.plan.computed[sink] = "stored results are not looked at"
        else:
            planner.make(self.previous, request.keep)
        return planner

    # -- running -------------------------------------------------------------------------------

    def run(self) -> RunOutcome:
        """Run the version, and keep a record of what the run did."""
        shown = self.progress

        def progress(text: str) -> None:
            log.stage(text)
            shown(text)

        with recorded(self.store, self.request.name, self.request.spec) as log:
            self.progress = progress
            try:
                outcome = self._run()
            finally:
                self.progress = shown
            number = None if outcome.version is None else outcome.version.number
            log.done(number, work_of(outcome), outcome.seconds)
        return outcome

    def _run(self) -> RunOutcome:
        """Run the version; results that turn out to be damaged are computed after all."""
        begun = time.perf_counter()
        notes: list[str] = []
        # Ends: each round either computes, or learns of one more damaged result or of Spark's real
        # environment, and neither is met twice.
        while True:
            planner = self.plan()
            planning = time.perf_counter() - begun
            if planner.plan.computed and self._is_elsewhere():
                continue
            try:
                computed = self._compute(planner)
                break
            except InputError:
                damaged = self._damaged(planner.plan)
                if not damaged:
                    raise
                notes += damaged
        outcome = RunOutcome(planner.plan, notes=[*notes, *planner.plan.notes], planning=planning)
        outcome.notes += [
            f"table {table}: {problem}; the run does not rely on its declarations"
            for table, problem in self.constraints.violated.items()
        ]
        outcome.notes += [
            f"assuming that {table} does not change, as declared"
            for table in sorted(set(self.assumed_stable.values()))
        ]
        self._register(outcome, computed, time.perf_counter() - begun)
        outcome.seconds = time.perf_counter() - begun
        return outcome

    def _is_elsewhere(self) -> bool:
        """Whether Spark, once it runs, is not what was expected; then all is planned anew."""
        if self.request.look is None:
            return False
        self.progress("starting Spark")
        self.spark()
        now = self.request.look()
        if now == self._environment:
            return False
        self._environment = now
        self.signals = self._signals()
        return True

    def _damaged(self, plan: RunPlan) -> list[str]:
        """Stored parts that are not what they were, though they seemed to be."""
        problems = []
        for reused in plan.cuts.values():
            result = reused.result
            try:
                problem = self.store.files.damage(result.id, result.files, deep=True)
            except InputError:  # nobody can tell now
                continue
            if problem:
                self.store.mark_damaged(result.id)
                problems.append(f"a stored result was not used: {problem}")
        return problems

    def _compute(self, planner: Planner) -> dict[str, StoredResult]:
        """Everything that has to be computed, by signal."""
        plan, dataflow = planner.plan, self.signals.dataflow
        if not plan.computed:
            return {}
        self.progress("starting Spark")
        results = Results(self.store, self.spark())

        def read(id_: str, result: StoredResult) -> DataFrame:
            order = order_of(dataflow, id_)
            assert order is not None
            return results.read(result, dataflow.schemas[id_], order)

        stored = {i: read(i, reused.result) for i, reused in plan.cuts.items()}
        computed: dict[str, StoredResult] = {}
        try:
            for id_ in [*plan.keep, *plan.computed]:
                schema = dataflow.schemas[id_]
                problem = cannot_store(schema)
                if problem is not None:
                    raise InputError(f"sink {id_!r} cannot be kept as Parquet: {problem}")
                self.progress(f"computing {id_}")
                frame = self.computation.frame(id_, stored)
                look = planner.signature(id_) if self.request.reuse is not Reuse.NONE else ""
                computed[id_] = results.write(frame, self.signals, id_, look)
                if id_ in plan.keep:
                    stored[id_] = read(id_, computed[id_])
        except BaseException:
            for result in computed.values():
                results.discard(result.id)
            raise
        return computed

    # -- registering ---------------------------------------------------------------------------

    def _register(
        self, outcome: RunOutcome, computed: dict[str, StoredResult], seconds: float
    ) -> None:
        """Record the version with what was computed from sources that stayed the same."""
        plan = outcome.plan
        changed = self._changed(computed) if computed else {}
        results = Results(self.store, self.spark()) if computed else None
        for id_, why in changed.items():
            assert results is not None
            results.discard(computed.pop(id_).id)
            outcome.notes.append(f"{id_}: {why} during the computation, so its result is not kept")
        if self.request.keep is Keep.NONE:
            # Kept for this version to be read, found by nobody else.
            computed = {i: replace(r, exact="", signature="") for i, r in computed.items()}
        outcome.sinks = tuple(
            self._sink_result(sink, outcome, computed, changed)
            for sink in self.signals.dataflow.sinks
        )
        outcome.computed = list(computed.values())
        outcome.kept = [r for i, r in computed.items() if i not in plan.computed]
        self._record(outcome, self._version(outcome.sinks, seconds), list(computed.values()))

    def _sink_result(
        self,
        sink: str,
        outcome: RunOutcome,
        computed: Mapping[str, StoredResult],
        changed: Mapping[str, str],
    ) -> SinkResult:
        """What became of a sink; its result is noted in the outcome."""
        plan = outcome.plan
        if sink in plan.served:
            result, how, why = plan.served[sink].result, REUSED, plan.served[sink].why
        elif sink in computed:
            result, how, why = computed[sink], COMPUTED, plan.computed[sink]
        else:
            return SinkResult(sink, NOT_KEPT, "", None, changed.get(sink, ""))
        outcome.results[sink] = result
        return SinkResult(sink, how, result.id, result.rows, why)

    def _record(
        self, outcome: RunOutcome, version: StoredVersion, computed: Sequence[StoredResult]
    ) -> None:
        """Record the version, or new results of the previous one if it is the same again."""
        again = self._is_again(version)
        if again is None:
            outcome.version = self.store.record(version, computed)
            outcome.is_new = True
            return
        recorded = {s.sink: s for s in again.sinks if s.result}
        renewed = tuple(
            recorded[s.sink] if s.sink in recorded and recorded[s.sink].result == s.result else s
            for s in version.sinks
        )
        outcome.version = replace(again, sinks=renewed)
        if computed or renewed != again.sinks:
            self.store.renew_sinks(outcome.version, computed)

    def _changed(self, computed: Mapping[str, StoredResult]) -> dict[str, str]:
        """What was computed from sources, models or functions that are others now."""
        now = self._signals(self._fingerprint)
        changes = {}
        for id_ in computed:
            if self.signals.unrepeatable(id_) is not None:
                continue  # it is nobody else's result anyway
            try:
                same = now.sources(id_) == self.signals.sources(id_)
                same = same and now.environment(id_) == self.signals.environment(id_)
                same = same and all(map(self._is_untouched, self.signals.reads(id_)))
            except InputError as error:
                changes[id_] = f"a source is gone ({error})"
                continue
            if not same:
                changes[id_] = "a source changed"
        return changes

    def _is_untouched(self, source: Source) -> bool:
        """Whether no source was replaced and restored meanwhile."""
        if source in self.assumed_stable:
            return True
        return self._stamps.get(source) == self.computation.stamp(source)

    def _version(self, sinks: Sequence[SinkResult], seconds: float) -> StoredVersion:
        """The version as it is recorded, with the edits since the previous one."""
        dataflow = self.computation.dataflow
        edits: tuple[Mapping[str, Any], ...] = ()
        if self.previous is not None:
            stable = self.previous.stable_ids and self.request.stable_ids
            pair = VersionPair.of(self.previous.dataflow, dataflow, stable_ids=stable)
            edits = tuple(asdict(edit) for edit in describe_edits(pair))
        return StoredVersion(
            name=self.request.name,
            dataflow=dataflow,
            fingerprint=fingerprint(dataflow),
            stable_ids=self.request.stable_ids,
            spec=self.request.spec,
            sources=self.signals.read,
            environment={**self._sealed_environment(), "veer": __version__},
            started=self.started,
            seconds=seconds,
            sinks=tuple(sinks),
            edits=edits,
            code=dict(self.request.code),
        )

    def _is_again(self, version: StoredVersion) -> StoredVersion | None:
        """The previous version, if this one is the same on the same sources."""
        before = self.previous
        if before is None or before.dataflow != version.dataflow:
            return None
        same = before.sources == version.sources and before.environment == version.environment
        return before if same else None


__all__ = ["Computation", "Request", "RunOutcome", "Running"]

# -- the record of what a run computed, read and saved, in seconds and bytes ---------------------


@contextmanager
def recorded(store: Store, name: str, spec: str) -> Iterator[RunLog]:
    """A record of what is done meanwhile; of a failure its kind only, as messages may hold anything."""
    log = RunLog(store.runs, name, store.seal.text(spec))
    try:
        yield log
    except BaseException as error:
        log.failed(type(error).__name__)
        raise


def work_of(outcome: RunOutcome) -> dict[str, Any]:
    """Sinks, stored parts that were read, and the sums over them."""
    plan = outcome.plan
    served = [reused.result for reused in plan.served.values()]
    cuts = [reused.result for reused in plan.cuts.values()]
    return {
        "sinks": [
            {
                "sink": sink.sink,
                "how": sink.how,
                "rows": sink.rows,
                "why": sink.note,
                **_size(outcome.results.get(sink.sink)),
            }
            for sink in outcome.sinks
        ],
        "read": [
            {"operator": id_, "why": reused.why, "rows": reused.result.rows, **_size(reused.result)}
            for id_, reused in plan.cuts.items()
        ],
        "computed_bytes": sum(r.bytes for r in outcome.computed),
        "computed_seconds": sum(r.seconds for r in outcome.computed),
        "read_bytes": sum(r.bytes for r in cuts),
        "saved_bytes": sum(r.bytes for r in served),  # not stored again
        "saved_seconds": sum(r.seconds for r in (*served, *cuts)),  # they once took
        "reused": sum(sink.how == REUSED for sink in outcome.sinks),
        "planning": outcome.planning,
        "proving": plan.proving,
    }


def _size(result: StoredResult | None) -> dict[str, Any]:
    if result is None:
        return {"result": "", "bytes": 0, "seconds": 0.0}
    return {"result": result.id, "bytes": result.bytes, "seconds": result.seconds}
