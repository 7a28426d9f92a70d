"""The rows of a witness on their way through both versions, and where they part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from veer.interpreter import Signal
from veer.model.schema import Schema
from veer.refute import Refutation, same_rows, signals_on
from veer.refute.shown_instants import shown_row, zone_asked
from veer.verdict import Witness
from veer.versions import VersionPair
from veer.view.graph import Graph
from veer.visible import shown_value

MOST_ROWS = 40  # of a table that are shown


def traced(
    refutation: Refutation, witness: Witness, pair: VersionPair, graph: Graph
) -> dict[str, Any] | None:
    """The table of every operator on the witness, and the first operators that tell the versions apart.

    None where it cannot be run again: nobody knows what a function gives.
    """
    tables = {name: [tuple(row) for row in table["rows"]] for name, table in witness.tables.items()}
    signals = signals_on(refutation, tables)
    if signals is None:
        return None
    trace = _Trace(refutation, pair, *signals)
    differing = [graph.place_q[b] for a, b in trace.mapped() if trace.differ(a, b)]
    parted = trace.parted()
    zone = zone_asked(refutation.p, refutation.q)
    shown_p = _shown(refutation.p.schemas, signals[0], graph.place_p, zone)
    shown_q = _shown(refutation.q.schemas, signals[1], graph.place_q, zone)
    order = [*dict.fromkeys(graph.places((), refutation.q.order))]
    order += [i for i in graph.places(refutation.p.order, ()) if i not in order]
    return {
        "p": shown_p,
        "q": shown_q,
        "order": sorted(order, key=_depths(refutation, graph).__getitem__),
        "differing": differing,
        "parted": graph.places(*parted),
    }


@final
@dataclass
class _Trace:
    """What both versions make of one instance."""

    refutation: Refutation
    pair: VersionPair
    p: Mapping[str, Signal]
    q: Mapping[str, Signal]

    def mapped(self) -> list[tuple[str, str]]:
        """The operators that both versions have, inputs before what they feed."""
        to_p = self.pair.mapping.to_p
        return [(to_p[b], b) for b in self.refutation.q.order if to_p.get(b) in self.p]

    def differ(self, a: str, b: str) -> bool:
        """Whether two tables hold different rows in the columns that both have."""
        ours, theirs = self.refutation.p.schemas[a], self.refutation.q.schemas[b]
        shared = [
            (i, j)
            for i, f in enumerate(ours)
            if (j := theirs.find(f.name, ours.occurrence(i))) is not None
            and theirs.fields[j].type == f.type
        ]
        return not same_rows(self.refutation, (ours, self.p[a]), (theirs, self.q[b]), shared)

    def parted(self) -> tuple[list[str], list[str]]:
        """The first operators, of P and of Q, whose tables are not the same though their inputs are."""
        for a, b in self.mapped():
            if self.differ(a, b):
                return self._culprits(a, b)
        # Nothing differs by name: the sinks pair other columns, or the order of rows counts.
        return [self.refutation.p_sink], [self.refutation.q_sink]

    def _culprits(self, a: str, b: str) -> tuple[list[str], list[str]]:
        """Down from the first operators that differ, through those that only one version has."""
        ours, theirs = self.refutation.p.inputs[a], self.refutation.q.inputs[b]
        to_q = self.pair.mapping.to_q
        for x, y in zip(ours, theirs, strict=False):
            if to_q.get(x) == y or not self.differ(x, y):
                continue
            below = self._unmapped(x, y)
            if below is not None:
                return below
        return [a], [b]

    def _unmapped(self, x: str, y: str) -> tuple[list[str], list[str]] | None:
        """The operators of one version alone that make two inputs differ; None if they are others."""
        above_p: list[str] = []
        above_q: list[str] = []
        while self.differ(x, y):
            if y not in self.pair.mapping.to_p and self.refutation.q.inputs[y]:
                above_q = [y]
                y = self.refutation.q.inputs[y][0]
            elif x not in self.pair.mapping.to_q and self.refutation.p.inputs[x]:
                above_p = [x]
                x = self.refutation.p.inputs[x][0]
            else:
                return None
        return above_p, above_q


def _depths(refutation: Refutation, graph: Graph) -> dict[int, tuple[int, int]]:
    """How far from the sources each place is, in the version where that is more."""
    depths: dict[int, tuple[int, int]] = {}
    for dataflow, places in ((refutation.p, graph.place_p), (refutation.q, graph.place_q)):
        depth: dict[str, int] = {}
        for id_ in dataflow.order:
            depth[id_] = 1 + max((depth[i] for i in dataflow.inputs[id_]), default=0)
            place = places[id_]
            depths[place] = max(depths.get(place, (0, place)), (depth[id_], place))
    return depths


def _shown(
    schemas: Mapping[str, Schema],
    signals: Mapping[str, Signal],
    places: Mapping[str, int],
    zone: str | None,
) -> dict[str, Any]:
    """The tables by place, as people read them; null is None."""
    shown = {}
    for id_, signal in signals.items():
        schema = schemas[id_]
        rows: Sequence[Sequence[Any]] = signal.rows[:MOST_ROWS]
        if zone is not None:
            rows = [shown_row(row, schema.types, zone) for row in rows]
        shown[str(places[id_])] = {
            "columns": list(schema.names),
            "rows": [[None if v is None else shown_value(v) for v in row] for row in rows],
            "count": len(signal.rows),
        }
    return shown
