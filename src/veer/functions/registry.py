"""The one registry of functions: typing rule, null rule, kind of determinism, meaning.

A scalar function's `meaning(argument types, result type)` gives a Python function from argument
values to a value; an aggregate's gives one from the list of argument rows. The modules
beside this one register their functions; importing the package imports them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, final

from veer.errors import IllFormedError, UnsupportedError
from veer.model.types import DataType


class Failure(Exception):
    """A run that fails, as Spark would under ANSI; the text is Spark's error condition."""


class Kind(Enum):
    """Kinds of determinism; from this registry, never from Catalyst's flag."""

    PURE = "pure"  # a function of its arguments
    RUN_CONSTANT = "run constant"  # one value per run, shared by both versions
    CHOICE = "choice"  # one of several allowed results: ties, random numbers, float sums
    PARTITION = "partition dependent"  # depends on how rows are spread


class Nulls(Enum):
    """When a function gives null."""

    STRICT = "null exactly when an argument is"
    PROPAGATE = "null when an argument is, and perhaps otherwise"
    NEVER = "never null; sees null arguments"
    CUSTOM = "sees null arguments and decides"


class Argument(NamedTuple):
    """What typing may know of an argument."""

    type: DataType
    is_literal: bool = False
    value: Any = None


class Resolved(NamedTuple):
    """Types the arguments must be cast to, and the type of the result."""

    arguments: tuple[DataType, ...]
    result: DataType


Rule = Callable[[Sequence[Argument]], Resolved]
Meaning = Callable[[Sequence[DataType], DataType], Callable[..., Any]]


@dataclass(frozen=True)
class Function:
    """What scalar, aggregate and window functions have in common."""

    name: str
    rule: Rule
    meaning: Meaning
    kind: Kind = Kind.PURE

    def resolve(self, args: Sequence[Argument]) -> Resolved:
        try:
            return self.rule(args)
        except IllFormedError as error:
            raise IllFormedError(f"{self.name}: {error}") from None


@final
@dataclass(frozen=True)
class ScalarFunction(Function):
    """A function of one row."""

    nulls: Nulls = Nulls.STRICT
    can_fail: bool = False  # on some non-null arguments


@final
@dataclass(frozen=True)
class AggregateFunction(Function):
    """A function of the bag of rows of a group; `meaning` sees them as a list in some order."""

    ignores_duplicates: bool = False
    ignores_order: bool = True
    empty_is_null: bool = True  # null (else a value such as 0 or []) when no row counts
    needs_order = False


@final
@dataclass(frozen=True)
class OverFunction(Function):
    """A ranking or offset function; only defined over a window."""

    needs_order: bool = True


SCALAR: dict[str, ScalarFunction] = {}
AGGREGATE: dict[str, AggregateFunction] = {}
OVER: dict[str, OverFunction] = {}
ALIASES: dict[str, str] = {}


def canonical_name(name: str) -> str:
    """The registry's name for a function as written in any case or by an alias."""
    lowered = name.lower()
    return ALIASES.get(lowered, lowered)


def scalar_function(name: str) -> ScalarFunction:
    """The scalar function of that exact registry name."""
    if name not in SCALAR:
        raise UnsupportedError(f"unknown function {name!r}")
    return SCALAR[name]


def aggregate_function(name: str) -> AggregateFunction:
    """The aggregate function of that exact registry name."""
    if name not in AGGREGATE:
        raise UnsupportedError(f"unknown aggregate function {name!r}")
    return AGGREGATE[name]


def over_function(name: str) -> OverFunction | AggregateFunction:
    """The ranking, offset or aggregate function usable over a window."""
    found = OVER.get(name) or AGGREGATE.get(name)
    if found is None:
        raise UnsupportedError(f"unknown window function {name!r}")
    return found


def scalar(
    name: str,
    rule: Rule,
    meaning: Callable[..., Any],
    nulls: Nulls = Nulls.STRICT,
    *,
    typed: bool = False,
    can_fail: bool = False,
    kind: Kind = Kind.PURE,
    aliases: Sequence[str] = (),
) -> None:
    """Register a scalar function; `typed` if `meaning` wants the types first."""
    made = meaning if typed else _untyped(meaning)
    SCALAR[name] = ScalarFunction(name, rule, made, kind, nulls, can_fail)
    ALIASES.update(dict.fromkeys(aliases, name))


def _untyped(meaning: Callable[..., Any]) -> Meaning:
    return lambda _arguments, _result: meaning
