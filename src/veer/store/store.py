"""The store: versions, their results, and who uses them; in SQLite or PostgreSQL.

A result is written aside, under an id nobody knows yet, and registered in one transaction with the
sinks that gave it. Readers hold a lease; what `gc` deletes it marks first. So a process that dies at
any moment leaves at worst a folder nobody refers to.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, final
from uuid import uuid4

from sqlalchemy import (
    Connection,
    Engine,
    and_,
    create_engine,
    delete,
    event,
    extract,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy import update as update_rows
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from veer.errors import InputError, UsageError
from veer.model.dag import Dataflow
from veer.model.digests import text_digest
from veer.model.json import from_json, to_json
from veer.store import tables
from veer.store.files import Files, HadoopFiles, LocalFiles, StoredFile
from veer.store.sealing import Seal

LIVE, DYING, DAMAGED = "live", "dying", "damaged"
LEASE = 600.0  # seconds; a process that lives renews what it holds
RENEW = 60.0
WAIT = 60.0  # seconds for a database that others write to
CONNECT = 10  # seconds for a server to answer
TRIES = 50
# What PostgreSQL says when transactions block one another, and when somebody else made a table.
CONTENDED = ("40001", "40P01")
MADE_MEANWHILE = ("42P07", "23505")
LONGEST_KEY = 200  # characters; an index takes no long ones
DATABASE = "veer.db"
RESULTS = "results"
T = TypeVar("T")


class ContendedError(InputError):
    """Another transaction was in the way; the same again may work."""


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
    state: str = LIVE

    @cached_property
    def dataflow(self) -> Dataflow:
        """The computation: a dataflow with one sink."""
        return from_json(json.loads(self.text))


@final
@dataclass(frozen=True)
class SinkResult:
    """What became of a sink: computed, reused or not kept, and where its rows are."""

    sink: str
    how: str
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
        return f"{self.name}@{self.number}"


@final
class Store:
    """A store that is open: `place` is a folder, or the URL of a database.

    One that is not there is made, unless it is to be there already.
    """

    def __init__(
        self,
        place: str,
        *,
        results: str = "",
        spark: Callable[[], Any] | None = None,
        is_there: bool = False,
    ) -> None:
        self.engine = _engine(place)
        self.place = _without_password(place)
        self._spark = spark
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._held: dict[str, str] = {}  # leases, by result
        self._lock = threading.Lock()
        self._renewing: threading.Thread | None = None
        self._closed = threading.Event()
        try:
            self._open(results if "://" in results or not results else _absolute(results), is_there)
        except SQLAlchemyError as error:
            raise InputError(f"{self.place}: no store: {_said(error)}") from None
        if not is_there:
            assert self.files  # a place that cannot be written to is found out now

    def _open(self, results: str, is_there: bool) -> None:
        """Make the tables where they are missing; a store remembers where its results are."""
        if is_there and not inspect(self.engine).has_table(tables.about.name):
            raise InputError(f"{self.place}: there is no store; `veer run` makes one")
        self._make_tables()
        about = self.retried(lambda db: self._about(db) or self._begin(db, results))
        if about["format"] != str(tables.FORMAT):
            raise InputError(
                f"{self.place}: a store of format {about['format']}, expected {tables.FORMAT}"
            )
        self.results = about["results"]
        self.seal = Seal(about.get("key") or self.retried(self._new_key))
        if results and self.results.rpartition("/")[0] != results:
            at = "its own folder" if self.results == RESULTS else self.results.rpartition("/")[0]
            raise UsageError(f"{self.place}: its results are in {at}, not in {results}")

    def _make_tables(self) -> None:
        for attempt in range(TRIES):
            try:
                tables.metadata.create_all(self.engine)
                return
            except DBAPIError as error:
                if attempt == TRIES - 1 or not _is_making_too(error):
                    raise
                time.sleep(0.1)

    def _begin(self, db: Connection, results: str) -> dict[str, str]:
        """Say where results go: a folder that no other store and nothing else uses."""
        if results:
            results = f"{results.rstrip('/')}/veer-{uuid4().hex[:12]}"
            if "://" not in results:
                LocalFiles(results)
        elif not self.place_is_folder:
            raise UsageError(f"{self.place}: say where results go: --results PATH")
        about = {"format": str(tables.FORMAT), "results": results or RESULTS, "key": _random_key()}
        for key, value in about.items():
            db.execute(insert(tables.about).values(key=key, value=value))
        return about

    def _new_key(self, db: Connection) -> str:
        """The key of a store that was made without one; of two who give it one, the first counts."""
        key = self._about(db).get("key")
        if key is None:
            key = _random_key()
            db.execute(insert(tables.about).values(key="key", value=key))
        return key

    @property
    def place_is_folder(self) -> bool:
        return "://" not in self.place

    def _about(self, db: Connection) -> dict[str, str]:
        return {row.key: row.value for row in db.execute(select(tables.about))}

    @cached_property
    def files(self) -> Files:
        """Where the rows are."""
        where = self.results
        if where == RESULTS and self.place_is_folder:
            return LocalFiles(str(Path(self.place) / RESULTS))
        if "://" not in where:
            return LocalFiles(where, is_there=True)

        def missing() -> Any:
            raise UsageError(f"{where} is reached through Spark only")

        return HadoopFiles(where, self._spark or missing)

    def close(self) -> None:
        """Let go of all that is held."""
        self._closed.set()
        with self._lock:
            held = list(self._held.values())
            self._held.clear()
        try:
            if held:
                with self.write() as db:
                    db.execute(delete(tables.leases).where(tables.leases.c.id.in_(held)))
        except InputError:
            pass  # leases end by themselves; whatever else went wrong is to be told
        finally:
            self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- transactions --------------------------------------------------------------------------

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes."""
        with self._told(), self.engine.connect() as db:
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
        with self._told(), self.engine.connect() as db:
            yield db
            db.rollback()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the database complains about, as an error that names the store."""
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            kind = ContendedError if _state(error) in CONTENDED else InputError
            raise kind(f"{self.place}: {_said(error)}") from None

    def retried(self, work: Callable[[Connection], T]) -> T:
        """A transaction that is made again where another process was faster."""
        for attempt in range(TRIES):
            try:
                with self.write() as db:
                    return work(db)
            except (IntegrityError, ContendedError) as error:
                if attempt == TRIES - 1:
                    raise InputError(f"{self.place}: {_said(error)}") from None
                time.sleep(0.01 * attempt)
        raise AssertionError

    @property
    def clock(self) -> Any:
        """The time that leases go by; a server's own, as machines differ in theirs."""
        if self.engine.dialect.name == "sqlite":
            return time.time()
        return extract("epoch", func.clock_timestamp())

    # -- versions ------------------------------------------------------------------------------

    def record(self, version: StoredVersion, results: Sequence[StoredResult]) -> StoredVersion:
        """Register a version with the results it made, all or nothing."""

        def work(db: Connection) -> StoredVersion:
            for result in results:
                self._register(db, result)
            return self._record(db, version)  # fails if another process took the number

        return self.retried(work)

    def _record(self, db: Connection, version: StoredVersion) -> StoredVersion:
        v = tables.versions.c
        last = db.execute(select(func.max(v.number)).where(v.name == version.name)).scalar()
        number = (last or 0) + 1
        db.execute(
            insert(tables.versions).values(
                name=version.name,
                number=number,
                dataflow=json.dumps(to_json(version.dataflow)),
                fingerprint=version.fingerprint,
                stable_ids=version.stable_ids,
                spec=version.spec,
                code=json.dumps(dict(version.code)),
                edits=json.dumps(list(version.edits)),
                sources=json.dumps(dict(version.sources)),
                environment=json.dumps(dict(version.environment)),
                started=version.started,
                seconds=version.seconds,
            )
        )
        self._put_sinks(db, version.name, number, version.sinks)
        return StoredVersion(**{**_fields(version), "number": number})

    def _put_sinks(
        self, db: Connection, name: str, number: int, sinks: Sequence[SinkResult]
    ) -> None:
        r, s = tables.results.c, tables.sinks.c
        # All at once and in one order, so that nobody waits for one who waits for him.
        live = set(
            db.execute(
                select(r.id)
                .where(r.id.in_([sink.result for sink in sinks]), r.state == LIVE)
                .order_by(r.id)
                .with_for_update()
            ).scalars()
        )
        for sink in sinks:
            if sink.result and sink.result not in live:
                raise InputError(f"the result of sink {sink.sink!r} was removed meanwhile")
            db.execute(
                delete(tables.sinks).where(
                    and_(s.name == name, s.number == number, s.sink == sink.sink)
                )
            )
            db.execute(
                insert(tables.sinks).values(
                    name=name,
                    number=number,
                    sink=sink.sink,
                    result=sink.result or None,
                    rows=sink.rows,
                    how=sink.how,
                    note=sink.note,
                )
            )

    def renew_sinks(self, version: StoredVersion, results: Sequence[StoredResult]) -> None:
        """Other results for the sinks of a version that was run again."""
        v = tables.versions.c

        def work(db: Connection) -> None:
            which = (v.name == version.name, v.number == version.number)
            db.execute(select(v.number).where(*which).with_for_update())
            for result in results:
                self._register(db, result)
            self._put_sinks(db, version.name, version.number, version.sinks)

        self.retried(work)

    def names(self) -> list[str]:
        with self.read() as db:
            return list(
                db.execute(
                    select(tables.versions.c.name).distinct().order_by(tables.versions.c.name)
                ).scalars()
            )

    def versions(self, name: str) -> list[StoredVersion]:
        """Every version of that name, the first one first."""
        v = tables.versions
        with self.read() as db:
            rows = db.execute(select(v).where(v.c.name == name).order_by(v.c.number)).all()
            return [self._version(db, row) for row in rows]

    def version(self, name: str, number: int | None = None) -> StoredVersion | None:
        """A version by number, the latest by default."""
        v = tables.versions
        wanted = select(v).where(v.c.name == name).order_by(v.c.number.desc()).limit(1)
        if number is not None:
            wanted = select(v).where(v.c.name == name, v.c.number == number)
        with self.read() as db:
            row = db.execute(wanted).first()
            return None if row is None else self._version(db, row)

    def _version(self, db: Connection, row: Any) -> StoredVersion:
        s = tables.sinks
        sinks = db.execute(
            select(s).where(s.c.name == row.name, s.c.number == row.number).order_by(s.c.sink)
        )
        return StoredVersion(
            name=row.name,
            dataflow=from_json(json.loads(row.dataflow)),
            fingerprint=row.fingerprint,
            stable_ids=row.stable_ids,
            spec=row.spec,
            sources=json.loads(row.sources),
            environment=json.loads(row.environment),
            started=row.started,
            seconds=row.seconds,
            sinks=tuple(SinkResult(r.sink, r.how, r.result or "", r.rows, r.note) for r in sinks),
            edits=tuple(json.loads(row.edits)),
            code=json.loads(row.code),
            number=row.number,
        )

    # -- results -------------------------------------------------------------------------------

    def keys(self) -> frozenset[str]:
        """The exact keys and signatures there are results of."""
        r = tables.results.c
        with self.read() as db:
            rows = db.execute(select(r.exact, r.signature).where(r.state == LIVE).distinct()).all()
        return frozenset(key for row in rows for key in row if key)

    def with_exact(self, exact: Sequence[str]) -> list[StoredResult]:
        """Results of these very computations on these very sources, the newest first."""
        return self._found(tables.results.c.exact.in_(list(exact)))

    def with_signature(self, signature: str) -> list[StoredResult]:
        """Results that look like those of a signal, the newest first."""
        return self._found(tables.results.c.signature == signature)

    def result(self, id_: str) -> StoredResult | None:
        results = self._found(tables.results.c.id == id_)
        return results[0] if results else None

    def _found(self, condition: Any) -> list[StoredResult]:
        r = tables.results
        with self.read() as db:
            rows = db.execute(
                select(r).where(condition, r.c.state == LIVE).order_by(r.c.created.desc(), r.c.id)
            ).all()
        return [_stored(row) for row in rows]

    def _register(self, db: Connection, result: StoredResult) -> None:
        """Make a result known, if the lease under which it was written still holds."""
        lease = self._held.get(result.id, "")
        held = db.execute(
            select(tables.leases.c.id).where(tables.leases.c.id == lease).with_for_update()
        ).scalar()
        if held is None:
            raise InputError("the result was written for longer than anybody waits; run again")
        now = time.time()
        db.execute(
            insert(tables.results).values(
                id=result.id,
                state=LIVE,
                exact=result.exact,
                signature=result.signature,
                environment=result.environment,
                sources=json.dumps(dict(result.sources)),
                dataflow=result.text,
                names=json.dumps(list(result.names)),
                files=json.dumps([f.as_json() for f in result.files]),
                rows=result.rows,
                bytes=result.bytes,
                seconds=result.seconds,
                created=now,
                used=now,
            )
        )

    def usable(self, result: StoredResult) -> str:
        """Hold a result for reading; why it cannot be read, empty if it can.

        One whose files are not as they were is never read again.
        """
        with self.write() as db:
            state = db.execute(
                select(tables.results.c.state)
                .where(tables.results.c.id == result.id)
                .with_for_update()
            ).scalar()
            if state != LIVE:
                return "it was removed"
            db.execute(
                update_rows(tables.results)
                .where(tables.results.c.id == result.id)
                .values(used=time.time())
            )
            lease = self._lease(db, result.id)
        self._hold(result.id, lease)
        try:
            damage = self.files.damage(result.id, result.files)
        except InputError as error:  # nobody can tell now: it may be fine
            self.release(result.id)
            return str(error)
        if damage:
            self.mark_damaged(result.id)
            self.release(result.id)
        return damage

    def mark_damaged(self, id_: str) -> None:
        """Never read a result again."""
        with self.write() as db:
            db.execute(
                update_rows(tables.results)
                .where(tables.results.c.id == id_, tables.results.c.state == LIVE)
                .values(state=DAMAGED)
            )

    # -- leases --------------------------------------------------------------------------------

    def new_result(self) -> str:
        """An id under which a result may be written."""
        id_ = uuid4().hex
        with self.write() as db:
            lease = self._lease(db, id_)
        self._hold(id_, lease)
        return id_

    def _lease(self, db: Connection, result: str) -> str:
        """A lease on a result: the one there is, if it was not taken away, or a new one."""
        until = self.clock + LEASE
        held = self._held.get(result)
        if held is not None:
            mine = tables.leases.c.id == held
            if db.execute(update_rows(tables.leases).where(mine).values(expires=until)).rowcount:
                return held
        lease = uuid4().hex
        db.execute(
            insert(tables.leases).values(
                id=lease, result=result, holder=self._holder, expires=until
            )
        )
        return lease

    def _hold(self, result: str, lease: str) -> None:
        """Keep a lease that is in the database."""
        with self._lock:
            self._held[result] = lease
            if self._renewing is None:
                self._renewing = threading.Thread(target=self._renew, daemon=True)
                self._renewing.start()

    def release(self, result: str) -> None:
        """Let go of a result."""
        with self._lock:
            lease = self._held.pop(result, None)
        if lease is not None:
            with self.write() as db:
                db.execute(delete(tables.leases).where(tables.leases.c.id == lease))

    def _renew(self) -> None:
        """As long as the process lives and the store is open, what it holds stays held."""
        while not self._closed.wait(RENEW):
            with self._lock:
                held = list(self._held.values())
            if not held:
                continue
            try:
                with self.write() as db:
                    db.execute(
                        update_rows(tables.leases)
                        .where(tables.leases.c.id.in_(held))
                        .values(expires=self.clock + LEASE)
                    )
            except InputError:
                continue  # the next turn comes before the lease ends

    # -- what is remembered --------------------------------------------------------------------

    def verdict(self, p: str, q: str, code: str) -> tuple[str, str] | None:
        """What was found out about two computations: the verdict and its reason."""
        v = tables.verdicts
        with self.read() as db:
            row = db.execute(
                select(v.c.verdict, v.c.reason).where(v.c.p == p, v.c.q == q, v.c.code == code)
            ).first()
        return None if row is None else (row.verdict, row.reason)

    def remember_verdict(self, p: str, q: str, code: str, verdict: str, reason: str) -> None:
        self._put(
            tables.verdicts, {"p": p, "q": q, "code": code, "verdict": verdict, "reason": reason}
        )

    def pool(self, source: str) -> Any | None:
        """The instances of a table, as JSON."""
        with self.read() as db:
            instances = db.execute(
                select(tables.pools.c.instances).where(tables.pools.c.source == _key(source))
            ).scalar()
        return None if instances is None else json.loads(instances)

    def add_pool(self, source: str, instances: Any) -> Any:
        """Keep instances of a table; those somebody else kept first count."""
        self._put(tables.pools, {"source": _key(source), "instances": json.dumps(instances)})
        return self.pool(source)

    def constraint(self, source: str, declared: str) -> bool | None:
        """Whether a source of that fingerprint was seen to keep what is declared."""
        c = tables.constraints.c
        with self.read() as db:
            holds = db.execute(
                select(c.holds).where(c.source == source, c.declared == _key(declared))
            ).scalar()
        return None if holds is None else bool(holds)

    def remember_constraint(self, source: str, declared: str, holds: bool) -> None:
        key = {"source": source, "declared": _key(declared)}
        self._put(tables.constraints, {**key, "holds": holds})

    def _put(self, table: Any, values: Mapping[str, Any]) -> None:
        """Insert a row, unless it is there."""
        try:
            with self.write() as db:
                db.execute(insert(table).values(**values))
        except IntegrityError:
            pass


