"""The location of a source as a text: one path, or several as a JSON list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

SEVERAL_URLS = re.compile(r"[a-z][a-z0-9+.-]*:/\S+( [a-z][a-z0-9+.-]*:/\S+)+$")


def location_of(paths: Iterable[str]) -> str:
    """One text for some paths, whatever their order."""
    ordered = sorted(paths)
    # A path that would be read as several stands in a list too.
    is_plain = len(ordered) == 1 and paths_of(ordered[0]) == ordered
    return ordered[0] if is_plain else json.dumps(ordered)


def paths_of(location: str) -> list[str]:
    """The paths of a location: one, a JSON list of them, or URLs with blanks between them."""
    if location.startswith("["):
        try:
            return [str(path) for path in json.loads(location)]
        except ValueError:
            return [location]
    if SEVERAL_URLS.match(location):
        return location.split(" ")
    return [location]
