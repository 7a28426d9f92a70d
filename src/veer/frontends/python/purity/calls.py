"""Calls, methods and attributes inside of Python functions, and what they do to purity."""

from __future__ import annotations

import abc
import ast
import datetime
import enum
import functools
import logging
import types
from collections.abc import Iterable, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Generic, Protocol

from veer.frontends.python.origins import is_library
from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.formats import is_plain_template
from veer.frontends.python.purity.results import (
    CODE_TYPES,
    HASH,
    METHOD_NAMES,
    NAMED_FUNCTIONS,
    NOT_SPECIAL,
    UNFOLLOWED_SPECIAL,
    Args,
    ItemGetter,
    all_arguments,
    callable_of,
    class_attribute,
    is_dunder,
    is_generated,
    is_plain_type,
    is_printed,
    is_special,
    listed_name,
)
from veer.frontends.python.purity.rules import Rules
from veer.frontends.python.purity.traits import (
    DATA,
    NO_TRAITS,
    NONE,
    UNKNOWN_VALUE,
    UNORDERED,
    UNSTABLE_TEXT,
    AbstractValue,
    BoundCall,
    BuiltinMethod,
    Concrete,
    LocalFunction,
    Risk,
    Trait,
    abstract,
    instance_traits,
    join,
)
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis, NameScope

METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
BASES: tuple[Any, ...] = (object, abc.ABC, Generic, Protocol)
MIXINS = (str, int, float, enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.ReprEnum)


