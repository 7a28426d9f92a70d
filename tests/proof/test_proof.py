"""The checker accepts proofs and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from veer.api import Comparison, Version, verify
from veer.assumptions import KeyHolds, LeafKeyHolds, SameChoice
from veer.facts.fingerprint import fingerprints
from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair
from veer.options import SearchStrategy
from veer.prove.verifiers.registry import get
from veer.read.sql import read_sql
from veer.read.workflow.reader import read_workflow
from veer.reasons import Message, NeverAsked, NotShown, UnknownVerifier
from veer.show.wording import reason_text
from veer.verdict import Answer, TableSemantics, Verdict
from veer.verification.proof import (
    Claim,
    CongruenceStep,
    Proof,
    ProofError,
    SinkStep,
    VerifierStep,
    check,
    query_pair,
)
from veer.verification.search.attempts import Attempts
from veer.verification.search.congruence import congruent_steps, prove
from veer.verification.search.whole import prove_whole

SCHEMA = "CREATE TABLE t (a INT, b INT); CREATE TABLE u (a INT)"
TEXT = "SELECT t.a, COUNT(*) AS n FROM t JOIN u ON t.a = u.a WHERE t.b > 1 GROUP BY t.a"
BAG, SET, ORDERED = TableSemantics.BAG, TableSemantics.SET, TableSemantics.ORDERED_BAG


def changed(step: Any, **fields: Any) -> Any:
    """A step with other fields, whatever its rule."""
    return replace(step, **fields)


def flow(text: str = TEXT) -> Dataflow:
    return read_sql(text, SCHEMA)


def proven(p: Dataflow, q: Dataflow, semantics: TableSemantics = BAG) -> tuple[Proof, Claim]:
    width = len(p.result_schema)
    goal = Claim("result", "result", semantics, tuple((i, i) for i in range(width)))
    proof = prove(p, q, goal)
    assert isinstance(proof, Proof)
    return proof, goal


@pytest.mark.parametrize("semantics", TableSemantics)
def test_a_proof_by_congruence_is_accepted(semantics: TableSemantics) -> None:
    p, q = flow(), flow()
    proof, goal = proven(p, q, semantics)
    assert check(proof, p, q, goal) == ()


def test_a_step_left_out_is_noticed() -> None:
    p, q = flow(), flow()
    proof, goal = proven(p, q)
    for index in range(len(proof.steps)):
        cut = Proof(proof.steps[:index] + proof.steps[index + 1 :])
        with pytest.raises(ProofError):
            check(cut, p, q, goal)


def test_steps_in_another_order_are_noticed() -> None:
    p, q = flow(), flow()
    proof, goal = proven(p, q)
    with pytest.raises(ProofError):
        check(Proof(proof.steps[::-1]), p, q, goal)


def test_a_proof_of_other_dataflows_is_refused() -> None:
    p, q = flow(), flow()
    proof, goal = proven(p, q)
    for other in ("t.b > 2", "t.b >= 1"):
        with pytest.raises(ProofError):
            check(proof, p, flow(TEXT.replace("t.b > 1", other)), goal)
    with pytest.raises(ProofError):
        check(proof, p, flow(TEXT.replace("JOIN", "LEFT JOIN")), goal)


def test_a_weaker_claim_does_not_prove_a_stronger_one() -> None:
    p, q = flow(), flow()
    for weak, strong in ((SET, BAG), (BAG, ORDERED)):
        proof, goal = proven(p, q, weak)
        assert check(proof, p, q, goal) == ()
        with pytest.raises(ProofError):
            check(proof, p, q, replace(goal, semantics=strong))
    proof, goal = proven(p, q, BAG)
    assert check(proof, p, q, replace(goal, semantics=SET)) == ()


def test_leaves_weakened_to_sets_do_not_carry_a_bag() -> None:
    p, q = flow(), flow()
    proof, goal = proven(p, q)
    weak: dict[Claim, Claim] = {}
    steps = []
    for step in proof.steps[:-2]:
        claim = replace(step.claim, semantics=SET)
        weak[step.claim] = claim
        leaves = tuple(weak[c] for c in step.leaves)
        steps.append(changed(step, claim=claim, leaves=leaves))
    last, sink = proof.steps[-2:]
    steps += [changed(last, leaves=tuple(weak[c] for c in last.leaves)), sink]
    with pytest.raises(ProofError):
        check(Proof(tuple(steps)), p, q, goal)


def test_columns_crossed_at_the_sink_are_refused() -> None:
    text = "SELECT a, b FROM t"
    p, q = flow(text), flow(text)
    proof, goal = proven(p, q)
    crossed = replace(goal, columns=((0, 1), (1, 0)))
    steps = (*proof.steps[:-1], replace(proof.steps[-1], claim=crossed))
    with pytest.raises(ProofError):
        check(Proof(steps), p, q, crossed)


def test_a_column_that_is_not_claimed_is_refused() -> None:
    text = "SELECT a, b FROM t"
    p, q = flow(text), flow(text)
    proof, goal = proven(p, q)
    fewer = replace(goal, columns=((0, 0),))
    steps = (*proof.steps[:-1], replace(proof.steps[-1], claim=fewer))
    with pytest.raises(ProofError):
        check(Proof(steps), p, q, fewer)


def sampled(shared: bool) -> Dataflow:
    """A table joined with itself after sampling: one sample used twice, or two samples."""
    sample = {"type": "filter", "predicate": "rand() > 0.5"}
    operators = {
        "t": {"type": "source", "columns": {"a": "int"}},
        "x": sample,
        "j": {"type": "join", "kind": "cross"},
        "result": {"type": "sink"},
    }
    links = [["t", "x"], ["x", "j", 0], ["x" if shared else "y", "j", 1], ["j", "result"]]
    if not shared:
        operators["y"] = sample
        links.append(["t", "y"])
    return read_workflow(json.dumps({"operators": operators, "links": links}))


def test_two_samples_are_never_merged_into_one() -> None:
    p, q = sampled(shared=False), sampled(shared=True)
    goal = Claim("result", "result", BAG, ((0, 0), (1, 1)))
    proof = prove(p, q, goal)
    assert isinstance(proof, Proof)  # congruence alone would merge them
    with pytest.raises(ProofError, match="paired twice"):
        check(proof, p, q, goal)
    same, goal = proven(p, sampled(shared=False))
    assert len(check(same, p, sampled(shared=False), goal)) == 2


def test_a_limit_needs_the_order_of_its_input_proven() -> None:
    p = flow("SELECT a FROM t ORDER BY a LIMIT 1")
    proof, goal = proven(p, p)
    weak: dict[Claim, Claim] = {}
    steps = []
    for step in proof.steps[:-1]:
        claim = replace(step.claim, semantics=BAG)
        weak[step.claim] = claim
        leaves = tuple(weak[c] for c in step.leaves)
        steps.append(changed(step, claim=claim, leaves=leaves))
    steps.append(changed(proof.steps[-1], leaves=tuple(weak[c] for c in proof.steps[-1].leaves)))
    with pytest.raises(ProofError, match="as ordered"):
        check(Proof(tuple(steps)), p, p, goal)


@dataclass(frozen=True)
class BeliefStep:
    """A step of a kind that the checker does not know."""

    claim: Claim
    leaves: tuple[Claim, ...] = ()


def test_unknown_rules_and_empty_proofs_are_refused() -> None:
    p, q = flow(), flow()
    proof, goal = proven(p, q)
    with pytest.raises(ProofError):
        check(Proof(()), p, q, goal)
    forged = (*proof.steps[:-1], BeliefStep(goal))
    with pytest.raises(AssertionError):
        check(Proof(forged), p, q, goal)  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", [((0, 0), (0, 0)), ((0, 0), (-1, -1)), ((0, 0), (7, 7))])
def test_columns_of_a_sink_are_claimed_once_each(columns: tuple[tuple[int, int], ...]) -> None:
    p = q = read_sql("SELECT a, b FROM t", "CREATE TABLE t (a INT, b INT)")
    proof, goal = proven(p, q)
    goal = replace(goal, columns=columns)
    with pytest.raises(ProofError, match="not claimed"):
        check(Proof((*proof.steps[:-1], replace(proof.steps[-1], claim=goal))), p, q, goal)


def test_equal_sets_are_not_counted_alike() -> None:
    p = q = read_sql("SELECT COUNT(*) AS n FROM t", "CREATE TABLE t (a INT)")
    proof, goal = proven(p, q, TableSemantics.SET)

    def as_set(claim: Claim) -> Claim:
        return replace(claim, semantics=TableSemantics.SET)

    steps = tuple(
        changed(s, claim=as_set(s.claim), leaves=tuple(map(as_set, s.leaves))) for s in proof.steps
    )
    with pytest.raises(ProofError, match="as bag"):
        check(Proof(steps), p, q, goal)


# -- steps closed by a verifier ------------------------------------------------------------------

MOVED = "SELECT t.a, COUNT(*) AS n FROM (SELECT * FROM t WHERE b > 1) AS t JOIN u ON t.a = u.a GROUP BY t.a"


def proven_by_ev(p: Dataflow, q: Dataflow) -> tuple[Proof, Claim, Attempts]:
    goal = Claim("result", "result", BAG, tuple((i, i) for i in range(len(p.result_schema))))
    attempts = Attempts()
    proof = prove_whole(p, q, goal, [get("spes")], attempts)
    assert isinstance(proof, Proof), proof
    return proof, goal, attempts


def test_an_answer_closes_a_step() -> None:
    p, q = flow(), flow(MOVED)
    proof, goal, attempts = proven_by_ev(p, q)
    assert check(proof, p, q, goal, attempts.answer) == ()
    assert [s.ev for s in proof.steps if isinstance(s, VerifierStep)] == ["spes"]


def test_an_answer_is_needed_and_must_be_about_this_pair() -> None:
    p, q = flow(), flow(MOVED)
    proof, goal, attempts = proven_by_ev(p, q)
    with pytest.raises(ProofError) as error:
        check(proof, p, q, goal)
    assert error.value.reason == NotShown("spes", UnknownVerifier("spes"))
    other = flow(MOVED.replace("b > 1", "b > 2"))
    with pytest.raises(ProofError) as error:
        check(proof, p, other, goal, attempts.answer)
    assert error.value.reason == NotShown("spes", NeverAsked("spes"))
    lied = tuple(replace(s, ev="liar") if isinstance(s, VerifierStep) else s for s in proof.steps)
    with pytest.raises(ProofError) as error:
        check(Proof(lied), p, q, goal, attempts.answer)
    assert error.value.reason == NotShown("liar", NeverAsked("liar"))


def test_a_verifier_that_does_not_know_closes_nothing() -> None:
    p, q = flow(), flow(MOVED)
    proof, goal, _ = proven_by_ev(p, q)

    def unsure(ev: str, pair: QueryPair) -> Answer:
        return Answer(Verdict.UNKNOWN, Message("who knows"))

    with pytest.raises(ProofError) as error:
        check(proof, p, q, goal, unsure)
    assert error.value.reason == NotShown("spes", Message("who knows"))


def test_assumptions_of_an_answer_are_kept() -> None:
    p, q = flow(), flow(MOVED)
    proof, goal, _ = proven_by_ev(p, q)

    def sure(ev: str, pair: QueryPair) -> Answer:
        return Answer(Verdict.EQUIVALENT, None, (KeyHolds("t", ("a",)),))

    assert check(proof, p, q, goal, sure) == (KeyHolds("t", ("a",)),)


def test_a_key_of_a_leaf_is_no_assumption_but_what_it_follows_from() -> None:
    """Whatever its table is called: only a declared key of a table is assumed."""
    p, q = flow(), flow(MOVED)
    proof, goal, _ = proven_by_ev(p, q)

    def sure(ev: str, pair: QueryPair) -> Answer:
        return Answer(Verdict.EQUIVALENT, None, (LeafKeyHolds("t", ("a",)),))

    assert check(proof, p, q, goal, sure) == ()  # nothing is declared of t and u


def test_a_step_by_a_verifier_holds_no_choice() -> None:
    """Whatever the verifier says: it cannot know which rows a limit takes."""
    text = "SELECT a FROM (SELECT a FROM t LIMIT 1) AS x"
    p, q = flow(text), flow(text)
    goal = Claim("result", "result", BAG, ((0, 0),))
    top = Claim(p.inputs["result"][0], q.inputs["result"][0], BAG, ((0, 0),))
    proof = Proof((VerifierStep(top, (), "any"), SinkStep(goal, (top,))))

    def gullible(ev: str, pair: QueryPair) -> Answer:
        return Answer(Verdict.EQUIVALENT)

    with pytest.raises(ProofError, match="can give different results"):
        check(proof, p, q, goal, gullible)


def test_leaves_stand_for_what_is_computed_alike() -> None:
    """A choice below a leaf stays outside the step: one symbol, paired once."""
    limited = "(SELECT a, b FROM t LIMIT 3)"
    p = flow(f"SELECT a FROM {limited} AS x WHERE a > 1 AND b > 1")
    q = flow(f"SELECT a FROM {limited} AS x WHERE b > 1 AND a > 1")
    proof, goal, attempts = proven_by_ev(p, q)
    (assumed,) = check(proof, p, q, goal, attempts.answer)
    assert isinstance(assumed, SameChoice)
    (step,) = [s for s in proof.steps if isinstance(s, VerifierStep)]
    sides = query_pair(step, p, q)
    assert all(s.leaf for s in sides.p.sources.values())
    weak = tuple(replace(c, semantics=SET) for c in step.leaves)
    with pytest.raises(ProofError, match="too weak"):
        query_pair(replace(step, leaves=weak), p, q)


def test_one_choice_is_not_two() -> None:
    """P joins one sample with itself, Q joins two: no leaf may stand for both."""
    text = "SELECT a FROM t LIMIT 1"
    p = read_sql(
        f"CREATE TABLE x AS {text}; SELECT p.a = q.a AS e FROM x AS p CROSS JOIN x AS q", SCHEMA
    )
    q = flow(f"SELECT q.a = p.a AS e FROM ({text}) AS p CROSS JOIN ({text}) AS q")
    goal = Claim("result", "result", BAG, ((0, 0),))
    attempts = Attempts()
    found = prove_whole(p, q, goal, [get("algebra")], attempts)
    if isinstance(found, Proof):
        with pytest.raises(ProofError):
            check(found, p, q, goal, attempts.answer)


def test_an_order_from_below_a_leaf_is_not_shown_by_a_verifier() -> None:
    """Equal bags of rows taken from one order need not come in one order."""
    text = "SELECT {} AS v FROM (SELECT a, b FROM t ORDER BY a) AS x"
    p, q = flow(text.format("a")), flow(text.format("b"))
    goal = Claim("result", "result", ORDERED, ((0, 0),))
    below = [next(i for i in side.order if i.startswith("sort")) for side in (p, q)]
    top = Claim(p.inputs["result"][0], q.inputs["result"][0], ORDERED, ((0, 0),))
    steps, (leaf,) = congruent_steps(p, q, [(below[0], below[1])])
    proof = Proof((*steps, VerifierStep(top, (leaf,), "any"), SinkStep(goal, (top,))))

    def gullible(ev: str, pair: QueryPair) -> Answer:
        return Answer(Verdict.EQUIVALENT)

    with pytest.raises(ProofError, match="comes from below"):
        check(proof, p, q, goal, gullible)


def test_sorting_needs_a_bag_and_gives_an_order() -> None:
    text = "SELECT a FROM (SELECT a, b FROM t WHERE {}) AS x ORDER BY a LIMIT 2"
    p, q = (Version(c, flow(text.format(c)), False) for c in ("a > 1", "NOT a <= 1"))
    report = verify(p, q, Comparison(evs=("spes",), strategy=SearchStrategy.PLUS))
    assert report.verdict is Verdict.EQUIVALENT
    assert reason_text(report.sinks[0].reason) == "proven by spes"


def test_inputs_of_a_union_are_each_paired_once() -> None:
    """Two inputs of P cannot both be the one of Q that is proven equal to them."""
    p = flow("SELECT a FROM t UNION ALL SELECT a FROM t UNION ALL SELECT a FROM u")
    q = flow("SELECT a FROM u UNION ALL SELECT a FROM t UNION ALL SELECT a FROM u")
    (top,), (other,) = p.inputs["result"], q.inputs["result"]
    same = {
        (a, b)
        for a in p.inputs[top]
        for b in q.inputs[other]
        if fingerprints(p)[a] == fingerprints(q)[b]
    }
    steps, claims = congruent_steps(p, q, sorted(same))
    goal = Claim(top, other, BAG)
    last = CongruenceStep(goal, claims)
    with pytest.raises(ProofError, match="nothing shows"):
        check(Proof((*steps, last)), p, q, goal)
