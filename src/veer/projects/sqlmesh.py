"""A SQLMesh project at a base revision and now, each rendered by SQLMesh."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from veer.errors import InputError, UsageError
from veer.projects.jobs import JobPair
from veer.projects.lineage import KnownTables
from veer.projects.loading import Revision
from veer.projects.read import sqlmesh
from veer.projects.repository import Reading
from veer.projects.revisions import Revisions, read_revisions
from veer.read.checkout import shared_checkout
from veer.read.session_settings import session_settings, spark_asked_for
from veer.read.sql.statements import joined
from veer.settings import SessionSettings
from veer.verification.versions.version import Version


@final
@dataclass(frozen=True)
class SqlmeshRevision(Revision):
    """The models of one revision."""

    models: Mapping[str, sqlmesh.SqlmeshModel]
    called: str
    schema: str
    settings: SessionSettings

    @property
    def jobs(self) -> dict[str, str]:
        """What each model is called in reports."""
        return {name: f"{self.called}{name}" for name in self.models}

    def load(self, name: str, tables: str) -> Version:
        """A model; `tables` are CREATE TABLE statements of what other models fill."""
        return self.models[name].load(joined(self.schema, tables), self.settings, self.jobs[name])

    def mentions(self, name: str, table: str) -> bool:
        """Whether a model reads a table."""
        return table in self.models[name].reads

    def known_tables(self, name: str) -> KnownTables | None:
        """What SQLMesh says a model depends on, and the table it fills."""
        model = self.models[name]
        return KnownTables(model.reads, (model.table,))


@final
@dataclass(frozen=True)
class SqlmeshProject:
    """Both revisions of a SQLMesh project, and its models in pairs."""

    revisions: Revisions
    base: SqlmeshRevision
    now: SqlmeshRevision
    pairs: tuple[JobPair, ...]
    notes: tuple[str, ...]


def sqlmesh_project(
    folder: str, base: str, python: str, chosen: Sequence[str], reading: Reading
) -> SqlmeshProject:
    """The project of a folder of a git repository."""
    here = Path(folder).resolve()
    if not here.is_dir():
        raise InputError(f"{folder}: no such folder")
    revisions = read_revisions(here, base)
    top = revisions.top.resolve()
    settings = session_settings(reading.conf, spark_asked_for(reading.spark))
    with shared_checkout(revisions.commit, top) as root:
        there = root / os.path.relpath(here, top)
        old = sqlmesh.sqlmesh_models(there, python) if there.is_dir() else {}
        same_settings = _settings(there) == _settings(here)
    new = sqlmesh.sqlmesh_models(here, python)
    schema = joined(reading.schema, sqlmesh.external_tables({**old, **new}))
    sides = [
        SqlmeshRevision(
            {n: m for n, m in models.items() if m.kind != sqlmesh.EXTERNAL},
            called,
            schema,
            settings,
        )
        for models, called in ((old, f"{revisions.base}:"), (new, ""))
    ]
    pairs = tuple(_pairs(sides[0].models, sides[1].models, same_settings))
    for name in chosen:
        if name not in {pair.name for pair in pairs}:
            raise UsageError(f"{name}: there is no model of this name")
    return SqlmeshProject(revisions, sides[0], sides[1], pairs, tuple(_notes(new)))


def _settings(folder: Path) -> list[bytes]:
    """The files that say how a project is run."""
    files = sorted(f for f in folder.glob("config.*") if f.is_file())
    return [file.read_bytes() for file in files]


def _pairs(
    old: Mapping[str, sqlmesh.SqlmeshModel],
    new: Mapping[str, sqlmesh.SqlmeshModel],
    same_settings: bool,
) -> Iterator[JobPair]:
    for name in sorted({*old, *new}):
        p, q = old.get(name), new.get(name)
        same = p is not None and q is not None and p.content == q.content and same_settings
        history = next((m.refused() for m in (q, p) if m is not None and m.refused()), "")
        otherwise = p is not None and q is not None and p.kind != q.kind
        if not same_settings:
            history = history or "the configuration of the project changed"
        elif p is not None and q is not None and p.differs_only_by_digest(q):
            history = history or "a part of the model changed that Veer does not read"
        yield JobPair(name, p and name, q and name, same, otherwise, history)


def _notes(models: Mapping[str, sqlmesh.SqlmeshModel]) -> Iterator[str]:
    others = sorted(
        {m.dialect for m in models.values() if m.dialect not in sqlmesh.EXACT and m.query}
    )
    for dialect in others:
        yield (
            f"SQL of {dialect or 'no dialect'} is read with Spark's meaning; Veer refuses constructs that may mean "
            "something else there"
        )
