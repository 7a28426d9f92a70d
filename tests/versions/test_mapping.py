"""Edit mappings and edits: applying the edits to P gives Q."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column, Compare, Literal, Named
from veer.ir.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    Join,
    JoinKind,
    Limit,
    NamedCall,
    Project,
    Sink,
    Source,
    Union,
)
from veer.ir.schema import Field
from veer.ir.types import INT
from veer.read.coercion import aggregate_call
from veer.read.sql import read_sql
from veer.verification.versions import VersionPair, apply, best_mapping, best_mappings
from veer.verification.versions.edits import AddOperator, DeleteOperator, ModifyOperator
from veer.verification.versions.mapping import EditMapping, edit_distance

FIELDS = (Field("a", INT), Field("b", INT))
A = Column("a", INT)


def random_dataflow(rng: random.Random, size: int) -> Dataflow:
    """A random DAG of operators that keep the columns a and b."""
    operators: dict[str, AnyOperator] = {"s": Source("t", FIELDS)}
    links: list[Link] = []
    open_ends = ["s"]
    for number in range(size):
        id_ = f"n{number}"
        below = rng.choice([*open_ends, *operators])
        kind = rng.randrange(5)
        if kind == 0:
            operators[id_] = Filter(Compare(">", A, Literal(rng.randrange(3), INT)))
            links.append(Link(below, id_))
        elif kind == 1:
            operators[id_] = Limit(rng.randrange(1, 4))
            links.append(Link(below, id_))
        elif kind == 2:
            operators[id_] = Union()
            links += [Link(below, id_, 0), Link(rng.choice(list(operators)[:-1] or ["s"]), id_, 1)]
        elif kind == 3:
            operators[id_] = Join(JoinKind.SEMI, Compare("=", A, Column("a", INT, 1)))
            links += [Link(below, id_, 0), Link(rng.choice(["s", below]), id_, 1)]
        else:
            order = (A, Column("b", INT)) if rng.random() < 0.7 else (A, A)
            operators[id_] = Project(tuple(Named(n, e) for n, e in zip("ab", order, strict=True)))
            links.append(Link(below, id_))
        if below in open_ends:
            open_ends.remove(below)
        open_ends.append(id_)
    fed = {link.src for link in links}
    for number, id_ in enumerate(i for i in list(operators) if i not in fed):
        operators[f"sink{number}"] = Sink(f"sink{number}")
        links.append(Link(id_, f"sink{number}"))
    return Dataflow(operators, links)


def shuffled_ids(rng: random.Random, dataflow: Dataflow) -> Dataflow:
    names = [f"m{i}" for i in range(len(dataflow.operators))]
    rng.shuffle(names)
    table = dict(zip(dataflow.operators, names, strict=True))
    return Dataflow(
        {table[i]: op for i, op in dataflow.operators.items()},
        [Link(table[k.src], table[k.dst], k.port) for k in dataflow.links],
    )


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("stable", [True, False])
def test_applying_the_edits_to_p_gives_q(seed: int, stable: bool) -> None:
    rng = random.Random(seed)
    p = random_dataflow(rng, rng.randrange(1, 8))
    q = random_dataflow(rng, rng.randrange(1, 8))
    for mapping in islice(best_mappings(p, q, stable_ids=stable), 4):
        pair = VersionPair(p, q, mapping)
        assert apply(p, pair.edits) == pair.renamed_q


@pytest.mark.parametrize("seed", range(60))
def test_a_dataflow_under_other_ids_maps_onto_itself(seed: int) -> None:
    rng = random.Random(seed)
    p = random_dataflow(rng, rng.randrange(1, 12))
    q = shuffled_ids(rng, p)
    pair = VersionPair.of(p, q, stable_ids=False)
    assert pair.edits == ()


@pytest.mark.parametrize("seed", range(40))
def test_one_changed_operator_is_one_edit(seed: int) -> None:
    rng = random.Random(seed)
    p = random_dataflow(rng, 6)
    limits = [i for i, op in p.operators.items() if isinstance(op, Limit)]
    if not limits:
        return
    changed = rng.choice(limits)
    q = shuffled_ids(rng, Dataflow({**p.operators, changed: Limit(99)}, p.links))
    distances = [edit_distance(p, q, m) for m in islice(best_mappings(p, q, stable_ids=False), 6)]
    assert min(distances) == 1


@pytest.mark.parametrize("seed", range(30))
def test_further_mappings_come_in_order_of_edit_distance(seed: int) -> None:
    rng = random.Random(seed)
    p, q = random_dataflow(rng, 4), random_dataflow(rng, 4)
    first, *others = islice(best_mappings(p, q, stable_ids=False), 12)
    distances = [edit_distance(p, q, m) for m in others]
    assert distances == sorted(distances)
    assert len(set(others)) == len(others)
    assert first not in others


def paper_example() -> tuple[Dataflow, Dataflow]:
    """Project, Filter, Aggregate against Aggregate, Filter, Project."""
    source = Source("t", (Field("age", INT),))
    age = Column("age", INT)
    project = Project((Named("age", age),))
    keep = Filter(Compare(">", age, Literal(24, INT)))
    count = Aggregate((Named("age", age),), (NamedCall("n", aggregate_call("count", [])),))
    p = Dataflow(
        {"s": source, "x": project, "y": keep, "z": count, "r": Sink("r")},
        [Link("s", "x"), Link("x", "y"), Link("y", "z"), Link("z", "r")],
    )
    both = Project((Named("age", age), Named("n", Column("n", count.calls[0].call.type))))
    q = Dataflow(
        {"s": source, "u": count, "v": keep, "w": both, "r": Sink("r")},
        [Link("s", "u"), Link("u", "v"), Link("v", "w"), Link("w", "r")],
    )
    return p, q


def test_both_mappings_of_the_papers_example_are_found() -> None:
    p, q = paper_example()
    found = list(islice(best_mappings(p, q, stable_ids=False), 200))
    fixed = {("s", "s"), ("r", "r")}
    swap = EditMapping(frozenset(fixed | {("x", "u"), ("y", "v"), ("z", "w")}))
    by_aggregate = EditMapping(frozenset(fixed | {("z", "u")}))
    assert swap in found
    assert by_aggregate in found
    kinds = {type(e) for e in VersionPair(p, q, by_aggregate).edits}
    assert {AddOperator, DeleteOperator} <= kinds
    assert ModifyOperator in {type(e) for e in VersionPair(p, q, swap).edits}


def test_sql_versions_map_by_structure() -> None:
    schema = "CREATE TABLE t (a INT, b INT); CREATE TABLE u (a INT, c INT)"
    p = read_sql(
        "SELECT t.a, SUM(c) AS s FROM t JOIN u ON t.a = u.a WHERE b > 1 GROUP BY t.a", schema
    )
    q = read_sql(
        "SELECT t.a, SUM(c) AS s FROM t JOIN u ON t.a = u.a WHERE b > 2 GROUP BY t.a", schema
    )
    edits = VersionPair.of(p, q, stable_ids=False).edits
    assert [type(e) for e in edits] == [ModifyOperator]


def test_a_large_dataflow_is_mapped_in_one_pass() -> None:
    size = 3000
    operators: dict[str, AnyOperator] = {"s": Source("t", FIELDS), "r": Sink("r")}
    links = []
    last = "s"
    for number in range(size):
        id_ = f"f{number}"
        operators[id_] = Filter(Compare(">", A, Literal(number, INT)))
        links.append(Link(last, id_))
        last = id_
    p = Dataflow(operators, [*links, Link(last, "r")])
    q = Dataflow({**operators, "f1500": Limit(1)}, [*links, Link(last, "r")])
    mapping = best_mapping(p, q, stable_ids=False)
    assert len(mapping.pairs) >= size - 1
