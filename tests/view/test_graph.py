"""What the view says of operators is true of the versions: on tables, not by wording."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.generators.edits import BREAKING, edited, random_query
from tests.support import instances
from veer.api import Comparison, Version, load_pair, verify
from veer.errors import VeerError
from veer.functions.registry import Failure
from veer.interpreter import Program, Run, Signal
from veer.ir.dag import Dataflow, Link
from veer.ir.ops import Filter, Source
from veer.verdict import Report, Verdict
from veer.verification.view import Compared

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "6"))
COMPARISON = Comparison(budget=200_000)


def viewed(report: Report) -> tuple[Compared, dict[str, Any]]:
    assert isinstance(report.compared, Compared)
    return report.compared, report.compared.data(report.sinks)


def random_pairs(rng: Random, count: int) -> Iterator[tuple[Dataflow, Dataflow]]:
    for _ in range(count):
        p = random_query(rng)
        if p is None:
            continue
        kept = edited(rng, p, 2)
        q = p if kept is None else kept[0]
        if rng.random() < 0.5:
            q = rng.choice(BREAKING)(rng, q) or q
        yield p, q


def signals(dataflow: Dataflow, tables: dict[str, Any]) -> dict[str, Signal] | None:
    try:
        return Program(dataflow, every_signal=True).evaluate((Run(tables),))
    except (Failure, VeerError):
        return None


@pytest.mark.parametrize("number", range(ROUNDS))
def test_places_equal_by_congruence_have_the_same_rows(number: int) -> None:
    rng = Random(f"view {SEED} {number}")
    seen = 0
    for p, q in random_pairs(rng, 12):
        report = verify(Version("p", p, True), Version("q", q, True), COMPARISON)
        _, view = viewed(report)
        for tables in instances(p, 4):
            ours, theirs = signals(p, tables), signals(q, tables)
            if ours is None or theirs is None:
                continue
            for operator in view["operators"]:
                if operator["equal"] == "congruence":
                    a, b = operator["p"]["id"], (operator["q"] or operator["p"])["id"]
                    assert ours[a].rows == theirs[b].rows, (SEED, number, a, b)
                    seen += 1
    assert seen


@pytest.mark.parametrize("number", range(ROUNDS))
def test_rows_of_a_witness_part_where_the_view_says(number: int) -> None:
    rng = Random(f"trace {SEED} {number}")
    for p, q in random_pairs(rng, 12):
        report = verify(Version("p", p, True), Version("q", q, True), COMPARISON)
        _, view = viewed(report)
        for sink, shown in zip(report.sinks, view["sinks"], strict=True):
            trace = shown["trace"]
            if trace is None:
                assert sink.witness is None or not sink.witness.tables
                continue
            assert sink.verdict is Verdict.INEQUIVALENT
            assert trace["parted"] and set(trace["parted"]) <= set(trace["order"])
            # What stands before the first differing operator has the same table in both versions.
            first = min(map(trace["order"].index, [*trace["differing"], *trace["parted"]]))
            for place in trace["order"][:first]:
                ours, theirs = (trace[side].get(str(place)) for side in ("p", "q"))
                if ours and theirs and ours["columns"] == theirs["columns"]:
                    assert sorted(map(repr, ours["rows"])) == sorted(map(repr, theirs["rows"]))


SCHEMA = "CREATE TABLE t (id INT NOT NULL, a INT, b DOUBLE, s STRING, PRIMARY KEY (id));"


def compare(tmp_path: Any, p: str, q: str) -> tuple[Report, dict[str, Any]]:
    for name, text in (("p.sql", p), ("q.sql", q), ("t.ddl", SCHEMA)):
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in ("p.sql", "q.sql")]
    report = verify(*load_pair(*paths, schema=str(tmp_path / "t.ddl")), Comparison())
    return report, viewed(report)[1]


def states(view: dict[str, Any]) -> dict[str, str]:
    return {o["kind"]: o["equal"] for o in view["operators"]}


def test_random_numbers_are_not_equal_by_congruence_unless_proven(tmp_path: Any) -> None:
    text = "SELECT id, rand() AS r FROM t WHERE a > {}"
    _, view = compare(tmp_path, text.format(1), text.format(2))
    assert states(view)["Project"] == "open" and states(view)["Source"] == "congruence"


def test_operators_between_a_change_and_a_proven_sink_are_covered(tmp_path: Any) -> None:
    report, view = compare(
        tmp_path,
        "SELECT id, a + 1 AS a1 FROM t WHERE a > 1 AND id > 2",
        "SELECT id, a + 1 AS a1 FROM t WHERE id > 2 AND 1 < a",
    )
    assert report.verdict is Verdict.EQUIVALENT
    assert {o["equal"] for o in view["operators"]} <= {"congruence", "proof", "covered"}
    assert [o["edit"] for o in view["operators"] if o["kind"] == "Filter"] == ["changed"]


def test_added_and_removed_sinks_have_a_place(tmp_path: Any) -> None:
    one = "CREATE TABLE x AS SELECT a FROM t;"
    report, view = compare(tmp_path, one, f"{one} CREATE TABLE y AS SELECT b FROM t;")
    assert [s["p"] is None for s in view["sinks"]] == [not s.p for s in report.sinks]
    added = [o for o in view["operators"] if o["edit"] == "added"]
    assert any(o["kind"] == "Sink" for o in added)


def test_facts_and_needs_are_told_by_the_names_of_columns(tmp_path: Any) -> None:
    _, view = compare(tmp_path, "SELECT id FROM t WHERE a > 1", "SELECT id FROM t WHERE a > 2")
    (operator,) = (o for o in view["operators"] if o["kind"] == "Filter")
    assert "(a > 1)" in operator["p"]["facts"] and "(a > 2)" in operator["q"]["facts"]
    assert "no two rows have the same id" in operator["q"]["facts"]
    assert operator["q"]["need"] == "equal as bag on id"
    assert operator["q"]["properties"] == [["predicate", ["(a > 2)"]]]


def test_columns_of_one_name_are_told_apart(tmp_path: Any) -> None:
    text = "SELECT x.a FROM t x JOIN t y ON x.id = y.id AND y.a > {}"
    _, view = compare(tmp_path, text.format(1), text.format(2))
    (join,) = (o for o in view["operators"] if o["kind"] == "Join")
    assert "(a@2 > 2)" in join["q"]["facts"] and "(a > 2)" not in join["q"]["facts"]
    assert "no two rows have the same id@2" in join["q"]["facts"]
    assert "a@2" not in join["q"]["need"]


def test_operators_that_changed_places_are_relinked(tmp_path: Any) -> None:
    (tmp_path / "p.sql").write_text("SELECT id FROM (SELECT * FROM t WHERE a > 1) WHERE b > 2")
    (tmp_path / "t.ddl").write_text(SCHEMA)
    p, _ = load_pair(*[str(tmp_path / "p.sql")] * 2, schema=str(tmp_path / "t.ddl"))
    one = p.dataflow
    filters = [i for i in one.order if isinstance(one.operators[i], Filter)]
    assert len(filters) == 2 and one.inputs[filters[1]] == (filters[0],)
    swapped = dict(zip(filters, reversed(filters), strict=True))
    links = [Link(swapped.get(x.src, x.src), swapped.get(x.dst, x.dst), x.port) for x in one.links]
    two = Dataflow(one.operators, links)
    _, view = viewed(verify(Version("p", one, True), Version("q", two, True), Comparison()))
    edits = {o["p"]["id"]: o["edit"] for o in view["operators"]}
    assert [edits[i] for i in filters] == ["relinked", "relinked"]
    assert {edits[i] for i in one.inputs[filters[0]]} == {"same"}


def test_inputs_that_are_swapped_are_an_edit_of_the_join(tmp_path: Any) -> None:
    a, b = "(SELECT id FROM t WHERE a > 1)", "(SELECT id FROM t WHERE a > 2)"
    _, view = compare(tmp_path, f"{a} EXCEPT ALL {b}", f"{b} EXCEPT ALL {a}")
    edits = [o["edit"] for o in view["operators"]]
    assert set(edits) & {"relinked", "changed", "added"}


def test_an_operator_put_in_relinks_no_other(tmp_path: Any) -> None:
    _, view = compare(tmp_path, "SELECT id FROM t", "SELECT id FROM (SELECT * FROM t WHERE a > 1)")
    assert {o["kind"]: o["edit"] for o in view["operators"]} == {
        "Source": "same",
        "Filter": "added",
        "Project": "same",
        "Sink": "same",
    }


def test_a_change_that_properties_do_not_show_is_told(tmp_path: Any) -> None:
    (tmp_path / "p.sql").write_text("SELECT id FROM t")
    (tmp_path / "t.ddl").write_text(SCHEMA)
    path = str(tmp_path / "p.sql")
    p, _ = load_pair(path, path, schema=str(tmp_path / "t.ddl"))
    read = next(id_ for id_, o in p.dataflow.operators.items() if isinstance(o, Source))
    source = p.dataflow.operators[read]
    assert isinstance(source, Source)

    def reading(mode: str) -> Version:
        operators = {
            **p.dataflow.operators,
            read: replace(source, format="csv", options=(("mode", mode),)),
        }
        return Version(p.name, Dataflow(operators, p.dataflow.links), True)

    _, view = viewed(verify(reading("PERMISSIVE"), reading("FAILFAST"), Comparison()))
    (changed,) = (o for o in view["operators"] if o["edit"] == "changed")
    assert changed["difference"] == "options: mode"


def test_options_of_sources_are_told_by_name_only() -> None:
    from veer.ir.schema import Field
    from veer.ir.types import INT
    from veer.verification.view.details import properties

    source = Source(
        "t",
        (Field("a", INT),),
        format="jdbc",
        location="jdbc:postgresql://user:hunter2@host/db",
        options=(("password", "hunter2"), ("dbtable", "t")),
    )
    told = dict(properties(source))
    assert told["options"] == ["password", "dbtable"]
    assert "hunter2" not in str(told)
