"""A witness as a PySpark script."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path
from typing import Any

from veer.errors import InputError
from veer.ir.sources import tables_read
from veer.ir.types import quote_name
from veer.read.sql.statements import can_be_replayed, sink_statements
from veer.show.as_json import plain
from veer.verdict import Report, SinkReport, WitnessKind
from veer.verification.versions.version import Version
from veer.visible import json_text

# Names and values of a user go in by `repr`, never as text: a name must not become code.
SCRIPT = '''"""Shows data on which two versions of a sink differ.

Run it where PySpark is installed.
"""

import datetime
from decimal import Decimal

from pyspark.sql import SparkSession

SINK = {sink}
VERSIONS = {{"before": {p}, "after": {q}}}
SETTINGS = {{
    "before": {p_settings},
    "after": {q_settings},
}}
nan, inf = float("nan"), float("inf")
TABLES = {tables}
BEFORE = {p_statements}
AFTER = {q_statements}

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
for name, (columns, rows) in TABLES.items():
    spark.createDataFrame(rows, columns).createOrReplaceTempView(name)
for label, (*views, query) in (("before", BEFORE), ("after", AFTER)):
    for setting, value in SETTINGS[label].items():
        spark.conf.set(setting, value)
    for view in views:
        spark.sql(view)
    print(f"result of {{SINK!a}} {{label}} ({{VERSIONS[label]!a}}):")
    spark.sql(query).show(100, truncate=False)
'''


LONGEST = 100  # characters of a file's name


def write_witnesses(report: Report, p: Version, q: Version, folder: Path) -> list[Path]:
    """Write a file per sink with a witness of rows: a script for SQL, else its tables as JSON."""
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for sink in report.sinks:
            if sink.witness is None or sink.witness.kind is not WitnessKind.ROWS:
                continue
            stem = _free(re.sub(r"\W+", "_", sink.p or sink.q)[:LONGEST], written)
            if p.text and q.text and can_be_replayed(p.text) and can_be_replayed(q.text):
                path = folder / f"{stem}.py"
                path.write_text(_script(report, sink, p, q), encoding="utf-8")
            else:
                path = folder / f"{stem}.json"
                shown = {n: {**t, "rows": plain(t["rows"])} for n, t in sink.witness.tables.items()}
                path.write_text(json_text(shown), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    return written


def _free(stem: str, written: list[Path]) -> str:
    """A name no other sink has taken."""
    taken = {path.stem for path in written}
    names = (stem, *(f"{stem}_{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _script(report: Report, sink: SinkReport, p: Version, q: Version) -> str:
    assert sink.witness is not None
    declared = (*p.dataflow.declared, *q.dataflow.declared)
    sources = {s.table: s for s in declared} | tables_read([p.dataflow, q.dataflow])
    tables: dict[str, Any] = {}
    for table, content in sink.witness.tables.items():
        columns = ", ".join(f"{quote_name(f.name)} {f.type}" for f in sources[table].fields)
        rows = [
            tuple(
                _for_spark(v, str(f.type)) for v, f in zip(row, sources[table].fields, strict=True)
            )
            for row in content["rows"]
        ]
        tables[table] = (columns, rows)
    return SCRIPT.format(
        sink=repr(sink.p),
        p=repr(report.p),
        q=repr(report.q),
        p_settings=repr(p.settings.conf()),
        q_settings=repr(q.settings.conf()),
        tables=_indented(tables),
        p_statements=_indented(sink_statements(p.text, sink.p)),
        q_statements=_indented(sink_statements(q.text, sink.q)),
    )


def _for_spark(value: Any, type_: str) -> Any:
    """Arrays as lists, maps as dictionaries, timestamps with their zone; the rest as it is."""
    if type_ == "timestamp" and value is not None:
        return value.replace(tzinfo=UTC)  # else it would be one of the machine's zone
    if isinstance(value, tuple) and type_.startswith("array"):
        return list(value)
    if isinstance(value, tuple) and type_.startswith("map"):
        return dict(value)
    return value


def _indented(value: Any) -> str:
    """A literal over several lines."""
    if isinstance(value, dict):
        inside = "".join(f"    {k!r}: {v!r},\n" for k, v in value.items())
        return "{\n" + inside + "}"
    return "[\n" + "".join(f"    {v!r},\n" for v in value) + "]"
