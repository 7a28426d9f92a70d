"""Constants: numbers typed as Spark types them, typed text, intervals."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from math import isinf

from sqlglot import exp

from veer.errors import ParseError
from veer.functions.arithmetic import fit_interval
from veer.functions.moments import parse_date, parse_timestamp
from veer.functions.registry import Failure
from veer.functions.zone_rules import UTC_ZONE
from veer.ir import expr as ex, types as ty
from veer.read.sql.parse import refuse
from veer.read.zoned_expressions import constant_timestamp
from veer.settings import current

NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def number_literal(text: str) -> ex.Literal:
    """A number as Spark types it: int, bigint, decimal, or double with an exponent."""
    if re.fullmatch(r"-?\d+", text):
        value = int(text)
        # The sign counts: -2147483648 is an int, 2147483648 a bigint.
        if -(2**31) <= value < 2**31:
            return ex.Literal(value, ty.INT)
        if -(2**63) <= value < 2**63:
            return ex.Literal(value, ty.LONG)
        return decimal_literal(text)
    if not NUMBER.fullmatch(text):
        raise ParseError(f"{text[:40]!r} is not a number")
    if "e" in text.lower():
        if isinf(float(text)):
            raise ParseError(f"{text} is outside the range of double")
        return ex.Literal(float(text), ty.DOUBLE)
    return decimal_literal(text)


def hex_literal(text: str) -> ex.Literal:
    """X'..': a missing first digit is zero."""
    try:
        return ex.Literal(bytes.fromhex(text if len(text) % 2 == 0 else "0" + text), ty.BINARY)
    except ValueError:
        raise ParseError(f"X'{text}' is not hexadecimal") from None


def is_ambiguous_constant(node: exp.Expr) -> bool:
    """Whether -0.0D and CAST(-0.0 AS DOUBLE), which the parser takes for one, would differ."""
    if not isinstance(node, exp.Neg) or not isinstance(node.this, exp.Literal):
        return False
    digits = re.sub(r"\D", "", str(node.this.this))
    return not digits.strip("0") if not node.this.is_string else len(digits) > 15


def is_suffixed_integer(node: exp.Expr) -> bool:
    """Whether it is 1L or CAST(1 AS BIGINT): one to the parser, of other precision to Spark.

    A type with a precision, DECIMAL(10, 2), is of a cast alone.
    """
    while isinstance(node, exp.Paren | exp.Neg):
        node = node.this
    if not isinstance(node, exp.Cast) or node.args["to"].expressions:
        return False
    inner = node.this
    while isinstance(inner, exp.Paren | exp.Neg):
        inner = inner.this
    return isinstance(inner, exp.Literal) and not inner.is_string and "." not in str(inner.this)


def decimal_literal(text: str) -> ex.Literal:
    """A decimal constant of just the digits written."""
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(-exponent, 0)
    stripped = len(str(int("".join(map(str, digits)) or "0")))
    precision = max(stripped, scale)
    if precision > 38:
        raise ParseError(f"decimal constant with {precision} digits")
    # Spark's decimals know no negative zero; Python's do, and print it.
    return ex.Literal(value or abs(value), ty.DecimalType(precision, scale))


def fold_cast(value: ex.Expr, target: ty.DataType) -> ex.Expr | None:
    """Typed constants: DATE '...', 10L, 1.5D, X'..' read as constants of their type."""
    if not isinstance(value, ex.Literal) or value.value is None:
        return None
    if isinstance(value.value, str):
        moment: object = None
        if target == ty.DATE:
            moment = parse_date(value.value)
        elif target == ty.TIMESTAMP and current().zone != UTC_ZONE:
            return constant_timestamp(value, current().zone)
        elif target == ty.TIMESTAMP:
            moment = parse_timestamp(value.value)
        return None if moment is None else ex.Literal(moment, target)
    if isinstance(value.value, int) and not isinstance(value.value, bool) and target == ty.LONG:
        return ex.Literal(value.value, ty.LONG)
    if isinstance(value.value, Decimal) and target == ty.DOUBLE:
        return ex.Literal(float(value.value), ty.DOUBLE)
    return None


_UNITS = {
    "week": ("day", timedelta(weeks=1)),
    "day": ("day", timedelta(days=1)),
    "hour": ("hour", timedelta(hours=1)),
    "minute": ("minute", timedelta(minutes=1)),
    "second": ("second", timedelta(seconds=1)),
}


def read_interval(text: str, unit: exp.Expr, node: exp.Expr) -> ex.Expr:
    """An interval constant with one unit, or from years to months."""
    try:
        return _interval(text, unit, node)
    except (ValueError, OverflowError, Failure):
        raise ParseError(f"the interval {text[:40]!r} is out of range") from None


def _interval(text: str, unit: exp.Expr, node: exp.Expr) -> ex.Expr:
    if isinstance(unit, exp.IntervalSpan):
        span = (unit.this.name.lower(), unit.expression.name.lower())
        parts = re.fullmatch(r"([+-]?)(\d+)-(\d+)", text.strip())
        if span != ("year", "month") or parts is None:
            refuse(node, "an interval written like this")
        months = int(parts[2]) * 12 + int(parts[3])
        return _fitting(-months if parts[1] == "-" else months, ty.YearMonthIntervalType())
    name = unit.name.lower()
    name = name[:-1] if name.endswith("s") else name
    if not re.fullmatch(r"[+-]?\d+", text.strip()):
        refuse(node, "an interval written like this")
    amount = int(text)
    if name in ("year", "quarter", "month"):
        months = amount * {"year": 12, "quarter": 3, "month": 1}[name]
        shown = "year" if name == "year" else "month"
        return _fitting(months, ty.YearMonthIntervalType(shown, shown))
    if name not in _UNITS:
        refuse(node, f"interval unit {name}")
    shown, step = _UNITS[name]
    return _fitting(amount * step, ty.DayTimeIntervalType(shown, shown))


def _fitting(value: int | timedelta, type_: ty.DataType) -> ex.Literal:
    return ex.Literal(fit_interval(value, type_), type_)
