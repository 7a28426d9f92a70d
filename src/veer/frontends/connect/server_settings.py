"""Settings of a Connect server's session: it tells what is set, but not what Spark's defaults are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from veer.errors import UnsupportedError
from veer.frontends.connect.zone import questions_of_zone
from veer.frontends.spark.plans.time_zones import is_utc
from veer.frontends.spark.setting_defaults import spark_default
from veer.frontends.spark.setting_effects import ZONE, is_known
from veer.frontends.spark.settings import HARMLESS, settings_set
from veer.model.dag import Dataflow
from veer.settings import SparkVersion, spark_version

# What an analyzed plan would show, and the client's does not: how SQL is parsed, rules of others.
DECIDING = re.compile(r"ansi\.(?!enabled$).*|extensions")
# Extensions that add commands and formats, and leave alone what queries mean.
EXTENSIONS = frozenset(
    {
        "io.delta.sql.DeltaSparkSessionExtension",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    }
)


def check_server_settings(session: Any) -> dict[str, str]:
    """All that is set in a session; one whose settings change what plans mean is refused."""
    settings: dict[str, str] = settings_set(session)
    for name, value in unusual_settings(settings, spark_version(str(session.version))).items():
        raise UnsupportedError(f"the session sets {name} to {value}, which is not modelled")
    return settings


def check_zone(session: Any, dataflow: Dataflow) -> None:
    """Refuse a dataflow that would mean something else in UTC, if the session is not in UTC."""
    zone = str(session.conf.get(ZONE))
    if is_utc(zone):
        return
    for question in questions_of_zone(dataflow):
        raise UnsupportedError(
            f"{ZONE} is {zone}, and {question} asks for it; plans of Spark Connect are read in UTC: "
            f"spark.conf.set({ZONE!r}, 'UTC')"
        )


def unusual_settings(settings: Mapping[str, str], spark: SparkVersion) -> dict[str, str]:
    """What is set away from a Spark's defaults, or may be, and is neither modelled nor harmless."""
    unusual = {}
    for name, value in sorted(settings.items()):
        short = name.removeprefix("spark.sql.")
        if (
            short == name
            or is_known(name)
            or (HARMLESS.fullmatch(short) and not DECIDING.fullmatch(short))
        ):
            continue
        if short == "extensions" and set(value.replace(" ", "").split(",")) <= EXTENSIONS:
            continue
        if (spark_default(name, spark) or "").lower() != value.lower():
            unusual[name] = value
    return unusual
