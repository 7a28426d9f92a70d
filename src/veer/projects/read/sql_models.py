"""A model of another tool: a query with the name of the table or view it fills."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from veer.errors import InputError, UnsupportedError
from veer.facts.needs import Need, needs
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Field
from veer.ir.types import STRING
from veer.ir.walk import subqueries
from veer.ir.writes import AnyWrite
from veer.read.sql import read_schema, read_sql
from veer.read.sql.statements import names_used
from veer.settings import SessionSettings, under
from veer.verdict import SourceLocation, TableSemantics
from veer.verification.versions.version import Version

UNTOLD = "a column that nobody names"  # stands for those that a description may leave out


def model_version(
    name: str,
    query: str,
    target: str,
    ddl: str,
    settings: SessionSettings,
    *,
    described: Iterable[str] = (),
    write: AnyWrite | None = None,
    file: str = "",
) -> Version:
    """The version of a model; `ddl` declares the tables it reads.

    Of the tables in `described` the columns may not be all there are: a model whose rows depend on
    the others is refused.
    """
    with under(settings):
        tables = read_schema(ddl)
        known = {table.lower() for table in described}
        doubtful = {t for t in tables if t in known}
        if doubtful:
            _require_told_columns(query, tables, doubtful)
        flow = read_sql(query, tables)
        sinks = [flow.operators[id_] for id_ in flow.sinks]
        if any(isinstance(s, ops.Sink) and s.target for s in sinks) or not flow.result_schema.names:
            raise UnsupportedError("a model must be a query; this is another statement")
        flow = with_target(flow, target, write)
    place = SourceLocation(PurePosixPath(file).as_posix()) if file else None
    return Version(name, flow, stable_ids=False, text=query, place=place, settings=settings)


def _require_told_columns(query: str, tables: dict[str, ops.Source], doubtful: set[str]) -> None:
    """Refuse a query that would mean something else if described tables had more columns.

    They are given one that nobody names, and one of each name that the query uses and they lack: an
    alias, a column of another table. None of these may decide the rows of the query.
    """
    names = names_used(query)
    more = {
        name: [UNTOLD, *sorted(names - {f.name.lower() for f in source.fields})]
        for name, source in tables.items()
        if name in doubtful
    }
    extended = {
        name: replace(
            source, fields=(*source.fields, *(Field(n, STRING) for n in more.get(name, ())))
        )
        for name, source in tables.items()
    }
    told = {name: len(tables[name].fields) for name in more}
    try:
        flow = read_sql(query, extended)
    except InputError:
        raise _incomplete(", ".join(sorted(doubtful))) from None
    _require_named_columns(flow, told)


def _require_named_columns(flow: Dataflow, told: Mapping[str, int]) -> None:
    """Refuse a dataflow whose rows depend on more than the first columns of some tables."""
    wanted = {
        sink: Need(TableSemantics.BAG, frozenset(range(len(flow.schemas[sink]))))
        for sink in flow.sinks
    }
    needed = needs(flow, wanted)
    for id_, operator in flow.operators.items():
        if isinstance(operator, ops.Source) and operator.table.lower() in told:
            if any(place >= told[operator.table.lower()] for place in needed[id_].columns):
                raise _incomplete(operator.table)
        for query in subqueries(operator):
            _require_named_columns(query, told)


def _incomplete(table: str) -> InputError:
    return UnsupportedError(
        f"what is read of {table} depends on all of its columns (SELECT *, an alias that may be one), "
        "and its description may not name all of them; declare it with --schema, or give a catalog.json "
        "(`dbt docs generate`)"
    )


def with_target(flow: Dataflow, target: str, write: AnyWrite | None) -> Dataflow:
    """The dataflow of a query, its rows written to the table of the model."""
    (id_,) = flow.sinks
    sink = ops.Sink(target, target=target, write=write)
    links = [replace(link, dst=target) if link.dst == id_ else link for link in flow.links]
    operators = {i: op for i, op in flow.operators.items() if i != id_}
    if target in operators:  # a model that reads what it fills
        raise UnsupportedError(f"{target} reads the table it writes")
    return Dataflow({**operators, target: sink}, links, flow.declared)
