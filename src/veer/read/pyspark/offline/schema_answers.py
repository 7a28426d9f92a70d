"""Schemas as jobs see them: whether Spark calls a column nullable is found out when it is asked.

Names and types are always known. A question for nullability whose answer is not known stops the
job; what PySpark itself does with a schema meanwhile may go by what is likely.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, final

from veer.read.pyspark.connect.schema_nulls import Nulls

FLAGS = (
    ("StructField", "nullable"),
    ("ArrayType", "containsNull"),
    ("MapType", "valueContainsNull"),
)
TYPES = "pyspark.sql.types"
INTERNAL = ("pyspark.sql.connect.", "veer.")  # what sends a schema, or checks rows against it


@final
class Answers:
    """What is said of the nullability of columns; `stop` ends the job where nothing is known."""

    def __init__(self, stop: Callable[[str], Any]) -> None:
        self._stop = stop
        self.has_guessed = False  # a schema with a flag that is not known was handed on

    def replacements(self) -> list[tuple[Any, str, property]]:
        """The attributes of PySpark's types that are looked up here."""
        from pyspark.sql import types

        return [(getattr(types, owner), name, self._flag(name)) for owner, name in FLAGS]

    def _flag(self, name: str) -> property:
        def get(type_: Any) -> Any:
            flag = vars(type_)[name]
            return self._answer(flag) if isinstance(flag, _Flag) else flag

        def set_(type_: Any, value: Any) -> None:
            vars(type_)[name] = value

        return property(get, set_)

    def _answer(self, flag: _Flag) -> bool:
        known = flag.known()
        if known is None and _asking_module().startswith(INTERNAL):
            self.has_guessed = known = True
        return flag.asked() if known is None else known

    def completed(self, struct: Any, known: Callable[[], Sequence[Nulls]]) -> Any:
        """A schema with nullability that `known` derives when the job reads it."""
        for number, field in enumerate(struct.fields):
            self._complete(field, "nullable", _column(known, number), field.dataType)
        return struct

    def _complete(
        self, owner: Any, name: str, nulls: Callable[[], Nulls | None], type_: Any
    ) -> None:
        """Put questions in place of the flags of a type and of what is inside of it."""

        def flag() -> bool | None:
            found = nulls()
            return None if found is None or self.has_guessed else found.nullable

        def asked() -> bool:
            answer = flag()
            return (
                self._stop("a schema is asked which columns are nullable")
                if answer is None
                else answer
            )

        def inside(number: int) -> Callable[[], Nulls | None]:
            def part() -> Nulls | None:
                found = nulls()
                return None if found is None or found.inside is None else found.inside[number]

            return part

        vars(owner)[name] = _Flag(flag, asked)
        match type(type_).__name__:
            case "StructType":
                for number, field in enumerate(type_.fields):
                    self._complete(field, "nullable", inside(number), field.dataType)
            case "ArrayType":
                self._complete(type_, "containsNull", inside(0), type_.elementType)
            case "MapType":
                self._complete(type_, "valueContainsNull", inside(1), type_.valueType)


def _column(known: Callable[[], Sequence[Nulls]], number: int) -> Callable[[], Nulls]:
    return lambda: known()[number]


def _asking_module() -> str:
    """Where a flag is read, other than in methods of types."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None and frame.f_globals.get("__name__") == TYPES:
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


@final
class _Flag:
    """A flag that is found out when it is asked for; comparing schemas asks, too."""

    def __init__(self, known: Callable[[], bool | None], asked: Callable[[], bool]) -> None:
        self.known, self.asked = known, asked

    def __bool__(self) -> bool:
        return self.asked()

    def __eq__(self, other: object) -> bool:
        return self.asked() == (other.asked() if isinstance(other, _Flag) else other)

    def __hash__(self) -> int:
        return hash(self.asked())

    def __deepcopy__(self, _: object) -> _Flag:
        return self

    def __reduce__(self) -> Any:
        return bool, (self.asked(),)


__all__ = ["Answers"]
