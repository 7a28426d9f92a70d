"""Operators whose rows may differ from before: those that changed, and those that may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import final

from veer.ir.ops import Source
from veer.projects.lineage import Place, read_places, source_texts


@final
@dataclass(frozen=True)
class Changes:
    """What differs between two revisions beside jobs."""

    files: tuple[str, ...] = ()  # that jobs may read by their paths
    tables: tuple[str, ...] = ()  # that are declared otherwise
    suspects: Mapping[str, Callable[[str], bool]] = field(
        default_factory=dict
    )  # code that is no job


@final
class Affected:
    """Places whose rows may be others than before."""

    def __init__(self) -> None:
        self.targets: dict[Place, str] = {}
        self.files: dict[Place, str] = {}  # of the repository, that may be read by their paths
        self.suspects: dict[str, Callable[[str], bool]] = {}  # jobs that may write anything

    def __bool__(self) -> bool:
        return bool(self.targets or self.files or self.suspects)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.targets) + len(self.files) + len(self.suspects)

    def add(self, *targets: str) -> None:
        """Count targets among them."""
        self.targets |= {Place.of(t): t for t in targets if t}

    def among(self, table: str) -> list[str]:
        """Those that a table or path may be."""
        place = Place.of(table)
        unseen = [n for n, may in self.suspects.items() if may(table)]
        return sorted([*(t for a, t in self.targets.items() if a.may_hold(place)), *unseen])

    def add_files(self, paths: Iterable[str]) -> None:
        """Count files among them, which are read by their paths alone."""
        self.files |= {Place.of(f"./{path}"): path for path in paths}

    def read_by(self, source: Source) -> list[str]:
        """Those a source may read."""
        places = read_places(source)
        unseen = [n for n, may in self.suspects.items() if any(map(may, source_texts(source)))]
        if places is None:
            return sorted([*self.targets.values(), *self.files.values(), *self.suspects])
        found = [t for a, t in self.targets.items() if any(a.may_hold(p) for p in places)]
        found += [t for a, t in self.files.items() if any(p.may_be_file(a) for p in places)]
        return sorted([*found, *unseen])
