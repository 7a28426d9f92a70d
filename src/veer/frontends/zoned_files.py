"""Files and writes of a session in another time zone than UTC: the zone is a part of them.

CSV and JSON have timestamps as text, and so have folders named after values; a table puts values
into types of its own. Tables that are declared hold timestamps as they are.
"""

from __future__ import annotations

from dataclasses import replace

from veer.errors import UnsupportedError
from veer.frontends.zone_questions import questions_of
from veer.frontends.zoned import holds_timestamps
from veer.functions.zone_rules import UTC_ZONE
from veer.model.dag import Dataflow
from veer.model.ops import AnyOperator, Sink, Source
from veer.model.schema import Schema
from veer.model.sources import map_sources, sources_of
from veer.model.writes import AnyWrite, Change, Insert

OPTION = "timezone"  # of readers; that of the session holds without it
SETTING = "spark.sql.session.timeZone"
DECLARED = "table"
BINARY = frozenset({"parquet", "orc", "avro", "delta", "iceberg"})  # that write no texts of times


def with_zone(dataflow: Dataflow, zone: str) -> Dataflow:
    """A dataflow whose files and writes are those of a session in the zone."""
    if zone == UTC_ZONE:
        return dataflow
    for source in sources_of(dataflow):
        for question in (q for check in source.checks for q in questions_of(check, zone)):
            raise UnsupportedError(
                f"a CHECK of the table {source.table} asks for the time zone, with {question}"
            )
    changed = map_sources(dataflow, lambda source: _read_in(source, zone))
    operators = {i: _written_in(changed, i, zone) for i in changed.operators}
    return Dataflow(operators, changed.links, changed.declared)


def _read_in(source: Source, zone: str) -> Source:
    names = {name.lower() for name, _ in source.options}
    timed = any(holds_timestamps(field.type) for field in source.fields)
    if source.format == DECLARED or not timed or OPTION in names:
        return source
    return replace(source, options=tuple(sorted((*source.options, (OPTION, zone)))))


def _written_in(dataflow: Dataflow, id_: str, zone: str) -> AnyOperator:
    operator = dataflow.operators[id_]
    if not isinstance(operator, Sink) or operator.write is None:
        return operator
    if not _asks_zone(operator.write, dataflow.schemas[id_]):
        return operator
    settings = (*operator.write.settings, (SETTING, zone))
    return replace(operator, write=replace(operator.write, settings=settings))


def _asks_zone(write: AnyWrite, rows: Schema) -> bool:
    if isinstance(write, Insert | Change):
        return True
    timed = any(holds_timestamps(field.type) for field in rows)
    return timed and (write.format.lower() not in BINARY or bool(write.layout))
