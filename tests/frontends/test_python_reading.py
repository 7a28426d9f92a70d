"""Bodies of Python functions: read with Python's meaning, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from veer.frontends.python import NotRead, read_source
from veer.functions.registry import Failure
from veer.interpreter.expressions import compile_expr
from veer.model.expr import Column
from veer.model.schema import Field, Schema
from veer.model.types import parse_type

COLUMNS = {"x": "bigint", "y": "int", "s": "string", "d": "double", "b": "boolean"}
SCHEMA = Schema(tuple(Field(name, parse_type(t)) for name, t in COLUMNS.items()))
ARGUMENTS = [Column(f.name, f.type) for f in SCHEMA]
FAILS = object()


def given(body: str, type_: str = "bigint", **row: Any) -> Any:
    """What the reading of a function gives for a row, FAILS if it fails."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    expr = read_source(f"def f(x, y, s, d, b):\n{lines}", ARGUMENTS, parse_type(type_))
    try:
        return compile_expr(expr, (SCHEMA,))(tuple(row.get(name) for name in COLUMNS), ())
    except Failure:
        return FAILS


@pytest.mark.parametrize(
    ("body", "row", "expected"),
    [
        ("return s[:y]", {"s": "abc", "y": None}, "abc"),  # a bound that is None is none
        ("return s[y:x]", {"s": "abc", "y": None, "x": 2}, "ab"),
        ("return s[b:]", {"s": "abc", "b": True}, "bc"),
        ("return s.zfill(b)", {"s": "", "b": True}, "0"),
        ("return s[-2:] + s[5:] + s[::-1]", {"s": "abc"}, "bccba"),
        ("return s[y]", {"s": "abc", "y": 7}, FAILS),
        ("first = s[0]\nreturn 'a'", {"s": ""}, FAILS),  # used or not
        ("int(s)\nreturn 'a'", {"s": "b"}, FAILS),
        ("return 'a' if x in {1: 'b', 2.0: 'c'} else 'd'", {"x": 2}, "a"),
        ("return 'a' if x == True else 'b'", {"x": 1}, "a"),
        ("return str(b + 1)", {"b": True}, "2"),
        ("return str(1e16) + str(-0.0)", {}, "1e+16-0.0"),
        ("return str(d)", {"d": 1e-7}, "1e-07"),
        ("return f'{y:>4}|{d:.1f}'", {"y": 3, "d": 2.25}, "   3|2.2"),
        ("n = 0\nfor i, v in enumerate('ab'):\n    n += i\nreturn str(n)", {}, "1"),
        ("for k in {'a': 1}.keys():\n    s = k\nreturn s", {}, "a"),
        ("return 'é'.upper() + s.upper()", {"s": "ß"}, "ÉSS"),
        ("return s.split(',')[-1]", {"s": "a,b"}, "b"),
        ("return s.split('')[0]", {"s": "a"}, FAILS),
        ("return 'a' if x < y < 3 else 'b'", {"x": 1, "y": 2}, "a"),
        ("x = x or 4\nx += 1\nreturn str(x)", {"x": 0}, "5"),
        ("return t", {}, FAILS),
        ("if x:\n    t = 'a'\nreturn t", {"x": 0}, FAILS),
    ],
)
def test_pythons_meaning(body: str, row: dict[str, Any], expected: Any) -> None:
    assert given(body, "string", **row) == expected


@pytest.mark.parametrize(
    "body",
    [
        "a = [1]\nb = a\nb += [2]\nreturn len(a)",
        "return len({x, y})",
        "return '-'.join({s, 'a'})",
        "z = enumerate((5, 6))\nreturn 1",
        "return 1 if zip((), ()) else 2",
        "return 1 if s.split() == ['a'] else 2",
        "return 1 if s.split() != [] else 2",
        "return list({'apple', 'pear', 'fig'})[0]",
        "return str({1, 2})",
        "return 1 if d in (d, 1.0) else 2",
        "return 1 if int(s) in (18446744073709551615,) else 2",
        "return s % 5",
        "return s.strip(s)",
        "return 1 if any((t := x) for k in (1, 2)) else t",
        "try:\n    return 1\nexcept ValueError:\n    return 2",
        "return [k for k in (1, 2)][0]",
        "return x / 3",  # a bigint may be too large to be exact
        "return d % 2",
        "return __x",
        "global g\nreturn 1",
    ],
)
def test_what_is_not_understood_is_not_read(body: str) -> None:
    with pytest.raises(NotRead):
        given(body, "bigint")


def test_constants_of_one_value_and_several_types_stay_apart() -> None:
    body = "return (1 if x == 1 else True) if x < 2 else (0 if x < 3 else -0.0)"
    assert [given(body, "bigint", x=n) for n in (1, 0, 2, 3)] == [1, None, 0, None]
    assert [repr(given(body, "double", x=n)) for n in (1, 0, 2, 3)] == ["None"] * 3 + ["-0.0"]


def test_helpers_and_constants_are_followed() -> None:
    text = """
LIMIT = 3
NAMES = ("a", "b")

def known(s, *, names=("c",)):
    return s in NAMES or s in names

def f(x, y, s, d, b):
    return known(s) and known("c", names=()) is False if x is None else x > LIMIT
"""
    with pytest.raises(NotRead):  # `is` of other than None
        read_source(text, ARGUMENTS, parse_type("boolean"))
    expr = read_source(text.replace(" is False", " == False"), ARGUMENTS, parse_type("boolean"))
    run = compile_expr(expr, (SCHEMA,))
    assert [run((None, None, s, None, None), ()) for s in ("a", "c", "d")] == [True, True, False]
    assert run((4, None, None, None, None), ()) is True


def test_a_shadowed_builtin_is_not_pythons() -> None:
    text = (
        "def any(items):\n    return 5\n\ndef f(x, y, s, d, b):\n    return any(k for k in (1, 2))"
    )
    with pytest.raises(NotRead):
        read_source(text, ARGUMENTS, parse_type("bigint"))
