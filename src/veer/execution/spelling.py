"""How a session is told to compute just what an expression means, whatever its mode and Spark.

`x + 1` fails under ANSI where it overflows, and wraps around without: two functions of Veer's, one
text. A function is written by a name that means just this function in the session, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.registry import SCALAR
from veer.functions.sessions import aggregate_meaning, cast_meaning, scalar_meaning
from veer.ir import types as ty
from veer.settings import SessionSettings, under

PREFIXES = ("legacy.checked_", "legacy.old_", "legacy.", "older.")
Meaning = Callable[[str, Sequence[ty.DataType], ty.DataType], str]


def spelled_scalar(
    function: str, types: Sequence[ty.DataType], result: ty.DataType, session: SessionSettings
) -> str:
    """The name of a scalar function in a session; refused if it has none."""
    return _spelled(function, types, result, session, scalar_meaning)


def spelled_aggregate(
    function: str, types: Sequence[ty.DataType], result: ty.DataType, session: SessionSettings
) -> str:
    """The name of an aggregate or window function in a session; refused if it has none."""
    return _spelled(function, types, result, session, aggregate_meaning)


def spelled_cast(
    given: ty.DataType, target: ty.DataType, mode: ty.CastMode, session: SessionSettings
) -> str:
    """The word for a cast in a session; refused if it has none."""
    with under(session):
        if cast_meaning(given, target) is mode:
            return "CAST"
    if mode is ty.CastMode.TRY:
        return "TRY_CAST"
    read = "under ANSI" if mode is ty.CastMode.ANSI else "without ANSI"
    raise UnsupportedError(f"a cast of {given} to {target} as {read}; {_shown(session)}")


def _spelled(
    function: str,
    types: Sequence[ty.DataType],
    result: ty.DataType,
    session: SessionSettings,
    meaning: Meaning,
) -> str:
    with under(session):
        for name in _candidates(function):
            try:
                if meaning(name, types, result) == function:
                    return name
            except (IllFormedError, UnsupportedError):  # not there, or not modelled
                continue
    raise UnsupportedError(f"{function} cannot be computed: {_shown(session)}")


def _candidates(function: str) -> Iterator[str]:
    """Names that may mean a function in some session."""
    attempted = SCALAR[function].attempt_of if function in SCALAR else None
    if attempted is not None:  # without ANSI, `a / b` is `try_divide(a, b)`
        yield attempted
    prefix = next((p for p in PREFIXES if function.startswith(p)), None)
    if prefix is None:
        yield function
    elif function.removeprefix(prefix) in SCALAR or prefix == "legacy.":
        yield function.removeprefix(prefix)


def _shown(session: SessionSettings) -> str:
    """A session, for users."""
    mode = "of" if session.ansi else "without"
    return f"the session is one of Spark {session.spark} {mode} ANSI"


__all__ = ["spelled_aggregate", "spelled_cast", "spelled_scalar"]
