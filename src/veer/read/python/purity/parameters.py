"""The parameters of a call and the names a function binds."""

from __future__ import annotations

import ast
from typing import Any

from veer.read.python.purity.traits import AbstractValue, join, new_container

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def parameters_of(
    node: ast.arguments,
    args: Any,
    defaults: list[AbstractValue],
    keywords: dict[str, AbstractValue],
) -> dict[str, AbstractValue]:
    """What each parameter of a call may be; arguments beyond those listed may be any of them."""
    positional, named, rest = args
    order = [a.arg for a in (*node.posonlyargs, *node.args)]
    only = [a.arg for a in node.kwonlyargs]
    options: dict[str, list[AbstractValue]] = {name: [] for name in (*order, *only)}
    extras: list[AbstractValue] = []
    for name, value in zip(order[len(order) - len(defaults) :], defaults, strict=False):
        options[name].append(value)
    for name, value in keywords.items():
        options[name].append(value)
    for at, value in enumerate(positional):
        if at < len(order):
            options[order[at]] = [value]
        else:
            extras.append(value)
    for name, value in named.items():
        if name in options:
            options[name] = [value]
        else:
            extras.append(value)
    # What is starred may fill any parameter, also one that has a default.
    if rest is not None:
        extras.append(rest)
        for values in options.values():
            values.append(rest)
    result = {name: join(values) for name, values in options.items()}
    for extra in (node.vararg, node.kwarg):
        if extra is not None:
            result[extra.arg] = new_container(extras)
    return result


def parameter_names(node: ast.arguments) -> list[str]:
    """The names of the parameters of a function."""
    extra = [a for a in (node.vararg, node.kwarg) if a is not None]
    return [a.arg for a in (*node.posonlyargs, *node.args, *node.kwonlyargs, *extra)]


def names_in(node: Any, imports: bool = True) -> tuple[frozenset[str], frozenset[str]]:
    """The names a function assigns itself, and those that only its comprehensions do.

    Without `imports` those that it imports are left out.
    """
    own: set[str] = set()
    inner: set[str] = set()
    outer: set[str] = set()

    def visit(at: ast.AST, into: set[str]) -> None:
        match at:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                into.add(name)
                return
            case ast.Lambda():
                return
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                into.add(name)
            case ast.ExceptHandler(name=str() as name):
                into.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                outer.update(names)
            case ast.alias(name=name, asname=asname) if imports:
                into.add(asname or name.partition(".")[0])
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                into.add(name)
            case ast.MatchMapping(rest=str() as name):
                into.add(name)
            case ast.NamedExpr(target=ast.Name(id=name)):
                own.add(name)  # of the function, also inside of a comprehension
        deeper = inner if isinstance(at, COMPREHENSIONS) else into
        for child in ast.iter_child_nodes(at):
            visit(child, deeper)

    if not isinstance(node, ast.Lambda):
        for statement in node.body:
            visit(statement, own)
    else:
        visit(node.body, own)
    return frozenset(own - outer), frozenset(inner - own)
