"""What an analysis has learned of a function so far, and the names it looks up."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from veer.frontends.python.purity.traits import NO_TRAITS, NONE, AbstractValue, LocalFunction, Risk
from veer.functions.registry import Kind


class Leaving(Enum):
    """How a function hands out a value."""

    RETURN = auto()
    YIELD = auto()


class NameScope:
    """The names of one function: its own, those of comprehensions, and those around it."""

    def __init__(
        self,
        bound: frozenset[str],
        inner: frozenset[str],
        around: NameScope | None,
        lookup: Callable[[str], Any],
        function: types.FunctionType | None,
    ) -> None:
        self.bound, self.inner, self.around, self.lookup = bound, inner, around, lookup
        self.function = function  # whose globals and cells are read
        self.values: dict[str, AbstractValue] = {}
        self.results: dict[Leaving, AbstractValue] = {}
        self.locals: dict[ast.AST, LocalFunction] = {}
        self.hashes = False  # of a `__hash__`, whose values show in the order of sets alone


class Learned:
    """What was learned so far; only ever grows."""

    def __init__(self) -> None:
        self.kind = Kind.PURE
        self.stored = NO_TRAITS  # whatever something made in the call was changed to hold
        self.contained = NO_TRAITS  # functions and objects inside of something made in the call
        self.operator_results = NO_TRAITS  # whatever operators of the project's classes give
        self.seen = NONE  # traits of all values
        self.risks = Risk.NONE
        self.changes = 0  # how often something was changed, in this round
        self.returned: dict[Any, AbstractValue] = {}
        self.scopes: dict[Any, NameScope] = {}
        self.grown = False
