"""Expressions to solver terms, and models back to values; the only importer of z3.

Formulas are plain data; the solver is loaded when the first question is asked.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from veer.prove.solver.formula import (
    All,
    Formula,
    Holds,
    No,
    Same,
    SameCount,
    Some,
    Variable,
    implies,
    same,
)
from veer.prove.solver.questions import Question, listening

if TYPE_CHECKING:
    from veer.prove.solver.smtlib import as_smtlib
    from veer.prove.solver.solve import Solver, SolverOutcome, find_model

__all__ = [
    "All",
    "Formula",
    "Holds",
    "No",
    "Question",
    "Same",
    "SameCount",
    "Solver",
    "SolverOutcome",
    "Some",
    "Variable",
    "as_smtlib",
    "find_model",
    "implies",
    "listening",
    "same",
]

# What loads the solver, which takes a while: where it is, for the first who asks for it.
LATER = {
    "SolverOutcome": "veer.prove.solver.solve",
    "Solver": "veer.prove.solver.solve",
    "as_smtlib": "veer.prove.solver.smtlib",
    "find_model": "veer.prove.solver.solve",
}


if not TYPE_CHECKING:  # to which a module with this function would have every name

    def __getattr__(name: str) -> Any:
        if name in LATER:
            return getattr(import_module(LATER[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
