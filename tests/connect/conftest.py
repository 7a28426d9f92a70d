"""A Connect server for all tests, a session of its own for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server listens that all tests use."""
    pytest.importorskip("grpc")
    from tests.connect.server import HOME, connect_server

    if not [*(HOME / "jars").glob("spark-connect_*.jar")]:
        pytest.skip("this PySpark comes without a Connect server")
    with connect_server(tmp_path_factory.mktemp("connect")) as url:
        yield url


@pytest.fixture
def connect(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A session of the server; functions of PySpark are those of the client meanwhile."""
    from pyspark.sql.connect.session import SparkSession

    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    session = SparkSession.builder.remote(address).create()
    yield session
    session.stop()
