"""The database of a store: SQLite in a folder, or PostgreSQL; its transactions and errors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, extract, func, inspect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from veer.errors import InputError, UsageError
from veer.execution.store import tables

WAIT = 60.0  # seconds for a database that others write to
CONNECT = 10  # seconds for a server to answer
TRIES = 50
# What PostgreSQL calls it when transactions block one another, and when somebody else made a table.
CONTENDED = ("40001", "40P01")
CREATED_MEANWHILE = ("42P07", "23505")
DATABASE = "veer.db"
T = TypeVar("T")


class ContendedError(InputError):
    """Another transaction was in the way; the same again may work."""


class Database:
    """The database at a location: a folder, or the URL of a PostgreSQL database."""

    def __init__(self, location: str) -> None:
        self.engine = _engine(location)
        self.location = without_password(location)

    @property
    def is_folder(self) -> bool:
        """Whether the store is a folder of this machine."""
        return "://" not in self.location

    def make_tables(self) -> None:
        """Make the tables that are missing; several processes may do so at once."""
        for attempt in range(TRIES):
            try:
                tables.metadata.create_all(self.engine)
                return
            except DBAPIError as error:
                if attempt == TRIES - 1 or not self._is_created_meanwhile(error):
                    raise
                time.sleep(0.1)

    def _is_created_meanwhile(self, error: DBAPIError) -> bool:
        """Whether tables could not be made because another process makes them."""
        if _sqlstate(error) in (*CONTENDED, *CREATED_MEANWHILE) or _is_locked(error):
            return True
        # SQLite has no code for a table that is there already: so look whether one is.
        return inspect(self.engine).has_table(tables.about.name)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes."""
        with self._naming_store(), self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield db
                db.commit()
            except BaseException:
                db.rollback()
                raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self._naming_store(), self.engine.connect() as db:
            yield db
            db.rollback()

    @contextmanager
    def _naming_store(self) -> Iterator[None]:
        """What the database complains about, as an error that names the store."""
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            kind = ContendedError if _sqlstate(error) in CONTENDED else InputError
            raise kind(f"{self.location}: {first_line(error)}") from None

    def in_transaction(self, work: Callable[[Connection], T]) -> T:
        """A transaction that is made again where another process was faster."""
        for attempt in range(TRIES):
            try:
                with self.write() as db:
                    return work(db)
            except (IntegrityError, ContendedError) as error:
                if attempt == TRIES - 1:
                    raise InputError(f"{self.location}: {first_line(error)}") from None
                time.sleep(0.01 * attempt)
        raise AssertionError

    @property
    def clock(self) -> Any:
        """The time that leases go by; a server's own, as machines differ in theirs."""
        if self.engine.dialect.name == "sqlite":
            return time.time()
        return extract("epoch", func.clock_timestamp())


def _engine(location: str) -> Engine:
    """The database of a store."""
    if "://" not in location:
        folder = Path(location)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{location}: cannot open the store: {error.strerror}") from None
        return _sqlite(folder / DATABASE)
    try:
        url = make_url(location)
    except (SQLAlchemyError, ValueError):
        raise UsageError(
            f"{location}: neither a folder nor postgresql://USER@HOST/DATABASE"
        ) from None
    if url.get_backend_name() != "postgresql":
        raise UsageError(
            f"{without_password(location)}: a store is a folder or a PostgreSQL database"
        )
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            isolation_level="READ COMMITTED",
            connect_args={"connect_timeout": CONNECT},
        )
    except ModuleNotFoundError:
        raise InputError(
            "psycopg is not installed; use: pip install 'veer-spark[postgres]'"
        ) from None


def without_password(location: str) -> str:
    """A location as it may be shown."""
    return make_url(location).set(query={}).render_as_string() if "://" in location else location


def _sqlite(path: Path) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": WAIT, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where the store says so
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute(f"PRAGMA busy_timeout={int(WAIT * 1000)}")
        cursor.close()

    return engine


def _sqlstate(error: SQLAlchemyError) -> str:
    """What PostgreSQL calls an error."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""


def _is_locked(error: DBAPIError) -> bool:
    """Whether SQLite waited in vain for another process; the low byte is the primary code."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def first_line(error: Exception) -> str:
    """What a database says of an error, in one line."""
    original = getattr(error, "orig", None) or error
    return (str(original).strip().splitlines() or [type(error).__name__])[0]
