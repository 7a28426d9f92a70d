"""Distinct values that are distinct anyway need no DISTINCT.

    count(DISTINCT id) GROUP BY a, id being a key   =>   count(id) GROUP BY a

Sound because no two rows of a group agree on the arguments if no two rows agree on them and the
group's keys together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.model.expr import Named
from veer.model.ops import NamedCall
from veer.normalize.rewriting import Rewriting


def distinct_by_key(
    rewriting: Rewriting, id_: str, base: str, keys: Sequence[Named], named: NamedCall
) -> NamedCall:
    """An aggregate over groups of a placed signal, without DISTINCT where a key says so."""
    exprs = [*(k.expr for k in keys), *named.call.args]
    if not named.call.distinct or not rewriting.are_unique(id_, base, exprs):
        return named
    return replace(named, call=replace(named.call, distinct=False))
