"""The rules that need no verifier: what must hold below for a claim to hold.

Each gives the weakest claims on the inputs from which the claim on the outputs follows, or raises
`ProofError`. The checker asks them what a step must rest on; the search asks them what to look for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import assert_never

from veer.facts.congruence import Pairs, everything, pairs_needed
from veer.facts.determinism import operator_kind
from veer.facts.fingerprint import identity
from veer.facts.needs import Need, passed_through, sees_everything, semantics_needed
from veer.functions.registry import Kind
from veer.ir.dag import Dataflow
from veer.ir.ops import Union
from veer.verdict import TableSemantics
from veer.verification.proof import claims as proof_claims


def same_operator(p: Dataflow, a: str, q: Dataflow, b: str) -> bool:
    """Whether two operators do the same to inputs of the same types, columns by position."""
    ours = [p.schemas[i] for i in p.inputs[a]]
    theirs = [q.schemas[i] for i in q.inputs[b]]
    same = identity(p.operators[a], ours) == identity(q.operators[b], theirs)
    return same and [s.types for s in ours] == [s.types for s in theirs]


def by_congruence(
    p: Dataflow, q: Dataflow, claim: proof_claims.Claim, mates: Collection[tuple[str, str]] = ()
) -> tuple[proof_claims.Claim, ...]:
    """What must hold of the inputs of two operators that do the same, for a claim on their outputs.

    The inputs of a union may come in any order: those are paired that are `mates`, as far as
    possible. Raises `ProofError` if the operators do different things as far as the claim is
    concerned.
    """
    one, two = p.operators[claim.p], q.operators[claim.q]
    below = p.inputs[claim.p], q.inputs[claim.q]
    if mates and isinstance(one, Union) and isinstance(two, Union):
        below = below[0], _paired(*below, mates)
    kind = operator_kind(p, claim.p)
    # The same operator may be a function on one side and a choice on the other: keys differ below.
    if kind != operator_kind(q, claim.q):
        raise proof_claims.ProofError(f"{claim.p!r} and {claim.q!r} differ in determinism")
    if kind is Kind.PARTITION:
        raise proof_claims.ProofError(f"{claim.p!r} depends on how rows are partitioned")
    wanted = proof_claims.pairs_of(claim, p, q)
    ours, theirs = ([d.schemas[i] for i in ids] for d, ids in zip((p, q), below, strict=True))
    needed: Sequence[Pairs | None] | None
    if sees_everything(one, kind):
        # The same choice from the same rows: then nothing of the inputs may differ.
        same = same_operator(p, claim.p, q, claim.q) and all(i == j for i, j in wanted)
        needed = [everything(*pair) for pair in zip(ours, theirs, strict=False)] if same else None
    else:
        in_order = claim.semantics is TableSemantics.ORDERED_BAG
        needed = pairs_needed(one, ours, two, theirs, wanted, in_order=in_order)
    if needed is None:
        raise proof_claims.ProofError(f"{claim.p!r} and {claim.q!r} are different operators")
    claims = []
    for port, (a, b, pairs) in enumerate(zip(*below, needed, strict=True)):
        assert pairs is not None
        read = {i for i, _ in wanted}
        semantics = semantics_needed(one, port, kind, claim.semantics, read)
        claims.append(proof_claims.claim_on(p, a, q, b, semantics, pairs))
    return tuple(claims)


def _paired(
    ours: Sequence[str], theirs: Sequence[str], mates: Collection[tuple[str, str]]
) -> tuple[str, ...]:
    """The inputs of Q, each at the place of its mate in P; the others fill what is left."""
    left = list(theirs)
    partners: list[str | None] = []
    for a in ours:
        b = next((b for b in left if (a, b) in mates), None)
        partners.append(b)
        if b is not None:
            left.remove(b)
    filled = (left.pop(0) if b is None and left else b for b in partners)
    return (*(b for b in filled if b is not None), *left)


def by_passing_through(
    p: Dataflow, q: Dataflow, claim: proof_claims.Claim, *, in_p: bool
) -> proof_claims.Claim:
    """What must hold below an operator of one side that changes nothing of what is claimed.

    Raises `ProofError` if it may change something.
    """
    pairs = proof_claims.pairs_of(claim, p, q)
    side, id_ = (p, claim.p) if in_p else (q, claim.q)
    need = Need(claim.semantics, frozenset(i if in_p else j for i, j in pairs))
    places = passed_through(side, id_, need)
    if places is None:
        raise proof_claims.ProofError(f"{id_!r} may change what is claimed")
    (below,) = side.inputs[id_]
    if in_p:
        moved = frozenset((places[i], j) for i, j in pairs)
        return proof_claims.claim_on(p, below, q, claim.q, claim.semantics, moved)
    moved = frozenset((i, places[j]) for i, j in pairs)
    return proof_claims.claim_on(p, claim.p, q, below, claim.semantics, moved)


def is_unseen_edit(step: proof_claims.Step, p: Dataflow, q: Dataflow) -> bool:
    """Whether a step passes over an edit that changes nothing of what is claimed."""
    match step:
        case proof_claims.PassThroughStep() | proof_claims.NormalizedStep():
            return True
        case proof_claims.CongruenceStep(claim=claim):
            # The same but for the places of columns, or for columns that nobody claims.
            differ = p.operators[claim.p] != q.operators[claim.q]
            return claim.columns is not None and differ
        case proof_claims.SinkStep() | proof_claims.VerifierStep():
            return False
        case _:
            assert_never(step)
