"""Settings of a Connect server's session: it tells what is set, but not what Spark's defaults are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from veer.errors import UnsupportedError
from veer.frontends.spark.harmless_settings import is_harmless
from veer.frontends.spark.setting_defaults import spark_default
from veer.frontends.spark.setting_effects import is_known
from veer.frontends.spark.settings import SQL, settings_set
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


def is_harmless_unseen(name: str) -> bool:
    """Whether a setting changes no result, nor what a client's plan means that does not show it."""
    return is_harmless(name) and not DECIDING.fullmatch(name.removeprefix(SQL))


def check_server_settings(session: Any) -> dict[str, str]:
    """All that is set in a session; one whose settings change what plans mean is refused."""
    settings: dict[str, str] = settings_set(session)
    for name, value in unusual_settings(settings, spark_version(str(session.version))).items():
        raise UnsupportedError(f"the session sets {name} to {value}, which is not modelled")
    return settings


def unusual_settings(settings: Mapping[str, str], spark: SparkVersion) -> dict[str, str]:
    """What is set away from a Spark's defaults, or may be, and is neither modelled nor harmless."""
    unusual = {}
    for name, value in sorted(settings.items()):
        short = name.removeprefix("spark.sql.")
        if short == name or is_known(name) or is_harmless_unseen(name):
            continue
        if short == "extensions" and set(value.replace(" ", "").split(",")) <= EXTENSIONS:
            continue
        if (spark_default(name, spark) or "").lower() != value.lower():
            unusual[name] = value
    return unusual
