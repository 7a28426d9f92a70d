"""Operators known by identity alone: what is not modelled, and Python functions of tables.

Two of them are the same if they say the same of themselves and read the same columns, by place. Only
those that are deterministic may then be taken to give the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.ir.digests import json_digest
from veer.ir.expr import Column
from veer.ir.ops import (
    TableUdf,
)
from veer.ir.schema import Field
from veer.ir.types import is_orderable
from veer.read.pyspark.plans.functions import python_function
from veer.read.pyspark.plans.opaque_identity import OpaqueIdentity
from veer.read.pyspark.plans.signals import PlanSignal, expr_id, expr_ids_of
from veer.read.pyspark.plans.tree import Node, expression_of, scala_items
from veer.read.pyspark.plans.types import type_of
from veer.read.python.in_plans import python_table
from veer.settings import current

if TYPE_CHECKING:
    from veer.read.pyspark.plans.operators import PlanReader


def has_incomparable_types(reader: PlanReader, node: Node) -> bool:
    """Whether a node has to do with columns that Veer cannot compare, all its inputs being read."""
    inputs = [reader.signals_by_node.get(id(child)) for child in node.children]
    produced = (type_of(json.loads(o.dataType().json())) for o in scala_items(node.jvm.output()))
    types = [*produced, *(t for i in inputs if i is not None for t in i.schema.types)]
    return all(i is not None for i in inputs) and not all(map(is_orderable, types))


def opaque_node(reader: PlanReader, node: Node) -> PlanSignal:
    """An operator over columns that Veer cannot compare: some function of its inputs."""
    inputs = [reader.signals_by_node[id(child)] for child in node.children]
    expressions = [expression_of(e) for e in scala_items(node.jvm.expressions())]
    outputs = [expression_of(a) for a in scala_items(node.jvm.output())]
    return opaque_table(reader, node, inputs, expressions, outputs, deterministic=False)


def opaque_table(
    reader: PlanReader,
    node: Node,
    inputs: Sequence[PlanSignal],
    expressions: Sequence[Node],
    outputs: Sequence[Node],
    deterministic: bool,
) -> PlanSignal:
    """An operator known by what it says of itself; what it reads, by place.

    `expressions` are all that it computes with, `outputs` its columns.
    """
    positions = {n: i for i, n in enumerate(n for signal in inputs for n in signal.expr_ids)}

    def position_of(read: Node) -> int:
        number = expr_id(read)
        if number not in positions:
            raise UnsupportedError(f"column {read.fields['name']!r} is not in any input")
        return positions[number]

    texts = [OpaqueIdentity(position_of).text(n) for n in expressions]
    flags: dict[str, Any] = {k: v for k, v in node.fields.items() if isinstance(v, bool)}
    if "joinType" in node.fields:
        flags["joinType"] = node.object_name("joinType")
    names = [str(o.fields["name"]) for o in outputs]
    told = json_digest([texts, flags, names], 16)
    identity = f"spark {node.kind} {told}{current().policies}"
    types = [type_of(json.loads(o.jvm.dataType().json())) for o in outputs]
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    udf = TableUdf(identity, fields, "table", (), deterministic, node.kind)
    return reader.add_signal(udf, expr_ids_of(outputs), *inputs)


def table_function(reader: PlanReader, node: Node, scope: str) -> PlanSignal:
    """A Python function of batches, groups or whole tables, known by its code.

    `scope` says of what: "batch" (`mapInPandas`), "group" (`applyInPandas`), "table" (`cogroup`).
    """
    inputs = [reader.read(child) for child in node.children]
    function = node.expression("functionExpr")
    more: list[Any] = []
    keys: tuple[Column, ...] = ()
    if scope == "group":
        expr_ids = [expr_id(g) for g in node.expressions("groupingAttributes")]
        keys = tuple(c for n in expr_ids if (c := inputs[0].column(n)) is not None)
        if len(keys) != len(expr_ids) or not keys:
            raise UnsupportedError("a function of groups by expressions")
    elif scope == "table":
        more += [node.fields["leftGroupingLen"], node.fields["rightGroupingLen"]]
        more += [i.schema.names for i in inputs]  # the function may look at the names
    outputs = node.expressions("output")
    operator = python_table(
        python_function(function.jvm.func()),
        str(function.fields["name"]),
        int(function.fields["evalType"]),
        bool(function.fields["udfDeterministic"]),
        scope,
        keys,
        tuple(Field(str(o.fields["name"]), type_of(o.fields["dataType"])) for o in outputs),
        more,
    )
    return reader.add_signal(operator, expr_ids_of(outputs), *inputs)
