"""What would settle a pair that is not proven: closed unions of values, worded in `show/`.

A *declaration* is a statement of a schema about a table. A *hint* names what prevents a proof, and
what the author of the versions can do about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias, final

from veer.caveats import Side

# -- declarations ------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class NotNull:
    """A column of a table is never null."""

    kind: ClassVar[str] = "not null"
    table: str
    column: str


@final
@dataclass(frozen=True, slots=True)
class Key:
    """No two rows of a table agree on these columns, and they are never null."""

    kind: ClassVar[str] = "key"
    table: str
    columns: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Unique:
    """No two rows of a table that have no null in these columns agree on them."""

    kind: ClassVar[str] = "unique"
    table: str
    columns: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class References:
    """Each row of a table without null in these columns has its row in the table `parent`."""

    kind: ClassVar[str] = "foreign key"
    table: str
    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]


Declaration: TypeAlias = NotNull | Key | Unique | References


# -- hints -------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Declare:
    """With these declarations the proof succeeds; it needs all of them."""

    kind: ClassVar[str] = "declare"
    declarations: tuple[Declaration, ...]


@final
@dataclass(frozen=True, slots=True)
class BreakTie:
    """An operator picks among rows that are equal in its order.

    `columns` are different in these rows. `proven` if the proof succeeds when both sides also order
    by them.
    """

    kind: ClassVar[str] = "tie"
    side: Side
    operator: str
    shown: str
    columns: tuple[str, ...] = ()
    proven: bool = False


@final
@dataclass(frozen=True, slots=True)
class DescribeFunction:
    """A function that the two sides apply differently; only its name is known."""

    kind: ClassVar[str] = "function"
    name: str


@final
@dataclass(frozen=True, slots=True)
class UninterpretedFunctions:
    """Functions that the two sides apply differently and that the solver cannot interpret.

    Veer can run them on values; in a proof they only give equal results for equal arguments.
    """

    kind: ClassVar[str] = "uninterpreted functions"
    names: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class FloatSum:
    """An aggregate whose result depends on the order in which floats are added."""

    kind: ClassVar[str] = "float sum"
    side: Side
    operator: str
    shown: str


@final
@dataclass(frozen=True, slots=True)
class BatchFunction:
    """A function that gets rows in batches; Spark decides where a batch ends."""

    kind: ClassVar[str] = "batches"
    name: str


@final
@dataclass(frozen=True, slots=True)
class GiveMore:
    """A limit stopped the search; a greater value of this option lets it continue."""

    kind: ClassVar[str] = "limit"
    option: str


Hint: TypeAlias = (
    Declare
    | BreakTie
    | DescribeFunction
    | UninterpretedFunctions
    | FloatSum
    | BatchFunction
    | GiveMore
)
