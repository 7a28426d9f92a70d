"""Constants that a module computes when it is imported, and functions that read them."""

import datetime
import os
import random
import re
import time
from decimal import Decimal
from os import environ

CHANCE = random.random()
MOMENT = time.time()
DAY = datetime.date.today()
HOME = os.environ.get("HOME", "")
HERE = environ.get("PWD", "")


def now():
    return time.time()


LATER = now()
PATTERN = re.compile("a+")
WORDS = frozenset(["a", "b", "c"])
START = datetime.date(2020, 1, 1)
RATE = Decimal("0.1")
TABLE = {k: len(k) for k in ("a", "bb")}


def table():
    return {"a": 1}


SETTINGS = table()


def add_chance(x):
    return x + CHANCE


def add_moment(x):
    return x + MOMENT


def add_year(x):
    return x + DAY.year


def with_home(x):
    return HOME + str(x)


def with_place(x):
    return HERE + str(x)


def add_later(x):
    return x + LATER


def through_another(x):
    return add_chance(x) + 1


def matches(x):
    return bool(PATTERN.match(str(x)))


def is_word(x):
    return str(x) in WORDS


def add_start(x):
    return START.year + x


def at_rate(x):
    return RATE * x


def looked_up(x):
    return TABLE.get(str(x))


def set_to(x):
    return SETTINGS.get(str(x))


COMPUTED_ANEW = (
    add_chance,
    add_moment,
    add_year,
    with_home,
    with_place,
    add_later,
    through_another,
)
ALIKE = (matches, is_word, add_start, at_rate, looked_up, set_to)
