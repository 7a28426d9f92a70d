"""Text functions where Java, SQL and Python differ."""

from __future__ import annotations

from typing import Any

import pytest

from veer.errors import UnsupportedError
from veer.functions.registry import Failure, scalar_function
from veer.ir.types import STRING


def call(name: str, *args: Any) -> Any:
    return scalar_function(name).meaning([STRING] * len(args), STRING)(*args)


@pytest.mark.parametrize(
    ("name", "args", "value"),
    [
        ("substring", ("abc", 0, 2), "ab"),
        ("substring", ("abc", -2, 1), "b"),
        ("substring", ("abc", -5, 3), "a"),  # the length is used up before the beginning
        ("right", ("abc", 5), "abc"),
        ("right", ("abc", -1), ""),
        ("split_part", ("a.b", ".", -1), "b"),
        ("split_part", ("a.b", ".", 3), ""),
        ("split_part", ("a.b", "", 1), "a.b"),
        ("initcap", ("a-b cD",), "A-b Cd"),
        ("lpad", ("abc", 2, "x"), "ab"),
        ("lpad", ("abc", 6, "xy"), "xyxabc"),
        ("rpad", ("abc", 6, ""), "abc"),
        ("translate", ("abca", "aba", "xy"), "xycx"),
        ("translate", ("abc", "ab", "x"), "xc"),
        ("concat_ws", (",", "a", None, ("b", None)), "a,b"),
        ("concat_ws", (None, "a"), None),
        ("locate", ("", "abc", 9), 1),
        ("locate", ("b", "abcb", 3), 4),
        ("locate", ("b", None, None), 0),
        ("like", ("a\nb", "a_b"), True),
        ("like", ("a%", "a\\%"), True),
        ("like", ("ab", "a\\%"), False),
        ("ilike", ("AB", "a_"), True),
        ("regexp_replace", ("ab", "(a)(b)", "$2$1"), "ba"),
        ("regexp_replace", ("a", "(a)", "$10"), "a0"),  # there is no tenth group
        ("regexp_replace", ("a", "a", "\\$1"), "$1"),
        ("regexp_replace", ("aaa", "a", "b", 3), "aab"),
        ("regexp_extract", ("x", "(y)", 7), ""),  # a group is looked for only in a match
        ("regexp_extract", ("x", "(y)?x", 1), ""),
        ("split", ("a,b,,", ","), ("a", "b", "", "")),
        ("split", ("a,b,c", ",", 2), ("a", "b,c")),
        ("split", ("abc", ""), ("a", "b", "c")),
        ("split", ("", ","), ("",)),
        ("sha2", (b"", 100), None),
    ],
)
def test_values(name: str, args: tuple[Any, ...], value: Any) -> None:
    assert call(name, *args) == value


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("split_part", ("a", ",", 0)),
        ("like", ("a", "a\\")),
        ("like", ("a", "\\a")),
        ("regexp_replace", ("a", "(a)", "$2")),
        ("regexp_replace", ("a", "a", "$")),
        ("regexp_replace", ("a", "a", "\\")),
        ("regexp_replace", ("a", "a", "b", 0)),
        ("regexp_extract", ("x", "(x)", 2)),
        ("rlike", ("a", "(")),
    ],
)
def test_failures(name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(Failure):
        call(name, *args)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("rlike", ("a", "\\p{L}")),
        ("rlike", ("a", "a++")),
        ("rlike", ("a", "[a-z&&[^b]]")),
        ("rlike", ("a\rb", "a.b")),  # Java's dot does not match a carriage return
        ("regexp_replace", ("\U0001f600", "x*", "-")),
        ("space", (2_000_000,)),
    ],
)
def test_what_is_not_modelled_is_refused(name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(UnsupportedError):
        call(name, *args)
