"""Timestamps of a witness as clocks show them in the time zone that both versions ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.zone_rules import offset_at, wall_clock
from veer.functions.zones import is_zoned
from veer.ir import expr as ex, types as ty
from veer.ir.dag import Dataflow
from veer.ir.walk import operator_exprs, parts, subqueries


def zone_asked(*dataflows: Dataflow) -> str | None:
    """The one time zone that dataflows ask for; None if they ask for none, or for several."""
    zones = {zone for dataflow in dataflows for zone in _zones(dataflow)}
    return zones.pop() if len(zones) == 1 else None


def _zones(dataflow: Dataflow) -> Iterator[str]:
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        for part in (part for expr in operator_exprs(operator) for part in parts(expr)):
            match part:
                case ex.Call(name, (*_, ex.Literal(str() as zone))) if is_zoned(name):
                    yield zone
        for query in subqueries(operator):
            yield from _zones(query)


def shown_row(row: Sequence[Any], types: Sequence[ty.DataType], zone: str) -> list[Any]:
    """A row with its timestamps as texts, each with what clocks are ahead of UTC."""
    return [
        instant_text(v, zone) if isinstance(t, ty.TimestampType) and isinstance(v, datetime) else v
        for v, t in zip(row, types, strict=True)
    ]


def instant_text(instant: datetime, zone: str) -> str:
    """An instant as clocks show it in a zone: `2024-10-27 02:30:00+01:00`; else in UTC."""
    try:
        shown, ahead = wall_clock(instant, zone), offset_at(instant, zone)
    except UnsupportedError:
        shown, ahead = instant, timedelta(0)
    minutes = abs(ahead) // timedelta(minutes=1)
    sign = "-" if ahead < timedelta(0) else "+"
    return f"{shown}{sign}{minutes // 60:02d}:{minutes % 60:02d}"
