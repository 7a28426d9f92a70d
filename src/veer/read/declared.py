"""Facts about Python functions that a user declares and Veer cannot check; a proof that uses one lists it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class Declarations:
    """Functions of batches that give each row its value whatever the others are; packages that are pure."""

    row_wise: frozenset[str] = frozenset()  # by name: `score`, or `jobs.scoring.score`
    trusted_packages: frozenset[str] = frozenset()

    def is_row_wise(self, function: Any, name: str) -> bool:
        """Whether a function of batches is declared to work row by row."""
        own = getattr(function, "__qualname__", ""), getattr(function, "__name__", "")
        module = getattr(function, "__module__", "")
        full = {f"{module}.{each}" for each in own if each}
        return not self.row_wise.isdisjoint({name, *own, *full} - {""})

    def trusted(self, module: str | None) -> str:
        """The trusted package that a module belongs to; empty if there is none."""
        parts = (module or "").split(".")
        names = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
        return next((name for name in names if name in self.trusted_packages), "")


NOTHING = Declarations()
_CURRENT: ContextVar[Declarations] = ContextVar("declarations", default=NOTHING)


def declarations() -> Declarations:
    """What is declared for what is read now."""
    return _CURRENT.get()


@contextmanager
def declaring(given: Declarations) -> Iterator[None]:
    """Read with declarations in force."""
    before = _CURRENT.set(given)
    try:
        yield
    finally:
        _CURRENT.reset(before)
