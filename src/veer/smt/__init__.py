"""Expressions to solver terms, and models back to values; the only importer of z3."""

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