class Calls(Rules):
    """Follows calls for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.noted_classes: set[type] = set()

    def call(self, node: ast.Call, scope: NameScope) -> AbstractValue:
        analysis = self.analysis
        base = None
        if isinstance(node.func, ast.Attribute):
            base = analysis.value(node.func.value, scope)
        else:
            callee = analysis.value(node.func, scope)
        positional: list[AbstractValue] = []
        rest: list[AbstractValue] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                rest.append(analysis.iterate_in_order(analysis.value(arg.value, scope)))
            elif rest:
                rest.append(analysis.value(arg, scope))
            else:
                positional.append(analysis.value(arg, scope))
        named: dict[str, AbstractValue] = {}
        for keyword in node.keywords:
            value = analysis.value(keyword.value, scope)
            if keyword.arg is None:
                rest.append(analysis.iterate_in_order(value))
            else:
                named[keyword.arg] = value
        args: Args = (positional, named, join(rest) if rest else None)
        if base is not None:
            assert isinstance(node.func, ast.Attribute)
            return self.method(base, node.func.attr, args)
        if scope.hashes and any(one.value is hash for one in callee.concretes):
            return NO_TRAITS  # hashes show in the order of sets alone
        return self.invoke(callee, args)

    # -- functions -----------------------------------------------------------------------------

    def invoke(self, callee: AbstractValue, args: Args) -> AbstractValue:
        """Call whatever a value may be."""
        if callee.has(Trait.UNKNOWN) or not callee.concretes:
            if callee.kind is not None and callee.has(Trait.OBJECT):
                return self.method(callee, "__call__", args)
            return self.unknown(args)
        return join([self.invoke_live(one.value, args, callee) for one in callee.concretes])

    def invoke_live(self, value: Any, args: Args, callee: AbstractValue) -> AbstractValue:
        analysis = self.analysis
        positional, named, rest = args
        name = listed_name(value)
        if name is not None:
            return self.known(name, args)
        match value:
            case LocalFunction():
                return analysis.local(value, args)
            case ItemGetter():
                return join(map(analysis.element, all_arguments(args)))
            case BoundCall():
                return self.invoke(
                    value.callee,
                    ([*value.first, *positional], {**dict(value.named), **named}, rest),
                )
            case BuiltinMethod():
                return self.plain_method(value.base, value.name, args)
            case functools.partial():
                held = tuple(map(analysis.abstract, value.args))
                more = {n: analysis.abstract(v) for n, v in value.keywords.items()}
                return self.invoke(
                    analysis.abstract(value.func), ([*held, *positional], {**more, **named}, rest)
                )
            case types.MethodType():
                self_ = analysis.abstract(value.__self__)
                return self.invoke(
                    analysis.abstract(value.__func__), ([self_, *positional], named, rest)
                )
            case types.FunctionType():
                if is_library(value.__module__ or ""):
                    return self.unknown(args, value.__module__)
                return analysis.function(value, args)
            case types.BuiltinFunctionType():
                return self._builtin(value, args)
            case types.MethodDescriptorType() | types.WrapperDescriptorType():
                first = [*positional, *([] if rest is None else [rest])]
                if not first:
                    return NO_TRAITS  # it fails
                return self.plain_method(first[0], value.__name__, (positional[1:], named, rest))
            case type():
                return self.construct(value, args)
            case _ if callee.kind is not None and callee.has(Trait.OBJECT):
                return self.method(callee, "__call__", args)
            case _ if type(value) in (str, int, float, bool, type(None)):
                return NO_TRAITS  # it fails
            case _:
                return self.unknown(args)

    def _builtin(self, value: Any, args: Args) -> AbstractValue:
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return self.unknown(args, value.__module__ or "")
        if isinstance(owner, type):
            return self._class_method(owner, value.__name__, args)
        return self.plain_method(self.analysis.abstract(owner), value.__name__, args)

    def unknown(self, args: Args, module: str = "") -> AbstractValue:
        """A call of something not known to be pure; it may change what it is given."""
        for arg in all_arguments(args):
            lent = arg.has(Trait.ARGUMENT) and not arg.has(Trait.TABLE)
            if arg.has(Trait.CONTAINER) and (lent or arg.has(Trait.PERSISTENT)):
                self.analysis.note(Kind.PARTITION)
        self.call_function_arguments(all_arguments(args), all_arguments(args))
        if module.partition(".")[0] == "pyspark":
            self.analysis.note(Kind.PARTITION)
        return self.analysis.note_choice()

    def call_function_arguments(
        self, callees: Iterable[AbstractValue], given: Sequence[AbstractValue]
    ) -> AbstractValue:
        """Functions among arguments are called with whatever else is there."""
        analysis = self.analysis
        items = [v for g in given for v in (g, analysis.element(g)) if not g.has(Trait.CALLABLE)]
        result: AbstractValue | None = None
        for callee in callees:
            if not callee.has(Trait.CALLABLE):
                continue
            if callee.has(Trait.UNKNOWN) or not callee.concretes:
                analysis.note_choice()
                continue
            before, unordered = analysis.learned.changes, any(g.has(UNORDERED) for g in given)
            for _ in range(4):
                again = [] if result is None else [result, analysis.element(result)]
                returned = self.invoke(callee, ([], {}, join([*items, *again])))
                grown = returned if result is None else join([result, returned])
                if grown == result:
                    break
                result = grown
            else:
                analysis.note_choice()
            if unordered and analysis.learned.changes > before:
                analysis.note_choice()
        if result is None:
            return NO_TRAITS
        analysis.note_contents(result)
        return result

    # -- classes -------------------------------------------------------------------------------

    def is_enum(self, kind: type) -> bool:
        return issubclass(kind, enum.Enum) and not is_library(kind.__module__)

    def member(self, kind: type) -> AbstractValue:
        """Some member of an enum."""
        self.note_class(kind)
        return join([self.analysis.abstract(m) for m in kind]) if len(kind) else NO_TRAITS  # type: ignore[arg-type, attr-defined]

    def construct(self, kind: type, args: Args) -> AbstractValue:
        if is_library(kind.__module__):
            return self.unknown(args, kind.__module__)
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
                self.analysis.change(NO_TRAITS, self.invoke(factory, ([], {}, None)))
        after = class_attribute(kind, "__post_init__")
        if isinstance(after, types.FunctionType):
            self.analysis.function(after, ([instance], {}, join(all_arguments(args))), kind)

    def note_class(self, kind: type) -> None:
        """Look at what runs of a class of the project without being called by name."""
        if kind in self.noted_classes or is_library(kind.__module__):
            return
        self.noted_classes.add(kind)
        if type(kind) not in METACLASSES:
            self.analysis.note(Kind.PARTITION)
        is_enum, is_error = issubclass(kind, enum.Enum), issubclass(kind, Exception)
        self_ = AbstractValue(instance_traits(kind) | Trait.CONTAINER, NONE, (), False, kind)
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
                    self._special(analysis.function(part, others, kind))
            return
        if isinstance(item, types.FunctionType):
            if is_library(item.__module__ or "") or is_generated(kind, item):
                return
            if name in UNFOLLOWED_SPECIAL:
                analysis.note(Kind.PARTITION)
            elif name.startswith("__") and name.endswith("__") and name not in NOT_SPECIAL:
                analysis.risk(Risk.RECURSIVE)
                if name == "__exit__":
                    analysis.risk(Risk.CAUGHT | Risk.DEEP)
                self._special(analysis.function(item, others, HASH if name == HASH else kind))
            return
        plain = (staticmethod, classmethod, types.MemberDescriptorType, types.GetSetDescriptorType)
        if isinstance(item, (*plain, type)):
            if name in UNFOLLOWED_SPECIAL and isinstance(item, classmethod | staticmethod):
                inner = item.__func__
                if isinstance(inner, types.FunctionType) and not is_library(inner.__module__ or ""):
                    analysis.note_choice()
            return
        if hasattr(type(item), "__get__") and not (
            name.startswith("_") and is_library(type(item).__module__)
        ):
            analysis.note_choice()

    def _special(self, value: AbstractValue) -> None:
        learned = self.analysis.learned
        grown = join(
            [
                learned.operator_results,
                AbstractValue(value.own, value.inner, value.concretes, False, value.kind),
            ]
        )
        if grown != learned.operator_results:
            learned.operator_results, learned.grown = grown, True

    def allowed_exceptions(self, kinds: AbstractValue) -> None:
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
            elif issubclass(RecursionError, kind):
                self.analysis.risk(Risk.DEEP)

    # -- attributes ----------------------------------------------------------------------------

    def attribute(self, base: AbstractValue, name: str) -> AbstractValue:
        """`base.name`"""
        if base.has(Trait.UNKNOWN):
            return self.analysis.note_choice()
        options = [self._attribute_of(one.value, base, name) for one in base.concretes]
        if not base.concretes or not base.exact:
            options.append(self._own_attribute(base, name))
        return join(options)

    def _attribute_of(self, value: Any, base: AbstractValue, name: str) -> AbstractValue:
        analysis = self.analysis
        if isinstance(value, types.ModuleType):
            return self._of_module(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
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
            return self._own_attribute(one, name)
        if isinstance(value, CODE_TYPES):
            return analysis.note_choice()
        return self._own_attribute(base, name)

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
            return NO_TRAITS
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
        if self.is_enum(kind) and name in kind.__members__:  # type: ignore[attr-defined]
            return analysis.abstract(kind.__members__[name])  # type: ignore[attr-defined]
        self.note_class(kind)
        if isinstance(attribute, staticmethod):
            return analysis.abstract(attribute.__func__)
        if isinstance(attribute, classmethod):
            bound = BoundCall(analysis.abstract(attribute.__func__), (analysis.abstract(kind),))
            return callable_of(bound)
        if isinstance(attribute, property):
            return analysis.note_choice()
        return analysis.abstract(attribute)

    def _own_attribute(self, base: AbstractValue, name: str) -> AbstractValue:
        """An attribute of a value that is no module or class."""
        analysis = self.analysis
        if base.kind is not None and base.has(Trait.OBJECT):
            return self._of_instance(base, base.kind, name)
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
        return AbstractValue(
            item.own | base.own & Trait.SHARED, item.inner, item.concretes, False, item.kind
        )

    def _of_instance(self, base: AbstractValue, kind: type, name: str) -> AbstractValue:
        analysis = self.analysis
        self.note_class(kind)
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

    # -- methods -------------------------------------------------------------------------------

    def method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        """`base.name(args)`"""
        if base.has(Trait.UNKNOWN):
            self.unknown(args)
            return UNKNOWN_VALUE
        results = []
        others = not base.exact or not base.concretes
        for one in base.concretes:
            value = one.value
            if isinstance(value, type) and is_library(value.__module__):
                results.append(self._class_method(value, name, args))
            elif isinstance(value, logging.Logger):
                results.append(self._logged(name, args))
            elif isinstance(value, (types.ModuleType, type)) or is_special(value):
                results.append(self.invoke(self._attribute_of(value, base, name), args))
            elif base.kind is not None:
                one_value = AbstractValue(base.own, base.inner, (one,), True, type(value))
                results.append(self.invoke(self._own_attribute(one_value, name), args))
            elif isinstance(value, CODE_TYPES):
                results.append(self.unknown(args))
            else:
                others = True
        if others:
            results.append(self._own_method(base, name, args))
        return join(results)

    def _own_method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        if base.has(Trait.OBJECT):
            if base.kind is None:
                self.analysis.note(Kind.PARTITION if base.has(Trait.SHARED) else Kind.CHOICE)
                return self.unknown(args)
            return self.invoke(self._of_instance(base, base.kind, name), args)
        return self.plain_method(base, name, args)

    def _logged(self, name: str, args: Args) -> AbstractValue:
        return abstract(None) if name in allow_list.LOGGING else self.unknown(args)

    def _class_method(self, kind: type, name: str, args: Args) -> AbstractValue:
        """A method of a class of Python's, called on the class."""
        known = listed_name(kind)
        positional, named, rest = args
        if known is None:
            return self.unknown(args, kind.__module__)
        if name in allow_list.CLASS_METHODS.get(known, ()):
            if name == "fromkeys" and any(map(self.unordered, positional)):
                return self.analysis.container(
                    [self.analysis.element(p) for p in positional], Trait.SET
                )
            return self._listed_call(f"{known}.{name}", args)
        if known == "datetime.datetime" and name == "strptime" and len(positional) == 2:
            self._check_formats(positional[1:])
            return NO_TRAITS
        if known == "datetime.datetime" and name == "fromtimestamp":
            zone = named.get("tz", positional[1] if len(positional) == 2 else NO_TRAITS)
            fixed = [isinstance(z.value, datetime.timezone) for z in zone.concretes]
            if zone.exact and fixed and all(fixed):
                return NO_TRAITS
            return self.unknown(args)
        item = next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), None)
        if (
            isinstance(item, types.MethodDescriptorType | types.WrapperDescriptorType)
            and positional
        ):
            return self.plain_method(positional[0], name, (positional[1:], named, rest))
        return self.unknown(args)

    def plain_method(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        """A method of a text, a collection, a date, a series: known by its name alone."""
        analysis, given = self.analysis, all_arguments(args)
        if any(v.has(Trait.UNKNOWN) for v in (base, *given)):
            analysis.note_choice()
        if base.has(Trait.TABLE):
            self._check_writing(base, name, args)
        if name == "strftime":
            self._check_formats(given)
            return self._of_table(base, name) if base.has(Trait.TABLE) else NO_TRAITS
        if name in allow_list.MUTATING:
            return self._changing(base, name, args)
        if name in allow_list.SET_METHODS:
            return analysis.container([analysis.element(v) for v in (base, *given)], Trait.SET)
        if name not in allow_list.GIVES_SCALAR | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS:
            if base.has(Trait.PERSISTENT) or (
                base.has(Trait.ARGUMENT) and not base.has(Trait.TABLE)
            ):
                analysis.note(Kind.PARTITION)
            self.unknown(args)
            return UNKNOWN_VALUE
        if name in ("issubset", "issuperset", "isdisjoint"):
            return NO_TRAITS
        if name == "copy":
            analysis.unpack(base)
            return AbstractValue(base.own & ~Trait.SHARED, base.inner)
        if any(map(self.unordered, (base, *given))):
            if base.has(Trait.HASH_ORDERED) or name not in ("get", "keys", "values", "items"):
                return analysis.note_choice()
            if name != "get":
                return AbstractValue(
                    Trait.CONTAINER | Trait.HASH_ORDERED | Trait.DICT_VIEW, base.inner
                )
        return self._reading(base, name, args)

    def _reading(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        analysis, given = self.analysis, all_arguments(args)
        if name in allow_list.GIVES_SCALAR:
            for value in given:
                if not value.has(Trait.CALLABLE) and analysis.all_traits(value) & UNSTABLE_TEXT:
                    if name not in ("index", "count"):
                        analysis.note_choice()
                if name in ("format", "format_map"):
                    analysis.text(value)
        if name in ("format", "format_map"):
            texts = base.texts()
            if texts is None or not all(map(is_plain_template, texts)):
                return analysis.note_choice()
        if base.has(Trait.TABLE):
            self._check_table(base, name, args)
        called = self.call_function_arguments(given, [base, *given])
        if base.has(Trait.TABLE):
            return join([self._of_table(base, name), called])
        if name in allow_list.GIVES_SCALAR:
            return NO_TRAITS
        if name in allow_list.GIVES_ITEMS:
            return join([analysis.element(base), *given, called])
        own = Trait.CONTAINER | (Trait.DICT_VIEW if name in ("keys", "items") else NONE)
        if name in ("finditer", "elements"):
            own |= Trait.ITERATOR
        inner = base.all_traits | called.all_traits
        for value in given:
            inner |= value.all_traits & ~Trait.CALLABLE
        item = analysis.element(base)
        analysis.note_contents(item)
        return AbstractValue(own, inner & ~(Trait.DICT_VIEW | Trait.CALLABLE) | item.all_traits)

    def _of_table(self, base: AbstractValue, name: str) -> AbstractValue:
        lazy = Trait.ITERATOR if name in allow_list.OPAQUE_PRINTED else NONE
        return AbstractValue(base.own & ~Trait.ITERATOR | lazy, base.inner)

    def _check_writing(self, base: AbstractValue, name: str, args: Args) -> None:
        """Methods of arrays that change them, or write to another given by place or keyword."""
        positional, _, rest = args
        if name not in allow_list.COLUMN_KEYWORDS or rest is not None:
            self.check_keywords(args, [base, *all_arguments(args)])
        if name == "partition":  # of an array it sorts in place
            self.analysis.change(base)
        for place in positional[1:]:
            if place.has(Trait.TABLE | Trait.UNKNOWN) and name not in allow_list.TWO_TABLES:
                self.analysis.change(place)

    def _check_table(self, base: AbstractValue, name: str, args: Args) -> None:
        """Methods of pandas that take types or names of functions as texts."""
        positional, named, rest = args
        if rest is not None:
            self.analysis.note_choice()
        if name == "astype" and not all(map(is_plain_type, all_arguments(args))):
            self.analysis.note_choice()
        if "dtype" in named and not is_plain_type(named["dtype"]):
            self.analysis.note_choice()
        if name in NAMED_FUNCTIONS:
            for value in positional[:1] + [v for n, v in named.items() if n in ("func", "aggfunc")]:
                texts = value.texts()
                if value.has(Trait.CALLABLE) or (value.has(Trait.CONTAINER) and name == "map"):
                    continue
                if (
                    texts is None
                    or not set(texts) <= allow_list.GIVES_SCALAR | allow_list.GIVES_NEW
                ):
                    self.analysis.note_choice()
        self.analysis.check_clock_words(*all_arguments(args))

    def _changing(self, base: AbstractValue, name: str, args: Args) -> AbstractValue:
        analysis, given = self.analysis, all_arguments(args)
        if any(map(self.unordered, given)) and not base.has(Trait.SET):
            analysis.note_choice()
        if base.has(UNORDERED) and name in ("pop", "popitem", "sort", "reverse"):
            analysis.note_choice()
        items = [v for g in given if not g.has(Trait.CALLABLE) for v in (g, analysis.element(g))]
        called = [g for g in given if g.has(Trait.CALLABLE)]
        if name == "sort":
            self.call_function_arguments(called, [base])
        else:
            items += called
        analysis.change(base, *items)
        if name in ("pop", "popleft", "popitem", "setdefault"):
            return join([analysis.element(base), *given])
        return abstract(None)
