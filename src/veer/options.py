"""The options that are a choice between named values, each defined once.

The command line offers exactly these values, the Python API takes the members or their values, and
whatever else is given is a `UsageError` that lists them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

from veer.errors import UsageError


class ColumnMatching(Enum):
    """Which columns of two results belong together."""

    NAME = "name"
    POSITION = "position"


class TypeMatching(Enum):
    """When columns that belong together have the same type."""

    EXACT = "exact"
    VALUE = "value"  # integers and decimals of any width, and NULL, are compared by value


class ErrorHandling(Enum):
    """What it means that a run of one version may fail where the other does not."""

    IGNORE = "ignore"  # a caveat of the verdict
    STRICT = "strict"  # the versions are not known to be equivalent


class SearchStrategy(Enum):
    """How a proof is searched for (`docs/search.md`)."""

    SWEEP = "sweep"  # from the sources upwards, over parts already proven equal
    PLUS = "plus"  # the paper's Veer+
    BASELINE = "baseline"  # the paper's Veer


class Optimization(Enum):
    """An optimization of the search that can be switched off, to measure what it brings."""

    SEGMENT = "segment"
    PRUNE = "prune"
    RANK = "rank"
    QUICK = "quick"


class SecondSolver(Enum):
    """A solver that can be asked the questions behind a proof once more."""

    CVC5 = "cvc5"


class Keep(Enum):
    """What a run stores for later versions."""

    SINKS = "sinks"
    CUTS = "cuts"  # sinks, and small intermediate results just below the edits
    NONE = "none"


class Reuse(Enum):
    """Which stored results a run may read instead of computing them."""

    PROVEN = "proven"  # those proven to be equal
    EXACT = "exact"  # those of the very same computation
    NONE = "none"


class JvmUse(Enum):
    """Whether a JVM is started to read PySpark functions."""

    AUTO = "auto"  # for what cannot be read without one
    NEVER = "never"
    ALWAYS = "always"


class TextOrJson(Enum):
    """How a command prints what is not a report; for reports see `veer.show.formats`."""

    TEXT = "text"  # for people
    JSON = "json"  # for programs


class UnknownOutcome(Enum):
    """What an unknown verdict makes of a test that asks for equivalence."""

    FAIL = "fail"
    SKIP = "skip"


Option = TypeVar("Option", bound=Enum)


def values(option: type[Enum]) -> list[str]:
    """The values a user can choose from, in the order of their definition."""
    return [member.value for member in option]


def chosen(option: type[Option], value: Option | str, name: str) -> Option:
    """The member a user means by itself or by its value; `name` is what the user calls the option.

    >>> chosen(TypeMatching, "exact", "types")
    <TypeMatching.EXACT: 'exact'>
    """
    try:
        return option(value)
    except ValueError:
        given = value.value if isinstance(value, Enum) else value
        raise UsageError(
            f"{name} must be one of {', '.join(values(option))}; got {given!r}"
        ) from None


def chosen_several(
    option: type[Option], given: str | Iterable[Option | str], name: str
) -> tuple[Option, ...]:
    """The members a user lists, separated by commas if they are given as one text."""
    listed = names_in(given) if isinstance(given, str) else given
    return tuple(chosen(option, value, name) for value in listed)


def names_in(listed: str) -> tuple[str, ...]:
    """The names in a text that separates them by commas."""
    return tuple(name.strip() for name in listed.split(",") if name.strip())
