"""What operators are said to need, to pass on and to know, against what the interpreter does.

VEER_SEED picks the queries, VEER_ROUNDS how many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.generators.edits import random_query
from veer.errors import VeerError
from veer.facts.determinism import operator_kind
from veer.facts.facts import facts, place_name
from veer.facts.needs import Need, needs_below, passed_through
from veer.functions.registry import Failure, Kind
from veer.interpreter import Program, Result, Run, Signal, same_result
from veer.interpreter.expressions import compile_expr
from veer.interpreter.operators import compile_operator
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink, Source, Values
from veer.ir.schema import Field, Schema
from veer.refute.instances import Instances
from veer.refute.pools import pool
from veer.verdict import TableSemantics

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "8"))
PER_ROUND = 12
SET, BAG, ORDERED = TableSemantics.SET, TableSemantics.BAG, TableSemantics.ORDERED_BAG


def runs(rng: Random) -> Iterator[tuple[Dataflow, Run, dict[str, Signal]]]:
    """Random queries with all their signals on an instance that does not fail."""
    for _ in range(PER_ROUND):
        dataflow = random_query(rng)
        if dataflow is None:
            continue
        stream = Instances((dataflow,), rng.randrange(1000))
        made = Program(dataflow, every_signal=True)
        for number in range(4):
            run = Run(stream.make(number))
            try:
                yield dataflow, run, made.evaluate((run,))
            except (Failure, VeerError):
                continue


def shown(dataflow: Dataflow, id_: str, signal: Signal, places: list[int]) -> Result:
    schema = dataflow.schemas[id_]
    rows = [tuple(row[i] for i in places) for row in signal.rows]
    names = tuple(schema.names[i] for i in places)
    types = tuple(schema.types[i] for i in places)
    return Result(names, types, rows, signal.peers)


def disturbed(rng: Random, dataflow: Dataflow, id_: str, signal: Signal, need: Need) -> Signal:
    """A signal that is equal as needed, and as different as possible otherwise."""
    schema = dataflow.schemas[id_]

    def other(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            value if i in need.columns else rng.choice([*pool(schema.types[i], ()), None])
            for i, value in enumerate(row)
        )

    rows = [other(row) for row in signal.rows]
    if need.semantics is ORDERED:
        return Signal(rows, signal.peers)
    if need.semantics is SET:
        rows += [other(row) for row in signal.rows if rng.random() < 0.5]
    rng.shuffle(rows)
    return Signal(rows)


def wanted_of(rng: Random, dataflow: Dataflow, id_: str) -> Need:
    width = len(dataflow.schemas[id_])
    columns = frozenset(i for i in range(width) if rng.random() < 0.5)
    return Need(rng.choice((SET, BAG, ORDERED)), columns)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_what_is_not_needed_makes_no_difference(number: int) -> None:
    rng = Random(f"needs {SEED} {number}")
    looked_at = 0
    for dataflow, run, signals in runs(rng):
        for id_ in dataflow.order:
            operator, below = dataflow.operators[id_], dataflow.inputs[id_]
            if operator_kind(dataflow, id_) in (Kind.CHOICE, Kind.PARTITION) or not below:
                continue
            need = wanted_of(rng, dataflow, id_)
            inputs = [
                disturbed(rng, dataflow, source, signals[source], one)
                for source, one in zip(below, needs_below(dataflow, id_, need), strict=True)
            ]
            step = compile_operator(operator, [dataflow.schemas[i] for i in below], ())
            try:
                again = step(inputs, (run,))
            except (Failure, VeerError):
                continue
            places = sorted(need.columns)
            before = shown(dataflow, id_, signals[id_], places)
            after = shown(dataflow, id_, again, places)
            assert same_result(before, after, need.semantics), (SEED, number, id_, operator, need)
            looked_at += 1
    assert looked_at


@pytest.mark.parametrize("number", range(ROUNDS))
def test_what_is_passed_through_is_unchanged(number: int) -> None:
    rng = Random(f"wires {SEED} {number}")
    for dataflow, _, signals in runs(rng):
        for id_ in dataflow.order:
            if isinstance(dataflow.operators[id_], Source | Values | Sink):
                continue
            need = wanted_of(rng, dataflow, id_)
            places = passed_through(dataflow, id_, need)
            if places is None:
                continue
            (below,) = dataflow.inputs[id_]
            after = shown(dataflow, id_, signals[id_], sorted(places))
            order = [places[i] for i in sorted(places)]
            before = shown(dataflow, below, signals[below], order)
            assert same_result(before, after, need.semantics), (SEED, number, id_, need)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_facts_hold_on_every_row(number: int) -> None:
    rng = Random(f"facts {SEED} {number}")
    found = 0
    for dataflow, run, signals in runs(rng):
        for id_ in dataflow.order:
            known = facts(dataflow, id_)
            schema = dataflow.schemas[id_]
            named = Schema(tuple(Field(place_name(i), t) for i, t in enumerate(schema.types)))
            for condition in known.conditions:
                holds = compile_expr(condition, (named,))
                for row in signals[id_].rows:
                    try:
                        assert holds(row, (run,)) is True, (SEED, number, id_, condition, row)
                    except Failure:
                        continue
                found += 1
            for key in known.keys:
                rows = [
                    tuple(repr(row[i]) for i in sorted(key.places)) for row in signals[id_].rows
                ]
                assert len(set(rows)) == len(rows), (SEED, number, id_, key)
    assert found
