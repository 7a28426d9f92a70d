"""Tables whose columns, or their types, no file tells: what is assumed of them, listed with verdicts."""

from __future__ import annotations

from veer.assumptions import ColumnsAsUsed
from veer.model.dag import Dataflow
from veer.model.ops import OTHER_COLUMNS, REMEMBERED, UNTOLD_TYPES, Source, TableUdf


def columns_as_used(*sinks: tuple[Dataflow, str]) -> tuple[ColumnsAsUsed, ...]:
    """What is assumed of the tables below sinks."""
    found: dict[ColumnsAsUsed, None] = {}
    for dataflow, sink in sinks:
        for id_ in dataflow.ancestors(sink):
            operator = dataflow.operators[id_]
            if isinstance(operator, Source | TableUdf):
                names = tuple(f.name for f in operator.fields)
                table = operator.table if isinstance(operator, Source) else id_
                used = tuple(sorted(set(names) - {OTHER_COLUMNS}))
                if not used:
                    continue  # nothing is taken for granted
                if OTHER_COLUMNS in names:
                    found[ColumnsAsUsed(table, used, others=True)] = None
                    continue
                told = dict(operator.metadata) if isinstance(operator, Source) else {}
                if REMEMBERED in told:
                    found[ColumnsAsUsed(table, used, others=False, remembered=True)] = None
                if UNTOLD_TYPES in told:
                    untold = tuple(told[UNTOLD_TYPES].split("\n"))
                    found[ColumnsAsUsed(table, untold, others=False)] = None
    return tuple(sorted(found, key=lambda a: (a.table, a.remembered, a.columns)))
