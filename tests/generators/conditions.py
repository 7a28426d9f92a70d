"""Random conditions on a text, a date or a timestamp, with values close to where they change."""

from __future__ import annotations

from datetime import date, datetime
from random import Random
from typing import Any

from tests.generators.tables import Table
from veer.ir.types import parse_type

TEXTS = (
    "", " ", "A", "An", "Ann", "Anna", "nA", "bAn", "Ao", "Am~", "10%", "10", "100", "a_b", "axb",
    "a\\b", "ab", "aab", "ba", "a\nb", "Än", "日本", "AnAn", "%", "_", "\\", "an", "AN",
)  # fmt: skip
DATES = (
    "0001-01-01", "1582-10-15", "1969-12-31", "1970-01-01", "1999-12-31", "2000-02-29",
    "2012-12-31", "2013-01-01", "2014-01-01", "2014-03-31", "2014-04-01", "2014-04-30",
    "2014-05-01", "2014-12-01", "2014-12-31", "2015-01-01", "2023-02-28", "2023-03-01",
    "2024-01-31", "2024-02-01", "2024-02-28", "2024-02-29", "2024-03-01", "2024-12-29", "9999-12-31",
)  # fmt: skip
TIMES = (
    "00:00:00",
    "00:00:00.000001",
    "12:30:45",
    "22:59:59.999999",
    "23:59:59",
    "23:59:59.999999",
)
PATTERNS = (
    "An%", "%An", "%An%", "An", "", "%", "%%", "_", "__", "_%", "%_", "A%n", "A_n%", "_n%", "10\\\\%%",
    "10%", "a\\\\_b", "a_b", "%\\\\\\\\%", "A%A", "%a%b%", "_An", "%_n_%", "Än%", "a%%b", "\\\\%",
)  # fmt: skip
UNITS = (
    "YEAR",
    "yy",
    "QUARTER",
    "MONTH",
    "mm",
    "WEEK",
    "DAY",
    "dd",
    "HOUR",
    "MINUTE",
    "SECOND",
    "x",
)
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
COLUMNS = {
    "id": "int",
    "x": "string",
    "y": "string",
    "d": "date",
    "e": "date",
    "ts": "timestamp",
    "tn": "timestamp_ntz",
}


