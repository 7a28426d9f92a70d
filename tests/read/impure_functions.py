"""Functions that are not functions of their arguments, by what they depend on.

`STATE` keeps something between calls or changes what it is given, and must never be paired;
`CHOICES` depend on a clock, on chance, on hashes, on the place where they run.
"""

# ruff: noqa

from __future__ import annotations

import array
import builtins
import collections
import contextlib
import contextvars
import copy
import datetime
import datetime as dt
import decimal
import functools
import hashlib
import heapq
import hmac
import io
import itertools
import json
import locale
import logging
import math
import numbers
import operator
import os
import pathlib
import platform
import random
import re
import secrets
import statistics
import string
import sys
import threading
import time
import types
import uuid
import warnings
import weakref
import zoneinfo
from bisect import insort
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, timezone
from os import environ, sep
from random import Random
from sys import argv

import numpy as np
import pandas as pd

from tests.read import impure_namespaces

SET = {1, 2}
LIST = [1]
DICT = {"a": 1}
NESTED = {"a": [1]}
BYTES = bytearray(b"ab")
DEQUE_LIST = [[1], [2]]
ARRAY = np.array([1.0, 2.0])
VECTOR = np.array([3.0, 1.0, 2.0])
CELL = np.array(0.0)
MATRIX = np.array([[2.0, 1.0], [1.0, 2.0]])
WORDS = {"x", "y", "z"}
NUMBERS = frozenset([1, 2, 30])
ROWS = [1, 2]
GENERATOR = (i for i in range(10))
COUNT = itertools.count()
ITERATOR = iter([1, 2, 3])
RANDOM = random.Random(1)
LOCK = threading.Lock()
LOCAL = threading.local()
VARIABLE = contextvars.ContextVar("v", default=0)
LOG = logging.getLogger(__name__)
BUFFER = io.StringIO()
ADD = SET.add
APPEND = LIST.append
SENTINEL = object()
TOTAL = 0
NESTED_ERRORS = (ValueError, (RecursionError,))
CLOCKS = [time.time, time.monotonic]


class Held:
    total = 0
    seen: list = []

    def __init__(self):
        self.n = 0
        self.items = []

    def step(self, x):
        self.n += 1
        return self.n

    def keep(self, x):
        self.items.append(x)
        return len(self.items)

    def shared(self, x):
        self.seen.append(x)
        return len(self.seen)

    @classmethod
    def count(cls, x):
        cls.total += 1
        return cls.total

    @property
    def next(self):
        self.n += 1
        return self.n

    def __call__(self, x):
        self.n += 1
        return self.n

    def __getitem__(self, key):
        self.n += 1
        return self.n

    def __len__(self):
        self.n += 1
        return self.n


class Numbered:
    made = 0

    def __init__(self):
        Numbered.made += 1
        self.number = Numbered.made


class Quiet:
    def __init__(self, x):
        self.x = x


class Timed:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return random.random() < 0.5

    def __hash__(self):
        return 1

    def __str__(self):
        return str(time.time())

    @property
    def now(self):
        return datetime.datetime.now()


class Settable:
    @property
    def value(self):
        return 1

    @value.setter
    def value(self, value):
        LIST.append(value)


class Meta(type):
    def __call__(cls, *args):
        LIST.append(1)
        return len(LIST)


class WithMeta(metaclass=Meta):
    pass


class Iterated:
    def __iter__(self):
        return iter(WORDS)


class Context:
    def __enter__(self):
        LIST.append(1)
        return self

    def __exit__(self, *args):
        return False


class Plain:
    def go(self, x):
        return self.step(x)

    def step(self, x):
        return x


class Random_(Plain):
    def step(self, x):
        return random.random()


class Dynamic:
    def __getattr__(self, name):
        return time.time()


class Descriptor:
    def __get__(self, instance, owner):
        return time.time()


class Described:
    value = Descriptor()


class Deep:
    depth = 0

    def __add__(self, other):
        self.depth += 1
        return self + other


HELD = Held()


# -- state -----------------------------------------------------------------------------------------


def set_symmetric(x):
    SET.symmetric_difference_update({x})
    return len(SET)


def set_difference(x):
    SET.difference_update({x})
    return x in SET


def set_intersection(x):
    SET.intersection_update({x})
    return x in SET


def set_ior(x):
    SET.__ior__({x})
    return len(SET)


