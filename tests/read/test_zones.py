"""Sessions in other time zones than UTC: what is read there, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from veer.errors import InputError, UnsupportedError
from veer.functions.zone_rules import (
    KNOWN,
    canonical_zone,
    instant_of,
    region_names,
    start_of_day,
    wall_clock,
)
from veer.ir.pprint import show_dataflow
from veer.read.session_settings import session_settings
from veer.read.sql import read_sql
from veer.read.zoned_expressions import questions_of_zone
from veer.settings import NEWEST, USUAL, under

TIMES = "CREATE TABLE t (a INT, d DATE, at TIMESTAMP, n TIMESTAMP_NTZ, s STRING)"
BERLIN = "Europe/Berlin"


@contextmanager
def in_zone(zone: str) -> Iterator[None]:
    with under(replace(USUAL, zone=zone)):
        yield


@pytest.mark.parametrize(
    ("written", "meant"),
    [("Europe/Berlin", "Europe/Berlin"), ("+2", "+02:00"), ("+02", "+02:00"), ("-3:30", "-03:30"),
     ("+0530", "+05:30"), ("+5:3", "+05:03"), ("UTC+2", "UTC+02:00"), ("GMT-3", "GMT-03:00"),
     ("Etc/GMT+3", "Etc/GMT+3"), ("CET", "CET"), ("PST", "PST"), ("+18:00", "+18:00"),
     *((name, "UTC") for name in ("UTC", "Z", "GMT", "Etc/UTC", "+00:00", "UTC+0", "-0"))],
)  # fmt: skip
def test_names_of_zones(written: str, meant: str) -> None:
    assert canonical_zone(written) == meant


@pytest.mark.parametrize(
    "name",
    ["europe/berlin", "Europe/Bonn", "utc", "z", " UTC", "+19:00", "+18:01", "+02:60", "Factory",
     "ROC", "Etc/Unknown", "", "SystemV/EST5", "UTC+2:000", "+02:00:30", "２"],
)  # fmt: skip
def test_names_of_no_zone(name: str) -> None:
    with pytest.raises(InputError, match="time zone"):
        session_settings({"spark.sql.session.timeZone": name}, NEWEST)


def test_zones_that_are_computed_with_are_there() -> None:
    assert set(KNOWN) <= region_names()


def test_gaps_and_overlaps() -> None:
    gap, overlap = datetime(2024, 3, 31, 2, 30), datetime(2024, 10, 27, 2, 30)
    assert instant_of(gap, BERLIN) == datetime(2024, 3, 31, 1, 30)
    assert wall_clock(instant_of(gap, BERLIN), BERLIN) == datetime(2024, 3, 31, 3, 30)
    assert instant_of(overlap, BERLIN) == datetime(2024, 10, 27, 0, 30)
    assert instant_of(overlap, BERLIN, timedelta(hours=1)) == datetime(2024, 10, 27, 1, 30)
    assert start_of_day(date(2018, 11, 4), "America/Sao_Paulo") == datetime(2018, 11, 4, 3)
    assert start_of_day(date(2011, 12, 30), "Pacific/Apia") == datetime(2011, 12, 30, 10)


@pytest.mark.parametrize(
    ("zone", "moment"),
    [(BERLIN, datetime(1969, 12, 31)), ("America/Sao_Paulo", datetime(2024, 1, 1)),
     ("Asia/Gaza", datetime(2000, 1, 1)), ("CET", datetime(2000, 1, 1)), ("EST", datetime(2000, 1, 1))],
)  # fmt: skip
def test_what_is_not_certain_is_not_computed(zone: str, moment: datetime) -> None:
    with pytest.raises(UnsupportedError, match="not interpreted"):
        wall_clock(moment, zone)
    with pytest.raises(UnsupportedError, match="not interpreted"):
        instant_of(moment, zone)


ASKING = [
    "CAST(at AS STRING)", "CAST(at AS DATE)", "d > at", "hour(at)", "from_unixtime(a)", "at - d",
    "d = current_date()", "date_trunc('DAY', at)", "at + INTERVAL 1 DAY", "months_between(at, at)",
    "to_timestamp(s, 'yyyy')", "to_date(s, 'yyyy')", "unix_timestamp(s)", "unix_timestamp(d)",
    "date_format(at, 'HH')", "at > s", "CAST(n AS TIMESTAMP)", "CAST(at AS TIMESTAMP_NTZ)",
    "concat(at, 'x')", "year(at)", "TRY_CAST(s AS TIMESTAMP)", "date_format(n, 'HH')",
]  # fmt: skip


@pytest.mark.parametrize("expression", ASKING)
def test_what_asks_for_the_zone_says_it(expression: str) -> None:
    query = f"SELECT {expression} AS c FROM t"
    here = read_sql(query, TIMES)
    with in_zone(BERLIN):
        there = read_sql(query, TIMES)
    assert here != there and "'Europe/Berlin'" in show_dataflow(there)
    assert list(questions_of_zone(here, BERLIN)) and not list(questions_of_zone(here, "UTC"))
    assert list(questions_of_zone(there, "UTC")) and not list(questions_of_zone(there, BERLIN))


@pytest.mark.parametrize(
    "expression",
    ["at", "coalesce(at, at)", "year(d)", "CAST(s AS DATE)", "at > at", "CAST(at AS BIGINT)",
     "timestamp_seconds(a)", "date_trunc('SECOND', at)", "unix_timestamp(at)", "hour(n)",
     "CAST(n AS DATE)", "array(at)", "d + INTERVAL 1 DAY", "n + INTERVAL 1 DAY", "unix_timestamp(n)",
     "at + INTERVAL 23 HOURS", "TIMESTAMP '2024-01-01 00:00:00Z'", "current_timestamp()", "CAST(d AS TIMESTAMP_NTZ)"],
)  # fmt: skip
def test_what_does_not_ask_for_the_zone_is_the_same(expression: str) -> None:
    query = f"SELECT {expression} AS c FROM t WHERE at > (SELECT max(at) FROM t)"
    here = read_sql(query, TIMES)
    with in_zone(BERLIN):
        assert read_sql(query, TIMES) == here
    assert not list(questions_of_zone(here, BERLIN))


@pytest.mark.parametrize(
    ("expression", "reason"),
    [("CAST(array(at) AS ARRAY<STRING>)", "a cast from array<timestamp>"),
     ("CAST(named_struct('x', at) AS STRING)", "a cast from struct<x:timestamp>"),
     ("count(*) OVER (ORDER BY at RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)", "RANGE with an offset over timestamp")],
)  # fmt: skip
def test_what_is_refused(expression: str, reason: str) -> None:
    with in_zone(BERLIN), pytest.raises(InputError, match=reason):
        read_sql(f"SELECT {expression} AS c FROM t", TIMES)


def test_constants_are_instants_where_that_is_certain() -> None:
    with in_zone(BERLIN):
        shown = show_dataflow(read_sql("SELECT a FROM t WHERE at > '2024-06-01'", TIMES))
        early = show_dataflow(read_sql("SELECT a FROM t WHERE at > '1900-01-01'", TIMES))
    assert "TIMESTAMP '2024-05-31 22:00:00'" in shown
    assert "zoned.timestamp('1900-01-01', 'Europe/Berlin')" in early
