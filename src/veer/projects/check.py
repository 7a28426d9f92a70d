"""A project at two revisions: each job compared with what it was, then what follows for the others.

pairs of jobs -> those that may differ are loaded and compared over the same tables
              -> `following`: jobs that read what changed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import final

from veer.batch.workers import Failed, Runner
from veer.projects import outcomes
from veer.projects.comparing import Answer, AnswerFolder, Task, compare
from veer.projects.following import ALL, Following
from veer.projects.jobs import JobPair
from veer.projects.loading import LoadedJobs, Revision
from veer.projects.reach import Changes
from veer.projects.sink_outcomes import sink_outcomes, target_of, whole_outcomes
from veer.verification.comparison import Comparison


@final
@dataclass(frozen=True)
class CheckOptions:
    """How jobs are compared, and where."""

    runner: Runner
    comparison: Comparison = field(default_factory=Comparison)
    threads: int = 2  # that load jobs
    answers: AnswerFolder = field(default_factory=lambda: AnswerFolder(""))
    progress: Callable[[str, int, int], None] = lambda *_: None  # what, done, of how many
    changes: Changes = field(default_factory=Changes)  # beside those of jobs


class ProjectCheck:
    """One check: what was loaded, what was answered, what follows."""

    def __init__(
        self, pairs: Sequence[JobPair], base: Revision, now: Revision, options: CheckOptions
    ) -> None:
        self.pairs = pairs
        self.options = options
        self.now = LoadedJobs(now, options.threads, self._reading)
        self.base = LoadedJobs(base, options.threads, self._reading)
        self._work = partial(compare, options.comparison)
        self.outcomes: dict[str, outcomes.JobOutcome] = {}
        self.following = Following(pairs, self.base, self.now, self.outcomes, self._compare)

    def run(self) -> tuple[outcomes.JobOutcome, ...]:
        """What became of each job."""
        different = [pair for pair in self.pairs if not pair.same]
        if different:
            self.options.runner.start(self._work)
        self.now.load(pair.q for pair in different if pair.q)
        self.following.take_over()
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
        self.following.begin(self.options.changes)
        if self.following.affected:
            self.following.follow()
        for pair in self.pairs:
            if pair.stored_otherwise:
                self.following.store_again(pair)
        return tuple(self.outcomes[pair.name] for pair in self.pairs)

    def order(self) -> list[str]:
        """The names of pairs in an order in which their jobs can run."""
        by_job = {pair.q: pair.name for pair in self.pairs}
        levels = self.now.lineage.levels()
        ordered = [by_job[q] for level in levels for q in level.jobs if q in by_job]
        # What cannot be read may feed any other.
        return [pair.name for pair in self.pairs if pair.name not in ordered] + ordered

    # -- each job by itself ----------------------------------------------------------------------

    def _own(self, pair: JobPair, answer: Answer | Failed | None) -> outcomes.JobOutcome:
        """What became of a job over the same tables as before."""
        p, q = (self._shown(side, name) for side, name in self._names(pair))
        outcome = partial(outcomes.JobOutcome, pair.name, p, q)
        if pair.same:
            return outcome(outcomes.Outcome.UNCHANGED)
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
            sinks = sink_outcomes(answer, self.base.versions[pair.p].dataflow, now.dataflow)
            return outcome(
                outcomes.worst(s.outcome for s in sinks),
                sinks,
                seconds=answer.seconds,
                compared=True,
                remembered=answer.remembered,
                place=now.place,
                edits=tuple(answer.report["edits"]),
            )
        assert answer is not None  # both versions are loaded
        sinks = whole_outcomes(
            now.dataflow, outcomes.Outcome.UNKNOWN, outcomes.Recompute(outcomes.Cause.UNKNOWN)
        )
        return outcome(
            outcomes.Outcome.UNKNOWN,
            sinks,
            why=answer.text,
            seconds=answer.seconds,
            compared=True,
            place=now.place,
        )

    def _with_views(self, pair: JobPair, outcome: outcomes.JobOutcome) -> outcomes.JobOutcome:
        """A job that may have changed, with the views that it makes: those are not compared."""
        made = [v for side, name in self._names(pair) if name for v in side.revision.views(name)]
        if not made or pair.q is None:
            return outcome
        again = outcomes.Recompute(outcomes.Cause.UNKNOWN)
        views = (
            outcomes.SinkOutcome(v, v, outcomes.Outcome.UNKNOWN, recompute=again)
            for v in dict.fromkeys(made)
        )
        sinks = (*outcome.sinks, *views)
        why = f"views are not compared: {', '.join(dict.fromkeys(made))}"
        why = f"{outcome.why}; {why}" if outcome.why else why
        return replace(
            outcome, sinks=sinks, outcome=outcomes.worst(s.outcome for s in sinks), why=why
        )

    def _names(self, pair: JobPair) -> list[tuple[LoadedJobs, str | None]]:
        return [(self.base, pair.p), (self.now, pair.q)]

    def _unreadable(
        self, pair: JobPair, outcome: Callable[..., outcomes.JobOutcome], why: str
    ) -> outcomes.JobOutcome:
        """A job with a revision that cannot be read: its results are unknown."""
        if pair.q is None:
            return outcome(
                outcomes.Outcome.REMOVED,
                (outcomes.SinkOutcome(ALL, "", outcomes.Outcome.REMOVED),),
                why,
            )
        kind, cause = (
            (outcomes.Outcome.NEW, outcomes.Cause.NEW)
            if pair.p is None
            else (outcomes.Outcome.UNKNOWN, outcomes.Cause.UNKNOWN)
        )
        readable = self.now.versions.get(pair.q) or self.base.versions.get(pair.p or "")
        known = self.now.revision.known_tables(pair.q)
        targets = {t: t for t in known.writes} if known else {}
        if readable:
            targets = {i: target_of(readable.dataflow, i) for i in readable.dataflow.sinks}
        sinks = tuple(
            outcomes.SinkOutcome(i, target, kind, recompute=outcomes.Recompute(cause))
            for i, target in (targets or {ALL: ""}).items()
        )
        return outcome(kind, sinks, why)

    def _alone(
        self, pair: JobPair, outcome: Callable[..., outcomes.JobOutcome]
    ) -> outcomes.JobOutcome:
        """A job that is new, or gone."""
        kind = outcomes.Outcome.NEW if pair.p is None else outcomes.Outcome.REMOVED
        version = (
            self.now.versions[pair.q] if pair.q is not None else self.base.versions[pair.p or ""]
        )
        again = outcomes.Recompute(outcomes.Cause.NEW) if kind is outcomes.Outcome.NEW else None
        sinks = whole_outcomes(version.dataflow, kind, again)
        return outcome(kind, sinks, place=version.place if pair.q else None)

    # -- loading and comparing ---------------------------------------------------------------------

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
