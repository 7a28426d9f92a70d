"""The names of a Python function while it is read: its parameters, and what it assigns."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from veer.read.python.reading.values import Constant, NotRead, Value
from veer.read.python.source import Definition


def bind_parameters(
    definition: Definition, args: Sequence[Value], named: dict[str, Value]
) -> dict[str, Value] | None:
    """What the parameters stand for in a call, or None if Python would raise TypeError."""
    parameters = definition.node.args
    if parameters.vararg or parameters.kwarg:
        raise NotRead("a variable number of parameters")
    positional = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
    if len(args) > len(positional):
        return None
    bound: dict[str, Value] = dict(zip(positional, args, strict=False))
    allowed = {a.arg for a in (*parameters.args, *parameters.kwonlyargs)}
    for name, value in named.items():
        if name in bound or name not in allowed:
            return None
        bound[name] = value
    ends = positional[len(positional) - len(definition.defaults) :]
    for name, default in (
        *zip(ends, definition.defaults, strict=True),
        *definition.keyword_defaults,
    ):
        bound.setdefault(name, Constant(default))
    wanted = {*positional, *(a.arg for a in parameters.kwonlyargs)}
    return bound if bound.keys() == wanted else None


# Whose meaning is not followed. One anywhere in the body is enough to refuse the function: a `del`
# or a `global` changes what names mean elsewhere in it.
UNREAD = (
    ast.TryStar,
    ast.With,
    ast.While,
    ast.ClassDef,
    ast.AsyncFunctionDef,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
)
COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def assigned_names(node: ast.AST) -> frozenset[str]:
    """The names a function assigns, which are its own everywhere in it.

    To Python a name that is assigned anywhere in a body is local in all of it: reading it before
    fails, even where there is a global of that name.
    """
    names: set[str] = set()
    stack = list(node.body) if isinstance(node, ast.FunctionDef) else []
    while stack:
        inner: ast.AST = stack.pop()
        if isinstance(inner, UNREAD):
            raise NotRead(f"the word {type(inner).__name__.lower()}")
        if isinstance(inner, ast.FunctionDef):
            names.add(inner.name)
            continue
        if isinstance(inner, (*COMPREHENSIONS, ast.Lambda)):
            continue  # its names are its own
        if isinstance(inner, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and inner.name:
            names.add(inner.name)
        if isinstance(inner, ast.NamedExpr):
            names.add(inner.target.id)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
        stack += ast.iter_child_nodes(inner)  # type: ignore[arg-type]
    return frozenset(names)
