"""Generators of plans: explode and its kin, stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veer.errors import UnsupportedError
from veer.functions.registry import Kind, scalar_function
from veer.ir import expr as ex, ops
from veer.ir.types import STRING
from veer.read.pyspark.plans.kinds import kind_of_tree
from veer.read.pyspark.plans.opaque_tables import opaque_table
from veer.read.pyspark.plans.signals import PlanSignal, expr_id
from veer.read.pyspark.plans.tree import Node, expression_of, scala_items

if TYPE_CHECKING:
    from veer.read.pyspark.plans.operators import PlanReader


def read_generate(reader: PlanReader, node: Node) -> PlanSignal:
    """A generator: rows made of each row, beside its columns; an unknown one by identity."""
    below = reader.read(node.children[0])
    generator = node.expression("generator")
    if generator.kind == "Stack":
        return _stacked(reader, node, generator, below)
    kinds = {"Explode": (False, False), "PosExplode": (True, False), "Inline": (False, True)}
    if generator.kind not in kinds:
        generated = node.expressions("generatorOutput")
        kept = [expression_of(a) for a in scala_items(node.jvm.child().output())]
        deterministic = kind_of_tree(generator) is Kind.PURE
        return opaque_table(reader, node, [below], [generator], [*kept, *generated], deterministic)
    position, inline = kinds[generator.kind]
    arg = reader.expressions.read(generator.children[0], reader.scope(below))
    outputs = node.expressions("generatorOutput")
    names = tuple(str(o.fields["name"]) for o in outputs)
    return _unnested(
        reader, node, below, ops.Unnest(arg, names, bool(node.fields["outer"]), position, inline)
    )


def _stacked(reader: PlanReader, node: Node, generator: Node, below: PlanSignal) -> PlanSignal:
    """`stack(n, ...)`: n rows made of the arguments, one after the other."""
    scope = reader.scope(below)
    first, *cells = (reader.expressions.read(c, scope) for c in generator.children)
    outputs = node.expressions("generatorOutput")
    if not isinstance(first, ex.Literal) or not isinstance(first.value, int):
        raise UnsupportedError("a stack with a number of rows that is not a constant")
    names = tuple(str(o.fields["name"]) for o in outputs)
    # Spark fills a last row that is too short with nulls.
    if len(cells) != first.value * len(names) or len(set(names)) < len(names):
        raise UnsupportedError("a stack whose last row is not full")
    rows = []
    for start in range(0, len(cells), len(names)):
        inner: list[ex.Expr] = []
        for name, cell in zip(names, cells[start : start + len(names)], strict=True):
            inner += [ex.Literal(name, STRING), cell]
        rows.append(_function("named_struct", inner))
    return _unnested(
        reader,
        node,
        below,
        ops.Unnest(_function("array", rows), names, bool(node.fields["outer"]), False, True),
    )


def _unnested(reader: PlanReader, node: Node, below: PlanSignal, unnest: ops.Unnest) -> PlanSignal:
    """The rows with the generated columns, without columns that the optimizer dropped as unused."""
    outputs = node.expressions("generatorOutput")
    unnested = reader.add_signal(unnest, (*below.expr_ids, *map(expr_id, outputs)), below)
    dropped = {below.expr_ids[i] for i in node.fields.get("unrequiredChildIndex") or ()}
    if not dropped:
        return unnested
    kept = [i for i, n in enumerate(unnested.expr_ids) if n not in dropped]
    columns = tuple(ex.Named(unnested.schema.names[i], unnested.at(i)) for i in kept)
    return reader.add_signal(ops.Project(columns), [unnested.expr_ids[i] for i in kept], unnested)


def _function(name: str, args: Sequence[ex.Expr]) -> ex.Expr:
    """A function of the registry applied to what needs no cast."""
    signature = scalar_function(name).resolve(ex.arguments(tuple(args)))
    if signature.arguments != tuple(a.type for a in args):
        raise UnsupportedError(f"{name} of values of several types")
    return ex.Call(name, tuple(args), signature.result)
