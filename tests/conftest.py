"""The session of the tests that need Spark; what they read is read as that Spark means it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.recorded import ASKED, RecordedSpark
from tests.sparks import installed_spark
from veer.settings import SessionSettings, under

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run end early, as `make check` does."""
    parser.addoption("--within", type=float, help="seconds after which what is left is skipped")


def pytest_configure(config: pytest.Config) -> None:
    """Remember when the run began."""
    config.stash[BEGAN] = time.monotonic()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what there is no time for."""
    within = item.config.getoption("--within")
    if within is not None and time.monotonic() - item.config.stash[BEGAN] > within:
        pytest.skip(f"left out after {within:g} s: `make test` runs it")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A Spark session, stopped at the end."""
    pytest.importorskip("pyspark")
    from tests.spark.session import spark_session

    session = spark_session()
    yield session
    session.stop()


@pytest.fixture
def recorded(request: pytest.FixtureRequest) -> RecordedSpark:
    """What Spark agreed with before, and Spark for what is new."""
    return RecordedSpark(request)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell how often Spark was asked what is not recorded."""
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    asked = sum(dict(r.user_properties).get(ASKED, 0) for r in reports if r.when == "call")
    if asked:
        terminalreporter.write_line(
            f"Spark itself was asked in {asked} tests: tests/recorded has no answer. `make record`"
        )


@pytest.fixture(autouse=True)
def as_the_installed_spark(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read under ANSI with the meaning of the installed Spark, for one test."""
    if not {"spark", "recorded"} & {*request.fixturenames}:
        yield
        return
    with under(SessionSettings(spark=installed_spark())):
        yield
