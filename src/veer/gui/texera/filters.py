"""The predicates of Texera's Filter: a column compared with a text, by the rules of its type.

Only `is null` and `is not null` look at nulls; no other predicate holds on one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from veer.gui.rows import NotModelled, Rows, Value, unknown_call
from veer.gui.texera.terms import NAME, text
from veer.ir import expr as ex, types as ty
from veer.read import coercion

# A number as Java reads one from text, roughly: what does not look like this is none.
NUMBER = re.compile(
    r"[\x00-\x20]*[+-]?(NaN|Infinity|0[xX].*|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?)[\x00-\x20]*"
)
PLAIN = re.compile(r"[+-]?\d+(\.\d+)?")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def condition(rows: Rows, predicate: Mapping[str, Any]) -> ex.Expr:
    """What one predicate asks of a row."""
    column = rows.column(text(predicate, "attribute"))
    asked = predicate.get("condition")
    if asked == "is null":
        return ex.IsNull(column.expr)
    if asked == "is not null":
        return ex.Not(ex.IsNull(column.expr))
    value = predicate.get("value")
    if asked not in COMPARISONS or not isinstance(value, str):
        raise NotModelled(f"the condition {asked!r}")
    exact = _exact(column, str(asked), value) if column.known else None
    if exact is not None:
        return exact
    unknown = unknown_call(NAME, f"{asked} {value!r}", column, type_=ty.BOOLEAN)
    return coercion.conjunction([ex.Not(ex.IsNull(column.expr)), unknown.expr])


def _exact(column: Value, asked: str, value: str) -> ex.Expr | None:
    """The comparison where Spark's is the same on every value; None where it is not."""
    match column.type:
        case t if t == ty.LONG and re.fullmatch(r"[+-]?\d{1,19}", value.strip()):
            whole = int(value)
            fits = abs(whole) < 2**63
            return (
                coercion.compare(asked, column.expr, ex.Literal(whole, ty.LONG)) if fits else None
            )
        case t if t == ty.INT and PLAIN.fullmatch(value.strip()):
            return _with_int(column.expr, asked, float(value))
        case t if t == ty.DOUBLE and PLAIN.fullmatch(value.strip()):
            number = float(value)
            # Texera tells 0.0 from -0.0, Spark does not.
            if number == 0 or math.isinf(number):
                return None
            return coercion.compare(asked, column.expr, ex.Literal(number, ty.DOUBLE))
        case t if t == ty.STRING and asked in ("=", "!=") and not NUMBER.fullmatch(value):
            return coercion.compare(asked, column.expr, ex.Literal(value, ty.STRING))
        case t if (
            t == ty.BOOLEAN and asked in ("=", "!=") and value.strip().lower() in ("true", "false")
        ):
            wanted = ex.Literal(value.strip().lower() == "true", ty.BOOLEAN)
            return coercion.compare(asked, column.expr, wanted)
        case _:
            return None


def _with_int(column: ex.Expr, asked: str, number: float) -> ex.Expr | None:
    """An integer beside a number; Texera compares both as doubles, which hold every integer."""
    if number == 0 and math.copysign(1, number) < 0:
        return None
    if number == int(number) and abs(number) < 2**31:
        return coercion.compare(asked, column, ex.Literal(int(number), ty.INT))
    return coercion.compare(asked, coercion.cast(column, ty.DOUBLE), ex.Literal(number, ty.DOUBLE))
