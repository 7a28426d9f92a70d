"""What counts as the same result, and what is spent on finding out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from veer.verdict import TableSemantics


@final
@dataclass(frozen=True)
class Comparison:
    """What counts as the same result."""

    semantics: TableSemantics = TableSemantics.BAG
    columns: str = "name"  # or "position"
    types: str = "exact"  # or "value": integers and decimals of any width, and NULL, by value
    budget: int = 1_000_000  # operators the refuter may run
    evs: tuple[str, ...] = ()  # verifiers to ask, in this order; all by default
    errors: str = "ignore"  # or "strict": what may fail in one version only is not equivalent
    strategy: str = "sweep"  # or "plus", "baseline"
    without: tuple[str, ...] = ()  # "segment", "prune", "rank", "quick" switched off
    cache: str = ""  # a file in which answers of verifiers are kept
    witnesses: bool = True  # or only look for proofs: what is not proven is unknown
    evidence: bool = False  # the steps of proofs, with the solver's questions, in the report
    recheck: str = ""  # "cvc5": a second solver is asked these questions too
