"""Random edits: what keeps the meaning is never refuted, what breaks it is never proven.

VEER_SEED picks the queries, VEER_ROUNDS how many; the seed of a failure is in its message.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from tests.generators.dataflows import Queries
from tests.generators.tables import query_tables
from veer.api import Comparison, Version, verify
from veer.dataflow.dag import Dataflow, Link
from veer.dataflow.expr import And, Column, Compare, Expr, Literal, Named, Not
from veer.dataflow.ops import (
    Aggregate,
    Filter,
    Limit,
    Operator,
    Project,
    Sort,
    Union,
)
from veer.dataflow.types import BOOLEAN, IntegralType
from veer.dataflow.walk import map_exprs, operator_exprs, parts, transform
from veer.errors import VeerError
from veer.frontends.sql import read_sql
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics, Verdict

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "8"))
PER_ROUND = 20
COMPARISON = Comparison(columns="position", budget=4_000)


def random_query(rng: Random) -> Dataflow | None:
    """A random query, None where it is outside what is read."""
    tables = {t.name: t.source for t in query_tables(rng)}
    try:
        return read_sql(Queries(rng).query(), tables)
    except VeerError:
        return None


def inserted(dataflow: Dataflow, link: Link, operator: Operator) -> Dataflow:
    """The dataflow with an operator put on a link."""
    links = [x for x in dataflow.links if x != link]
    links += [Link(link.src, "new"), Link("new", link.dst, link.port)]
    return Dataflow({**dataflow.operators, "new": operator}, links)


# -- edits that keep the meaning -----------------------------------------------------------------


def add_true_filter(rng: Random, dataflow: Dataflow) -> Dataflow:
    return inserted(dataflow, rng.choice(dataflow.links), Filter(Literal(True, BOOLEAN)))


def add_identity(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    link = rng.choice(dataflow.links)
    schema = dataflow.schemas[link.src]
    if not len(schema):
        return None
    columns = tuple(
        Named(f.name, Column(f.name, f.type, schema.occurrence(i))) for i, f in enumerate(schema)
    )
    return inserted(dataflow, link, Project(columns))


def negate_twice(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    filters = [i for i, op in dataflow.operators.items() if isinstance(op, Filter)]
    if not filters:
        return None
    chosen = rng.choice(sorted(filters))
    operator = dataflow.operators[chosen]
    assert isinstance(operator, Filter)
    changed = Filter(Not(Not(operator.predicate)))
    return Dataflow({**dataflow.operators, chosen: changed}, dataflow.links)


def reverse_conjuncts(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    def turned(expr: Expr) -> Expr:
        return And(expr.args[::-1]) if isinstance(expr, And) else expr

    operators = {
        i: map_exprs(op, lambda e: transform(e, turned)) for i, op in dataflow.operators.items()
    }
    return Dataflow(operators, dataflow.links)


def swap_union(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    unions = [i for i, op in dataflow.operators.items() if isinstance(op, Union)]
    if not unions:
        return None
    chosen = rng.choice(sorted(unions))
    last = len(dataflow.inputs[chosen]) - 1
    links = [replace(x, port=last - x.port) if x.dst == chosen else x for x in dataflow.links]
    try:
        return Dataflow(dataflow.operators, links)
    except VeerError:
        return None  # other column names


KEEPING: list[Callable[[Random, Dataflow], Dataflow | None]] = [
    add_true_filter,
    add_identity,
    negate_twice,
    reverse_conjuncts,
    swap_union,
]


# -- edits that break it -------------------------------------------------------------------------


def change_a_constant(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """One integer constant of a comparison becomes another."""
    places = [
        (i, part)
        for i in sorted(dataflow.operators)
        for expr in operator_exprs(dataflow.operators[i])
        for part in parts(expr)
        if isinstance(part, Compare) and isinstance(part.right, Literal)
    ]
    places = [(i, c) for i, c in places if isinstance(c.right.type, IntegralType)]
    if not places:
        return None
    chosen, old = rng.choice(places)
    assert isinstance(old.right, Literal)
    if old.right.value is None or old.right.value > 1000:
        return None
    new = replace(old, right=Literal(old.right.value + 7, old.right.type))
    operator = map_exprs(
        dataflow.operators[chosen], lambda e: transform(e, lambda x: new if x == old else x)
    )
    return Dataflow({**dataflow.operators, chosen: operator}, dataflow.links)


def drop_an_operator(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """A filter, sort, limit or distinct is gone."""
    gone = [
        i
        for i, op in sorted(dataflow.operators.items())
        if isinstance(op, Filter | Limit | Sort) or (isinstance(op, Aggregate) and not op.calls)
    ]
    if not gone:
        return None
    chosen = rng.choice(gone)
    (below,) = dataflow.inputs[chosen]
    links = [x for x in dataflow.links if x.dst != chosen]
    links = [replace(x, src=below) if x.src == chosen else x for x in links]
    try:
        return Dataflow({i: op for i, op in dataflow.operators.items() if i != chosen}, links)
    except VeerError:
        return None


BREAKING = [change_a_constant, drop_an_operator]


def some_strategy(rng: Random) -> Comparison:
    """Any of the strategies: none may be wrong."""
    return replace(COMPARISON, strategy=rng.choice(("sweep", "sweep", "plus", "baseline")))


def attack(p: Dataflow, q: Dataflow, about: object) -> None:
    """What was proven holds on instances the guard has not seen."""
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    refutation = Refutation.of(p, q, p.sinks[0], q.sinks[0], columns, TableSemantics.BAG)
    for seed in (11, 12):
        assert first_difference(refutation, 40, seed) is None, about


@pytest.mark.parametrize("number", range(ROUNDS))
def test_edits_that_keep_the_meaning_are_never_refuted(number: int) -> None:
    rng = Random(f"keep {SEED} {number}")
    tried = 0
    for _ in range(PER_ROUND):
        p = random_query(rng)
        edit = rng.choice(KEEPING)
        q = None if p is None else edit(rng, p)
        if p is None or q is None:
            continue
        tried += 1
        report = verify(Version("p", p, True), Version("q", q, True), some_strategy(rng))
        assert report.verdict is not Verdict.INEQUIVALENT, (SEED, number, edit.__name__, report)
        if report.verdict is Verdict.EQUIVALENT:
            attack(p, q, (SEED, number, edit.__name__, report))
    assert tried


@pytest.mark.parametrize("number", range(ROUNDS))
def test_edits_that_change_something_are_proven_only_if_no_instance_objects(number: int) -> None:
    """Dropping a redundant operator is no change; everything else must not be proven."""
    rng = Random(f"break {SEED} {number}")
    for _ in range(PER_ROUND):
        p = random_query(rng)
        edit = rng.choice(BREAKING)
        q = None if p is None else edit(rng, p)
        if p is None or q is None or p == q:
            continue
        report = verify(Version("p", p, True), Version("q", q, True), some_strategy(rng))
        if report.verdict is Verdict.EQUIVALENT:
            attack(p, q, (SEED, number, edit.__name__, report))


def test_every_random_query_equals_itself() -> None:
    rng = Random(f"same {SEED}")
    for _ in range(60):
        p = random_query(rng)
        if p is None:
            continue
        report = verify(Version("p", p, True), Version("q", p, True), COMPARISON)
        assert report.verdict is Verdict.EQUIVALENT, report
