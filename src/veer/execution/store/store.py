"""The store: versions, their results, and who uses them; in SQLite or PostgreSQL.

A result is written aside, under an id nobody knows yet, and registered in one transaction with the
sinks that gave it. Readers hold a lease; what `gc` deletes it marks first. So a process that dies at
any moment leaves at worst a folder nobody refers to.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, final
from uuid import uuid4

from sqlalchemy import (
    Connection,
    and_,
    delete,
    func,
    insert,
    inspect,
    select,
    update as update_rows,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from veer.errors import InputError, UsageError
from veer.execution.store import records, tables
from veer.execution.store.database import Database, first_line
from veer.execution.store.files import Files, HadoopFiles, LocalFiles
from veer.execution.store.leases import Leases
from veer.execution.store.runs import Runs
from veer.execution.store.sealing import Seal
from veer.ir.digests import text_digest
from veer.ir.json import from_json, to_json

LONGEST_KEY = 200  # characters; an index takes no long ones
RESULTS = "results"


@final
class Store(Database):
    """A store that is open, at a folder or the URL of a database.

    One that is not there is made, unless it must exist already.
    """

    def __init__(
        self,
        location: str,
        *,
        results: str = "",
        spark: Callable[[], Any] | None = None,
        must_exist: bool = False,
    ) -> None:
        super().__init__(location)
        self._spark = spark
        self.leases = Leases(self)
        self.runs = Runs(self)
        try:
            inside = "://" in results or not results
            self._open(results if inside else _absolute(results), must_exist)
        except SQLAlchemyError as error:
            raise InputError(
                f"{self.location}: cannot open the store: {first_line(error)}"
            ) from None
        if not must_exist:
            assert self.files  # a folder that cannot be written to is found out now

    def close(self) -> None:
        """Let go of all that is held."""
        try:
            self.leases.close()
        except InputError:
            pass  # leases end by themselves; whatever else went wrong is to be told
        finally:
            self.engine.dispose()

    def release(self, result: str) -> None:
        """Let go of a result."""
        self.leases.release(result)

    def _open(self, results: str, must_exist: bool) -> None:
        """Make the tables where they are missing; a store remembers where its results are."""
        if must_exist and not inspect(self.engine).has_table(tables.about.name):
            raise InputError(f"{self.location}: there is no store; `veer run` makes one")
        self.make_tables()
        about = self.in_transaction(lambda db: self._about(db) or self._begin(db, results))
        if about["format"] != str(tables.FORMAT):
            raise InputError(
                f"{self.location}: a store of format {about['format']}, expected {tables.FORMAT}"
            )
        self.results = about["results"]
        self.seal = Seal(about.get("key") or self.in_transaction(self._new_key))
        if results and self.results.rpartition("/")[0] != results:
            at = "its own folder" if self.results == RESULTS else self.results.rpartition("/")[0]
            raise UsageError(f"{self.location}: its results are in {at}, not in {results}")

    def _begin(self, db: Connection, results: str) -> dict[str, str]:
        """Say where results go: a folder that no other store and nothing else uses."""
        if results:
            results = f"{results.rstrip('/')}/veer-{uuid4().hex[:12]}"
            if "://" not in results:
                LocalFiles(results)
        elif not self.is_folder:
            raise UsageError(f"{self.location}: give the place of the results: --results PATH")
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

    def _about(self, db: Connection) -> dict[str, str]:
        return {row.key: row.value for row in db.execute(select(tables.about))}

    @cached_property
    def files(self) -> Files:
        """Where the rows are."""
        where = self.results
        if where == RESULTS and self.is_folder:
            return LocalFiles(str(Path(self.location) / RESULTS))
        if "://" not in where:
            return LocalFiles(where, must_exist=True)

        def missing() -> Any:
            raise UsageError(f"{where} can be reached only through Spark")

        return HadoopFiles(where, self._spark or missing)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- versions ------------------------------------------------------------------------------

    def record(
        self, version: records.StoredVersion, results: Sequence[records.StoredResult]
    ) -> records.StoredVersion:
        """Register a version with the results it made, all or nothing."""

        def work(db: Connection) -> records.StoredVersion:
            for result in results:
                self._register(db, result)
            return self._record(db, version)  # fails if another process took the number

        return self.in_transaction(work)

    def _record(self, db: Connection, version: records.StoredVersion) -> records.StoredVersion:
        """Insert a version under the next number of its name."""
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
        return replace(version, number=number)

    def _put_sinks(
        self, db: Connection, name: str, number: int, sinks: Sequence[records.SinkResult]
    ) -> None:
        """Insert or replace sinks of a version; their results must be live, and stay locked."""
        r, s = tables.results.c, tables.sinks.c
        # All at once and in one order, so that nobody waits for one who waits for him.
        live = set(
            db.execute(
                select(r.id)
                .where(r.id.in_([sink.result for sink in sinks]), r.state == records.LIVE)
                .order_by(r.id)
                .with_for_update()
            ).scalars()
        )
        for sink in sinks:
            if sink.result and sink.result not in live:
                raise InputError(
                    f"the result of sink {sink.sink!r} was removed while Veer used it; run again"
                )
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

    def renew_sinks(
        self, version: records.StoredVersion, results: Sequence[records.StoredResult]
    ) -> None:
        """Other results for the sinks of a version that was run again."""
        v = tables.versions.c

        def work(db: Connection) -> None:
            which = (v.name == version.name, v.number == version.number)
            db.execute(select(v.number).where(*which).with_for_update())
            for result in results:
                self._register(db, result)
            self._put_sinks(db, version.name, version.number, version.sinks)

        self.in_transaction(work)

    def names(self) -> list[str]:
        """The names there are versions of."""
        with self.read() as db:
            return list(
                db.execute(
                    select(tables.versions.c.name).distinct().order_by(tables.versions.c.name)
                ).scalars()
            )

    def versions(self, name: str) -> list[records.StoredVersion]:
        """Every version of that name, the first one first."""
        v = tables.versions
        with self.read() as db:
            rows = db.execute(select(v).where(v.c.name == name).order_by(v.c.number)).all()
            return [self._version(db, row) for row in rows]

    def version(self, name: str, number: int | None = None) -> records.StoredVersion | None:
        """A version by number, the latest by default."""
        v = tables.versions
        wanted = select(v).where(v.c.name == name).order_by(v.c.number.desc()).limit(1)
        if number is not None:
            wanted = select(v).where(v.c.name == name, v.c.number == number)
        with self.read() as db:
            row = db.execute(wanted).first()
            return None if row is None else self._version(db, row)

    def _version(self, db: Connection, row: Any) -> records.StoredVersion:
        """A version of its row, with its sinks."""
        s = tables.sinks
        sinks = db.execute(
            select(s).where(s.c.name == row.name, s.c.number == row.number).order_by(s.c.sink)
        )
        return records.StoredVersion(
            name=row.name,
            dataflow=from_json(json.loads(row.dataflow)),
            fingerprint=row.fingerprint,
            stable_ids=row.stable_ids,
            spec=row.spec,
            sources=json.loads(row.sources),
            environment=json.loads(row.environment),
            started=row.started,
            seconds=row.seconds,
            sinks=tuple(
                records.SinkResult(r.sink, r.how, r.result or "", r.rows, r.note) for r in sinks
            ),
            edits=tuple(json.loads(row.edits)),
            code=json.loads(row.code),
            number=row.number,
        )

    # -- results -------------------------------------------------------------------------------

    def keys(self) -> frozenset[str]:
        """The exact keys and signatures there are results of."""
        r = tables.results.c
        with self.read() as db:
            rows = db.execute(
                select(r.exact, r.signature).where(r.state == records.LIVE).distinct()
            ).all()
        return frozenset(key for row in rows for key in row if key)

    def with_exact(self, exact: Sequence[str]) -> list[records.StoredResult]:
        """Results of these very computations on these very sources, the newest first."""
        return self._live_results(tables.results.c.exact.in_(list(exact)))

    def with_signature(self, signature: str) -> list[records.StoredResult]:
        """Results that look like those of a signal, the newest first."""
        return self._live_results(tables.results.c.signature == signature)

    def result(self, id_: str) -> records.StoredResult | None:
        """A result by its id, if it is live."""
        results = self._live_results(tables.results.c.id == id_)
        return results[0] if results else None

    def live_results(self) -> list[records.StoredResult]:
        """Every result that can be read, the newest first."""
        return self._live_results(tables.results.c.id != "")

    def mark(self) -> tuple[Any, ...]:
        """What is another as soon as a version is recorded, a result is registered or a run goes on."""
        v, r, s = tables.versions.c, tables.results.c, tables.sinks.c
        with self.read() as db:
            counts = db.execute(
                select(
                    select(func.count(v.name)).scalar_subquery(),
                    select(func.count(r.id)).scalar_subquery(),
                    select(func.max(r.created)).scalar_subquery(),
                    select(func.count(s.result)).scalar_subquery(),
                )
            ).one()
        return (*counts, *self.runs.mark())

    def _live_results(self, condition: Any) -> list[records.StoredResult]:
        r = tables.results
        with self.read() as db:
            rows = db.execute(
                select(r)
                .where(condition, r.c.state == records.LIVE)
                .order_by(r.c.created.desc(), r.c.id)
            ).all()
        return [records.result_of_row(row) for row in rows]

    def _register(self, db: Connection, result: records.StoredResult) -> None:
        """Make a result known, if the lease under which it was written still holds."""
        lease = self.leases.of(result.id)
        held = db.execute(
            select(tables.leases.c.id).where(tables.leases.c.id == lease).with_for_update()
        ).scalar()
        if held is None:
            raise InputError("another run takes too long to write the result; run again later")
        now = time.time()
        db.execute(
            insert(tables.results).values(
                id=result.id,
                state=records.LIVE,
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

    def acquire(self, result: records.StoredResult) -> str:
        """Hold a result for reading; why it cannot be read, empty if it can.

        One whose files are not as they were is never read again.
        """
        with self.write() as db:
            state = db.execute(
                select(tables.results.c.state)
                .where(tables.results.c.id == result.id)
                .with_for_update()
            ).scalar()
            if state != records.LIVE:
                return "it was removed"
            db.execute(
                update_rows(tables.results)
                .where(tables.results.c.id == result.id)
                .values(used=time.time())
            )
            lease = self.leases.take(db, result.id)
        self.leases.hold(result.id, lease)
        # Looked at after the lease is taken: from here on nobody deletes the files.
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
                .where(tables.results.c.id == id_, tables.results.c.state == records.LIVE)
                .values(state=records.DAMAGED)
            )

    # -- leases --------------------------------------------------------------------------------

    def new_result(self) -> str:
        """An id under which a result may be written."""
        id_ = uuid4().hex
        with self.write() as db:
            lease = self.leases.take(db, id_)
        self.leases.hold(id_, lease)
        return id_

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
        """Keep what was found out about two computations, by the code that did."""
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
        """Keep instances of a table; instances that another process kept first have priority."""
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
        """Keep whether a source of that fingerprint keeps what is declared."""
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


def _absolute(path: str) -> str:
    return str(Path(path).absolute())


def _key(text: str) -> str:
    """A text that an index takes, however long it is."""
    if len(text) <= LONGEST_KEY:
        return text
    return f"sha256 {text_digest(text, 64)}"


__all__ = ["Store"]