def set_by_class(x):
    set.add(SET, x)
    return len(SET)


def set_by_operator(x):
    seen = SET
    seen |= {x}
    return len(seen)


def set_ixor(x):
    seen = SET
    seen ^= {x}
    return len(seen)


def set_bound(x):
    ADD(x)
    return len(SET)


def set_alias(x):
    add = SET.add
    add(x)
    return len(SET)


def set_if(x):
    target = SET if x else set()
    target.add(x)
    return len(target)


def set_or(x):
    target = None or SET
    target.add(x)
    return len(target)


def set_in_list(x):
    for s in [SET, {1}]:
        s.add(x)
    return len(SET)


def set_through_helper(x):
    def put(where):
        where.add(x)

    put(SET)
    return len(SET)


def set_through_map(x):
    list(map(SET.add, [x]))
    return len(SET)


def set_through_lambda(x):
    (lambda s: s.add(x))(SET)
    return len(SET)


def set_in_comprehension(x):
    [SET.add(i) for i in range(x)]
    return len(SET)


def set_pop(x):
    return SET.pop()


def list_extend(x):
    LIST.extend([x])
    return len(LIST)


def list_iadd(x):
    held = LIST
    held += [x]
    return len(held)


def list_imul(x):
    held = LIST
    held *= 2
    return len(held)


def list_slice(x):
    LIST[len(LIST) :] = [x]
    return len(LIST)


def list_delete(x):
    del LIST[0]
    return len(LIST)


def list_delitem(x):
    LIST.__delitem__(0)
    return len(LIST)


def list_setitem(x):
    LIST.__setitem__(0, x)
    return LIST[0]


def list_bound(x):
    APPEND(x)
    return len(LIST)


def list_sorted(x):
    LIST.append(x)
    LIST.sort()
    return LIST[0]


def list_heap(x):
    heapq.heappush(LIST, x)
    return LIST[0]


def list_insort(x):
    insort(LIST, x)
    return len(LIST)


def list_operator(x):
    operator.iadd(LIST, [x])
    return len(LIST)


def list_operator_set(x):
    operator.setitem(LIST, 0, x)
    return LIST[0]


def list_unpacked(x):
    LIST[0], y = x, LIST[0]
    return y


def list_loop_target(x):
    for LIST[0] in [x]:
        pass
    return LIST[0]


def list_with_target(x):
    with contextvars.copy_context() as LIST[0]:
        return x


def nested_list(x):
    NESTED["a"].append(x)
    return len(NESTED["a"])


def nested_get(x):
    NESTED.get("a", []).append(x)
    return len(NESTED["a"])


def nested_values(x):
    for v in NESTED.values():
        v.append(x)
    return len(NESTED["a"])


def nested_copy(x):
    fresh = NESTED.copy()
    fresh["a"].append(x)
    return len(NESTED["a"])


def nested_listed(x):
    fresh = list(NESTED.values())
    fresh[0].append(x)
    return len(NESTED["a"])


def nested_sorted(x):
    fresh = sorted(DEQUE_LIST)
    fresh[0].append(x)
    return len(fresh[0])


def nested_max(x):
    max(DEQUE_LIST).append(x)
    return len(DEQUE_LIST[1])


def nested_next(x):
    next(iter(DEQUE_LIST)).append(x)
    return len(DEQUE_LIST[0])


def nested_starred(x):
    first, *rest = DEQUE_LIST
    rest[0].append(x)
    return len(rest[0])


def nested_shallow(x):
    copy.copy(NESTED)["a"].append(x)
    return len(NESTED["a"])


def nested_slice(x):
    DEQUE_LIST[:][0].append(x)
    return len(DEQUE_LIST[0])


def nested_tuple(x):
    pair = (LIST, x)
    pair[0].append(x)
    return len(LIST)


def nested_stored(x):
    table = {}
    table["k"] = LIST
    table["k"].append(x)
    return len(LIST)


def nested_boxed(x):
    box = [LIST]
    box[0].append(x)
    return len(LIST)


def nested_object(x):
    q = Quiet(LIST)
    q.x.append(x)
    return len(LIST)


def nested_chain(x):
    for v in itertools.chain(DEQUE_LIST):
        v.append(x)
    return len(DEQUE_LIST[0])


def nested_zip(x):
    for a, b in zip(DEQUE_LIST, [1, 2]):
        a.append(b)
    return len(DEQUE_LIST[0])


