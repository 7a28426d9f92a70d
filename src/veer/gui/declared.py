"""What columns were declared as in the other system, where Spark's types do not tell it apart.

A text of at most 4 characters and one of 100 are both text to Spark; what is stored in them later is
cut differently. Each column carries a mark: what it was declared as if a model says so, else what it
comes from. Columns with the same mark were declared alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from veer.ir import expr as ex, ops
from veer.ir.digests import json_digest
from veer.ir.schema import Schema
from veer.ir.walk import columns_read
from veer.read.builder import FlowBuilder


@final
class Declared:
    """The marks of columns, by signal."""

    def __init__(self, builder: FlowBuilder, inputs: Mapping[str, tuple[str, ...]]) -> None:
        self.builder, self.inputs = builder, inputs
        self.told: dict[str, Mapping[str, str]] = {}  # what models say of columns of a signal
        self._marks: dict[str, tuple[str, ...]] = {}

    def forget(self, id_: str) -> None:
        """Begin anew: an operator came, maybe in the place of one that was given up."""
        self.told.pop(id_, None)
        self._marks.pop(id_, None)

    def tell(self, id_: str, columns: Mapping[str, str]) -> None:
        """What columns of a signal are declared as."""
        self.told[id_] = {**self.told.get(id_, {}), **columns}
        self._marks.pop(id_, None)

    def mark(self, id_: str, name: str) -> str:
        """The mark of a column."""
        return self.marks(id_)[self.builder.schemas[id_].place(name)]

    def marks(self, id_: str) -> tuple[str, ...]:
        """The marks of all columns of a signal, in their order."""
        waiting = [id_]
        while waiting:
            here = waiting[-1]
            missing = [i for i in self.inputs[here] if i not in self._marks]
            if here not in self._marks and missing:
                waiting += missing
                continue
            if here not in self._marks:
                self._marks[here] = self._made(here)
            waiting.pop()
        return self._marks[id_]

    def _made(self, id_: str) -> tuple[str, ...]:
        operator, names = self.builder.operators[id_], self.builder.schemas[id_].names
        feeding = [self._marks[i] for i in self.inputs[id_]]
        schemas = [self.builder.schemas[i] for i in self.inputs[id_]]
        marks = _passed_on(operator, feeding, schemas)
        if marks is None or len(marks) != len(names):
            whole = json_digest([repr(operator), feeding])
            marks = [f"{whole} {name}" for name in names]
        told = self.told.get(id_, {})
        return tuple(told.get(name, mark) for name, mark in zip(names, marks, strict=True))


def _passed_on(
    operator: ops.AnyOperator, feeding: list[tuple[str, ...]], schemas: list[Schema]
) -> Sequence[str] | None:
    """The marks of an operator whose columns are those of its inputs; none of others."""
    match operator:
        case ops.Filter() | ops.Sort() | ops.Limit() | ops.Deduplicate():
            return feeding[0]
        case ops.Union():
            alike = zip(*feeding, strict=False)
            return [m[0] if len(set(m)) == 1 else json_digest(m) for m in alike]
        case ops.Join(kind=ops.JoinKind.INNER | ops.JoinKind.CROSS):
            return [*feeding[0], *feeding[1]]
        case ops.Join(kind=ops.JoinKind.SEMI | ops.JoinKind.ANTI):
            return feeding[0]
        case ops.Project(columns):
            return [_mark(named.expr, feeding[0], schemas[0]) for named in columns]
        case ops.Aggregate(keys, calls):
            totals = [json_digest([repr(call), feeding]) for call in calls]
            return [*(_mark(named.expr, feeding[0], schemas[0]) for named in keys), *totals]
    return None


def _mark(expr: ex.Expr, marks: tuple[str, ...], schema: Schema) -> str:
    if isinstance(expr, ex.Column):
        return marks[schema.place(expr.name, expr.occurrence)]
    used = {marks[schema.place(c.name, c.occurrence)] for c in columns_read(expr)}
    return json_digest([repr(expr), sorted(used)])
