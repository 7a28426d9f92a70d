"""One version of a dataflow, as a front end reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

from veer.ir.dag import Dataflow
from veer.settings import USUAL, SessionSettings
from veer.verdict import SourceLocation


@final
@dataclass(frozen=True)
class Version:
    """A dataflow with its name; with `stable_ids` operators keep their ids between versions."""

    name: str
    dataflow: Dataflow
    stable_ids: bool
    text: str = ""  # the SQL it was read from
    optimized: Dataflow | None = None  # as Spark's optimizer leaves it, if it came from Spark
    code: Mapping[str, str] = field(default_factory=dict)  # of functions, by identity; not run
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # that may be run
    place: SourceLocation | None = None  # the file it was read from
    settings: SessionSettings = USUAL  # under which its text was read
    read_with: tuple[tuple[str, str | None], ...] = ()  # variables of the environment it asked for
    files: Mapping[str, str] = field(default_factory=dict)  # that declared tables stand for
