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

from veer.frontends.python.origins import is_library

SCALAR_TYPES = (bool, int, str, bytes, float, complex, type(None), type(...), range)
EXACT_REPR_TYPES = (
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
MOST_CONCRETES = 60  # objects that a value may be, before it may be any
DEEPEST = 20


class Trait(IntFlag):
    """What a value may be that matters."""

    NONE = 0
    PERSISTENT = auto()  # outlives the call, so that changing it is keeping state
    ARGUMENT = auto()  # an argument or a part of one, which other functions are given too
    SHARED = PERSISTENT | ARGUMENT
    CONTAINER = auto()  # holds other values
    SET = auto()  # its order is that of hashes, and no part of its meaning
    HASH_ORDERED = auto()  # a sequence in such an order
    DICT_VIEW = auto()  # keys or items of a dict
    NAN = auto()  # may be unordered among its like
    SHOWS_ADDRESS = auto()  # its text may show an address
    ITERATOR = auto()  # an iterator: so does its text, but not what it gives
    CALLABLE = auto()  # a function or a class
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
    MEMORY = auto()  # the exception of too little memory is caught, which is the machine's
    ALLOCATING = auto()  # something is made whose size a value decides


# Two that are harmless alone and together show more than the arguments: how deep the stack was, which
# item of a set came first, how much memory there is.
RISKY = (
    Risk.DEEP | Risk.RECURSIVE,
    Risk.CAUGHT | Risk.UNORDERED,
    Risk.MEMORY | Risk.ALLOCATING,
)
NONE = Trait.NONE
UNORDERED = Trait.SET | Trait.HASH_ORDERED
UNSTABLE_TEXT = UNORDERED | Trait.SHOWS_ADDRESS | Trait.UNKNOWN


@final
class Concrete:
    """An object that exists, compared by what it is and never by its own `==`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Concrete):
            return False
        kind = type(self.value)
        if kind in BY_VALUE and kind is type(other.value):
            return bool(self.value == other.value)
        return self.value is other.value

    def __hash__(self) -> int:
        return hash(self.value) if type(self.value) in BY_VALUE else id(self.value)


@final
@dataclass(frozen=True)
class AbstractValue:
    """A value: traits of its own and of what is in it, and the objects that it may be.

    `concretes` are all functions, classes and modules it may be; if `exact`, it is one of `concretes`.
    `kind` is its class, if it is an instance of one of the project's classes.
    """

    own: Trait = NONE
    inner: Trait = NONE
    concretes: tuple[Concrete, ...] = ()
    exact: bool = False
    kind: type | None = None

    @property
    def all_traits(self) -> Trait:
        """Traits of the value and of what is in it."""
        return self.own | self.inner

    def has(self, trait: Trait) -> bool:
        """Whether the value itself may have one of some traits."""
        return bool(self.own & trait)

    def texts(self) -> list[str] | None:
        """The texts it may be, if all are known."""
        values = [one.value for one in self.concretes]
        return values if self.exact and values and all(type(v) is str for v in values) else None


@final
@dataclass(frozen=True)
class BuiltinMethod:
    """A method of a value that is no function of the project."""

    base: AbstractValue
    name: str


@final
@dataclass(frozen=True)
class BoundCall:
    """A function with its first arguments."""

    callee: AbstractValue
    first: tuple[AbstractValue, ...]
    named: tuple[tuple[str, AbstractValue], ...] = ()


@final
class LocalFunction:
    """A function defined inside of another, with the names around it."""

    def __init__(self, node: Any, scope: Any) -> None:
        self.node, self.scope = node, scope


BY_VALUE = (str, BuiltinMethod, BoundCall)

NO_TRAITS = AbstractValue()
NUMBER = AbstractValue(Trait.NAN)
UNKNOWN_VALUE = AbstractValue(
    Trait.UNKNOWN | Trait.SHOWS_ADDRESS | Trait.CONTAINER | Trait.NAN | Trait.CALLABLE,
    Trait.UNKNOWN | Trait.SHOWS_ADDRESS | Trait.CONTAINER | Trait.NAN | Trait.CALLABLE,
)
DATA = AbstractValue(
    Trait.ARGUMENT | Trait.CONTAINER | Trait.NAN, Trait.ARGUMENT | Trait.CONTAINER | Trait.NAN
)
UNSHARED_DATA = AbstractValue(DATA.own & ~Trait.SHARED, DATA.inner & ~Trait.SHARED)
TABLES = AbstractValue(DATA.own | Trait.TABLE, DATA.inner | Trait.TABLE)


def join(values: Iterable[AbstractValue]) -> AbstractValue:
    """Whatever any of several values may be."""
    union: AbstractValue | None = None
    for value in values:
        union = value if union is None else _join_two(union, value)
    return NO_TRAITS if union is None else union


def _join_two(a: AbstractValue, b: AbstractValue) -> AbstractValue:
    if a == b:
        return a
    own, concretes = a.own | b.own, tuple(dict.fromkeys((*a.concretes, *b.concretes)))
    exact = a.exact and b.exact
    if len(concretes) > MOST_CONCRETES:
        called = any(type(one.value) is not str for one in concretes)
        own, concretes, exact = own | (Trait.UNKNOWN if called else NONE), (), False
    kind = a.kind
    if b.has(Trait.OBJECT):
        kind = b.kind if a.kind is b.kind or not a.has(Trait.OBJECT) else None
    return AbstractValue(own, a.inner | b.inner, concretes, exact, kind)


def new_container(items: Iterable[AbstractValue], own: Trait = NONE) -> AbstractValue:
    """Something new that holds values."""
    inner = NONE
    for item in items:
        inner |= item.all_traits
    return AbstractValue(own | Trait.CONTAINER, inner)


def abstract(value: Any, depth: int = 0) -> AbstractValue:
    """An object that exists before the call."""
    kind = type(value)
    me = (Concrete(value),)
    if kind is str:
        return AbstractValue(NONE, NONE, me, True)
    if kind in SCALAR_TYPES or kind in EXACT_REPR_TYPES or isinstance(value, re.Pattern):
        nan = kind in (float, complex) and value != value
        return AbstractValue(Trait.NAN if nan else NONE, NONE, me, True)
    if depth > DEEPEST:
        return UNKNOWN_VALUE
    if kind in (list, tuple, dict, set, frozenset, bytearray, types.MappingProxyType):
        return _container(value, me, depth)
    if isinstance(value, (*CODE, type)):
        return AbstractValue(Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, me, True)
    if isinstance(value, logging.Logger):
        return AbstractValue(Trait.PERSISTENT | Trait.SHOWS_ADDRESS, NONE, me, True)
    if isinstance(value, enum.Enum) and not is_library(kind.__module__):
        return AbstractValue(
            Trait.OBJECT, abstract(value.value, depth + 1).all_traits, me, True, kind
        )
    if isinstance(value, enum.Enum):
        return AbstractValue(NONE, NONE, me, True)
    if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
        shared = Trait.PERSISTENT | Trait.CONTAINER | Trait.TABLE | Trait.NAN
        return AbstractValue(shared, shared, me, True)
    if kind.__module__ == "pyspark.core.broadcast":
        return AbstractValue(Trait.PERSISTENT | Trait.SHOWS_ADDRESS, NONE, me, True)
    if _is_own(kind):
        return _instance(value, me, depth)
    return UNKNOWN_VALUE


def _is_own(kind: type) -> bool:
    """Whether a class is the project's: of one of its files, or at least written in Python."""
    if is_library(kind.__module__):
        return False
    if getattr(sys.modules.get(kind.__module__), "__file__", None) is not None:
        return True
    return any(isinstance(item, types.FunctionType) for item in vars(kind).values())


def _container(value: Any, me: tuple[Concrete, ...], depth: int) -> AbstractValue:
    kind = type(value)
    own = Trait.CONTAINER
    if kind not in (tuple, frozenset):
        own |= Trait.PERSISTENT
    if kind in (set, frozenset):
        own |= Trait.SET
    inner = NONE
    if kind is not bytearray:
        for item in contents(value):
            if type(item) not in SCALAR_TYPES or item != item:
                inner |= abstract(item, depth + 1).all_traits
    return AbstractValue(own, inner, me, True)


def _instance(value: Any, me: tuple[Concrete, ...], depth: int) -> AbstractValue:
    kind = type(value)
    inner = NONE
    for item in (getattr(value, "__dict__", None) or {}).values():
        if item is not value:
            inner |= abstract(item, depth + 1).all_traits
    if any("__slots__" in vars(base) for base in kind.__mro__[:-1]):
        inner |= DATA.inner
    return AbstractValue(Trait.PERSISTENT | instance_traits(kind), inner, me, True, kind)


def instance_traits(kind: type) -> Trait:
    """Traits of the instances of a class of the project."""
    silent = getattr(kind, "__repr__", None) is object.__repr__
    return Trait.OBJECT | Trait.CONTAINER | (Trait.SHOWS_ADDRESS if silent else NONE)


def contents(value: Any) -> Iterable[Any]:
    """The items of a plain container, keys and values of a dict."""
    if type(value) in (dict, types.MappingProxyType):
        return [*value.keys(), *value.values()]
    return list(value)


def elements(value: AbstractValue) -> AbstractValue:
    """Functions, classes and objects inside of the containers that a value may be."""
    items = []
    for one in value.concretes:
        if type(one.value) in (list, tuple, dict, set, frozenset, types.MappingProxyType):
            items += [abstract(i) for i in contents(one.value) if type(i) not in SCALAR_TYPES]
    return join(items)
