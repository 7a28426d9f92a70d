"""Places of local files: one name for scala_items, and what links inside of folders lead to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from veer.ir.ops import ANYWHERE

LOCAL_FILE = re.compile(r"^file:(?://)?(?=/)")
MOST_ENTRIES = 20_000  # of a folder that is searched for links


def canonical_path(path: str) -> str:
    """A path as Spark tells it, links followed where it is a local one."""
    local = LOCAL_FILE.sub("", path)
    return path if local == path else f"file:{os.path.realpath(local)}"


def link_targets(paths: Iterable[str]) -> list[str]:
    """Where links inside of local folders lead; ANYWHERE if there are too many files to tell."""
    targets: set[str] = set()
    seen = 0
    for path in paths:
        local = LOCAL_FILE.sub("", path)
        if local == path and not path.startswith("/"):
            continue
        for entry in _entries(local):
            seen += 1
            if seen > MOST_ENTRIES:
                return [ANYWHERE]
            if entry.is_symlink():
                targets.add(f"file:{os.path.realpath(entry.path)}")
            elif entry.is_file() and entry.stat().st_nlink > 1:
                targets.add(ANYWHERE)  # one file of two names
    return sorted(targets)


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    """What lies below a folder, links not followed; nothing if it is a file."""
    try:
        with os.scandir(path) as inside:
            listed = list(inside)
    except OSError:
        return
    for entry in listed:
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path)
