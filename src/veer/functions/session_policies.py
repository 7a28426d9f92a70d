"""Functions that mean something else under a setting of the session that is no mode of all of them.

map(k, v, ...)         the last of equal keys wins: `spark.sql.mapKeyDedupPolicy=LAST_WIN`
to_date(text, 'yyyy')  read as before Spark 3.0: `spark.sql.legacy.timeParserPolicy=LEGACY`
size(NULL)             null without ANSI too: `spark.sql.legacy.sizeOfNull=false`
"""

from __future__ import annotations

from veer.functions.collections import LAST_KEY_MAP
from veer.settings import SessionSettings, TimeParser

# Functions that read or write times by a pattern.
BY_PATTERN = frozenset(
    {"date_format", "from_unixtime", "to_date_by", "to_timestamp_by", "unix_timestamp"}
)


def is_opaque_under(settings: SessionSettings, name: str) -> bool:
    """Whether what a function gives under some settings is not known, only that it is a function."""
    return settings.time_parser is TimeParser.LEGACY and name in BY_PATTERN


def function_under(settings: SessionSettings, name: str) -> str:
    """The function that one means under some settings, whatever the mode."""
    return LAST_KEY_MAP if name == "map" and settings.last_key_wins else name


def keeps_meaning_without_ansi(settings: SessionSettings, name: str) -> bool:
    """Whether a setting makes a function mean without ANSI what it means with it."""
    return name == "size" and not settings.null_has_size
