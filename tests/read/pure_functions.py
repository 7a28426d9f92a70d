"""Ordinary functions of Spark jobs, all of them functions of their arguments alone."""

# Written as people write them: `set()` where a literal would do, `dict()`, loops that append.
# ruff: noqa

from __future__ import annotations

import base64
import dataclasses
import datetime
import datetime as dt
import enum
import functools
import hashlib
import itertools
import json
import logging
import math
import operator
import re
import statistics
import string
import unicodedata
import zlib
from collections import Counter, OrderedDict, defaultdict, deque
from collections import Counter as Tally
from datetime import timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qs, urlparse

import numpy as np
from pyspark.sql import Row

LOG = logging.getLogger(__name__)
RATES = {"EUR": 1.0, "USD": 0.92, "GBP": 1.17}
NESTED = {"a": {"x": [1, 2]}, "b": {"x": [3]}}
STOP = {"the", "a", "an", "of"}
FROZEN = frozenset(["x", "y"])
KEYWORDS = ["error", "fatal", "panic"]
LEVELS = ("low", "mid", "high")
EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[a-z]+$", re.I)
BOUNDS = [(0, "child"), (18, "adult"), (65, "senior")]
EPOCH = datetime.date(1970, 1, 1)
STAMP = "%Y-%m-%d %H:%M:%S"
WEIGHTS = np.array([0.1, 0.2, 0.7])


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"

    @property
    def label(self):
        return self.value.upper()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Scaler:
    def __init__(self, factor, offset=0):
        self.factor = factor
        self.offset = offset

    def apply(self, x):
        return None if x is None else x * self.factor + self.offset

    @staticmethod
    def clean(s):
        return s.strip()

    @classmethod
    def double(cls, x):
        return cls(2).apply(x)

    @property
    def twice(self):
        return self.factor * 2


class Money:
    def __init__(self, amount, unit):
        self.amount, self.unit = amount, unit

    def __eq__(self, other):
        return (self.amount, self.unit) == (other.amount, other.unit)

    def __hash__(self):
        return hash((self.amount, self.unit))

    def __add__(self, other):
        return Money(self.amount + other.amount, self.unit)

    def __repr__(self):
        return f"{self.amount} {self.unit}"


@dataclasses.dataclass(frozen=True)
class Address:
    street: str
    city: str = "x"
    tags: list = dataclasses.field(default_factory=list)

    @property
    def key(self):
        return f"{self.street}/{self.city}".lower()


@dataclasses.dataclass
class Adder:
    total: int = 0

    def add(self, value):
        self.total += value
        return self


class Band(NamedTuple):
    limit: int
    name: str


@dataclasses.dataclass(frozen=True)
class Rule:
    limit: int
    name: str

    @property
    def label(self):
        return self.name.upper()

    def fits(self, x):
        return x < self.limit


BANDS = (Band(18, "child"), Band(65, "adult"))
RULES = [Rule(18, "child"), Rule(65, "adult")]


class BadValue(ValueError):
    pass


SCALER = Scaler(3, offset=1)


def _is_blank(s):
    return s is None or not s.strip()


def _collect(out, item):
    out.append(item)
    return out


def strip_lower(s):
    return s.strip().lower() if s else None


def squeeze(s):
    return re.sub(r"\s+", " ", s or "").strip()


def slug(s):
    s = unicodedata.normalize("NFKD", s).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^\w]+", "-", s).strip("-").lower()


def is_email(s):
    return bool(EMAIL.match(s)) if s is not None else False


def domain(s):
    m = EMAIL.search(s or "")
    if m is None:
        return None
    return m.group(0).split("@")[-1].lower()


def from_json(s):
    try:
        data = json.loads(s)
    except (TypeError, ValueError):
        return None
    return data.get("user", {}).get("name")


def from_json_quietly(s):
    try:
        return json.loads(s)["id"]
    except Exception as error:
        LOG.warning("no id in %s: %s", s, error)
        return None


def to_json(s, x):
    return json.dumps({"name": s, "value": x}, sort_keys=True)


def rated(s, x):
    return x * RATES.get(s, 0.0)


def rated_strictly(s, x):
    if s not in RATES:
        raise ValueError(f"no rate for {s!r}")
    return round(x * RATES[s], 2)


def nested_lookup(s):
    return sum(NESTED[s]["x"]) if s in NESTED else None


def without_stop_words(s):
    return " ".join(w for w in s.split() if w not in STOP)


