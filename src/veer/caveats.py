"""What to know although a verdict stands: a closed union of values, worded in `show/`.

Whatever acts on a caveat lists the classes it accepts and refuses the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeAlias, final


class Side(Enum):
    """One of the two versions that are compared."""

    P = "P"
    Q = "Q"

    @property
    def other(self) -> Side:
        return Side.Q if self is Side.P else Side.P


@final
@dataclass(frozen=True, slots=True)
class MayFail:
    """An expression of one version may fail on some values, and the other version has no such expression.

    It is evaluated where all `guards` hold.
    """

    kind: ClassVar[str] = "may fail"
    side: Side
    expression: str
    guards: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class MoreMayFail:
    """More expressions may fail in only one version; with their number."""

    kind: ClassVar[str] = "more may fail"
    count: int


@final
@dataclass(frozen=True, slots=True)
class ShownDifferently:
    """The sinks show their rows in different ways, for example as different charts."""

    kind: ClassVar[str] = "shown differently"
    p: str
    q: str


@final
@dataclass(frozen=True, slots=True)
class OtherColumnNames:
    """The columns have different names, but the target table takes them by position."""

    kind: ClassVar[str] = "other column names"


@final
@dataclass(frozen=True, slots=True)
class NamesDifferInCase:
    """Column names differ in letter case, which Spark ignores by default."""

    kind: ClassVar[str] = "letter case"


@final
@dataclass(frozen=True, slots=True)
class OtherColumnOrder:
    """The same columns are in another order."""

    kind: ClassVar[str] = "column order"


@final
@dataclass(frozen=True, slots=True)
class GeneratedName:
    """Spark generates the name of a column; the name that Veer assumes may be wrong."""

    kind: ClassVar[str] = "generated name"
    name: str


Caveat: TypeAlias = (
    MayFail
    | MoreMayFail
    | ShownDifferently
    | OtherColumnNames
    | NamesDifferInCase
    | OtherColumnOrder
    | GeneratedName
)
