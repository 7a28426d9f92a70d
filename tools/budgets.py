"""Budgets of the code: lines of each room, imports, small modules. `make static` holds them.

A budget is what a room may have now, rounded up; it is lowered when a room shrinks, and raised only
with a reason in the change that raises it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from tools.imports import module_files
from tools.layers import PLUGINS, short

LINES = {  # to reach: 70,000 in the core, 90,000 in all
    "api and values": 2_000,
    "all": 107_800,
    "core": 82_400,
    "batch": 700,
    "cli": 2_000,
    "execution": 9_200,
    "expressions": 2_600,
    "facts": 2_800,
    "functions": 6_500,
    "gui": 10_800,
    "interpreter": 2_000,
    "ir": 4_600,
    "projects": 5_600,
    "prove": 9_000,
    "read": 31_600,
    "refute": 3_100,
    "rewrite": 6_500,
    "show": 1_900,
    "verification": 7_900,
}
IMPORTS = 0.07  # of all lines
SMALL = 80  # lines: a smaller module belongs to its subject, unless it is one of these
ALONE = {
    "prove.verifiers.*": "a verifier",
    "prove.algebra.rules.*": "a rule of the prover",
    "rewrite.*": "a pass",
    "show.as_*": "an output format",
    "projects.show.as_*": "an output format",
    "*.front_end": "a front end",
    "*.front_ends": "the table of a plug-in",
    "*.commands": "the table of a plug-in",
    "*.cli.*": "a command",
    "*.formats": "the table of formats",
    "__main__": "the program",
}
SMALL_MODULES = 69  # the others that are smaller, for now
OPEN_MATCHES = 319  # `case _:` that does not end in `assert_never`, for now


def group(module: str) -> str:
    """What a module's lines are counted under: the top package, or the modules below `veer`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 else "api and values"


def lines(files: dict[str, Path]) -> Counter[str]:
    """Lines of each top package, of the core and of all."""
    counted: Counter[str] = Counter()
    packages = {name.split(".")[1] for name in files if name.count(".") > 1}
    for module, path in files.items():
        of = module.removeprefix("veer.") if module.count(".") == 1 else ""
        count = path.read_text(encoding="utf-8").count("\n")
        room = of if of in packages else group(module)
        counted[room] += count
        counted["all"] += count
        counted["core"] += 0 if room in PLUGINS else count
    return counted


def import_share(files: dict[str, Path]) -> float:
    """The lines of import statements among all lines."""
    total, imports = 0, 0
    for path in files.values():
        text = path.read_text(encoding="utf-8")
        total += text.count("\n")
        imports += sum(
            (node.end_lineno or node.lineno) - node.lineno + 1
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
    return imports / total


def small_modules(files: dict[str, Path]) -> list[str]:
    """Modules under `SMALL` lines that are none of those that stand alone."""
    return sorted(
        short(module)
        for module, path in files.items()
        if path.name != "__init__.py"
        if path.read_text(encoding="utf-8").count("\n") < SMALL
        if not any(fnmatch(short(module), pattern) for pattern in ALONE)
    )


def open_matches(files: dict[str, Path]) -> int:
    """How many `case _:` there are that a type checker does not close."""
    found = 0
    for path in files.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Match):
                last = node.cases[-1]
                is_open = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
                found += is_open and "assert_never" not in ast.unparse(last.body[0])
    return found


def exceeded(files: dict[str, Path] | None = None) -> Iterator[str]:
    """The budgets that the tree exceeds."""
    files = files or module_files()
    for room, count in lines(files).items():
        if count > LINES.get(room, 0):
            yield f"{room}: {count:,} lines, {LINES.get(room, 0):,} are allowed"
    if (share := import_share(files)) > IMPORTS:
        yield f"imports are {share:.1%} of all lines, {IMPORTS:.0%} are allowed"
    if len(small := small_modules(files)) > SMALL_MODULES:
        names = ", ".join(small)
        yield f"{len(small)} modules under {SMALL} lines, {SMALL_MODULES} are allowed: {names}"
    if (count := open_matches(files)) > OPEN_MATCHES:
        yield f"{count} matches end in an open `case _:`, {OPEN_MATCHES} are allowed"
