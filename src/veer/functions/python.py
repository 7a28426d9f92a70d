"""What Python does with values of one row, where Spark has no function that does just that.

UDFs that are read become expressions of these. The names cannot be written in SQL. Arguments are
never null: what Python does with None is decided before, by branches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.registry import (
    PARTIAL,
    PURE,
    STRICT,
    TOTAL,
    Argument,
    Failure,
    Nulls,
    Resolved,
    Rule,
    Trait,
    scalar,
)
from veer.functions.traits import PythonOnly, TextUse, ZoneUse
from veer.functions.typing import signature
from veer.ir import types as ty

RAISE = "python.raise"
LONGEST = 1_000_000
TEXTS = ty.ArrayType(ty.STRING)


def _python(name: str, rule: Rule, meaning: Callable[..., Any], *traits: Trait) -> None:
    """Register something Python does, which Spark's SQL cannot say; its domain is among the traits."""
    scalar(f"python.{name}", "", rule, meaning)(PURE, STRICT, PythonOnly(), *traits)


def _raises(meaning: Callable[..., Any]) -> Callable[..., Any]:
    """An exception of Python's fails the run."""

    def called(*args: Any) -> Any:
        try:
            return meaning(*args)
        except (ValueError, IndexError, OverflowError, ZeroDivisionError, re.error) as error:
            raise Failure(f"{type(error).__name__} in a Python function") from None

    return called


def _fits(number: int) -> int:
    """A number that a bigint holds."""
    if not -(2**63) <= number < 2**63:
        raise Failure("a number of more than 64 bits")  # Python goes on; nothing is said of it
    return number


def _typed_as_argument(args: Sequence[Argument]) -> Resolved:
    return Resolved((args[0].type,), args[0].type)


def _raise(*_: Any) -> Any:
    raise Failure("an exception in a Python function")


scalar(RAISE, "", _typed_as_argument, _raise)(
    PURE, Nulls.CUSTOM, PARTIAL, PythonOnly(), ZoneUse.SAME
)

# Methods of texts that are read, by the arguments they take and what they give.
CHANGED = frozenset({"upper", "lower", "title", "capitalize", "swapcase", "casefold"})
ASKED = frozenset(
    {"isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isspace"}
    | {"isupper", "islower", "istitle"}
)
STRIPPED = frozenset({"strip", "lstrip", "rstrip"})
ENDED = frozenset({"startswith", "endswith"})
REMOVED = frozenset({"removeprefix", "removesuffix"})
FOUND = frozenset({"find", "rfind", "count"})
USES = {
    **dict.fromkeys(("upper", "lower"), (TextUse.LETTER_CASE,)),
    **dict.fromkeys(("title", "capitalize", "casefold"), (TextUse.CAPITALS,)),
    **dict.fromkeys(STRIPPED, (TextUse.TRIM,)),
    **dict.fromkeys(ASKED, (TextUse.CHARACTERS,)),
}
for _names, _rule in (
    (CHANGED, signature(ty.STRING, ty.STRING)),
    (ASKED, signature(ty.BOOLEAN, ty.STRING)),
    (STRIPPED, signature(ty.STRING, ty.STRING, ty.STRING, optional=1)),
    (ENDED, signature(ty.BOOLEAN, ty.STRING, ty.STRING)),
    (REMOVED, signature(ty.STRING, ty.STRING, ty.STRING)),
    (FOUND, signature(ty.LONG, ty.STRING, ty.STRING)),
):
    for _name in sorted(_names):
        _python(_name, _rule, getattr(str, _name), TOTAL, *USES.get(_name, ()))

_python("contains", signature(ty.BOOLEAN, ty.STRING, ty.STRING), lambda s, part: part in s, TOTAL)
_python("index", signature(ty.LONG, ty.STRING, ty.STRING), _raises(str.index), PARTIAL)


def _replace(text: str, old: str, new: str) -> str:
    if (len(text) + 1) * (len(new) + 1) > LONGEST:
        raise UnsupportedError("a text of too many characters is not interpreted")
    return text.replace(old, new)


_python("replace", signature(ty.STRING, ty.STRING, ty.STRING, ty.STRING), _replace, TOTAL)


def _wide(width: int) -> int:
    if width > LONGEST:
        raise UnsupportedError(f"a text of {width} characters is not interpreted")
    return width


_python("zfill", signature(ty.STRING, ty.STRING, ty.LONG), lambda s, n: s.zfill(_wide(n)), TOTAL)
_python("len", signature(ty.LONG, (ty.STRING, TEXTS)), len, TOTAL)
_python("at", signature(ty.STRING, ty.STRING, ty.LONG), _raises(lambda s, i: s[i]), PARTIAL)
_python("from", signature(ty.STRING, ty.STRING, ty.LONG), lambda s, i: s[i:], TOTAL)
_python("until", signature(ty.STRING, ty.STRING, ty.LONG), lambda s, i: s[:i], TOTAL)
_python("slice", signature(ty.STRING, ty.STRING, ty.LONG, ty.LONG), lambda s, i, j: s[i:j], TOTAL)
_python("reversed", signature(ty.STRING, ty.STRING), lambda s: s[::-1], TOTAL)
_python("words", signature(TEXTS, ty.STRING), lambda s: tuple(s.split()), TOTAL)
_python(
    "split",
    signature(TEXTS, ty.STRING, ty.STRING),
    _raises(lambda s, sep: tuple(s.split(sep))),
    PARTIAL,
)
_python("item", signature(ty.STRING, TEXTS, ty.LONG), _raises(lambda s, i: s[i]), PARTIAL)
_python("member", signature(ty.BOOLEAN, ty.STRING, TEXTS), lambda s, texts: s in texts, TOTAL)
_python("join", signature(ty.STRING, ty.STRING, TEXTS), str.join, TOTAL)
_python("characters", signature(TEXTS, ty.STRING), tuple, TOTAL)


