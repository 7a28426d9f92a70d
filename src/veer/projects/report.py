"""From a project at two revisions to its report."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from veer.projects.check import CheckOptions, ProjectCheck
from veer.projects.dbt import DbtProject
from veer.projects.jobs import JobPair
from veer.projects.loading import Revision
from veer.projects.outcomes import JobOutcome, Outcome, ProjectReport
from veer.projects.reach import Changes
from veer.projects.repository import Repository
from veer.projects.revisions import Revisions
from veer.projects.sqlmesh import SqlmeshProject

LONGEST_SNIPPET = 300  # characters


def report_on_repository(opened: Repository, options: CheckOptions, start: float) -> ProjectReport:
    """The report on a repository; `start` is when looking at it began."""
    revisions = opened.revisions
    options = replace(options, changes=opened.changes)
    everything, order = run_check(opened.pairs, opened.base, opened.now, options)
    jobs = tuple(_with_snippets(j, revisions.top) for j in everything if j.name in opened.shown)
    notes = list(opened.notes)
    if revisions.untold:
        listed = ", ".join(sorted(revisions.untold))
        notes.append(f"submodules are not checked out at the base: {listed}")
    return _since(revisions, jobs, order, notes, start)


def report_on_sqlmesh(
    project: SqlmeshProject, chosen: Sequence[str], options: CheckOptions, start: float
) -> ProjectReport:
    """The report on a SQLMesh project; on some of its models if they are named."""
    everything, order = run_check(project.pairs, project.base, project.now, options)
    jobs = tuple(j for j in everything if not chosen or j.name in chosen)
    return _since(project.revisions, jobs, order, project.notes, start)


def _since(
    revisions: Revisions,
    jobs: tuple[JobOutcome, ...],
    order: Sequence[str],
    notes: Sequence[str],
    start: float,
) -> ProjectReport:
    """The report on jobs of a git repository."""
    return ProjectReport(
        base=revisions.base,
        base_commit=revisions.commit,
        head_commit=revisions.head,
        dirty=revisions.dirty,
        jobs=jobs,
        stale_jobs=stale_jobs(jobs, order),
        notes=tuple(notes),
        seconds=time.perf_counter() - start,
        counts=counts(jobs),
    )


def report_on_dbt(
    project: DbtProject, chosen: Sequence[str], options: CheckOptions, start: float
) -> ProjectReport:
    """The report on a dbt project; on some of its models if they are named."""
    options = replace(options, changes=Changes(tables=project.changed_sources))
    everything, order = run_check(project.pairs, project.base, project.now, options)
    jobs = tuple(j for j in everything if not chosen or j.name in chosen)
    stale = stale_jobs(jobs, order)
    return ProjectReport(
        base=project.base.manifest.path,
        base_commit="",
        head_commit="",
        dirty=False,
        jobs=jobs,
        stale_jobs=stale,
        notes=project.notes,
        seconds=time.perf_counter() - start,
        counts=counts(jobs),
        command=f"dbt build --select {' '.join(map(shlex.quote, stale))}" if stale else "",
    )


def _with_snippets(job: JobOutcome, top: Path) -> JobOutcome:
    """A job whose edits show the line of the file that they are in."""
    if job.place is None or not job.edits:
        return job
    edits = [
        {**edit, "snippet": _line(top / job.place.root / edit["file"], edit["line"])}
        for edit in job.edits
    ]
    return replace(job, edits=tuple(edits))


def _line(file: Path, number: int) -> str:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if number else []
        return lines[number - 1].strip()[:LONGEST_SNIPPET] if 0 < number <= len(lines) else ""
    except OSError:
        return ""


def run_check(
    pairs: Sequence[JobPair], base: Revision, now: Revision, options: CheckOptions
) -> tuple[tuple[JobOutcome, ...], Sequence[str]]:
    """What became of each job, and their names in an order in which they can run."""
    check = ProjectCheck(pairs, base, now, options)
    jobs = check.run()
    options.answers.trim()
    return jobs, check.order()


def stale_jobs(jobs: Sequence[JobOutcome], order: Sequence[str]) -> tuple[str, ...]:
    """The jobs with a sink to compute again, in an order to run them."""
    stale = {job.name for job in jobs if any(s.recompute is not None for s in job.sinks)}
    return tuple(name for name in order if name in stale)


def counts(jobs: Sequence[JobOutcome]) -> dict[str, int]:
    """How much was looked at."""
    sinks = [sink for job in jobs for sink in job.sinks]
    return {
        "jobs": len(jobs),
        "compared": sum(job.compared for job in jobs),
        "remembered": sum(job.remembered for job in jobs),
        "changed": sum(job.outcome is Outcome.CHANGED for job in jobs),
        "recompute": sum(sink.recompute is not None for sink in sinks),
        "spared": sum(bool(sink.spared) for sink in sinks),
    }
