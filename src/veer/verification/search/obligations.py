"""What must hold of a pair of signals for the sinks to be equal: the weakest claim that suffices.

Computed backwards (DESIGN's transfer table), for what both versions do above the pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from veer.facts.needs import Need, needs
from veer.ir.dag import Dataflow
from veer.verdict import TableSemantics
from veer.verification.proof import Claim, ProofError, claim_on, pairs_of

NOTHING = Need(TableSemantics.SET, frozenset())  # what is needed of a signal that nobody reads


def obligations(dataflow: Dataflow, asked: TableSemantics) -> dict[str, Need]:
    """For each signal what the sinks need of it."""
    shown = {s: Need(asked, frozenset(range(len(dataflow.schemas[s])))) for s in dataflow.sinks}
    return needs(dataflow, shown)


def weakest_claim(
    p: Dataflow, a: str, q: Dataflow, b: str, ours: Need | None, theirs: Need | None
) -> Claim:
    """The weakest claim about two signals that is enough for what stands above each of them.

    Columns belong together by name, or else by place. Raises `ProofError` if one has no partner.
    """
    ours, theirs = ours or NOTHING, theirs or NOTHING
    left, right = p.schemas[a], q.schemas[b]
    pairs: set[tuple[int, int]] = set()
    for one, other, columns in ((left, right, ours.columns), (right, left, theirs.columns)):
        for i in sorted(columns):
            field = one.fields[i]
            named = other.find(field.name, one.occurrence(i))
            places = [j for j in (named, i) if j is not None and j < len(other)]
            j = next((j for j in places if other.fields[j].type == field.type), None)
            if j is None:
                raise ProofError(f"{a!r} and {b!r} have other columns")
            pairs.add((i, j) if one is left else (j, i))
    return claim_on(p, a, q, b, ours.semantics | theirs.semantics, frozenset(pairs))


def leaf_claims(
    p: Dataflow, q: Dataflow, claim: Claim, leaves: Sequence[tuple[str, str]]
) -> tuple[Claim, ...]:
    """What must hold of some signals below for a step between them and a claim to make sense."""
    stops = {a for a, _ in leaves} - {claim.p}, {b for _, b in leaves} - {claim.q}
    ours, theirs = _needed_below(p, q, claim, stops)
    return tuple(
        dict.fromkeys(weakest_claim(p, a, q, b, ours.get(a), theirs.get(b)) for a, b in leaves)
    )


def _needed_below(
    p: Dataflow, q: Dataflow, claim: Claim, stops: tuple[set[str], set[str]]
) -> tuple[dict[str, Need], dict[str, Need]]:
    """What a claim needs of the signals of either side, down to where to stop."""
    pairs = pairs_of(claim, p, q)
    ours = Need(claim.semantics, frozenset(i for i, _ in pairs))
    theirs = Need(claim.semantics, frozenset(j for _, j in pairs))
    return needs(p, {claim.p: ours}, stops[0]), needs(q, {claim.q: theirs}, stops[1])


def leaf_claims_among(
    p: Dataflow,
    q: Dataflow,
    claim: Claim,
    leaves: Sequence[tuple[str, str]],
    proven: Callable[[str, str], Sequence[Claim]],
) -> tuple[Claim, ...]:
    """The same, of claims that are proven: columns belong together as those say.

    Raises `ProofError` if none of those about some signals is enough.
    """
    stops = {a for a, _ in leaves}, {b for _, b in leaves}
    needed = _needed_below(p, q, claim, stops)
    found: dict[Claim, None] = {}
    for a, b in leaves:
        ours, theirs = needed[0].get(a, NOTHING), needed[1].get(b, NOTHING)
        for known in proven(a, b):
            kept = _enough(known, ours, theirs, p, q)
            if kept is not None:
                found[kept] = None
                break
        else:
            raise ProofError(f"{a!r} ~ {b!r} is too weak for what stands above it")
    return tuple(found)


def _enough(known: Claim, ours: Need, theirs: Need, p: Dataflow, q: Dataflow) -> Claim | None:
    """What a proven claim says of what is needed, if it says all of that."""
    semantics = ours.semantics | theirs.semantics
    if not known.semantics.implies(semantics):
        return None
    every = pairs_of(known, p, q)
    pairs = frozenset((i, j) for i, j in every if i in ours.columns or j in theirs.columns)
    if not ours.columns <= {i for i, _ in pairs} or not theirs.columns <= {j for _, j in pairs}:
        return None
    return claim_on(p, known.p, q, known.q, semantics, pairs)
