"""Settings of Spark sessions: those given as text (`--conf K=V`), and those of a live session.

Each is looked up in the rows of `setting_rows`; what has an effect that is not modelled is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from veer.errors import UnsupportedError, UsageError
from veer.functions.zone_rules import canonical_zone
from veer.read.pyspark import setting_rows
from veer.read.pyspark.pyspark_version import pyspark_version
from veer.settings import (
    MODELLED,
    NEWEST,
    ZONE,
    SessionSettings,
    SparkVersion,
    spark_version,
    usual_settings,
)

DECIDING = setting_rows.OF_SOURCES | setting_rows.OF_MEANING  # what `session_settings` looks at
ALSO_OF_SOURCES = frozenset(row.name for row in MODELLED if row.of_sources)
# Extensions that add commands and formats, and leave alone what queries mean.
EXTENSIONS = frozenset(
    {
        "io.delta.sql.DeltaSparkSessionExtension",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    }
)


def session_settings(conf: Mapping[str, str], spark: SparkVersion) -> SessionSettings:
    """What settings decide of the meaning of what is read; one that is not modelled is refused."""
    others = {name: value for name, value in conf.items() if name not in setting_rows.OF_WRITES}
    for name, value in server_unusual(others, spark).items():
        raise UnsupportedError(f"the setting {name}={value} is not modelled")
    usual = usual_settings(spark)
    fields = {
        row.field: row.read(conf[row.name]) if row.name in conf else getattr(usual, row.field)
        for row in MODELLED
    }
    try:
        zone = canonical_zone(fields.pop("zone"))
    except UnsupportedError as error:
        raise UnsupportedError(f"{ZONE}: {error}") from None
    return SessionSettings(spark=spark, zone=zone, reading=_reading(conf, spark), **fields)


def _reading(conf: Mapping[str, str], spark: SparkVersion) -> tuple[tuple[str, str], ...]:
    """What decides what sources hold, away from Spark's defaults."""
    deciding = {
        n: v for n, v in conf.items() if n in setting_rows.OF_SOURCES or n in ALSO_OF_SOURCES
    }
    return tuple(
        (name, value)
        for name, value in sorted(deciding.items())
        if (setting_rows.spark_default(name, spark) or "").lower() != value.strip().lower()
    )


def deciding_settings(conf: Mapping[str, str]) -> dict[str, str]:
    """Of all settings of a session those that `session_settings` looks at; others are checked apart."""
    return {n: v for n, v in conf.items() if n in DECIDING}


def require_runnable(settings: SessionSettings) -> None:
    """Refuse a session whose results Veer knows how to read, but not yet how to compute and store.

    Which of the present parsers of times it has is part of the key of its results.
    """
    names = [name for name, _ in settings.reading if name not in ALSO_OF_SOURCES]
    names += [row.name for row in MODELLED if getattr(settings, row.field) in row.unusual]
    for name in names:
        raise UnsupportedError(f"the session sets {name}; Veer reads such sessions, but runs none")


def spark_asked_for(text: str) -> SparkVersion:
    """The Spark whose meaning is asked for: the one named, else that of the installed PySpark."""
    if text:
        return spark_version(text)
    try:
        return spark_version(pyspark_version())
    except UsageError:
        return NEWEST  # none is installed, or one that is not modelled


# -- what is set away from Spark's defaults ----------------------------------------------------


def server_unusual(settings: Mapping[str, str], spark: SparkVersion) -> dict[str, str]:
    """What is set away from a Spark's defaults, or may be, and is not accounted for in plans of a client."""
    settings = {
        name: value
        for name, value in settings.items()
        if name != f"{setting_rows.PREFIX}extensions"
        or not set(value.replace(" ", "").split(",")) <= EXTENSIONS
    }
    return _unusual(
        settings, lambda name: setting_rows.spark_default(name, spark) or "", analyzed=False
    )


def _unusual(
    settings: Mapping[str, str], default: Callable[[str], str], *, analyzed: bool
) -> dict[str, str]:
    return {
        name: value
        for name, value in sorted(settings.items())
        if name.startswith(setting_rows.PREFIX)
        and not setting_rows.is_accounted_for(name, analyzed=analyzed)
        and default(name).lower() != value.lower()
    }


# -- live sessions -----------------------------------------------------------------------------


def settings_set(session: Any) -> dict[str, str]:
    """What is set in a session; PySpark 3.5 has no call for it."""
    has_jvm = hasattr(session, "_jsparkSession")
    if hasattr(session.conf, "getAll"):
        if not has_jvm:
            return dict(session.conf.getAll)
        # One answer of the JVM instead of five for each setting.
        mapper = session._jvm.com.fasterxml.jackson.databind.ObjectMapper()
        return dict(json.loads(mapper.writeValueAsString(session.conf._jconf.getAllAsJava())))
    if not has_jvm:
        return {row[0]: row[1] for row in session.sql("SET").collect()}
    pairs, found = session._jsparkSession.conf().getAll().iterator(), {}
    while pairs.hasNext():
        pair = pairs.next()
        found[str(pair._1())] = str(pair._2())
    return found


def settings_of(session: Any, given: Mapping[str, str] | None = None) -> SessionSettings:
    """What the settings of a live session decide; whether they are modelled is asked elsewhere.

    `given` are all that are set, where they were asked for before.
    """
    conf = deciding_settings(settings_set(session) if given is None else given)
    conf |= {row.name: str(session.conf.get(row.name)) for row in MODELLED}
    return session_settings(conf, spark_version(str(session.version)))


def check_server_settings(session: Any) -> dict[str, str]:
    """All that is set in a session; one whose settings change what a client's plans mean is refused."""
    settings = settings_set(session)
    for name, value in server_unusual(settings, spark_version(str(session.version))).items():
        raise UnsupportedError(f"the session sets {name} to {value}, which is not modelled")
    return settings


def check_settings(
    session: Any,
    allowed: frozenset[str] = frozenset(),
    default: Callable[[str], str] | None = None,
    given: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Refuse a session whose settings change results; gives those that are allowed.

    The expressions of a plan show whether it is one of ANSI. `given` are all that are set, `default`
    gives Spark's defaults; without them the JVM of the session is asked.
    """
    given = settings_set(session) if given is None else given
    unusual = _unusual(given, default or _defaults(session), analyzed=True)
    for name, value in unusual.items():
        if name not in allowed:
            raise UnsupportedError(f"the session sets {name} to {value}, which is not modelled")
    return unusual


def _defaults(session: Any) -> Callable[[str], str]:
    defaults = session._jvm.org.apache.spark.sql.internal.SQLConf()

    def default(name: str) -> str:
        try:
            return str(defaults.getConfString(name))
        except Exception:  # a setting Spark does not know
            return ""

    return default
