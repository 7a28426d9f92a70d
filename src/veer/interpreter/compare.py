"""When two results are the same: as sets, as bags, or as bags with a weak order.

Values are compared as represented: 0.0 and -0.0 differ. Rows tied under the sort keys may come
in any order, so an ordered result is a sequence of bags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from veer.dataflow.functions.ordering import exact_key
from veer.dataflow.types import DataType, has_floats
from veer.verdict import TableSemantics

if TYPE_CHECKING:
    from veer.interpreter.run import Result

Row = tuple[Any, ...]


def row_key(types: Sequence[DataType]) -> Callable[[Row], Any]:
    """A hashable key equal only for rows that are represented alike."""
    if not any(map(has_floats, types)):
        return lambda row: row
    keys = [exact_key(t) for t in types]
    return lambda row: tuple(key(value) for key, value in zip(keys, row, strict=True))


def same_result(p: Result, q: Result, semantics: TableSemantics) -> bool:
    """Whether two results of equal column types hold the same rows."""
    key = row_key(p.types)
    match semantics:
        case TableSemantics.SET:
            return {key(r) for r in p.rows} == {key(r) for r in q.rows}
        case TableSemantics.BAG:
            return Counter(map(key, p.rows)) == Counter(map(key, q.rows))
        case TableSemantics.ORDERED_BAG:
            return _layers(p, key) == _layers(q, key)


def _layers(result: Result, key: Callable[[Row], Any]) -> list[Counter[Any]]:
    """The rows in order, those tied under the sort keys together."""
    if result.peers is None:
        return [Counter(map(key, result.rows))] if result.rows else []
    pairs = zip(result.peers, result.rows, strict=True)
    return [Counter(key(row) for _, row in layer) for _, layer in groupby(pairs, lambda p: p[0])]


def difference(p: Result, q: Result) -> tuple[list[Row], list[Row]]:
    """The rows only in P and only in Q, with their multiplicity."""
    key = row_key(p.types)
    shown = {key(r): r for r in (*p.rows, *q.rows)}
    in_p, in_q = Counter(map(key, p.rows)), Counter(map(key, q.rows))
    only_p = [shown[k] for k in (in_p - in_q).elements()]
    return only_p, [shown[k] for k in (in_q - in_p).elements()]