def has_keyword(s):
    return any(k in s for k in KEYWORDS)


def has_stop_word(s):
    return any(w in STOP for w in s.split()) or s in FROZEN


def any_of_a_set(s):
    return any(word in s for word in STOP)


def letters(s):
    return len(set(s))


def sorted_letters(s):
    return "".join(sorted(set(s)))


def common_words(s, t):
    return len(set(s.split()) & set(t.split()))


def jaccard(s, t):
    a, b = set(s.split()), set(t.split())
    return len(a & b) / len(a | b) if a or b else 0.0


def unique_in_order(s):
    seen, out = set(), []
    for w in s.split():
        if w not in seen:
            seen.add(w)
            out.append(w)
    return out


def unique_by_dict(s):
    return list(dict.fromkeys(s.split()))


def age_band(x):
    label = None
    for bound, name in BOUNDS:
        if x >= bound:
            label = name
    return label


def iso_date(s):
    return datetime.datetime.strptime(s, "%d/%m/%Y").strftime("%Y-%m-%d")


def iso_stamp(s):
    return dt.datetime.strptime(s, STAMP).isoformat()


def days_since(d):
    return (d - EPOCH).days


def month_start(d):
    return d.replace(day=1)


def next_week(d):
    return d + timedelta(days=7 - d.weekday())


def from_epoch(x):
    return datetime.datetime.fromtimestamp(x, tz=timezone.utc)


def date_text(d):
    return f"{d:%Y-%m-%d} ({d.year})"


def rounded_decimal(s):
    return Decimal(s).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def fraction(s):
    return float(Fraction(s).limit_denominator(10))


def haversine(a, b, c, d):
    a, b, c, d = map(math.radians, (a, b, c, d))
    h = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(h))


def safe_divide(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return None


def masked(s):
    return s[:2] + "*" * (len(s) - 4) + s[-2:] if len(s) > 4 else "*" * len(s)


def hashed(s):
    return hashlib.sha256(s.encode("utf-8")).hexdigest()


def hashed_in_parts(s, t):
    h = hashlib.md5()
    h.update(s.encode())
    h.update(t.encode())
    return h.hexdigest()


def bucketed(s):
    return zlib.crc32(s.encode()) % 16


def encoded(s):
    return base64.b64encode(s.encode()).decode()


def host(s):
    return urlparse(s).netloc.lower()


def query_value(s):
    return parse_qs(urlparse(s).query).get("id", [None])[0]


def word_counts(s):
    return dict(Counter(s.lower().split()))


def most_common(s):
    counts = Tally(s.split())
    return sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[0][0]


def most_common_by_item(s):
    return max(Counter(s.split()).items(), key=operator.itemgetter(1))[0]


def grouped(s):
    groups = defaultdict(list)
    for w in s.split():
        groups[len(w)].append(w)
    return {k: ",".join(v) for k, v in groups.items()}


def grouped_by_default(s):
    groups = {}
    for w in s.split():
        groups.setdefault(w[0], []).append(w)
    return json.dumps(groups)


def bubble(s):
    items = list(s)
    items.sort(key=str.lower)
    items.reverse()
    return "".join(items)


def running(s):
    total, out = 0, []
    for part in s.split(","):
        total += int(part)
        out.append(total)
    return out


def matrix(s):
    rows = [[int(c) for c in line.split()] for line in s.splitlines()]
    rows[0][0] = 1
    return [list(r) for r in zip(*rows)]


def queue(s):
    q = deque(s, maxlen=3)
    q.append("x")
    return "".join(q)


def scaled(x):
    return SCALER.apply(x)


def scaled_anew(x):
    return Scaler(x, 2).apply(3) + Scaler.double(x) + Scaler(x).twice


def cleaned_by_class(s):
    return Scaler.clean(s)


def money(x):
    return str(Money(x, "EUR") + Money(1, "EUR"))


def same_money(x, y):
    return Money(x, "EUR") == Money(y, "EUR")


def color(s):
    return Color(s).name


def color_label(s):
    return Color.RED.label if s == Color.RED.value else Color(s).label


def color_is(s):
    return Color(s) is Color.RED


def level(x):
    return int(Level.HIGH) if x > 3 else Level.LOW.value


def fail(x):
    if x < 0:
        raise BadValue(f"negative: {x}")
    return math.sqrt(x)


def piped(s):
    steps = [str.strip, str.lower, lambda v: v.replace(" ", "_")]
    for step in steps:
        s = step(s)
    return s


def reduced(s):
    return functools.reduce(lambda a, b: a * 31 + ord(b), s, 7)


def partially(s):
    pad = partial(str.rjust, s, 10)
    return pad("0")


def luhn(s):
    digits = [int(c) for c in s if c.isdigit()]
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)) % 10 == 0


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def flattened(s):
    def walk(value, prefix, out):
        for k, v in value.items():
            if isinstance(v, dict):
                walk(v, prefix + k + ".", out)
            else:
                out[prefix + k] = str(v)

    found = {}
    walk(json.loads(s), "", found)
    return found


