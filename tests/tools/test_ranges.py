"""Which versions `scripts/oldest-and-newest` takes."""

from __future__ import annotations

import tomllib

import pytest
from packaging.requirements import Requirement

from tools.imports import ROOT
from tools.ranges import WATCHED, ends, requirements


@pytest.mark.parametrize(
    ("text", "versions", "oldest", "newest"),
    [
        ("pyspark>=4.0,<5", ["4.10.0", "4.3.0", "4.0.0", "3.5.9", "5.0.0"], "4.0.0", "4.10.0"),
        (
            "sqlglot>=30.30,<30.31",
            ["30.31.0", "30.30.1", "30.30.0", "30.9.0"],
            "30.30.0",
            "30.30.1",
        ),
        ("z3-solver>=5.4,<5.5", ["5.4.0.0", "5.3.3.0", "5.5.0.0rc1"], "5.4.0.0", "5.4.0.0"),
    ],
)
def test_ends_of_a_range(text: str, versions: list[str], oldest: str, newest: str) -> None:
    assert ends(Requirement(text), versions) == {"oldest": oldest, "newest": newest}


def test_nothing_in_the_range_is_told() -> None:
    with pytest.raises(SystemExit, match="pyspark"):
        ends(Requirement("pyspark>=4.0,<5"), ["3.5.0"])


def test_every_watched_library_has_a_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    known = requirements(project)
    assert set(known) == set(WATCHED)
    assert all("<" in str(r.specifier) and ">=" in str(r.specifier) for r in known.values())
