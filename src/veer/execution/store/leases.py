"""Leases: they keep a result from being deleted while a process reads or writes it.

A lease ends by itself; a process that lives renews those it holds. So one that dies holds nothing
for long, and nobody has to clean up after it.
"""

from __future__ import annotations

import os
import socket
import threading
from typing import final
from uuid import uuid4

from sqlalchemy import Connection, delete, insert, update as update_rows

from veer.errors import InputError
from veer.execution.store import tables
from veer.execution.store.database import Database

LEASE = 600.0  # seconds; a process that lives renews what it holds
RENEW = 60.0


@final
class Leases:
    """The leases that this process holds on results of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._held: dict[str, str] = {}  # leases, by result
        self._lock = threading.Lock()
        self._renewing: threading.Thread | None = None
        self._closed = threading.Event()

    def of(self, result: str) -> str:
        """The lease held on a result; empty if there is none."""
        return self._held.get(result, "")

    def take(self, db: Connection, result: str) -> str:
        """A lease on a result: the one there is, if it was not taken away, or a new one."""
        until = self._database.clock + LEASE
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

    def hold(self, result: str, lease: str) -> None:
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
            with self._database.write() as db:
                db.execute(delete(tables.leases).where(tables.leases.c.id == lease))

    def _renew(self) -> None:
        """As long as the process lives and the store is open, what it holds stays held."""
        while not self._closed.wait(RENEW):
            with self._lock:
                held = list(self._held.values())
            if not held:
                continue
            try:
                with self._database.write() as db:
                    db.execute(
                        update_rows(tables.leases)
                        .where(tables.leases.c.id.in_(held))
                        .values(expires=self._database.clock + LEASE)
                    )
            except InputError:
                continue  # the next turn comes before the lease ends

    def close(self) -> None:
        """Let go of all that is held."""
        self._closed.set()
        with self._lock:
            held = list(self._held.values())
            self._held.clear()
        if held:
            with self._database.write() as db:
                db.execute(delete(tables.leases).where(tables.leases.c.id.in_(held)))
