"""The text of a live function, and the names it reads; only if the text is what was compiled."""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, final

from veer.read.python.codes import UnknownIdentity, code_digest, codes_in

Node: TypeAlias = ast.FunctionDef | ast.Lambda


class Missing(Exception):
    """A name that means nothing where it is read."""


@final
@dataclass(frozen=True)
class Definition:
    """A function as written; `lookup` gives what its free names mean."""

    node: Node
    lookup: Callable[[str], Any]
    defaults: tuple[Any, ...] = ()
    keyword_defaults: tuple[tuple[str, Any], ...] = ()
    function: types.FunctionType | None = None


def definition_of(function: Any) -> Definition | None:
    """The definition of a live function, or None if its text cannot be trusted."""
    if type(function) is not types.FunctionType:
        return None
    node = _node_of(function.__code__)
    if node is None:
        return None
    try:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        closed = {name: cell.cell_contents for name, cell in cells}
    except ValueError:
        return None

    def lookup(name: str) -> Any:
        for table in (closed, function.__globals__, vars(builtins)):
            if name in table:
                return table[name]
        raise Missing(name)

    keywords = tuple((function.__kwdefaults__ or {}).items())
    return Definition(node, lookup, function.__defaults__ or (), keywords, function)


# By the id of a code: the code, which keeps its id taken, the lines of its file, what they say.
_NODES: dict[int, tuple[types.CodeType, list[str], Node | None]] = {}
MOST_NODES = 50_000


def _node_of(code: types.CodeType) -> Node | None:
    """The text compiled to this code; looked for again when the file has changed."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    known = _NODES.get(id(code))
    if known is None or known[1] is not lines:
        if len(_NODES) >= MOST_NODES:
            _NODES.clear()
        known = _NODES[id(code)] = (code, lines, _node_in("".join(lines), code))
    return known[2]


def _node_in(text: str, code: types.CodeType) -> Node | None:
    """The part of a text compiled to this code: compiling it again must give the same."""
    nodes, codes = _parsed(text, code.co_filename)
    candidates = _innermost([n for n in nodes if _stands_at(n, code)], code)
    same = [c for c in codes if _place(c) == _place(code)]
    if len(same) > 1:
        same = [c for c in same if list(c.co_positions()) == list(code.co_positions())]
    # The file may have changed since it was imported: the text is believed only if it compiles to
    # what the function does.
    try:
        if len(candidates) != 1 or len(same) != 1 or code_digest(same[0]) != code_digest(code):
            return None
    except UnknownIdentity:
        return None
    return candidates[0]


@lru_cache(maxsize=128)
def _parsed(text: str, path: str) -> tuple[list[Node], list[types.CodeType]]:
    """The functions of a text, as written and as compiled."""
    try:
        tree = ast.parse(text)
        again = compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return [], []
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]
    return nodes, list(codes_in(again))


def _innermost(nodes: list[Node], code: types.CodeType) -> list[Node]:
    """Of several functions on one line those that the code stands in, the smallest first alone."""
    if len(nodes) < 2:
        return nodes
    spans = [
        ((p.lineno, p.col_offset or 0), (p.end_lineno or 0, p.end_col_offset or 0))
        for i in dis.get_instructions(code)
        if (p := i.positions) is not None and p.lineno is not None and p.end_col_offset
    ]
    inside = []
    for node in nodes:
        body = node.body if isinstance(node, ast.Lambda) else node
        low = (body.lineno, body.col_offset)
        high = (body.end_lineno or 0, body.end_col_offset or 0)
        if spans and all(low <= start and end <= high for start, end in spans):
            inside.append((low, high, node))
    # Bodies that hold the same place are nested: the last to begin is the smallest.
    return [max(inside, key=lambda span: span[:2])[2]] if inside else []


def _place(code: types.CodeType) -> tuple[str, int]:
    return code.co_name, code.co_firstlineno


def _stands_at(node: ast.AST, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return _place(code) == ("<lambda>", node.lineno)
    if isinstance(node, ast.FunctionDef):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return _place(code) == (node.name, first)
    return False
