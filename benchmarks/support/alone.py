"""One verifier on whole pairs, without Veer around it: what the papers' tables count."""

from __future__ import annotations

from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers import registry
from veer.verdict import TableSemantics, Verdict

EVS = ("spes", "equitas", "spark_verifier", "udp", "wetune", "algebra")


def asked_semantics(name: str, semantics: TableSemantics) -> TableSemantics:
    """What a verifier is asked about: a set prover about sets."""
    only_sets = registry.get(name).semantics is TableSemantics.SET
    return TableSemantics.SET if only_sets else semantics


def alone(
    name: str,
    p: Dataflow,
    q: Dataflow,
    semantics: TableSemantics = TableSemantics.BAG,
    *,
    strict: bool = False,
    by_name: bool = False,
    ask: bool = True,
) -> Verdict | None:
    """What a verifier says of a whole pair by itself; None if it does not attempt it.

    `strict` asks only within what it is complete for; without `ask` what is attempted is UNKNOWN.
    """
    ev = registry.get(name)
    ev.relaxed = not strict
    pairs = _query_pairs(p, q, asked_semantics(name, semantics), by_name)
    if pairs is None or not all(map(ev.is_valid, pairs)):
        return None
    proven = ask and all(ev.decide(pair).verdict is Verdict.EQUIVALENT for pair in pairs)
    return Verdict.EQUIVALENT if proven else Verdict.UNKNOWN


def everyone(
    p: Dataflow, q: Dataflow, semantics: TableSemantics, *, by_name: bool
) -> dict[str, Verdict | None]:
    """What each verifier says alone; those of bags prove nothing that `algebra` does not."""
    strongest = alone("algebra", p, q, semantics, by_name=by_name)
    verdicts: dict[str, Verdict | None] = {}
    for name in EVS[:-1]:
        other = asked_semantics(name, semantics) is not semantics
        ask = other or strongest is Verdict.EQUIVALENT
        verdicts[name] = alone(name, p, q, semantics, by_name=by_name, ask=ask)
    return {**verdicts, "algebra": strongest}


def _query_pairs(
    p: Dataflow, q: Dataflow, semantics: TableSemantics, by_name: bool
) -> list[QueryPair] | None:
    """A query pair for each sink; None if sinks or columns have no partner."""
    pairs = []
    for sink in p.sinks:
        if sink not in q.sinks:
            return None
        ours, theirs = (d.restrict(d.ancestors(sink)) for d in (p, q))
        columns = _columns(ours, theirs, by_name=by_name)
        if columns is None:
            return None
        pairs.append(QueryPair(ours, theirs, semantics, columns))
    return pairs


def _columns(p: Dataflow, q: Dataflow, *, by_name: bool) -> tuple[tuple[int, int], ...] | None:
    """Result columns by position, or by name; None if one has no partner."""
    ours, theirs = ([n.lower() for n in d.result_schema.names] for d in (p, q))
    if len(ours) != len(theirs) or (by_name and sorted(ours) != sorted(theirs)):
        return None
    if by_name and len(set(ours)) == len(ours):
        return tuple((i, theirs.index(name)) for i, name in enumerate(ours))
    return tuple((i, i) for i in range(len(ours)))
