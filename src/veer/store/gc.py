"""Making room: what nobody needs goes, then what is worth least, until the rest fits.

A result is marked before its files are deleted, and never read once it is marked; so it does not
matter when this stops. Whatever somebody holds a lease on stays.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, final

from sqlalchemy import Connection, delete, func, select
from sqlalchemy import update as update_rows

from veer.errors import InputError
from veer.store import tables
from veer.store.store import DYING, LIVE, Store

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
        with store.write() as db:
            db.execute(delete(tables.leases).where(tables.leases.c.expires < now))
    items = _items(store)
    total = sum(item.bytes for item in items)
    for item in sorted(items, key=lambda i: i.worth(now)):
        is_old = max_age is not None and now - item.used > max_age
        is_much = max_bytes is not None and total > max_bytes
        if item.is_latest or not (is_old or is_much):
            continue
        if dry or _mark(store, item.id):
            total -= item.bytes
            done.removed.append(item.id)
            done.bytes += item.bytes
    done.kept = len(items) - len(done.removed)
    done.kept_bytes = total
    if not dry:
        _sweep(store, done)
    return done


def _items(store: Store) -> list[Item]:
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


def _mark(store: Store, id_: str) -> bool:
    """Decide that a result goes, unless somebody reads it."""
    r = tables.results
    with store.write() as db:
        state = db.execute(select(r.c.state).where(r.c.id == id_).with_for_update()).scalar()
        if state != LIVE or _is_leased(db, id_):
            return False
        db.execute(update_rows(r).where(r.c.id == id_).values(state=DYING))
        db.execute(
            update_rows(tables.sinks)
            .where(tables.sinks.c.result == id_)
            .values(result=None, note="its result was removed to make room")
        )
    return True


def _is_leased(db: Connection, id_: str) -> bool:
    lease = tables.leases.c
    found = db.execute(
        select(func.count()).where(lease.result == id_, lease.expires >= time.time())
    ).scalar()
    return bool(found)


def _sweep(store: Store, done: Collected) -> None:
    """Delete the files of what is marked or damaged, and folders nobody knows."""
    r = tables.results
    # Folders first: one made after this look is not touched.
    folders = set(store.files.folders())
    with store.read() as db:
        states: dict[str, Any] = {
            row.id: row.state for row in db.execute(select(r.c.id, r.c.state))
        }
    for id_, state in states.items():
        if state == LIVE:
            continue
        with store.read() as db:
            if _is_leased(db, id_):
                continue
        _remove(store, id_, done)
        with store.write() as db:
            db.execute(
                update_rows(tables.sinks)
                .where(tables.sinks.c.result == id_)
                .values(result=None, note="its files were damaged")
            )
            db.execute(delete(r).where(r.c.id == id_, r.c.state != LIVE))
    for id_ in sorted(folders - states.keys()):
        # Whoever writes there holds a lease, and registers only as long as it does.
        with store.write() as db:
            known = db.execute(select(r.c.id).where(r.c.id == id_)).scalar()
            if known is not None or _is_leased(db, id_):
                continue
            db.execute(delete(tables.leases).where(tables.leases.c.result == id_))
        _remove(store, id_, done)
        done.orphans.append(id_)


def _remove(store: Store, id_: str, done: Collected) -> None:
    try:
        store.files.remove(id_)
    except InputError as error:
        done.problems.append(str(error))


__all__ = ["Collected", "collect"]