def nested_partial(x):
    functools.partial(list.append, LIST)(x)
    return len(LIST)


def nested_attribute_iadd(x):
    q = Quiet(LIST)
    q.x += [x]
    return len(LIST)


def dict_set(x):
    DICT[x] = 1
    return len(DICT)


def dict_default(x):
    return DICT.setdefault(x, len(DICT))


def dict_ior(x):
    held = DICT
    held |= {x: 1}
    return len(held)


def dict_popitem(x):
    return DICT.popitem()[1]


def dict_update(x):
    dict.update(DICT, {x: 1})
    return len(DICT)


def dict_count(x):
    DICT["a"] += 1
    return DICT["a"]


def bytes_set(x):
    BYTES[0] = 7
    return BYTES[0]


def bytes_extend(x):
    BYTES.extend(b"x")
    return len(BYTES)


def array_set(x):
    ARRAY[0] += x
    return float(ARRAY[0])


def array_view(x):
    view = ARRAY[:1]
    view += 1
    return float(ARRAY[0])


def array_reshaped(x):
    ARRAY.reshape(2, 1)[0] = x
    return float(ARRAY[0])


def array_asarray(x):
    np.asarray(ARRAY)[0] = x
    return float(ARRAY[0])


def array_out(x):
    np.add(ARRAY, 1, out=ARRAY)
    return float(ARRAY[0])


def array_fill(x):
    ARRAY.fill(x)
    return float(ARRAY[0])


def array_partition_held(x):
    ARRAY.partition(0)
    return float(ARRAY[0])


def array_clip_by_place(x):
    ARRAY.clip(0, 1, ARRAY)
    return float(ARRAY[0])


def array_round_by_place(x):
    ARRAY.round(0, ARRAY)
    return float(ARRAY[0])


def array_cumsum_by_place(x):
    VECTOR.cumsum(0, None, VECTOR)
    return float(VECTOR[-1])


def array_sum_by_place(x):
    ARRAY.sum(0, None, CELL)
    return float(CELL)


def array_dot_by_place(x):
    MATRIX.dot(MATRIX, MATRIX)
    return float(MATRIX[0][0])


def array_spread(x):
    VECTOR.cumsum(*[0, None, VECTOR])
    return float(VECTOR[-1])


def array_by_class(x):
    np.ndarray.partition(ARRAY, 0)
    return float(ARRAY[0])


def array_named(x):
    VECTOR.cumsum(**{"out": VECTOR})
    return float(VECTOR[-1])


def array_bound(x):
    total = VECTOR.cumsum
    total(0, None, VECTOR)
    return float(VECTOR[-1])


def array_overwritten(x):
    np.median(ARRAY, overwrite_input=True)
    return float(ARRAY[0])


def array_overwritten_by_place(x):
    np.median(ARRAY, 0, None, True)
    return float(ARRAY[0])


def array_quantile(x):
    np.quantile(ARRAY, 0.5, overwrite_input=True)
    return float(ARRAY[0])


def array_resized(x):
    ARRAY.resize(3, refcheck=False)
    return len(ARRAY)


def memo_default(x, memo={}):
    if x not in memo:
        memo[x] = len(memo)
    return memo[x]


def memo_list(x, seen=[]):
    seen.append(x)
    return len(seen)


def memo_keyword(x, *, seen=[]):
    seen.append(x)
    return len(seen)


def global_total(x):
    global TOTAL
    TOTAL += 1
    return TOTAL


def global_vars(x):
    vars()["TOTAL"] = x
    return x


def function_attribute(x):
    function_attribute.n = getattr(function_attribute, "n", 0) + 1
    return function_attribute.n


def function_attribute_set(x):
    function_attribute_set.n = x
    return x


def module_attribute(x):
    math.marker = x
    return x


def module_own(x):
    string.digits += "x"
    return len(string.digits)


def class_attribute(x):
    Held.total += 1
    return Held.total


def class_list(x):
    Held.seen.append(x)
    return len(Held.seen)


def class_method(x):
    return Held.count(x)


def class_list_of_a_new_one(x):
    return Held().shared(x)


def class_numbered(x):
    return Numbered().number


def class_setattr(x):
    type.__setattr__(Held, "total", x)
    return Held.total


def object_setattr(x):
    object.__setattr__(HELD, "n", x)
    return HELD.n


