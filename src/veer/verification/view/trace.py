"""The rows of a witness on their way through both versions, and where they part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veer.interpreter import Signal
from veer.ir.schema import Schema
from veer.refute import Refutation, signals_on
from veer.refute.shown_instants import shown_row, zone_asked
from veer.verdict import Witness
from veer.verification.versions import VersionPair
from veer.verification.view.first_difference import Parting
from veer.verification.view.graph import Graph
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
    parting = Parting(refutation, pair, *signals)
    both = [(a, b) for b, a in parting.q.partner.items()]
    differing = [graph.place_q[b] for a, b in both if parting.differ(a, b)]
    zone = zone_asked(refutation.p, refutation.q)
    shown_p = _shown(refutation.p.schemas, signals[0], graph.place_p, zone)
    shown_q = _shown(refutation.q.schemas, signals[1], graph.place_q, zone)
    for a, b in dict.fromkeys([*both, (refutation.p_sink, refutation.q_sink)]):
        _mark(shown_p[graph.place_p[a]], shown_q[graph.place_q[b]], parting.alone(a, b))
    order = [*dict.fromkeys(graph.places((), refutation.q.order))]
    order += [i for i in graph.places(refutation.p.order, ()) if i not in order]
    return {
        "p": {str(place): table for place, table in shown_p.items()},
        "q": {str(place): table for place, table in shown_q.items()},
        "order": sorted(order, key=_depths(refutation, graph).__getitem__),
        "differing": differing,
        "parted": graph.places(*parting.parted()),
    }


def _mark(p: dict[str, Any], q: dict[str, Any], alone: tuple[list[int], list[int]]) -> None:
    """Tell of two tables which of their shown rows the other has not."""
    for table, rows in zip((p, q), alone, strict=True):
        table["alone"] = [i for i in rows if i < len(table["rows"])]


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
) -> dict[int, dict[str, Any]]:
    """The tables by place, as people read them; null is None."""
    shown = {}
    for id_, signal in signals.items():
        schema = schemas[id_]
        rows: Sequence[Sequence[Any]] = signal.rows[:MOST_ROWS]
        if zone is not None:
            rows = [shown_row(row, schema.types, zone) for row in rows]
        shown[places[id_]] = {
            "columns": list(schema.names),
            "rows": [[None if v is None else shown_value(v) for v in row] for row in rows],
            "count": len(signal.rows),
        }
    return shown
