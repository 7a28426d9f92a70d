"""Values known while a function is read, and what is computed of them then and there."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from veer.read.python.origins import is_named_tuple
from veer.read.python.reading import values as val
from veer.read.python.source import Definition, Missing

SCALARS = (bool, int, float, str, type(None), date)
DATES = {"date": date, "datetime": datetime}
MOST_BITS = 256  # of a number that is computed with
LONGEST = 10_000  # items of a collection


def is_scalar(value: Any) -> bool:
    """Whether a constant is a number, a text, a date or None, and nothing that can be changed."""
    return type(value) in SCALARS


def require_data(value: Any) -> Any:
    """The value, if nothing but numbers, texts and collections of such are in it."""
    if is_scalar(value) or type(value) is range:
        return value
    if type(value) in (tuple, list, set, frozenset) and len(value) <= LONGEST:
        for item in value:
            require_data(item)
        return value
    if type(value) is dict and len(value) <= LONGEST:
        for key, item in value.items():
            require_data(key)
            require_data(item)
        return value
    raise val.NotRead(f"a {type(value).__name__}")


def require_ordered(value: Any) -> Any:
    """The same, if no order of a set can show: it differs from process to process."""
    require_data(value)
    inside: Any = [*value.keys(), *value.values()] if isinstance(value, dict) else value
    if isinstance(value, set | frozenset) and len(value) > 1:
        raise val.NotRead("the order of a set")
    if isinstance(value, list | tuple | dict):
        for item in inside:
            require_ordered(item)
    return value


OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def compute(op: ast.operator, a: Any, b: Any) -> Any:
    """`a op b` of constants, computed by Python itself.

    Operands are bounded first: reading a function must not take the time or memory that running it
    might.
    """
    require_data(a), require_data(b)
    if type(op) not in OPERATIONS:
        raise val.NotRead(f"the operator {type(op).__name__}")
    for side in (a, b):
        if isinstance(side, int) and side.bit_length() > MOST_BITS:
            raise val.NotRead("a number of too many bits")
        if isinstance(side, str | tuple | list) and len(side) > LONGEST:
            raise val.NotRead("a constant of too many items")
    sizes = [side for side in (a, b) if isinstance(side, int) and abs(side) > 100]
    if isinstance(op, ast.Pow) and sizes:
        raise val.NotRead("a power")
    if isinstance(op, ast.Mult) and sizes and not all(isinstance(s, int | float) for s in (a, b)):
        raise val.NotRead("a repetition")
    if isinstance(op, ast.Mod) and isinstance(a, str):
        raise val.NotRead("formatting with %")
    return OPERATIONS[type(op)](a, b)


def ordered(sign: str, a: Any, b: Any) -> bool:
    """A comparison of constants."""
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    return bool(compare(require_data(a), require_data(b)))


def items_of(value: val.Value, all_taken: bool = False) -> list[val.Value]:
    """The items a loop or an assignment goes over; `all_taken` before anything else happens."""
    if isinstance(value, val.IteratorItems) and value.lazy and not all_taken:
        raise val.NotRead("a generator, which computes items as they are taken")
    if isinstance(value, val.Items | val.IteratorItems):
        return list(value.items)
    if isinstance(value, val.Symbol):
        raise val.NotRead("a loop over a value of the row")
    items = _require_collection(value.value)
    if isinstance(items, set | frozenset) and len(items) > 1:
        raise val.NotRead("a loop over a set, in no order")
    return [val.Constant(item) for item in items]


def _require_collection(value: Any) -> Any:
    """A collection of Python's own, whatever is in it: items are looked at as they are used."""
    if type(value) in (tuple, list, set, frozenset, dict, str, range) or is_named_tuple(
        type(value)
    ):
        if len(value) <= LONGEST:
            return value
        raise val.NotRead("a collection of too many items")
    raise val.NotRead("a loop over no collection")


def require_keys(table: dict[Any, Any]) -> dict[Any, Any]:
    """A dict, if its keys are numbers, texts and such; values are looked at as they are used."""
    for key in table if len(table) <= LONGEST else ():
        require_data(key)
    return table


def module_definition(tree: ast.Module) -> Definition:
    """The last function of a text, among the helpers and constants defined in it."""
    names: dict[str, Any] = {}
    last: ast.FunctionDef | None = None

    def lookup(name: str) -> Any:
        if name in names:
            return names[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise Missing(name)

    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=[]):
                meaning: Any = _definition(statement, lookup)
                last = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                meaning = _literal(value)
            case ast.Import(names=[ast.alias(name="re" | "math" as name, asname=None)]):
                meaning = {"re": re, "math": math}[name]
            case ast.ImportFrom(module="datetime", names=aliases, level=0) if all(
                a.name in DATES and a.asname is None and a.name not in names for a in aliases
            ):
                names.update({a.name: DATES[a.name] for a in aliases})
                continue
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                raise val.NotRead(f"the statement {type(statement).__name__} beside functions")
        if name in names:
            raise val.NotRead(f"{name!r} is defined twice")
        names[name] = meaning
    if last is None:
        raise val.NotRead("no function is defined")
    definition = names[last.name]
    assert isinstance(definition, Definition)
    return definition


def _definition(node: ast.FunctionDef, lookup: Callable[[str], Any]) -> Definition:
    """A function of a text; defaults must be constants, since nothing is run."""
    args = node.args
    keywords = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return Definition(
        node,
        lookup,
        tuple(_literal(d) for d in args.defaults),
        tuple((a.arg, _literal(d)) for a, d in keywords if d is not None),
    )


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise val.NotRead("a constant that is computed") from None
