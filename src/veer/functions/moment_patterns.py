"""Dates and timestamps written and read by patterns such as `yyyy-MM-dd`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.moments import from_micros, micros_of
from veer.functions.registry import (
    FAILING,
    NULLABLE,
    PARTIAL,
    PURE,
    SETTLED,
    STRICT,
    Argument,
    Failure,
    Resolved,
    scalar,
)
from veer.functions.traits import Called, Claim, Shown, SolverMeaning, WithoutAnsi, ZoneUse
from veer.functions.typing import exactly, signature
from veer.ir import types as ty

_FORMATS = {
    "yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S",
    "MMM": "%b", "MMMM": "%B", "EEE": "%a", "EEEE": "%A", "DDD": "%j", "hh": "%I", "a": "%p",
}  # fmt: skip
_FIELDS = {"y": "year", "M": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}
_SPECIAL = frozenset("[]{}#")  # parts that may be missing, and what Java keeps for later
MOST_DIGITS = 9  # of a fraction of a second


@lru_cache(maxsize=128)
def pattern_parts(pattern: str) -> tuple[tuple[str, str], ...]:
    """A datetime pattern as (kind, text) pieces; refused where it is not modelled."""
    parts: list[tuple[str, str]] = []
    for piece in re.finditer(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+", pattern):
        text = piece[0]
        if piece[1] is not None:
            parts.append(("text", piece[1].replace("''", "'") or "'"))
        elif piece[2] is None:
            if _SPECIAL & set(text):
                raise UnsupportedError(f"datetime pattern {pattern!r}: {text!r} is not modelled")
            parts.append(("text", text))
        elif set(text) == {"S"} and len(text) > MOST_DIGITS:
            raise UnsupportedError(f"datetime pattern {pattern!r}: {text!r} is not modelled")
        elif text in _FORMATS or set(text) <= {"S"} or text in _FIELDS:
            parts.append(("field", text))
        else:
            raise UnsupportedError(f"datetime pattern {pattern!r}: {text!r} is not modelled")
    return tuple(parts)


_DATE_FIELDS = {"yyyy": "year", "MM": "month", "dd": "day"}


def date_fields(pattern: str) -> tuple[str, ...] | None:
    """The fields of a pattern of `yyyy`, `MM` and `dd`, each at most once; None of other patterns."""
    try:
        parts = pattern_parts(pattern)
    except UnsupportedError:
        return None
    fields = tuple(text for kind, text in parts if kind == "field")
    if not fields or len(set(fields)) < len(fields) or not set(fields) <= set(_DATE_FIELDS):
        return None
    return tuple(_DATE_FIELDS[field] for field in fields)


def format_moment(value: date, pattern: str) -> str:
    """A date or timestamp written by a pattern, as DATE_FORMAT does."""
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    out: list[str] = []
    for kind, text in pattern_parts(pattern):
        if kind == "text":
            out.append(text)
        elif set(text) == {"S"}:
            out.append(f"{moment.microsecond:06d}".ljust(9, "0")[: len(text)])
        elif text == "yyyy":
            out.append(f"{moment.year:04d}")
        elif len(text) == 1 and text != "a":
            out.append(str(getattr(moment, _FIELDS[text])))
        else:
            out.append(moment.strftime(_FORMATS[text]))
    return "".join(out)


_READERS = {
    "yyyy": r"(?P<year>\d{4})",
    "y": r"(?P<year>\d{1,6})",
    **{letter * 2: rf"(?P<{_FIELDS[letter]}>\d{{2}})" for letter in "MdHms"},
    **{letter: rf"(?P<{_FIELDS[letter]}>\d{{1,2}})" for letter in "MdHms"},
}


def parse_moment(text: str, pattern: str) -> datetime:
    """Read a moment by a pattern, or fail as Spark does under ANSI.

    Parts the pattern does not name are those of 1970-01-01 00:00:00.
    """
    regex = []
    parts_written = pattern_parts(pattern)
    for place, (kind, part) in enumerate(parts_written):
        if kind == "text":
            regex.append(re.escape(part))
        elif part in _READERS:
            regex.append(_READERS[part])
        elif set(part) == {"S"}:
            beside = parts_written[max(place - 1, 0) : place + 2]
            if sum(kind == "field" for kind, _ in beside) > 1:
                raise UnsupportedError(f"reading by datetime pattern {pattern!r} is not modelled")
            regex.append(rf"(?P<fraction>\d{{1,{len(part)}}})")  # as many digits as there are
        else:
            raise UnsupportedError(f"reading by datetime pattern {pattern!r} is not modelled")
    try:
        match = re.fullmatch("".join(regex), text, re.ASCII)
    except re.error:
        raise UnsupportedError(f"datetime pattern {pattern!r} is not modelled") from None
    if match is None:
        raise Failure("CANNOT_PARSE_TIMESTAMP")
    parts = {k: int(v) for k, v in match.groupdict().items() if k != "fraction"}
    if not 1 <= parts.get("year", 1970) <= 9999:
        raise UnsupportedError(f"the year {parts['year']}, which is outside of Python's calendar")
    fraction = match.groupdict().get("fraction", "").ljust(6, "0")[:6]
    try:
        return datetime(
            parts.get("year", 1970),
            parts.get("month", 1),
            parts.get("day", 1),
            parts.get("hour", 0),
            parts.get("minute", 0),
            parts.get("second", 0),
            int(fraction or 0),
        )
    except ValueError:
        raise Failure("CANNOT_PARSE_TIMESTAMP") from None


FORMATTED = signature(ty.STRING, (ty.TIMESTAMP, ty.TIMESTAMP_NTZ), ty.STRING)
scalar("date_format", "DateFormatClass", FORMATTED, format_moment)(
    FAILING, SolverMeaning.TEXT_OF_MOMENT, WithoutAnsi.SAME, Claim.BY_PATTERN
)


def _read_with_pattern(target: ty.DataType) -> Callable[[str, str], Any]:
    if target == ty.DATE:
        return lambda text, pattern: parse_moment(text, pattern).date()
    return parse_moment


scalar("to_date_by", "", signature(ty.DATE, ty.STRING, ty.STRING), _read_with_pattern(ty.DATE))(
    FAILING, Called("to_date"), WithoutAnsi.READ, Claim.BY_PATTERN
)


def _text_rule(args: Sequence[Argument]) -> Resolved:
    """Text and a pattern; numbers, which have a meaning without pattern, have none with one."""
    if args and isinstance(args[0].type, ty.NumericType):
        raise IllFormedError(f"argument 1 is {args[0].type}, expected text")
    return signature(ty.TIMESTAMP, ty.STRING, ty.STRING)(args)


scalar("to_timestamp_by", "", _text_rule, _read_with_pattern(ty.TIMESTAMP))(
    FAILING, Called("to_timestamp"), WithoutAnsi.READ, ZoneUse.READ, Claim.BY_PATTERN
)
DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"


def _unix_timestamp(value: Any, pattern: str = DEFAULT_PATTERN) -> int:
    if isinstance(value, str):
        value = parse_moment(value, pattern)
    elif not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return whole_seconds(value)


def whole_seconds(value: datetime) -> int:
    """Seconds since 1970, cut towards zero, unlike those of a cast."""
    micros = micros_of(value)
    seconds = abs(micros) // 1_000_000
    return seconds if micros >= 0 else -seconds


UNIX = exactly(ty.LONG, (ty.STRING, ty.DATE, ty.TIMESTAMP, ty.TIMESTAMP_NTZ), ty.STRING, optional=1)
USUAL_PATTERN = Shown(1, (DEFAULT_PATTERN,))
scalar("unix_timestamp to_unix_timestamp", "ToUnixTimestamp UnixTimestamp", UNIX, _unix_timestamp)(
    (*FAILING, USUAL_PATTERN, SolverMeaning.SECONDS),
    (WithoutAnsi.READ, ZoneUse.READ, Claim.BY_PATTERN),
)


def _from_unixtime(seconds: int, pattern: str = DEFAULT_PATTERN) -> str:
    return format_moment(from_micros(seconds * 1_000_000), pattern)


WRITTEN = signature(ty.STRING, ty.LONG, ty.STRING, optional=1)
scalar("from_unixtime", "FromUnixTime", WRITTEN, _from_unixtime)(
    (PURE, STRICT, PARTIAL, NULLABLE, SETTLED, USUAL_PATTERN),
    (WithoutAnsi.SAME, ZoneUse.ARGUMENT, Claim.BY_PATTERN),
)
