"""What an EQUIVALENT rests on without a proof: a closed union of values, worded in `show/`.

No code decides by the words. Code that acts on an assumption lists the classes it accepts and
refuses the others, so a new class is refused until it is added there.
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
    """Operator `p` before and operator `q` after, which may give several results, give the same one.

    `shown` is the operator in words.
    """

    kind: ClassVar[str] = "same choice"
    p: str
    q: str
    shown: str


@final
@dataclass(frozen=True, slots=True)
class BatchIndependent:
    """The result of a function of batches does not depend on how rows are divided into batches.

    It is in operator `p` before and in operator `q` after; `shown` is the operator in words.
    """

    kind: ClassVar[str] = "independent of batches"
    p: str
    q: str
    shown: str


@final
@dataclass(frozen=True, slots=True)
class RowWise:
    """A function of batches gives each row a value that depends only on that row, as declared."""

    kind: ClassVar[str] = "row-wise"
    function: str


@final
@dataclass(frozen=True, slots=True)
class PackageIsPure:
    """The results of the functions of a package depend only on their arguments, as declared."""

    kind: ClassVar[str] = "pure package"
    package: str


@final
@dataclass(frozen=True, slots=True)
class MergeStops:
    """MERGE into a table fails if a row matches several rows, as in Spark.

    Other table formats may fail only if a clause changes such a row.
    """

    kind: ClassVar[str] = "merge stops"
    table: str


@final
@dataclass(frozen=True, slots=True)
class ColumnsAsUsed:
    """The columns of a table, or their types, are not known: it has the columns that the versions use.

    The proof uses only equality of their values. With `others` the table has more columns, and none
    has the name of a column that the versions use or compute. With `remembered` a file has the columns
    and types of the last run: the table still has exactly these.
    """

    kind: ClassVar[str] = "columns as used"
    table: str
    columns: tuple[str, ...]
    others: bool
    remembered: bool = False


@final
@dataclass(frozen=True, slots=True)
class SameTable:
    """The table `p` of one version has the same rows as the table `q` of the other, as `--map` says."""

    kind: ClassVar[str] = "same table"
    p: str
    q: str


@final
@dataclass(frozen=True, slots=True)
class ReadWith:
    """An environment variable has this value when the job runs, or is not set: `--env`."""

    kind: ClassVar[str] = "read with"
    name: str
    value: str | None


@final
@dataclass(frozen=True, slots=True)
class StatedAssumption:
    """An assumption of a verifier outside of Veer, in its own words."""

    kind: ClassVar[str] = "stated"
    text: str


@final
@dataclass(frozen=True, slots=True)
class LeafKeyHolds:
    """A key of a leaf of a proof: no assumption about a user's table yet.

    It follows from declared keys below the leaf, or needs none; the checker puts those in its place.
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
