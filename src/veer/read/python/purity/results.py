"""What is known of the functions, classes and types that Python functions use, by name."""

from __future__ import annotations

import builtins
import dataclasses
import datetime
import decimal
import re
import sys
import types
from typing import Any, TypeAlias

from veer.read.python.origins import is_library
from veer.read.python.purity import allow_list
from veer.read.python.purity.traits import AbstractValue

Args: TypeAlias = tuple[list[AbstractValue], dict[str, AbstractValue], AbstractValue | None]
# Run by making an instance, or looked at where they are called.
NOT_SPECIAL = frozenset(["__init__", "__post_init__", "__call__", "__class_getitem__"])
# Decide what attributes are, how instances come and go: no class that has one is looked into.
UNFOLLOWED_SPECIAL = frozenset(
    f"__{name}__"
    for name in [
        "getattr",
        "getattribute",
        "setattr",
        "delattr",
        "del",
        "new",
        "get",
        "set",
        "delete",
        "set_name",
        "init_subclass",
        "prepare",
        "instancecheck",
        "subclasscheck",
        "subclasshook",
        "copy",
        "deepcopy",
        "reduce",
        "reduce_ex",
        "getstate",
        "setstate",
        "missing",
    ]
)
HASH = "__hash__"
GENERATED = frozenset(
    f"__{name}__"
    for name in [
        "init",
        "repr",
        "eq",
        "lt",
        "le",
        "gt",
        "ge",
        "hash",
        "setattr",
        "delattr",
        "getstate",
        "setstate",
        "replace",
    ]
)
DATA_TYPES = (
    str, bytes, bytearray, int, float, bool, complex, list, tuple, dict, set, frozenset, range,
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
    decimal.Decimal, re.Match, re.Pattern, types.GeneratorType, Exception,
)  # fmt: skip
METHOD_NAMES = frozenset(
    name for kind in DATA_TYPES for name in dir(kind) if callable(getattr(kind, name, None))
)
# Results that cannot be changed.
PLAIN_MODULES = frozenset(
    ["math", "cmath", "unicodedata", "base64", "binascii", "html", "calendar"]
)
PLAIN_RESULTS = frozenset(
    ["builtins." + n for n in ("abs", "bin", "bool", "bytes", "chr", "complex", "divmod", "float")]
    + ["builtins." + n for n in ("hex", "int", "oct", "ord", "pow", "range", "round", "slice")]
    + ["json.dumps", "re.escape", "re.sub", "re.compile", "zlib.crc32", "zlib.adler32"]
    + ["string.capwords", "textwrap.dedent", "textwrap.fill", "textwrap.indent", "hmac.digest"]
    + ["textwrap.shorten", "decimal.Decimal", "fractions.Fraction", "datetime.date", "uuid.uuid3"]
    + ["datetime.datetime", "datetime.time", "datetime.timedelta", "datetime.timezone", "uuid.UUID"]
    + ["urllib.parse." + n for n in ("quote", "quote_plus", "unquote", "unquote_plus", "urljoin")]
    + [
        "urllib.parse." + n
        for n in ("urlencode", "urlparse", "urlsplit", "urlunparse", "urlunsplit")
    ]
    + ["uuid.uuid5", "hmac.compare_digest", "zlib.compress", "zlib.decompress", "struct.pack"]
)
WITH_NAN = frozenset(["math", "cmath", "statistics", "numpy", "pandas", "json"])
# Results made anew: changing them changes nothing else, though what is in them may be old.
FRESH_RESULTS = frozenset(
    ["collections." + n for n in ("Counter", "OrderedDict", "defaultdict", "deque")]
    + ["heapq.nlargest", "heapq.nsmallest", "builtins.bytearray"]
)
# Their texts show addresses.
LAZY_RESULTS = frozenset(
    ["re.finditer", "re.match", "re.search", "re.fullmatch", "heapq.merge", "hmac.new"]
    + ["collections.defaultdict"]
    + ["hashlib." + n for n in allow_list.MODULES["hashlib"]]
)
# Functions among their arguments are called and never given back.
CALLING = frozenset(
    ["collections.defaultdict", "functools.reduce", "json.loads", "json.dumps", "re.sub", "re.subn"]
    + ["itertools." + n for n in ("accumulate", "groupby", "starmap", "takewhile", "dropwhile")]
    + ["itertools.filterfalse", "heapq.nlargest", "heapq.nsmallest", "heapq.merge"]
)
EXCEPTIONS = frozenset(
    f"builtins.{n}"
    for n in allow_list.MODULES["builtins"]
    if isinstance(getattr(builtins, n, None), type) and issubclass(getattr(builtins, n), Exception)
)
THREE_INPUTS = frozenset(["numpy.where", "numpy.interp", "numpy.clip", "numpy.select"])
NAMED_FUNCTIONS = frozenset(["apply", "agg", "aggregate", "transform", "map", "filter", "applymap"])


_LISTED: dict[int, tuple[Any, str]] = {}
_LOADED: set[str] = set()


def listed_name(value: Any) -> str | None:
    """The name under which a function or class is known to be pure.

    By identity: a project that puts its own function under `math.sqrt` has not the listed one.
    """
    for module in allow_list.MODULES.keys() - _LOADED:
        if module not in sys.modules:
            continue
        _LOADED.add(module)
        for word in allow_list.MODULES[module]:
            listed = getattr(sys.modules[module], word, None)
            owner = getattr(listed, "__module__", None) or module
            if callable(listed) and is_library(owner):
                _LISTED.setdefault(id(listed), (listed, f"{module}.{word}"))
    entry = _LISTED.get(id(value))
    return None if entry is None else entry[1]


def is_printed(name: str) -> bool:
    """Whether an attribute of a table prints plainly: a column, or one known to."""
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    kinds = [] if pandas is None else [pandas.Series, pandas.DataFrame, pandas.Index]
    kinds += [] if numpy is None else [numpy.ndarray]
    return name in allow_list.PRINTED or not any(hasattr(kind, name) for kind in kinds)


def is_dunder(name: str) -> bool:
    """Whether a name is one that Python gives a meaning."""
    return name.startswith("__") and name.endswith("__")


def class_attribute(kind: type, name: str) -> Any:
    """What a class has under a name, as it stands there."""
    return next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), None)


def is_generated(kind: type, function: types.FunctionType) -> bool:
    """Whether a method was made by `dataclass`."""
    if not any("__dataclass_fields__" in vars(c) for c in kind.__mro__):
        return False
    path = function.__code__.co_filename
    return function.__name__ in GENERATED and path in ("<string>", dataclasses.__file__)


def is_plain_type(value: AbstractValue) -> bool:
    """Whether a type that values are turned into is one of numbers, texts or truth values."""
    one = value.object
    if isinstance(one, type) and (one in (int, float, str, bool) or one.__module__ == "numpy"):
        one = one.__name__
    return type(one) is str and one in allow_list.PLAIN_TYPES


def all_arguments(args: Args) -> list[AbstractValue]:
    """The arguments of a call, however they are given."""
    positional, named, rest = args
    return [*positional, *named.values(), *([] if rest is None else [rest])]
