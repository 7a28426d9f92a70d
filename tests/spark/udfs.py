"""Python functions of all the kinds that are read, and some that are not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

RATES = {"gold": 0.1, "silver": 0.05, None: 0.0}
CODES = {"a": 1, "b": 2}
NAMES = ("a", "b", None)
LIMIT = 3
WORDS = re.compile(r"^[ab]+$", re.IGNORECASE)


def _clamped(x: int, low: int = 0, high: int = 10) -> int:
    if x < low:
        return low
    return high if x > high else x


def bucket(x: Any) -> Any:
    if x is None:
        return "none"
    if x < 0:
        return "negative"
    if x == 0:
        return "zero"
    return "small" if x <= LIMIT else "large"


def early(x: Any) -> Any:
    if x is None or x % 2:
        return None
    half = x // 2
    return half - 1


def signs(x: Any) -> Any:
    return x // 3 if x else 7


def remainder(x: Any) -> Any:
    return x % -3


def quotient(x: Any) -> Any:
    return -7 // x


def looped(x: Any) -> Any:
    total = 0
    for i in range(4):
        if i == 2:
            continue
        if x is not None and x > i:
            total += i * x
        else:
            break
    else:
        total = -1
    return total


def helped(x: Any) -> Any:
    return _clamped(x, high=5) if x is not None else _clamped(-1)


def truth(x: Any) -> Any:
    return not x or (x in (1, 2, 5) and x != 2)


def chained(x: Any) -> Any:
    return x is not None and 0 <= x < 5


def mixed(x: Any) -> Any:
    return x / 4 + 1 if x is not None else 0.5


def powered(x: Any) -> Any:
    return x**2 - abs(x) + min(x, 3, 2) * max(x, 1)


def named(x: Any) -> Any:
    return f"{x}:{x if x else 'no'}"


def padded(x: Any) -> Any:
    return f"{x:05d}" if x is not None else str(None)


def counted(x: Any) -> Any:
    return sum([1, 2]) + len("abc") + int(x is None) + True


def squeezed(s: Any) -> Any:
    return s.strip().lower().replace("a", "bb") if s else s


def starting(s: Any) -> Any:
    return s is not None and (s.startswith(("a", "B")) or s.endswith("z") or "zz" in s)


def looked(s: Any) -> Any:
    return RATES.get(s, 1.0)


def coded(s: Any) -> Any:
    return CODES[s] if s in CODES else len(s or "")


def listed(s: Any) -> Any:
    return s in NAMES


def first_word(s: Any) -> Any:
    parts = (s or "x y").split(" ")
    return parts[0].upper() if len(parts) > 1 else parts[-1]


def sliced(s: Any) -> Any:
    if s is None:
        return "-"
    return s[:1] + s[-2:] + s[1:3] + s[::-1]


def matched(s: Any) -> Any:
    if s is None:
        return False
    return bool(WORDS.match(s)) or re.search("[0-9]", s) is not None


def cleaned(s: Any) -> Any:
    return re.sub(r"[^a-z]+", "_", s.lower()) if s is not None else None


def any_word(s: Any) -> Any:
    return s is not None and any(w in s for w in ("a", "zz")) and not all(c in s for c in "ab")


def joined(s: Any) -> Any:
    return "-".join([s, "x", s]) if s is not None else "".join(())


def numeric(s: Any) -> Any:
    return int(s) + 1 if s is not None and s.isdigit() and len(s) < 9 else -1


def compared(s: Any) -> Any:
    return s is not None and (s > "a" or s == "B")


def halved(d: Any) -> Any:
    return d / 2 if d is not None else None


def ordered(d: Any) -> Any:
    if d is None:
        return 0
    return 1 if d > 1.5 else 2 if d == d else 3


def rounded(d: Any) -> Any:
    return round(d, 1) if d is not None and abs(d) < 100 else -0.0


def floored(d: Any) -> Any:
    if d is None or math.isnan(d) or abs(d) > 1000:
        return 0
    return math.floor(d) + int(d)


def spelled(d: Any) -> Any:
    return str(d)


def falsy(d: Any) -> Any:
    return 1 if d else 0


def flipped(b: Any) -> Any:
    return not b if b is not None else None


def added(b: Any) -> Any:
    return b + 1 if b is not None else -1


LONGS: list[Callable[..., Any]] = [
    bucket, early, signs, remainder, quotient, looped, helped, truth, chained, mixed, powered,
    named, padded, counted, lambda x: x * 2, lambda x: None if x is None else -x,
]  # fmt: skip


class Level(NamedTuple):
    limit: int
    name: str


LEVELS = (Level(2, "short"), Level(4, "medium"))


def tried(s: Any) -> Any:
    try:
        return int(s)
    except (TypeError, ValueError):
        return -1


def tried_float(s: Any) -> Any:
    try:
        value = float(s)
    except ValueError:
        return 0.5
    except TypeError:
        return None
    else:
        return value


def cased(s: Any) -> Any:
    match s:
        case "a" | "b":
            return "letter"
        case None:
            return "nothing"
        case str() if len(s) > 2:
            return "long"
    return s


def gathered(s: Any) -> Any:
    parts = []
    for part in (s, "x", None):
        if part:
            parts.append(part.upper())
    return "{}:{}".format("-".join(parts), len([p for p in parts if p > "B"]))


def leveled(s: Any) -> Any:
    def size(text: Any) -> Any:
        return 0 if text is None else len(text)

    for level in LEVELS:
        if size(s) < level.limit:
            return level.name
    return "%s (%d%%)" % (s, size(s))  # noqa: UP031


def digits(s: Any) -> Any:
    return "".join(c for c in s or "" if c.isdigit())


def dated(s: Any) -> Any:
    try:
        return datetime.strptime(s or "2024-02-29", "%Y-%m-%d").date()
    except ValueError:
        return None


TEXTS: list[Callable[..., Any]] = [
    tried, tried_float, cased, gathered, leveled, digits, dated,
    squeezed, starting, looked, coded, listed, first_word, sliced, matched, cleaned, any_word,
    joined, numeric, compared, lambda s: s, lambda s: s == "a",
]  # fmt: skip
DOUBLES: list[Callable[..., Any]] = [halved, ordered, rounded, floored, spelled, falsy]
BOOLEANS: list[Callable[..., Any]] = [flipped, added]
VALUES: dict[str, list[Any]] = {
    "int": [None, 0, 1, 2, 3, 4, 5, 7, -1, -2, -7, 100, 2**31 - 1, -(2**31)],
    "bigint": [None, 0, 1, 2, 3, 4, 5, 7, -1, -2, -7, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)],
    "string": [
        None,
        "",
        "a",
        "b",
        "B",
        "ab",
        "zz",
        "a b",
        " aB1 ",
        "12",
        " 1_0 ",
        "\u0663",
        "gold",
        "ß",
        "a.b c",
    ],
    "double": [None, 0.0, -0.0, 1.5, 2.5, -2.5, 0.25, 1e300, math.nan, math.inf, -math.inf, 12.345],
    "boolean": [None, True, False],
}
RESULTS = ("int", "bigint", "double", "string", "boolean", "float", "date")
