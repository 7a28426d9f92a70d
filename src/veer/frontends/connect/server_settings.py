"""Settings of a Connect server's session: it tells what is set, but not what Spark's defaults are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from veer.errors import UnsupportedError, UsageError
from veer.frontends.spark.settings import HARMLESS, TIME_PARSER, settings_set

ANSI = "spark.sql.ansi.enabled"
ZONE = "spark.sql.session.timeZone"
# What an analyzed plan would show, and the client's does not: how SQL is parsed, rules of others.
DECIDING = re.compile(r"ansi\.(?!enabled$).*|extensions")
# Extensions that add commands and formats, and leave alone what queries mean.
EXTENSIONS = frozenset(
    {
        "io.delta.sql.DeltaSparkSessionExtension",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    }
)
# Spark's defaults of what is sometimes set to just that. Any other value, and any other setting
# that is not known to be harmless, is refused.
DEFAULTS = {
    "ansi.doubleQuotedIdentifiers": "false",
    "ansi.enforceReservedKeywords": "false",
    "ansi.relationPrecedence": "false",
    "caseSensitive": "false",
    "columnNameOfCorruptRecord": "_corrupt_record",
    "crossJoin.enabled": "true",
    "decimalOperations.allowPrecisionLoss": "true",
    "files.ignoreCorruptFiles": "false",
    "files.ignoreMissingFiles": "false",
    "files.maxRecordsPerFile": "0",
    "groupByAliases": "true",
    "groupByOrdinal": "true",
    "mapKeyDedupPolicy": "exception",
    "orc.mergeSchema": "false",
    "orderByOrdinal": "true",
    "parquet.binaryAsString": "false",
    "parquet.mergeSchema": "false",
    "parser.quotedRegexColumnNames": "false",
    "sources.default": "parquet",
    "sources.partitionColumnTypeInference.enabled": "true",
    "sources.partitionOverwriteMode": "static",
    "storeAssignmentPolicy": "ansi",
    "timestampType": "timestamp_ltz",
    "variable.substitute": "true",
}


TRUTHS = {"true": True, "false": False}


def is_ansi(value: str | None, usual: bool = True) -> bool:
    """What a value of `spark.sql.ansi.enabled` says, Spark's default without one."""
    if value is None:
        return usual
    if value.strip().lower() not in TRUTHS:
        raise UsageError(f"{ANSI}={value}: expected true or false")
    return TRUTHS[value.strip().lower()]


def check_server_settings(session: Any) -> dict[str, str]:
    """All that is set in a session; one whose settings change what plans mean is refused."""
    settings: dict[str, str] = settings_set(session)
    for name, value in unusual_settings(settings).items():
        raise UnsupportedError(f"the session sets {name} to {value}, which is not modelled")
    return settings


def unusual_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """What is set away from Spark's defaults, or may be, and is not known to be harmless."""
    unusual = {}
    for name, value in sorted(settings.items()):
        short = name.removeprefix("spark.sql.")
        if (
            short == name
            or name == TIME_PARSER
            or (HARMLESS.fullmatch(short) and not DECIDING.fullmatch(short))
        ):
            continue
        if short == "extensions" and set(value.replace(" ", "").split(",")) <= EXTENSIONS:
            continue
        if DEFAULTS.get(short) != value.lower():
            unusual[name] = value
    return unusual
