"""Generators of plans: explode and its kin, stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veer.errors import UnsupportedError
from veer.frontends.spark.plans.kinds import kind_of_tree
from veer.frontends.spark.plans.opaque_tables import opaque_table
from veer.frontends.spark.plans.signals import PlanSignal, expr_id
from veer.frontends.spark.plans.tree import Node, expression_of, scala_items
from veer.functions.registry import Kind, scalar_function
from veer.model.expr import Call, Expr, Literal, Named, arguments
from veer.model.ops import (
    Project,
    Unnest,
)
from veer.model.types import STRING

if TYPE_CHECKING:
    from veer.frontends.spark.plans.operators import PlanReader


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
        reader, node, below, Unnest(arg, names, bool(node.fields["outer"]), position, inline)
    )


def _stacked(reader: PlanReader, node: Node, generator: Node, below: PlanSignal) -> PlanSignal:
    """`stack(n, ...)`: n rows made of the arguments, one after the other."""
    scope = reader.scope(below)
    first, *cells = (reader.expressions.read(c, scope) for c in generator.children)
    outputs = node.expressions("generatorOutput")
    if not isinstance(first, Literal) or not isinstance(first.value, int):
        raise UnsupportedError("a stack of other than a constant number of rows")
    names = tuple(str(o.fields["name"]) for o in outputs)
    # Spark fills a last row that is too short with nulls.
    if len(cells) != first.value * len(names) or len(set(names)) < len(names):
        raise UnsupportedError("a stack whose last row is not full")
    rows = []
    for start in range(0, len(cells), len(names)):
        inner: list[Expr] = []
        for name, cell in zip(names, cells[start : start + len(names)], strict=True):
            inner += [Literal(name, STRING), cell]
        rows.append(_function("named_struct", inner))
    return _unnested(
        reader,
        node,
        below,
        Unnest(_function("array", rows), names, bool(node.fields["outer"]), False, True),
    )


def _unnested(reader: PlanReader, node: Node, below: PlanSignal, unnest: Unnest) -> PlanSignal:
    """The rows with what is unnested, without the columns the optimizer found nobody reads."""
    outputs = node.expressions("generatorOutput")
    unnested = reader.add_signal(unnest, (*below.expr_ids, *map(expr_id, outputs)), below)
    dropped = {below.expr_ids[i] for i in node.fields.get("unrequiredChildIndex") or ()}
    if not dropped:
        return unnested
    kept = [i for i, n in enumerate(unnested.expr_ids) if n not in dropped]
    columns = tuple(Named(unnested.schema.names[i], unnested.at(i)) for i in kept)
    return reader.add_signal(Project(columns), [unnested.expr_ids[i] for i in kept], unnested)


def _function(name: str, args: Sequence[Expr]) -> Expr:
    """A function of the registry applied to what needs no cast."""
    signature = scalar_function(name).resolve(arguments(tuple(args)))
    if signature.arguments != tuple(a.type for a in args):
        raise UnsupportedError(f"{name} of values of several types")
    return Call(name, tuple(args), signature.result)
