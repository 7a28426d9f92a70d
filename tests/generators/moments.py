"""Random expressions about dates, timestamps and texts of them, and rows around changes of clocks."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from random import Random
from typing import Any

from tests.generators.tables import Table
from veer.functions.moments import timestamp_text
from veer.ir.types import parse_type

COLUMNS = {
    "id": "int",
    "ts": "timestamp",
    "tu": "timestamp",
    "tn": "timestamp_ntz",
    "dt": "date",
    "du": "date",
    "s": "string",
    "t": "string",
    "n": "bigint",
}
# Instants, in UTC, at which clocks change in one of the zones of the tests; and some at which none do.
CHANGES = (
    datetime(2024, 3, 31, 1), datetime(2024, 10, 27, 1), datetime(2024, 3, 10, 7),
    datetime(2024, 11, 3, 6), datetime(2023, 4, 1, 15), datetime(2023, 9, 30, 15, 30),
    datetime(2018, 11, 4, 3), datetime(2018, 2, 18, 2), datetime(2011, 12, 30, 10),
    datetime(2012, 3, 31, 14), datetime(1980, 4, 5, 23), datetime(1996, 10, 27, 1),
    datetime(2024, 2, 29, 12), datetime(1999, 12, 31, 23), datetime(2036, 6, 1, 0),
)  # fmt: skip
NEAR = (0, 1, -1, 30, -30, 60, -60, 90, 119, 24 * 60, -24 * 60, 3 * 60, -11 * 60, 14 * 60, 29 * 60)

UNITS = ("YEAR", "quarter", "MONTH", "WEEK", "day", "DD", "HOUR", "minute", "SECOND",
         "MILLISECOND", "microsecond", "nonsense")  # fmt: skip
PATTERNS = ("yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd", "HH:mm", "yyyyMMddHH", "dd.MM.yyyy HH", "SSS")
WRITTEN = (*PATTERNS, "EEE d", "MMM yy")  # no text is read by all of these
INTERVALS = ("INTERVAL 1 DAY", "INTERVAL 24 HOURS", "INTERVAL 1 HOUR", "INTERVAL 90 MINUTES",
             "INTERVAL 1 MONTH", "INTERVAL 7 MONTHS", "INTERVAL 1 YEAR", "INTERVAL 36 HOURS",
             "INTERVAL 1 WEEK", "INTERVAL 30 MINUTES", "INTERVAL 4 DAYS", "INTERVAL 1 SECOND")  # fmt: skip

TEMPLATES: dict[str, tuple[str, ...]] = {
    "ts": (
        "ts", "tu", "date_trunc('{unit}', {ts})", "date_trunc('{unit}', {ts})", "({ts} + {interval})",
        "({ts} - {interval})", "({date} + INTERVAL 90 MINUTES)", "CAST({date} AS TIMESTAMP)",
        "CAST({str} AS TIMESTAMP)", "TRY_CAST({str} AS TIMESTAMP)", "CAST({ntz} AS TIMESTAMP)",
        "to_timestamp({str})", "to_timestamp({str}, '{pattern}')", "to_timestamp({date})",
        "coalesce({ts}, {date})", "greatest({ts}, {ts})", "timestamp_seconds({num})",
        "if({bool}, {ts}, {ts})", "CAST({num} AS TIMESTAMP)", "date_trunc('{unit}', {date})",
        "(({ts} - {ts}) + {ts})", "nullif({ts}, {ts})", "date_trunc('{unit}', {ntz})",
    ),
    "ntz": ("tn", "CAST({ts} AS TIMESTAMP_NTZ)", "CAST({date} AS TIMESTAMP_NTZ)", "({ntz} + {interval})",
            "CAST({str} AS TIMESTAMP_NTZ)"),
    "date": (
        "dt", "du", "CAST({ts} AS DATE)", "to_date({ts})", "date({ts})", "date_add({ts}, 1)", "last_day({ts})",
        "CAST({str} AS DATE)", "to_date({str}, '{pattern}')", "trunc({ts}, 'MONTH')", "add_months({ts}, 1)",
        "next_day({ts}, 'SUN')", "date_sub({date}, 1)", "CAST({ntz} AS DATE)", "trunc({date}, 'week')",
    ),
    "str": (
        "s", "t", "CAST({ts} AS STRING)", "concat({ts}, '|')", "date_format({ts}, '{written}')",
        "date_format({date}, '{written}')", "date_format({ntz}, '{written}')", "from_unixtime({num})",
        "from_unixtime({num}, '{written}')", "CAST({ntz} AS STRING)", "CAST({date} AS STRING)",
        "substring({ts}, 1, 13)", "concat_ws(',', {ts}, {date})", "upper({ts})",
    ),
    "num": (
        "n", "hour({ts})", "minute({ts})", "second({ts})", "day({ts})", "dayofweek({ts})", "month({ts})",
        "year({ts})", "weekofyear({ts})", "unix_timestamp({ts})", "unix_timestamp({date})",
        "unix_timestamp({ntz})", "unix_timestamp({str}, '{pattern}')", "unix_timestamp({str})",
        "to_unix_timestamp({ts})", "datediff({ts}, {ts})", "datediff({date}, {ts})", "CAST({ts} AS BIGINT)",
        "hour({ntz})", "hour({str})", "dayofyear({ts})", "weekday({ts})", "extract(HOUR FROM {ts})",
        "length(CAST({ts} AS STRING))", "quarter({ts})", "hour({date})",
    ),
    "flt": ("months_between({ts}, {ts})", "months_between({ts}, {date})", "months_between({ts}, {ntz}, false)",
            "CAST({ts} AS DOUBLE)", "months_between({str}, {ts})"),
    "bool": (
        "({ts} < {ts})", "({ts} = {date})", "({ts} >= {str})", "({date} <= {ts})", "({ts} = {ntz})",
        "({ntz} < {date})", "({ts} BETWEEN {date} AND {ts})", "({ts} IN ({ts}, {date}))",
        "({date} = {str})", "({ts} - {ts} > INTERVAL 1 DAY)", "(hour({ts}) = 2)",
    ),
    "gap": ("({ts} - {ts})", "({ts} - {date})", "({ntz} - {ts})", "({ts} - {ntz})", "({date} - {date})",
            "({date} - {ts})"),
    "nest": ("array({ts}, {ts})", "sort_array(array({ts}, {ts}))[0]", "map('a', {ts})",
             "named_struct('a', {ts})", "array({ts}, {date})"),
}  # fmt: skip
WHOLE = ("ts", "ts", "date", "str", "str", "num", "num", "flt", "bool", "gap", "ntz", "nest")
LITERALS = {
    "ts": ("TIMESTAMP '2024-03-31 02:30:00'", "TIMESTAMP '2024-10-27 02:30:00'", "TIMESTAMP '2018-11-04'",
           "TIMESTAMP '2024-06-01 12:00:00Z'", "TIMESTAMP '2011-12-30 10:00:00'"),
    "date": ("DATE '2024-03-31'", "DATE '2018-11-04'", "DATE '2011-12-30'"),
    "str": ("'2024-03-31 02:30:00'", "'2024-10-27T02:30:00+01:00'", "'2018-11-04'"),
    "num": ("0", "1729990800"),
    "ntz": ("TIMESTAMP_NTZ '2024-03-31 02:30:00'",),
    "bool": ("true",),
}  # fmt: skip
_HOLE = re.compile(r"\{(\w+)\}")


class MomentExpressions:
    """A stream of random expressions about moments."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def any(self, depth: int = 2) -> str:
        """An expression of a random kind, never just a column."""
        kind = self.random.choice(WHOLE)
        return self._fill(self.random.choice([t for t in TEMPLATES[kind] if "{" in t]), depth - 1)

    def every_template(self) -> list[str]:
        """Every template filled once with columns and constants."""
        return [self._fill(t, 0) for group in TEMPLATES.values() for t in group if "{" in t]

    def _of(self, kind: str, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.3:
            plain = [t for t in TEMPLATES[kind] if "{" not in t]
            if not plain or (kind in LITERALS and self.random.random() < 0.2):
                return self.random.choice(LITERALS[kind])
            return self.random.choice(plain)
        return self._fill(self.random.choice(TEMPLATES[kind]), depth - 1)

    def _fill(self, template: str, depth: int) -> str:
        words = {"unit": UNITS, "pattern": PATTERNS, "written": WRITTEN, "interval": INTERVALS}

        def hole(match: re.Match[str]) -> str:
            name = match[1]
            return self.random.choice(words[name]) if name in words else self._of(name, depth)

        return _HOLE.sub(hole, template)


def moment_table(random: Random, size: int = 16) -> Table:
    """Rows with moments near to changes of clocks."""
    types = tuple(parse_type(t) for t in COLUMNS.values())
    return Table("w", tuple(COLUMNS), types, [_row(random, n) for n in range(size)])


def _row(random: Random, number: int) -> tuple[Any, ...]:
    moments = [_moment(random) for _ in range(7)]
    written = timestamp_text(moments[4])
    texts = (
        written,
        written[:10],
        written[:16],
        f"{written}+05:30",
        f"{written}Z",
        "x",
        "2024-03-31",
    )
    values = [
        moments[0], moments[1], moments[2], moments[3].date(), moments[4].date(),
        random.choice(texts), timestamp_text(moments[6]),
        (moments[5] - datetime(1970, 1, 1)) // timedelta(seconds=1),
    ]  # fmt: skip
    return (number, *(None if random.random() < 0.06 else v for v in values))


def _moment(random: Random) -> datetime:
    base = random.choice(CHANGES) + timedelta(minutes=random.choice(NEAR))
    return base + timedelta(microseconds=random.choice((0, 0, 0, 1, 500_000)))