class Conditions:
    """A stream of random conditions on the columns of the table `c`."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def any(self) -> str:
        """One condition, or two joined."""
        choose = self.random.choice
        one = choose((self.of_text, self.of_date, self.of_moment))
        made = one()
        if self.random.random() < 0.3:
            made = f"({made} {choose(('AND', 'OR'))} {one()})"
        return f"NOT ({made})" if self.random.random() < 0.2 else made

    def of_text(self) -> str:
        """A condition on a text."""
        choose, number = self.random.choice, self.random.randrange
        text, op = quoted(choose(TEXTS)), choose(COMPARISONS)
        part = choose(
            (
                f"substring(x, {number(-3, 4)}, {number(-1, 4)})",
                f"substring(x, {number(-3, 4)})",
                f"left(x, {number(-1, 4)})",
                f"right(x, {number(-1, 4)})",
            )
        )
        return choose(
            (
                f"{part} = {text}",
                f"{text} = {part}",
                f"{part} IN ({text}, {quoted(choose(TEXTS))})",
                f"x LIKE '{choose(PATTERNS)}'",
                f"x LIKE '{choose(PATTERNS).replace(chr(92) * 2, '!')}' ESCAPE '!'",
                f"startswith(x, {text})",
                f"endswith(x, {text})",
                f"contains(x, {text})",
                f"instr(x, {text}) {op} {number(-1, 3)}",
                f"locate({text}, x) {op} {number(-1, 3)}",
                f"locate(y, x, {number(0, 3)}) {op} {number(-1, 3)}",
                f"{number(-1, 3)} {op} length(x)",
                f"length(x) {op} {number(-1, 3)}",
                f"x RLIKE '{choose(('^An', 'An', 'a b', '^10', 'n'))}'",
                f"x {op} {text}",
                f"x IN ({text})",
            )
        )

    def of_date(self) -> str:
        """A condition on a date."""
        choose, number = self.random.choice, self.random.randrange
        day = choose(("d", "d", "CAST(ts AS DATE)", "to_date(tn)", f"trunc(d, '{choose(UNITS)}')"))
        date = f"DATE '{choose(DATES)}'"
        moved = choose(
            (
                f"trunc({day}, '{choose(UNITS)}')",
                f"last_day({day})",
                f"add_months({day}, {choose((-13, -12, -1, 0, 1, 2, 11, 12, 24))})",
                f"{day} + INTERVAL {number(-14, 15)} MONTH",
                f"{day} - INTERVAL {number(0, 3)} YEAR",
                f"{day} + INTERVAL {number(-3, 40)} DAY",
                f"date_add({day}, {number(-3, 40)})",
                day,
            )
        )
        part = choose(
            ("year", "month", "quarter", "day", "dayofyear", "dayofweek", "weekday", "weekofyear")
        )
        figure = choose((2014, 2015, 2024, 1, 2, 3, 4, 7, 12, 28, 29, 30, 31, 60, 366))
        op = choose(COMPARISONS)
        return choose(
            (
                f"{moved} {op} {date}",
                f"{date} {op} {moved}",
                f"{part}({day}) {op} {figure}",
                f"year({moved}) {op} {choose((2013, 2014, 2015, 2024))}",
                f"{part}({day}) BETWEEN {figure} AND {figure + number(0, 3)}",
                f"year({day}) IN (2013, 2014, {figure})",
                f"year({day}) = {choose((2014, 2024))} AND {part}({day}) {op} {number(1, 13)}",
                f"date_format({day}, 'yyyy') = '{choose(('2014', '2024', '14', '201'))}'",
                f"date_format({day}, 'yy') = '{choose(DATES)[2:4]}'",
                f"date_format({day}, 'yyyy-MM') = '{choose(DATES)[:7]}'",
                f"date_format({day}, 'yyyyMMdd') = '{choose(DATES).replace('-', '')}'",
                f"datediff({day}, {date}) {op} {number(-3, 40)}",
            )
        )

    def of_moment(self) -> str:
        """A condition on a timestamp."""
        choose, number = self.random.choice, self.random.randrange
        moment = f"TIMESTAMP '{choose(DATES)} {choose(TIMES)}'"
        op = choose(COMPARISONS)
        return choose(
            (
                f"date_trunc('{choose(UNITS)}', ts) {op} {moment}",
                f"ts + INTERVAL {number(-3, 50)} HOUR {op} {moment}",
                f"ts + INTERVAL {number(-14, 15)} MONTH {op} {moment}",
                f"ts {op} {moment}",
                f"ts {op} DATE '{choose(DATES)}'",
                f"{choose(('hour', 'minute', 'second'))}(ts) {op} {number(0, 60)}",
                f"ts - {moment} {op} INTERVAL '{number(0, 3)} 00:00:01' DAY TO SECOND",
                f"CAST(d AS TIMESTAMP) {op} ts",
                f"date_format(ts, 'yyyy/MM') = '{choose(DATES)[:7].replace('-', '/')}'",
            )
        )


def near_table(random: Random, size: int) -> Table:
    """The table `c`, with some nulls in its rows."""
    choose = random.choice

    def moment() -> datetime:
        return datetime.fromisoformat(f"{choose(DATES)} {choose(TIMES)}")

    rows: list[tuple[Any, ...]] = []
    for number in range(size):
        days = [date.fromisoformat(choose(DATES)) for _ in range(2)]
        row = (choose(TEXTS), choose(TEXTS), *days, moment(), moment())
        rows.append((number, *(None if random.random() < 0.1 else value for value in row)))
    return Table("c", tuple(COLUMNS), tuple(map(parse_type, COLUMNS.values())), rows)


def quoted(text: str) -> str:
    """A text as a literal of Spark SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
