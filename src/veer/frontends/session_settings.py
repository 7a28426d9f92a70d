"""Settings of a Spark session given as text (`--conf K=V`): what they decide, or why they are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veer.errors import UnsupportedError, UsageError
from veer.frontends.connect.server_settings import ANSI, ZONE, is_ansi, unusual_settings
from veer.frontends.spark.pyspark_version import pyspark_version
from veer.frontends.spark.settings import TIME_PARSER
from veer.functions.zone_rules import UTC_ZONE, canonical_zone
from veer.settings import NEWEST, SessionSettings, SparkVersion, spark_version, usual_settings

TIME_PARSERS = {"CORRECTED": False, "EXCEPTION": True}


def session_settings(conf: Mapping[str, str], spark: SparkVersion) -> SessionSettings:
    """What settings decide of the meaning of expressions; one that is not modelled is refused."""
    modelled = (ANSI, ZONE, TIME_PARSER)
    others = {name: value for name, value in conf.items() if name not in modelled}
    for name, value in unusual_settings(others).items():
        raise UnsupportedError(f"the setting {name}={value} is not modelled")
    usual = usual_settings(spark)
    return SessionSettings(
        ansi=is_ansi(conf.get(ANSI), usual.ansi),
        spark=spark,
        old_times_fail=old_times_fail(conf.get(TIME_PARSER), usual.old_times_fail),
        zone=canonical_zone(conf.get(ZONE, UTC_ZONE)),
    )


def settings_of(session: Any) -> SessionSettings:
    """What the settings of a live session decide; whether they are modelled is asked elsewhere."""
    told = {name: str(session.conf.get(name)) for name in (ANSI, TIME_PARSER, ZONE)}
    return session_settings(told, spark_version(str(session.version)))


def old_times_fail(value: str | None, usual: bool) -> bool:
    """Whether a value of the setting lets old times fail; the parser before Spark 3.0 is refused."""
    if value is None:
        return usual
    if value.upper() not in TIME_PARSERS:
        raise UnsupportedError(f"the setting {TIME_PARSER}={value} is not modelled")
    return TIME_PARSERS[value.upper()]


def spark_asked_for(text: str) -> SparkVersion:
    """The Spark whose meaning is asked for: the one named, else that of the installed PySpark."""
    if text:
        return spark_version(text)
    try:
        return spark_version(pyspark_version())
    except UsageError:
        return NEWEST  # none is installed, or one that is not modelled
