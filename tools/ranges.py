"""Both ends of what `pyproject.toml` allows: the oldest and the newest sqlglot, z3 and PySpark.

`scripts/oldest-and-newest [--end oldest|newest] [--only NAME,...] [--keep DIR] [-- PYTEST ...]`
makes a fresh environment for each end, installs Veer with exactly these versions, runs
`veer doctor` (which confirms a panel of known verdicts) and some tests. Meant for every week: a
release of a library within the range can change what Veer reads or proves.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from tools.imports import ROOT

WATCHED = ("sqlglot", "z3-solver", "pyspark")
ENDS = ("oldest", "newest")
TESTS = (
    (
        "without Spark",
        ["-m", "not spark and not slow", "tests/read", "tests/smt", "tests/evs"],
    ),
    ("with Spark", ["-m", "spark", "tests/spark/test_plans.py", "tests/spark/test_functions.py"]),
)


def requirements(project: dict[str, Any]) -> dict[str, Requirement]:
    """The requirements of the libraries that are watched, by name."""
    table = project["project"]
    optional = (r for rs in table["optional-dependencies"].values() for r in rs)
    every = [Requirement(text) for text in (*table["dependencies"], *optional)]
    return {r.name: r for r in every if r.name in WATCHED}


def ends(requirement: Requirement, versions: Iterable[str]) -> dict[str, str]:
    """The oldest and the newest of some versions that a requirement allows."""
    allowed = sorted(v for v in map(Version, versions) if requirement.specifier.contains(v))
    if not allowed:
        raise SystemExit(f"nothing that {requirement} allows can be had")
    return {"oldest": str(allowed[0]), "newest": str(allowed[-1])}


def published(name: str) -> list[str]:
    """The versions of a library that pip can get here."""
    command = [sys.executable, "-m", "pip", "index", "versions", name]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    listed = re.search(r"Available versions: (.*)", shown)
    if listed is None:
        raise SystemExit(f"pip knows no version of {name}")
    return listed[1].split(", ")


def main(argv: list[str]) -> int:
    """Try both ends; 1 if something fails at one of them."""
    parser = argparse.ArgumentParser(prog="scripts/oldest-and-newest", description=__doc__)
    parser.add_argument("--end", choices=ENDS, help="only this one")
    parser.add_argument("--only", default=",".join(WATCHED), metavar="NAME,...")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where environments stay")
    parser.add_argument("pytest", nargs="*", help="after --: arguments of pytest instead of ours")
    asked = parser.parse_args(argv)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    stated = requirements(project)
    versions = {name: ends(stated[name], published(name)) for name in asked.only.split(",")}
    tests = [("chosen tests", asked.pytest)] if asked.pytest else TESTS
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        for end in [asked.end] if asked.end else ENDS:
            pins = [f"{name}=={both[end]}" for name, both in versions.items()]
            print(f"== {end}: {', '.join(pins)}", flush=True)
            folder = (asked.keep or Path(temporary)) / end
            failed += [f"{end}: {what}" for what in tried(folder, pins, project, tests)]
    for what in failed:
        print(f"FAILED {what}")
    print("both ends are fine" if not failed and not asked.end else f"{len(failed)} failures")
    return int(bool(failed))


def tried(
    folder: Path,
    pins: Sequence[str],
    project: dict[str, Any],
    tests: Sequence[tuple[str, list[str]]],
) -> list[str]:
    """What fails in an environment with these versions."""
    python = str(folder / "bin" / "python")
    if not Path(python).exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    development = [r for r in project["dependency-groups"]["dev"] if not _is_tool(r)]
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if _fails([*install, "-e", f"{ROOT}[spark,recheck]", *development, *pins]):
        return ["the versions cannot be installed together"]
    steps = [("veer doctor", [python, "-m", "veer", "doctor"])]
    steps += [(name, [python, "-m", "pytest", "-q", *words]) for name, words in tests]
    return [name for name, command in steps if _fails(command)]


def _is_tool(requirement: str) -> bool:
    """Whether tests do without it."""
    return Requirement(requirement).name in ("ruff", "mypy") or requirement.startswith("types-")


def _fails(command: Sequence[str | Path]) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
