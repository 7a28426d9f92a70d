"""Each pass of the normal form by itself: what it changes, and what it leaves alone.

A case of `passes.cases` is a query and the dataflow that the pass makes of it, without sources and
sinks; a near miss (`# stays: yes`) is a query that the pass must not change. The interpreter
compares what the query means with what the pass gives, on adversarial tables.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from benchmarks.nets.comparing import difference
from benchmarks.nets.observing import Passed
from tests.rewrite.alone import EVERY, SWEPT, applied
from tests.support import Case, load_cases
from veer.facts.fingerprint import fingerprint
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column
from veer.ir.ops import Deduplicate, Sink, Source
from veer.ir.pprint import show_dataflow
from veer.read.sql import read_sql
from veer.rewrite.normalize import keys_relied_on_by_normalizing
from veer.rewrite.passes import Fact

SCHEMA = """
CREATE TABLE t (a INT, b INT, c INT, s STRING, d DOUBLE);
CREATE TABLE u (a INT, x INT, y INT NOT NULL);
CREATE TABLE k (id INT NOT NULL PRIMARY KEY, v INT, w INT NOT NULL, day DATE);
CREATE TABLE r (id INT NOT NULL PRIMARY KEY, xs ARRAY<INT>, first DATE, last DATE)
"""
CASES = load_cases("passes.cases")


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.options['pass']}: {c.title}")
def test_a_pass_alone(case: Case) -> None:
    name, (text, *expected) = case.options["pass"], case.texts
    dataflow = read_sql(text, SCHEMA)
    if "deduplicated" in case.options:
        dataflow = deduplicated(dataflow, case.options["deduplicated"].split(", "))
    before, after, keys = applied(name, dataflow, as_read="given" in case.options)
    assert not keys or Fact.KEYS in EVERY[name].relies_on
    if "stays" in case.options:
        assert after is before or name in SWEPT
        assert fingerprint(before) == fingerprint(after), shown(after)
    else:
        assert [shown(after)] == expected
        assert fingerprint(before) != fingerprint(after)
    assert not difference(Passed(name, dataflow, after), tables=5, seed=1)


def test_every_pass_has_a_case_and_a_near_miss() -> None:
    kinds = defaultdict(set)
    for case in CASES:
        kinds[case.options["pass"]].add("stays" in case.options)
    assert {name: {False, True} for name in EVERY} == kinds


def test_every_pass_that_relies_on_keys_has_a_case_that_does() -> None:
    relying = {
        case.options["pass"]
        for case in CASES
        if "stays" not in case.options
        and keys_relied_on_by_normalizing(read_sql(case.texts[0], SCHEMA))
    }
    assert {name for name, each in EVERY.items() if Fact.KEYS in each.relies_on} <= relying


def shown(dataflow: Dataflow) -> str:
    """The printed dataflow without its sources and sinks."""
    lines = zip(dataflow.order, show_dataflow(dataflow).splitlines(), strict=True)
    between = (line for i, line in lines if not isinstance(dataflow.operators[i], Source | Sink))
    return "\n".join(" ".join(line.split()) for line in between)


def deduplicated(dataflow: Dataflow, names: list[str]) -> Dataflow:
    """The dataflow with the rows of its only table deduplicated, as SQL cannot say."""
    (table,) = dataflow.sources
    fields = {f.name: f for f in dataflow.schemas[table]}
    keys = tuple(Column(name, fields[name].type) for name in names)
    links = [Link("kept" if link.src == table else link.src, link.dst) for link in dataflow.links]
    return Dataflow(
        {**dataflow.operators, "kept": Deduplicate(keys)}, [*links, Link(table, "kept")]
    )
