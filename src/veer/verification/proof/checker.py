"""The checker: it knows neither search nor solver; what it accepts is EQUIVALENT, nothing else is.

It believes nothing a step says of itself. What a step must rest on it derives anew by the step's rule,
and each of those claims must follow from one proven by an earlier step; so all claims hold, by
induction over the steps. It builds the query pair of a step closed by a verifier itself, and asks
that verifier. What it trusts: the rules and the analyses they use, the verifiers, and `normalize`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, assert_never

from veer.assumptions import (
    Assumption,
    BatchIndependent,
    KeyAssumption,
    KeyHolds,
    LeafKeyHolds,
    SameChoice,
    in_order,
)
from veer.facts.determinism import chooses_by_batches, has_batched, keys_relied_on, operator_kind
from veer.facts.facts import facts
from veer.functions.registry import Kind
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.ir.pprint import brief
from veer.ir.query_pair import QueryPair
from veer.reasons import UnknownVerifier
from veer.rewrite.normalize import keys_relied_on_by_normalizing, normalized
from veer.verdict import Answer, Verdict
from veer.verification.proof import claims
from veer.verification.proof.leaves import query_pair
from veer.verification.proof.rules import by_congruence, by_passing_through

Ask: TypeAlias = Callable[[str, QueryPair], Answer]


def ask_nobody(ev: str, pair: QueryPair) -> Answer:
    """No verifier: only proofs by congruence are accepted."""
    del pair
    return Answer(Verdict.UNKNOWN, UnknownVerifier(ev))


def check(
    proof: claims.Proof,
    p: Dataflow,
    q: Dataflow,
    goal: claims.Claim,
    ask: Ask = ask_nobody,
    choices: dict[str, str] | None = None,
) -> tuple[Assumption, ...]:
    """Accept a proof of `goal`, giving the assumptions it rests on, or raise `ProofError`.

    `ask` gives the answer of a verifier, by name, on a query pair. `choices` are those paired by
    proofs of other sinks, and grow: what is one choice for one sink is one for all.
    """
    if not proof.steps:
        raise claims.ProofError("a proof has a step")
    cones = (p.ancestors(goal.p), q.ancestors(goal.q))
    proven: dict[tuple[str, str], list[claims.Claim]] = {}
    assumptions: list[Assumption] = []
    chosen = dict(choices or {})
    for step in proof.steps:
        claim = step.claim
        # Also that no choice is paired for the sake of a claim that nobody needs.
        if claim.p not in cones[0] or claim.q not in cones[1]:
            raise claims.ProofError(
                f"{claim.p!r} ~ {claim.q!r} is outside what the sinks depend on"
            )
        for leaf in step.leaves:
            if not any(
                claims.implies(earlier, leaf) for earlier in proven.get((leaf.p, leaf.q), ())
            ):
                raise claims.ProofError(f"{leaf.p!r} ~ {leaf.q!r} is used before it is proven")
        assumptions += _check_step(step, p, q, ask, chosen)
        proven.setdefault((claim.p, claim.q), []).append(claim)
    if not any(claims.implies(step.claim, goal) for step in proof.steps):
        raise claims.ProofError("no step claims what is to be shown")
    if choices is not None:
        choices.update(chosen)
    return tuple(dict.fromkeys(assumptions))


def _check_step(
    step: claims.Step, p: Dataflow, q: Dataflow, ask: Ask, chosen: dict[str, str]
) -> Sequence[Assumption]:
    """What a step rests on, if its leaves give its claim by its rule; else `ProofError`."""
    match step:
        case claims.CongruenceStep():
            return _check_congruence(step, p, q, chosen)
        case claims.PassThroughStep():
            _require(step, by_passing_through(p, q, step.claim, in_p=step.in_p))
            return ()
        case claims.SinkStep():
            _check_sink(step, p, q)
            return ()
        case claims.VerifierStep():
            return _check_verifier(step, p, q, ask)
        case claims.NormalizedStep():
            return _check_normalized(step, p, q, ask, chosen)
        case _:
            assert_never(step)


def _check_congruence(
    step: claims.CongruenceStep, p: Dataflow, q: Dataflow, chosen: dict[str, str]
) -> Sequence[Assumption]:
    """The same operator on inputs proven equal; a choice must be the same choice.

    That both versions choose alike on the same input is an assumption, and named as one.
    """
    claim = step.claim
    for needed in by_congruence(p, q, claim, [(leaf.p, leaf.q) for leaf in step.leaves]):
        _require(step, needed)
    if operator_kind(p, claim.p) is Kind.CHOICE:
        # One choice of P is one choice of Q: two samples are never merged into one.
        if chosen.setdefault(f"p:{claim.p}", claim.q) != claim.q:
            raise claims.ProofError(
                f"{claim.p!r} can give different results on the same input and is paired twice"
            )
        if chosen.setdefault(f"q:{claim.q}", claim.p) != claim.p:
            raise claims.ProofError(
                f"{claim.q!r} can give different results on the same input and is paired twice"
            )
        return _of_choice(p, claim)
    return _of_tables([*keys_relied_on(p, claim.p), *keys_relied_on(q, claim.q)])


def _of_choice(p: Dataflow, claim: claims.Claim) -> list[Assumption]:
    """What is assumed of a choice: that it is the same; of functions of batches, that it is none."""
    shown = brief(p.operators[claim.p])
    assumed: list[Assumption] = []
    if not chooses_by_batches(p, claim.p):
        assumed.append(SameChoice(claim.p, claim.q, shown))
    if has_batched(p.operators[claim.p]):
        assumed.append(BatchIndependent(claim.p, claim.q, shown))
    return assumed


def _check_normalized(
    step: claims.NormalizedStep, p: Dataflow, q: Dataflow, ask: Ask, chosen: dict[str, str]
) -> Sequence[Assumption]:
    """The inner steps are a proof about the normalized versions, whose sinks show the same.

    A version and its normal form have the same sinks with the same possible results, so a claim on
    those carries over. No other signal need exist in both.
    """
    if step.claim.p not in p.sinks or step.claim.q not in q.sinks:
        raise claims.ProofError("only the sinks of a normalized version show the same")
    # Choices keep their ids, so that pairs made inside and outside are the same pairs.
    inner = check(claims.Proof(step.inner), normalized(p), normalized(q), step.claim, ask, chosen)
    relied = [key for side in (p, q) for key in keys_relied_on_by_normalizing(side)]
    return [*inner, *_of_tables(relied)]


def _require(step: claims.CongruenceStep | claims.PassThroughStep, needed: claims.Claim) -> None:
    if not any(claims.implies(leaf, needed) for leaf in step.leaves):
        raise claims.ProofError(
            f"nothing shows {needed.p!r} ~ {needed.q!r} as {needed.semantics.value}"
        )


def _check_verifier(
    step: claims.VerifierStep, p: Dataflow, q: Dataflow, ask: Ask
) -> Sequence[Assumption]:
    """The verifier says so of the query pair between the leaves and the claim.

    A verifier takes every operator for a function, so none between may make a choice.
    """
    pair = query_pair(step, p, q)
    for name, side in (("before", pair.p), ("after", pair.q)):
        for id_ in side.order:
            if operator_kind(side, id_) in (Kind.CHOICE, Kind.PARTITION):
                raise claims.ProofError(
                    f"operator {id_!r} ({name}) can give different results on the same input"
                )
    answer = ask(step.ev, pair)
    if answer.verdict is not Verdict.EQUIVALENT:
        raise claims.NotShownError(step.ev, answer.reason)
    declared = [a for a in answer.assumptions if not isinstance(a, LeafKeyHolds)]
    if len(declared) < len(answer.assumptions):
        # A key of a leaf follows from declared ones, or from none. Which of them the verifier used
        # is not known, so those of all keys are named.
        signals = ((d, i) for leaf in step.leaves for d, i in ((p, leaf.p), (q, leaf.q)))
        keys = (key for dataflow, id_ in signals for key in facts(dataflow, id_).keys)
        declared += _of_tables([one for key in keys for one in in_order(key.relied)])
    return declared


def _of_tables(keys: Sequence[KeyAssumption]) -> list[Assumption]:
    """Keys as assumptions about a user's tables; a version has no leaves."""
    if any(isinstance(key, LeafKeyHolds) for key in keys):
        raise claims.ProofError("a leaf of another proof stands in a version")
    return [key for key in keys if isinstance(key, KeyHolds)]


