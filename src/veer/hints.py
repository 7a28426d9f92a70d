"""What would settle a pair that is not proven: closed unions of values, worded in `show/`.

A *declaration* is what a schema may say of a table. A *hint* names what stands in the way of a
proof, and what the author of the versions can do about it.
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
    """With these declarations the pair of signals is proven, none of them to spare."""

    kind: ClassVar[str] = "declare"
    declarations: tuple[Declaration, ...]


@final
@dataclass(frozen=True, slots=True)
class BreakTie:
    """An operator chooses among rows that tie in its order.

    `columns` would break the tie: they tell the rows apart. `proven` if the pair of signals is
    proven once both sides order by them too.
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
    """A function that the two sides apply differently, of which nothing but its name is known."""

    kind: ClassVar[str] = "function"
    name: str


@final
@dataclass(frozen=True, slots=True)
class UninterpretedFunctions:
    """Functions that the two sides apply differently, of which the solver has no meaning.

    Veer can run them on values; in a proof equal arguments give equal results, and nothing more.
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
    """A function that sees rows in batches, which Spark cuts as it likes."""

    kind: ClassVar[str] = "batches"
    name: str


@final
@dataclass(frozen=True, slots=True)
class GiveMore:
    """A limit stopped the search; a greater value of this option lets it go on."""

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
