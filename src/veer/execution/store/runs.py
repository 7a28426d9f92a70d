"""Runs: what each did, and what those that go on are doing.

A record is for people who look, so keeping it is best effort: a run whose record cannot be written goes
on all the same. One that has not been heard of for a while is taken for dead.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, final
from uuid import uuid4

from sqlalchemy import func, insert, select, update as update_rows

from veer.errors import InputError
from veer.execution.store import tables
from veer.execution.store.database import Database

RunState: TypeAlias = Literal["running", "done", "failed", "dead"]
RUNNING: RunState = "running"
DONE: RunState = "done"
FAILED: RunState = "failed"
DEAD: RunState = "dead"
HEARTBEAT = 5.0  # seconds between two signs of life
SILENT = 60.0  # seconds without one after which a run is taken for dead


@final
@dataclass(frozen=True)
class RunRecord:
    """What one run did; `work` as `execution.run_work` has it."""

    id: str
    name: str
    number: int | None
    spec: str
    state: RunState
    stage: str
    started: float
    updated: float
    seconds: float | None
    work: Mapping[str, Any] = field(default_factory=dict)


@final
class Runs:
    """The records of a store's runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, name: str, spec: str) -> str:
        """A record of a run that begins; its id."""
        id_, now = uuid4().hex, time.time()
        with self._database.write() as db:
            db.execute(
                insert(tables.runs).values(
                    id=id_,
                    name=name,
                    number=None,
                    spec=spec,
                    state=RUNNING,
                    stage="",
                    started=now,
                    updated=now,
                    seconds=None,
                    work="{}",
                )
            )
        return id_

    def update(self, id_: str, **values: Any) -> None:
        """Other values of a record, and a sign of life."""
        with self._database.write() as db:
            mine = tables.runs.c.id == id_
            db.execute(update_rows(tables.runs).where(mine).values(updated=time.time(), **values))

    def all(self, most: int = 1000) -> list[RunRecord]:
        """The latest runs, the newest first."""
        r = tables.runs
        with self._database.read() as db:
            rows = db.execute(select(r).order_by(r.c.started.desc(), r.c.id).limit(most)).all()
        return [_record(row) for row in rows]

    def mark(self) -> tuple[int, float]:
        """What is another as soon as a run begins, goes on or ends."""
        r = tables.runs.c
        with self._database.read() as db:
            count, latest = db.execute(select(func.count(), func.max(r.updated))).one()
        return int(count), float(latest or 0.0)


def _record(row: Any) -> RunRecord:
    is_silent = row.state == RUNNING and time.time() - row.updated > SILENT
    return RunRecord(
        id=row.id,
        name=row.name,
        number=row.number,
        spec=row.spec,
        state=DEAD if is_silent else row.state,
        stage=row.stage,
        started=row.started,
        updated=row.updated,
        seconds=row.seconds,
        work=json.loads(row.work),
    )


@final
class RunLog:
    """The record of a run that goes on; whatever the store says, the run goes on."""

    def __init__(self, runs: Runs, name: str, spec: str) -> None:
        self._runs = runs
        self._ended = threading.Event()
        self._id = ""
        try:
            self._id = runs.begin(name, spec)
        except InputError:
            return
        threading.Thread(target=self._live, daemon=True).start()

    def stage(self, text: str) -> None:
        """What the run does now."""
        self._write(stage=text)

    def done(self, number: int | None, work: Mapping[str, Any], seconds: float) -> None:
        """What the run did."""
        self._end(state=DONE, stage="", number=number, seconds=seconds, work=json.dumps(dict(work)))

    def failed(self, why: str) -> None:
        """Why the run did not get to its end."""
        self._end(state=FAILED, stage=why)

    def _end(self, **values: Any) -> None:
        if not self._ended.is_set():
            self._ended.set()
            self._write(**values)

    def _write(self, **values: Any) -> None:
        if self._id:
            try:
                self._runs.update(self._id, **values)
            except InputError:
                return  # of no consequence for the run

    def _live(self) -> None:
        while not self._ended.wait(HEARTBEAT):
            self._write()
