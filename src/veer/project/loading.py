"""The jobs of one revision, loaded when they are needed.

A table that nobody declared, but that a job of the project writes, has the columns that this job gives
it: no schema needs to be written for what the project makes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Protocol, final

from veer.errors import InputError, VeerError
from veer.model.dag import Dataflow
from veer.project.lineage import KnownTables, Lineage, Place, table_statement
from veer.versions.version import Version


class Revision(Protocol):
    """The jobs of a project at one revision."""

    @property
    def jobs(self) -> Mapping[str, str]:
        """What each job is called in reports, by its name."""
        ...

    def load(self, name: str, tables: str) -> Version:
        """A job; `tables` are CREATE TABLE statements of what other jobs write."""
        ...

    def known_tables(self, name: str) -> KnownTables | None:
        """What a job reads and writes, where that is known without loading it."""
        ...


@final
class LoadedJobs:
    """The jobs of a revision that were loaded so far, and why others could not be."""

    def __init__(
        self,
        revision: Revision,
        threads: int,
        progress: Callable[[str], None] = lambda _: None,
        reused: Callable[[str], Version | None] = lambda _: None,
    ) -> None:
        self.revision = revision
        self.versions: dict[str, Version] = {}
        self.errors: dict[str, VeerError] = {}
        self.statements: dict[str, dict[str, str]] = {}  # by job and table: what others write
        self._threads = threads
        self._progress = progress
        self._reused = reused  # the same job of the other revision, where that will do

    def load(self, names: Iterable[str]) -> None:
        """Load jobs; where one reads what others write, those are looked at too."""
        todo = [n for n in dict.fromkeys(names) if n not in self.versions and n not in self.errors]
        failed: dict[str, VeerError] = {}
        while todo:
            self.__dict__.pop("lineage", None)
            with ThreadPoolExecutor(self._threads) as pool:
                for name, result in zip(todo, pool.map(self._try, todo), strict=True):
                    if isinstance(result, Version):
                        self.versions[name] = result
                    else:
                        failed[name] = result
            todo = self._to_try_again(failed)
        self.errors |= failed
        self.__dict__.pop("lineage", None)

    def load_all(self) -> None:
        """Load every job."""
        self.load(self.revision.jobs)

    @cached_property
    def lineage(self) -> Lineage:
        """What the jobs that are loaded read and write."""
        return Lineage(self.flows, self.known)

    @property
    def known(self) -> dict[str, KnownTables]:
        """What jobs that cannot be read are known to read and write."""
        asked = ((name, self.revision.known_tables(name)) for name in self.errors)
        return {name: tables for name, tables in asked if tables is not None}

    @property
    def flows(self) -> dict[str, Dataflow]:
        """The dataflows of the jobs that are loaded."""
        return {name: version.dataflow for name, version in self.versions.items()}

    def _try(self, name: str) -> Version | VeerError:
        self._progress(f"reading {self.revision.jobs[name]}")
        try:
            tables = ";\n".join(self.statements.get(name, {}).values())
            return self._reused(name) or self.revision.load(name, tables)
        except VeerError as error:
            return error

    def _to_try_again(self, failed: dict[str, VeerError]) -> list[str]:
        """Jobs that can be loaded now that it is known what others write."""
        undeclared = {
            name: error.undeclared_table
            for name, error in failed.items()
            if isinstance(error, InputError) and error.undeclared_table
        }
        if not undeclared:
            return []
        unseen = [n for n in self.revision.jobs if n not in self.versions and n not in failed]
        unseen = [n for n in unseen if n not in self.errors]
        again = []
        for name, table in undeclared.items():
            known = self.statements.setdefault(name, {})
            statement = self._statement(table)
            if statement and table not in known:
                known[table] = statement
                del failed[name]
                again.append(name)
        return again or unseen

    def _statement(self, table: str) -> str:
        """What a job writes under this name, as a statement; empty if that is not known."""
        writers = [w for w in self.lineage.written if w.place == Place.of(table)]
        if len(writers) != 1:
            return ""
        (writer,) = writers
        return table_statement(table, self.versions[writer.job].dataflow, writer.sink)
