"""Columns that are never null because of what is asked of the rows below.

    Aggregate(a; sum(x) AS s) <- Filter(x > 0) <- t(a, x)   =>   s is never null

A condition that is true on a row of a column says that the column is not null there. What that makes
of the columns computed above is said by the operators themselves.
"""

from __future__ import annotations

from dataclasses import replace

from veer.analysis.facts import rows_kept
from veer.analysis.keys import Signals
from veer.model.expr import Expr
from veer.model.schema import Schema
from veer.normalize.placing.conditions import rejects_nulls_of


def present_columns(signals: Signals, id_: str, known: dict[str, Schema]) -> Schema:
    """The columns of a signal, with what can be null; `known` holds the results so far, and grows."""
    waiting = [id_]
    while waiting:
        here = waiting[-1]
        inputs = signals.inputs[here]
        missing = [i for i in inputs if i not in known]
        if here not in known and not missing:
            operator = signals.operators[here]
            schema = operator.output([known[i] for i in inputs])
            for condition in rows_kept(operator)[1]:
                schema = _where(schema, condition)
            known[here] = schema
        if here in known:
            waiting.pop()
        else:
            waiting += missing
    return known[id_]


def _where(schema: Schema, condition: Expr) -> Schema:
    """Columns of the rows on which a condition is true."""
    columns = rejects_nulls_of(condition)
    present = {schema.place(c.name, c.occurrence) for c in columns}
    fields = enumerate(schema.fields)
    return Schema(tuple(replace(f, nullable=False) if i in present else f for i, f in fields))
