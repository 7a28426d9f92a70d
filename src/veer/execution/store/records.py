"""What the store keeps records of: versions, their sinks, results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, final

from veer.execution.store.files import StoredFile
from veer.ir.dag import Dataflow
from veer.ir.json import from_json

# Only live results are read; dying ones are being deleted, damaged ones wait for it.
ResultState: TypeAlias = Literal["live", "dying", "damaged"]
LIVE: ResultState = "live"
DYING: ResultState = "dying"
DAMAGED: ResultState = "damaged"
# What a run did for a sink.
SinkState: TypeAlias = Literal["computed", "reused", "not kept"]
COMPUTED: SinkState = "computed"
REUSED: SinkState = "reused"
NOT_KEPT: SinkState = "not kept"


@final
@dataclass(frozen=True)
class StoredResult:
    """Rows that are kept, and what they are the rows of."""

    id: str
    exact: str
    signature: str
    environment: str
    sources: Mapping[str, str]  # fingerprints of what was read
    text: str  # the computation, as JSON
    names: tuple[str, ...]
    files: tuple[StoredFile, ...]
    rows: int
    bytes: int
    seconds: float
    created: float = 0.0
    used: float = 0.0
    state: ResultState = LIVE

    @cached_property
    def dataflow(self) -> Dataflow:
        """The computation: a dataflow with one sink."""
        return from_json(json.loads(self.text))


@final
@dataclass(frozen=True)
class SinkResult:
    """What became of a sink: computed, reused or not kept, and where its rows are."""

    sink: str
    how: SinkState
    result: str = ""
    rows: int | None = None
    note: str = ""


@final
@dataclass(frozen=True)
class StoredVersion:
    """An immutable record of one version that was run."""

    name: str
    dataflow: Dataflow
    fingerprint: str
    stable_ids: bool
    spec: str
    sources: Mapping[str, Any]
    environment: Mapping[str, Any]
    started: float
    seconds: float
    sinks: tuple[SinkResult, ...]
    edits: tuple[Mapping[str, Any], ...] = ()
    code: Mapping[str, str] = field(default_factory=dict)
    number: int = 0  # given when it is recorded

    @property
    def label(self) -> str:
        """How the version is shown and asked for: name@number."""
        return f"{self.name}@{self.number}"


def result_of_row(row: Any) -> StoredResult:
    """A result from its row in the database."""
    return StoredResult(
        id=row.id,
        exact=row.exact,
        signature=row.signature,
        environment=row.environment,
        sources=json.loads(row.sources),
        text=row.dataflow,
        names=tuple(json.loads(row.names)),
        files=tuple(StoredFile(**f) for f in json.loads(row.files)),
        rows=row.rows,
        bytes=row.bytes,
        seconds=row.seconds,
        created=row.created,
        used=row.used,
        state=row.state,
    )
