"""Casts of texts that mean a time of the run: 'now', 'today', or 12:30 of today."""

from __future__ import annotations

import re

from veer.errors import UnsupportedError
from veer.ir import expr as ex, types as ty
from veer.ir.walk import children, columns_read, parts
from veer.settings import SPARK_4_1, current

WITH_A_YEAR = re.compile(r"[+-]?\d{4,}(-|$)")
OF_THE_RUN = ("now", "today", "yesterday", "tomorrow", "current_", "epoch")


def as_cast(expr: ex.Expr) -> ex.Cast | None:
    """A cast, also one of a text in a time zone; None if it is none."""
    match expr:
        case ex.Cast():
            return expr
        case ex.Call("zoned.timestamp", (text, _), type_):
            return ex.Cast(text, type_, ty.CastMode.ANSI)
        case ex.Call("zoned.try_timestamp", (text, _), type_):
            return ex.Cast(text, type_, ty.CastMode.TRY)
        case _:
            return None


def may_mean_now(expr: ex.Expr) -> bool:
    """Whether a constant text is cast to a time of the run.

    Spark knows such words in constants only, so a cast of a column is not one of them.
    """
    cast = as_cast(expr)
    if cast is None:
        return False
    if not isinstance(cast.type, ty.DateType | ty.TimestampType | ty.TimestampNtzType):
        return False
    if (
        not isinstance(cast.arg.type, ty.StringType)
        or next(columns_read(cast.arg), None) is not None
    ):
        return False
    if isinstance(cast.arg, ex.Literal):
        text = str(cast.arg.value).strip().lower()
        is_time = isinstance(cast.type, ty.TimestampType) and (":" in text or text.startswith("t"))
        return text.startswith(OF_THE_RUN) or (is_time and not WITH_A_YEAR.match(text))
    return not any(isinstance(part, ex.OuterColumn) for part in parts(cast.arg))


def may_be_of_today(expr: ex.Expr) -> bool:
    """Whether a text is made a timestamp: a time without a date is one of the day of the run."""
    return (
        (isinstance(expr, ex.OpaqueCall) or as_cast(expr) is not None)
        and isinstance(expr.type, ty.TimestampType)
        and any(
            isinstance(a.type, ty.StringType) and not isinstance(a, ex.Literal)
            for a in children(expr)
        )
    )


def require_plain(expr: ex.Expr) -> ex.Expr:
    """A cast, unless it gives null for some words of which Spark makes dates in constants.

    Nor, before Spark 4.1, one of a timestamp to a decimal: it went through a double.
    """
    cast = as_cast(expr)
    if cast is not None and current().spark < SPARK_4_1 and cast.arg.type == ty.TIMESTAMP:
        if isinstance(cast.type, ty.DecimalType):
            raise UnsupportedError("a timestamp cast to a decimal, before Spark 4.1")
    if cast is not None and cast.mode is not ty.CastMode.ANSI and may_mean_now(cast):
        raise UnsupportedError("a constant that may be a word for a date, cast without failing")
    return expr
