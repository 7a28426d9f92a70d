"""A pass of the normal form by itself: the dataflow without it, and with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from veer.model.dag import Dataflow
from veer.normalize import (
    join_groups,
    merge_calls,
    merge_window_functions,
    normalize,
    plain_windows,
)
from veer.normalize.plain_calls import just

WHOLE = (
    "count_collected", "bits_as_flags", "semi_joins_as_conditions", "push_conditions",
    "subqueries_as_joins", "partition_totals", "single_values", "leave_out_inner_distincts",
    "order_joins", "sums_or_zero", "compute_arguments",
)  # fmt: skip
# Functions called inside of a rule: where each is found, and one that does nothing in its place.
STEPS: dict[str, tuple[list[Any], str, Callable[..., Any]]] = {
    "spell_calls": ([merge_calls], "plain_call", lambda call, *_, **__: just(call)),
    "split_sums": ([merge_calls], "split_sum", lambda call, _: just(call)),
    "merge_groups": ([merge_calls], "as_first_step", lambda *_: None),
    "first_row_values": ([merge_calls], "of_first_rows", lambda *given: given[-1]),
    "distinct_by_key": ([merge_calls], "distinct_by_key", lambda *given: given[-1]),
    "number_by_key": (
        [merge_window_functions, plain_windows], "by_what_is_numbered", lambda *given: given[-1]
    ),
    "rank_by_key": ([merge_window_functions], "rank_by_key", lambda *given: given[-1]),
    "spell_window": ([merge_window_functions], "plain_window", lambda *given: given[-1]),
    "share_lookups": ([join_groups], "with_all_lookups", lambda *_: None),
}  # fmt: skip
RULES = tuple(rule.__name__ for rule in normalize.RULES[:-1])  # the last is for what is left
NAMES = (*WHOLE, *RULES, *STEPS)


def applied(name: str, dataflow: Dataflow) -> tuple[Dataflow, Dataflow]:
    """What a pass is given, or what the others make of a dataflow; and what it makes of that."""
    if name in WHOLE:
        given = normalize.inlined(dataflow)
        more = {"subqueries_as_joins": [normalize.inlined], "order_joins": [_swept]}
        return given, getattr(normalize, name)(given, *more.get(name, []))
    is_last = name == "split_sums"
    with ExitStack() as without:
        if name in STEPS:
            modules, attribute, instead = STEPS[name]
            for module in modules:
                without.enter_context(patch.object(module, attribute, instead))
        else:
            rules = tuple(rule for rule in normalize.RULES if rule.__name__ != name)
            without.enter_context(patch.object(normalize, "RULES", rules))
        before = _swept(dataflow, is_last=is_last)
    return before, _swept(dataflow, is_last=is_last)


def _swept(dataflow: Dataflow, *, is_last: bool = False) -> Dataflow:
    inlined = normalize.inlined
    return normalize._rewritten(
        dataflow, inlined, inlined, shows_columns=True, is_last=is_last
    ).dataflow()
