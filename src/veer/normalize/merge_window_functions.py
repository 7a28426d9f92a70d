"""Window functions on the same rows are computed together; those nobody reads are gone.

    Over(rank() AS r) <- Over(sum(a) AS s) <- t   =>   Over(sum(a) AS s, rank() AS r) <- t

Sound where neither reads what the other adds, and both are functions of their input without
relying on declared keys: ties could be broken otherwise when they are computed together. A rank
without ties is a row number (`rank_by_key`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veer.analysis.determinism import keys_relied_on, operator_kind
from veer.functions.registry import Kind
from veer.model.expr import OverCall
from veer.model.json import is_alike
from veer.model.ops import (
    AnyOperator,
    NamedOver,
    Over,
    Source,
)
from veer.model.traits import RowOrder
from veer.model.types import LONG
from veer.model.walk import columns_read, exprs_in
from veer.normalize.rank_by_key import rank_by_key
from veer.normalize.rewriting import Rewriting, View

# Stands for window functions nobody reads, where they take an order away.
ROWS_OVER = NamedOver("row", OverCall("count", (), LONG))


def merge_window_functions(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View | None:
    """The window functions that are read, with those just below if they are independent."""
    if not isinstance(operator, Over):
        return None
    (view,) = below
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    read = sorted(i for i in rewriting.wanted[id_] if i >= width)
    # Gone if nobody reads them; but where the rows below are ordered, that they no longer are shows.
    if not read and not _may_be_ordered(rewriting, view.base):
        return view
    calls = {
        i: rank_by_key(
            rewriting, id_, view.base, rewriting.rewritten(operator.calls[i - width], id_, below)
        )
        for i in read
    } or {width: ROWS_OVER}
    base, together = _calls_below(rewriting, id_, view.base, calls)
    places: dict[int, int] = {}
    for i, named in calls.items():
        same = (j for j, n in enumerate(together) if is_alike(n.call, named.call))
        places[i] = next(same, -1) if _is_function(rewriting, id_) else -1
        if places[i] < 0:
            places[i] = len(together)
            together.append(named)
    first = len(rewriting.schemas[base])
    rewriting.put(id_, Over(tuple(together)), (base,))
    added = {i: rewriting.column(id_, first + place) for i, place in places.items()}
    return View(id_, {**view.columns, **added})


def _calls_below(
    rewriting: Rewriting, id_: str, base: str, calls: Mapping[int, NamedOver]
) -> tuple[str, list[NamedOver]]:
    """The window functions placed just below that may be merged with some, and what those are over."""
    lower = rewriting.operators[base]
    if not isinstance(lower, Over):
        return base, []
    if not (_is_function(rewriting, id_) and _is_function(rewriting, base)):
        return base, []
    (under,) = rewriting.inputs[base]
    width, place = len(rewriting.schemas[under]), rewriting.schemas[base].place
    columns = (c for n in calls.values() for e in exprs_in(n) for c in columns_read(e))
    if any(place(c.name, c.occurrence) >= width for c in columns):
        return base, []
    return under, list(lower.calls)


def _may_be_ordered(rewriting: Rewriting, id_: str) -> bool:
    """Whether a placed signal may have an order, which window functions take away."""
    while rewriting.operators[id_].traits.order is RowOrder.KEPT:
        (id_,) = rewriting.inputs[id_]
    operator = rewriting.operators[id_]
    if isinstance(operator, Source | Over):
        return False  # nobody relies on the order of a table
    return operator.traits.order is not RowOrder.NONE


def _is_function(rewriting: Rewriting, id_: str) -> bool:
    """Whether an operator is a function of its input, without relying on declared keys."""
    if operator_kind(rewriting.old, id_) in (Kind.CHOICE, Kind.PARTITION):
        return False
    return not keys_relied_on(rewriting.old, id_)
