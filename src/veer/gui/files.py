"""Data files next to a workflow: the names of their columns, if the first line has them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import final

from veer.errors import InputError
from veer.read.inputs import Input

LONGEST_LINE = 100_000


@final
@dataclass(frozen=True)
class DataFiles:
    """The files in the folder of a workflow, of the same revision."""

    folder: str = ""
    revision: str = ""

    @classmethod
    def beside(cls, source: Input) -> DataFiles:
        """Those beside what a user named."""
        return cls(str(Path(source.path).parent), source.revision)

    def header(self, path: str, delimiter: str = ",") -> Sequence[str] | None:
        """The names in the first line of a file of text; None if there is no such file, or it has none.

        Looked for under the path, from the folder of the workflow, then under its name alone: paths
        of another machine lead nowhere. Nothing outside of the folder is looked at.
        """
        if not self.folder or len(delimiter) != 1:
            return None
        plain = PurePosixPath(path.replace("\\", "/"))
        for inner in dict.fromkeys((plain, PurePosixPath(plain.name))):
            if inner.is_absolute() or ".." in inner.parts or ":" in str(inner) or not plain.name:
                continue
            line = self._first_line(str(inner))
            if line is not None:
                return _names(line, delimiter)
        return None

    def _first_line(self, inner: str) -> str | None:
        file = Input(inner, str(Path(self.folder) / inner), self.revision)
        try:
            if not file.exists or file.is_folder:
                return None
            if self.revision:
                data = file.read_bytes()[:LONGEST_LINE]
            else:
                with Path(file.path).open("rb") as opened:
                    data = opened.read(LONGEST_LINE)
            return data.decode("utf-8-sig", "strict").splitlines()[0] if data else None
        except (InputError, OSError, UnicodeDecodeError, IndexError):
            return None


def _names(line: str, delimiter: str) -> list[str] | None:
    """The names, if each is some and all differ."""
    try:
        names = next(csv.reader([line], delimiter=delimiter))
    except (csv.Error, StopIteration):
        return None
    return names if all(names) and len(set(names)) == len(names) else None
