"""Every other operator stays as it is, over its inputs with all their columns and names.

    TableUdf(f) <- Project(a + 1 AS b) <- t   =>   the same

Opaque operators may look at every column and every name; sources and constant rows have no input.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.model.ops import AnyOperator
from veer.normalize.rewriting import Rewriting, View


def keep_operator(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View:
    """The operator with its own id and columns."""
    inputs = [rewriting.placed_as_before(i) for i in rewriting.old.inputs[id_]]
    return rewriting.put(id_, operator, inputs, range(len(rewriting.old.schemas[id_])))
