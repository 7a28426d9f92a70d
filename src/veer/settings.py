"""What the settings of a Spark session decide of the meaning of expressions, and which Spark it is.

A front end reads under the settings of the session that would run what it reads (`under`); what
types and functions mean then asks for `current()`. Once read, an expression says itself what it
means: nothing behind the front ends looks here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, final

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


class TimeParser(Enum):
    """Who reads and writes times by patterns: `spark.sql.legacy.timeParserPolicy`."""

    CORRECTED = "the present parser"
    EXCEPTION = (
        "the present one; the run fails where that before Spark 3.0 may read what it does not"
    )
    LEGACY = "that before Spark 3.0"


@final
@dataclass(frozen=True)
class SessionSettings:
    """The settings in use; by default those of the newest Spark."""

    ansi: bool = True  # whether what overflows, or cannot be converted, fails the run
    spark: SparkVersion = NEWEST
    time_parser: TimeParser = TimeParser.CORRECTED
    case_sensitive: bool = False  # whether `a` and `A` are two names
    last_key_wins: bool = False  # whether a key of a map that is given twice is no failure
    null_has_size: bool = True  # whether the size of a null array is -1 without ANSI
    zone: str = "UTC"  # of the session, by the name `functions.zone_rules.canonical_zone` gives
    # Settings that decide what sources hold, where they are away from Spark's defaults.
    reading: tuple[tuple[str, str], ...] = ()

    def conf(self) -> dict[str, str]:
        """Settings of a session of this Spark in which everything means what it means here."""
        return {row.name: row.text(getattr(self, row.field)) for row in MODELLED}

    def identity(self, function: str) -> str:
        """The identity of an opaque function, with all settings that it may depend on."""
        without = "" if self.ansi else " without ANSI"
        spark = "" if self.spark == NEWEST else f" in Spark {self.spark}"
        zone = "" if self.zone == "UTC" else f" in {self.zone}"
        return f"{function}{without}{spark}{zone}{self.policies}"

    @property
    def policies(self) -> str:
        """What a plan does not tell of its expressions; empty if it is usual."""
        return "".join(row.unusual.get(getattr(self, row.field), "") for row in MODELLED)


class Modelled(NamedTuple):
    """A setting that decides what expressions mean: a row is all there is to one.

    `field` of `SessionSettings` holds it; `values` are its texts and what they mean, any text being
    a value without them. Under `unusual` values a plan does not show what its expressions mean: what
    is added to the identity of a function that is not looked into. Veer reads such sessions, but
    runs none.
    """

    name: str
    field: str
    values: Mapping[str, Any]
    unusual: Mapping[Any, str] = {}
    of_sources: bool = False  # whether it also decides what is read of files

    def text(self, value: Any) -> str:
        """How a value is written."""
        return next((text for text, meant in self.values.items() if meant == value), str(value))

    def read(self, text: str) -> Any:
        """The value that a text means."""
        known = {word.lower(): value for word, value in self.values.items()}
        if self.values and text.strip().lower() not in known:
            one_of = (
                "true or false" if self.values is TRUTHS else f"one of {', '.join(self.values)}"
            )
            raise UsageError(f"{self.name}={text}: expected {one_of}")
        return known.get(text.strip().lower(), text)


ANSI, ZONE = "spark.sql.ansi.enabled", "spark.sql.session.timeZone"
TIME_PARSER = "spark.sql.legacy.timeParserPolicy"
TRUTHS, POLICIES = {"true": True, "false": False}, {"EXCEPTION": False, "LAST_WIN": True}
LAST_KEY = {True: ", the last of equal keys wins"}
OLD_TIMES = {TimeParser.LEGACY: ", times as before Spark 3.0"}
NO_SIZE, BY_CASE = {False: ", null has no size"}, {True: ", names by their case"}
MODELLED = (
    Modelled(ANSI, "ansi", TRUTHS),
    Modelled(ZONE, "zone", {}),
    Modelled("spark.sql.mapKeyDedupPolicy", "last_key_wins", POLICIES, LAST_KEY),
    Modelled(TIME_PARSER, "time_parser", TimeParser.__members__, OLD_TIMES, of_sources=True),
    Modelled("spark.sql.legacy.sizeOfNull", "null_has_size", TRUTHS, NO_SIZE),
    Modelled("spark.sql.caseSensitive", "case_sensitive", TRUTHS, BY_CASE, of_sources=True),
)


USUAL = SessionSettings()
_CURRENT: ContextVar[SessionSettings] = ContextVar("session settings", default=USUAL)


def usual_settings(spark: SparkVersion) -> SessionSettings:
    """The default settings of a Spark version."""
    times = TimeParser.CORRECTED if spark >= SPARK_4_0 else TimeParser.EXCEPTION
    return SessionSettings(spark >= SPARK_4_0, spark, times)


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


def name_key(name: str) -> str:
    """What two names of columns, fields or views share that mean the same one."""
    return name if current().case_sensitive else name.lower()


def same_name(one: str, two: str) -> bool:
    """Whether two names mean the same column, field or view."""
    return name_key(one) == name_key(two)
