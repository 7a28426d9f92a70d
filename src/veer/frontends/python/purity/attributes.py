"""Attributes of modules, classes, instances and values, as Python functions read them."""

from __future__ import annotations

import enum
import logging
import types
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any

from veer.frontends.python.origins import is_library
from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.results import (
    CODE_TYPES,
    METHOD_NAMES,
    callable_of,
    class_attribute,
    is_dunder,
    is_printed,
    listed_name,
)
from veer.frontends.python.purity.traits import (
    DATA,
    NO_TRAITS,
    NONE,
    AbstractValue,
    BoundCall,
    BuiltinMethod,
    Concrete,
    Trait,
    join,
)

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis


class Attributes:
    """Looks up attributes for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def attribute(self, base: AbstractValue, name: str) -> AbstractValue:
        """`base.name`"""
        if base.has(Trait.UNKNOWN):
            return self.analysis.note_choice()
        options = [self.attribute_of(one.value, base, name) for one in base.concretes]
        if not base.concretes or not base.exact:
            options.append(self.own_attribute(base, name))
        return join(options)

    def attribute_of(self, value: Any, base: AbstractValue, name: str) -> AbstractValue:
        """`base.name` where `value` is what the base may be."""
        analysis = self.analysis
        if isinstance(value, types.ModuleType):
            return self._of_module(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        # A broadcast is sent to workers as it was when it was made.
        if type(value).__module__ == "pyspark.core.broadcast" and name == "value":
            return analysis.abstract(value.value)
        if isinstance(value, logging.Logger):
            return AbstractValue(
                Trait.SHOWS_ADDRESS | Trait.CALLABLE,
                NONE,
                (Concrete(BuiltinMethod(base, name)),),
                True,
            )
        if isinstance(value, enum.Enum) and name in ("value", "_value_"):
            return analysis.abstract(value.value)
        if isinstance(value, enum.Enum) and name in ("name", "_name_"):
            return NO_TRAITS
        if base.kind is not None:
            one = AbstractValue(base.own, base.inner, (Concrete(value),), True, type(value))
            return self.own_attribute(one, name)
        if isinstance(value, CODE_TYPES):
            return analysis.note_choice()
        return self.own_attribute(base, name)

    def _of_module(self, module: types.ModuleType, name: str) -> AbstractValue:
        analysis = self.analysis
        if not is_library(module.__name__):
            attribute, path = vars(module).get(name, MISSING), getattr(module, "__file__", None)
            if attribute is MISSING:
                return NO_TRAITS
            if analysis.shared_state is None or isinstance(attribute, types.ModuleType):
                return analysis.abstract(attribute)
            if is_dunder(name) or path is None:
                return analysis.note_choice()
            return analysis.global_name(
                analysis.shared_state.module_names(vars(module), path), name
            )
        attribute = getattr(module, name, MISSING)
        if attribute is MISSING:
            return NO_TRAITS  # it fails, always
        if isinstance(attribute, types.ModuleType):
            return analysis.abstract(attribute)
        if listed_name(attribute):
            return analysis.abstract(attribute)
        if name in allow_list.MODULES.get(module.__name__, ()):
            return analysis.abstract(attribute)
        if callable(attribute):
            return AbstractValue(
                Trait.SHOWS_ADDRESS | Trait.CALLABLE, NONE, (Concrete(attribute),), True
            )
        return analysis.note_choice()

    def _of_class(self, kind: type, name: str) -> AbstractValue:
        analysis = self.analysis
        if is_dunder(name):
            return analysis.note_choice()
        attribute = class_attribute(kind, name)
        if attribute is None and not any(name in vars(b) for b in kind.__mro__):
            return (
                NO_TRAITS if not isinstance(type(kind), enum.EnumMeta) else analysis.note_choice()
            )
        if is_library(kind.__module__):
            value = getattr(kind, name)
            if listed_name(kind) is None:
                return analysis.note_choice()
            return analysis.abstract(value)
        if self.analysis.classes.is_enum(kind) and name in kind.__members__:  # type: ignore[attr-defined]
            return analysis.abstract(kind.__members__[name])  # type: ignore[attr-defined]
        self.analysis.classes.note_class(kind)
        if isinstance(attribute, staticmethod):
            return analysis.abstract(attribute.__func__)
        if isinstance(attribute, classmethod):
            bound = BoundCall(analysis.abstract(attribute.__func__), (analysis.abstract(kind),))
            return callable_of(bound)
        if isinstance(attribute, property):
            return analysis.note_choice()
        return analysis.abstract(attribute)

    def own_attribute(self, base: AbstractValue, name: str) -> AbstractValue:
        """An attribute of a value that is no module or class."""
        analysis = self.analysis
        if base.kind is not None and base.has(Trait.OBJECT):
            return self.of_instance(base, base.kind, name)
        if is_dunder(name):
            return analysis.note_choice()
        if base.has(Trait.OBJECT):
            return join([analysis.element(base), analysis.learned.operator_results])
        if base.has(Trait.TABLE):
            return AbstractValue(
                base.own | (NONE if is_printed(name) else Trait.ITERATOR), base.inner
            )
        if (
            name in METHOD_NAMES
            or name in allow_list.MUTATING | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS
        ):
            return callable_of(BuiltinMethod(base, name))
        item = analysis.element(base)
        # Some part of the value, which is shared if the value is.
        return AbstractValue(
            item.own | base.own & Trait.SHARED, item.inner, item.concretes, False, item.kind
        )

    def of_instance(self, base: AbstractValue, kind: type, name: str) -> AbstractValue:
        """An attribute of an instance of one of the project's classes."""
        analysis = self.analysis
        self.analysis.classes.note_class(kind)
        # `self.__x` in the body of a class is `self._Class__x`.
        if name.startswith("__") and not name.endswith("__"):
            own = [f"_{c.__name__.lstrip('_')}{name}" for c in kind.__mro__]
            name = next((n for n in own if class_attribute(kind, n) is not None), own[0])
        if is_dunder(name) and name != "__call__":
            return analysis.note_choice()
        owner = next((c for c in kind.__mro__ if name in vars(c)), None)
        instance = base.concretes[0].value if len(base.concretes) == 1 else None
        held = (getattr(instance, "__dict__", None) or {}).get(name, MISSING)
        kept = [analysis.abstract(held)] if held is not MISSING else [analysis.element(base)]
        if owner is None:
            return join([*kept, analysis.learned.stored])
        item = vars(owner)[name]
        if is_library(owner.__module__):
            if isinstance(item, types.FunctionType | types.MethodDescriptorType):
                return callable_of(BuiltinMethod(AbstractValue(base.own, base.inner), name))
            return analysis.element(base)
        if isinstance(item, property):
            if not isinstance(item.fget, types.FunctionType):
                return analysis.note_choice()
            return analysis.function(item.fget, ([base], {}, None), kind)
        if isinstance(item, types.FunctionType):
            # A function stored in the instance hides the method of that name.
            shadows = [k for k in (*kept, analysis.learned.stored) if k.has(Trait.CALLABLE)]
            return join([callable_of(BoundCall(analysis.abstract(item), (base,))), *shadows])
        if isinstance(item, classmethod):
            return callable_of(
                BoundCall(analysis.abstract(item.__func__), (analysis.abstract(kind),))
            )
        if isinstance(item, staticmethod):
            return analysis.abstract(item.__func__)
        if isinstance(item, types.MemberDescriptorType):
            return join([*kept, DATA])
        return join([analysis.abstract(item), *kept])
