"""Whole jobs: two versions each, half of them refactored, half of them subtly different."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from veer.api import Version, verify
from veer.read.pyspark.capture.child import load_function
from veer.show.wording import reason_text
from veer.verdict import Verdict

pytestmark = pytest.mark.spark
JOBS = Path(__file__).parent.parent / "cases" / "jobs"
NAMES = sorted(p.name for p in JOBS.iterdir() if p.is_dir())
# Not decided, and why.
UNDECIDED = {
    "insurance_claims": "a pivot is a group of groups, conditional sums are one group",
    "product_tags": "the size of a set became a count, below a set that is sorted later",
}


def load(spark: SparkSession, folder: Path, version: str) -> Version:
    """A version of a job, captured in the session of the tests."""
    request = {
        "root": str(folder),
        "file": str(folder / f"{version}.py"),
        "function": "build",
        "args": {},
        "schema": (folder / "schema.sql").read_text(encoding="utf-8"),
        "data": str(folder),
    }
    found = load_function(spark, request)
    return Version(version, found.dataflow, False, optimized=found.optimized)


def expected(folder: Path) -> Verdict:
    lines = (folder / "new.py").read_text(encoding="utf-8").splitlines()[:4]
    return Verdict(next(x for x in lines if x.startswith("# expect:")).partition(":")[2].strip())


@pytest.mark.parametrize("name", NAMES)
def test_jobs_are_decided_rightly(spark: SparkSession, name: str) -> None:
    p, q = (load(spark, JOBS / name, version) for version in ("old", "new"))
    report = verify(p, q)
    if name in UNDECIDED:
        assert report.verdict is Verdict.UNKNOWN
    else:
        assert report.verdict is expected(JOBS / name), reason_text(report.sinks[0].reason)


def test_most_jobs_are_decided() -> None:
    assert len(NAMES) == 40 and len(UNDECIDED) <= 4
    assert sum(expected(JOBS / name) is Verdict.EQUIVALENT for name in NAMES) == 20
