"""What the GitHub Action runs, as a script in a scratch repository with a real merge base."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.command import ROOT
from tests.projects.repositories import commit, edit, git, repository

SCRIPT = ROOT / "scripts" / "check-pull-request"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a branch that changes one job, while main changed another."""
    origin = repository(tmp_path / "origin")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(origin), str(clone))
    git(clone, "config", "user.email", "somebody@example.com")
    git(clone, "config", "user.name", "somebody")
    edit(origin, "sql/countries.sql", "IS NOT NULL", "<> 'x'")
    commit(origin, "main goes on")
    git(clone, "checkout", "-q", "-b", "feature")
    edit(clone, "common/cleaning.py", "> 10", "> 11")
    commit(clone, "a change")
    git(clone, "fetch", "-q")
    return clone


def run(clone: Path, out: Path, **more: str) -> subprocess.CompletedProcess[str]:
    folder = out / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "veer"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m veer "$@"\n')
    command.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "VEER_BASE": "origin/main...",
        "VEER_OUT": str(out / "report"),
        "NO_COLOR": "1",
        **more,
    }
    return subprocess.run(
        ["bash", str(SCRIPT)], cwd=clone, env=env, capture_output=True, text=True, check=False
    )


def test_the_steps_of_the_action(clone: Path, tmp_path: Path) -> None:
    outputs, summary = tmp_path / "outputs", tmp_path / "summary"
    more = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_STEP_SUMMARY": str(summary),
        "VEER_SARIF": str(tmp_path / "veer.sarif"),
        "VEER_CACHE": str(tmp_path / "cache"),
        "VEER_ARGS": "--workers 1",
    }
    done = run(clone, tmp_path, **more)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error ")
    told = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    assert told["verdict"] == "changed"
    assert json.loads(told["stale-jobs"])[0] == "jobs/orders.py:build"
    report = json.loads(Path(told["report"]).read_text())
    # What main did meanwhile is not the change's.
    assert {j["job"]: j["verdict"] for j in report["jobs"]}["sql/countries.sql"] == "unchanged"
    assert summary.read_text().startswith("### ❌ Veer: 4 jobs")
    assert json.loads((tmp_path / "veer.sarif").read_text())["version"] == "2.1.0"
    assert list((tmp_path / "cache").iterdir())
    assert run(clone, tmp_path, VEER_FAIL_ON="never").returncode == 0
    assert run(clone, tmp_path, VEER_BASE="nowhere").returncode == 65


def test_the_action_passes_all_of_its_inputs_on() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text()
    for name in action["inputs"]:
        assert f"inputs.{name}" in text
    script = SCRIPT.read_text()
    (step,) = (s for s in action["runs"]["steps"] if s.get("id") == "check")
    for variable in step["env"]:
        assert variable in script
    # Inputs are variables of the environment, never parts of a script.
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "") and "${{" not in str(
            step.get("with", {}).get("script", "")
        )


def test_examples_and_hooks_name_options_that_exist() -> None:
    from tests.command import veer

    known = veer("check", "--help").stdout + veer("render", "--help").stdout
    texts = [(ROOT / f).read_text() for f in ("examples/ci/gitlab.yml", ".pre-commit-hooks.yaml")]
    for text in texts:
        yaml.safe_load(text)
        for line in re.findall(r"veer (?:check|render).*", text):
            for option in re.findall(r"--[a-z-]+", line):
                assert option in known
