"""The place of a version: its file, relative to the root of the repository, and the line of a function."""

from __future__ import annotations

import ast
import os
from pathlib import Path

from veer.read.checkout import top_level
from veer.verdict import SourceLocation

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def place_of(path: str, function: str = "", text: str = "") -> SourceLocation:
    """The place of a file, or of a function in the file's text."""
    file = Path(path).absolute()
    folder = next(p for p in file.parents if p.is_dir())
    top = top_level(folder)
    shown = Path(os.path.relpath(file.resolve(), top.resolve() if top else Path.cwd().resolve()))
    line = line_of(function, text) if function else 0
    root = "" if top else f"{shown.parent.as_posix()}/".removeprefix("./")
    return SourceLocation(shown.as_posix(), line, root)


def line_of(function: str, text: str) -> int:
    """The line of `def name` or `class name`, dotted for what is inside; 0 if it is not there."""
    try:
        inside = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    line = 0
    for name in function.split("."):
        named = [n for n in inside if isinstance(n, FUNCTIONS) and n.name == name]
        if not named:
            return 0
        line, inside = named[-1].lineno, named[-1].body
    return line
