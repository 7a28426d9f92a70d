"""What is known of a value inside a Python function, as far as its purity depends on it."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import functools
import logging
import pathlib
import re
import sys
import types
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag, auto
from typing import Any, final

from veer.frontends.python.origins import is_foreign

PLAIN = (bool, int, str, bytes, float, complex, type(None), type(...), range)
SPELLED = (
    decimal.Decimal,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    fractions.Fraction,
    uuid.UUID,
    pathlib.PurePosixPath,
)
CODE = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    functools.partial,
)
MOST_LIVES = 60
DEEPEST = 20


class Trait(IntFlag):
    """What a value may be that matters."""

    NONE = 0
    HELD = auto()  # outlives the call, so that changing it is keeping state
    LENT = auto()  # an argument or a part of one, which other functions are given too
    SHARED = HELD | LENT
    BOX = auto()  # holds other values
    SET = auto()  # its order is that of hashes, and no part of its meaning
    JUMBLED = auto()  # a sequence in such an order
    VIEW = auto()  # keys or items of a dict
    NAN = auto()  # may be unordered among its like
    ODD = auto()  # its text may show an address
    LAZY = auto()  # an iterator: so does its text, but not what it gives
    CALLED = auto()  # a function or a class
    OBJECT = auto()  # an instance of one of the project's classes
    TABLE = auto()  # of pandas or numpy
    UNKNOWN = auto()  # anything at all


class Risk(IntFlag):
    """What a function does that is harmless by itself."""

    NONE = 0
    CAUGHT = auto()  # an exception is caught
    DEEP = auto()  # and so is that of too deep a stack, whose depth is the caller's
    RECURSIVE = auto()
    UNORDERED = auto()  # code that may fail is run for each item of a set


RISKY = (Risk.DEEP | Risk.RECURSIVE, Risk.CAUGHT | Risk.UNORDERED)
NONE = Trait.NONE
UNORDERED = Trait.SET | Trait.JUMBLED
ILLEGIBLE = UNORDERED | Trait.ODD | Trait.UNKNOWN


@final
class Live:
    """An object that exists, compared by what it is and never by its own `==`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Live):
            return False
        kind = type(self.value)
        if kind in BY_VALUE and kind is type(other.value):
            return bool(self.value == other.value)
        return self.value is other.value

    def __hash__(self) -> int:
        return hash(self.value) if type(self.value) in BY_VALUE else id(self.value)


@final
@dataclass(frozen=True)
class Value:
    """A value: traits of its own and of what is in it, and the objects that it may be.

    `lives` are all functions, classes and modules it may be; if `exact`, it is one of `lives`.
    `kind` is its class, if it is an instance of one of the project's classes.
    """

    own: Trait = NONE
    inner: Trait = NONE
    lives: tuple[Live, ...] = ()
    exact: bool = False
    kind: type | None = None

    @property
    def deep(self) -> Trait:
        return self.own | self.inner

    def has(self, trait: Trait) -> bool:
        return bool(self.own & trait)

    def texts(self) -> list[str] | None:
        """The texts it may be, if all are known."""
        found = [live.value for live in self.lives]
        return found if self.exact and found and all(type(v) is str for v in found) else None


@final
@dataclass(frozen=True)
class Method:
    """A method of a value that is no function of the project."""

    base: Value
    name: str


@final
@dataclass(frozen=True)
class Bound:
    """A function with its first arguments."""

    callee: Value
    first: tuple[Value, ...]
    named: tuple[tuple[str, Value], ...] = ()


@final
class Local:
    """A function defined inside of another, with the names around it."""

    def __init__(self, node: Any, scope: Any) -> None:
        self.node, self.scope = node, scope


BY_VALUE = (str, Method, Bound)

NOTHING = Value()
NUMBER = Value(Trait.NAN)
MADE_UNKNOWN = Value(
    Trait.UNKNOWN | Trait.ODD | Trait.BOX | Trait.NAN | Trait.CALLED,
    Trait.UNKNOWN | Trait.ODD | Trait.BOX | Trait.NAN | Trait.CALLED,
)
DATA = Value(Trait.LENT | Trait.BOX | Trait.NAN, Trait.LENT | Trait.BOX | Trait.NAN)
TABLES = Value(DATA.own | Trait.TABLE, DATA.inner | Trait.TABLE)


def joined(values: Iterable[Value]) -> Value:
    """Whatever any of several values may be."""
    found: Value | None = None
    for value in values:
        found = value if found is None else _join(found, value)
    return NOTHING if found is None else found


