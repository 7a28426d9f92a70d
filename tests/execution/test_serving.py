"""Which verdicts let stored rows be served: kinds known to do no harm, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from veer.assumptions import (
    Assumption,
    BatchIndependent,
    ForeignKeyHolds,
    KeyHolds,
    SameChoice,
    StatedAssumption,
    UniqueHolds,
)
from veer.caveats import (
    Caveat,
    GeneratedName,
    MayFail,
    MoreMayFail,
    NamesDifferInCase,
    OtherColumnNames,
    OtherColumnOrder,
    ShownDifferently,
    Side,
)
from veer.execution.signals import Signals
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column
from veer.ir.ops import Sink, Source, TableUdf
from veer.ir.schema import Field
from veer.ir.types import LONG, STRING
from veer.read.function_bodies import Bodies
from veer.reasons import SameOperators
from veer.verdict import SinkReport, Verdict
from veer.verification.reusable_rows import may_serve

DECLARED = (KeyHolds("t", ("a",)), UniqueHolds("t", ("b",)), ForeignKeyHolds("t", ("c",), "u"))
FAILS = MayFail(Side.P, "1 / a")


@dataclass(frozen=True)
class FromTomorrow:
    """A kind that nobody thought of when rows were served first."""

    kind: ClassVar[str] = "from tomorrow"
    text: str = "P may fail"


def report(
    assumptions: tuple[Any, ...] = (),
    caveats: tuple[Any, ...] = (),
    verdict: Verdict = Verdict.EQUIVALENT,
) -> SinkReport:
    return SinkReport("out", "out", verdict, SameOperators(1), assumptions, caveats)


def test_declared_keys_and_failures_of_the_stored_run_are_harmless() -> None:
    assert may_serve(report())
    assert may_serve(report(DECLARED, (FAILS, FAILS)))


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.INEQUIVALENT])
def test_only_equivalent_rows_are_served(verdict: Verdict) -> None:
    assert not may_serve(report(verdict=verdict))


@pytest.mark.parametrize(
    "assumption", [SameChoice("x", "y", "Limit 1"), StatedAssumption("a is a key of t")]
)
def test_other_assumptions_are_not_served(assumption: Assumption) -> None:
    assert not may_serve(report((*DECLARED, assumption)))


def test_functions_of_batches_are_served_to_those_who_trust() -> None:
    assumed = report((*DECLARED, BatchIndependent("x", "y", "UDF")))
    assert not may_serve(assumed)
    assert may_serve(assumed, trust=True)
    assert not may_serve(report((SameChoice("x", "y", "Limit 1"),)), trust=True)


@pytest.mark.parametrize("trust", [False, True])
def test_functions_of_batches_are_repeatable_to_those_who_trust(trust: bool) -> None:
    source = Source("t", (Field("g", STRING), Field("x", LONG)))
    keys = (Column("g", STRING),)
    udf = TableUdf("f", source.fields, "group", keys, deterministic=False, batched=True)
    flow = Dataflow({"t": source, "u": udf, "z": Sink("z")}, (Link("t", "u"), Link("u", "z")))
    bodies = Bodies(own={"f": lambda frame: frame})
    signals = Signals(flow, flow, lambda _: "print", bodies, {}, trust=trust)
    assert (signals.unrepeatable("z") is None) is trust


@pytest.mark.parametrize(
    "caveat",
    [
        MayFail(Side.Q, "1 / a"),
        MoreMayFail(2),
        ShownDifferently("table", "bar chart"),
        OtherColumnNames(),
        NamesDifferInCase(),
        OtherColumnOrder(),
        GeneratedName("count(1)"),
    ],
)
def test_other_caveats_are_not_served(caveat: Caveat) -> None:
    assert not may_serve(report((), (FAILS, caveat)))


def test_a_kind_that_is_not_known_is_not_served() -> None:
    """Whatever it says: who adds a class must say that it does no harm."""
    assert not may_serve(report((FromTomorrow(),)))
    assert not may_serve(report((), (FromTomorrow(),)))
    assert not may_serve(report((*DECLARED, FromTomorrow()), (FAILS,)))
