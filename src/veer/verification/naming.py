"""`--map OLD=NEW`: what is called otherwise in P than in Q, though it is meant to be the same.

Sinks, columns of sinks, and tables that are read. That two tables are the same is not seen anywhere:
it is an assumption of every proof about what reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from veer.assumptions import SameTable
from veer.errors import UsageError
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow, Link
from veer.ir.schema import Schema, listing
from veer.ir.sources import have_same_columns, map_sources, sources_of
from veer.verdict import SinkReport, Verdict
from veer.verification.versions.version import Version


def renamed(p: Version, q: Version, names: Sequence[tuple[str, str]]) -> Version:
    """P with the names that Q has for the same things."""
    if not names:
        return p
    flow = p.dataflow
    for old, new in names:
        changed = _with_sink(
            _with_column(_with_table(flow, q.dataflow, old, new), old, new), q.dataflow, old, new
        )
        if changed is flow:
            raise UsageError(f"--map {old}={new}: {_what_there_is(flow, q.dataflow, old, new)}")
        flow = changed
    return replace(p, dataflow=flow, optimized=None)


def with_same_tables(
    sink: SinkReport, p: Version, q: Version, names: Sequence[tuple[str, str]]
) -> SinkReport:
    """A verdict together with what it assumes of tables: those mapped, and files that stand for them."""
    if sink.verdict is not Verdict.EQUIVALENT:
        return sink
    read = {s.table.lower() for s in _read_by(q.dataflow, sink.q)}
    had = {s.table.lower() for s in sources_of(p.dataflow)}
    same = [SameTable(a, b) for a, b in names if a.lower() in had and b.lower() in read]
    for table in sorted({*p.files, *q.files}):
        one, two = p.files.get(table, table), q.files.get(table, table)
        if one != two and table.lower() in read:
            same.append(SameTable(one, two))
    return replace(sink, assumptions=(*sink.assumptions, *same))


def _read_by(flow: Dataflow, sink: str) -> Iterator[ops.Source]:
    yield from sources_of(flow.restrict(flow.ancestors(sink) | {sink}))


def _with_table(flow: Dataflow, other: Dataflow, old: str, new: str) -> Dataflow:
    """The dataflow reading the other's table instead of its own."""
    mine = [s for s in sources_of(flow) if s.table.lower() == old.lower()]
    theirs = next((s for s in sources_of(other) if s.table.lower() == new.lower()), None)
    if not mine or theirs is None:
        return flow
    for source in mine:
        if not have_same_columns(source, theirs):
            ours, yours = (listing(tuple(map(str, s.fields))) for s in (source, theirs))
            raise UsageError(f"--map {old}={new}: {old} has {ours}; {new} has {yours}")
    return map_sources(flow, lambda s: theirs if s.table.lower() == old.lower() else s)


def _with_sink(flow: Dataflow, other: Dataflow, old: str, new: str) -> Dataflow:
    """The dataflow with a sink called as that of the other."""
    mine = [i for i in flow.sinks if old in _names(flow, i)]
    theirs = [other.operators[i] for i in other.sinks if new in _names(other, i)]
    if len(mine) != 1 or len(theirs) != 1:
        return flow
    (sink,), named = (flow.operators[i] for i in mine), theirs[0]
    assert isinstance(sink, ops.Sink) and isinstance(named, ops.Sink)
    called = replace(sink, name=named.name, target=named.target)
    return Dataflow({**flow.operators, mine[0]: called}, flow.links, flow.declared)


def _names(flow: Dataflow, id_: str) -> set[str]:
    sink = flow.operators[id_]
    assert isinstance(sink, ops.Sink)
    return {sink.name, sink.target, id_} - {""}


def _with_column(flow: Dataflow, old: str, new: str) -> Dataflow:
    """The dataflow with a column of its sinks called otherwise."""
    operators: dict[str, ops.AnyOperator] = dict(flow.operators)
    links = list(flow.links)
    for id_ in flow.sinks:
        sink, rows = flow.operators[id_], flow.schemas[flow.inputs[id_][0]]
        assert isinstance(sink, ops.Sink)
        if rows.find(old) is None or rows.find(new) is not None:
            continue
        naming = f"{id_}: {old} as {new}"
        operators[naming] = _renaming(rows, old, new)
        shown = tuple(replace(c, name=new) if c.name == old else c for c in sink.columns)
        operators[id_] = replace(sink, columns=shown)
        links = [replace(link, dst=naming) if link.dst == id_ else link for link in links]
        links.append(Link(naming, id_, 0))
    return flow if links == list(flow.links) else Dataflow(operators, links, flow.declared)


def _renaming(rows: Schema, old: str, new: str) -> ops.Project:
    return ops.Project(
        tuple(
            ex.Named(
                new if f.name == old else f.name, ex.Column(f.name, f.type, rows.occurrence(i))
            )
            for i, f in enumerate(rows.fields)
        )
    )


def _what_there_is(p: Dataflow, q: Dataflow, old: str, new: str) -> str:
    shown = []
    for flow, name, side in ((p, old, "the first version"), (q, new, "the second version")):
        sinks = sorted(n for i in flow.sinks for n in _names(flow, i))
        tables = sorted({s.table for s in sources_of(flow)})
        shown.append(
            f"{side} has no {name!r}, but the sinks {', '.join(sinks)} and the tables {', '.join(tables)}"
        )
    return "; ".join(shown)
