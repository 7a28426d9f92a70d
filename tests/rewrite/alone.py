"""A pass of the normal form by itself: the dataflow without it, and with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from veer.assumptions import KeyAssumption
from veer.ir.dag import Dataflow
from veer.rewrite.normalize import inlined, normalized
from veer.rewrite.passes import RULES, Pass, every_pass, laws
from veer.rewrite.sweep import Normalization, Sweeps, swept

SWEPT = {part.name for rule in RULES for part in (rule, *rule.parts)}
EVERY: dict[str, Pass[Any]] = {
    each.name: each
    for each in every_pass()
    if each.parts != RULES  # a sweep is its rules
}


def applied(
    name: str, dataflow: Dataflow, *, as_read: bool = False
) -> tuple[Dataflow, Dataflow, set[KeyAssumption]]:
    """What a pass is given, what it makes of that, and the declared keys that it relies on.

    A pass is given the dataflow after a sweep, one inside of a sweep after a sweep without it.
    """
    if name not in SWEPT:
        given, sweeps = dataflow if as_read else inlined(dataflow), _sweeps()
        return given, EVERY[name].run(given, sweeps), sweeps.relied
    others = tuple(
        replace(rule, parts=tuple(part for part in rule.parts if part.name != name))
        for rule in RULES
        if rule.name != name
    )
    is_last = name == "split_sums"
    before, after = (
        swept(dataflow, laws(rules), (inlined, inlined), shows_columns=True, is_last=is_last)
        for rules in (others, RULES)
    )
    return before.dataflow(), after.dataflow(), after.relied - before.relied


def _sweeps() -> Sweeps:
    def of_query(query: Dataflow) -> Normalization:
        return Normalization(normalized(query), ())

    return Sweeps(laws(), of_query, of_query, shows_columns=True)
