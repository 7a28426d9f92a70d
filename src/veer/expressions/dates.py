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
from veer.model.expr import And, Call, Cast, Compare, Expr, Literal
from veer.model.types import DATE, INT, CastMode, DateType

FIELDS: Mapping[str, str] = MappingProxyType(
    {"yyyy": "year", "yy": "year of century", "MM": "month", "dd": "day"}
)
# Units of `date_trunc` that leave the day as it is.
TIMES = ("day", "dd", "hour", "minute", "second", "millisecond", "microsecond")


@law("datediff(date_sub(d, 1), e) => datediff(d, e) - 1", "datediff", stage=Stage.NORMAL)
def days_moved(expr: Expr, _: Simplify) -> Expr | None:
    """A whole number of days is added to a date."""
    match expr:
        case Call(_, (Call("date_add" | "date_sub" as move, (last, days)), first)):
            if days.type == INT and last.type == DATE:
                between = Call("datediff", (last, first), INT)
                return Call("+" if move == "date_add" else "-", (between, days), INT)
    return None


@law("CAST(date_trunc('hour', x) AS DATE) => CAST(x AS DATE)", Cast, stage=Stage.NORMAL)
def day_of_cut_moment(expr: Expr, _: Simplify) -> Expr | None:
    """The unit is a day or shorter: the moment stays on its day."""
    match expr:
        case Cast(Call("date_trunc", (Literal(str() as unit), moment)) as arg) if (
            expr.type == DATE and unit.lower() in TIMES and moment.type == arg.type
        ):
            return replace(expr, arg=moment)
    return None


@law("date_format(d, 'yyyy-MM') = '2014-04' => year(d) = 2014 AND month(d) = 4", Compare)
def fields_of_date(expr: Expr, _: Simplify) -> Expr | None:
    """The pattern has years, months and days of fixed width, and the text is made by it."""
    match expr:
        case Compare(
            "=", Call("date_format", (moment, Literal(str() as pattern))), Literal(str() as text)
        ):
            return _equal_fields(moment, pattern, text)
    return None


def _equal_fields(moment: Expr, pattern: str, text: str) -> Expr | None:
    """That year, month and day of a date, written by a pattern, give a text."""
    values = _field_values(pattern, text)
    if values is None:
        return None
    day = _day_of(moment)
    if len(values) == 3 and "year" in values:
        date = make_date(values["year"], values["month"], values["day"])
        return None if date is None else Compare("=", day, Literal(date, DATE))
    parts = [
        Compare("=", _field(name, day), Literal(values[name], INT))
        for name in FIELDS.values()
        if name in values
    ]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _field(name: str, day: Expr) -> Expr:
    """A field of a date as a number; of years two digits are written without their sign."""
    if name != "year of century":
        return Call(name, (day,), INT)
    year = Call("abs", (Call("year", (day,), INT),), INT)
    return Call("%", (year, Literal(100, INT)), INT)


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


def _day_of(moment: Expr) -> Expr:
    """The date of a timestamp, which is the date it was made of if it was."""
    match moment:
        case Cast(arg) if isinstance(arg.type, DateType):
            return arg
        case _:
            return Cast(moment, DATE, CastMode.ANSI)
