"""Window functions that are not aggregates.

The meaning of one is a function of a sorted partition: `rank(peers, rows)` gets for each row the
number of its peer group (rows equal under ORDER BY) and its argument values, and gives the
column of results. One that reads its frame is a function of the argument rows of that instead.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from veer.errors import IllFormedError
from veer.functions.registry import CHOICE, PURE, Argument, Failure, Resolved, over
from veer.functions.traits import Claim, OverMeaning, Shown, ZoneUse
from veer.functions.typing import cast_to, require_count, signature
from veer.ir import types as ty

Partition = list[tuple[Any, ...]]
Ranker = Callable[[list[int], Partition], list[Any]]
COUNTING = Claim.READS_ORDER_ALONE, Claim.NEVER_NULL, Claim.COUNTS_ROWS


# A choice where rows tie: which of two peers comes first is up to Spark.
over("row_number", "RowNumber", signature(ty.INT), lambda peers, _: list(range(1, len(peers) + 1)))(
    CHOICE, COUNTING, Shown(over_rows=True), OverMeaning.ROW_NUMBER
)
over(
    "rank", "Rank", signature(ty.INT), lambda peers, _: [bisect_left(peers, p) + 1 for p in peers]
)(PURE, COUNTING, Shown(capitals=("rank",), over_rows=True), OverMeaning.RANK)
over("dense_rank", "DenseRank", signature(ty.INT), lambda peers, _: [p + 1 for p in peers])(
    PURE, COUNTING, Shown(capitals=("dense_rank",), over_rows=True), OverMeaning.DENSE_RANK
)


def _percent_rank(peers: list[int], _: Partition) -> list[float]:
    return [bisect_left(peers, p) / (len(peers) - 1) if len(peers) > 1 else 0.0 for p in peers]


over("percent_rank", "PercentRank", signature(ty.DOUBLE), _percent_rank)(
    PURE, COUNTING, Shown(capitals=("percent_rank",), over_rows=True)
)


def _cume_dist(peers: list[int], _: Partition) -> list[float]:
    return [bisect_right(peers, p) / len(peers) for p in peers]


over("cume_dist", "CumeDist", signature(ty.DOUBLE), _cume_dist)(PURE, COUNTING)


def _ntile(peers: list[int], rows: Partition) -> list[int]:
    """Buckets of equal size, the first ones a row larger; the same number of them on every row."""
    buckets = rows[0][0]
    if buckets is None or buckets <= 0:
        raise Failure("VALUE_OUT_OF_RANGE")
    small, extra = divmod(len(peers), buckets)
    tiles: list[int] = []
    for tile in range(1, buckets + 1):
        tiles += [tile] * (small + (tile <= extra))
        if len(tiles) >= len(peers):
            break
    return tiles


over("ntile", "NTile", signature(ty.INT, ty.INT), _ntile)(
    CHOICE, Shown(over_rows=True), Claim.NEVER_NULL, Claim.COUNTS_ROWS
)


def _shift_rule(args: Sequence[Argument]) -> Resolved:
    """`lag(value[, offset[, default]])`."""
    require_count(args, 1, 3)
    value = args[0].type
    types: list[ty.DataType] = [value]
    if len(args) > 1:
        if not args[1].is_literal:
            raise IllFormedError("the offset must be a constant")
        types.append(cast_to(args[1], ty.INT, 2))
    if len(args) > 2:
        types.append(cast_to(args[2], value, 3))
    return Resolved(tuple(types), value)


def _shift(direction: int) -> Ranker:
    """The value so many rows on; the default where the partition ends, but a null value stays null."""

    def shifted(peers: list[int], rows: Partition) -> list[Any]:
        out = []
        for index, row in enumerate(rows):
            place = index + direction * (row[1] if len(row) > 1 else 1)
            missing = row[2] if len(row) > 2 else None
            out.append(rows[place][0] if 0 <= place < len(rows) else missing)
        return out

    return shifted


over("lag", "Lag", _shift_rule, _shift(-1))(
    CHOICE, Shown(1, ("1", "NULL")), OverMeaning.EARLIER, ZoneUse.SAME
)
over("lead", "Lead", _shift_rule, _shift(1))(
    CHOICE, Shown(1, ("1", "NULL")), OverMeaning.LATER, ZoneUse.SAME
)


def _nth_rule(args: Sequence[Argument]) -> Resolved:
    """`nth_value(value, place)`, places from one on."""
    require_count(args, 2)
    place = cast_to(args[1], ty.INT, 2)
    if not args[1].is_literal or args[1].value is None:
        raise IllFormedError("the place must be a constant")
    if isinstance(args[1].value, int) and args[1].value < 1:
        raise IllFormedError("the place must be above zero")
    return Resolved((args[0].type, place), args[0].type)


def _nth(rows: Partition) -> Any:
    """The value of the row at a place of the frame; null where the frame ends before."""
    place = rows[0][1] if rows else 1
    return rows[place - 1][0] if place <= len(rows) else None


# A choice where rows tie, as what LAG and LEAD give is.
over("nth_value", "NthValue", _nth_rule, _nth)(CHOICE, Claim.READS_FRAME, ZoneUse.SAME)
