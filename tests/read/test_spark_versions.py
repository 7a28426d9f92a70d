"""What is asked of PySpark and of time zones, without starting anything."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from veer.api import load
from veer.errors import InputError
from veer.functions.zone_rules import is_utc_name
from veer.ir.types import (
    DATE,
    DOUBLE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
)
from veer.read.zoned_expressions import is_zoneless


def test_another_pyspark_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.py").write_text("def build(spark): return spark.range(3)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for version in ("3.4.4", "5.0.0"):
        monkeypatch.setattr(metadata, "version", lambda _, v=version: v)
        with pytest.raises(
            InputError, match=f"PySpark {version} is installed.*pyspark>=3.5"
        ) as found:
            load("job.py:build")
        assert found.value.exit_status == 65


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC", "GMT", "Z", "+00:00"])
def test_names_of_utc(zone: str) -> None:
    assert is_utc_name(zone)


@pytest.mark.parametrize("zone", ["Europe/London", "Africa/Abidjan", "+01:00", "None", ""])
def test_other_zones(zone: str) -> None:
    assert not is_utc_name(zone)


def test_casts_that_do_not_ask_for_the_zone() -> None:
    given: DataType
    wanted: DataType
    for given, wanted in ((INT, LONG), (INT, STRING), (STRING, DOUBLE), (LONG, TIMESTAMP)):
        assert is_zoneless(given, wanted)
        assert is_zoneless(ArrayType(given), ArrayType(wanted))
    for given, wanted in (
        (STRING, TIMESTAMP),
        (TIMESTAMP, STRING),
        (DATE, TIMESTAMP),
        (TIMESTAMP, DATE),
        (TIMESTAMP, TIMESTAMP_NTZ),
        (TIMESTAMP_NTZ, TIMESTAMP),
    ):
        assert not is_zoneless(given, wanted)
        assert not is_zoneless(ArrayType(given), ArrayType(wanted))
