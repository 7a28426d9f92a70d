"""Both versions as one graph: an operator of P and the one of Q it became are one place.

P:  a -> b -> d      Q:  a -> c -> d      gives      a -> b -> d, a -> c -> d

A place has what became of its operator (`edit`; `relinked` is the same operator on other inputs), and
whether what it gives is known to be the same in both versions (`equal`): `congruence`, the same operators on the same sources give it; `proof`, a
step of a proof claims it; `covered`, it stands inside of proofs, and what leaves them is the same;
`differs`, its tables differ on a witness; else `open`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from veer.facts.determinism import operator_kind
from veer.facts.fingerprint import fingerprints
from veer.functions.registry import Kind
from veer.ir.dag import Dataflow
from veer.ir.pprint import brief
from veer.verdict import SinkReport, TableSemantics, Verdict
from veer.verification.search.obligations import obligations
from veer.verification.versions import VersionPair
from veer.verification.versions.differences import differences
from veer.verification.view.details import Details

Edit: TypeAlias = Literal["same", "changed", "relinked", "added", "removed"]
Equal: TypeAlias = Literal["congruence", "proof", "covered", "differs", "open"]

MOST_WITH_FACTS = 400  # places of which facts are derived: those changed and in windows first


class Graph:
    """The places of a version pair, numbered; operators of P that became none of Q come with P's."""

    def __init__(self, pair: VersionPair, semantics: TableSemantics) -> None:
        self.pair, self.semantics = pair, semantics
        removed = [(a, None) for a in pair.p.order if a not in pair.mapping.to_q]
        kept = [(pair.mapping.to_p.get(b), b) for b in pair.q.order]
        self.operators: list[tuple[str | None, str | None]] = [*kept, *removed]
        self.place_p = {a: i for i, (a, _) in enumerate(self.operators) if a is not None}
        self.place_q = {b: i for i, (_, b) in enumerate(self.operators) if b is not None}

    def places(self, p: Iterable[str], q: Iterable[str]) -> list[int]:
        """The places of some operators, each once; ids of normal forms may have none."""
        places = [self.place_p[a] for a in p if a in self.place_p]
        places += [self.place_q[b] for b in q if b in self.place_q]
        return list(dict.fromkeys(places))

    def data(
        self,
        steps: Sequence[Sequence[Mapping[str, Any]]],
        traces: Sequence[Mapping[str, Any] | None],
        sinks: Sequence[SinkReport],
    ) -> dict[str, Any]:
        """Operators, links and schemas, as the view draws them; of steps and traces a list per sink."""
        refuted = [s for s in sinks if s.verdict is Verdict.INEQUIVALENT]
        different = set(self.places([s.p for s in refuted], [s.q for s in refuted]))
        equal = self._equal(steps, traces, self._covered(sinks), different)
        of_interest = [i for sink in sinks for w in sink.windows for i in self.places(w.p, w.q)]
        edits = [self.edit(i) for i in range(len(self.operators))]
        first = [i for i, edit in enumerate(edits) if edit != "same"]
        ranked = dict.fromkeys([*first, *of_interest, *range(len(self.operators))])
        details = self._details(set(list(ranked)[:MOST_WITH_FACTS]))
        operators = [
            self._operator(i, edits[i], equal[i], details) for i in range(len(self.operators))
        ]
        return {"operators": operators, "links": self._links(), "schemas": details.schemas}

    def edit(self, place: int) -> Edit:
        """What became of an operator."""
        a, b = self.operators[place]
        if a is None:
            return "added"
        if b is None:
            return "removed"
        if self.pair.p.operators[a] != self.pair.q.operators[b]:
            return "changed"
        return "relinked" if self._reads_others(a, b) else "same"

    def _reads_others(self, a: str, b: str) -> bool:
        """Whether an operator reads, or ceased to read, one that both versions have.

        Where an operator was put below it or taken out, that one tells of the edit.
        """
        ours, theirs = self.pair.p.inputs[a], self.pair.q.inputs[b]
        to_q, to_p = self.pair.mapping.to_q, self.pair.mapping.to_p
        return any(
            (x is None or x in to_q) and (y is None or y in to_p) and (x is None or to_q[x] != y)
            for x, y in zip_longest(ours, theirs)
        )

    def _operator(self, place: int, edit: Edit, equal: Equal, details: Details) -> dict[str, Any]:
        a, b = self.operators[place]
        p = None if a is None else details.of(self.pair.p, a, place)
        q = None if b is None else details.of(self.pair.q, b, place)
        dataflow, id_ = (self.pair.q, b) if b is not None else (self.pair.p, a)
        assert id_ is not None
        operator = dataflow.operators[id_]
        told = {
            "kind": type(operator).__name__,
            "text": brief(operator),
            "edit": edit,
            "equal": equal,
            "p": p,
            "q": None if q is not None and q == p else q,  # nothing twice
            "in_q": b is not None,
        }
        if edit == "changed" and p and q and p["properties"] == q["properties"]:
            assert a is not None
            told["difference"] = differences(self.pair.p.operators[a], operator)
        return told

    def _details(self, with_facts: set[int]) -> Details:
        needs = {id(side): obligations(side, self.semantics) for side in (self.pair.p, self.pair.q)}
        return Details(needs, with_facts)

    # -- links -------------------------------------------------------------------------------------

    def _links(self) -> list[list[Any]]:
        """Links between places, with the versions that have them: both, p, q."""
        ours = self._placed(self.pair.p, self.place_p)
        theirs = self._placed(self.pair.q, self.place_q)
        both = [[*link, "both" if link in ours else "q"] for link in theirs]
        return both + [[*link, "p"] for link in ours if link not in theirs]

    def _placed(
        self, dataflow: Dataflow, places: Mapping[str, int]
    ) -> dict[tuple[int, int, int], None]:
        """The links of one version between places, in order."""
        return dict.fromkeys((places[x.src], places[x.dst], x.port) for x in dataflow.links)

    # -- what is known to be equal -------------------------------------------------------------------

    def _equal(
        self,
        steps: Sequence[Sequence[Mapping[str, Any]]],
        traces: Sequence[Mapping[str, Any] | None],
        covered: set[int],
        different: set[int],
    ) -> list[Equal]:
        """What is known of each place: by its operators alone, by a proof, by a witness."""
        claimed = {
            tuple(step["claim"]) for each in steps for step in each if not step["normalized"]
        }
        differing = {i for trace in traces if trace is not None for i in trace["differing"]}
        differing |= different  # sinks that a witness refutes
        equal: list[Equal] = []
        for place, (a, b) in enumerate(self.operators):
            is_claimed = (place, place) in claimed
            if a is not None and b is not None and self._is_congruent(a, b, is_claimed):
                equal.append("congruence")
            elif place in differing:
                equal.append("differs")
            elif is_claimed and place in covered:
                # A claim made for one sink may leave out what another one reads.
                equal.append("proof")
            elif place in covered:
                equal.append("covered")
            else:
                equal.append("open")
        return equal

    def _covered(self, sinks: Sequence[SinkReport]) -> set[int]:
        """The places whose output reaches proven sinks, and no others."""
        proven = [s for s in sinks if s.verdict is Verdict.EQUIVALENT]
        others = [s for s in sinks if s.verdict is not Verdict.EQUIVALENT]
        reached = self._below([s.p for s in proven], [s.q for s in proven])
        return reached - self._below([s.p for s in others], [s.q for s in others])

    def _below(self, p: Iterable[str], q: Iterable[str]) -> set[int]:
        """The places of operators of P and of Q, and of all that feeds them."""
        ours = self.pair.p.ancestors(*(a for a in p if a in self.place_p))
        theirs = self.pair.q.ancestors(*(b for b in q if b in self.place_q))
        return set(self.places(ours, theirs))

    def changed_below(self, p: str, q: str) -> list[int]:
        """The places below two signals that are not congruent: where the versions are different."""
        return [i for i in sorted(self._below([p], [q])) if not self._is_same_below(i)]

    def _is_same_below(self, place: int) -> bool:
        a, b = self.operators[place]
        return a is not None and b is not None and self._is_congruent(a, b, True)

    def _is_congruent(self, a: str, b: str, is_claimed: bool) -> bool:
        """Whether the same operators on the same sources give it; and each time, unless proven."""
        ours, theirs = fingerprints(self.pair.p)[a], fingerprints(self.pair.q)[b]
        return ours == theirs and (is_claimed or self._is_steady[b])

    @cached_property
    def _is_steady(self) -> Mapping[str, bool]:
        """For the signals of Q whether nothing below them is another each time."""
        steady: dict[str, bool] = {}
        for id_ in self.pair.q.order:
            kind = operator_kind(self.pair.q, id_)
            below = all(steady[i] for i in self.pair.q.inputs[id_])
            steady[id_] = below and kind in (Kind.PURE, Kind.RUN_CONSTANT)
        return steady
