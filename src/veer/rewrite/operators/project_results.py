"""Results and limits see their rows: the columns below them are placed.

    Sink <- Project(a + 1 AS b) <- t        =>   Sink <- Project(a + 1) <- t
    Limit(3) <- Project(a + 1, c) <- t, c not read   =>   Limit(3) <- Project(a + 1) <- t

A sink whose number of rows alone counts gets one constant column instead. Sound because
a projection keeps the rows and their order, so a limit takes the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.ir import ops
from veer.rewrite.rewriting import ROW_MARK, Rewriting, View


def project_result(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A limit or a sink of all columns, over the columns that are read of what is below."""
    match operator:
        case ops.Limit():
            read = list(rewriting.needed[id_])
            (source,) = rewriting.old.inputs[id_]
            return rewriting.put(id_, operator, (rewriting.placed(source, read),), read)
        case ops.Sink(columns=()) if rewriting.shows_columns:
            (source,) = rewriting.old.inputs[id_]
            every = range(len(rewriting.old.schemas[id_]))
            return rewriting.put(id_, operator, (rewriting.placed(source, every),))
        case ops.Sink(columns=()):
            (view,) = below
            row = rewriting.add(f"{id_} columns", ops.Project((ROW_MARK,)), (view.base,))
            return rewriting.put(id_, operator, (row,))
        case _:
            return None
