"""Versions that only put columns elsewhere are proven by their normal forms; others never are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support import Case, load_cases
from veer.api import Comparison, Version, verify
from veer.assumptions import SameChoice
from veer.options import ColumnMatching
from veer.read.sql import read_sql
from veer.refute import Refutation, first_difference
from veer.rewrite.normalize import normalized
from veer.show.wording import assumption_text
from veer.verdict import TableSemantics, Verdict
from veer.verification.proof import Claim, NormalizedStep, Proof, ProofError, check
from veer.verification.search import congruence

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE);
CREATE TABLE u (k INT NOT NULL, a INT, c INT, PRIMARY KEY (k));
CREATE TABLE v (a INT, b INT, c INT);
CREATE TABLE e (k INT NOT NULL, n INT NOT NULL, s STRING, x INT, PRIMARY KEY (k, n))
"""


@pytest.mark.parametrize("case", load_cases("normalize.cases"), ids=lambda c: c.title)
def test_tidy(case: Case) -> None:
    p, q = (read_sql(text, SCHEMA) for text in case.texts)
    semantics = TableSemantics(case.options.get("semantics", "bag"))
    asked = Comparison(semantics, columns=ColumnMatching.POSITION)
    report = verify(Version("p", p, False), Version("q", q, False), asked)
    assert (report.verdict is Verdict.EQUIVALENT) == (case.options["expect"] == "equivalent")
    if report.verdict is Verdict.EQUIVALENT:
        assumed = " ".join(assumption_text(a) for a in report.sinks[0].assumptions)
        assert bool(assumed) == ("assume" in case.options)
        assert case.options.get("assume", "") in assumed
        columns = tuple((i, i) for i in range(len(p.result_schema)))
        attacked = Refutation.of(p, q, "result", "result", columns, semantics)
        assert first_difference(attacked, 200, seed=31) is None


P = "SELECT a, c FROM (SELECT a, b + 1 AS c FROM t) AS x WHERE c > 1 ORDER BY c LIMIT 3"
Q = "SELECT a, c FROM (SELECT a, b, b + 1 AS c FROM t WHERE b + 1 > 1) AS x ORDER BY b + 1 LIMIT 3"
GOAL = Claim("result", "result", TableSemantics.BAG, ((0, 0), (1, 1)))


def test_the_checker_makes_the_tidy_forms_itself() -> None:
    p, q, other = (read_sql(text, SCHEMA) for text in (P, Q, Q.replace("> 1", "> 2")))
    inner = congruence.prove(normalized(p), normalized(q), GOAL)
    assert isinstance(inner, Proof)
    step = NormalizedStep(GOAL, inner.steps)
    (assumed,) = check(Proof((step,)), p, q, GOAL)
    assert isinstance(assumed, SameChoice)
    wrong = (
        (step, other),  # shown of another version
        (replace(step, inner=inner.steps[1:]), q),
        (replace(step, inner=()), q),
        # A normal form shows nothing of the signals inside.
        (replace(step, claim=Claim("limit_1", "limit_1", TableSemantics.BAG)), q),
    )
    for made, version in wrong:
        with pytest.raises(ProofError):
            check(Proof((made,)), p, version, made.claim)


def test_a_choice_is_one_choice_in_tidy_forms_too() -> None:
    p, q = (read_sql(text, SCHEMA) for text in (P, Q))
    inner = congruence.prove(normalized(p), normalized(q), GOAL)
    assert isinstance(inner, Proof)
    proof = Proof((NormalizedStep(GOAL, inner.steps),))
    choices = {"p:limit_1": "another", "q:another": "limit_1"}
    with pytest.raises(ProofError, match="paired twice"):
        check(proof, p, q, GOAL, choices=choices)
