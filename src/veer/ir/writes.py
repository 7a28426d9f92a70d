"""How the rows of a sink reach what is outside: values that are compared, never texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, final

Settings: TypeAlias = tuple[tuple[str, str], ...]


@final
@dataclass(frozen=True, slots=True)
class Write:
    """Files or a table made of the rows: names and types of columns are theirs.

    `format`, `mode` and `layout` (partitions, buckets, sorting) are as the program gives them.
    """

    format: str
    mode: str
    layout: tuple[str, ...] = ()
    settings: Settings = ()


@final
@dataclass(frozen=True, slots=True)
class Insert:
    """Rows put into a table that is there: it has names and types of its own.

    Columns go by position unless `by_name`.
    """

    overwrite: bool
    by_name: bool = False
    settings: Settings = ()


@final
@dataclass(frozen=True, slots=True)
class Change:
    """All rows of a table after UPDATE, DELETE or MERGE; it has names and types of its own.

    `may_stop`: whether a MERGE among them stops if a row has several partners.
    """

    settings: Settings = ()
    may_stop: bool = field(default=False, compare=False)


AnyWrite: TypeAlias = Write | Insert | Change
