"""The whole pair as one question: congruence as far as possible, then one verifier for the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from veer.errors import InputError
from veer.facts.determinism import resting_on
from veer.facts.fingerprint import fingerprints
from veer.functions.registry import Kind
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.prove.verifiers.base import EV
from veer.reasons import Cause, Reason, SaidBy, several
from veer.verdict import Verdict
from veer.verification import proof
from veer.verification.search.attempts import Attempts
from veer.verification.search.congruence import congruent_steps
from veer.verification.search.paper.graph import entering

MOST_REASONS = 3  # of verifiers, the last ones


def prove_whole(
    p: Dataflow, q: Dataflow, goal: proof.Claim, evs: Sequence[EV], attempts: Attempts
) -> proof.Proof | Reason:
    """A proof with one step by a verifier, or why there is none.

    First over the highest signals both versions compute alike, where little is left to compare;
    then from the sources, where everything below is known.
    """
    reasons: dict[Reason | None, dict[str, None]] = {}
    top = top_claim(p, q, goal)
    for leaves in _cuts(p, q, top):
        steps, claims = congruent_steps(p, q, leaves)
        for ev in evs:
            step = proof.VerifierStep(top, claims, ev.name)
            try:
                answer = attempts.ask(ev, proof.query_pair(step, p, q))
            except (proof.ProofError, InputError) as error:
                reasons.setdefault(proof.reason_of(error), {})
                continue
            if answer.verdict is Verdict.EQUIVALENT:
                return proof.Proof((*steps, step, proof.SinkStep(goal, (top,))))
            reasons.setdefault(answer.reason, {})[ev.name] = None
    last = list(reasons.items())[-MOST_REASONS:]
    by_verifier = (SaidBy(tuple(evs), reason) if evs else reason for reason, evs in last)
    return several(r for r in by_verifier if r is not None) if last else Cause.NO_VERIFIER


def top_claim(p: Dataflow, q: Dataflow, goal: proof.Claim) -> proof.Claim:
    """What must hold of the signals that feed the sinks."""
    sinks = p.operators[goal.p], q.operators[goal.q]
    assert isinstance(sinks[0], ops.Sink) and isinstance(sinks[1], ops.Sink)
    (a,), (b,) = p.inputs[goal.p], q.inputs[goal.q]
    places = [sinks[0].places(p.schemas[a]), sinks[1].places(q.schemas[b])]
    columns = goal.columns or tuple((i, i) for i in range(len(places[0])))
    below = tuple(sorted({(places[0][i], places[1][j]) for i, j in columns}))
    return proof.Claim(a, b, goal.semantics, below)


def _cuts(p: Dataflow, q: Dataflow, top: proof.Claim) -> list[list[tuple[str, str]]]:
    """Leaves to try: pairs of signals computed alike, as high as they go; then the sources."""
    high = _highest(p, q, top)
    low = source_pairs(p, q, top)
    return [high] if high == low else [high, low]


def source_pairs(p: Dataflow, q: Dataflow, top: proof.Claim) -> list[tuple[str, str]]:
    """The sources below a claim that are the same in both versions."""
    return _paired(p, q, _sources(p, top.p), _sources(q, top.q))


def _sources(dataflow: Dataflow, start: str) -> list[str]:
    return [i for i in sorted(dataflow.ancestors(start)) if i in dataflow.sources]


def _highest(p: Dataflow, q: Dataflow, top: proof.Claim) -> list[tuple[str, str]]:
    """Signals computed alike, reached from above without passing another."""
    prints = fingerprints(p), fingerprints(q)
    starts = top.p, top.q
    below = [{prints[i][id_] for id_ in side.ancestors(starts[i])} for i, side in enumerate((p, q))]
    shared = below[0] & below[1]
    for _ in range(len(p.operators) + len(q.operators)):
        reached = [_reached(side, starts[i], prints[i], shared) for i, side in enumerate((p, q))]
        pairs = _paired(p, q, *reached)
        done = ({a for a, _ in pairs}, {b for _, b in pairs})
        lost = {prints[i][id_] for i in (0, 1) for id_ in reached[i] if id_ not in done[i]}
        if not lost:
            return pairs
        shared -= lost
    return []


def _reached(
    dataflow: Dataflow, start: str, prints: Mapping[str, str], shared: set[str]
) -> list[str]:
    def is_above(id_: str) -> bool:
        top = id_ == start and not isinstance(dataflow.operators[id_], ops.Source)
        return top or prints[id_] not in shared

    return sorted(entering(dataflow, start, is_above))


def _paired(
    p: Dataflow, q: Dataflow, ours: Sequence[str], theirs: Sequence[str]
) -> list[tuple[str, str]]:
    """Signals of equal fingerprint: all with all, but what makes a choice only one with one."""
    by_print: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for place, (side, ids) in enumerate(((p, ours), (q, theirs))):
        prints = fingerprints(side)
        for id_ in ids:
            by_print[prints[id_]][place].append(id_)
    pairs: list[tuple[str, str]] = []
    for left, right in by_print.values():
        if not left or not right:
            continue
        if left[0] in resting_on(p, Kind.CHOICE, Kind.PARTITION):
            pairs += zip(left, right, strict=False)
        else:
            pairs += [(a, right[0]) for a in left] + [(left[0], b) for b in right[1:]]
    return sorted(pairs)
