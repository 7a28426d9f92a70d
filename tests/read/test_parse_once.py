"""What is read again is not checked again; what was refused is refused again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp

from veer.errors import ParseError
from veer.read.sql import parse, read_schema
from veer.settings import SPARK_4_1, current, under


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that were printed and read again."""
    seen: list[str] = []
    check = parse.check_round_trip
    monkeypatch.setattr(parse, "_survived", {})

    def noted(tree: exp.Expr) -> None:
        seen.append(tree.sql())
        check(tree)

    monkeypatch.setattr(parse, "check_round_trip", noted)
    return seen


def test_a_text_is_printed_and_read_again_once(checked: list[str]) -> None:
    text = "SELECT a FROM t; SELECT b FROM t"
    one, two = parse.parse_statements(text), parse.parse_statements(text)
    assert len(checked) == 2 and one == two
    assert one[0] is not two[0], "readers may change the trees they get"


def test_other_settings_are_another_reading(checked: list[str]) -> None:
    parse.parse_statements("SELECT 'a' 'b'")
    with under(replace(current(), spark=SPARK_4_1)):
        parse.parse_statements("SELECT 'a' 'b'")
    assert len(checked) == 2


def test_what_does_not_survive_is_refused_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise ParseError("no")

    monkeypatch.setattr(parse, "_survived", {})
    monkeypatch.setattr(parse, "check_round_trip", refuse)
    for _ in range(2):
        with pytest.raises(ParseError):
            parse.parse_statements("SELECT 1")


def test_texts_are_forgotten_in_time(checked: list[str]) -> None:
    for number in range(parse.MOST_REMEMBERED + 10):
        parse.parse_statements(f"SELECT {number}")
    assert len(parse._survived) == parse.MOST_REMEMBERED


def test_a_schema_that_is_changed_by_its_reader_stays_what_it_was() -> None:
    text = "CREATE TABLE t (a INT)"
    read_schema(text).clear()
    assert list(read_schema(text)) == ["t"]