def _chained(text: str, methods: str) -> Any:
    """A text after methods one after the other, `strip.lower`; nothing is called but those listed."""
    value: Any = text
    for name in methods.split(".") if methods else ():
        if name not in CHANGED | ASKED | STRIPPED:
            raise UnsupportedError(f"the method {name} of a text")
        value = getattr(value, name)()
    return value


# What comprehensions over texts do: each text changed, or those taken that are something, or not.
def _each(texts: tuple[str, ...], methods: str) -> tuple[Any, ...]:
    return tuple(_chained(text, methods) for text in texts)


def _those(texts: tuple[str, ...], asked: str, wanted: bool) -> tuple[str, ...]:
    return tuple(text for text in texts if bool(_chained(text, asked)) is wanted)


def _those_in(texts: tuple[str, ...], whole: str, wanted: bool) -> tuple[str, ...]:
    return tuple(text for text in texts if (text in whole) is wanted)


SOUGHT = signature(TEXTS, TEXTS, ty.STRING, ty.BOOLEAN)
_python("each", signature(TEXTS, TEXTS, ty.STRING), _each, TOTAL)
_python("those", SOUGHT, _those, TOTAL, TextUse.CHARACTERS)
_python("those_in", SOUGHT, _those_in, TOTAL)

_python(
    "int", signature(ty.LONG, ty.STRING), _raises(lambda s: _fits(int(s))), PARTIAL, TextUse.NUMBER
)
_python("float", signature(ty.DOUBLE, ty.STRING), _raises(float), PARTIAL, TextUse.NUMBER)


def _converts(convert: Callable[..., Any]) -> Callable[..., bool]:
    """Whether Python reads a text as a number or a date."""

    def asked(*args: str) -> bool:
        try:
            convert(*args)
        except ValueError:
            return False
        return True

    return asked


_python("is_int", signature(ty.BOOLEAN, ty.STRING), _converts(int), TOTAL, TextUse.NUMBER)
_python("is_float", signature(ty.BOOLEAN, ty.STRING), _converts(float), TOTAL, TextUse.NUMBER)
_python("float_text", signature(ty.STRING, ty.DOUBLE), repr, TOTAL)
for _name in ("trunc", "floor", "ceil"):
    _rounded = getattr(math, _name)
    _python(
        _name,
        signature(ty.LONG, ty.DOUBLE),
        _raises(lambda x, rounded=_rounded: _fits(rounded(x))),
        PARTIAL,
    )
_python("round", signature(ty.LONG, ty.DOUBLE), _raises(lambda x: _fits(round(x))), PARTIAL)
_rounded_to = _raises(lambda x, n: round(x, max(min(n, 400), -400)))
_python("round_to", signature(ty.DOUBLE, ty.DOUBLE, ty.LONG), _rounded_to, PARTIAL)

# Dates and times; formats hold only directives that mean the same everywhere.
TIME, DAY = signature(ty.TIMESTAMP_NTZ, ty.STRING, ty.STRING), signature(ty.DATE, ty.STRING)
_python("strptime", TIME, _raises(datetime.strptime), PARTIAL, TextUse.DATE)
_python("fromisoformat", DAY, _raises(date.fromisoformat), PARTIAL, TextUse.DATE)
_python(
    "is_strptime", signature(ty.BOOLEAN, ty.STRING, ty.STRING), _converts(datetime.strptime), TOTAL
)
_python("is_fromisoformat", signature(ty.BOOLEAN, ty.STRING), _converts(date.fromisoformat), TOTAL)
_python("date", signature(ty.DATE, ty.TIMESTAMP_NTZ), datetime.date, TOTAL)
_python("isoformat", signature(ty.STRING, ty.DATE), date.isoformat, TOTAL)
_python("strftime", signature(ty.STRING, ty.DATE, ty.STRING), date.strftime, TOTAL)
for _name in ("weekday", "isoweekday"):
    _python(_name, signature(ty.LONG, ty.DATE), getattr(date, _name), TOTAL)

_pattern = lru_cache(maxsize=256)(re.compile)

for _name in ("match", "search", "fullmatch"):
    _python(
        f"re_{_name}",
        signature(ty.BOOLEAN, ty.STRING, ty.STRING),
        lambda pattern, s, method=_name: bool(getattr(_pattern(pattern), method)(s)),
        TOTAL,
    )
REPLACED = signature(ty.STRING, ty.STRING, ty.STRING, ty.STRING)
_python("re_sub", REPLACED, lambda pattern, new, s: _pattern(pattern).sub(new, s), TOTAL)

for _name, _type in (("text", ty.STRING), ("int", ty.LONG), ("float", ty.DOUBLE)):
    _python(
        f"format_{_name}",
        signature(ty.STRING, _type, ty.STRING),
        _raises(lambda value, spec: format(value, spec)),
        PARTIAL,
    )


def _wrapped(bits: int) -> Callable[[int], int]:
    """The lowest bits of a number, in two's complement."""
    half = 1 << (bits - 1)
    return lambda number: (number + half) % (2 * half) - half


for _narrow in (ty.BYTE, ty.SHORT, ty.INT):  # what a pickled number too large for its type becomes
    _python(
        f"wrap_{_narrow}", signature(_narrow, ty.LONG), _wrapped(ty.INTEGER_BITS[_narrow]), TOTAL
    )
