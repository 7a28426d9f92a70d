"""AnswerCache on pairs of queries; every EQUIVALENT is attacked by the interpreter."""

from __future__ import annotations

import pytest

from tests.support import Case, instances, load_cases
from veer.api import Comparison, Version, verify
from veer.assumptions import SameChoice
from veer.functions.registry import Failure
from veer.interpreter import run_dataflow, same_result
from veer.options import ColumnMatching, Optimization, SearchStrategy, TypeMatching
from veer.read.sql import read_sql
from veer.show.wording import assumption_text, caveat_text, reason_text
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE);
CREATE TABLE u (k INT NOT NULL, a INT, c INT, PRIMARY KEY (k));
CREATE TABLE v (k INT NOT NULL, a INT, b INT)
"""


def version(text: str, schema: str = SCHEMA) -> Version:
    return Version(text, read_sql(text, schema), False)


@pytest.mark.parametrize("case", load_cases("congruence.cases"), ids=lambda c: c.title)
def test_congruence(case: Case) -> None:
    p, q = (version(text) for text in case.texts)
    semantics = TableSemantics(case.options.get("semantics", "bag"))
    report = verify(p, q, Comparison(semantics))
    assert report.verdict.value == case.options["expect"]
    (sink,) = report.sinks
    assumed = " ".join(assumption_text(a) for a in sink.assumptions)
    assert case.options.get("assume", "") in assumed
    assert bool(assumed) == ("assume" in case.options)
    if report.verdict is Verdict.INEQUIVALENT:
        assert sink.witness is not None
    if report.verdict is Verdict.EQUIVALENT:
        assert_same_results(p, q, semantics)


def assert_same_results(p: Version, q: Version, semantics: TableSemantics) -> None:
    """Both versions agree on random instances, or fail alike."""
    for tables in instances(p.dataflow, 60):
        results = []
        for each in (p, q):
            try:
                results.append(run_dataflow(each.dataflow, tables)["result"])
            except Failure as error:
                results.append(str(error))  # type: ignore[arg-type]
        one, two = results
        if isinstance(one, str) or isinstance(two, str):
            assert one == two
        else:
            assert same_result(one, two, semantics), tables


def test_unknown_names_the_operators_where_the_versions_part() -> None:
    p, q = (
        version("SELECT a FROM t WHERE a > 1"),
        version("SELECT a FROM t WHERE a > 0 AND a * a > 1"),
    )
    report = verify(p, q)
    assert report.verdict is Verdict.UNKNOWN
    assert "Filter (a > 1)" in reason_text(report.sinks[0].reason)
    assert "Filter ((a > 0) AND ((a * a) > 1))" in reason_text(report.sinks[0].reason)
    assert "algebra: no proof found" in reason_text(report.sinks[0].reason)
    assert {w.ev for w in report.sinks[0].windows} == {"spes", "equitas", "algebra"}


def test_columns_by_name_may_come_in_another_order() -> None:
    p, q = version("SELECT a, b FROM t"), version("SELECT b, a FROM t")
    assert verify(p, q).verdict is Verdict.EQUIVALENT
    assert [caveat_text(c) for c in verify(p, q).sinks[0].caveats] == [
        "the columns are in another order"
    ]
    positional = verify(p, q, Comparison(columns=ColumnMatching.POSITION))
    assert positional.verdict is Verdict.INEQUIVALENT


def test_positional_sinks_care_for_the_order_of_columns() -> None:
    p, q = version("INSERT INTO x SELECT a, b FROM t"), version("INSERT INTO x SELECT b, a FROM t")
    assert verify(p, q).verdict is Verdict.INEQUIVALENT


def test_insert_goes_by_position_and_not_by_name() -> None:
    p, q = version("INSERT INTO o SELECT a AS x FROM t"), version("INSERT INTO o SELECT a FROM t")
    report = verify(p, q)
    assert report.verdict is Verdict.EQUIVALENT
    assert [caveat_text(c) for c in report.sinks[0].caveats] == [
        "the column names are different; the table takes columns by position"
    ]


def test_a_written_table_is_one_choice_and_two_subqueries_are_two() -> None:
    one = "(SELECT a FROM t LIMIT 1)"
    written = f"CREATE TABLE x AS {one[1:-1]}; SELECT p.a = q.a AS e FROM"
    p = version(f"{written} x AS p CROSS JOIN x AS q")
    q = version(f"{written} {one} AS p CROSS JOIN {one} AS q")
    assert verify(p, q).verdict is Verdict.UNKNOWN


def test_types_by_value_let_integer_widths_pass() -> None:
    p, q = version("SELECT a FROM t"), version("SELECT CAST(a AS BIGINT) AS a FROM t")
    assert verify(p, q, Comparison(types=TypeMatching.VALUE)).verdict is Verdict.EQUIVALENT
    assert verify(p, q).verdict is Verdict.INEQUIVALENT
    q = version("SELECT CAST(a AS STRING) AS a FROM t")
    assert verify(p, q, Comparison(types=TypeMatching.VALUE)).verdict is Verdict.INEQUIVALENT


def test_added_and_removed_sinks_make_the_pair_unknown() -> None:
    one = "INSERT INTO x SELECT a FROM t; INSERT INTO y SELECT b FROM t"
    other = "INSERT INTO x SELECT a FROM t; INSERT INTO z SELECT b FROM t"
    report = verify(version(one), version(other))
    assert {(s.p, s.q, s.verdict.value) for s in report.sinks} == {
        ("x", "x", "equivalent"),
        ("y", "", "unknown"),
        ("", "z", "unknown"),
    }
    assert report.verdict is Verdict.UNKNOWN


def test_a_table_declared_with_other_columns_is_another_table() -> None:
    p = version("SELECT a FROM t", "CREATE TABLE t (a INT)")
    q = version("SELECT a FROM t", "CREATE TABLE t (a INT, b INT)")
    assert verify(p, q).verdict is Verdict.UNKNOWN


def test_a_verdict_is_no_truth_value() -> None:
    with pytest.raises(TypeError):
        bool(Verdict.EQUIVALENT)


@pytest.mark.parametrize("strategy", SearchStrategy)
@pytest.mark.parametrize("without", [(), (Optimization.QUICK,), tuple(Optimization)])
def test_every_strategy_proves_and_refutes(
    strategy: SearchStrategy, without: tuple[Optimization, ...]
) -> None:
    asked = Comparison(strategy=strategy, without=without)
    text = "SELECT a, COUNT(*) AS n FROM t WHERE {} GROUP BY a"
    p, q, r = (version(text.format(c)) for c in ("a > 1", "NOT a <= 1", "a > 2"))
    report = verify(p, q, asked)
    assert report.verdict is Verdict.EQUIVALENT
    used = [w for w in report.sinks[0].windows if w.used]
    assert len(used) == 1 and used[0].shown[0]
    assert verify(p, r, asked).verdict is Verdict.INEQUIVALENT


def test_windows_go_around_what_nobody_can_read() -> None:
    """A limit with ties makes a choice; what is below and above it is proven in two windows."""
    text = "SELECT a FROM (SELECT a, b FROM t WHERE {} LIMIT 3) AS x WHERE {}"
    p, q = version(text.format("a > 1", "b > 2")), version(text.format("a + a > 2", "b + b > 5"))
    report = verify(p, q)
    assert report.verdict is Verdict.EQUIVALENT
    assert reason_text(report.sinks[0].reason) == "proven by algebra and spes in 2 windows"
    assert isinstance(report.sinks[0].assumptions[0], SameChoice)
