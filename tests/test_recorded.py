"""What Spark agreed with is not asked again; what is new, or answered otherwise, is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import recorded
from tests.recorded import ASKED, RecordedSpark
from veer.settings import current, under


class Asked(list[str]):
    """The questions that came to a session, each with the tables and settings it then had."""


@pytest.fixture
def spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], tuple[RecordedSpark, Asked]]:
    """A recorded Spark in a mode, over a session that is none."""

    def made(mode: str) -> tuple[RecordedSpark, Asked]:
        recorded.recorded.cache_clear()
        monkeypatch.setattr(recorded, "FOLDER", tmp_path)
        monkeypatch.setattr(recorded, "_code", lambda: "code")
        monkeypatch.setattr(recorded, "MODE", mode)

        class Request:
            module = recorded
            node: Any = type("Node", (), {"user_properties": []})

            def getfixturevalue(self, name: str) -> None:
                assert name == "spark"

        return RecordedSpark(Request()), Asked()  # type: ignore[arg-type]

    return made


def ask(spark: RecordedSpark, asked: Asked, question: str, *wrong: str) -> list[str]:
    def compare(session: Any) -> list[str]:
        asked.append(question)
        return list(wrong)

    return spark.differences(question, compare)


def test_what_spark_agreed_with_is_not_asked_again(spark: Any) -> None:
    one, asked = spark("record")
    one.tables("t", asked.append)
    assert ask(one, asked, "a") == [] and len(asked) == 2
    again, asked = spark("")
    again.tables("t", asked.append)
    assert ask(again, asked, "a") == [] and asked == []
    assert (ASKED, 1) not in again._request.node.user_properties


@pytest.mark.parametrize("changed", ["question", "tables", "settings", "code", "live"])
def test_what_is_new_is_asked_and_said(
    spark: Any, changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, asked = spark("record")
    one.tables("t", asked.append)
    ask(one, asked, "a")
    again, asked = spark("live" if changed == "live" else "")
    again.tables("other" if changed == "tables" else "t", lambda _: None)
    if changed == "code":
        monkeypatch.setattr(recorded, "_code", lambda: "other code")
    settings = replace(current(), ansi=False) if changed == "settings" else current()
    with under(settings):
        ask(again, asked, "b" if changed == "question" else "a")
    assert len(asked) == 1
    assert ((ASKED, 1) in again._request.node.user_properties) is (changed != "live")


def test_a_difference_is_found_each_time_and_never_recorded(spark: Any) -> None:
    one, asked = spark("record")
    assert ask(one, asked, "a", "1 here, 2 in Spark") == ["1 here, 2 in Spark"]
    again, asked = spark("")
    assert ask(again, asked, "a", "1 here, 2 in Spark") == ["1 here, 2 in Spark"]
    assert len(asked) == 1
