"""The tests that a change can affect, nearest first, and a tenth of the rest.

A test module is affected by a changed module that it imports, over however many others; by a
changed file of another kind if it, or a module of tests that it imports, names the file or its
folder. What is changed is what differs from the upstream branch's last common commit, commits not
pushed and files not committed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

from tools.imports import ROOT, imports_of, module_files

ALWAYS = ("tests/test_layers.py",)
FOLDERS = ("src/veer", "tests", "benchmarks", "tools")
COMMAND = '"-m", "veer"'  # how a test starts the command in a new process
SHARE = 10  # of the test modules that are not affected, one of so many is run


def run(seconds: float, seed: int, base: str | None) -> int:
    """Run them for at most so many seconds; pytest's exit status."""
    near = affected(changed_files(base or _upstream()))
    rest = [t for t in _test_modules() if t not in near]
    sample = Random(seed).sample(rest, len(rest) // SHARE)
    print(f"{len(near)} test modules can be affected; {len(sample)} of the others (SEED={seed})")
    words = ["-q", "-m", "not spark and not slow", "--numprocesses", "2", "--maxschedchunk", "10"]
    limits = ["--within", str(seconds)]
    chosen = list(dict.fromkeys([*ALWAYS, *near, *sample]))
    command = [sys.executable, "-m", "pytest", *words, *limits, *chosen]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def changed_files(base: str) -> set[str]:
    """The files of the repository that differ from a revision, new ones included."""
    listed = _git("diff", "--name-only", base) + _git("ls-files", "--others", "--exclude-standard")
    return set(listed.splitlines())


def affected(changed: Iterable[str]) -> list[str]:
    """The test modules that a change of these files can affect, the nearest first."""
    importers: dict[str, set[str]] = {}
    for path, imported in _imports().items():
        for other in imported:
            importers.setdefault(other, set()).add(path)
    reached = dict.fromkeys(_touched(changed))
    wave = list(reached)
    while wave:
        wave = sorted({i for path in wave for i in importers.get(path, ())} - reached.keys())
        reached |= dict.fromkeys(wave)
    return [path for path in reached if path in _test_modules()]


def _touched(changed: Iterable[str]) -> list[str]:
    """The modules that changed, and those of tests that name another file that did."""
    touched = []
    for name in sorted(changed):
        if name in _imports():
            touched.append(name)
        else:
            path = Path(name)
            words = [w for w in (path.name, path.parent.name) if w not in ("", "src", "tests")]
            tests = (t for t in _imports() if t.startswith("tests/"))
            touched += [t for t in tests if any(w in _text(t) for w in words)]
    return touched


@cache
def _imports() -> dict[str, frozenset[str]]:
    """The files of modules that each module imports, with the packages they are in.

    What a package names by a text comes with it only for who imports the package itself.
    """
    files = {n: p for folder in FOLDERS for n, p in module_files(ROOT / folder).items()}
    names = frozenset(files)
    every = {m: list(imports_of(m, _text(_name(p)), names)) for m, p in files.items()}
    late = {m: {i.target for i in every[m] if i.text} for m in names if _is_package(files[m])}
    found = {}
    for module, path in files.items():
        targets = {i.target for i in every[module]} - late.get(module, set())
        targets |= {name for target in targets for name in late.get(target, ())}
        if COMMAND in _text(_name(path)):
            targets.add("veer.cli.main")
        targets |= {f"{package}.conftest" for package in _packages(module)}
        targets |= {package for target in targets for package in _packages(target)}
        found[_name(path)] = frozenset(_name(files[t]) for t in targets & names - {module})
    return found


def _is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def _packages(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


@cache
def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _test_modules() -> tuple[str, ...]:
    return tuple(name for name in _imports() if Path(name).name.startswith("test_"))


def _upstream() -> str:
    """The last commit that is also on the upstream branch; without one, the last commit."""
    return _git("merge-base", "HEAD", "@{upstream}").strip() or "HEAD"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout
