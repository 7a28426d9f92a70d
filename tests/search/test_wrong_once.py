"""Proofs the search once found and the checker once accepted, of versions that differ."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from veer.api import Comparison, Version, verify
from veer.options import SearchStrategy
from veer.read.workflow.reader import read_workflow
from veer.show.wording import reason_text
from veer.verdict import TableSemantics, Verdict

T = {"type": "source", "columns": {"a": "int", "b": "int", "c": "int"}}
HIDDEN = "a * 31 + b * 7 + c = 987654321 and a > 1000 and b > 1000 and c > 1000"


def chain(*operators: dict[str, Any]) -> Version:
    """A source, the operators one after the other, and a sink."""
    names = ["t", *(op.get("id", f"o{i}") for i, op in enumerate(operators)), "out"]
    made = [T, *({k: v for k, v in op.items() if k != "id"} for op in operators)]
    flow = dict(zip(names, [*made, {"type": "sink", "name": "o"}], strict=True))
    links = [list(pair) for pair in pairwise(names)]
    return version(flow, links)


def version(operators: dict[str, Any], links: list[list[Any]]) -> Version:
    text = json.dumps({"operators": operators, "links": links})
    return Version("v", read_workflow(text), True)


def sort(*keys: str) -> dict[str, Any]:
    return {"id": "sort", "type": "sort", "by": list(keys)}


WIDER = {"id": "x", "type": "compute", "columns": {"a": "cast(a as bigint)"}}
HASH = {"id": "y", "type": "project", "columns": {"b": "hash(a)"}}
UDF = {"id": "u", "type": "udf", "function": "f", "reads": ["b"], "adds": {"x": "int"}}
WHOLE = {"id": "w", "type": "udf", "function": "g", "scope": "table", "adds": {"x": "int"}}
LIST = {"id": "l", "type": "aggregate", "calls": {"v": "collect_list(a)"}}
FILTER = {"id": "f", "type": "filter", "predicate": HIDDEN}
LIMIT = {"id": "m", "type": "limit", "count": 10}
ORDERED = TableSemantics.ORDERED_BAG


@pytest.mark.parametrize("strategy", SearchStrategy)
@pytest.mark.parametrize(
    ("p", "q", "semantics"),
    [
        ((HASH,), (WIDER, HASH), TableSemantics.BAG),
        ((UDF,), (WIDER, UDF), TableSemantics.BAG),
        ((FILTER, sort("a"), LIST), (FILTER, sort("a desc"), LIST), TableSemantics.BAG),
        ((sort("a"), UDF, LIMIT), (sort("a desc"), UDF, LIMIT), TableSemantics.BAG),
        ((sort("a"), UDF, LIMIT), (UDF, LIMIT), TableSemantics.BAG),
        ((sort("a"), WHOLE), (sort("b"), WHOLE), TableSemantics.BAG),
        ((sort("a"), WHOLE), (WHOLE,), TableSemantics.BAG),
        ((sort("a"), UDF), (sort("b"), UDF), ORDERED),
    ],
)
def test_never_again(
    p: tuple[dict[str, Any], ...],
    q: tuple[dict[str, Any], ...],
    semantics: TableSemantics,
    strategy: SearchStrategy,
) -> None:
    report = verify(chain(*p), chain(*q), Comparison(semantics, strategy=strategy))
    assert report.verdict is not Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)


@pytest.mark.parametrize("strategy", SearchStrategy)
def test_an_operator_may_be_called_like_a_leaf(strategy: SearchStrategy) -> None:
    def named(predicate: str) -> Version:
        operators: dict[str, Any] = {
            "t": T,
            "s": UDF | {"reads": ["b"]},
            "s leaf": {"type": "filter", "predicate": predicate},
            "u": {"type": "union"},
            "out": {"type": "sink", "name": "o"},
        }
        operators["s"] = {k: v for k, v in operators["s"].items() if k != "id"}
        links: list[list[Any]] = [
            ["t", "s"],
            ["s", "s leaf"],
            ["s leaf", "u", 0],
            ["s", "u", 1],
            ["u", "out"],
        ]
        return version(operators, links)

    p, q = named("a = b * 31 + 987654 and a > 5000"), named("a = b * 37 + 987655 and a > 6000")
    asked = Comparison(strategy=strategy)
    assert verify(p, q, asked).verdict is not Verdict.EQUIVALENT


def test_one_choice_for_two_sinks_is_not_two_choices() -> None:
    def limits(second: str) -> Version:
        limit = {"type": "limit", "count": 2}
        operators = {
            "t": T,
            "l": limit,
            "o1": {"type": "sink", "name": "one"},
            "o2": {"type": "sink", "name": "two"},
        }
        links = [["t", "l"], ["l", "o1"], [second, "o2"]]
        if second != "l":
            operators[second] = limit
            links.append(["t", second])
        return version(operators, links)

    report = verify(limits("l"), limits("l2"))
    assert report.verdict is not Verdict.EQUIVALENT
    assert verify(limits("l2"), limits("l2")).verdict is Verdict.EQUIVALENT


def test_other_types_of_one_table_are_no_crash() -> None:
    def typed(kind: str) -> Version:
        source = {"type": "source", "columns": {"a": kind, "b": "int"}}
        operators = {
            "t": source,
            "f": {"type": "filter", "predicate": "a > 1"},
            "p": {"type": "project", "columns": {"a": "cast(a as string)"}},
            "out": {"type": "sink", "name": "o"},
        }
        return version(operators, [["t", "f"], ["f", "p"], ["p", "out"]])

    assert verify(typed("int"), typed("bigint")).verdict is not Verdict.EQUIVALENT


# -- with simulation switched off: what the checker alone must refuse -----------------------------


def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let neither search nor guard look at instances."""
    monkeypatch.setattr(
        "veer.verification.search.simulation.Simulation.agree", lambda self, claim: True
    )
    monkeypatch.setattr(
        "veer.verification.search.simulation.Simulation.differing", lambda self, claim: iter(())
    )
    monkeypatch.setattr(
        "veer.verification.search.attempts.Attempts.differ", lambda self, pair: False
    )
    monkeypatch.setattr("veer.verification.guard.first_difference", lambda *_: None)
    monkeypatch.setattr("veer.verification.sinks.find_witness", lambda *_, **__: "not looked for")


