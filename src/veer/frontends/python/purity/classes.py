"""Classes of the project: what runs of them by making instances and by operators."""

from __future__ import annotations

import abc
import enum
import types
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Generic, Protocol

from veer.frontends.python.origins import is_library
from veer.frontends.python.purity.results import (
    HASH,
    NOT_SPECIAL,
    UNFOLLOWED_SPECIAL,
    Args,
    all_arguments,
    class_attribute,
    is_generated,
    listed_name,
)
from veer.frontends.python.purity.traits import (
    DATA,
    NO_TRAITS,
    NONE,
    AbstractValue,
    Risk,
    Trait,
    instance_traits,
    join,
)
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis


# What Python itself runs of these when a class is made or used is known, and changes nothing.
METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
BASES: tuple[Any, ...] = (object, abc.ABC, Generic, Protocol)
MIXINS = (str, int, float, enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.ReprEnum)


class Classes:
    """Follows the code of classes for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.noted_classes: set[type] = set()

    def is_enum(self, kind: type) -> bool:
        """Whether a class is an enum of the project."""
        return issubclass(kind, enum.Enum) and not is_library(kind.__module__)

    def member(self, kind: type) -> AbstractValue:
        """Some member of an enum."""
        self.note_class(kind)
        return join([self.analysis.abstract(m) for m in kind]) if len(kind) else NO_TRAITS  # type: ignore[arg-type, attr-defined]

    def construct(self, kind: type, args: Args) -> AbstractValue:
        """An instance of a class: its initializer runs, and keeps what it is given."""
        if is_library(kind.__module__):
            return self.analysis.calls.unknown(args, kind.__module__)
        if self.is_enum(kind):
            members = self.member(kind)
            return AbstractValue(members.own, members.inner, (), False, kind)
        self.note_class(kind)
        instance = AbstractValue(instance_traits(kind), NONE, (), False, kind)
        self.analysis.note_contents(instance)
        init = class_attribute(kind, "__init__")
        positional, named, rest = args
        if isinstance(init, types.FunctionType) and is_generated(kind, init):
            self._fields(kind, args, instance)
        elif isinstance(init, types.FunctionType) and not is_library(init.__module__ or ""):
            self.analysis.function(init, ([instance, *positional], named, rest), kind)
        else:
            self.analysis.change(NO_TRAITS, *all_arguments(args))
        return instance

    def _fields(self, kind: Any, args: Args, instance: AbstractValue) -> None:
        """A dataclass is made: arguments and defaults are kept, and it may go on by itself."""
        self.analysis.change(NO_TRAITS, *all_arguments(args))
        for field in kind.__dataclass_fields__.values():
            if field.default is not MISSING:
                self.analysis.change(NO_TRAITS, self.analysis.abstract(field.default))
            if field.default_factory is not MISSING:
                factory = self.analysis.abstract(field.default_factory)
                self.analysis.change(NO_TRAITS, self.analysis.calls.invoke(factory, ([], {}, None)))
        after = class_attribute(kind, "__post_init__")
        if isinstance(after, types.FunctionType):
            self.analysis.function(after, ([instance], {}, join(all_arguments(args))), kind)

    def note_class(self, kind: type) -> None:
        """Look at what runs of a class of the project without being called by name."""
        if kind in self.noted_classes or is_library(kind.__module__):
            return
        self.noted_classes.add(kind)
        if type(kind) not in METACLASSES:
            self.analysis.note(Kind.PARTITION)  # code of its own decides what the class does
        is_enum, is_error = issubclass(kind, enum.Enum), issubclass(kind, Exception)
        self_ = AbstractValue(instance_traits(kind) | Trait.CONTAINER, NONE, (), False, kind)
        # Operators, attributes and loops call methods without naming them. They are not followed
        # from where they are used: once a class is met, all such methods may run, on anything.
        for base in kind.__mro__:
            if is_library(base.__module__):
                listed = is_error and (listed_name(base) or base is BaseException)
                if base not in BASES and not listed and not (is_enum and base in MIXINS):
                    self.analysis.note_choice()
                continue
            if self.analysis.is_shared_state(base):
                self.analysis.note(Kind.PARTITION)
            for name, item in vars(base).items():
                self._member_of(kind, name, item, self_)

    def _member_of(self, kind: type, name: str, item: Any, self_: AbstractValue) -> None:
        analysis = self.analysis
        others: Args = ([self_], {}, join([self_, DATA]))
        if isinstance(item, property):
            for part in (item.fget, item.fset, item.fdel):
                if isinstance(part, types.FunctionType):
                    analysis.risk(Risk.RECURSIVE)  # operators and attributes are not followed back
                    self._note_operator_result(analysis.function(part, others, kind))
            return
        if isinstance(item, types.FunctionType):
            if is_library(item.__module__ or "") or is_generated(kind, item):
                return
            if name in UNFOLLOWED_SPECIAL:
                analysis.note(Kind.PARTITION)
            elif name.startswith("__") and name.endswith("__") and name not in NOT_SPECIAL:
                analysis.risk(Risk.RECURSIVE)
                if name == "__exit__":  # it may swallow any exception
                    analysis.risk(Risk.CAUGHT | Risk.DEEP | Risk.MEMORY)
                self._note_operator_result(
                    analysis.function(item, others, HASH if name == HASH else kind)
                )
            return
        plain = (staticmethod, classmethod, types.MemberDescriptorType, types.GetSetDescriptorType)
        if isinstance(item, (*plain, type)):
            if name in UNFOLLOWED_SPECIAL and isinstance(item, classmethod | staticmethod):
                inner = item.__func__
                if isinstance(inner, types.FunctionType) and not is_library(inner.__module__ or ""):
                    analysis.note_choice()
            return
        # A descriptor decides what an attribute is by code that is not looked at.
        if hasattr(type(item), "__get__") and not (
            name.startswith("_") and is_library(type(item).__module__)
        ):
            analysis.note_choice()

    def _note_operator_result(self, value: AbstractValue) -> None:
        learned = self.analysis.learned
        grown = join(
            [
                learned.operator_results,
                AbstractValue(value.own, value.inner, value.concretes, False, value.kind),
            ]
        )
        if grown != learned.operator_results:
            learned.operator_results, learned.grown = grown, True

    def check_caught(self, kinds: AbstractValue) -> None:
        """Exceptions that are caught must be such as depend on the arguments alone."""
        self.analysis.risk(Risk.CAUGHT)
        caught = [one.value for one in kinds.concretes]
        many = [k for f in caught for k in (f if isinstance(f, tuple) else (f,))]
        if not (kinds.exact and many):
            self.analysis.note_choice()
        for kind in many:
            if not isinstance(kind, type) or (
                is_library(kind.__module__) and not listed_name(kind)
            ):
                self.analysis.note_choice()
            else:
                if issubclass(RecursionError, kind):
                    self.analysis.risk(Risk.DEEP)
                if issubclass(MemoryError, kind):
                    self.analysis.risk(Risk.MEMORY)
