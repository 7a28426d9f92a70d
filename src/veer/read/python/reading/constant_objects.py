"""Attributes of constant objects: named tuples, dataclasses, namespaces, enumerations, classes.

What is read must be stored as it is and computed by nobody: an attribute that a class computes
(a property, `__getattr__`) is not read.
"""

from __future__ import annotations

import inspect
import types
from enum import Enum, EnumType
from typing import Any

from veer.read.python.origins import is_named_tuple
from veer.read.python.reading.values import NotRead

_MISSING = object()


def attribute(base: Any, name: str) -> Any:
    """What `base.name` is; raises `NotRead` where more than a stored value is needed."""
    if name.startswith("__"):
        raise NotRead(f"the attribute {name}")
    if isinstance(base, Enum):
        return _of_member(base, name)
    if isinstance(base, type):
        return _of_class(base, name)
    if isinstance(base, tuple) and type(base) is not tuple:
        return _of_named_tuple(base, name)
    if type(base) is types.SimpleNamespace and name in vars(base):
        return vars(base)[name]
    return _of_instance(base, name)


def _of_member(member: Enum, name: str) -> Any:
    """The value or the name of a member of an enumeration."""
    plain = inspect.getattr_static(Enum, name, _MISSING)
    if name not in ("value", "name") or inspect.getattr_static(type(member), name) is not plain:
        raise NotRead(f"the attribute {name} of a member")
    return member._value_ if name == "value" else member._name_


def _of_class(cls: type, name: str) -> Any:
    """What a class holds under a name: a member of an enumeration, a constant."""
    if isinstance(cls, EnumType):
        member = cls.__members__.get(name, _MISSING)
        if type(cls) is EnumType and member is not _MISSING:
            return member
        raise NotRead(f"the attribute {name} of an enumeration")
    value = inspect.getattr_static(cls, name, _MISSING)
    if type(cls) is not type or value is _MISSING or hasattr(type(value), "__get__"):
        raise NotRead(f"the attribute {name} of a class")
    return value


def _of_named_tuple(value: Any, name: str) -> Any:
    """A field of a named tuple."""
    if not is_named_tuple(type(value)) or name not in value._fields:
        raise NotRead(f"the attribute {name}")
    return value[value._fields.index(name)]


def _of_instance(value: Any, name: str) -> Any:
    """What an object of a project's class stores under a name."""
    cls = type(value)
    stored = getattr(value, "__dict__", None) if _is_plain(cls) else None
    on_class = inspect.getattr_static(cls, name, _MISSING)
    if type(stored) is dict and name in stored and not hasattr(type(on_class), "__set__"):
        return stored[name]
    if isinstance(on_class, types.MemberDescriptorType) and _is_plain(cls):
        return on_class.__get__(value, cls)  # of a class with slots
    raise NotRead(f"the attribute {name}")


def _is_plain(cls: type) -> bool:
    return not _reads_itself(cls) and type(cls) is type


def _reads_itself(cls: type) -> bool:
    """Whether a class computes its attributes."""
    plain: Any = object.__getattribute__
    return inspect.getattr_static(cls, "__getattribute__") is not plain