@pytest.mark.parametrize("strategy", SearchStrategy)
def test_calls_after_keys_that_are_fewer(
    strategy: SearchStrategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two keys of P are one of Q: what comes after them stands at other places."""
    unguarded(monkeypatch)
    p = chain(
        {"type": "project", "columns": {"a": "a", "b": "a", "c": "c"}},
        {"type": "aggregate", "by": ["a", "b"], "calls": {"s": "sum(c)"}},
    )
    q = chain(
        {"type": "project", "columns": {"x": "a", "c": "c", "d": "b"}},
        {"type": "aggregate", "by": ["x"], "calls": {"u": "sum(c)", "v": "sum(d)"}},
        {"type": "project", "columns": {"a": "x", "b": "x", "s": "v"}},
    )
    report = verify(p, q, Comparison(strategy=strategy))
    assert report.verdict is Verdict.UNKNOWN
    same = chain(
        {"type": "project", "columns": {"x": "a", "c": "c", "d": "b"}},
        {"type": "aggregate", "by": ["x"], "calls": {"u": "sum(c)", "v": "sum(d)"}},
        {"type": "project", "columns": {"a": "x", "b": "x", "s": "u"}},
    )
    assert verify(p, same, Comparison(strategy=SearchStrategy.SWEEP)).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("strategy", SearchStrategy)
def test_an_order_lost_below_what_may_see_it(
    strategy: SearchStrategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sort lies below the step, so the verifier sees none; the union of Q forgets it."""
    unguarded(monkeypatch)
    p = chain(sort("a"), WHOLE)
    split = {
        "t": T,
        "sort": {"type": "sort", "by": ["a"]},
        "f": {"type": "filter", "predicate": "b is not null"},
        "g": {"type": "filter", "predicate": "b is null"},
        "n": {"type": "union"},
        "w": {k: v for k, v in WHOLE.items() if k != "id"},
        "out": {"type": "sink", "name": "o"},
    }
    links: list[list[Any]] = [
        ["t", "sort"],
        ["sort", "f"],
        ["sort", "g"],
        ["f", "n", 0],
        ["g", "n", 1],
    ]
    q = version(split, [*links, ["n", "w"], ["w", "out"]])
    assert verify(p, q, Comparison(strategy=strategy)).verdict is Verdict.UNKNOWN
