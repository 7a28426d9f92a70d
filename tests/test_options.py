"""Options that are a choice: members or their values, and an error that lists them for all else."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import veer
from tests.command import veer as run_command
from veer import options
from veer.errors import UsageError
from veer.execution.run import Request
from veer.options import (
    ColumnMatching,
    ErrorHandling,
    Keep,
    Optimization,
    Reuse,
    SearchStrategy,
    SecondSolver,
    TypeMatching,
)
from veer.verdict import TableSemantics
from veer.verification.comparison import Comparison

ROOT = Path(__file__).parent.parent
V1 = str(ROOT / "examples" / "tobacco" / "v1.yaml")
CHOICES: dict[str, type[Enum]] = {
    "semantics": TableSemantics,
    "columns": ColumnMatching,
    "types": TypeMatching,
    "errors": ErrorHandling,
    "strategy": SearchStrategy,
    "recheck": SecondSolver,
}


@pytest.mark.parametrize("name", CHOICES)
def test_members_and_their_values_are_the_same(name: str) -> None:
    for member in CHOICES[name]:
        by_value = Comparison(**{name: member.value})
        assert getattr(by_value, name) is member
        assert by_value == Comparison(**{name: member})
        assert replace(Comparison(), **{name: member.value}) == by_value


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("wrong", ["Exact", "swep", "NAME", " bag", "exact,value", 7])
def test_any_other_value_is_refused(name: str, wrong: Any) -> None:
    allowed = ", ".join(options.values(CHOICES[name]))
    with pytest.raises(UsageError, match=f"{name} must be one of {allowed}; got {wrong!r}"):
        Comparison(**{name: wrong})


def test_a_member_of_another_option_is_refused() -> None:
    with pytest.raises(UsageError, match="types must be one of exact, value; got 'name'"):
        Comparison(types=ColumnMatching.NAME)  # type: ignore[arg-type]


def test_optimizations_are_listed() -> None:
    off = (Optimization.PRUNE, Optimization.RANK)
    for given in (off, ["prune", "rank"], "prune,rank", "prune, rank,"):
        assert Comparison(without=given).without == off  # type: ignore[arg-type]
    for wrong in ("prun", ["prune", "Rank"], [""]):
        with pytest.raises(
            UsageError, match="without must be one of segment, prune, rank, quick; got"
        ):
            Comparison(without=wrong)  # type: ignore[arg-type]


def test_no_second_solver_is_asked_unless_named() -> None:
    assert Comparison().recheck is None
    assert Comparison(recheck="").recheck is None  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [0, -1, "7", True, 1.5])
def test_a_budget_is_a_positive_number(wrong: Any) -> None:
    with pytest.raises(UsageError, match="budget must be a positive number; got"):
        Comparison(budget=wrong)


def test_verifiers_may_be_listed_in_a_text() -> None:
    assert Comparison(evs="spes, algebra").evs == ("spes", "algebra")  # type: ignore[arg-type]


def test_options_of_a_run() -> None:
    by_value = Request("x", keep="cuts", reuse="exact")  # type: ignore[arg-type]
    assert by_value == Request("x", keep=Keep.CUTS, reuse=Reuse.EXACT)
    with pytest.raises(UsageError, match="keep must be one of sinks, cuts, none; got 'Cuts'"):
        Request("x", keep="Cuts")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="reuse must be one of proven, exact, none; got 'all'"):
        veer.run(None, name="x", reuse="all")


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return run_command(*args, columns="200")


@pytest.mark.parametrize(
    ("arguments", "option", "allowed"),
    [
        (["verify", V1, V1], "--types", options.values(TypeMatching)),
        (["verify", V1, V1], "--columns", options.values(ColumnMatching)),
        (["verify", V1, V1], "--errors", options.values(ErrorHandling)),
        (["batch", "pairs.jsonl"], "--types", options.values(TypeMatching)),
        (["batch", "pairs.jsonl"], "--semantics", options.values(TableSemantics)),
        (["run", V1], "--keep", options.values(Keep)),
        (["run", V1], "--format", ["text", "json"]),
        (["diff", V1, V1], "--format", ["text", "json"]),
        (["show", V1], "--format", ["text", "json"]),
        (["log"], "--format", ["text", "json"]),
        (["gc"], "--format", ["text", "json"]),
    ],
)
def test_the_command_line_offers_and_demands_the_same(
    arguments: list[str], option: str, allowed: list[str]
) -> None:
    refused = command(*arguments, option, "Exact")
    assert refused.returncode == 64
    assert refused.stderr == f"veer: {option} must be one of {', '.join(allowed)}; got 'Exact'\n"
    assert f"{option} {'|'.join(allowed)}" in command(arguments[0], "--help").stdout


def test_values_are_taken_by_the_command_line(tmp_path: Path) -> None:
    for name, text in {"p": "SELECT a AS x FROM t", "q": "SELECT a AS y FROM t"}.items():
        (tmp_path / f"{name}.sql").write_text(f"CREATE TABLE t (a INT); {text}")
    files = (str(tmp_path / "p.sql"), str(tmp_path / "q.sql"))
    assert command("verify", *files).returncode == 1
    assert command("verify", *files, "--columns", "position").returncode == 0
