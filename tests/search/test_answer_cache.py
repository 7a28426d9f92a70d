"""Answers of verifiers are remembered by what was asked, and by nothing less."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from veer.api import Comparison, Version, verify
from veer.assumptions import Assumption, ForeignKeyHolds, KeyHolds, LeafKeyHolds, UniqueHolds
from veer.errors import InputError
from veer.ir.dag import Dataflow, Link
from veer.ir.ops import AnyOperator, Sink, Source, TableUdf
from veer.ir.query_pair import QueryPair
from veer.ir.schema import Field
from veer.ir.sources import map_sources
from veer.ir.types import INT
from veer.prove.verifiers.base import EV
from veer.read.sql import read_sql
from veer.reasons import Cause, Message, QuestionsAsked, Reason, Unsupported
from veer.verdict import Answer, Report, TableSemantics, Verdict
from veer.verification.search.answer_cache import AnswerCache, form
from veer.verification.search.answer_json import answer_json, answer_of

DDL = """
CREATE TABLE t (a INT, b INT, c INT);
CREATE TABLE u (x INT, y INT, z INT);
CREATE TABLE k (i INT NOT NULL, v INT, PRIMARY KEY (i));
CREATE TABLE n (i INT NOT NULL, v INT);
"""
BAG, SET = TableSemantics.BAG, TableSemantics.SET


def pair(p: str, q: str, semantics: TableSemantics = BAG) -> QueryPair:
    sides = read_sql(p, DDL), read_sql(q, DDL)
    width = len(sides[0].result_schema)
    return QueryPair(*sides, semantics, tuple((i, i) for i in range(width)))


class Counting(EV):
    """Proves everything, and counts how often it was asked."""

    name = "counting"
    semantics = TableSemantics.ORDERED_BAG

    def __init__(self, *assumptions: Assumption | LeafKeyHolds) -> None:
        self.asked = 0
        self.assumptions = assumptions

    def decide(self, pair: QueryPair) -> Answer:
        self.asked += 1
        return Answer(Verdict.EQUIVALENT, None, self.assumptions)


ASKED = pair("SELECT a FROM t WHERE a > 1 AND b > 2", "SELECT a FROM t WHERE b > 2 AND a > 1")


@pytest.mark.parametrize(
    "other",
    [
        pair("SELECT x FROM u WHERE x > 1 AND y > 2", "SELECT x FROM u WHERE y > 2 AND x > 1"),
        pair(
            "SELECT q.a AS other FROM t AS q WHERE a > 1 AND b > 2",
            "SELECT r.a FROM t AS r WHERE r.b > 2 AND r.a > 1",
        ),
    ],
    ids=["another table", "other names"],
)
def test_the_same_question_is_asked_once(other: QueryPair) -> None:
    ev, known = Counting(), AnswerCache()
    first = known.ask(ev, ASKED)
    again = known.ask(ev, other)
    assert (ev.asked, known.remembered, again) == (1, 1, first)


@pytest.mark.parametrize(
    "other",
    [
        pair("SELECT a FROM t WHERE a > 1 AND b > 3", "SELECT a FROM t WHERE b > 3 AND a > 1"),
        pair("SELECT b FROM t WHERE a > 1 AND b > 2", "SELECT b FROM t WHERE b > 2 AND a > 1"),
        pair("SELECT a FROM t WHERE a > 1 AND b > 2", "SELECT x FROM u WHERE y > 2 AND x > 1"),
        pair("SELECT a FROM t WHERE a > 1 AND b > 2", "SELECT a FROM t WHERE b > 2 AND a > 1", SET),
        pair("SELECT a FROM t WHERE b > 2 AND a > 1", "SELECT a FROM t WHERE a > 1 AND b > 2"),
    ],
    ids=["a constant", "a column", "two tables for one", "as sets", "the other way round"],
)
def test_another_question_is_asked(other: QueryPair) -> None:
    ev, known = Counting(), AnswerCache()
    known.ask(ev, ASKED)
    known.ask(ev, other)
    assert ev.asked == 2


def test_what_a_table_declares_is_part_of_the_question() -> None:
    ev, known = Counting(), AnswerCache()
    known.ask(ev, pair("SELECT v FROM k", "SELECT v FROM k WHERE i = i"))
    known.ask(ev, pair("SELECT v FROM n", "SELECT v FROM n WHERE i = i"))
    assert ev.asked == 2


def test_tables_in_subqueries_keep_their_names() -> None:
    """`t` outside and `t` inside is not `u` outside and `t` inside."""
    text = "SELECT {0}.{1} FROM {0} WHERE EXISTS (SELECT 1 FROM t AS i WHERE i.a = {0}.{1})"
    one, two = text.format("t", "a"), text.format("u", "x")
    assert form(pair(one, one)) != form(pair(two, two))


def test_an_answer_that_rests_on_a_declared_key_counts_for_that_table_only() -> None:
    ev, known = Counting(KeyHolds("t", ("a",))), AnswerCache()
    known.ask(ev, ASKED)
    text = "SELECT x FROM u WHERE x > 1 AND y > 2"
    known.ask(ev, pair(text, text))
    known.ask(
        ev, pair("SELECT x FROM u WHERE x > 1 AND y > 2", "SELECT x FROM u WHERE y > 2 AND x > 1")
    )
    assert ev.asked == 3
    known.ask(ev, ASKED)
    assert ev.asked == 3


def verified(text: str, other: str, cache: str) -> Report:
    p, q = (Version(t, read_sql(t, DDL), False) for t in (text, other))
    return verify(p, q, Comparison(cache=cache))


def test_a_file_outlives_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.db")
    ev = Counting()
    AnswerCache(path).ask(ev, ASKED)
    again = AnswerCache(path)
    assert again.ask(ev, ASKED).verdict is Verdict.EQUIVALENT
    assert (ev.asked, again.remembered) == (1, 1)


def test_a_second_run_over_similar_versions_asks_nobody(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.db")
    p, q = "SELECT a FROM t WHERE a > 4 AND b > 2", "SELECT a FROM t WHERE NOT (b <= 2) AND a > 4"
    first = verified(p, q, path)
    assert first.counts.ev_calls > first.counts.remembered == 0
    one, two = (
        text.replace("FROM t", "FROM u").replace("a", "x").replace("b", "y") for text in (p, q)
    )
    second = verified(one, two, path)
    assert second.verdict is first.verdict is Verdict.EQUIVALENT
    assert second.counts.remembered == second.counts.ev_calls > 0


def test_another_code_of_a_verifier_asks_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    ev, known = Counting(), AnswerCache()
    known.ask(ev, ASKED)
    monkeypatch.setattr("veer.verification.search.answer_cache._code_of", lambda kind: "another")
    known.ask(ev, ASKED)
    assert ev.asked == 2


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    path.write_text("this is no database, and long enough to be seen as none" * 20)
    with pytest.raises(InputError, match=r"answers\.db: no file of answers"):
        AnswerCache(str(path))


def test_nonsense_in_the_file_is_no_answer(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.db")
    ev, known = Counting(), AnswerCache(path)
    known.ask(ev, ASKED)
    for text in ("equivalent", '["proven", "", []]', "[1]", '{"a": 1}', '["equivalent", ""]'):
        known._execute("UPDATE answers SET answer = ?", (text,))
        before = ev.asked
        AnswerCache(path).ask(ev, ASKED)
        assert ev.asked == before + 1


def test_trouble_with_the_file_costs_no_verdict(tmp_path: Path) -> None:
    ev, known = Counting(), AnswerCache(str(tmp_path / "answers.db"))
    known._execute("DROP TABLE answers", ())
    with pytest.warns(UserWarning, match="answers are no longer kept"):
        assert known.ask(ev, ASKED).verdict is Verdict.EQUIVALENT


def inside(declared: str) -> QueryPair:
    """A subquery over a table of which something is declared."""
    ddl = f"CREATE TABLE o (x INT); CREATE TABLE i (a INT{declared}, b INT)"
    p = "SELECT x FROM o WHERE x NOT IN (SELECT a FROM i WHERE b > 1)"
    q = "SELECT x FROM o WHERE NOT EXISTS (SELECT 1 FROM i WHERE i.a = o.x AND b > 1)"
    return QueryPair(read_sql(p, ddl), read_sql(q, ddl), BAG, ((0, 0),))


def test_what_a_table_in_a_subquery_declares_is_part_of_the_question() -> None:
    forms = [form(inside(d)) for d in ("", " NOT NULL", " NOT NULL PRIMARY KEY")]
    assert len({str(f) for f in forms}) == 3


def test_what_a_function_never_gives_is_part_of_the_question() -> None:
    """A function of a table declared to give no null is another one to a verifier."""
    pairs = []
    for nullable in (True, False):
        udf = TableUdf("f", (Field("z", INT, nullable),))
        source = Source("t", (Field("a", INT),))
        operators: dict[str, AnyOperator] = {"t": source, "u": udf, "result": Sink("result")}
        side = Dataflow(operators, [Link("t", "u"), Link("u", "result")])
        pairs.append(QueryPair(side, side, BAG, ((0, 0),)))
    assert form(pairs[0]) != form(pairs[1])


@pytest.mark.parametrize(
    "answer",
    [
        Answer(Verdict.EQUIVALENT),
        Answer(Verdict.EQUIVALENT, QuestionsAsked(3), (KeyHolds("t", ("a", "b")),)),
        Answer(Verdict.EQUIVALENT, None, (LeafKeyHolds("x", ("c0",)), UniqueHolds("t", ("a",)))),
        Answer(Verdict.EQUIVALENT, Message("told"), (ForeignKeyHolds("t", ("a",), "u"),)),
        Answer(Verdict.UNKNOWN, Cause.SOLVER_BUDGET),
        Answer(Verdict.UNKNOWN, Unsupported("sum with FILTER")),
    ],
)
def test_answers_survive_a_file(answer: Answer) -> None:
    assert answer_of(json.loads(json.dumps(answer_json(answer)))) == answer


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        ["equivalent", "42 questions", []],
        ["equivalent", None, ["a is a key of t"]],
        ["surely", None, []],
        ["equivalent", {"cause": "a new one"}, []],
        ["equivalent", None, [{"kind": "from tomorrow", "text": "x"}]],
        ["equivalent", None, [{"kind": "key", "table": "t"}]],
        ["equivalent", None, [{"kind": "key", "table": "t", "columns": "a"}]],
        ["equivalent", None, [{"kind": "key", "table": 5, "columns": ["a"]}]],
    ],
)
def test_what_is_not_readable_is_no_answer(data: object) -> None:
    with pytest.raises(ValueError):
        answer_of(data)


class Unsure(Counting):
    """Does not know, for a reason of its choice."""

    def __init__(self, reason: Reason) -> None:
        super().__init__()
        self.reason = reason

    def decide(self, pair: QueryPair) -> Answer:
        self.asked += 1
        return Answer(Verdict.UNKNOWN, self.reason)


@pytest.mark.parametrize(
    ("reason", "remembered"),
    [
        (Cause.SOLVER_BUDGET, Cause.SOLVER_BUDGET),
        (Unsupported("sum with FILTER"), Unsupported("sum with FILTER")),
        (Unsupported("operator 'x' draws a sample", "x"), Cause.NO_PROOF_FOUND),
        (Message("x makes a choice"), Cause.NO_PROOF_FOUND),
    ],
)
def test_a_reason_that_may_name_operators_is_not_given_again(
    reason: Reason, remembered: Reason
) -> None:
    ev, known = Unsure(reason), AnswerCache()
    assert known.ask(ev, ASKED).reason == reason
    assert known.ask(ev, ASKED).reason == remembered
    assert ev.asked == 1


def test_a_key_of_a_leaf_is_not_a_key_of_a_table() -> None:
    """An answer about a leaf with a key assumes nothing of a table; one about a table must."""
    asked = pair("SELECT v FROM k", "SELECT v FROM k WHERE i = i")
    p, q = (map_sources(side, lambda s: replace(s, leaf=True)) for side in (asked.p, asked.q))
    leaves = replace(asked, p=p, q=q)
    ev, known = Counting(LeafKeyHolds("k", ("i",))), AnswerCache()
    known.ask(ev, leaves)
    known.ask(ev, asked)
    assert ev.asked == 2
