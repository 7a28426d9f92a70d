"""What is read, and what a reading says of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veer.errors import UnsupportedError, VeerError
from veer.ir.dag import Dataflow
from veer.ir.json import from_json, to_json

Columns = tuple[tuple[str, str], ...]  # names and types
READ, REFUSED, FAILED = "read", "refused", "failed"


@dataclass(frozen=True)
class Program:
    """A function of a file that makes a DataFrame of declared tables."""

    id: str
    file: Path
    function: str
    schema: Path  # DDL of the tables

    @property
    def root(self) -> Path:
        """Where the project of the file is."""
        return self.file.parent


@dataclass(frozen=True)
class Reading:
    """What one side makes of a program."""

    outcome: str
    why: str = ""
    columns: Columns = ()
    dataflow: Dataflow | None = None

    def shown(self) -> dict[str, Any]:
        """The reading as JSON data."""
        dataflow = None if self.dataflow is None else to_json(self.dataflow)
        return {
            "outcome": self.outcome,
            "why": self.why,
            "columns": [list(c) for c in self.columns],
            "dataflow": dataflow,
        }

    @classmethod
    def of(cls, data: dict[str, Any]) -> Reading:
        """The reading written by `shown`."""
        columns = tuple((str(n), str(t)) for n, t in data["columns"])
        dataflow = None if data["dataflow"] is None else from_json(data["dataflow"])
        return cls(data["outcome"], data["why"], columns, dataflow)


def refusal(error: BaseException) -> Reading:
    """What an error of a reading says: Veer does not read it, or the program is wrong."""
    outcome = REFUSED if isinstance(error, UnsupportedError) else FAILED
    text = str(error) if isinstance(error, VeerError) else f"{type(error).__name__}: {error}"
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return Reading(outcome, lines[0] if lines else type(error).__name__)


def columns_of(dataflow: Dataflow) -> Columns:
    """The columns of the results, one after the other."""
    return tuple((f.name, str(f.type)) for sink in dataflow.sinks for f in dataflow.schemas[sink])


def request_line(program: Program) -> str:
    """A program as a line for a worker."""
    return json.dumps(
        {
            "id": program.id,
            "file": str(program.file),
            "function": program.function,
            "schema": str(program.schema),
        }
    )
