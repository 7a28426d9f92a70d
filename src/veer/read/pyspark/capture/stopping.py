"""How the loading of a job stops: with an error, or to try again with a JVM."""

from __future__ import annotations

from veer.errors import UnsupportedError


class NeedsJvm(UnsupportedError):
    """What only a classic session can answer; the message says what that is."""


class Stopped(BaseException):
    """A program that wants to know what was not computed; no `except Exception` catches it."""

    undeclared_table = ""  # of which it wants to know the columns

    def error(self) -> UnsupportedError:
        """What the user is told."""
        error = UnsupportedError(str(self))
        error.undeclared_table = self.undeclared_table
        return error


class StoppedForJvm(Stopped):
    """A program that wants what a session without a JVM does not have."""

    def error(self) -> UnsupportedError:
        """That the job is to be read by a JVM."""
        return NeedsJvm(str(self))
