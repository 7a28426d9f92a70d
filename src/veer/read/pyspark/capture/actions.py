"""Actions of a captured job: their values may be dropped or printed, and nothing else.

Whether that is all the program does with a value is seen in its text, at the call.
"""

from __future__ import annotations

import ast
import logging
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

LOGGED = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log"})


class UnknownValue:
    """The value of an action that did not run.

    It prints as "?"; whatever else is done with it would decide something, and stops the job.
    """

    def __init__(self, refuse: Callable[[], NoReturn]) -> None:
        self.__dict__["_refuse"] = refuse

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        refuse: Callable[[], NoReturn] = self.__dict__["_refuse"]
        refuse()

    def __str__(self) -> str:
        return "?"

    __repr__ = __str__

    def __format__(self, _: str) -> str:
        return "?"

    __getattr__ = __bool__ = __iter__ = __len__ = __getitem__ = __call__ = __hash__ = _refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refused
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _refused
    __int__ = __float__ = __index__ = __next__ = __enter__ = __setattr__ = _refused


def is_only_shown(frame: FrameType, action: str) -> bool:
    """Whether the value of the action called at this place is dropped, printed or logged."""
    tree = tree_of(frame.f_code.co_filename)
    statement = None if tree is None else _statement(tree, _place(frame))
    if tree is None or statement is None:
        return False
    if isinstance(statement, ast.Expr):
        return _is_dropped(statement, action) or _shows(statement, frame)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr=attr))):
            return attr == action and _is_shown_only(tree, statement, name, frame)
        case _:
            return False


def is_shown(frame: FrameType | None) -> bool:
    """Whether all that comes of the statement at this place is dropped, printed or logged."""
    tree = None if frame is None else tree_of(frame.f_code.co_filename)
    statement = None if tree is None or frame is None else _statement(tree, _place(frame))
    if tree is None or frame is None or statement is None:
        return False
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return _only_words(value) and _is_shown_only(tree, statement, name, frame)
        case _:
            return _shows(statement, frame) and _only_words(statement)


# Calls that make words and numbers of what they are given, and keep nothing of it.
WORDS = frozenset(
    {"str", "repr", "format", "round", "float", "int", "abs", "divmod", "len", "print"}
)
METHODS = LOGGED | {
    name for kind in (str, date, datetime, timedelta) for name in dir(kind) if name[0] != "_"
}


def _only_words(statement: ast.AST) -> bool:
    """Whether nothing is called in a statement that could keep what it is given."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in WORDS:
                continue
            case ast.Call(func=ast.Attribute(attr=name)) if name in METHODS:
                continue
            case ast.Call(args=[], keywords=[]):
                continue
            case ast.Call() | ast.NamedExpr() | ast.Lambda() | ast.Await() | ast.Yield():
                return False
            case ast.comprehension() | ast.YieldFrom():
                return False
    return True


def _is_dropped(statement: ast.Expr, action: str) -> bool:
    value = statement.value
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == action
    )


def _shows(statement: ast.stmt, frame: FrameType) -> bool:
    """Whether a statement does nothing but print or log."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    if any(isinstance(n, ast.NamedExpr | ast.Lambda) for n in ast.walk(call)):
        return False
    match call.func:
        case ast.Name(id="print"):
            return not call.keywords or all(k.arg in ("sep", "end", "flush") for k in call.keywords)
        case ast.Attribute(value=ast.Name(id=owner), attr=attr) if attr in LOGGED:
            logger = frame.f_locals.get(owner, frame.f_globals.get(owner))
            return logger is logging or type(logger) is logging.Logger
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name(id=owner), attr=field), attr=attr
        ) if attr in LOGGED:
            holder = frame.f_locals.get(owner, frame.f_globals.get(owner))
            return type(getattr(holder, "__dict__", {}).get(field)) is logging.Logger
        case _:
            return False


def _is_shown_only(tree: ast.Module, assignment: ast.Assign, name: str, frame: FrameType) -> bool:
    """Whether a name is assigned once, in a function, and only printed and logged there."""
    around = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef) and any(assignment is inner for inner in ast.walk(n))
    ]
    if not around:
        return False
    # Of nested functions that hold the assignment, the last to begin is the innermost.
    scope = max(around, key=lambda n: n.lineno)
    shown = {
        id(n)
        for s in ast.walk(scope)
        if isinstance(s, ast.stmt) and _shows(s, frame)
        for n in ast.walk(s)
    }
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and node.id == name and node is not assignment.targets[0]:
            if id(node) not in shown:
                return False
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return False
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
            "locals",
            "eval",
            "exec",
        ):
            return False  # they reach a name without naming it
    return True


@cache
def tree_of(path: str) -> ast.Module | None:
    """The source of a module of the program, if it can be read."""
    try:
        return ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None


def _place(frame: FrameType) -> tuple[int, int] | None:
    """Where the call is that a frame is in: line and column, the latter in bytes as in trees."""
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    line, _, column, _ = positions
    return None if line is None or column is None else (line, column)


def _statement(tree: ast.Module, place: tuple[int, int] | None) -> ast.stmt | None:
    """The innermost statement around a place."""
    around = [
        n
        for n in ast.walk(tree)
        if place is not None
        and isinstance(n, ast.stmt)
        and (n.lineno, n.col_offset) <= place
        and place < (n.end_lineno or n.lineno, n.end_col_offset or 0)
    ]
    return max(around, key=lambda n: (n.lineno, n.col_offset), default=None)
