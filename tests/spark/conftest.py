"""What Veer reads in tests against Spark is read as the Spark that is installed means it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from veer.settings import SessionSettings, spark_version, under


@pytest.fixture(autouse=True)
def as_the_installed_spark(request: pytest.FixtureRequest) -> Iterator[None]:
    """Read under ANSI with the meaning of this Spark, for one test."""
    if "spark" not in request.fixturenames:
        yield
        return
    from pyspark import __version__

    with under(SessionSettings(spark=spark_version(__version__))):
        yield
