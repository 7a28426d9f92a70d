"""A world in which the program of a job walks through its sets backwards.

    for x in names: ...    =>    for x in backwards(names): ...
    f(*names), list(names)       f(*backwards(names)), list(backwards(names))

Hashes of another seed may by chance give a small set the same order again; walked through in both
directions, two values have both orders. What is no set stays as it is. Functions get the code back
that was written before they are read and identified (`restore`).
"""

from __future__ import annotations

import ast
import builtins
import gc
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Any

from veer.read.pyspark.capture.asking import origin_of

BACKWARDS, POPPED = "__veer_backwards__", "__veer_popped__"
# What walks through an argument, as a name and as an attribute.
WALKING = frozenset(
    {"all", "any", "chain", "dict", "enumerate", "extend", "filter", "format", "from_iterable"}
    | {"fromkeys", "isin", "iter", "join", "list", "map", "max", "min", "next", "product", "reduce"}
    | {"repr", "str", "sum", "tuple", "zip", "zip_longest"}
)


def walk_backwards() -> None:
    """From now on modules of the program are compiled so that they walk through sets backwards."""
    setattr(builtins, BACKWARDS, backwards)
    setattr(builtins, POPPED, popped)
    usual = SourceFileLoader.get_code

    def code(loader: Any, name: str) -> CodeType | None:
        path = loader.get_filename(name)
        if origin_of(path) != "program":
            return usual(loader, name)
        source = loader.get_data(path)
        tree = ast.fix_missing_locations(_Walks().visit(ast.parse(source, path)))
        compiled: CodeType = compile(tree, path, "exec", dont_inherit=True)
        _WRITTEN.update(_side_by_side(compiled, compile(source, path, "exec", dont_inherit=True)))
        return compiled

    SourceFileLoader.get_code = code  # type: ignore[assignment, method-assign]


_WRITTEN: dict[CodeType, CodeType] = {}  # the code as it was written, by what it became


def _side_by_side(ours: CodeType, written: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    yield ours, written
    inner = ([c for c in code.co_consts if isinstance(c, CodeType)] for code in (ours, written))
    for pair in zip(*inner, strict=True):
        yield from _side_by_side(*pair)


def restore() -> None:
    """Give functions, copies too, the code back that was written."""
    for thing in gc.get_objects() if _WRITTEN else ():
        if type(thing) is FunctionType and thing.__code__ in _WRITTEN:
            thing.__code__ = _WRITTEN[thing.__code__]


def backwards(value: Any) -> Any:
    """The values of a set, the last first; whatever else as it is."""
    if type(value) in (set, frozenset) and len(value) > 1:
        return list(value)[::-1]
    return value


def popped(value: Any) -> Any:
    """What `pop()` takes: of a set the last value."""
    if type(value) is not set or not value:
        return value.pop()
    last = list(value)[-1]
    value.remove(last)
    return last


class _Walks(ast.NodeTransformer):
    """Puts `backwards` around what is walked through."""

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = _called(BACKWARDS, node.iter)
        return self.generic_visit(node)

    visit_AsyncFor = visit_For  # type: ignore[assignment]

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = _called(BACKWARDS, node.iter)
        return self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            node.value = _called(BACKWARDS, node.value)
        return self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = _called(BACKWARDS, node.value)
        return self.generic_visit(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = _called(BACKWARDS, node.value)
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, ast.Add):  # of a list
            node.value = _called(BACKWARDS, node.value)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.op, ast.Mod):  # of a text
            node.right = _called(BACKWARDS, node.right)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if any(isinstance(t, ast.Tuple | ast.List | ast.Subscript) for t in node.targets):
            node.value = _called(BACKWARDS, node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in WALKING:
            node.args = [
                a if isinstance(a, ast.Starred) else _called(BACKWARDS, a) for a in node.args
            ]
        self.generic_visit(node)
        if (
            isinstance(node.func, ast.Attribute)
            and name == "pop"
            and not (node.args or node.keywords)
        ):
            return _called(POPPED, node.func.value)
        return node


def _called(name: str, value: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), value)
    return ast.copy_location(ast.Call(function, [value], []), value)


__all__ = ["restore", "walk_backwards"]
