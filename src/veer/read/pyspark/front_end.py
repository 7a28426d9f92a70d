"""The front end of PySpark functions, named `FILE.py:FUNCTION`."""

from __future__ import annotations

from collections.abc import Sequence

from veer.errors import UsageError
from veer.read.inputs import Input, ReadOptions, place_of
from veer.read.pyspark.capture import jobs as capture_jobs
from veer.read.sql import read_schema
from veer.verification.versions.version import Version


def read(source: Input, options: ReadOptions) -> Version:
    """The version of a PySpark function, called with the arguments of `--arg`."""
    return _read([source], options)[0]


def read_pair(p: Input, q: Input, options: ReadOptions) -> tuple[Version, Version]:
    """Two versions, loaded side by side and read in the same way."""
    first, second = _read([p, q], options)
    return first, second


def _read(sources: Sequence[Input], options: ReadOptions) -> list[Version]:
    for source in sources:
        if not source.function:
            raise UsageError(f"{source.name}: name the function, as in {source.path}:build")
    arguments, ddl = capture_jobs.parse_args(options.args), options.ddl()
    jobs = [
        capture_jobs.Job(
            s.path,
            s.function,
            s.revision,
            arguments,
            ddl,
            s.name,
            tuple(options.conf),
            options.spark,
            options.declared,
            s.dataset,
            capture_jobs.parse_env(options.env),
        )
        for s in sources
    ]
    captured = capture_jobs.load_jobs(jobs, options.jvm, options.note)
    return [_version(s, c, ddl) for s, c in zip(sources, captured, strict=True)]


def _version(source: Input, job: capture_jobs.Captured, ddl: str) -> Version:
    dataflow = job.dataflow
    if ddl:
        dataflow = dataflow.declaring(read_schema(ddl).values())
    place = place_of(source.path, source.function, source.read_text())
    return Version(
        source.name,
        dataflow,
        stable_ids=False,
        optimized=job.optimized,
        place=place,
        read_with=job.read_with,
    )
