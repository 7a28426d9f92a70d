"""DataFrames of running sessions: both classic, or both of Spark Connect."""

from __future__ import annotations

from typing import Any

from veer.errors import UsageError

CONNECT = "pyspark.sql.connect.dataframe.DataFrame"
CLASSIC = ("pyspark.sql.classic.dataframe.DataFrame", "pyspark.sql.dataframe.DataFrame")


def is_connect_frame(value: Any) -> bool:
    """Whether something is a DataFrame of Spark Connect."""
    return CONNECT in _classes(value)


def check_one_session(p: Any, q: Any) -> None:
    """Refuse DataFrames whose tables need not be the same ones, though they have the same names."""
    kinds = {_kind(value) for value in (p, q)} - {""}
    if len(kinds) == 2:
        raise UsageError(
            "one DataFrame is of a classic session, the other of Spark Connect; use one session"
        )
    if kinds == {CONNECT} and is_connect_frame(p) and is_connect_frame(q):
        one, two = p.sparkSession, q.sparkSession
        if one is not two and one.session_id != two.session_id:
            raise UsageError("the DataFrames are of two Spark Connect sessions; use one session")


def _kind(value: Any) -> str:
    """What kind of DataFrame something is; nothing if it is none."""
    if is_connect_frame(value):
        return CONNECT
    return CLASSIC[0] if _classes(value) & {*CLASSIC} else ""


def _classes(value: Any) -> set[str]:
    return {f"{c.__module__}.{c.__qualname__}" for c in type(value).__mro__}
