"""A rank without ties is a row number.

    rank() OVER (ORDER BY id), id a key   =>   row_number() OVER (ORDER BY id)

Sound because ranks differ from row numbers on rows that tie alone, and no two rows agree on a key.
"""

from __future__ import annotations

from dataclasses import replace

from veer.model.ops import NamedOver
from veer.normalize.rewriting import Rewriting


def rank_by_key(rewriting: Rewriting, id_: str, base: str, named: NamedOver) -> NamedOver:
    """A window function over a placed signal, as a row number if it is a rank without ties."""
    if named.call.function not in ("rank", "dense_rank"):
        return named
    exprs = [*named.call.partition, *(key.expr for key in named.call.order)]
    if not rewriting.are_unique(id_, base, exprs):
        return named
    return replace(named, call=replace(named.call, function="row_number"))
