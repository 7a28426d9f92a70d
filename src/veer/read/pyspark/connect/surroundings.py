"""What plans of the Connect client refer to outside of themselves: tables, views, functions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, final

from veer.ir import ops
from veer.ir.types import DataType

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation


@final
@dataclass(frozen=True)
class RegisteredFunction:
    """A Python function that SQL knows by a name."""

    name: str
    function: Any
    type: DataType
    eval_type: int
    deterministic: bool = True


class Surroundings(Protocol):
    """What gives sources their columns and functions their code."""

    root: Path | None  # where the project's files are
    is_server: bool  # whether a Connect server runs the plans; else a classic session would

    def source(self, relation: Relation) -> ops.AnyOperator:
        """What a leaf of the protocol stands for; an error if that is not known."""
        ...

    def table(self, name: Sequence[str]) -> ops.AnyOperator | None:
        """A table that SQL names by these parts; None if there is none."""
        ...

    def changing(self, name: Sequence[str]) -> AbstractContextManager[ops.Source]:
        """The table that a statement changes; it may be read meanwhile, as it is before."""
        ...

    def registered(self, name: str) -> RegisteredFunction | None:
        """The function that was registered under a name, given in lower case."""
        ...

    def python(self, command: bytes) -> Any | None:
        """The Python function that a command inside of the plan stands for; None if it is not to be had."""
        ...
