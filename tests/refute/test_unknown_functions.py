"""Witnesses never rest on what a function gives that nobody knows; past such functions they are found."""

from __future__ import annotations

import pytest

import veer
from veer.ir.expr import (
    And,
    Case,
    Column,
    Compare,
    Exists,
    Expr,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
)
from veer.ir.ops import Filter, Sink, Source
from veer.ir.schema import Field
from veer.ir.types import BOOLEAN, INT
from veer.read.builder import FlowBuilder
from veer.verdict import Verdict
from veer.verification.versions.version import Version

X = Column("x", INT)
UNKNOWN = OpaqueCall("f", (X,), BOOLEAN)
FIVE, SIX = (Compare(">", X, Literal(n, INT)) for n in (5, 6))
NULL = IsNull(X)


def filtered(condition: Expr, *, inside: bool = False) -> Version:
    """The rows of a table on which a condition holds; `inside` that of a subquery."""
    builder = FlowBuilder()
    rows = builder.add(Filter(condition), builder.add(Source("t", (Field("x", INT),))))
    builder.add(Sink("out"), rows, id_="out")
    flow = builder.finish()
    if inside:
        builder = FlowBuilder()
        outer = builder.add(Source("u", (Field("y", INT),)))
        builder.add(Sink("out"), builder.add(Filter(Exists(flow)), outer), id_="out")
        flow = builder.finish()
    return Version("v", flow, stable_ids=True)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        (Case(((NULL, UNKNOWN),), FIVE), Case(((NULL, UNKNOWN),), SIX)),
        (Or((FIVE, UNKNOWN)), And((SIX, NULL))),
    ],
)
def test_a_difference_past_unknown_functions_is_found(p: Expr, q: Expr, inside: bool) -> None:
    report = veer.verify(filtered(p, inside=inside), filtered(q, inside=inside))
    assert report.verdict is Verdict.INEQUIVALENT


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        (And((Not(NULL), UNKNOWN)), Not(NULL)),  # it may hold of every number
        (And((FIVE, UNKNOWN)), FIVE),
        (Or((FIVE, UNKNOWN)), FIVE),
        (Case(((FIVE, UNKNOWN),), SIX), And((FIVE, SIX))),
        (UNKNOWN, FIVE),
    ],
)
def test_what_rests_on_an_unknown_function_is_unknown(p: Expr, q: Expr, inside: bool) -> None:
    report = veer.verify(filtered(p, inside=inside), filtered(q, inside=inside))
    assert report.verdict is Verdict.UNKNOWN