def held_setattr(x):
    HELD.__setattr__("n", x)
    return HELD.n


def held_step(x):
    return HELD.step(x)


def held_keep(x):
    return HELD.keep(x)


def held_call(x):
    return HELD(x)


def held_item(x):
    return HELD[x]


def held_length(x):
    return len(HELD)


def held_property(x):
    return HELD.next


def held_attribute(x):
    HELD.n = x
    return HELD.n


def held_delete(x):
    del HELD.items[:]
    return x


def held_dict(x):
    HELD.__dict__["n"] = x
    return HELD.n


def held_alias(x):
    h = HELD
    h.items += [x]
    return len(h.items)


def held_init(x):
    HELD.__init__()
    return HELD.n


held_bound = HELD.step
held_partial = functools.partial(HELD.keep)


def generator_next(x):
    return next(GENERATOR)


def generator_loop(x):
    for i in GENERATOR:
        return i
    return None


def generator_sum(x):
    return sum(GENERATOR)


def count_next(x):
    return next(COUNT)


def count_zip(x):
    return [b for a, b in zip([x], COUNT)]


def iterator_in(x):
    return x in ITERATOR


def iterator_list(x):
    return list(ITERATOR)


def local_state(x):
    LOCAL.n = x
    return x


def variable_set(x):
    VARIABLE.set(x)
    return x


def buffer_write(x):
    BUFFER.write(str(x))
    return len(BUFFER.getvalue())


def print_to_buffer(x):
    print(x, file=BUFFER)
    return x


@functools.lru_cache(maxsize=2)
def cached_helper(x):
    return [x]


def cached_changed(x):
    cached_helper(1).append(x)
    return len(cached_helper(1))


def closure_counter():
    n = 0

    def count(x):
        nonlocal n
        n += 1
        return n

    return count


def closure_list():
    seen = []

    def keep(x):
        seen.append(x)
        return len(seen)

    return keep


def closure_generator():
    source = (i for i in range(10))

    def take(x):
        return next(source)

    return take


def closure_cell():
    cell = [0]

    def bump(x):
        cell[0] += 1
        return cell[0]

    return bump


def closure_default():
    return lambda x, seen=[]: (seen.append(x), len(seen))[1]


def decorated(function):
    calls = {"n": 0}

    def wrapped(x):
        calls["n"] += 1
        return function(x) + calls["n"]

    return wrapped


counted = closure_counter()
kept = closure_list()
taken = closure_generator()
bumped = closure_cell()
defaulted = closure_default()
wrapped = decorated(lambda x: x)


def argument_append(x):
    x.append(1)
    return len(x)


def argument_sort(x):
    x.sort()
    return x[0]


def argument_item(x):
    x[0] = 1
    return x


def argument_iadd(x):
    x += [1]
    return len(x)


def argument_nested(x):
    for row in x:
        row["k"] = 1
    return len(x)


def argument_alias(x):
    y = x or []
    y.append(1)
    return y


def argument_shuffle(x):
    random.shuffle(x)
    return x


def argument_heap(x):
    heapq.heapify(x)
    return x[0]


def class_setter(x):
    Settable().value = x
    return len(LIST)


def class_meta(x):
    return WithMeta()


def class_context(x):
    with Context():
        return len(LIST)


def error_arguments(x):
    try:
        raise ValueError(LIST)
    except ValueError as error:
        error.args[0].append(x)
    return len(LIST)


def array_out_by_place(x):
    np.add(ARRAY, 1, ARRAY)
    return float(ARRAY[0])


def method_replaced(x):
    plain = Plain()
    plain.step = LIST.append
    return plain.go(x)


def arguments_spread(x):
    def put(*places, **named):
        places[0].append(x)
        named["more"].append(x)

    put(*[LIST], **{"more": LIST})
    return len(LIST)


def class_inside(x):
    class Inner:
        LIST.append(x)

    return len(LIST)


def partition(x):
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


# -- choices ---------------------------------------------------------------------------------------


def clock_now(x):
    return datetime.datetime.now().isoformat()


def clock_utcnow(x):
    return str(dt.datetime.utcnow())


def clock_today(x):
    return date.today().isoformat()


def clock_time(x):
    return time.time()


def clock_struct(x):
    return time.strftime("%Y")


def clock_alias(x):
    now = datetime.datetime.now
    return str(now())


