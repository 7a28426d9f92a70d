"""Outputs of operators while a plan is read: columns, and the ids that Spark gives them.

A name may stand for several columns of a plan, a number (`exprId`) for one alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from veer.ir.expr import Column
from veer.ir.schema import Field, Schema
from veer.read.pyspark.plans.tree import Node
from veer.read.pyspark.plans.types import type_of


@final
@dataclass(frozen=True)
class PlanSignal:
    """The output of an operator; `expr_ids` are Spark's for its columns, in order."""

    id: str
    schema: Schema
    expr_ids: tuple[int, ...]

    def column(self, expr_id: int) -> Column | None:
        """The column of that number, or None if it is not among these."""
        if expr_id not in self.expr_ids:
            return None
        return self.at(self.expr_ids.index(expr_id))

    def at(self, position: int) -> Column:
        """The column at a place."""
        f = self.schema.fields[position]
        return Column(f.name, f.type, self.schema.occurrence(position))


def fields_of(node: Node) -> tuple[Field, ...]:
    """The columns a leaf gives."""
    return tuple(
        Field(str(o.fields["name"]), type_of(o.fields["dataType"]), bool(o.fields["nullable"]))
        for o in node.expressions("output")
    )


def expr_id(node: Node) -> int:
    """The number Spark gave a column, by which expressions refer to it."""
    return int(node.fields["exprId"]["id"])


def expr_ids_of(nodes: Sequence[Node]) -> list[int]:
    """The numbers of several columns."""
    return [expr_id(n) for n in nodes]