def _join(a: Value, b: Value) -> Value:
    if a == b:
        return a
    own, lives = a.own | b.own, tuple(dict.fromkeys((*a.lives, *b.lives)))
    exact = a.exact and b.exact
    if len(lives) > MOST_LIVES:
        called = any(type(live.value) is not str for live in lives)
        own, lives, exact = own | (Trait.UNKNOWN if called else NONE), (), False
    kind = a.kind
    if b.has(Trait.OBJECT):
        kind = b.kind if a.kind is b.kind or not a.has(Trait.OBJECT) else None
    return Value(own, a.inner | b.inner, lives, exact, kind)


def boxed(items: Iterable[Value], own: Trait = NONE) -> Value:
    """Something new that holds values."""
    inner = NONE
    for item in items:
        inner |= item.deep
    return Value(own | Trait.BOX, inner)


def live(value: Any, depth: int = 0) -> Value:
    """An object that exists before the call."""
    kind = type(value)
    me = (Live(value),)
    if kind is str:
        return Value(NONE, NONE, me, True)
    if kind in PLAIN or kind in SPELLED or isinstance(value, re.Pattern):
        nan = kind in (float, complex) and value != value
        return Value(Trait.NAN if nan else NONE, NONE, me, True)
    if depth > DEEPEST:
        return MADE_UNKNOWN
    if kind in (list, tuple, dict, set, frozenset, bytearray, types.MappingProxyType):
        return _container(value, me, depth)
    if isinstance(value, (*CODE, type)):
        return Value(Trait.ODD | Trait.CALLED, NONE, me, True)
    if isinstance(value, logging.Logger):
        return Value(Trait.HELD | Trait.ODD, NONE, me, True)
    if isinstance(value, enum.Enum) and not is_foreign(kind.__module__):
        return Value(Trait.OBJECT, live(value.value, depth + 1).deep, me, True, kind)
    if isinstance(value, enum.Enum):
        return Value(NONE, NONE, me, True)
    if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
        shared = Trait.HELD | Trait.BOX | Trait.TABLE | Trait.NAN
        return Value(shared, shared, me, True)
    if kind.__module__ == "pyspark.core.broadcast":
        return Value(Trait.HELD | Trait.ODD, NONE, me, True)
    if _is_own(kind):
        return _instance(value, me, depth)
    return MADE_UNKNOWN


def _is_own(kind: type) -> bool:
    """Whether a class is the project's: of one of its files, or at least written in Python."""
    if is_foreign(kind.__module__):
        return False
    if getattr(sys.modules.get(kind.__module__), "__file__", None) is not None:
        return True
    return any(isinstance(item, types.FunctionType) for item in vars(kind).values())


def _container(value: Any, me: tuple[Live, ...], depth: int) -> Value:
    kind = type(value)
    own = Trait.BOX
    if kind not in (tuple, frozenset):
        own |= Trait.HELD
    if kind in (set, frozenset):
        own |= Trait.SET
    inner = NONE
    if kind is not bytearray:
        for item in contents(value):
            if type(item) not in PLAIN or item != item:
                inner |= live(item, depth + 1).deep
    return Value(own, inner, me, True)


def _instance(value: Any, me: tuple[Live, ...], depth: int) -> Value:
    kind = type(value)
    inner = NONE
    for item in (getattr(value, "__dict__", None) or {}).values():
        if item is not value:
            inner |= live(item, depth + 1).deep
    if any("__slots__" in vars(base) for base in kind.__mro__[:-1]):
        inner |= DATA.inner
    return Value(Trait.HELD | object_traits(kind), inner, me, True, kind)


def object_traits(kind: type) -> Trait:
    """Traits of the instances of a class of the project."""
    silent = getattr(kind, "__repr__", None) is object.__repr__
    return Trait.OBJECT | Trait.BOX | (Trait.ODD if silent else NONE)


def contents(value: Any) -> Iterable[Any]:
    """The items of a plain container, keys and values of a dict."""
    if type(value) in (dict, types.MappingProxyType):
        return [*value.keys(), *value.values()]
    return list(value)


def elements(value: Value) -> Value:
    """Functions, classes and objects inside of the containers that a value may be."""
    found = []
    for one in value.lives:
        if type(one.value) in (list, tuple, dict, set, frozenset, types.MappingProxyType):
            found += [live(i) for i in contents(one.value) if type(i) not in PLAIN]
    return joined(found)