def _check_sink(step: claims.SinkStep, p: Dataflow, q: Dataflow) -> None:
    """Two sinks show the same rows if what they show of their inputs is proven equal."""
    claim = step.claim
    sinks = (p.operators[claim.p], q.operators[claim.q])
    if not all(isinstance(sink, Sink) for sink in sinks):
        raise claims.ProofError(f"{claim.p!r} ~ {claim.q!r} are not sinks")
    places_p, places_q = (
        sink.places(side.schemas[side.inputs[id_][0]])
        for sink, side, id_ in zip(sinks, (p, q), (claim.p, claim.q), strict=True)
        if isinstance(sink, Sink)
    )
    if claim.columns is None:
        if len(places_p) != len(places_q):
            raise claims.ProofError("the sinks show different numbers of columns")
        columns = tuple((i, i) for i in range(len(places_p)))
    else:
        columns = claim.columns
        # Each column of either sink once: else a sink would show what nobody proved.
        every = [list(range(len(places))) for places in (places_p, places_q)]
        if [sorted(i for i, _ in columns), sorted(j for _, j in columns)] != every:
            raise claims.ProofError("a column of a sink is not claimed, or twice")
    below = tuple(sorted((places_p[i], places_q[j]) for i, j in columns))
    (a,), (b,) = p.inputs[claim.p], q.inputs[claim.q]
    for leaf in step.leaves:
        if (leaf.p, leaf.q) != (a, b):
            continue
        if not leaf.semantics.implies(claim.semantics):
            continue
        if leaf.columns is None and all(i == j for i, j in below):
            return
        if leaf.columns is not None and set(below) <= set(leaf.columns):
            return
    raise claims.ProofError(f"nothing shows {a!r} ~ {b!r} on the columns of the sinks")
