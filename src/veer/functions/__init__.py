"""The function registry: one entry per function, grouped by subject.

Importing anything of this package registers every function, so that what is known never depends
on who imported what before.
"""

from veer.functions import (
    aggregates,
    arithmetic,
    collections,
    conditional,
    dates,
    hashes,
    legacy,
    mathematics,
    moment_patterns,
    opaque,
    python,
    ranking,
    regular_expressions,
    spark_versions,
    strings,
    text_search,
    zones,
)

legacy.register()
spark_versions.register()
zones.register()

__all__ = [
    "aggregates",
    "arithmetic",
    "collections",
    "conditional",
    "dates",
    "hashes",
    "legacy",
    "mathematics",
    "moment_patterns",
    "opaque",
    "python",
    "ranking",
    "regular_expressions",
    "spark_versions",
    "strings",
    "text_search",
    "zones",
]
