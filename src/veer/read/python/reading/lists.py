"""Lists that a Python function builds: `parts = []`, then `parts.append(x)`.

A list is changed in its place, and whatever else holds it sees the change. Only lists that nothing
else can hold are followed: the name is given fresh lists alone, and each use of the name takes
items out of the list, or ends the call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from veer.read.python.reading.values import Constant, Items, NotRead, Value

# Builtins that take the items of a list and keep no hold of the list itself.
TAKING = frozenset(
    ["len", "sum", "any", "all", "min", "max", "tuple", "list", "sorted", "str", "bool"]
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@lru_cache(maxsize=256)
def own_lists(function: ast.FunctionDef) -> frozenset[str]:
    """The names of a function that hold lists which nothing else holds."""
    appended = {
        call.func.value.id
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.attr in ("append", "extend")
    }
    parameters = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
    return frozenset(n for n in appended - parameters if _is_own(function, n))


def _is_own(function: ast.FunctionDef, name: str) -> bool:
    return all(
        _gives_fresh(parents, use) if isinstance(use.ctx, ast.Store) else _takes_items(parents, use)
        for use, parents in _uses(function, name, ())
    )


def _uses(
    node: ast.AST, name: str, parents: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.Name, tuple[ast.AST, ...]]]:
    """The places of a name, each with what it stands in, the innermost last."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and child.id == name:
            yield child, (*parents, node)
        yield from _uses(child, name, (*parents, node))


def _gives_fresh(parents: tuple[ast.AST, ...], use: ast.Name) -> bool:
    match parents[-1]:
        case ast.Assign(targets=[target], value=ast.List() | ast.ListComp()):
            return target is use
        case ast.AnnAssign(target=target, value=ast.List() | ast.ListComp()):
            return target is use
        case _:
            return False


def _takes_items(parents: tuple[ast.AST, ...], use: ast.Name) -> bool:
    if any(isinstance(p, SCOPES) for p in parents[1:]):
        return False  # a nested function sees the list when it is called
    match parents[-1]:
        case ast.Attribute(attr="append" | "extend") as method:
            call, statement = parents[-2], parents[-3]
            return (
                isinstance(call, ast.Call)
                and call.func is method
                and isinstance(statement, ast.Expr)
            )
        case ast.Call(func=ast.Name(id=function)) if function in TAKING:
            return True
        case ast.Call(func=ast.Attribute(attr="join", value=ast.Constant())):
            return True
        case ast.Return():
            return True
        case ast.Subscript(value=base):
            return base is use
        case ast.comprehension() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.If(test=test) | ast.IfExp(test=test):
            return test is use
        case _:
            return False


def changed(before: Value, method: str, items: list[Value]) -> Value:
    """A list with more items at its end."""
    if isinstance(before, Constant) and type(before.value) is list:
        before = Items(tuple(Constant(v) for v in before.value), is_list=True)
    if not isinstance(before, Items):
        raise NotRead(f"the method {method}")
    return Items((*before.items, *items), is_list=True)
