"""Sequences of versions: the mix of the paper, and steps that do what they are said to do."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from benchmarks.support.editing.predicates import conjuncts, equal_forms, other_constants
from benchmarks.support.editing.undoing import undone
from benchmarks.support.sequences import LENGTH, Aim, Step, functions, sequence
from benchmarks.workloads import WORKLOADS, generate
from benchmarks.workloads.data import FUNCTIONS
from benchmarks.workloads.definitions import flows
from benchmarks.workloads.flow import Flow
from veer.interpreter import run_dataflow, same_result
from veer.ir.dag import Dataflow
from veer.ir.types import INT, STRING
from veer.read.workflow.reader import build_workflow, read_workflow
from veer.verdict import TableSemantics

NAMES = [w.name for w in WORKLOADS]
INSTANCES = ((40, 11), (120, 12), (400, 13))  # rows and seeds the sequences were not made with


@cache
def steps(name: str) -> list[Step]:
    return sequence(name)


tables = cache(generate)


def all_steps() -> list[Step]:
    """All but the first ones."""
    return [step for name in NAMES for step in steps(name)[1:]]


def differs(name: str, p: Dataflow, q: Dataflow) -> bool:
    """Whether a sink shows other columns or rows, on some instance."""
    for rows, seed in INSTANCES:
        ours, theirs = (run_dataflow(d, tables(name, rows, seed), functions(d)) for d in (p, q))
        for sink in p.sinks:
            one, two = ours[sink], theirs[sink]
            if (one.names, one.types) != (two.names, two.types):
                return True
            if not same_result(one, two, TableSemantics.ORDERED_BAG):
                return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_every_version_loads_and_can_be_written(name: str) -> None:
    assert len(steps(name)) == LENGTH
    assert steps(name)[0].flow.data() == flows()[f"{name.lower()}/v1.yaml"].data()
    dataflows = [build_workflow(step.flow.data()) for step in steps(name)]
    for step, dataflow in list(zip(steps(name), dataflows, strict=True))[::6]:
        assert read_workflow(step.flow.text(), yaml=True) == dataflow


def test_the_same_seed_gives_the_same_versions() -> None:
    for name in ("W6", "W8"):
        again = sequence(name)
        assert [s.flow.text() for s in again] == [s.flow.text() for s in steps(name)]
        assert [s.edits for s in again] == [s.edits for s in steps(name)]
        assert [s.edits for s in sequence(name, seed=1)] != [s.edits for s in steps(name)]


def test_sequences_have_the_length_asked_for() -> None:
    assert [len(sequence("W5", n)) for n in (1, 5, 9)] == [1, 5, 9]


def test_numbers_of_edits_are_those_of_the_paper() -> None:
    counts = [len(s.edits) for s in all_steps() if s.aim is not Aim.RETURN]
    shares = {n: number / len(counts) for n, number in Counter(counts).items()}
    assert min(counts) == 1
    assert shares[1] == pytest.approx(0.58, abs=0.06)
    assert shares[2] == pytest.approx(0.22, abs=0.06)


def test_aims_are_mixed() -> None:
    aims = Counter(step.aim for step in all_steps())
    assert aims[Aim.KEEP] / aims.total() == pytest.approx(0.4, abs=0.05)
    assert aims[Aim.UNDO] + aims[Aim.RETURN] >= 0.15 * aims.total()


def test_edits_are_rather_late_but_everywhere() -> None:
    where = []
    for name in NAMES:
        for before, step in pairwise(steps(name)):
            position = build_workflow(before.flow.data()).position
            where += [position[p] / len(position) for p in step.places if p in position]
    late = sum(place >= 0.5 for place in where) / len(where)
    assert 0.6 < late < 0.95
    assert all(any(q / 4 <= place < (q + 1) / 4 for place in where) for q in range(1, 4))


@pytest.mark.parametrize("name", NAMES)
def test_keeping_steps_keep(name: str) -> None:
    for before, step in pairwise(steps(name)):
        if step.keeping:
            p, q = (build_workflow(s.flow.data()) for s in (before, step))
            assert not differs(name, p, q), step.edits


def test_most_changing_steps_change() -> None:
    found = []
    for name in NAMES:
        for before, step in pairwise(steps(name)):
            if step.aim is Aim.CHANGE:
                p, q = (build_workflow(s.flow.data()) for s in (before, step))
                found.append(differs(name, p, q))
    assert sum(found) >= 0.9 * len(found)


def test_returning_gives_an_earlier_version() -> None:
    for name in NAMES:
        for number, step in enumerate(steps(name)):
            if step.aim is Aim.RETURN:
                assert step.same_as is not None
            if step.same_as is not None:
                assert step.same_as < number
                earlier = steps(name)[step.same_as].flow
                assert build_workflow(step.flow.data()) == build_workflow(earlier.data())


def test_stand_ins_do_what_the_workloads_functions_do() -> None:
    dataflow = build_workflow(flows()["w7/v1.yaml"].data())
    texts = ["Vape SHOP", "family", "quit now", "", None]
    for identity, function in functions(dataflow).items():
        assert [function(t) for t in texts] == [FUNCTIONS[identity](t) for t in texts]


def test_forms_of_a_predicate() -> None:
    types = {"a": INT, "b": STRING}
    forms = {text for _, text in equal_forms("a >= 5 AND b IN ('x', 'y')", types)}
    assert "a > 4 AND b IN ('x', 'y')" in forms
    assert "5 <= a AND b IN ('x', 'y')" in forms
    assert "a >= 5 AND (b = 'x' OR b = 'y')" in forms
    assert "a >= 5 AND b IN ('x', 'y') AND a IS NOT NULL" in forms
    assert "a = 1" in {text for _, text in equal_forms("NOT a <> 1", types)}
    assert conjuncts("a = 1 AND (b = 'x' OR a = 2)") == ["a = 1", "b = 'x' OR a = 2"]
    assert "a > 10" in set(other_constants("a > 5", types))


def test_an_edit_is_undone_where_nothing_depends_on_it() -> None:
    before = Flow("f", "")
    before.add("t", "source", columns={"a": "int"})
    before.add("s", "sink", "t")
    after = before.edited("")
    after.insert("new", "filter", "t", "s", predicate="a > 1")
    later = after.edited("")
    later.insert("other", "limit", "new", "s", count=3)
    assert undone(after, before, after).links == before.links  # type: ignore[union-attr]
    assert undone(later, before, after) is None
