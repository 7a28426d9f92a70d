"""How sinks are written: values that survive JSON, those of earlier formats too or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from veer.errors import ParseError
from veer.ir.dag import Dataflow, Link
from veer.ir.json import from_json, to_json
from veer.ir.ops import Sink, Source
from veer.ir.pprint import show_operator
from veer.ir.schema import Field
from veer.ir.types import INT
from veer.ir.writes import AnyWrite, Insert, Write

SOURCE = Source("t", (Field("a", INT),))


def flow(sink: Sink) -> Dataflow:
    return Dataflow({"t": SOURCE, "out": sink}, [Link("t", "out")])


def stored(kind: str, target: str = "out") -> dict[str, Any]:
    """A dataflow as it was stored when `kind` said how a sink is written."""
    data = to_json(flow(Sink("out", target=target, positional=True)))
    data["operators"]["out"]["kind"] = kind
    return data


@pytest.mark.parametrize(
    ("write", "shown"),
    [
        (None, "Sink out (table to out)"),
        (Write("parquet", "overwrite"), "Sink out (parquet, overwrite to out)"),
        (
            Write("csv", "error", ("partitioned by a",), (("header", "true"),)),
            "Sink out (csv, error, partitioned by a, header=true to out)",
        ),
        (Insert(overwrite=False), "Sink out (appended table to out)"),
        (
            Insert(overwrite=True, by_name=True, settings=(("x", "y"),)),
            "Sink out (overwritten table, by name, x=y to out)",
        ),
    ],
)
def test_a_write_is_shown_and_survives_json(write: AnyWrite | None, shown: str) -> None:
    sink = Sink("out", target="out", write=write)
    again = from_json(json.loads(json.dumps(to_json(flow(sink)))))
    assert again.operators["out"] == sink
    assert show_operator(sink) == shown


def test_a_sink_without_a_write_is_stored_as_ever() -> None:
    """Digests of stored results are made of this."""
    assert to_json(flow(Sink("out")))["operators"]["out"] == {
        "is": "Sink",
        "name": "out",
        "kind": "table",
        "target": "",
        "columns": [],
        "positional": False,
    }
    assert "leaf" not in to_json(flow(Sink("out")))["operators"]["t"]


@pytest.mark.parametrize(
    ("kind", "overwrite"), [("appended table", False), ("overwritten table", True)]
)
def test_an_insert_of_an_earlier_format_is_read(kind: str, overwrite: bool) -> None:
    sink = from_json(stored(kind)).operators["out"]
    assert sink == Sink("out", target="out", positional=True, write=Insert(overwrite))


@pytest.mark.parametrize(
    "data",
    [
        stored("written as parquet, overwrite"),
        stored("appended table, by name"),
        stored("appended table", target=""),  # SQL never made one
    ],
    ids=["a write", "an insert by name", "without a target"],
)
def test_other_writes_of_earlier_formats_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ParseError, match="earlier format"):
        from_json(data)


def test_a_chart_is_what_it_was() -> None:
    assert from_json(stored("bar chart")).operators["out"].kind == "bar chart"  # type: ignore[union-attr]
