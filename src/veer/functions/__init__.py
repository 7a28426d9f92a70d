"""The function registry: one row per function, grouped by subject.

Importing anything of this package registers every function, so that what is known never depends
on who imported what before.
"""

from veer.functions import (
    aggregates,
    arithmetic,
    collections,
    conditional,
    dates,
    legacy,
    mathematics,
    moment_patterns,
    opaque,
    python,
    ranking,
    strings,
    text_search,
    zones,
)

legacy.register()
zones.register()

__all__ = [
    "aggregates",
    "arithmetic",
    "collections",
    "conditional",
    "dates",
    "legacy",
    "mathematics",
    "moment_patterns",
    "opaque",
    "python",
    "ranking",
    "strings",
    "text_search",
    "zones",
]
