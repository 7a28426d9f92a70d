"""Assignments of Python functions: to a name, or of items to several names."""

from __future__ import annotations

import ast

from veer.read.python.reading import constants
from veer.read.python.reading.branches import Continuation, State, Tree
from veer.read.python.reading.values import IteratorItems, NotRead, Value


def bind(target: ast.expr, value: Value, state: State, then: Continuation) -> Tree:
    """Assign a value to a name, or the items of one to several names."""
    if isinstance(value, IteratorItems):
        # How far it was used would have to be remembered, for every name that holds it.
        raise NotRead("an iterator with a name")
    match target:
        case ast.Name(id=name):
            return then(state.bind(name, value))
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            items = constants.items_of(value)
            if len(items) != len(targets):
                raise NotRead("an assignment of another number of items")
            for one, item in zip(targets, items, strict=True):
                if not isinstance(one, ast.Name):
                    raise NotRead("an assignment to parts of parts")
                state = state.bind(one.id, item)
            return then(state)
        case _:
            raise NotRead(f"an assignment to a {type(target).__name__}")
