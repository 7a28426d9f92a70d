"""The forty jobs and the Python functions that other tests read with Spark need no JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.support.job_paths import job_pairs, udf_pairs
from veer.ir.ops import Sink
from veer.options import JvmUse
from veer.read.pyspark.capture.jobs import Job, load_jobs

pytest.importorskip("grpc")
pytestmark = pytest.mark.slow


def sinks(pair: Path) -> list[set[str]]:
    """The names of the results of both versions, loaded without a JVM."""
    schema = (pair / "schema.sql").read_text(encoding="utf-8")
    jobs = [Job(str(pair / f"{name}.py"), "build", schema=schema) for name in ("old", "new")]
    flows = [captured.dataflow for captured in load_jobs(jobs, JvmUse.NEVER)]
    return [{i for i, op in f.operators.items() if isinstance(op, Sink)} for f in flows]


def test_whole_jobs_are_read() -> None:
    pairs = list(job_pairs())
    read = [sinks(pair) for pair in pairs]
    assert len(pairs) == 40 and all(old and old == new for old, new in read)


def test_python_functions_are_read(tmp_path: Path) -> None:
    pairs = list(udf_pairs(tmp_path))
    assert len(pairs) == 40
    assert all(sinks(pair) == [{"result"}, {"result"}] for pair in pairs)
