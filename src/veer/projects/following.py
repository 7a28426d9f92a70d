"""The consequences of a change for jobs that read changed results.

A job is compared once more together with the jobs that write what it reads, at each revision those of
that revision: many do not change with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import final

from veer.batch.workers import Failed
from veer.facts.determinism import dataflow_kind
from veer.functions.registry import Kind
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.sources import distinct_sources, inline_sources
from veer.projects import lineage, outcomes as projects_outcomes
from veer.projects.comparing import Answer, Task
from veer.projects.jobs import JobPair
from veer.projects.loading import LoadedJobs
from veer.projects.reach import Affected, Changes
from veer.projects.sink_outcomes import sink_outcomes, target_of, whole_outcomes
from veer.verification.versions.version import Version

MOST_OPERATORS = 600  # of jobs that are compared together
ALL = "(all)"  # the sinks of a job that cannot be read
Compare = Callable[[Mapping[str, Task]], dict[str, Answer | Failed]]


@final
class Following:
    """Both revisions of a project, what became of each job by itself, and what follows."""

    def __init__(
        self,
        pairs: Sequence[JobPair],
        base: LoadedJobs,
        now: LoadedJobs,
        outcomes: dict[str, projects_outcomes.JobOutcome],
        compare: Compare,
    ) -> None:
        self.pairs = pairs
        self.base, self.now = base, now
        self.outcomes = outcomes
        self.affected = Affected()
        self._compare = compare
        self._same = {pair.p: pair.q for pair in pairs if pair.same and pair.p and pair.q}
        self._pairs_by_name = {pair.name: pair for pair in pairs}
        self._handled: dict[str, dict[str, list[str]]] = {}  # what jobs were found to read

    def begin(self, changes: Changes) -> None:
        """Count what changed by itself among what is affected."""
        self.affected.add_files(changes.files)
        self.affected.add(*changes.tables)
        self.affected.suspects |= changes.suspects
        for pair in self.pairs:
            if not pair.same:
                self._suspect(pair)
                for side, name in self._names(pair):
                    self.affected.add(*(side.revision.views(name) if name else ()))
        for pair in self.pairs:
            if pair.stored_otherwise:
                self._stored_anew(pair)
        for outcome in list(self.outcomes.values()):
            self._note(outcome)

    def _stored_anew(self, pair: JobPair) -> None:
        """Count rows that are computed only to be stored in another way, if they may be others then."""
        self.now.load([pair.q] if pair.q else [])
        version = self.now.versions.get(pair.q or "")
        known = self.now.revision.known_tables(pair.q or "")
        if version is None:
            self.affected.add(*(known.writes if known else ()))
        elif dataflow_kind(version.dataflow) is not Kind.PURE:
            self.affected.add(*(target_of(version.dataflow, i) for i in version.dataflow.sinks))

    def _names(self, pair: JobPair) -> list[tuple[LoadedJobs, str | None]]:
        return [(self.base, pair.p), (self.now, pair.q)]

    def _suspect(self, pair: JobPair) -> None:
        """Count what a job that cannot be read may write among what is affected."""
        for side, name in self._names(pair):
            if name is None or name not in side.errors:
                continue
            known = side.revision.known_tables(name)
            if known is not None:
                self.affected.add(*known.writes)
            else:
                label = f"what {side.revision.jobs[name]} may write"
                self.affected.suspects[label] = partial(side.revision.may_write, name)

    def _note(self, outcome: projects_outcomes.JobOutcome) -> None:
        """Count among what is affected what a job no longer writes as it did."""
        pair = self._pairs_by_name[outcome.name]
        outcome = self.outcomes[outcome.name] = self._written_again(pair, outcome)
        for sink in outcome.sinks:
            if sink.recompute is None and sink.outcome is not projects_outcomes.Outcome.REMOVED:
                continue
            self.affected.add(sink.target)
            for side, name in self._names(pair):
                version = side.versions.get(name or "")
                if version is not None and isinstance(
                    version.dataflow.operators.get(sink.name), ops.Sink
                ):
                    places = lineage.sink_places(version.dataflow, sink.name)
                    self.affected.targets |= dict.fromkeys(places, sink.target)

    def _written_again(
        self, pair: JobPair, outcome: projects_outcomes.JobOutcome
    ) -> projects_outcomes.JobOutcome:
        """A job with a sink to compute again, and its other sinks that get other rows in that run."""
        version = self.now.versions.get(pair.q or "")
        if version is None or not any(sink.recompute for sink in outcome.sinks):
            return outcome
        varies = self.now.revision.may_vary(pair.q or "")
        flow = version.dataflow

        def stays(sink: projects_outcomes.SinkOutcome) -> bool:
            operator = flow.operators.get(sink.name)
            if not isinstance(operator, ops.Sink) or not sink.target:
                return True
            rows = flow.restrict(flow.ancestors(sink.name))
            return (
                lineage.replaces_all(operator) and not varies and dataflow_kind(rows) is Kind.PURE
            )

        again = projects_outcomes.Recompute(projects_outcomes.Cause.TOGETHER)
        sinks = tuple(
            s
            if s.recompute or s.outcome is projects_outcomes.Outcome.REMOVED or stays(s)
            else replace(s, recompute=again)
            for s in outcome.sinks
        )
        return replace(outcome, sinks=sinks)

    def follow(self) -> None:
        """Go through all jobs, each after those it reads from."""
        self.now.load_all()
        self.take_over()
        self.base.load_all()
        by_job = {pair.q: pair for pair in self.pairs if pair.q is not None}
        for pair in self.pairs:
            if pair.same and pair.q in self.now.errors:
                self._fill_unreadable(pair)
                if pair.q not in self.now.known:
                    self._suspect(pair)
        before = -1
        while (
            before != self.affected.size
        ):  # what is found last may affect what was looked at first
            before = self.affected.size
            for level in self.now.lineage.levels():
                pairs = [by_job[job] for job in level.jobs if job in by_job]
                if level.circular:
                    self._follow_circles(pairs)
                else:
                    self._follow_level(pairs)
                self._follow_views(pairs)
            self._write_together()

    def _follow_views(self, pairs: Sequence[JobPair]) -> None:
        """Views that jobs make beside their sinks: what they read is told by names in the code alone."""
        for pair in pairs:
            views = self.now.revision.views(pair.q) if pair.q else ()
            targets = list(self.affected.targets.values())
            if views and any(self.now.revision.mentions(pair.q or "", t) for t in targets):
                self.affected.add(*views)
                old = self.outcomes[pair.name]
                known = {sink.name for sink in old.sinks}
                again = projects_outcomes.Recompute(projects_outcomes.Cause.UPSTREAM)
                more = [
                    projects_outcomes.SinkOutcome(
                        v, v, projects_outcomes.Outcome.UNCHANGED, recompute=again
                    )
                    for v in views
                ]
                sinks = (*old.sinks, *(sink for sink in more if sink.name not in known))
                self.outcomes[pair.name] = replace(old, sinks=sinks)

    def _fill_unreadable(self, pair: JobPair) -> None:
        """An unchanged job that cannot be read may read anything that changed, unless its tables are known."""
        old = self.outcomes[pair.name]
        known = self.now.known.get(pair.q or "")
        if known is not None:
            told = tuple(
                projects_outcomes.SinkOutcome(t, t, projects_outcomes.Outcome.UNCHANGED)
                for t in known.writes
            )
            self.outcomes[pair.name] = replace(old, sinks=told)
            return
        sink = projects_outcomes.SinkOutcome(
            ALL,
            "",
            projects_outcomes.Outcome.UNCHANGED,
            recompute=projects_outcomes.Recompute(projects_outcomes.Cause.UNKNOWN),
        )
        why = f"it is not known whether it reads changed data: {self.now.errors[pair.q or '']}"
        self.outcomes[pair.name] = replace(old, sinks=(sink,), why=why)

    def _follow_level(self, pairs: Iterable[JobPair]) -> None:
        reading: dict[str, tuple[JobPair, dict[str, list[str]]]] = {}
        for pair in pairs:
            self._fill_unchanged(pair)
            touched = self._touched(pair)
            if any(touched.values()) and self._handled.get(pair.name) != touched:
                self._handled[pair.name] = touched
                reading[pair.name] = pair, touched
        together = {name: self._together(pair) for name, (pair, _) in reading.items()}
        joint_tasks = {n: t.task(n) for n, t in together.items() if t is not None}
        answers = self._compare(joint_tasks)
        for name, (_, touched) in reading.items():
            joint, answer = together[name], answers.get(name)
            if joint is None or not isinstance(answer, Answer):
                self._affect(name, touched)
            else:
                self._settle(name, touched, joint, answer)
            self._note(self.outcomes[name])

    def _write_together(self) -> None:
        """Sinks that write to a place which another job writes anew: it may take their rows away."""
        before = -1
        while before != self.affected.size:
            before = self.affected.size
            for name, outcome in list(self.outcomes.items()):
                touched = {
                    sink.name: [
                        other.target
                        for job, told in self.outcomes.items()
                        for other in told.sinks
                        if job != name and other.recompute is not None and other.target
                        if lineage.Place.of(other.target).may_hold(lineage.Place.of(sink.target))
                    ]
                    for sink in outcome.sinks
                    if sink.target and sink.recompute is None
                }
                if any(touched.values()):
                    self._affect(name, touched)
                    self._note(self.outcomes[name])

    def _fill_unchanged(self, pair: JobPair) -> None:
        """The sinks of a job that was not looked at before."""
        old = self.outcomes[pair.name]
        version = self.now.versions.get(pair.q or "")
        if pair.same and version is not None and not old.sinks:
            sinks = whole_outcomes(version.dataflow, projects_outcomes.Outcome.UNCHANGED, None)
            self.outcomes[pair.name] = replace(old, sinks=sinks, place=version.place)

    def _touched(self, pair: JobPair) -> dict[str, list[str]]:
        """For each sink of a job what it reads, or read, that is affected."""
        version = self.now.versions.get(pair.q or "")
        if version is None:
            return self._touched_tables(pair)
        touched = self._affected_sources(version)
        before = None if pair.same else self.base.versions.get(pair.p or "")
        if before is not None:
            earlier = self._affected_sources(before)
            rest = sorted(
                {t for sink, read in earlier.items() if sink not in touched for t in read}
            )
            for sink, read in touched.items():
                touched[sink] = sorted({*read, *earlier.get(sink, rest)})
        return touched

    def _affected_sources(self, version: Version) -> dict[str, list[str]]:
        flow, touched = version.dataflow, {}
        for sink in flow.sinks:
            cone = flow.restrict(flow.ancestors(sink))
            read = {t for s in distinct_sources(cone) for t in self.affected.read_by(s)}
            touched[sink] = sorted(read)
        return touched

    def _touched_tables(self, pair: JobPair) -> dict[str, list[str]]:
        """The same of a job that cannot be read, as far as its tables are known."""
        known = self.now.known.get(pair.q or "")
        if known is None:
            return {}
        read = {t for table in known.reads for t in self.affected.among(table)}
        return {table: sorted(read) for table in known.writes}

    def _affect(self, name: str, touched: Mapping[str, Sequence[str]]) -> None:
        """Nothing is known but that sinks read what changed."""
        old = self.outcomes[name]
        sinks = tuple(_computed_again(s, touched.get(s.name, ())) for s in old.sinks)
        self.outcomes[name] = replace(old, sinks=sinks)

    def _follow_circles(self, pairs: Sequence[JobPair]) -> None:
        """Jobs that read from each other: what is found affected last may affect the first."""
        before = -1
        while before != self.affected.size:
            before = self.affected.size
            for pair in pairs:
                self._fill_unchanged(pair)
                self._affect(pair.name, self._touched(pair))
                self._note(self.outcomes[pair.name])

    def _together(self, pair: JobPair) -> Joint | None:
        """Both revisions of a job, each reading from the jobs of its own revision; None if it cannot be."""
        if pair.history:
            return None
        sides = []
        for side, name in self._names(pair):
            composed = None if name is None else self._composed(side, name, ())
            if composed is None:
                return None
            flow, jobs = composed
            version = side.versions[name or ""]
            read = [
                v for each in (name or "", *sorted(jobs)) for v in side.versions[each].read_with
            ]
            joined = replace(version, dataflow=flow, stable_ids=False, optimized=None)
            sides.append((replace(joined, read_with=tuple(dict.fromkeys(read))), jobs))
        (p, p_jobs), (q, q_jobs) = sides
        return Joint((p, q), tuple(sorted({*p_jobs, *q_jobs})))

    def _composed(
        self, side: LoadedJobs, name: str, above: tuple[str, ...]
    ) -> tuple[Dataflow, frozenset[str]] | None:
        """The dataflow of a job with those in front of it that write what is affected."""
        version = side.versions.get(name)
        if version is None or name in above:
            return None
        inlined: dict[ops.Source, tuple[str, Dataflow]] = {}
        jobs: frozenset[str] = frozenset()
        for source in distinct_sources(version.dataflow):
            if not self.affected.read_by(source):
                continue
            writers = {(w.job, w.sink) for w in side.lineage.writers(source)}
            if len(writers) != 1 or side.may_be_written_unseen(lineage.source_texts(source)):
                return None
            ((job, sink),) = writers
            inner = self._composed(side, job, (*above, name))
            if (
                inner is None
                or sink not in inner[0].operators
                or not lineage.fits(source, inner[0], sink)
            ):
                return None
            rows = inner[0].restrict(inner[0].ancestors(sink))
            # It is run again: a choice, or the time of the run, would be another one.
            if dataflow_kind(rows) is not Kind.PURE or side.revision.may_vary(job):
                return None
            inlined[source] = job, rows
            jobs |= {job} | inner[1]
        flow = inline_sources(version.dataflow, inlined) if inlined else version.dataflow
        return (flow, jobs) if len(flow.operators) <= MOST_OPERATORS else None

    def _settle(
        self, name: str, touched: Mapping[str, Sequence[str]], joint: Joint, answer: Answer
    ) -> None:
        """What became of a job together with those that write what it reads."""
        old = self.outcomes[name]
        p, q = (v.dataflow for v in joint.versions)
        found = {s.name: s for s in sink_outcomes(answer, p, q)}
        sinks = tuple(
            _settled(s, found.get(s.name), touched.get(s.name, ()), joint.jobs) for s in old.sinks
        )
        outcome = projects_outcomes.worst(s.outcome for s in sinks)
        seconds = old.seconds + answer.seconds
        self.outcomes[name] = replace(old, sinks=sinks, outcome=outcome, seconds=seconds)

    def take_over(self) -> None:
        """Take jobs that are the same at the base, and whose tables have the same columns there, from now."""
        before = {now: base for base, now in self._same.items()}
        for level in self.now.lineage.levels():
            for now in level.jobs:
                base = before.get(now)
                if base is not None and now in self.now.versions:
                    self.base.take_over(
                        base, self.now.versions[now], self.now.statements.get(now, {})
                    )

    def store_again(self, pair: JobPair) -> None:
        """Sinks with the same rows that are to be stored in another way."""
        self.now.load([pair.q] if pair.q else [])
        self._fill_unchanged(pair)
        old = self.outcomes[pair.name]
        again = projects_outcomes.Recompute(projects_outcomes.Cause.STORAGE)
        sinks = old.sinks or (projects_outcomes.SinkOutcome(ALL, "", old.outcome),)
        sinks = tuple(s if s.recompute else replace(s, recompute=again) for s in sinks)
        self.outcomes[pair.name] = replace(old, sinks=sinks)


@final
@dataclass(frozen=True)
class Joint:
    """Two versions of a job with the jobs in front of them that changed too."""

    versions: tuple[Version, Version]
    jobs: tuple[str, ...]

    def task(self, name: str) -> Task:
        """The task of comparing them."""
        return Task.of(name, *self.versions)


def _computed_again(
    sink: projects_outcomes.SinkOutcome, touched: Sequence[str]
) -> projects_outcomes.SinkOutcome:
    """A sink that reads what changed."""
    if not touched or sink.outcome is projects_outcomes.Outcome.REMOVED:
        return sink
    cause = projects_outcomes.Cause.UPSTREAM if sink.recompute is None else sink.recompute.cause
    return replace(sink, recompute=projects_outcomes.Recompute(cause, tuple(touched)))


def _settled(
    sink: projects_outcomes.SinkOutcome,
    joint: projects_outcomes.SinkOutcome | None,
    touched: Sequence[str],
    jobs: tuple[str, ...],
) -> projects_outcomes.SinkOutcome:
    """A sink by itself, and together with the jobs that write what it reads.

    What it is together counts, but for this: a job that does the same with its tables as before has
    not changed, its tables have.
    """
    if not touched or sink.outcome in (
        projects_outcomes.Outcome.NEW,
        projects_outcomes.Outcome.REMOVED,
    ):
        return sink
    if joint is None:
        return _computed_again(sink, touched)
    if joint.outcome is projects_outcomes.Outcome.EQUIVALENT:
        kept = joint.recompute is None
        outcome = (
            sink.outcome
            if sink.outcome is projects_outcomes.Outcome.UNCHANGED
            else projects_outcomes.Outcome.EQUIVALENT
        )
        report = sink.report if sink.outcome is outcome else joint.report
        again = (
            None
            if kept
            else projects_outcomes.Recompute(projects_outcomes.Cause.NOT_CERTAIN, tuple(touched))
        )
        spared = tuple(touched) if kept else ()
        with_jobs = jobs if report is joint.report else ()
        return replace(
            sink,
            outcome=outcome,
            report=report,
            with_jobs=with_jobs,
            recompute=again,
            spared=spared,
        )
    if joint.outcome is projects_outcomes.Outcome.CHANGED and sink.outcome in (
        projects_outcomes.Outcome.CHANGED,
        projects_outcomes.Outcome.UNKNOWN,
    ):
        again = projects_outcomes.Recompute(projects_outcomes.Cause.CHANGED, tuple(touched))
        return replace(
            sink,
            outcome=projects_outcomes.Outcome.CHANGED,
            report=joint.report,
            with_jobs=jobs,
            recompute=again,
        )
    return _computed_again(sink, touched)
