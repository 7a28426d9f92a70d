"""Errors a user can meet.

    VeerError                 anything Veer raises on purpose
    ├── UsageError            the request makes no sense (exit 64)
    └── InputError            the input cannot be used (exit 65)
        ├── ParseError        the text is not what it claims to be
        ├── UnsupportedError  understood, but outside what Veer models
        │   └── NoFingerprintError  a source or function that has no fingerprint
        │       └── UntoldSourceError  a source of which nothing tells whether it changed
        └── IllFormedError    a dataflow that cannot mean anything
            └── UnknownNameError  a column or table that is not there

Not knowing is never an error: it is the verdict UNKNOWN with a reason.
"""

from copy import copy
from typing import Self


class VeerError(Exception):
    """Anything Veer raises on purpose; `exit_status` is what the command ends with."""

    exit_status = 70


class TimeLimitReached(BaseException):
    """The time a user gave is over; no `except Exception` on the way may keep it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"timeout after {seconds:g} s")
        self.seconds = seconds


class UsageError(VeerError):
    """The request makes no sense."""

    exit_status = 64


class InputError(VeerError):
    """The input cannot be used; the message says which file, operator and column.

    `undeclared_table` is the table that nobody declared, where that is all that is missing.
    """

    exit_status = 65
    undeclared_table = ""

    def told(self, text: str) -> Self:
        """The same error in other words."""
        error = copy(self)
        error.args = (text,)
        return error

    def of(self, name: str) -> Self:
        """The same error, told of the input of that name."""
        return self.told(f"{name}: {self}")


class ParseError(InputError):
    """The text is not what it claims to be."""


class UnsupportedError(InputError):
    """The construct is understood but outside what Veer models.

    `operator` is the id that the message names, if it names one.
    """

    def __init__(self, message: str, *, operator: str = "") -> None:
        super().__init__(message)
        self.operator = operator


class NoFingerprintError(UnsupportedError):
    """A source or a function of which nothing tells whether it is still the same."""


class UntoldSourceError(NoFingerprintError):
    """A source of which nothing tells whether it still holds the same; a user may declare that it does."""


class IllFormedError(InputError):
    """A dataflow that cannot mean anything: the message names operator, column, expectation."""


class UnknownNameError(IllFormedError):
    """A column or a table that is not there; `name` is what was asked for, part by part."""

    def __init__(self, message: str, name: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.name = name
