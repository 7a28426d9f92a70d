"""A project at two revisions: each job compared with what it was, then what follows for the others.

pairs of jobs -> those that may differ are loaded and compared over the same tables
              -> jobs that read what changed are compared once more, together with the jobs that
                 write what they read: many do not change with it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, final

from veer.model.dag import Dataflow
from veer.model.ops import Sink, Source
from veer.model.sources import distinct_sources, inline_sources
from veer.outcomes import (
    OF_VERDICT,
    Cause,
    JobOutcome,
    Outcome,
    Recompute,
    SinkOutcome,
    worst,
)
from veer.project.comparing import Answer, AnswerFolder, Task, compare
from veer.project.lineage import Place, fits, read_places, sink_places, source_texts
from veer.project.loading import LoadedJobs, Revision
from veer.verification.comparison import Comparison
from veer.versions.version import Version
from veer.workers import Failed, Runner

MOST_OPERATORS = 600  # of jobs that are compared together
ALL = "(all)"  # the sinks of a job that cannot be read


@final
@dataclass(frozen=True)
class JobPair:
    """A job at both revisions by its names there; `same` if nothing that decides its rows differs."""

    name: str
    p: str | None
    q: str | None
    same: bool = False
    stored_otherwise: bool = False  # its rows are to be stored in another way
    history: str = ""  # why its rows do not follow from its code and what it reads


@final
@dataclass(frozen=True)
class CheckOptions:
    """How jobs are compared, and where."""

    runner: Runner
    comparison: Comparison = field(default_factory=Comparison)
    threads: int = 2  # that load jobs
    answers: AnswerFolder = field(default_factory=lambda: AnswerFolder(""))
    progress: Callable[[str, int, int], None] = lambda *_: None  # what, done, of how many
    changed_files: tuple[str, ...] = ()  # that jobs may read as data


class Affected:
    """Places whose rows may be others than before."""

    def __init__(self) -> None:
        self.targets: dict[Place, str] = {}
        self.suspects: dict[str, Callable[[str], bool]] = {}  # jobs that may write anything

    def add(self, *targets: str) -> None:
        """Count targets among them."""
        self.targets |= {Place.of(t): t for t in targets if t}

    def among(self, table: str) -> list[str]:
        """Those that a table or path may be."""
        place = Place.of(table)
        unseen = [n for n, may in self.suspects.items() if may(table)]
        return sorted([*(t for a, t in self.targets.items() if a.may_hold(place)), *unseen])

    def read_by(self, source: Source) -> list[str]:
        """Those a source may read."""
        places = read_places(source)
        unseen = [n for n, may in self.suspects.items() if any(map(may, source_texts(source)))]
        if places is None:
            return sorted([*self.targets.values(), *self.suspects])
        return sorted(
            [
                *(t for a, t in self.targets.items() if any(a.may_hold(p) for p in places)),
                *unseen,
            ]
        )


class ProjectCheck:
    """One check: what was loaded, what was answered, what follows."""

    def __init__(
        self, pairs: Sequence[JobPair], base: Revision, now: Revision, options: CheckOptions
    ) -> None:
        self.pairs = pairs
        self.options = options
        self.now = LoadedJobs(now, options.threads, self._reading)
        self.base = LoadedJobs(base, options.threads, self._reading)
        self._same = {pair.p: pair.q for pair in pairs if pair.same and pair.p and pair.q}
        self._pairs_by_name = {pair.name: pair for pair in pairs}
        self._work = partial(compare, options.comparison)
        self.affected = Affected()
        self.outcomes: dict[str, JobOutcome] = {}

    def run(self) -> tuple[JobOutcome, ...]:
        """What became of each job."""
        different = [pair for pair in self.pairs if not pair.same]
        if different:
            self.options.runner.start(self._work)
        self.now.load(pair.q for pair in different if pair.q)
        self._take_over()
        self.base.load(pair.p for pair in different if pair.p)
        answers = self._compare(
            {
                pair.name: Task.of(pair.name, self.base.versions[pair.p], self.now.versions[pair.q])
                for pair in different
                if pair.p in self.base.versions and pair.q in self.now.versions and not pair.history
            }
        )
        for pair in self.pairs:
            own = self._own(pair, answers.get(pair.name))
            self.outcomes[pair.name] = own if pair.same else self._with_views(pair, own)
        self.affected.add(*self.options.changed_files)
        for pair in different:
            self._suspect(pair)
            for side, name in self._names(pair):
                self.affected.add(*(side.revision.views(name) if name else ()))
        for outcome in self.outcomes.values():
            self._note(outcome)
        if self.affected.targets or self.affected.suspects:
            self._follow()
        for pair in self.pairs:
            if pair.stored_otherwise:
                self._store_again(pair)
        return tuple(self.outcomes[pair.name] for pair in self.pairs)

    def order(self) -> list[str]:
        """The names of pairs in an order in which their jobs can run."""
        by_job = {pair.q: pair.name for pair in self.pairs}
        levels = self.now.lineage.levels()
        ordered = [by_job[q] for level in levels for q in level.jobs if q in by_job]
        # What cannot be read may feed any other.
        return [pair.name for pair in self.pairs if pair.name not in ordered] + ordered

    # -- each job by itself ----------------------------------------------------------------------

    def _own(self, pair: JobPair, answer: Answer | Failed | None) -> JobOutcome:
        """What became of a job over the same tables as before."""
        p, q = (self._shown(side, name) for side, name in self._names(pair))
        outcome = partial(JobOutcome, pair.name, p, q)
        if pair.same:
            return outcome(Outcome.UNCHANGED)
        for side, name in self._names(pair):
            error = side.errors.get(name or "")
            if error is not None:
                return self._unreadable(pair, outcome, str(error))
        if pair.p is None or pair.q is None:
            return self._alone(pair, outcome)
        if pair.history:
            return self._unreadable(pair, outcome, pair.history)
        now = self.now.versions[pair.q]
        if isinstance(answer, Answer):
            sinks = _sinks(answer, self.base.versions[pair.p].dataflow, now.dataflow)
            return outcome(
                worst(s.outcome for s in sinks),
                sinks,
                seconds=answer.seconds,
                compared=True,
                remembered=answer.remembered,
                place=now.place,
                edits=tuple(answer.report["edits"]),
            )
        assert answer is not None  # both versions are loaded
        again = Recompute(Cause.UNKNOWN)
        sinks = tuple(
            SinkOutcome(i, _target(now.dataflow, i), Outcome.UNKNOWN, recompute=again)
            for i in now.dataflow.sinks
        )
        return outcome(
            Outcome.UNKNOWN,
            sinks,
            why=answer.text,
            seconds=answer.seconds,
            compared=True,
            place=now.place,
        )

    def _with_views(self, pair: JobPair, outcome: JobOutcome) -> JobOutcome:
        """A job that may have changed, with the views that it makes: those are not compared."""
        made = [v for side, name in self._names(pair) if name for v in side.revision.views(name)]
        if not made or pair.q is None:
            return outcome
        again = Recompute(Cause.UNKNOWN)
        views = (SinkOutcome(v, v, Outcome.UNKNOWN, recompute=again) for v in dict.fromkeys(made))
        sinks = (*outcome.sinks, *views)
        why = f"views are not compared: {', '.join(dict.fromkeys(made))}"
        why = f"{outcome.why}; {why}" if outcome.why else why
        return replace(outcome, sinks=sinks, outcome=worst(s.outcome for s in sinks), why=why)

    def _names(self, pair: JobPair) -> list[tuple[LoadedJobs, str | None]]:
        return [(self.base, pair.p), (self.now, pair.q)]

    def _unreadable(
        self, pair: JobPair, outcome: Callable[..., JobOutcome], why: str
    ) -> JobOutcome:
        """A job of which a revision cannot be read: nothing is known of what it writes."""
        if pair.q is None:
            return outcome(Outcome.REMOVED, (SinkOutcome(ALL, "", Outcome.REMOVED),), why)
        kind, cause = (
            (Outcome.NEW, Cause.NEW) if pair.p is None else (Outcome.UNKNOWN, Cause.UNKNOWN)
        )
        readable = self.now.versions.get(pair.q) or self.base.versions.get(pair.p or "")
        known = self.now.revision.known_tables(pair.q)
        targets = {t: t for t in known.writes} if known else {}
        if readable:
            targets = {i: _target(readable.dataflow, i) for i in readable.dataflow.sinks}
        sinks = tuple(
            SinkOutcome(i, target, kind, recompute=Recompute(cause))
            for i, target in (targets or {ALL: ""}).items()
        )
        return outcome(kind, sinks, why)

    def _alone(self, pair: JobPair, outcome: Callable[..., JobOutcome]) -> JobOutcome:
        """A job that is new, or gone."""
        kind = Outcome.NEW if pair.p is None else Outcome.REMOVED
        version = (
            self.now.versions[pair.q] if pair.q is not None else self.base.versions[pair.p or ""]
        )
        again = Recompute(Cause.NEW) if kind is Outcome.NEW else None
        sinks = tuple(
            SinkOutcome(i, _target(version.dataflow, i), kind, recompute=again)
            for i in version.dataflow.sinks
        )
        return outcome(kind, sinks, place=version.place if pair.q else None)

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

    def _note(self, outcome: JobOutcome) -> None:
        """Count among what is affected what a job no longer writes as it did."""
        pair = self._pairs_by_name[outcome.name]
        for sink in outcome.sinks:
            if sink.recompute is None and sink.outcome is not Outcome.REMOVED:
                continue
            self.affected.add(sink.target)
            for side, name in self._names(pair):
                version = side.versions.get(name or "")
                if version is not None and isinstance(
                    version.dataflow.operators.get(sink.name), Sink
                ):
                    places = sink_places(version.dataflow, sink.name)
                    self.affected.targets |= dict.fromkeys(places, sink.target)

    def _store_again(self, pair: JobPair) -> None:
        """Sinks with the same rows that are to be stored in another way."""
        self.now.load([pair.q] if pair.q else [])
        self._fill_unchanged(pair)
        old = self.outcomes[pair.name]
        again = Recompute(Cause.STORAGE)
        sinks = old.sinks or (SinkOutcome(ALL, "", old.outcome),)
        sinks = tuple(s if s.recompute else replace(s, recompute=again) for s in sinks)
        self.outcomes[pair.name] = replace(old, sinks=sinks)

    # -- what follows ----------------------------------------------------------------------------

    def _follow(self) -> None:
        """Go through all jobs, each after those it reads from."""
        self.now.load_all()
        self._take_over()
        self.base.load_all()
        by_job = {pair.q: pair for pair in self.pairs if pair.q is not None}
        for pair in self.pairs:
            if pair.same and pair.q in self.now.errors:
                self._fill_unreadable(pair)
                if pair.q not in self.now.known:
                    self._suspect(pair)
        for level in self.now.lineage.levels():
            pairs = [by_job[job] for job in level.jobs if job in by_job]
            if level.circular:
                self._follow_circles(pairs)
            else:
                self._follow_level(pairs)
        self._write_together()

    def _fill_unreadable(self, pair: JobPair) -> None:
        """An unchanged job that cannot be read may read anything that changed, unless its tables are known."""
        old = self.outcomes[pair.name]
        known = self.now.known.get(pair.q or "")
        if known is not None:
            told = tuple(SinkOutcome(t, t, Outcome.UNCHANGED) for t in known.writes)
            self.outcomes[pair.name] = replace(old, sinks=told)
            return
        sink = SinkOutcome(ALL, "", Outcome.UNCHANGED, recompute=Recompute(Cause.UNKNOWN))
        why = f"whether it reads what changed is not known: {self.now.errors[pair.q or '']}"
        self.outcomes[pair.name] = replace(old, sinks=(sink,), why=why)

    def _follow_level(self, pairs: Iterable[JobPair]) -> None:
        reading: dict[str, tuple[JobPair, dict[str, list[str]]]] = {}
        for pair in pairs:
            self._fill_unchanged(pair)
            touched = self._touched(pair)
            if any(touched.values()):
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
            job = reading[name][0].q
            self.affected.add(*(self.now.revision.views(job) if job else ()))

    def _write_together(self) -> None:
        """Sinks that write to a place which another job writes anew: it may take their rows away."""
        before = -1
        while before != len(self.affected.targets):
            before = len(self.affected.targets)
            for name, outcome in list(self.outcomes.items()):
                touched = {
                    sink.name: [
                        other.target
                        for job, told in self.outcomes.items()
                        for other in told.sinks
                        if job != name and other.recompute is not None and other.target
                        if Place.of(other.target).may_hold(Place.of(sink.target))
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
            sinks = tuple(
                SinkOutcome(i, _target(version.dataflow, i), Outcome.UNCHANGED)
                for i in version.dataflow.sinks
            )
            self.outcomes[pair.name] = replace(old, sinks=sinks, place=version.place)

    def _touched(self, pair: JobPair) -> dict[str, list[str]]:
        """For each sink of a job what it reads that is affected."""
        version = self.now.versions.get(pair.q or "")
        if version is None:
            return self._touched_tables(pair)
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
        while before != len(self.affected.targets):
            before = len(self.affected.targets)
            for pair in pairs:
                self._fill_unchanged(pair)
                self._affect(pair.name, self._touched(pair))
                self._note(self.outcomes[pair.name])

    def _together(self, pair: JobPair) -> _Joint | None:
        """Both revisions of a job, each reading from the jobs of its own revision; None if it cannot be."""
        if pair.history:
            return None
        sides = []
        for side, name in self._names(pair):
            composed = None if name is None else self._composed(side, name, ())
            if composed is None:
                return None
            sides.append((composed, side.versions[name or ""]))
        (p_flow, p_jobs), p = sides[0]
        (q_flow, q_jobs), q = sides[1]
        versions = (
            replace(p, dataflow=p_flow, stable_ids=False, optimized=None),
            replace(q, dataflow=q_flow, stable_ids=False, optimized=None),
        )
        return _Joint(versions, tuple(sorted({*p_jobs, *q_jobs})))

    def _composed(
        self, side: LoadedJobs, name: str, above: tuple[str, ...]
    ) -> tuple[Dataflow, frozenset[str]] | None:
        """The dataflow of a job with those in front of it that write what is affected."""
        version = side.versions.get(name)
        if version is None or name in above:
            return None
        inlined: dict[Source, tuple[str, Dataflow]] = {}
        jobs: frozenset[str] = frozenset()
        for source in distinct_sources(version.dataflow):
            if not self.affected.read_by(source):
                continue
            writers = {(w.job, w.sink) for w in side.lineage.writers(source)}
            if len(writers) != 1 or side.may_be_written_unseen(source_texts(source)):
                return None
            ((job, sink),) = writers
            inner = self._composed(side, job, (*above, name))
            if inner is None or sink not in inner[0].operators or not fits(source, inner[0], sink):
                return None
            inlined[source] = job, inner[0].restrict(inner[0].ancestors(sink))
            jobs |= {job} | inner[1]
        flow = inline_sources(version.dataflow, inlined) if inlined else version.dataflow
        return (flow, jobs) if len(flow.operators) <= MOST_OPERATORS else None

    def _settle(
        self, name: str, touched: Mapping[str, Sequence[str]], joint: _Joint, answer: Answer
    ) -> None:
        """What became of a job together with those that write what it reads."""
        old = self.outcomes[name]
        p, q = (v.dataflow for v in joint.versions)
        found = {s.name: s for s in _sinks(answer, p, q)}
        sinks = tuple(
            _settled(s, found.get(s.name), touched.get(s.name, ()), joint.jobs) for s in old.sinks
        )
        outcome = worst(s.outcome for s in sinks)
        seconds = old.seconds + answer.seconds
        self.outcomes[name] = replace(old, sinks=sinks, outcome=outcome, seconds=seconds)

    # -- loading and comparing ---------------------------------------------------------------------

    def _take_over(self) -> None:
        """Take jobs that are the same at the base, and whose tables have the same columns there, from now."""
        before = {now: base for base, now in self._same.items()}
        for level in self.now.lineage.levels():
            for now in level.jobs:
                base = before.get(now)
                if base is not None and now in self.now.versions:
                    self.base.take_over(
                        base, self.now.versions[now], self.now.statements.get(now, {})
                    )

    def _reading(self, what: str) -> None:
        self.options.progress(what, 0, 0)

    def _shown(self, side: LoadedJobs, name: str | None) -> str:
        return "" if name is None else side.revision.jobs[name]

    def _compare(self, tasks: Mapping[str, Task]) -> dict[str, Answer | Failed]:
        """Answers to all tasks; those of earlier runs first."""
        keys = {name: task.key(self.options.comparison) for name, task in tasks.items()}
        answers: dict[str, Answer | Failed] = {}
        for name in tasks:
            earlier = self.options.answers.get(keys[name])
            if earlier is not None:
                answers[name] = earlier
        open_tasks = [task for name, task in tasks.items() if name not in answers]
        if not open_tasks:
            return answers
        self.options.progress("verifying", len(answers), len(tasks))
        for task, answer in self.options.runner.run(iter(open_tasks), self._work):
            answers[task.name] = answer
            if isinstance(answer, Answer):
                self.options.answers.put(keys[task.name], answer)
            self.options.progress(f"verified {task.name}", len(answers), len(tasks))
        return answers


@final
@dataclass(frozen=True)
class _Joint:
    """Two versions of a job with the jobs in front of them that changed too."""

    versions: tuple[Version, Version]
    jobs: tuple[str, ...]

    def task(self, name: str) -> Task:
        """The task of comparing them: the jobs in front are run again, and may choose anew."""
        return Task.of(name, *self.versions, renewed=[f"{job}/" for job in self.jobs])


def _target(flow: Dataflow, sink: str) -> str:
    operator = flow.operators[sink]
    return operator.target if isinstance(operator, Sink) else ""


def _sinks(answer: Answer, p: Dataflow, q: Dataflow) -> tuple[SinkOutcome, ...]:
    """What a report says of each sink."""
    outcomes = []
    for report, kept in zip(answer.report["sinks"], answer.kept, strict=True):
        old, new = report["p"], report["q"]
        if new and new not in q.operators:  # all sinks, stopped by the time limit
            outcomes += [
                _outcome(i, _target(q, i), Outcome.UNKNOWN, report, False) for i in q.sinks
            ]
        elif not old:
            outcomes.append(_outcome(new, _target(q, new), Outcome.NEW, report, False))
        elif not new:
            outcomes.append(_outcome(old, _target(p, old), Outcome.REMOVED, report, False))
        else:
            verdict = OF_VERDICT[report["verdict"]]
            moved = Place.of(_target(p, old)) != Place.of(_target(q, new))
            outcomes.append(_outcome(new, _target(q, new), verdict, report, kept and not moved))
    return tuple(outcomes)


CAUSES = {
    Outcome.CHANGED: Cause.CHANGED,
    Outcome.UNKNOWN: Cause.UNKNOWN,
    Outcome.NEW: Cause.NEW,
    Outcome.EQUIVALENT: Cause.NOT_CERTAIN,
}


def _outcome(
    name: str, target: str, outcome: Outcome, report: Mapping[str, Any], kept: bool
) -> SinkOutcome:
    cause = None if kept else CAUSES.get(outcome)
    again = None if cause is None else Recompute(cause)
    return SinkOutcome(name, target, outcome, report, recompute=again)


def _computed_again(sink: SinkOutcome, touched: Sequence[str]) -> SinkOutcome:
    """A sink that reads what changed."""
    if not touched or sink.outcome is Outcome.REMOVED:
        return sink
    cause = Cause.UPSTREAM if sink.recompute is None else sink.recompute.cause
    return replace(sink, recompute=Recompute(cause, tuple(touched)))


def _settled(
    sink: SinkOutcome, joint: SinkOutcome | None, touched: Sequence[str], jobs: tuple[str, ...]
) -> SinkOutcome:
    """A sink by itself, and together with the jobs that write what it reads.

    What it is together counts, but for this: a job that does the same with its tables as before has
    not changed, its tables have.
    """
    if not touched or joint is None or sink.outcome in (Outcome.NEW, Outcome.REMOVED):
        return sink
    if joint.outcome is Outcome.EQUIVALENT:
        kept = joint.recompute is None
        outcome = sink.outcome if sink.outcome is Outcome.UNCHANGED else Outcome.EQUIVALENT
        report = sink.report if sink.outcome is outcome else joint.report
        again = None if kept else Recompute(Cause.NOT_CERTAIN, tuple(touched))
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
    if joint.outcome is Outcome.CHANGED and sink.outcome in (Outcome.CHANGED, Outcome.UNKNOWN):
        again = Recompute(Cause.CHANGED, tuple(touched))
        return replace(
            sink, outcome=Outcome.CHANGED, report=joint.report, with_jobs=jobs, recompute=again
        )
    return _computed_again(sink, touched)