def _random_key() -> str:
    return secrets.token_hex(32)


def _fields(version: StoredVersion) -> dict[str, Any]:
    return {name: getattr(version, name) for name in StoredVersion.__dataclass_fields__}


def _stored(row: Any) -> StoredResult:
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


def _engine(place: str) -> Engine:
    """The database of a store."""
    if "://" not in place:
        folder = Path(place)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{place}: no store: {error.strerror}") from None
        return _sqlite(folder / DATABASE)
    try:
        url = make_url(place)
    except (SQLAlchemyError, ValueError):
        raise UsageError(f"{place}: neither a folder nor postgresql://USER@HOST/DATABASE") from None
    if url.get_backend_name() != "postgresql":
        raise UsageError(
            f"{_without_password(place)}: a store is a folder or a PostgreSQL database"
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


def _without_password(place: str) -> str:
    """A place as it may be shown."""
    return make_url(place).render_as_string() if "://" in place else place


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


def _absolute(path: str) -> str:
    return str(Path(path).absolute())


def _key(text: str) -> str:
    """A text that an index takes, however long it is."""
    if len(text) <= LONGEST_KEY:
        return text
    return f"sha256 {text_digest(text, 64)}"


def _state(error: SQLAlchemyError) -> str:
    """What PostgreSQL calls an error."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""


def _is_making_too(error: DBAPIError) -> bool:
    """Whether tables could not be made because another process does."""
    said = str(error.orig)
    return (
        _state(error) in (*CONTENDED, *MADE_MEANWHILE)
        or "already exists" in said
        or "is locked" in said
    )


def _said(error: Exception) -> str:
    original = getattr(error, "orig", None) or error
    return (str(original).strip().splitlines() or [type(error).__name__])[0]


__all__ = ["SinkResult", "Store", "StoredResult", "StoredVersion"]
