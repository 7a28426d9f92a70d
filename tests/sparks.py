"""Which Spark tests run against, for those of features that not all have."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from veer.settings import NEWEST, SparkVersion, spark_version


def installed_spark() -> SparkVersion:
    """The Spark that is installed; the newest if there is none."""
    try:
        return spark_version(version("pyspark"))
    except Exception:
        return NEWEST


def needs_spark(least: str) -> pytest.MarkDecorator:
    """Leave a test out where the installed Spark does not have what it is about."""
    too_old = installed_spark() < spark_version(least)
    return pytest.mark.skipif(too_old, reason=f"Spark {least} brought it")
