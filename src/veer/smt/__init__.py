"""Expressions to solver terms, and models back to values; the only importer of z3.

Formulas are plain data; the solver is loaded when the first question is asked.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from veer.smt.formula import (
    All,
    Formula,
    Holds,
    No,
    Same,
    SameCount,
    Some,
    implies,
    never_null,
    same,
)

if TYPE_CHECKING:
    from veer.smt.solve import Outcome, Solver, find_model

__all__ = [
    "All",
    "Formula",
    "Holds",
    "No",
    "Outcome",
    "Same",
    "SameCount",
    "Solver",
    "Some",
    "find_model",
    "implies",
    "never_null",
    "same",
]


def __getattr__(name: str) -> Any:
    if name in ("Outcome", "Solver", "find_model"):
        return getattr(import_module("veer.smt.solve"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