def clock_stored(x):
    table = {"now": time.time}
    return table["now"]()


def clock_mapped(x):
    return [f() for f in (time.time, time.monotonic)][0]


def clock_inside(x):
    from time import perf_counter as p

    return p()


def clock_numpy(x):
    return str(np.datetime64("now"))


def clock_numpy_today(x):
    return str(np.datetime64("today", "D"))


def clock_numpy_array(x):
    return str(np.array(["now"], dtype="datetime64[s]"))


def clock_numpy_astype(x):
    return str(np.array(["now"]).astype("datetime64[s]"))


def clock_numpy_asarray(x):
    return str(np.asarray(["now"], "M8[s]"))


def clock_numpy_full(x):
    return str(np.full(1, "now", dtype="M8[s]"))


def clock_pandas(x):
    return str(pd.Timestamp("now"))


def clock_pandas_now(x):
    return str(pd.Timestamp.now())


def clock_pandas_parsed(x):
    return str(pd.to_datetime("now"))


def clock_pandas_series(x):
    return str(pd.Series(["now"], dtype="datetime64[ns]")[0])


def clock_pandas_astype(x):
    return str(pd.Series(["now"]).astype("datetime64[ns]")[0])


def clock_helper(x):
    return _stamp()


def _stamp():
    return time.time_ns()


def clock_class(x):
    return str(Timed(x))


def clock_property(x):
    return Timed(x).now.year


def clock_default_argument(x, clock=time.time):
    return clock()


def clock_dynamic(x):
    return Dynamic().anything


def clock_descriptor(x):
    return Described().value


def clock_callback(x):
    return sorted([3, 1, 2], key=lambda v: time.time())[0]


def clock_factory(x):
    return defaultdict(time.time)[x]


def clock_substitution(x):
    return re.sub("a", lambda m: str(time.time()), "a")


def clock_hook(x):
    return json.loads("{}", object_hook=lambda d: time.time())


def zone_timestamp(x):
    return datetime.datetime(2020, 1, 1).timestamp()


def zone_fromtimestamp(x):
    return datetime.datetime.fromtimestamp(0).isoformat()


def zone_fromtimestamp_none(x):
    return datetime.datetime.fromtimestamp(0, None).isoformat()


def zone_date(x):
    return date.fromtimestamp(0).isoformat()


def zone_astimezone(x):
    return datetime.datetime(2020, 1, 1).astimezone().isoformat()


def zone_astimezone_utc(x):
    return datetime.datetime(2020, 1, 1).astimezone(timezone.utc).isoformat()


def zone_epoch(x):
    return datetime.datetime(2020, 1, 1).strftime("%s")


def zone_localtime(x):
    return time.localtime(0).tm_hour


