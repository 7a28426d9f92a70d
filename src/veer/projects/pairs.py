"""Jobs of two revisions in pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class JobPair:
    """A job at both revisions by its names there; `same` if nothing that decides its rows differs."""

    name: str
    p: str | None
    q: str | None
    same: bool = False
    stored_otherwise: bool = False  # its rows are to be stored in another way
    history: str = ""  # why its rows do not follow from its code and what it reads
