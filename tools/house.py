"""Figures about the code: sizes, docstrings, comments, words, edges between packages.

`python -m tools house [ROOT ...]` prints them for one or more trees side by side, for instance a
worktree of an earlier revision and this one.
"""

from __future__ import annotations

import ast
import io
import statistics
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.imports import all_imports

VAGUE = ("found", "made", "told", "said", "bare", "tidy", "flat")
LONG = 40  # lines a function may have without a reason
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Figures:
    """What is counted about the packages of a tree."""

    lines: int
    modules: list[int]  # lines of each
    functions: list[tuple[int, str]]  # lines and name of each
    docstrings: float  # share of the lines that are not blank
    comments: float
    documented: float  # share of the public functions and classes
    words: Counter[str]  # variables and parameters called so
    packages: int
    edges: int  # pairs of packages of which one imports the other
    mutual: list[tuple[str, str]]  # rooms that import each other


def figures(root: Path) -> Figures:
    """Count a tree whose packages are in `src/veer`."""
    source = root / "src" / "veer"
    texts = {p: p.read_text(encoding="utf-8") for p in sorted(source.rglob("*.py"))}
    trees = {p: ast.parse(text) for p, text in texts.items()}
    full = sum(sum(map(bool, map(str.strip, text.splitlines()))) for text in texts.values())
    public = [has for tree in trees.values() for has in _documented(tree)]
    edges = _edges(source)
    return Figures(
        sum(text.count("\n") for text in texts.values()),
        [text.count("\n") for text in texts.values()],
        [
            f
            for p, tree in trees.items()
            for f in _functions(tree, p.relative_to(source).as_posix())
        ],
        sum(map(_docstring_lines, trees.values())) / full,
        sum(map(_comment_lines, texts.values())) / full,
        sum(public) / max(1, len(public)),
        sum((_names(tree) for tree in trees.values()), Counter()),
        sum(path.name != "__pycache__" for path in source.iterdir() if path.is_dir()),
        len(edges),
        sorted((a, b) for a, b in edges if a < b and (b, a) in edges),
    )


def _edges(source: Path) -> set[tuple[str, str]]:
    """Pairs of packages (folders) of which the first imports the second."""
    packages = {path.name for path in source.iterdir() if path.is_dir()}
    return {
        (i.package, i.imported)
        for i in all_imports(source)
        if i.target.startswith("veer.") and i.package != i.imported
        if {i.package, i.imported} <= packages
    }


def _functions(tree: ast.AST, place: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield (node.end_lineno or 0) - node.lineno + 1, f"{place}:{node.name}"


def _documented(tree: ast.Module) -> Iterator[bool]:
    """Whether each public function, class and method has a docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            for item in node.body:
                if isinstance(item, Function | ast.ClassDef) and not item.name.startswith("_"):
                    yield ast.get_docstring(item) is not None


def _docstring_lines(tree: ast.Module) -> int:
    lines = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                lines += sum(map(bool, map(str.strip, text.splitlines())))
    return lines


def _comment_lines(text: str) -> int:
    """Lines that hold nothing but a comment, and those that end in one."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return len({token.start[0] for token in tokens if token.type == tokenize.COMMENT})


def _names(tree: ast.Module) -> Counter[str]:
    """How often variables, parameters and fields have a name that says nothing."""
    counted: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in VAGUE:
                counted[name] += 1
            case _:
                continue
    return counted


def table(roots: Sequence[Path], longest: int = 12) -> str:
    """The figures of some trees side by side, in Markdown."""
    trees = [figures(root) for root in roots]
    rows: list[tuple[str, list[str]]] = [
        ("lines, modules", [f"{t.lines:,}, {len(t.modules)}" for t in trees]),
        ("median, longest module", [_span(t.modules) for t in trees]),
        ("median, longest function", [_span([n for n, _ in t.functions]) for t in trees]),
        (f"functions over {LONG} lines", [str(_over(t, LONG)) for t in trees]),
        ("docstrings, share of lines", [f"{t.docstrings:.1%}" for t in trees]),
        ("comments, share of lines", [f"{t.comments:.1%}" for t in trees]),
        ("public things with a docstring", [f"{t.documented:.1%}" for t in trees]),
        *((f"variables called `{w}`", [str(t.words[w]) for t in trees]) for w in VAGUE),
        ("packages, edges between them", [f"{t.packages}, {t.edges}" for t in trees]),
        ("packages that import each other", [_pairs(t.mutual) for t in trees]),
        *((f"longest function {i + 1}", [_longest(t, i) for t in trees]) for i in range(longest)),
    ]
    heads = ["", *(root.resolve().name for root in roots)]
    lines = [f"| {' | '.join(heads)} |", f"| {' | '.join(['---'] * len(heads))} |"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)])


def _span(numbers: Sequence[int]) -> str:
    return f"{statistics.median(numbers):.0f}, {max(numbers)}"


def _over(tree: Figures, most: int) -> int:
    return sum(lines > most for lines, _ in tree.functions)


def _pairs(mutual: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{a} and {b}" for a, b in mutual) or "none"


def _longest(tree: Figures, rank: int) -> str:
    lines, name = sorted(tree.functions, key=lambda f: (-f[0], f[1]))[rank]
    return f"{lines} {name}"
