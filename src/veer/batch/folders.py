"""Folders of versions: which files in them are versions of one thing, and which follow which.

report_v1.yxmd, report_v2.yxmd      two versions of `report`, by the number at the end of the name
v1/report.knwf, v2/report.knwf      the same, by the number of the folder
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from veer.errors import InputError
from veer.read.registry import built_in

# A PySpark job is a function of its file, which no folder tells.
SUFFIXES = {s for f in built_in() if not f.takes_arguments for s in f.suffixes}
NUMBER = re.compile(r"[ _.-]*\(?[vV]?(\d{1,9})\)?$")
MOST_FILES = 100_000


def successive_versions(folder: Path) -> Iterator[tuple[str, str]]:
    """Each version and the one after it, by their paths from the folder."""
    groups: dict[tuple[str, ...], dict[tuple[int, ...], str]] = {}
    count = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in SUFFIXES or not path.is_file():
            continue
        count += 1
        if count > MOST_FILES:
            raise InputError(f"{folder}: more than {MOST_FILES:,} files")
        inner = path.relative_to(folder)
        parts = (*inner.parts[:-1], inner.stem)
        numbers = tuple(int(found[1]) for part in parts if (found := NUMBER.search(part)))
        names = (*(NUMBER.sub("", part) for part in parts), path.suffix.lower())
        if numbers:
            groups.setdefault(names, {}).setdefault(numbers, str(inner))
    for versions in groups.values():
        yield from pairwise(path for _, path in sorted(versions.items()))
