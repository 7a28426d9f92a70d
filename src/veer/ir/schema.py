"""The columns of a link: names, types and nullability, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import final

from veer.errors import IllFormedError
from veer.ir import types as ty


@final
@dataclass(frozen=True, slots=True)
class Field:
    """One column of a schema."""

    name: str
    type: ty.DataType
    nullable: bool = True

    def __str__(self) -> str:
        return f"{ty.quote_name(self.name)} {self.type}{'' if self.nullable else ' not null'}"


@final
@dataclass(frozen=True)
class Schema:
    """Columns in order; names may repeat, as they do above a Spark join.

    A column is addressed by its name and its occurrence among the columns of that name,
    so that adding an unrelated column upstream changes no reference.
    """

    fields: tuple[Field, ...]
    _places: dict[tuple[str, int], int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        places: dict[tuple[str, int], int] = {}
        for index, f in enumerate(self.fields):
            occurrence = seen.get(f.name, 0)
            seen[f.name] = occurrence + 1
            places[f.name, occurrence] = index
        object.__setattr__(self, "_places", places)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __add__(self, other: Schema) -> Schema:
        return Schema(self.fields + other.fields)

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.fields)) + ")"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(f.name for f in self.fields)

    @cached_property
    def types(self) -> tuple[ty.DataType, ...]:
        """The types of the columns, in order."""
        return tuple(f.type for f in self.fields)

    def place(self, name: str, occurrence: int = 0) -> int:
        """Position of a column, or an error listing what there is."""
        place = self._places.get((name, occurrence))
        if place is None:
            which = f" (occurrence {occurrence + 1})" if occurrence else ""
            raise IllFormedError(f"unknown column {name!r}{which}; there are {listing(self.names)}")
        return place

    def find(self, name: str, occurrence: int = 0) -> int | None:
        """Position of a column, None if there is none."""
        return self._places.get((name, occurrence))

    def occurrence(self, index: int) -> int:
        """How many earlier columns share the name of the column at `index`."""
        name = self.fields[index].name
        return sum(f.name == name for f in self.fields[:index])

    def as_nullable(self) -> Schema:
        """The same columns, all nullable: the padded side of an outer join."""
        return Schema(tuple(Field(f.name, f.type) for f in self.fields))


def close_names(name: str, declared: Iterable[str]) -> list[str]:
    """Names that may be meant by one that is not known: spelled nearly so, or in another schema."""
    lowered, names = name.lower(), sorted(declared)
    last = lowered.rpartition(".")[2]
    same = [n for n in names if n.lower().rpartition(".")[2] == last]
    return (same or get_close_matches(lowered, names, 3, 0.7))[:3]


def listing(names: tuple[str, ...], most: int = 12) -> str:
    """A short list of names for an error message."""
    shown = ", ".join(names[:most])
    return shown + (f", ... ({len(names)} in all)" if len(names) > most else "") or "no columns"
