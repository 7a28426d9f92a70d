"""Whether two sources may hold the same rows: they are independent only where that is known.

warehouse/orders    warehouse/people          independent: neither lies inside the other
data/events         data/events/day=1         may share
data/*/2024         data/events               may share: the pattern may lead there
a table             a path                    may share: it may be where the table is
orders, people      declared by their names   independent, as declared
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.secrets import without_secrets
from veer.ir.sources import paths_of, sources_of

# Formats whose sources are the files at their location and nothing else.
FILES = frozenset({"parquet", "orc", "csv", "json", "text", "xml", "avro", "binary", "binaryfile"})
TABLE_FORMATS = frozenset({"delta", "iceberg", "hudi"})  # tables of a catalog, by their names
BUCKETS = frozenset({"s3", "s3a", "s3n", "gs"})  # where another host name is another store
ALIASED = re.compile(r"(s3alias|--ol-s3)$")  # names of buckets that stand for others
PATTERN = re.compile(r"[*?\[{\\]")
URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(.*)$", re.DOTALL)


def may_share_data(one: ops.Source, two: ops.Source) -> str:
    """Why the rows of two sources may have to do with each other; empty if they cannot.

    Also empty for a source and itself: both are the same rows. A witness gives every source rows of
    its own, so two that share theirs might never hold what it shows: there no witness is given.
    """
    if _identity(one) == _identity(two):
        return ""
    if one.table.lower() == two.table.lower():
        return f"{without_secrets(one.table)} is read in two ways, of the same data"
    if {one.format, two.format} & {ops.LOCAL, ops.COMPUTED} or _are_declared(one, two):
        return ""
    ours, theirs = locations(one), locations(two)
    if ours and theirs and all(a.is_apart_from(b) for a in ours for b in theirs):
        return ""
    names = " and ".join(without_secrets(source.table) for source in (one, two))
    return f"these sources may hold the same data: {names}"


def sharing(dataflows: Iterable[Dataflow]) -> str:
    """Why some two sources of dataflows may share data; empty if all are independent."""
    sources = {source: None for dataflow in dataflows for source in sources_of(dataflow)}
    return next(filter(None, (may_share_data(*pair) for pair in combinations(sources, 2))), "")


def _identity(source: ops.Source) -> Any:
    """What tells the rows of a source, whatever is declared of them."""
    columns = tuple((f.name, f.type) for f in source.fields)
    return columns, source.table, source.format, source.location, source.options, source.metadata


def _are_declared(one: ops.Source, two: ops.Source) -> bool:
    """Whether both are tables by their names, of which at most one says where it is."""
    named = all(_has_name(s) and not s.elsewhere for s in (one, two))
    return named and not (one.location and two.location)


def _has_name(source: ops.Source) -> bool:
    """Whether a source is a table that is called something other than where it is."""
    # orders@v3 is a version of the table at orders.
    is_table = source.format.lower() in TABLE_FORMATS and "@" not in source.table
    return source.table != source.location and (_is_plain(source.format) or is_table)


def _is_plain(format_: str) -> bool:
    """Whether rows are read from files; plans name the class that reads them."""
    name = format_.lower().removesuffix("fileformat")
    return name == "table" or name in FILES


@final
@dataclass(frozen=True)
class Location:
    """A folder or file at or below which rows are stored, as parts of its path."""

    scheme: str
    host: str
    is_absolute: bool
    parts: tuple[str, ...]

    def is_apart_from(self, other: Location) -> bool:
        """Whether nothing can lie in both.

        True only where it is certain. Other schemes may lead to one store, a relative path may lead
        anywhere, and outside of buckets a host may have several names.
        """
        if self.scheme != other.scheme or self.is_absolute is not other.is_absolute:
            return False
        if self.host != other.host:
            hosts = (self.host, other.host)
            return self.scheme in BUCKETS and all(hosts) and not any(map(ALIASED.search, hosts))
        if self.parts.count("..") != other.parts.count(".."):
            return False  # one of them leaves the folder the other lies in
        shorter = min(len(self.parts), len(other.parts))
        return self.parts[:shorter] != other.parts[:shorter]


def locations(source: ops.Source) -> list[Location] | None:
    """Where all rows of a source come from; None if that is not known."""
    if not _is_plain(source.format) or not source.location or ops.ANYWHERE in source.elsewhere:
        return None
    return [_location(path) for path in (*paths_of(source.location), *source.elsewhere)]


def _location(path: str) -> Location:
    """Where a path leads, up to its first pattern; letter case may not matter there."""
    url = URL.match(path)
    scheme, host, rest = (url[1].lower(), url[2] or "", url[3]) if url else ("", "", path)
    if scheme == "file":
        scheme = ""
    fixed = posixpath.normpath(rest or "/")
    alike = unicodedata.normalize("NFC", fixed).casefold()
    parts = [part for part in alike.split("/") if part not in ("", ".")]
    end = next((i for i, part in enumerate(parts) if PATTERN.search(part)), len(parts))
    return Location(scheme, host.lower(), fixed.startswith("/"), tuple(parts[:end]))


__all__ = ["Location", "locations", "may_share_data", "sharing"]
