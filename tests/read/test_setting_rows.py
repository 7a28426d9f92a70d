"""Settings are rows: each stands once, and what it decides comes back from what is set."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace

import pytest

from veer.errors import UnsupportedError, UsageError
from veer.read.pyspark.setting_rows import (
    _ROWS,
    OF_MEANING,
    PREFIX,
    SETTINGS,
    is_accounted_for,
    spark_default,
)
from veer.read.session_settings import require_runnable, session_settings
from veer.settings import (
    ANSI,
    MODELLED,
    NEWEST,
    SPARK_3_5,
    SPARKS,
    USUAL,
    SessionSettings,
    SparkVersion,
    TimeParser,
    usual_settings,
)


def test_every_setting_stands_once() -> None:
    words = [word.partition("=")[0] for rows in _ROWS.values() for word in rows.split()]
    names = [*(PREFIX + word for word in words), *(row.name for row in MODELLED)]
    assert [name for name, times in Counter(names).items() if times > 1] == []
    assert set(names) == {*SETTINGS, *OF_MEANING}


def test_every_field_of_a_session_has_a_row() -> None:
    of_rows = {row.field for row in MODELLED}
    assert {f.name for f in fields(SessionSettings)} == of_rows | {"spark", "reading"}


@pytest.mark.parametrize("spark", SPARKS, ids=str)
def test_what_a_session_is_set_to_is_read_back(spark: SparkVersion) -> None:
    usual = usual_settings(spark)
    assert session_settings({}, spark) == session_settings(usual.conf(), spark) == usual
    for row in MODELLED:
        for text, value in (row.values or {"Europe/Berlin": "Europe/Berlin"}).items():
            read = session_settings({row.name: text}, spark)
            assert getattr(read, row.field) == value
            if row.values:  # in any case
                assert (
                    getattr(session_settings({row.name: text.swapcase()}, spark), row.field)
                    == value
                )
            assert session_settings(read.conf(), spark) == read
            if value in row.unusual:
                assert row.unusual[value] in read.identity("f")
                with pytest.raises(UnsupportedError, match=row.name):
                    require_runnable(read)
            elif not read.reading:
                require_runnable(read)


def test_near_misses() -> None:
    with pytest.raises(UsageError, match=f"{ANSI}=maybe: expected true or false"):
        session_settings({ANSI: "maybe"}, NEWEST)
    with pytest.raises(UnsupportedError, match="doLooseUpcast=true is not modelled"):
        session_settings({"spark.sql.legacy.doLooseUpcast": "true"}, NEWEST)
    assert session_settings({"spark.sql.legacy.doLooseUpcast": "false"}, NEWEST) == USUAL
    times = replace(usual_settings(SPARK_3_5), time_parser=TimeParser.CORRECTED)
    require_runnable(session_settings(times.conf(), SPARK_3_5))  # away from the default, but run
    grammar = "spark.sql.ansi.doubleQuotedIdentifiers"
    assert is_accounted_for(grammar, analyzed=True) and not is_accounted_for(
        grammar, analyzed=False
    )
    assert spark_default("spark.sql.legacy.timeParserPolicy", SPARK_3_5) == "EXCEPTION"
    assert spark_default("spark.sql.nosuch", NEWEST) is None
