"""The session fixture shared by the tests that need Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

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
