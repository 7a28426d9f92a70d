"""When two results are the same: as sets, as bags, or as bags with a weak order.

Values are compared as represented: 0.0 and -0.0 differ. Rows tied under the sort keys may come
in any order, so an ordered result is a sequence of bags; two are the same if they allow the same
sequences of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from veer.functions.ordering import exact_key
from veer.interpreter.expressions import Row
from veer.ir import types as ty
from veer.verdict import TableSemantics

if TYPE_CHECKING:
    from veer.interpreter.run import Result


def row_key(types: Sequence[ty.DataType]) -> Callable[[Row], Any]:
    """A hashable key equal only for rows that are represented alike."""
    if not any(map(ty.has_floats, types)):
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
    """The rows in order, those tied under the sort keys together.

    Tied rows that are all alike come as one layer each: that allows the same sequences, and makes
    the layers the only ones that allow them.
    """
    return [Counter(map(key, layer)) for layer in _tied_rows(result, key)]


def _tied_rows(result: Result, key: Callable[[Row], Any]) -> Iterator[list[Row]]:
    peers = result.peers or [0] * len(result.rows)
    pairs = zip(peers, result.rows, strict=True)
    for _, layer in groupby(pairs, lambda pair: pair[0]):
        rows = [row for _, row in layer]
        if len(set(map(key, rows))) == 1:
            yield from ([row] for row in rows)
        else:
            yield rows


def differing_sequences(p: Result, q: Result) -> tuple[list[Row], list[Row]]:
    """Sequences that two different ordered results allow, one of them only by its own result.

    Where two sequences of bags first differ, the larger bag may begin with what is missing in the
    other: no sequence of the other begins like that.
    """
    key = row_key(p.types)
    ours, theirs = (list(_tied_rows(result, key)) for result in (p, q))
    for mine, other in zip(ours, theirs, strict=False):
        larger, smaller = sorted((mine, other), key=len, reverse=True)
        only = Counter(map(key, larger)) - Counter(map(key, smaller))
        if only:
            larger.sort(key=lambda row: key(row) not in only)
            break
    first, second = ([row for layer in layers for row in layer] for layers in (ours, theirs))
    return first, second


def difference(p: Result, q: Result) -> tuple[list[Row], list[Row]]:
    """The rows only in P and only in Q, with their multiplicity."""
    key = row_key(p.types)
    shown = {key(r): r for r in (*p.rows, *q.rows)}
    in_p, in_q = Counter(map(key, p.rows)), Counter(map(key, q.rows))
    only_p = [shown[k] for k in (in_p - in_q).elements()]
    return only_p, [shown[k] for k in (in_q - in_p).elements()]