def zone_named(x):
    return str(datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")))


def locale_month(x):
    return datetime.date(2020, 5, 1).strftime("%B")


def locale_all(x):
    return datetime.date(2020, 5, 1).strftime("%c")


def locale_formatted(x):
    return f"{datetime.date(2020, 5, 1):%A}"


def locale_format(x):
    return format(datetime.date(2020, 5, 1), "%a")


def locale_template(x):
    return "{:%b}".format(datetime.date(2020, 5, 1))


def locale_parsed(x):
    return datetime.datetime.strptime("May 2020", "%B %Y").isoformat()


def locale_number(x):
    return f"{12345:n}"


def locale_given(x):
    return datetime.date(2020, 5, 1).strftime(x)


def locale_module(x):
    return locale.getlocale()[0]


def context_precision(x):
    return str(decimal.Decimal(1) / decimal.getcontext().prec)


def context_local(x):
    with decimal.localcontext() as context:
        return str(context.prec)


def chance(x):
    return random.random()


def chance_choice(x):
    return random.choice([1, 2, 3])


def chance_object(x):
    return RANDOM.random()


def chance_made(x):
    return Random().random()


def chance_numpy(x):
    return np.random.rand()


def chance_generator(x):
    return np.random.default_rng().normal()


def chance_samples(x):
    return statistics.NormalDist(0, 1).samples(1)[0]


def chance_uuid(x):
    return str(uuid.uuid4())


def chance_uuid_clock(x):
    return str(uuid.uuid1())


def chance_secrets(x):
    return secrets.token_hex(4)


def chance_bytes(x):
    return os.urandom(2).hex()


def chance_pandas(x):
    return pd.Series([1, 2, 3]).sample(1).iloc[0]


def chance_equal(x):
    return Timed(x) == Timed(x)


def chance_in(x):
    return Timed(x) in [Timed(1)]


def place_environment(x):
    return os.environ.get("HOME")


def place_getenv(x):
    return os.getenv("HOME")


def place_process(x):
    return os.getpid()


def place_host(x):
    return platform.node()


def place_file(x):
    with open("/etc/hostname") as f:
        return f.read()


def place_path(x):
    return pathlib.Path("/etc/hostname").read_text()


def place_here(x):
    return os.getcwd()


def place_thread(x):
    return threading.get_ident()


def place_modules(x):
    return len(sys.modules)


def place_version(x):
    return sys.flags.hash_randomization


def place_warned(x):
    return len(warnings.filters)


def place_level(x):
    return LOG.isEnabledFor(10)


def address_object(x):
    return str(object())


def address_repr(x):
    return repr(object())


def address_id(x):
    return id(x)


def address_instance(x):
    return str(Quiet(x))


def address_formatted(x):
    return f"{Quiet(x)}"


def address_percent(x):
    return "%s" % Quiet(x)


def address_percent_tuple(x):
    return "%s %s" % (x, Quiet(x))


def address_template(x):
    return "{}".format(Quiet(x))


def address_template_method(x):
    return "{0.upper}".format("a")


def address_listed(x):
    return str([Quiet(x)])


def address_nested(x):
    out = []
    out.append({"a": Quiet(x)})
    return str(out)


def address_function(x):
    return str(address_nested)


def address_lambda(x):
    return repr(lambda: x)


def address_method(x):
    return str("a".upper)


def address_generator(x):
    return str(i for i in range(3))


def address_error(x):
    try:
        return {}[Quiet(x)]
    except KeyError as error:
        return str(error)


def address_returned(x):
    return Quiet(x)


def address_print(x):
    return format(Quiet(x))


def address_joined(x):
    return ",".join(map(str, [Quiet(x)]))


def address_json(x):
    return json.dumps([Quiet(x)], default=str)


def address_order(x):
    return sorted([Quiet(2), Quiet(1)], key=id)[0].x


def address_is(x):
    return x is (x + 1 - 1)


def address_counter(x):
    return str(Counter([Quiet(x)]))


def hash_text(x):
    return hash("abc")


def hash_method(x):
    return "abc".__hash__()


def hash_bucket(x):
    return hash(x) % 8


def order_joined(x):
    return ",".join({"a", "b", str(x)})


def order_held(x):
    return ",".join(WORDS)


def order_text(x):
    return str({"a", "b", str(x)})


def order_formatted(x):
    return f"{WORDS}"


def order_list(x):
    return list(set("abcdef"))


def order_tuple(x):
    return tuple(WORDS)[0]


def order_first(x):
    return next(iter(WORDS))


def order_loop(x):
    for word in {"x", "y", "z"}:
        return word
    return None


def order_comprehension(x):
    return [w.upper() for w in WORDS]


def order_dict(x):
    return list({w: 1 for w in WORDS})


def order_fromkeys(x):
    return ",".join(dict.fromkeys(WORDS))


def order_enumerate(x):
    return dict(enumerate(WORDS))


def order_zip(x):
    return dict(zip(WORDS, [1, 2, 3]))


def order_keys(x):
    return ",".join({"a": 1, "b": 2}.keys() & {"a": 1, "b": 2}.keys())


def order_union(x):
    return ",".join({"a"}.union({"b"}))


def order_operator(x):
    return ",".join({"a"} | {"b"})


def order_key(x):
    return sorted(WORDS, key=len)[0]


def order_max(x):
    return max(WORDS, key=len)


def order_sum(x):
    return sum(v / 3 for v in NUMBERS)


def order_extended(x):
    out = []
    out.extend(WORDS)
    return out


def order_unpacked(x):
    a, b, c = WORDS
    return a


def order_starred(x):
    return "{}{}{}".format(*WORDS)


def order_pop(x):
    fresh = {"a", "b", "c"}
    return fresh.pop()


def order_map(x):
    return list(map(str.upper, WORDS))


def order_generator(x):
    return "".join(w for w in WORDS)


def order_returned(x):
    return {"a", "b", str(x)}


def order_nested(x):
    return str([{"a", "b", str(x)}])


def order_helper(x):
    def shown(items):
        return "-".join(items)

    return shown(set("abc"))


def order_counter(x):
    return Counter(WORDS).most_common(1)[0][0]


def order_reduced(x):
    return functools.reduce(lambda a, b: a + b, WORDS)


def order_json(x):
    return json.dumps(list(WORDS))


def order_changed(x):
    out = []
    [out.append(w) for w in WORDS]
    return out


def order_changed_by_helper(x):
    out = []

    def put(word):
        out.append(word)

    put(str(x))
    [put(w) for w in WORDS]
    return out


def order_named(x):
    [last := w for w in WORDS]
    return last


def order_object(x):
    q = Quiet(set("abc"))
    return ",".join(q.x)


def order_compared(x):
    return list(set("abc")) == ["a", "b", "c"]


def order_nan(x):
    return sorted({float("nan"), 2.0, 1.0, float(x)})[0]


def order_update(x):
    table = {}
    table.update({w: 1 for w in WORDS})
    return list(table)


def order_islice(x):
    return list(itertools.islice(WORDS, 1))


def order_row(x):
    from pyspark.sql import Row

    return Row(a=list(WORDS))


def order_yielded(x):
    def parts():
        yield from WORDS

    return list(parts())


def order_error(x):
    try:
        raise KeyError(WORDS)
    except KeyError as error:
        return str(error)


def order_iterated(x):
    return ",".join(Iterated())


def address_digest(x):
    return str(hashlib.md5(b"a"))


def address_digest_formatted(x):
    return f"{hmac.new(b'k', b'm', 'md5')}"


def address_digest_percent(x):
    return "%s" % hashlib.sha1()


def address_digest_json(x):
    return json.dumps([hashlib.md5()], default=str)


def address_digest_error(x):
    return str(ValueError(hashlib.md5()))


def address_digest_caught(x):
    try:
        return [].index(hashlib.md5())
    except ValueError as error:
        return str(error)


def address_digest_copied(x):
    return str(hashlib.md5(b"a").copy())


def address_factory(x):
    return str(defaultdict(lambda: 1))


def address_accessor(x):
    return str(pd.Series(["a"]).str)


def address_grouped(x):
    return str(pd.Series([1]).groupby([1]))


def address_grouped_column(x):
    return str(pd.DataFrame({"a": [1], "b": [2]}).groupby("a")["b"])


def address_located(x):
    return str(pd.Series([1]).loc)


def address_flat(x):
    return str(np.array([1.0]).flat)


def address_rows(x):
    return str(pd.DataFrame({"a": [1]}).iterrows())


def address_suppressed(x):
    return str(contextlib.suppress(ValueError))


def address_zone(x):
    return str(datetime.tzinfo())


def address_number(x):
    return str(numbers.Number())


def memory_unset(x):
    return float(np.ndarray((3,))[0])


def memory_unset_where(x):
    return float(np.add(np.array([1.0]), 1, where=np.array([False]))[0])


def depth_caught(x, depth=0):
    try:
        return depth_caught(x, depth + 1)
    except Exception:
        return depth


def depth_runtime(x):
    def down(depth):
        try:
            return down(depth + 1)
        except RuntimeError:
            return depth

    return down(0)


def depth_held(x):
    deepest = [0]

    def down(depth):
        deepest[0] = depth
        return down(depth + 1)

    try:
        down(0)
    except (ValueError, Exception):
        pass
    return deepest[0]


def depth_suppressed(x):
    deepest = [0]

    def down(depth):
        deepest[0] = depth
        return down(depth + 1)

    with contextlib.suppress(Exception):
        down(0)
    return deepest[0]


def depth_named(x):
    kinds = (RecursionError,)
    try:
        return depth_held(x)
    except kinds:
        return None


def depth_suppressed_by_name(x):
    with contextlib.suppress(RecursionError):
        return depth_held(x)


def memory_text(x):
    try:
        return len("x" * x)
    except Exception:
        return None


def memory_list(x):
    try:
        return len([0] * x)
    except (ValueError, Exception):
        return None


def memory_suppressed(x):
    with contextlib.suppress(Exception):
        return len("x" * x)


def memory_shifted(x):
    try:
        return 1 << len(str(x))
    except Exception:
        return None


def memory_constant(x):
    try:
        return "x" * 10**12
    except Exception:
        return None


def memory_raised(x):
    try:
        return 2 ** len(str(x))
    except Exception:
        return None


def depth_nested(x):
    try:
        return x
    except NESTED_ERRORS:
        return None


def depth_finally(x, depth=0):
    try:
        return depth_finally(x, depth + 1)
    finally:
        return depth


def depth_operator(x):
    deep = Deep()
    try:
        deep + deep
    except Exception:
        pass
    return deep.depth


def place_arguments(x):
    return argv[0]


def place_arguments_inside(x):
    from sys import argv as given

    return given[0]


def place_environment_taken(x):
    return environ["HOME"]


def place_separator(x):
    return sep


def place_debug(x):
    return __debug__


def place_of_the_file(x):
    return __file__


def order_used_in_part(x):
    words = iter({"aa", "bb", "cc"})
    "aa" in words
    return len(list(words))


def order_used_by_any(x):
    words = iter({"aa", "bb", "cc"})
    any(w == "aa" for w in words)
    return len(list(words))


def order_used_by_all(x):
    words = (w for w in {"aa", "bb", "cc"})
    all(w != "aa" for w in words)
    return sorted(words)


def order_used_by_helper(x):
    def rest(words):
        "aa" in words
        return len(list(words))

    return rest(map(str.lower, {"aa", "bb", "cc"}))


def order_used_in_a_list(x):
    held = [iter({"aa", "bb", "cc"})]
    "aa" in held[0]
    return len(list(held[0]))


def order_used_in_an_object(x):
    held = Quiet(iter({"aa", "bb", "cc"}))
    "aa" in held.x
    return len(list(held.x))


def order_failing(x):
    try:
        return all(s != "aa" and int(s) for s in {"aa", "1x"})
    except ValueError:
        return "bad"


def order_failing_first(x):
    try:
        return len({int(s) for s in {"aa", "bb", "cc"}})
    except ValueError as error:
        return str(error)


def order_failing_mapped(x):
    try:
        return any(map(int, {"0x", "1"}))
    except ValueError:
        return "bad"


def chance_below(x):
    found = Plain() if x else Random_()
    return found.go(x)


def chance_behind(x):
    steps = [lambda: 1]
    return ([random.random, time.time] + steps)[0]()


def chance_sliced(x):
    steps = [lambda: 1]
    return CLOCKS[1:][0]()


def unknown_getattr(x):
    return getattr(datetime.datetime, "n" + "ow")()


def unknown_import(x):
    return __import__("time").time()


def unknown_builtins(x):
    return builtins.id(x)


def unknown_attrgetter(x):
    return operator.attrgetter("now")(datetime.datetime)()


def unknown_class(x):
    return x.__class__.__name__


def unknown_doc(x):
    return unknown_class.__doc__


def unknown_type(x):
    return type("T", (), {"v": time.time()}).v


def unknown_instance_type(x):
    return type(x)(time.time())


def unknown_frame(x):
    return sys._getframe().f_lineno


def unknown_weakref(x):
    return weakref.ref(HELD)() is None


def unknown_namespace(x):
    return types.SimpleNamespace(a=1)


def unknown_method(x):
    return x.whatever()


def unknown_caught(x):
    try:
        return x
    except RecursionError:
        return None


def unknown_caught_all(x):
    try:
        return x
    except:
        return None


def unknown_locals(x):
    return len(locals())


def unknown_local_class(x):
    class Inner:
        value = time.time()

    return Inner.value


async def unknown_async(x):
    return x


def _own(name, value):
    return (
        callable(value)
        and not name.startswith(("_", "closure_", "decorated", "cached_helper"))
        and not isinstance(value, type)
        and getattr(value, "__module__", None) == __name__
    )


_FIRST = list(globals())
_MIDDLE = _FIRST.index("clock_now")
_EXTRA = {"held_bound": held_bound, "held_partial": held_partial}
FUNCTIONS = {n: v for n, v in globals().items() if _own(n, v)} | _EXTRA
STATE = {n: v for n, v in FUNCTIONS.items() if _FIRST.index(n) < _MIDDLE}
CHOICES = {n: v for n, v in FUNCTIONS.items() if n not in STATE}
STATE["global_dict"] = impure_namespaces.global_dict
CHOICES["unknown_eval"] = impure_namespaces.unknown_eval
CHOICES["unknown_exec"] = impure_namespaces.unknown_exec
