"""Walks over expressions look inside declared classes: none that holds expressions is left out."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest

import veer.ir.expr
import veer.ir.ops
from veer.ir.expr import EXPR_PARTS, AggregateCall, Column, Expr, ExprHolder, Named
from veer.ir.ops import Aggregate, NamedCall, Source
from veer.ir.schema import Field
from veer.ir.types import BOOLEAN, INT, LONG
from veer.ir.walk import map_exprs, operator_exprs

CLASSES = [
    kind
    for module in (veer.ir.expr, veer.ir.ops)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if is_dataclass(kind) and kind.__module__ == module.__name__
]
HOLDING = re.compile(r"\b(Expr|Column|Named|NamedCall|NamedOver|SortKey|AggregateCall|OverCall)\b")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_what_holds_expressions_says_so(kind: type[Any]) -> None:
    holds = any(HOLDING.search(str(f.type)) for f in fields(kind))
    if holds and kind not in get_args(Expr):
        assert issubclass(kind, ExprHolder)


@pytest.mark.parametrize(
    "kind", [k for k in CLASSES if k.__module__ == "veer.ir.expr"], ids=lambda k: k.__name__
)
def test_every_class_of_the_module_is_a_part_of_expressions(kind: type[Any]) -> None:
    assert kind in EXPR_PARTS or kind is ExprHolder


def test_walks_look_inside_holders_but_not_at_conditions_on_own_rows() -> None:
    a = Column("a", INT)
    call = AggregateCall("count", (a,), LONG)
    grouping = Aggregate((Named("k", a),), (NamedCall("n", call),))
    assert list(operator_exprs(grouping)) == [a, a]
    b = Column("b", INT)
    renamed = map_exprs(grouping, lambda _: b)
    assert list(operator_exprs(renamed)) == [b, b]
    table = Source("t", (Field("a", BOOLEAN),), checks=(Column("a", BOOLEAN),))
    assert list(operator_exprs(table)) == []
    assert map_exprs(table, lambda _: b) is table
