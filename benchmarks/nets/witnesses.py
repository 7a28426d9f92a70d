"""Witnesses shown to Spark: both queries must run on them there too, and give other rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.nets.corpora import Pair
from tests.generators.tables import Table
from tests.spark.compare import Outcome, register, run_spark, same_rows
from tests.spark.session import session_mode, spark_session
from veer.api import Comparison, Version, verify
from veer.errors import VeerError
from veer.interpreter import Result
from veer.options import ColumnMatching
from veer.read.sql import read_schema
from veer.verdict import TableSemantics, Verdict, Witness, WitnessKind

TOLERANCE = 1e-9  # of floating point numbers: rounding is no difference


def witness_of(pair: Pair) -> Witness | None:
    """What refutes a pair, if Veer says that it is not equal."""
    sides = pair.read()
    if len(sides) < 2:
        return None
    p, q = (Version(name, side, False) for name, side in zip("pq", sides, strict=True))
    try:
        report = verify(p, q, Comparison(pair.semantics, columns=pair.columns, hints=False))
    except VeerError:
        return None
    (sink, *_) = report.sinks
    return sink.witness if sink.verdict is Verdict.INEQUIVALENT else None


def objection(pair: Pair, witness: Witness) -> str:
    """What Spark has against a witness, in words; nothing if it shows there what it claims."""
    with session_mode(spark_session(), ansi=pair.settings.ansi):
        register(spark_session(), _tables(pair.schema, witness.tables))
        results = [run_spark(spark_session(), text) for text in (pair.p, pair.q)]
    for side, result in zip("pq", results, strict=True):
        if not isinstance(result, Result):
            return f"{side} gives no rows: {result}"
    return _alike(pair, witness, *results)


def _alike(pair: Pair, witness: Witness, p: Outcome, q: Outcome) -> str:
    assert isinstance(p, Result) and isinstance(q, Result)
    names = [[name.lower() for name in side.names] for side in (p, q)]
    order = list(range(len(q.names)))
    if pair.columns is ColumnMatching.NAME and sorted(names[0]) == sorted(names[1]):
        order = [names[1].index(name) for name in names[0]]
        names[1] = names[0]
    types = [q.types[i] for i in order]
    if list(p.types) != types:
        return ""
    if witness.kind is WitnessKind.SCHEMA:
        return "" if names[0] != names[1] else f"the columns are {names[0]}, {types} in both"
    ours, theirs = p.rows, [tuple(row[i] for i in order) for row in q.rows]
    if pair.semantics is TableSemantics.SET:
        ours, theirs = ([*dict.fromkeys(rows)] for rows in (ours, theirs))
    ordered = pair.semantics is TableSemantics.ORDERED_BAG
    if same_rows(ours, theirs, types, ordered=ordered, tolerance=TOLERANCE):
        return f"the rows are {ours} in both"
    if len(ours) != len(witness.p_rows) and pair.semantics is not TableSemantics.SET:
        return f"p gives {ours}, not {witness.p_rows}"
    return ""


def _tables(schema: str, content: Mapping[str, Any]) -> list[Table]:
    """All declared tables, empty if the witness does not have them."""
    return [
        Table(
            name,
            tuple(f"`{field.name}`" for field in source.fields),
            tuple(field.type for field in source.fields),
            [tuple(row) for row in content.get(source.table, {"rows": ()})["rows"]],
        )
        for name, source in read_schema(schema).items()
    ]
