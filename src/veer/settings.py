"""What the settings of a Spark session decide of the meaning of expressions, and which Spark it is.

A front end reads under the settings of the session that would run what it reads (`under`); what
types and functions mean then asks for `current()`. Once read, an expression says itself what it
means: nothing behind the front ends looks here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import final

from veer.errors import UsageError


@final
@dataclass(frozen=True, order=True)
class SparkVersion:
    """A release of Spark by the numbers that say what it computes: `4.3` of `4.3.1`."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


SPARK_3_5 = SparkVersion(3, 5)
SPARK_4_0 = SparkVersion(4, 0)
SPARK_4_1 = SparkVersion(4, 1)
SPARK_4_2 = SparkVersion(4, 2)
SPARK_4_3 = SparkVersion(4, 3)
SPARKS = (SPARK_3_5, SPARK_4_0, SPARK_4_1, SPARK_4_2, SPARK_4_3)
NEWEST = SPARKS[-1]


def spark_version(text: str) -> SparkVersion:
    """The Spark that a text names, `3.5` or `3.5.9`; one that is not modelled is refused."""
    numbers = re.match(r"(\d+)\.(\d+)(\.|$)", text.strip())
    version = SparkVersion(int(numbers[1]), int(numbers[2])) if numbers else None
    if version not in SPARKS:
        known = ", ".join(map(str, SPARKS))
        raise UsageError(f"Spark {text} is not modelled; known: {known}")
    return version


@final
@dataclass(frozen=True)
class SessionSettings:
    """The settings under which something is read; the newest Spark's own if nobody says otherwise."""

    ansi: bool = True  # whether what overflows, or cannot be converted, fails the run
    spark: SparkVersion = NEWEST
    # Whether a text that the present parser of times does not read, and that before Spark 3.0 may
    # read, fails the run: `spark.sql.legacy.timeParserPolicy=EXCEPTION`.
    old_times_fail: bool = False
    zone: str = "UTC"  # of the session, by the name `functions.zone_rules.canonical_zone` gives


USUAL = SessionSettings()
_CURRENT: ContextVar[SessionSettings] = ContextVar("session settings", default=USUAL)


def usual_settings(spark: SparkVersion) -> SessionSettings:
    """The settings a session of some Spark has if nobody sets any."""
    return SessionSettings(spark >= SPARK_4_0, spark, old_times_fail=spark < SPARK_4_0)


def current() -> SessionSettings:
    """The settings under which is read now."""
    return _CURRENT.get()


@contextmanager
def under(settings: SessionSettings) -> Iterator[None]:
    """Read under these settings."""
    token = _CURRENT.set(settings)
    try:
        yield
    finally:
        _CURRENT.reset(token)
