"""Garbage collection: removes unused results, then those of least value, until the rest fits.

A result is marked before its files are deleted, and never read once it is marked; so it does not
matter when this stops. Whatever somebody holds a lease on stays.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import final

from sqlalchemy import ColumnElement, Connection, delete, func, not_, select, update as update_rows

from veer.errors import InputError
from veer.execution.store import tables
from veer.execution.store.records import DYING, LIVE
from veer.execution.store.store import Store

DAY = 86_400.0


@final
@dataclass
class Collected:
    """What a collection did, or would do."""

    removed: list[str] = field(default_factory=list)  # results
    orphans: list[str] = field(default_factory=list)  # folders nobody registered
    bytes: int = 0  # of what was removed
    kept: int = 0  # results
    kept_bytes: int = 0
    problems: list[str] = field(default_factory=list)


@final
@dataclass(frozen=True)
class Item:
    """A result as the collection weighs it."""

    id: str
    bytes: int
    seconds: float
    used: float
    is_needed: bool  # by a version, as the result of a sink
    is_latest: bool  # by the latest version of a name

    def worth(self, now: float) -> tuple[bool, float]:
        """What is needed is worth more; then the seconds a byte saves, old use counting less."""
        age = max(0.0, now - self.used) / DAY
        return self.is_needed, self.seconds / max(1, self.bytes) / (1 + age)


def collect(
    store: Store, *, max_bytes: int | None = None, max_age: float | None = None, dry: bool = False
) -> Collected:
    """Remove results; `max_age` in seconds since their last use.

    The results of the latest version of every name stay in any case.
    """
    done = Collected()
    now = time.time()
    if not dry:
        store.in_transaction(lambda db: db.execute(delete(tables.leases).where(_is_over(store))))
    items = _items(store)
    total = sum(item.bytes for item in items)
    for item in sorted(items, key=lambda i: i.worth(now)):
        is_old = max_age is not None and now - item.used > max_age
        is_much = max_bytes is not None and total > max_bytes
        if item.is_latest or not (is_old or is_much):
            continue
        if _mark(store, item, dry=dry):
            total -= item.bytes
            done.removed.append(item.id)
            done.bytes += item.bytes
    done.kept = len(items) - len(done.removed)
    done.kept_bytes = total
    _sweep(store, done, dry=dry)
    return done


def _items(store: Store) -> list[Item]:
    """All live results with what they are worth by."""
    r, s, v = tables.results.c, tables.sinks.c, tables.versions.c
    with store.read() as db:
        rows = db.execute(select(r.id, r.bytes, r.seconds, r.used).where(r.state == LIVE)).all()
        needed = set(db.execute(select(s.result).where(s.result.is_not(None))).scalars())
        last = select(v.name, func.max(v.number).label("number")).group_by(v.name).subquery()
        latest = set(
            db.execute(
                select(s.result).join(last, (s.name == last.c.name) & (s.number == last.c.number))
            ).scalars()
        )
    return [
        Item(row.id, row.bytes, row.seconds, row.used, row.id in needed, row.id in latest)
        for row in rows
    ]


def _mark(store: Store, item: Item, *, dry: bool) -> bool:
    """Mark a result for deletion, unless it is being read, or was read since it was selected."""
    r = tables.results
    with store.write() as db:
        row = db.execute(
            select(r.c.state, r.c.used).where(r.c.id == item.id).with_for_update()
        ).first()
        if row is None or row.state != LIVE or row.used != item.used:
            return False
        if _is_leased(store, db, item.id):
            return False
        if not dry:
            db.execute(update_rows(r).where(r.c.id == item.id).values(state=DYING))
            db.execute(
                update_rows(tables.sinks)
                .where(tables.sinks.c.result == item.id)
                .values(result=None, note="its result was removed to make room")
            )
    return True


def _is_over(store: Store) -> ColumnElement[bool]:
    """That a lease ended, by the clock of the database: those of machines differ."""
    over: ColumnElement[bool] = tables.leases.c.expires < store.clock
    return over


def _is_leased(store: Store, db: Connection, id_: str) -> bool:
    count = db.execute(
        select(func.count()).where(tables.leases.c.result == id_, not_(_is_over(store)))
    ).scalar()
    return bool(count)


def _sweep(store: Store, done: Collected, *, dry: bool) -> None:
    """Delete the files of marked and damaged results, and unregistered folders."""
    r = tables.results.c
    # Folders first: one made after this look is not touched.
    folders = set(store.files.folders())
    with store.read() as db:
        registered = {row.id: row for row in db.execute(select(r.id, r.state, r.bytes))}
    for id_, row in registered.items():
        if row.state == LIVE:
            continue
        with store.read() as db:
            if _is_leased(store, db, id_):
                continue
        if id_ not in done.removed:
            done.removed.append(id_)
            done.bytes += row.bytes
        if not dry:
            _forget(store, id_, done)
    for id_ in sorted(folders - registered.keys()):
        # Whoever writes there holds a lease, and registers only as long as it does. Its lease goes
        # before the result is looked for: so one of the two sees what the other did.
        with store.write() as db:
            if not dry:
                ended = (tables.leases.c.result == id_, _is_over(store))
                db.execute(delete(tables.leases).where(*ended))
            if _is_leased(store, db, id_) or db.execute(select(r.id).where(r.id == id_)).scalar():
                continue
        if not dry:
            _remove(store, id_, done)
        done.orphans.append(id_)


def _forget(store: Store, id_: str, done: Collected) -> None:
    """Delete a result that is marked: its files, then what is known of it."""
    r, s = tables.results, tables.sinks
    _remove(store, id_, done)
    with store.write() as db:
        db.execute(
            update_rows(s)
            .where(s.c.result == id_)
            .values(result=None, note="its files were damaged")
        )
        db.execute(delete(r).where(r.c.id == id_, r.c.state != LIVE))


def _remove(store: Store, id_: str, done: Collected) -> None:
    """Delete a folder; one that cannot be is a problem, and tried again by the next collection."""
    try:
        store.files.remove(id_)
    except InputError as error:
        done.problems.append(str(error))


__all__ = ["Collected", "collect"]