def formatted(s, x):
    return "{:>10}|{:.2f}".format(s, x) + "%s-%05d" % (s, x) + f"{x:,.1f}" + format(x, ".3e")


def percent(x):
    return f"{x:.1%}"


def translated(s):
    return s.translate(str.maketrans("", "", string.punctuation))


def by_match(s):
    match s.split():
        case [first]:
            return first
        case [first, *rest]:
            return first + str(len(rest))
        case _:
            return None


def helper_fills(s):
    out = []
    for c in s:
        _collect(out, c)
    return "".join(out) if not _is_blank(s) else None


def typed(x):
    if isinstance(x, bool) or type(x) is str:
        return "text"
    return "number" if isinstance(x, (int, float)) else None


def zipped(s, t):
    return {a: b for a, b in zip(s.split(), t.split())}


def windowed(s):
    return ["".join(g) for _, g in itertools.groupby(sorted(s), key=str.isdigit)]


def mean_of(s):
    return statistics.mean([float(v) for v in s.split(",")])


def weighted(x):
    return float(np.sqrt(np.abs(x)) * np.dot(WEIGHTS, np.array([1.0, 2.0, 3.0])))


def ordered_dict(s):
    table = OrderedDict((w, len(w)) for w in s.split())
    table.move_to_end(next(iter(table)))
    return list(table)


def imported_inside(s):
    import re as regex
    from json import dumps

    return dumps(regex.findall(r"\d+", s))


def logged(s):
    logging.getLogger("job").info("seen %s", s)
    print("seen", s)
    return s


def with_default(x, table={"a": 1}, names=("b",)):
    return table.get(x, len(names))


def walrus(s):
    return n if (n := len(s)) > 3 else None


def generator(s):
    def parts():
        for p in s.split(","):
            yield p.strip()

    return list(parts())


def address(s):
    return str(Address(s)) + Address(s, "y").key


def added(s):
    adder = Adder()
    for word in s.split():
        adder.add(len(word))
    return adder.total


def banded(x):
    for band in BANDS:
        if x < band.limit:
            return band.name
    return None


def ruled(x):
    return [rule.label for rule in RULES if rule.fits(x)]


def brackets(s):
    stack = []
    for c in s:
        if c == "(":
            stack.append(c)
        elif c == ")":
            if not stack:
                return False
            stack.pop()
    return not stack


def distance(s, t):
    before = list(range(len(t) + 1))
    for i, a in enumerate(s):
        row = [i + 1]
        for j, b in enumerate(t):
            row.append(min(before[j + 1] + 1, row[j] + 1, before[j] + (a != b)))
        before = row
    return before[-1]


def repeated(n):
    return "-" * n


def repeated_few(s):
    try:
        return s.strip() + "-" * 20
    except Exception:
        return None


def repeated_but_for_one_error(n):
    try:
        return "-" * n
    except ValueError:
        return None


def product_caught(a, b):
    try:
        return a * b + a**2
    except Exception:
        return None


def power_of_floats(a, b):
    try:
        return a**b
    except Exception:
        return None


def as_row(s):
    return Row(name=s.strip(), size=len(s))


def closure_of(table, limit):
    return lambda s: s if table.get(s, 0) > limit else None


closed = closure_of({"a": 3}, 2)
upper = str.upper
half = partial(operator.mul, 0.5)
bound = SCALER.apply

FUNCTIONS = {
    name: value
    for name, value in list(globals().items())
    if callable(value)
    and not name.startswith("_")
    and not isinstance(value, type)
    and getattr(value, "__module__", None) in (__name__, None, "__main__")
    and name != "closure_of"
}
# Functions out of a collection are not followed.
NOT_FOLLOWED = {"piped": FUNCTIONS.pop("piped")}
FUNCTIONS |= {"upper": upper, "half": half, "bound": bound}
