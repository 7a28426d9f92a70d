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

from veer.read.python.origins import is_library, is_named_tuple

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
COLLECTIONS = (list, tuple, dict, set, frozenset, bytearray, types.MappingProxyType)
DEEPEST = 20


class Trait(IntFlag):
    """What a value may be that matters."""

    NONE = 0
    PERSISTENT = auto()  # outlives the call, so that changing it is keeping state
    ARGUMENT = auto()  # an argument or a part of one, which other functions are given too
    SHARED = PERSISTENT | ARGUMENT
    CONTAINER = auto()  # holds other values
    SET = auto()  # its order is that of hashes, and no part of its meaning
    NAN = auto()  # may be unordered among its like
    SHOWS_ADDRESS = auto()  # its text may show an address
    ITERATOR = auto()  # an iterator: so does its text, but not what it gives
    CALLABLE = auto()  # a function, a class or a module
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
UNSTABLE_TEXT = Trait.SET | Trait.SHOWS_ADDRESS | Trait.UNKNOWN


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
    """A value: traits of its own and of what is in it, and the object that it is, if it is one."""

    own: Trait = NONE
    inner: Trait = NONE
    concrete: Concrete | None = None

    @property
    def all_traits(self) -> Trait:
        """Traits of the value and of what is in it."""
        return self.own | self.inner

    @property
    def object(self) -> Any:
        """The object that it is; None if that is not known."""
        return None if self.concrete is None else self.concrete.value

    @property
    def kind(self) -> type | None:
        """Its class, if it is known to be an instance of one of the project's classes."""
        value = self.object
        return value.kind if isinstance(value, InstanceOf) else None

    @property
    def text(self) -> str | None:
        """The text that it is, if that is known."""
        return self.object if type(self.object) is str else None

    def has(self, trait: Trait) -> bool:
        """Whether the value itself may have one of some traits."""
        return bool(self.own & trait)


@final
@dataclass(frozen=True)
class InstanceOf:
    """Some instance of one of the project's classes."""

    kind: type


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


BY_VALUE = (str, BuiltinMethod, BoundCall, InstanceOf)

NO_TRAITS = AbstractValue()
NUMBER = AbstractValue(Trait.NAN)
ANYTHING = Trait.UNKNOWN | Trait.SHOWS_ADDRESS | Trait.CONTAINER | Trait.NAN | Trait.CALLABLE
UNKNOWN_VALUE = AbstractValue(ANYTHING, ANYTHING)
DATA = AbstractValue(
    Trait.ARGUMENT | Trait.CONTAINER | Trait.NAN, Trait.ARGUMENT | Trait.CONTAINER | Trait.NAN
)
UNSHARED_DATA = AbstractValue(DATA.own & ~Trait.SHARED, DATA.inner & ~Trait.SHARED)
TABLES = AbstractValue(DATA.own | Trait.TABLE, DATA.inner | Trait.TABLE)


def join(values: Iterable[AbstractValue]) -> AbstractValue:
    """Whatever any of several values may be; which of two objects it is, is not kept.

    What may be an instance of one class alone keeps that class, whatever data it may be besides.
    """
    union: AbstractValue | None = None
    for value in values:
        if union is None or value == union:
            union = value
            continue
        concrete = value.concrete if value.concrete == union.concrete else None
        for one, other in ((value, union), (union, value)):
            if one.kind is not None and not other.has(Trait.OBJECT | Trait.CALLABLE):
                concrete = one.concrete
        union = AbstractValue(union.own | value.own, union.inner | value.inner, concrete)
    return NO_TRAITS if union is None else union


def nameless(value: AbstractValue, without: Trait = NONE) -> AbstractValue:
    """The value, which may be another of its like."""
    kept = value.concrete if value.kind is not None else None
    return AbstractValue(value.own & ~without, value.inner, kept)


def new_container(items: Iterable[AbstractValue], own: Trait = NONE) -> AbstractValue:
    """Something new that holds values."""
    inner = NONE
    for item in items:
        inner |= item.all_traits
    return AbstractValue(own | Trait.CONTAINER, inner)


def code(value: Any) -> AbstractValue:
    """A function, a class or a module."""
    return AbstractValue(Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, Concrete(value))


def abstract(value: Any, depth: int = 0) -> AbstractValue:
    """An object that exists before the call."""
    kind, me = type(value), Concrete(value)
    if kind in SCALAR_TYPES or kind in EXACT_REPR_TYPES or isinstance(value, re.Pattern):
        nan = kind in (float, complex) and value != value
        return AbstractValue(Trait.NAN if nan else NONE, NONE, me)
    if depth > DEEPEST:
        return UNKNOWN_VALUE
    if kind in COLLECTIONS or is_named_tuple(kind):
        return _container(value, depth)
    if isinstance(value, (*CODE, type)):
        return code(value)
    if isinstance(value, logging.Logger) or kind.__module__ == "pyspark.core.broadcast":
        return AbstractValue(Trait.PERSISTENT | Trait.SHOWS_ADDRESS, NONE, me)
    if isinstance(value, enum.Enum):
        inner = abstract(value.value, depth + 1).all_traits
        return AbstractValue(NONE if is_library(kind.__module__) else Trait.OBJECT, inner, me)
    if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
        shared = Trait.PERSISTENT | Trait.CONTAINER | Trait.TABLE | Trait.NAN
        return AbstractValue(shared, shared)
    if _is_own(kind):
        return _instance(value, depth)
    return UNKNOWN_VALUE


def _is_own(kind: type) -> bool:
    """Whether a class is the project's: of one of its files, or at least written in Python."""
    if is_library(kind.__module__):
        return False
    if getattr(sys.modules.get(kind.__module__), "__file__", None) is not None:
        return True
    return any(isinstance(item, types.FunctionType) for item in vars(kind).values())


def _container(value: Any, depth: int) -> AbstractValue:
    own = Trait.CONTAINER
    if not isinstance(value, tuple | frozenset):
        own |= Trait.PERSISTENT
    if type(value) in (set, frozenset):
        own |= Trait.SET
    inner = NONE
    for item in () if type(value) is bytearray else contents(value):
        if type(item) not in SCALAR_TYPES or item != item:
            inner |= abstract(item, depth + 1).all_traits
    return AbstractValue(own, inner)


def _instance(value: Any, depth: int) -> AbstractValue:
    inner = NONE
    for item in (getattr(value, "__dict__", None) or {}).values():
        if item is not value:
            inner |= abstract(item, depth + 1).all_traits
    made = instance_of(type(value))
    if any("__slots__" in vars(base) for base in type(value).__mro__[:-1]):
        inner |= DATA.inner
    return AbstractValue(made.own | Trait.PERSISTENT, inner, made.concrete)


def instance_of(kind: type) -> AbstractValue:
    """A new instance of a class of the project."""
    silent = getattr(kind, "__repr__", None) is object.__repr__
    shows = Trait.SHOWS_ADDRESS if silent else NONE
    return AbstractValue(Trait.OBJECT | Trait.CONTAINER | shows, NONE, Concrete(InstanceOf(kind)))


def contents(value: Any) -> Iterable[Any]:
    """The items of a plain container, keys and values of a dict."""
    if type(value) in (dict, types.MappingProxyType):
        return [*value.keys(), *value.values()]
    return list(value)
