"""Bodies of Python functions: read with Python's meaning, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from veer.functions.registry import Failure
from veer.interpreter.expressions import compile_expr
from veer.ir.expr import Column
from veer.ir.schema import Field, Schema
from veer.ir.types import parse_type
from veer.read.python.reading import NotRead, read_source

COLUMNS = {"x": "bigint", "y": "int", "s": "string", "d": "double", "b": "boolean"}
SCHEMA = Schema(tuple(Field(name, parse_type(t)) for name, t in COLUMNS.items()))
ARGUMENTS = [Column(f.name, f.type) for f in SCHEMA]
FAILS = object()
HEAD = "from datetime import date, datetime\n\n"
BAD = "except ValueError:\n    return 'bad'"


def given(body: str, type_: str = "bigint", **row: Any) -> Any:
    """What the reading of a function gives for a row, FAILS if it fails."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    expr = read_source(f"{HEAD}def f(x, y, s, d, b):\n{lines}", ARGUMENTS, parse_type(type_))
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
        (f"try:\n    return str(int(s))\n{BAD}", {"s": " 1_000 "}, "1000"),
        (f"try:\n    return str(int(s))\n{BAD}", {"s": "\u0663"}, "3"),
        (f"try:\n    return str(int(s))\n{BAD}", {"s": "\x1c5"}, "bad"),
        (f"try:\n    return str(int(s))\n{BAD}", {"s": "1.0"}, "bad"),
        (f"try:\n    return str(int(s))\n{BAD}", {"s": None}, FAILS),  # a TypeError
        ("try:\n    return s.strip()\nexcept TypeError:\n    return 'a'", {"s": None}, FAILS),
        ("try:\n    return s.strip()\nexcept AttributeError:\n    return 'a'", {"s": None}, "a"),
        (
            "try:\n    t = {'a': 'b'}[s]\nexcept LookupError:\n    t = 'c'\nreturn t",
            {"s": "d"},
            "c",
        ),
        ("try:\n    x = 1\n    int(s)\nexcept ValueError:\n    return str(x)", {"s": "b"}, "1"),
        ("try:\n    int(s)\nexcept ValueError:\n    raise\nreturn 'a'", {"s": "b"}, FAILS),
        (f"try:\n    raise KeyError(s)\nexcept LookupError:\n    return 'a'\n{BAD}", {}, "a"),
        (f"try:\n    t = s[0]\n{BAD}\nelse:\n    return str(int(t))", {"s": "b"}, FAILS),
        (
            "for k in (s, '7'):\n    try:\n        return str(int(k))\n    except ValueError:\n"
            "        continue\nreturn 'none'",
            {"s": "b"},
            "7",
        ),
        (
            "def g(k):\n    return k[1]\ntry:\n    return g(s)\nexcept IndexError:\n    return 'a'",
            {"s": "b"},
            "a",
        ),
        (
            "try:\n    e = 1\n    int(s)\nexcept ValueError as e:\n    pass\nreturn str(e)",
            {"s": "b"},
            FAILS,
        ),  # the name is forgotten
        ("return ','.join(k for k in (s, 'b') if k)", {"s": ""}, "b"),
        ("return ','.join([k + m for k in 'ab' for m in (s, 'x')])", {"s": "1"}, "a1,ax,b1,bx"),
        ("k = 'z'\nt = [k for k in (s,)]\nreturn k", {"s": "a"}, "z"),
        ("return str({k: len(k) for k in ('a', 'bc')}[s])", {"s": "bc"}, "2"),
        ("return str(any([k for k in (x, y)]))", {"x": 0, "y": 2}, "True"),
        ("t = []\nt.append(s)\nt.extend(['b'])\nreturn '-'.join(t)", {"s": "a"}, "a-b"),
        ("return '{:>4}|{}|{{}}'.format(s, x)", {"s": "a", "x": None}, "   a|None|{}"),
        ("return '%s is %d%%' % (s, 5)", {"s": None}, "None is 5%"),
        ("return '%s' % (s, 5)", {"s": None}, FAILS),
        (
            "match b:\n    case 1:\n        return 'one'\n    case _:\n        return 'other'",
            {"b": True},
            "one",
        ),
        (
            "match x:\n    case True:\n        return 'true'\n    case t if t > 5:\n"
            "        return 'big'\nreturn 'small'",
            {"x": 1},
            "small",
        ),
        (
            "match (s, x):\n    case ('a' | 'b', None):\n        return 'one'\nreturn 'none'",
            {"s": "b"},
            "one",
        ),
        ("t = 'b'\nclean = lambda k, suffix='!': (k or t) + suffix\nreturn clean(s)", {}, "b!"),
        ("if (n := len(s)) > 1:\n    return str(n)\nreturn 'short'", {"s": "abc"}, "3"),
        ("return 'a' if 0 <= len(s) - 1 < 2 else 'b'", {"s": "abc"}, "b"),
        ("return ''.join(c for c in s if c.isdigit())", {"s": "a1\u00b2 3"}, "1\u00b23"),
        ("return ''.join([c.upper() for c in s if not c.isspace()])", {"s": "a b"}, "AB"),
        ("return '-'.join(w.strip() for w in s.split(',') if w.strip())", {"s": "a, ,b "}, "a-b"),
        ("return ''.join(c for c in s if c not in '.-' if c)", {"s": "1.2-3"}, "123"),
        ("return str(len([w for w in s.split() if w]))", {"s": " a  b"}, "2"),
        ("return ''.join(c for c in s)", {"s": None}, FAILS),
        (
            f"try:\n    return datetime.strptime(s, '%Y-%m-%d').date().isoformat()\n{BAD}",
            {"s": "2024-1-5"},
            "2024-01-05",
        ),
        (
            f"try:\n    return datetime.strptime(s, '%Y-%m-%d').date().isoformat()\n{BAD}",
            {"s": "2023-02-29"},
            "bad",
        ),
        (
            f"try:\n    return date.fromisoformat(s).strftime('%d.%m')\n{BAD}",
            {"s": "2024-1-5"},
            "bad",
        ),
        ("return str(date.fromisoformat(s).weekday())", {"s": "2024-01-05"}, "4"),
        ("return date.fromisoformat(s).isoformat()", {"s": "x"}, FAILS),
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
        "try:\n    return 1\nfinally:\n    x = 2",
        "try:\n    return int(s)\nexcept s:\n    return 2",
        "try:\n    return round(d, 3)\nexcept ValueError:\n    return 2",
        "try:\n    return int(s)\nexcept ValueError as e:\n    return len(str(e))",
        "a = [x]\nb = a\na.append(1)\nreturn len(b)",
        "a = [x]\nb = (a, 1)\na.append(1)\nreturn len(b[0])",
        "a = [x]\nfor k in a:\n    a.append(k)\nreturn 1",
        "a = [x]\nf = lambda: len(a)\na.append(1)\nreturn f()",
        "t = 1\nf = lambda: t\nt = 2\nreturn f()",
        "def f():\n    nonlocal x\n    x = 2\nf()\nreturn x",
        "return [f() for f in [lambda: k for k in (1, 2)]][0]",
        "for k in (int(c) for c in ('1', s)):\n    return k",
        "return 1 if 1 in (int(c) for c in ('1', s)) else 2",
        "return len({k for k in (x, y)})",
        "return sum([d, 0.5])",
        "match s.split():\n    case [a]:\n        return 1",
        "match (x, s):\n    case (t, 'a') | (_, t):\n        return 1",
        "return len('{:{}}'.format(s, 3))",
        "return len('{0} {}'.format(s, 3))",
        "return len('%5s' % s)",
        "return len('%d' % y)",  # which may be None
        "return len('%s %s' % [s, x])",
        "a = [s]\na.append(x)\nreturn len('%s %s' % a)",
        "while x:\n    x = 0\nreturn x",
        "return len(c for c in s)",
        "return len(date.fromisoformat(s).strftime('%B'))",
        "return datetime.strptime(s, '%z').hour",
        "return len([c + 'a' for c in s])",
        "return len([c for c in s if c == 'a' or x])",
        "return len([c for c in s if c in s])",
        "return sum(int(c) for c in s)",
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
