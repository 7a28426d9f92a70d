"""Settings of a Spark session given as text (`--conf K=V`): what they decide, or why they are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from veer.errors import UnsupportedError, UsageError
from veer.frontends.spark.pyspark_version import pyspark_version
from veer.frontends.spark.server_settings import unusual_settings
from veer.frontends.spark.setting_defaults import spark_default
from veer.frontends.spark.setting_effects import (
    ANSI,
    CASE_SENSITIVE,
    DUPLICATE_KEYS,
    MODELLED,
    OF_SOURCES,
    OF_WRITES,
    SIZE_OF_NULL,
    TIME_PARSER,
    ZONE,
)
from veer.frontends.spark.settings import settings_set
from veer.functions.zone_rules import UTC_ZONE, canonical_zone
from veer.settings import (
    NEWEST,
    SessionSettings,
    SparkVersion,
    TimeParser,
    spark_version,
    usual_settings,
)

T = TypeVar("T")

TRUTHS = {"true": True, "false": False}
# Whether the last value of a key wins, by what `DUPLICATE_KEYS` is set to.
POLICIES = {"EXCEPTION": False, "LAST_WIN": True}
# Settings of the meaning of expressions that also decide what is read of files.
ALSO_OF_SOURCES = (CASE_SENSITIVE, TIME_PARSER)
# What every session tells about itself, also what it begins with.
ALWAYS_ASKED = (ANSI, TIME_PARSER, CASE_SENSITIVE, DUPLICATE_KEYS, ZONE)


def session_settings(conf: Mapping[str, str], spark: SparkVersion) -> SessionSettings:
    """What settings decide of the meaning of what is read; one that is not modelled is refused."""
    others = {name: value for name, value in conf.items() if name not in OF_WRITES}
    for name, value in unusual_settings(others, spark).items():
        raise UnsupportedError(f"the setting {name}={value} is not modelled")
    usual = usual_settings(spark)
    return SessionSettings(
        ansi=_truth(conf, ANSI, usual.ansi),
        spark=spark,
        time_parser=_chosen(conf, TIME_PARSER, TimeParser.__members__, usual.time_parser),
        case_sensitive=_truth(conf, CASE_SENSITIVE, usual.case_sensitive),
        last_key_wins=_chosen(conf, DUPLICATE_KEYS, POLICIES, usual.last_key_wins),
        null_has_size=_truth(conf, SIZE_OF_NULL, usual.null_has_size),
        zone=_zone(conf),
        reading=_reading(conf, spark),
    )


def _truth(conf: Mapping[str, str], name: str, usual: bool) -> bool:
    if name not in conf:
        return usual
    if conf[name].strip().lower() not in TRUTHS:
        raise UsageError(f"{name}={conf[name]}: expected true or false")
    return TRUTHS[conf[name].strip().lower()]


def _chosen(conf: Mapping[str, str], name: str, known: Mapping[str, T], usual: T) -> T:
    if name not in conf:
        return usual
    if conf[name].strip().upper() not in known:
        raise UsageError(f"{name}={conf[name]}: expected one of {', '.join(known)}")
    return known[conf[name].strip().upper()]


def _zone(conf: Mapping[str, str]) -> str:
    try:
        return canonical_zone(conf.get(ZONE, UTC_ZONE))
    except UnsupportedError as error:
        raise UnsupportedError(f"{ZONE}: {error}") from None


def _reading(conf: Mapping[str, str], spark: SparkVersion) -> tuple[tuple[str, str], ...]:
    """What decides what sources hold, away from Spark's defaults."""
    deciding = {n: v for n, v in conf.items() if n in OF_SOURCES or n in ALSO_OF_SOURCES}
    return tuple(
        (name, value)
        for name, value in sorted(deciding.items())
        if (spark_default(name, spark) or "").lower() != value.strip().lower()
    )


def told_settings(conf: Mapping[str, str]) -> dict[str, str]:
    """Of all settings of a session those that `session_settings` looks at; others are checked apart."""
    return {n: v for n, v in conf.items() if n in MODELLED or n in OF_SOURCES}


def settings_of(session: Any, given: Mapping[str, str] | None = None) -> SessionSettings:
    """What the settings of a live session decide; whether they are modelled is asked elsewhere.

    `given` are all that are set, where they were asked for before.
    """
    told = told_settings(settings_set(session) if given is None else given)
    told |= {name: str(session.conf.get(name)) for name in ALWAYS_ASKED}
    return session_settings(told, spark_version(str(session.version)))


def require_runnable(settings: SessionSettings) -> None:
    """Refuse a session whose results Veer knows how to read, but not yet how to compute and store.

    Which of the present parsers of times it has is part of the key of its results.
    """
    usual = usual_settings(settings.spark)
    told = {
        **{name: True for name, _ in settings.reading},
        CASE_SENSITIVE: settings.case_sensitive != usual.case_sensitive,
        DUPLICATE_KEYS: settings.last_key_wins != usual.last_key_wins,
        SIZE_OF_NULL: settings.null_has_size != usual.null_has_size,
        TIME_PARSER: settings.time_parser is TimeParser.LEGACY,
    }
    for name in (name for name, is_other in told.items() if is_other):
        raise UnsupportedError(f"the session sets {name}; Veer reads such sessions, but runs none")


def spark_asked_for(text: str) -> SparkVersion:
    """The Spark whose meaning is asked for: the one named, else that of the installed PySpark."""
    if text:
        return spark_version(text)
    try:
        return spark_version(pyspark_version())
    except UsageError:
        return NEWEST  # none is installed, or one that is not modelled
