"""Errors a user can meet.

    VeerError                 anything Veer raises on purpose
    ├── UsageError            the command or call is wrong (exit 64)
    └── InputError            the input cannot be used (exit 65)
        ├── ParseError        the text is not in the expected format
        ├── UnsupportedError  understood, but outside what Veer models
        │   └── NoFingerprintError  a source or function that has no fingerprint
        │       └── UntoldSourceError  a source that may change unnoticed
        └── IllFormedError    a dataflow without a meaning
            └── UnknownNameError  a column or table that does not exist

An unknown result is never an error: it is the verdict UNKNOWN with a reason.
"""

from copy import copy
from typing import Self


class VeerError(Exception):
    """Anything Veer raises on purpose; `exit_status` is what the command ends with."""

    exit_status = 70


class TimeLimitReached(BaseException):
    """The time limit of the user is over; no `except Exception` may catch it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"timeout after {seconds:g} s")
        self.seconds = seconds


class UsageError(VeerError):
    """The command or call is wrong."""

    exit_status = 64


class InputError(VeerError):
    """The input cannot be used; the message says which file, operator and column.

    `undeclared_table` is the table that is not declared, if nothing else is missing.
    """

    exit_status = 65
    undeclared_table = ""

    def told(self, text: str) -> Self:
        """The same error in other words."""
        error = copy(self)
        error.args = (text,)
        return error

    def of(self, name: str) -> Self:
        """The same error, with the name of the input before it."""
        return self.told(f"{name}: {self}")


class ParseError(InputError):
    """The text is not in the expected format."""


class UnsupportedError(InputError):
    """The construct is understood but outside what Veer models.

    `operator` is the id that the message names, if it names one.
    """

    def __init__(self, message: str, *, operator: str = "") -> None:
        super().__init__(message)
        self.operator = operator


class NoFingerprintError(UnsupportedError):
    """Veer cannot see whether a source or a function changed."""


class UntoldSourceError(NoFingerprintError):
    """Veer cannot see whether a source changed; a user may declare that it does not."""


class IllFormedError(InputError):
    """A dataflow without a meaning: the message names the operator, the column and what is expected."""


class UnknownNameError(IllFormedError):
    """A column or table that does not exist; `name` has the parts of the name."""

    def __init__(self, message: str, name: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.name = name
