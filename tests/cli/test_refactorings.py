"""A panel of refactored jobs, of all kinds, through the command; `benchmarks refactorings` has them all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.support.job_folders import expected
from tests.command import ROOT, veer

JOBS = ROOT / "tests" / "cases" / "refactorings"
PANEL = (
    "active_buyer_lists",
    "channel_grouping_map",
    "ins_claim_step_durations",
    "single_provider_patients_not_exists",
    "access_rights_bitmask_nulls",
    "bank_txn_type_counts_pivot",
)


@pytest.mark.parametrize("name", PANEL)
def test_refactored_jobs(tmp_path: Path, name: str) -> None:
    folder = JOBS / name
    jobs = (f"{folder}/old.py:build", f"{folder}/new.py:build")
    words = ("--schema", f"{folder}/schema.sql", "--jvm", "never", "--format", "json")
    done = veer("verify", *jobs, *words, cwd=tmp_path)
    assert json.loads(done.stdout)["verdict"] == expected(folder), done.stderr
