"""The front end of PySpark functions, named `FILE.py:FUNCTION`."""

from __future__ import annotations

from veer.errors import UsageError
from veer.frontends.inputs import Input, ReadOptions
from veer.frontends.locations import place_of
from veer.frontends.spark.capture.jobs import Job, load_job, parse_args
from veer.frontends.sql import read_schema
from veer.versions.version import Version


def read(source: Input, options: ReadOptions) -> Version:
    """The version of a PySpark function, called with the arguments of `--arg`."""
    if not source.function:
        raise UsageError(f"{source.name}: name the function, as in {source.path}:build")
    arguments, ddl = parse_args(options.args), options.ddl()
    job = load_job(Job(source.path, source.function, source.revision, arguments, ddl))
    dataflow = job.dataflow
    if ddl:
        dataflow = dataflow.declaring(read_schema(ddl).values())
    place = place_of(source.path, source.function, source.read_text())
    return Version(source.name, dataflow, stable_ids=False, optimized=job.optimized, place=place)
