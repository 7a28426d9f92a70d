"""The jobs of one revision, loaded when they are needed.

A table that nobody declared, but that a job of the project writes, has the columns that this job gives
it: no schema needs to be written for what the project makes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Protocol, final

from veer.errors import InputError, VeerError
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.projects import lineage as projects_lineage
from veer.verification.versions.version import Version


class Revision(Protocol):
    """The jobs of a project at one revision."""

    @property
    def jobs(self) -> Mapping[str, str]:
        """What each job is called in reports, by its name."""
        ...

    def load(self, name: str, tables: str) -> Version:
        """A job; `tables` are CREATE TABLE statements of what other jobs write."""
        ...

    def mentions(self, name: str, table: str) -> bool:
        """Whether the code of a job has the name of a table in it; a hint, no more."""
        ...

    def may_write(self, name: str, table: str) -> bool:
        """Whether a job that cannot be read may write to a table or path: yes, unless its code tells."""
        return True

    def may_vary(self, name: str) -> bool:
        """Whether a job may give other rows on the next day, or on another machine: not if it is SQL."""
        return False

    def views(self, name: str) -> tuple[str, ...]:
        """Views that a job makes for others, beside its sinks."""
        return ()

    def known_tables(self, name: str) -> projects_lineage.KnownTables | None:
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
    ) -> None:
        self.revision = revision
        self.versions: dict[str, Version] = {}
        self.errors: dict[str, VeerError] = {}
        self.statements: dict[str, dict[str, str]] = {}  # by job and table: what others write
        self._written: dict[
            projects_lineage.Place, list[projects_lineage.Written]
        ] = {}  # by the jobs that are loaded
        self._threads = threads
        self._progress = progress

    def load(self, names: Iterable[str]) -> None:
        """Load jobs; where one reads what others write, those are looked at too."""
        todo = [n for n in dict.fromkeys(names) if n not in self.versions and n not in self.errors]
        failed: dict[str, VeerError] = {}
        while todo:
            with ThreadPoolExecutor(self._threads) as pool:
                for name, result in zip(todo, pool.map(self._try, todo), strict=True):
                    if isinstance(result, Version):
                        self._remember(name, result)
                    else:
                        failed[name] = result
            todo = self._to_try_again(failed)
        self.errors |= failed
        self.__dict__.pop("lineage", None)

    def take_over(self, name: str, version: Version, statements: Mapping[str, str]) -> None:
        """Take the version that another revision has of the same job, if it reads the same tables.

        `statements` are what other jobs of that revision write; they must write just that here.
        """
        if name in self.versions or name in self.errors:
            return
        if all(self._statement(table) == text for table, text in statements.items()):
            self._remember(name, version)
            self.statements[name] = dict(statements)

    def _remember(self, name: str, version: Version) -> None:
        self.versions[name] = version
        for written in projects_lineage.written_by(name, version.dataflow):
            self._written.setdefault(written.place, []).append(written)
        self.__dict__.pop("lineage", None)

    def load_all(self) -> None:
        """Load every job."""
        self.load(self.revision.jobs)

    @cached_property
    def lineage(self) -> projects_lineage.Lineage:
        """What the jobs that are loaded read and write."""
        views = {name: self.revision.views(name) for name in self.versions}
        return projects_lineage.Lineage(self.flows, self.known, views)

    def may_be_written_unseen(self, texts: Sequence[str]) -> list[str]:
        """The jobs that cannot be read and may write to one of these tables or paths."""
        unseen = [name for name in self.errors if self.revision.known_tables(name) is None]
        return [n for n in unseen if any(self.revision.may_write(n, text) for text in texts)]

    @property
    def known(self) -> dict[str, projects_lineage.KnownTables]:
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
            return self.revision.load(name, tables)
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
                self._add_mentioned(name, known)
                del failed[name]
                again.append(name)
        if again:
            return again
        # Those that name the table first: one of them writes it, as a rule.
        wanted = [
            n for n in unseen if any(self.revision.mentions(n, t) for t in undeclared.values())
        ]
        return wanted or unseen

    def _add_mentioned(self, name: str, known: dict[str, str]) -> None:
        """Declare what the code of a job mentions too, so that it is not loaded for each table anew."""
        for writer in [w for writers in self._written.values() for w in writers]:
            sink = self.versions[writer.job].dataflow.operators[writer.sink]
            target = sink.target if isinstance(sink, Sink) else ""
            if target and target not in known and self.revision.mentions(name, target):
                statement = self._statement(target)
                if statement:
                    known[target] = statement

    def _statement(self, table: str) -> str:
        """What a job writes under this name, as a statement; empty if that is not known."""
        writers = self._written.get(projects_lineage.Place.of(table), [])
        if len(writers) != 1:
            return ""
        (writer,) = writers
        return projects_lineage.table_statement(
            table, self.versions[writer.job].dataflow, writer.sink
        )
