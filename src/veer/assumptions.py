"""What an EQUIVALENT rests on without a proof: a closed union of values, worded in `show/`.

Nobody decides on the words. Whatever acts on an assumption lists the classes it accepts and
refuses the others, so that a new class is refused until somebody has thought about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, TypeVar, final


@final
@dataclass(frozen=True, slots=True)
class KeyHolds:
    """No two rows of a table agree on these columns, and they are never null: a declared key."""

    kind: ClassVar[str] = "key"
    table: str
    columns: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class UniqueHolds:
    """No two rows of a table that have no null in these columns agree on them, as declared."""

    kind: ClassVar[str] = "unique"
    table: str
    columns: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class ForeignKeyHolds:
    """Each row of a table without null in these columns has its row in the table `parent`."""

    kind: ClassVar[str] = "foreign key"
    table: str
    columns: tuple[str, ...]
    parent: str


@final
@dataclass(frozen=True, slots=True)
class SameChoice:
    """Operator `p` of P and operator `q` of Q, which are free to choose, choose the same.

    `shown` is the operator in words.
    """

    kind: ClassVar[str] = "same choice"
    p: str
    q: str
    shown: str


@final
@dataclass(frozen=True, slots=True)
class BatchIndependent:
    """What a function of batches gives does not depend on how and in which order rows are batched.

    It stands in operator `p` of P and in operator `q` of Q; `shown` is the operator in words.
    """

    kind: ClassVar[str] = "independent of batches"
    p: str
    q: str
    shown: str


@final
@dataclass(frozen=True, slots=True)
class RowWise:
    """A function of batches gives each row a value that depends on that row alone, as declared."""

    kind: ClassVar[str] = "row-wise"
    function: str


@final
@dataclass(frozen=True, slots=True)
class PackageIsPure:
    """What functions of a package give depends on their arguments alone, as declared."""

    kind: ClassVar[str] = "pure package"
    package: str


@final
@dataclass(frozen=True, slots=True)
class MergeStops:
    """MERGE into a table stops wherever a row has several partners, as Spark does it.

    Tables of other makers may count only the partners that a clause acts on.
    """

    kind: ClassVar[str] = "merge stops"
    table: str


@final
@dataclass(frozen=True, slots=True)
class ColumnsAsUsed:
    """A table of which no file tells the columns, or not their types, has those that are mentioned.

    Nothing but equality is asked of values of these columns. With `others` it has more columns, none
    of them called as a column that is mentioned or made. With `remembered` a file tells columns and
    types as they were when it was last run: the table has still these, and no others.
    """

    kind: ClassVar[str] = "columns as used"
    table: str
    columns: tuple[str, ...]
    others: bool
    remembered: bool = False


@final
@dataclass(frozen=True, slots=True)
class SameTable:
    """The table `p` of one version holds the rows of the table `q` of the other, as `--map` says."""

    kind: ClassVar[str] = "same table"
    p: str
    q: str


@final
@dataclass(frozen=True, slots=True)
class ReadWith:
    """A variable of the environment has this value when the job is run, or is not set: `--env`."""

    kind: ClassVar[str] = "read with"
    name: str
    value: str | None


@final
@dataclass(frozen=True, slots=True)
class StatedAssumption:
    """What a verifier outside of Veer says it rests on, in its own words."""

    kind: ClassVar[str] = "stated"
    text: str


@final
@dataclass(frozen=True, slots=True)
class LeafKeyHolds:
    """A key of a leaf of a proof: no assumption about a user's table yet.

    It follows from declared keys below the leaf, or from none; the checker puts those in its place.
    """

    kind: ClassVar[str] = "leaf key"
    table: str
    columns: tuple[str, ...]


Assumption: TypeAlias = (
    KeyHolds
    | UniqueHolds
    | ForeignKeyHolds
    | SameChoice
    | BatchIndependent
    | RowWise
    | PackageIsPure
    | MergeStops
    | ColumnsAsUsed
    | SameTable
    | ReadWith
    | StatedAssumption
)
KeyAssumption: TypeAlias = KeyHolds | LeafKeyHolds
Declared: TypeAlias = KeyHolds | UniqueHolds | ForeignKeyHolds | LeafKeyHolds
A = TypeVar("A", KeyHolds, KeyAssumption, Declared)


def in_order(declared: Iterable[A]) -> list[A]:
    """Each once, by columns: the same order on every run."""
    return sorted(set(declared), key=lambda a: (a.columns, a.kind, a.table))
