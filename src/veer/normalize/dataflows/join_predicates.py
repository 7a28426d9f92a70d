"""Where the conditions on the rows of a join are checked: on a side, on pairs, or above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from veer.model.expr import Expr
from veer.model.schema import Schema
from veer.model.texts import text_of
from veer.normalize.dataflows.implied_predicates import consequences, has_query, one_sided, smallest
from veer.normalize.dataflows.known_predicates import places_read


@final
@dataclass(frozen=True)
class PlacedPredicates:
    """All over the columns of the joined row."""

    left: Sequence[Expr]
    right: Sequence[Expr]
    on: Sequence[Expr]
    above: Sequence[Expr]


def place_join_predicates(
    kind: str,
    above: Sequence[Expr],
    on: Sequence[Expr],
    known: tuple[Sequence[Expr], Sequence[Expr]],
    both: Schema,
    width: int,
) -> PlacedPredicates:
    """The conditions `above` a join and `on` its pairs, each as far down as it goes.

    `known` holds of the inputs anyway. Only left rows with a partner show in an inner or semi join,
    so what follows from the condition can be required of them. On the right, rows that fit no left
    row that is kept are never missed, whatever the kind; a full join keeps them.
    """
    if kind == "full":
        return PlacedPredicates((), (), smallest(on, both), above)

    def is_left(condition: Expr) -> bool:
        places = places_read(condition, both)
        return bool(places) and max(places) < width

    def is_right(condition: Expr) -> bool:
        places = places_read(condition, both)
        return bool(places) and min(places) >= width

    if kind in ("inner", "cross"):
        on, above = [*above, *on], ()
    of_left = [c for c in above if is_left(c)]
    above = [c for c in above if not is_left(c)]
    pairs = consequences([*of_left, *on, *known[0], *known[1]])
    sides = [one_sided(c, is_side) for c in pairs for is_side in (is_left, is_right)]
    pairs = consequences([*pairs, *(c for c in sides if c is not None)])
    if kind in ("inner", "cross", "semi"):
        of_left += [c for c in pairs if is_left(c)]
        on = [c for c in on if not is_left(c)]
    else:
        of_left = [c for c in consequences([*of_left, *known[0]]) if is_left(c)]
    of_right = [c for c in pairs if is_right(c)]
    on = [c for c in on if not is_right(c)]
    if kind in ("inner", "cross"):  # subqueries of filters become joins
        above = [c for c in on if has_query(c)]
        on = [c for c in on if not has_query(c)]
    return PlacedPredicates(
        _new(of_left, known[0]), _new(of_right, known[1]), smallest(on, both), above
    )


def _new(conditions: Sequence[Expr], known: Sequence[Expr]) -> list[Expr]:
    """The conditions without those that hold anyway."""
    held = {text_of(c) for c in consequences(known)}
    return [c for c in conditions if text_of(c) not in held]
