"""The session of the tests that need Spark; what they read is read as that Spark means it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.sparks import installed_spark
from veer.settings import SessionSettings, under

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A Spark session, stopped at the end."""
    pytest.importorskip("pyspark")
    from tests.spark.session import spark_session

    session = spark_session()
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def as_the_installed_spark(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read under ANSI with the meaning of the installed Spark, for one test."""
    if "spark" not in request.fixturenames:
        yield
        return
    with under(SessionSettings(spark=installed_spark())):
        yield
