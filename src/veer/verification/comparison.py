"""What counts as the same result, and how much work to spend on a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from veer import options
from veer.errors import UsageError
from veer.verdict import TableSemantics


@final
@dataclass(frozen=True)
class Comparison:
    """What counts as the same result, and how much work to spend on a comparison.

    Options can also be given as texts: `Comparison(types="value")`. An unknown value is a
    `UsageError`.
    """

    semantics: TableSemantics = TableSemantics.BAG
    columns: options.ColumnMatching = options.ColumnMatching.NAME
    types: options.TypeMatching = options.TypeMatching.EXACT
    budget: int | None = (
        None  # steps of work on a pair of sinks; by default as is usual for its size
    )
    evs: tuple[str, ...] = ()  # verifiers to ask, in this order; the usual ones by default
    errors: options.ErrorHandling = options.ErrorHandling.IGNORE
    strategy: options.SearchStrategy = options.SearchStrategy.SWEEP
    without: tuple[options.Optimization, ...] = ()  # optimizations switched off
    cache: str = ""  # a file in which answers of verifiers are kept
    witnesses: bool = True  # False: only look for proofs
    evidence: bool = False  # the steps of proofs, with the solver's questions, in the report
    recheck: options.SecondSolver | None = None  # a second solver for the questions of the proof
    hints: bool = True  # look for what would settle an unknown
    names: tuple[tuple[str, str], ...] = ()  # pairs of names before and after
    suggest_keys: bool = False  # look for declarations under which the versions are equivalent

    def __post_init__(self) -> None:
        """Turn values given as text into members, or refuse them."""
        given = self.budget
        if given is not None and (
            isinstance(given, bool) or not isinstance(given, int) or given <= 0
        ):
            raise UsageError(f"budget must be a positive number; got {self.budget!r}")
        members = {
            "semantics": options.chosen(TableSemantics, self.semantics, "semantics"),
            "columns": options.chosen(options.ColumnMatching, self.columns, "columns"),
            "types": options.chosen(options.TypeMatching, self.types, "types"),
            "evs": _names(self.evs),
            "errors": options.chosen(options.ErrorHandling, self.errors, "errors"),
            "strategy": options.chosen(options.SearchStrategy, self.strategy, "strategy"),
            "without": options.chosen_several(options.Optimization, self.without, "without"),
            "recheck": options.chosen(options.SecondSolver, self.recheck, "recheck")
            if self.recheck
            else None,
        }
        for name, member in members.items():
            object.__setattr__(self, name, member)  # the class is frozen once it is built


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return options.names_in(given) if isinstance(given, str) else tuple(given)
