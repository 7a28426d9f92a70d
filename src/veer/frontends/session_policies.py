"""Functions that mean something else under a setting of the session that is no mode of all of them.

map(k, v, ...)         the last of equal keys wins: `spark.sql.mapKeyDedupPolicy=LAST_WIN`
to_date(text, 'yyyy')  read as before Spark 3.0: `spark.sql.legacy.timeParserPolicy=LEGACY`
size(NULL)             null without ANSI too: `spark.sql.legacy.sizeOfNull=false`
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.errors import UnsupportedError
from veer.model.expr import Expr, Literal
from veer.settings import SessionSettings, TimeParser

# Functions that read or write times by a pattern.
BY_PATTERN = frozenset(
    {"date_format", "from_unixtime", "to_date_by", "to_timestamp_by", "unix_timestamp"}
)


def is_opaque_under(settings: SessionSettings, name: str) -> bool:
    """Whether what a function gives under some settings is not known, only that it is a function."""
    return settings.time_parser is TimeParser.LEGACY and name in BY_PATTERN


def check_keys(settings: SessionSettings, name: str, args: Sequence[Expr]) -> None:
    """Refuse a map that may be given a key twice, if that does not fail.

    Which value it has then depends on the optimizer: of `map(1, a, 1, b)[1]` Spark makes `a`, though
    the last should win, and of `size(map(1, a, 1, b))` two.
    """
    keys = args[::2]
    if name != "map" or not settings.last_key_wins or len(keys) < 2:
        return
    values = {key.value for key in keys if isinstance(key, Literal)}
    if len(values) < len(keys):
        raise UnsupportedError(
            "map with keys that may be equal, under spark.sql.mapKeyDedupPolicy=LAST_WIN"
        )


def keeps_meaning_without_ansi(settings: SessionSettings, name: str) -> bool:
    """Whether a setting makes a function mean without ANSI what it means with it."""
    return name == "size" and not settings.null_has_size
