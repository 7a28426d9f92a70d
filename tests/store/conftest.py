"""Stores of both kinds, each test with one of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.store.forked import Forks
from tests.store.pretend import Place
from tests.store.server import server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """Makes a new database of a running server, and gives its URL."""
    psycopg = pytest.importorskip("psycopg")
    with server() as socket:

        def database() -> str:
            name = f"t{uuid4().hex}"
            asked = f"postgresql://veer@/postgres?host={socket}"
            with psycopg.connect(asked, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
            return f"postgresql://veer@/{name}?host={socket}"

        yield database


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A store nobody opened yet."""
    if request.param == "sqlite":
        return Place(str(tmp_path / "store"))
    return Place(request.getfixturevalue("postgres")(), str(tmp_path / "results"))


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Starts processes that pretend to run."""
    started = Forks()
    yield started
    started.close()
