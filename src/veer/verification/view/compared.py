"""The data of a verification that the interactive view needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from veer.refute import Refutation
from veer.verdict import SinkReport, TableSemantics
from veer.verification.proof import Proof
from veer.verification.versions import VersionPair

if TYPE_CHECKING:
    from veer.verification.view.graph import Graph

FORMAT = 1


@final
@dataclass(frozen=True)
class Compared:
    """Both versions, with the proofs and refutations of their sinks, by the ids of these."""

    pair: VersionPair
    semantics: TableSemantics
    proofs: Mapping[tuple[str, str], Proof]
    refutations: Mapping[tuple[str, str], Refutation]

    def data(self, sinks: Sequence[SinkReport]) -> dict[str, Any]:
        """The graph, and for each sink its steps and the way of its witness."""
        steps = [self._steps(sink) for sink in sinks]
        traces = [self._trace(sink) for sink in sinks]
        graph = self._graph
        return {
            "format": FORMAT,
            **graph.data(steps, traces, sinks),
            "sinks": [
                {
                    "p": graph.place_p.get(sink.p),
                    "q": graph.place_q.get(sink.q),
                    "steps": shown_steps,
                    "windows": [graph.places(w.p, w.q) for w in sink.windows],
                    "resisted": _resisted(graph, sink),
                    "trace": trace,
                }
                for sink, shown_steps, trace in zip(sinks, steps, traces, strict=True)
            ],
        }

    @cached_property
    def _graph(self) -> Graph:
        from veer.verification.view.graph import Graph

        return Graph(self.pair, self.semantics)

    def _steps(self, sink: SinkReport) -> list[dict[str, Any]]:
        from veer.verification.view.steps import proof_steps

        proof = self.proofs.get((sink.p, sink.q))
        return [] if proof is None else proof_steps(proof, self.pair, self._graph, sink.windows)

    def _trace(self, sink: SinkReport) -> dict[str, Any] | None:
        from veer.verification.view.trace import traced

        refutation = self.refutations.get((sink.p, sink.q))
        if refutation is None or sink.witness is None or not sink.witness.tables:
            return None
        return traced(refutation, sink.witness, self.pair, self._graph)


def _resisted(graph: Graph, sink: SinkReport) -> list[int]:
    """The ends of the smallest part of an unknown that resisted."""
    return [] if sink.resisted is None else graph.places((sink.resisted.p,), (sink.resisted.q,))
