"""Laws of dates and moments: their fields as texts, days between them, units they are cut to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from veer.errors import UnsupportedError
from veer.expressions.law import Simplify, Stage, law
from veer.functions.moment_patterns import pattern_parts
from veer.functions.moments import make_date
from veer.ir import expr as ex, types as ty

FIELDS: Mapping[str, str] = MappingProxyType(
    {"yyyy": "year", "yy": "year of century", "MM": "month", "dd": "day"}
)
# Units of `date_trunc` that leave the day as it is.
TIMES = ("day", "dd", "hour", "minute", "second", "millisecond", "microsecond")


@law("datediff(date_sub(d, 1), e) => datediff(d, e) - 1", "datediff", stage=Stage.NORMAL)
def days_moved(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A whole number of days is added to a date."""
    match expr:
        case ex.Call(_, (ex.Call("date_add" | "date_sub" as move, (last, days)), first)):
            if days.type == ty.INT and last.type == ty.DATE:
                between = ex.Call("datediff", (last, first), ty.INT)
                return ex.Call("+" if move == "date_add" else "-", (between, days), ty.INT)
    return None


@law("CAST(date_trunc('hour', x) AS DATE) => CAST(x AS DATE)", ex.Cast, stage=Stage.NORMAL)
def day_of_cut_moment(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The unit is a day or shorter: the moment stays on its day."""
    match expr:
        case ex.Cast(ex.Call("date_trunc", (ex.Literal(str() as unit), moment)) as arg) if (
            expr.type == ty.DATE and unit.lower() in TIMES and moment.type == arg.type
        ):
            return replace(expr, arg=moment)
    return None


@law("date_format(d, 'yyyy-MM') = '2014-04' => year(d) = 2014 AND month(d) = 4", ex.Compare)
def fields_of_date(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The pattern has years, months and days of fixed width, and the text is made by it."""
    match expr:
        case ex.Compare(
            "=",
            ex.Call("date_format", (moment, ex.Literal(str() as pattern))),
            ex.Literal(str() as text),
        ):
            return _equal_fields(moment, pattern, text)
    return None


def _equal_fields(moment: ex.Expr, pattern: str, text: str) -> ex.Expr | None:
    """That year, month and day of a date, written by a pattern, give a text."""
    values = _field_values(pattern, text)
    if values is None:
        return None
    day = _day_of(moment)
    if len(values) == 3 and "year" in values:
        date = make_date(values["year"], values["month"], values["day"])
        return None if date is None else ex.Compare("=", day, ex.Literal(date, ty.DATE))
    parts = [
        ex.Compare("=", _field(name, day), ex.Literal(values[name], ty.INT))
        for name in FIELDS.values()
        if name in values
    ]
    return parts[0] if len(parts) == 1 else ex.And(tuple(parts))


def _field(name: str, day: ex.Expr) -> ex.Expr:
    """A field of a date as a number; of years two digits are written without their sign."""
    if name != "year of century":
        return ex.Call(name, (day,), ty.INT)
    year = ex.Call("abs", (ex.Call("year", (day,), ty.INT),), ty.INT)
    return ex.Call("%", (year, ex.Literal(100, ty.INT)), ty.INT)


def _field_values(pattern: str, text: str) -> dict[str, int] | None:
    """The fields that a pattern of `yyyy`, `yy`, `MM` and `dd` has in a text; None of others."""
    try:
        parts = pattern_parts(pattern)
    except UnsupportedError:
        return None
    fields = [FIELDS.get(part) for kind, part in parts if kind == "field"]
    if not fields or None in fields or len(set(fields)) != len(fields):
        return None
    expected = "".join(
        re.escape(part) if kind == "text" else rf"(\d{{{len(part)}}})" for kind, part in parts
    )
    match = re.fullmatch(expected, text, re.ASCII)
    if match is None:
        return None
    values = {name: int(v) for name, v in zip(fields, match.groups(), strict=True) if name}
    return values if values.get("year", 1) > 0 else None


def _day_of(moment: ex.Expr) -> ex.Expr:
    """The date of a timestamp, which is the date it was made of if it was."""
    match moment:
        case ex.Cast(arg) if isinstance(arg.type, ty.DateType):
            return arg
        case _:
            return ex.Cast(moment, ty.DATE, ty.CastMode.ANSI)
