"""What the settings of a Spark session decide of the meaning of expressions.

A front end reads under the settings of the session that would run what it reads (`under`); what
types and functions mean then asks for `current()`. Once read, an expression says itself what it
means: nothing behind the front ends looks here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class SessionSettings:
    """The settings under which something is read; Spark 4's own where nobody says otherwise."""

    ansi: bool = True  # whether what overflows, or cannot be converted, fails the run


USUAL = SessionSettings()
_CURRENT: ContextVar[SessionSettings] = ContextVar("session settings", default=USUAL)


def current() -> SessionSettings:
    """The settings under which is read now."""
    return _CURRENT.get()


@contextmanager
def under(settings: SessionSettings) -> Iterator[None]:
    """Read under these settings."""
    token = _CURRENT.set(settings)
    try:
        yield
    finally:
        _CURRENT.reset(token)
