"""Calls and attributes in Python functions: of the project's code, of listed names, of anything."""

from __future__ import annotations

import abc
import datetime
import enum
import functools
import logging
import operator
import types
from collections.abc import Iterable, Sequence
from dataclasses import MISSING
from typing import Any, Generic, Protocol

from veer.functions.registry import Kind
from veer.read.declared import declarations
from veer.read.python.origins import is_importable, is_library
from veer.read.python.purity import allow_list, results as purity_results, traits
from veer.read.python.purity.formats import is_plain_format, is_plain_template
from veer.read.python.purity.learned import Learned
from veer.read.python.purity.shared_state import ModuleNames, SharedState
from veer.read.python.purity.traits import abstract

# What Python itself runs of these when a class is made or used is known, and changes nothing.
METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
BASES: tuple[Any, ...] = (object, abc.ABC, Generic, Protocol)
MIXINS = (str, int, float, enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.ReprEnum)
# Kinds of members of a class that run nothing by being looked at.
QUIET_MEMBERS = (
    staticmethod, classmethod, types.MemberDescriptorType, types.GetSetDescriptorType, type,
)  # fmt: skip


class Calls(Learned, abc.ABC):
    """Follows calls, methods and attributes."""

    shared_state: SharedState

    def __init__(self) -> None:
        super().__init__()
        self.noted_classes: set[type] = set()

    @abc.abstractmethod
    def abstract(self, value: Any) -> traits.AbstractValue:
        """What is known of an object that exists before the call."""

    @abc.abstractmethod
    def is_shared(self, value: Any) -> bool:
        """Whether some function of the project may change an object."""

    @abc.abstractmethod
    def global_name(self, module_names: ModuleNames, name: str) -> traits.AbstractValue:
        """A name of a module of the project."""

    @abc.abstractmethod
    def function(
        self, function: types.FunctionType, args: purity_results.Args, key: Any = None
    ) -> traits.AbstractValue:
        """A call of a function of the project that exists."""

    @abc.abstractmethod
    def local(self, local: traits.LocalFunction, args: purity_results.Args) -> traits.AbstractValue:
        """A call of a function defined inside of another."""

    # -- calls ---------------------------------------------------------------------------------

    def invoke(
        self, callee: traits.AbstractValue, args: purity_results.Args
    ) -> traits.AbstractValue:
        """Call a value: only what it is known to be is followed."""
        value = callee.object
        name = purity_results.listed_name(value)
        if name is not None:
            return self._listed(name, args)
        positional, named, rest = args
        match value:
            case None if callee.has(traits.Trait.UNKNOWN):
                return self.unknown(args)
            case traits.LocalFunction():
                return self.local(value, args)
            case operator.itemgetter():
                return traits.join(map(self.element, purity_results.all_arguments(args)))
            case traits.BoundCall(bound, first, more):
                return self.invoke(bound, ([*first, *positional], {**dict(more), **named}, rest))
            case functools.partial():
                first = tuple(map(self.abstract, value.args))
                more = tuple((n, self.abstract(v)) for n, v in value.keywords.items())
                return self.invoke(
                    traits.code(traits.BoundCall(self.abstract(value.func), first, more)), args
                )
            case types.MethodType():
                first = (self.abstract(value.__self__),)
                return self.invoke(
                    traits.code(traits.BoundCall(self.abstract(value.__func__), first)), args
                )
            case traits.BuiltinMethod():
                return self.plain_method(value.base, value.name, args)
            case types.FunctionType() | types.BuiltinFunctionType() if self._trusts(value, args):
                return traits.UNSHARED_DATA
            case types.FunctionType() if not is_library(value.__module__ or ""):
                return self.function(value, args)
            case types.FunctionType():
                return self.unknown(args, value.__module__)
            case types.BuiltinFunctionType():
                owner = value.__self__
                if owner is None or isinstance(owner, types.ModuleType):
                    return self.unknown(args, value.__module__ or "")
                if isinstance(owner, type):
                    return self._class_method(owner, value.__name__, args)
                return self.plain_method(self.abstract(owner), value.__name__, args)
            case types.MethodDescriptorType() | types.WrapperDescriptorType():
                first_arg = [*positional, *([] if rest is None else [rest])]
                if not first_arg:
                    return traits.NO_TRAITS  # it fails
                return self.plain_method(
                    first_arg[0], value.__name__, (positional[1:], named, rest)
                )
            case type():
                return self._construct(value, args)
            case _ if type(value) in (str, int, float, bool):
                return traits.NO_TRAITS  # it fails
            case _:
                return self.note_unfollowed()

    def _trusts(self, value: Any, args: purity_results.Args) -> bool:
        """Whether a call is of a package that is declared to be pure, with plain data.

        What shows more than values, such as the order of a set, is not for it to answer for.
        """
        package = declarations().trusted(value.__module__)
        if not package or not is_importable(value) or not is_library(value.__module__):
            return False
        if not isinstance(getattr(value, "__self__", None), types.ModuleType | None):
            return False  # a method, whose object may hold anything
        more = traits.UNSTABLE_TEXT | traits.Trait.CALLABLE
        if any(self.all_traits(a) & more for a in purity_results.all_arguments(args)):
            return False
        self.trusted.add(package)
        return True

    def unknown(self, args: purity_results.Args, module: str = "") -> traits.AbstractValue:
        """A call of something not known to be pure; it may change and call what it is given."""
        for arg in purity_results.all_arguments(args):
            lent = arg.has(traits.Trait.ARGUMENT) and not arg.has(traits.Trait.TABLE)
            if arg.has(traits.Trait.CONTAINER) and (lent or arg.has(traits.Trait.PERSISTENT)):
                self.note(Kind.PARTITION)
        self.call_arguments(purity_results.all_arguments(args), purity_results.all_arguments(args))
        if module.partition(".")[0] == "pyspark":
            self.note(Kind.PARTITION)
        return self.note_choice()

    def call_arguments(
        self, callees: Iterable[traits.AbstractValue], others: Sequence[traits.AbstractValue]
    ) -> traits.AbstractValue:
        """Functions among arguments are called with whatever else is there."""
        items = [
            v for g in others for v in (g, self.element(g)) if not g.has(traits.Trait.CALLABLE)
        ]
        results: list[traits.AbstractValue] = []
        for callee in callees:
            if not callee.has(traits.Trait.CALLABLE):
                continue
            if callee.has(traits.Trait.UNKNOWN):
                self.note_choice()
                continue
            before = self.changes
            # What a function gives it may be given next, as in `reduce`: until that is stable.
            for _ in range(4):
                given = traits.join([*items, *results, *map(self.element, results)])
                returned = self.invoke(callee, ([], {}, traits.nameless(given)))
                if traits.join([*results, returned]) == traits.join(results) and results:
                    break
                results.append(returned)
            else:
                self.note_choice()
            # Called for each item of a set, a function that changes something shows their order.
            if self.any_unordered(others) and self.changes > before:
                self.note_choice()
        return traits.join(results)

    # -- classes of the project ----------------------------------------------------------------

    def _construct(self, kind: type, args: purity_results.Args) -> traits.AbstractValue:
        """An instance of a class: its initializer runs, and keeps what it is given."""
        if is_library(kind.__module__):
            return self.unknown(args, kind.__module__)
        self.note_class(kind)
        member = self.enum_member(kind)
        if member is not None:
            return member
        instance = traits.instance_of(kind)
        init = purity_results.class_attribute(kind, "__init__")
        positional, named, rest = args
        if isinstance(init, types.FunctionType) and purity_results.is_generated(kind, init):
            self._fields(kind, args, instance)
        elif isinstance(init, types.FunctionType) and not is_library(init.__module__ or ""):
            self.function(init, ([instance, *positional], named, rest), kind)
        else:
            self.change(traits.NO_TRAITS, *purity_results.all_arguments(args))
        return instance

    def _fields(self, kind: Any, args: purity_results.Args, instance: traits.AbstractValue) -> None:
        """A dataclass is made: arguments and defaults are kept, and it may go on by itself."""
        self.change(traits.NO_TRAITS, *purity_results.all_arguments(args))
        for field in kind.__dataclass_fields__.values():
            if field.default is not MISSING:
                self.change(traits.NO_TRAITS, self.abstract(field.default))
            if field.default_factory is not MISSING:
                factory = self.abstract(field.default_factory)
                self.change(traits.NO_TRAITS, self.invoke(factory, ([], {}, None)))
        after = purity_results.class_attribute(kind, "__post_init__")
        if isinstance(after, types.FunctionType):
            self.function(
                after, ([instance], {}, traits.join(purity_results.all_arguments(args))), kind
            )

    def enum_member(self, kind: Any) -> traits.AbstractValue | None:
        """Some member of an enum of the project, if that is what a class is."""
        if not isinstance(kind, enum.EnumMeta) or is_library(kind.__module__):
            return None
        self.note_class(kind)
        members: list[Any] = list(kind)
        values = traits.join(abstract(member.value) for member in members).all_traits
        return traits.AbstractValue(traits.Trait.OBJECT, values, traits.instance_of(kind).concrete)

    def note_class(self, kind: type) -> None:
        """Look at what runs of a class of the project without being called by name."""
        if kind in self.noted_classes or is_library(kind.__module__):
            return
        self.noted_classes.add(kind)
        if kind not in self.classes:
            self.classes.add(kind)
            self.grown = True
        if type(kind) not in METACLASSES:
            self.note(Kind.PARTITION)  # code of its own decides what the class does
        is_enum, is_error = issubclass(kind, enum.Enum), issubclass(kind, Exception)
        # Operators, attributes and loops call methods without naming them. They are not followed
        # from where they are used: once a class is met, all such methods may run, on anything.
        for base in kind.__mro__:
            if is_library(base.__module__):
                listed = is_error and (purity_results.listed_name(base) or base is BaseException)
                if base not in BASES and not listed and not (is_enum and base in MIXINS):
                    self.note_choice()
                continue
            if self.is_shared(base):
                self.note(Kind.PARTITION)
            for name, item in vars(base).items():
                self._member_of(kind, name, item)

    def _member_of(self, kind: type, name: str, item: Any) -> None:
        instance = traits.instance_of(kind)
        anything: purity_results.Args = (
            [instance],
            {},
            traits.nameless(traits.join([instance, traits.DATA])),
        )
        if isinstance(item, property):
            for part in (item.fget, item.fset, item.fdel):
                if isinstance(part, types.FunctionType):
                    self.risk(
                        traits.Risk.RECURSIVE
                    )  # operators and attributes are not followed back
                    self.note_operator_result(self.function(part, anything, kind))
        elif isinstance(item, types.FunctionType):
            if is_library(item.__module__ or "") or purity_results.is_generated(kind, item):
                return
            if name in purity_results.UNFOLLOWED_SPECIAL:
                self.note(Kind.PARTITION)
            elif purity_results.is_dunder(name) and name not in purity_results.NOT_SPECIAL:
                self.risk(traits.Risk.RECURSIVE)
                if name == "__exit__":  # it may swallow any exception
                    self.risk(traits.Risk.CAUGHT | traits.Risk.DEEP | traits.Risk.MEMORY)
                key = purity_results.HASH if name == purity_results.HASH else kind
                self.note_operator_result(self.function(item, anything, key))
        elif isinstance(item, QUIET_MEMBERS):
            own = isinstance(item, classmethod | staticmethod) and not is_library(
                item.__func__.__module__ or ""
            )
            if own and name in purity_results.UNFOLLOWED_SPECIAL:
                self.note_choice()
        # A descriptor decides what an attribute is by code that is not looked at.
        elif hasattr(type(item), "__get__") and not (
            name.startswith("_") and is_library(type(item).__module__)
        ):
            self.note_choice()

    def check_caught(self, kinds: traits.AbstractValue) -> None:
        """Exceptions that are caught must be such as depend on the arguments alone."""
        self.risk(traits.Risk.CAUGHT)
        kind = kinds.object
        if not isinstance(kind, type) or (
            is_library(kind.__module__) and not purity_results.listed_name(kind)
        ):
            self.note_choice()
            return
        if issubclass(RecursionError, kind):
            self.risk(traits.Risk.DEEP)
        if issubclass(MemoryError, kind):
            self.risk(traits.Risk.MEMORY)

    # -- attributes ----------------------------------------------------------------------------

    def attribute(self, base: traits.AbstractValue, name: str) -> traits.AbstractValue:
        """`base.name`"""
        value = base.object
        if isinstance(value, types.ModuleType):
            return self._of_module(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        if base.has(traits.Trait.UNKNOWN) or isinstance(value, traits.CODE):
            return self.note_choice()
        # A broadcast is sent to workers as it was when it was made.
        if type(value).__module__ == "pyspark.core.broadcast" and name == "value":
            return self.abstract(value.value)
        if isinstance(value, logging.Logger):
            return traits.code(traits.BuiltinMethod(base, name))
        if isinstance(value, enum.Enum) or base.kind is not None:
            return self._of_instance(base, base.kind or type(value), name)
        if base.has(traits.Trait.CALLABLE):
            return self.note_unfollowed()
        if purity_results.is_dunder(name):
            return self.note_choice()
        if base.has(
            traits.Trait.OBJECT
        ):  # what properties of all classes give is among the results
            return traits.join([self.element(base), self.operator_results])
        if base.has(traits.Trait.TABLE):
            lazy = traits.NONE if purity_results.is_printed(name) else traits.Trait.ITERATOR
            return traits.AbstractValue(base.own | lazy, base.inner)
        changing = allow_list.MUTATING | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS
        if name in purity_results.METHOD_NAMES or name in changing:
            return traits.code(traits.BuiltinMethod(base, name))
        # Some part of the value, which is shared if the value is.
        item = self.element(base)
        return traits.AbstractValue(item.own | base.own & traits.Trait.SHARED, item.inner)

    def _of_module(self, module: types.ModuleType, name: str) -> traits.AbstractValue:
        if is_library(module.__name__):
            value = getattr(module, name, MISSING)
            if value is MISSING:
                return traits.NO_TRAITS  # it fails, always
            plain = purity_results.listed_name(value) or name in allow_list.MODULES.get(
                module.__name__, ()
            )
            if plain or isinstance(value, types.ModuleType):
                return self.abstract(value)
            return traits.code(value) if callable(value) else self.note_choice()
        value, path = vars(module).get(name, MISSING), getattr(module, "__file__", None)
        if value is MISSING:
            return traits.NO_TRAITS
        if isinstance(value, types.ModuleType):
            return self.abstract(value)
        if purity_results.is_dunder(name) or path is None:
            return self.note_choice()
        return self.global_name(self.shared_state.module_names(vars(module), path), name)

    def _of_class(self, kind: type, name: str) -> traits.AbstractValue:
        if purity_results.is_dunder(name):
            return self.note_choice()
        attribute = purity_results.class_attribute(kind, name)
        if is_library(kind.__module__):
            value = getattr(kind, name, MISSING)
            if value is MISSING:
                return traits.NO_TRAITS
            return self.abstract(value) if purity_results.listed_name(kind) else self.note_choice()
        self.note_class(kind)
        if isinstance(kind, enum.EnumMeta) and name in kind.__members__:
            return self.abstract(kind.__members__[name])
        if attribute is None:
            return traits.NO_TRAITS
        return self._of_own_class(attribute, self.abstract(kind))

    def _of_own_class(self, item: Any, kind: traits.AbstractValue) -> traits.AbstractValue:
        """What a class of the project has, as it is seen from the class."""
        if isinstance(item, staticmethod):
            return self.abstract(item.__func__)
        if isinstance(item, classmethod):
            return traits.code(traits.BoundCall(self.abstract(item.__func__), (kind,)))
        if isinstance(item, property):
            return self.note_choice()
        return self.abstract(item)

    def _of_instance(
        self, base: traits.AbstractValue, kind: type, name: str
    ) -> traits.AbstractValue:
        """An attribute of an instance of one of the project's classes."""
        self.note_class(kind)
        # `self.__x` in the body of a class is `self._Class__x`.
        if name.startswith("__") and not name.endswith("__"):
            own = [f"_{c.__name__.lstrip('_')}{name}" for c in kind.__mro__]
            name = next(
                (n for n in own if purity_results.class_attribute(kind, n) is not None), own[0]
            )
        if purity_results.is_dunder(name) and name != "__call__":
            return self.note_choice()
        held = traits.join([self.element(base), self.stored])
        if issubclass(kind, enum.Enum) and name in ("value", "_value_", "name", "_name_"):
            return held
        owner = next((c for c in kind.__mro__ if name in vars(c)), None)
        if owner is None:
            return held
        item = vars(owner)[name]
        if is_library(owner.__module__):
            return (
                traits.code(traits.BuiltinMethod(traits.nameless(base), name))
                if callable(item)
                else held
            )
        if isinstance(item, property):
            if not isinstance(item.fget, types.FunctionType):
                return self.note_choice()
            return self.function(item.fget, ([base], {}, None), kind)
        if isinstance(item, types.FunctionType):
            return traits.code(traits.BoundCall(self.abstract(item), (base,)))
        if isinstance(item, classmethod | staticmethod):
            return self._of_own_class(item, self.abstract(kind))
        if isinstance(item, types.MemberDescriptorType):
            return traits.join([held, traits.DATA])
        return traits.join([self.abstract(item), held])

    # -- loops ---------------------------------------------------------------------------------

    def iterate_in_order(self, value: traits.AbstractValue) -> traits.AbstractValue:
        """What a loop over a value takes, where the order may show."""
        if value.has(traits.Trait.UNKNOWN) or self.is_unordered(value):
            self.note_choice()
        return self.iterate(value)

    def iterate(self, value: traits.AbstractValue) -> traits.AbstractValue:
        """What a loop over a value takes."""
        if value.has(traits.Trait.CALLABLE):
            return self.enum_member(value.object) or self.note_choice()
        return self.element(value)

    # -- methods -------------------------------------------------------------------------------

    def method(
        self, base: traits.AbstractValue, name: str, args: purity_results.Args
    ) -> traits.AbstractValue:
        """`base.name(args)`"""
        value = base.object
        if isinstance(value, type) and is_library(value.__module__):
            return self._class_method(value, name, args)
        if isinstance(value, logging.Logger):  # other methods configure it
            return abstract(None) if name in allow_list.LOGGING else self.unknown(args)
        classes = self.classes if base.kind is None else {base.kind}
        held = self.element(base).has(traits.Trait.CALLABLE)
        if base.has(traits.Trait.OBJECT) and not isinstance(value, enum.Enum) and not held:
            if all(purity_results.class_attribute(kind, name) is None for kind in classes):
                # It is no object, or this fails.
                plain = traits.AbstractValue(base.own & ~traits.Trait.OBJECT, base.inner)
                return self.plain_method(plain, name, args)
        if isinstance(value, types.ModuleType | type | enum.Enum) or base.kind is not None:
            return self.invoke(self.attribute(base, name), args)
        if base.has(traits.Trait.UNKNOWN):
            self.unknown(args)
            return traits.UNKNOWN_VALUE
        if base.has(traits.Trait.CALLABLE | traits.Trait.OBJECT):
            self.unknown(args)
            return self.note_unfollowed()
        return self.plain_method(base, name, args)

    def _class_method(
        self, kind: type, name: str, args: purity_results.Args
    ) -> traits.AbstractValue:
        """A method of a class of Python's, called on the class."""
        class_name = purity_results.listed_name(kind)
        positional, named, rest = args
        if class_name is None:
            return self.unknown(args, kind.__module__)
        if name in allow_list.CLASS_METHODS.get(class_name, ()):
            if name == "fromkeys" and self.any_unordered(positional):
                self.note_choice()
            return self._listed_call(f"{class_name}.{name}", args)
        if class_name == "datetime.datetime" and name == "strptime" and len(positional) == 2:
            self._check_formats(positional[1:])
            return traits.NO_TRAITS
        if class_name == "datetime.datetime" and name == "fromtimestamp":
            # Without a zone it is the machine's; only a fixed offset is the same everywhere.
            zone = named.get("tz", positional[1] if len(positional) == 2 else traits.NO_TRAITS)
            fixed = isinstance(zone.object, datetime.timezone)
            return traits.NO_TRAITS if fixed else self.unknown(args)
        item = purity_results.class_attribute(kind, name)
        unbound = isinstance(item, types.MethodDescriptorType | types.WrapperDescriptorType)
        if unbound and positional:
            return self.plain_method(positional[0], name, (positional[1:], named, rest))
        return self.unknown(args)

    def plain_method(
        self, base: traits.AbstractValue, name: str, args: purity_results.Args
    ) -> traits.AbstractValue:
        """A method of a text, a collection, a date, a series: known by its name alone."""
        arguments = purity_results.all_arguments(args)
        if any(v.has(traits.Trait.UNKNOWN) for v in (base, *arguments)):
            self.note_choice()
        if base.has(traits.Trait.TABLE):
            self._check_writing(base, name, args)
        if name == "strftime":
            self._check_formats(arguments)
            return (
                self._table_result(base, name) if base.has(traits.Trait.TABLE) else traits.NO_TRAITS
            )
        if name in allow_list.MUTATING:
            return self._mutating_method(base, name, args)
        if name in allow_list.SET_METHODS:
            return self.container([self.element(v) for v in (base, *arguments)], traits.Trait.SET)
        # The type of a value is not known, only the name of the method: a name is listed if it is
        # harmless for every type that has it.
        if name not in allow_list.GIVES_SCALAR | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS:
            lent = base.has(traits.Trait.ARGUMENT) and not base.has(traits.Trait.TABLE)
            if lent or base.has(traits.Trait.PERSISTENT | traits.Trait.OBJECT):
                self.note(Kind.PARTITION)
            self.unknown(args)
            return traits.UNKNOWN_VALUE
        if name in ("issubset", "issuperset", "isdisjoint"):
            return traits.NO_TRAITS
        if name == "copy":
            return traits.nameless(base, traits.Trait.SHARED)
        if self.any_unordered((base, *arguments)) and name != "get":
            return self.note_choice()
        return self._reading_method(base, name, args)

    def _reading_method(
        self, base: traits.AbstractValue, name: str, args: purity_results.Args
    ) -> traits.AbstractValue:
        arguments = purity_results.all_arguments(args)
        if name in allow_list.GIVES_SCALAR:
            for value in arguments:
                if not value.has(traits.Trait.CALLABLE) and name not in ("index", "count"):
                    if self.all_traits(value) & traits.UNSTABLE_TEXT:
                        self.note_choice()
        if name in ("format", "format_map"):
            for value in arguments:
                self.text(value)
            if base.text is None or not is_plain_template(base.text):
                return self.note_choice()
        if base.has(traits.Trait.TABLE):
            self._check_table(name, args)
        called = self.call_arguments(arguments, [base, *arguments])
        if base.has(traits.Trait.TABLE):
            return traits.join([self._table_result(base, name), called])
        if name in allow_list.GIVES_SCALAR:
            return traits.NO_TRAITS
        given = [v for v in arguments if not v.has(traits.Trait.CALLABLE)]
        if name in allow_list.GIVES_ITEMS:
            return traits.join([self.element(base), *map(traits.nameless, given), called])
        lazy = traits.Trait.ITERATOR if name in ("finditer", "elements") else traits.NONE
        items = traits.join([self.element(base), *given, called]).all_traits | base.all_traits
        return traits.AbstractValue(traits.Trait.CONTAINER | lazy, items)

    def _mutating_method(
        self, base: traits.AbstractValue, name: str, args: purity_results.Args
    ) -> traits.AbstractValue:
        arguments = purity_results.all_arguments(args)
        # Adding a set to a set loses nothing; adding it to a list shows its order.
        if self.any_unordered(arguments) and not base.has(traits.Trait.SET):
            self.note_choice()
        # Which item a set gives first, and a sort leaves tied, is decided by hashes.
        if base.has(traits.Trait.SET) and name in ("pop", "popitem", "sort", "reverse"):
            self.note_choice()
        called = [g for g in arguments if g.has(traits.Trait.CALLABLE)]
        if name == "sort":
            self.call_arguments(called, [base])
            called = []
        plain = [g for g in arguments if not g.has(traits.Trait.CALLABLE)]
        self.change(base, *plain, *map(self.element, plain), *called)
        if name in ("pop", "popleft", "popitem", "setdefault"):
            return traits.join([self.element(base), *map(traits.nameless, arguments)])
        return abstract(None)

    # -- tables --------------------------------------------------------------------------------

    def _table_result(self, base: traits.AbstractValue, name: str) -> traits.AbstractValue:
        lazy = traits.Trait.ITERATOR if name in allow_list.OPAQUE_PRINTED else traits.NONE
        return traits.AbstractValue(base.own & ~traits.Trait.ITERATOR | lazy, base.inner)

    def _check_writing(
        self, base: traits.AbstractValue, name: str, args: purity_results.Args
    ) -> None:
        """Methods of arrays that change them, or write to another given by place or keyword."""
        positional, _, rest = args
        if name not in allow_list.COLUMN_KEYWORDS or rest is not None:
            self._check_keywords(args, [base, *purity_results.all_arguments(args)])
        if name == "partition":  # of an array it sorts in place
            self.change(base)
        for argument in positional[1:]:
            if (
                argument.has(traits.Trait.TABLE | traits.Trait.UNKNOWN)
                and name not in allow_list.TWO_TABLES
            ):
                self.change(argument)

    def _check_keywords(
        self, args: purity_results.Args, written: Sequence[traits.AbstractValue]
    ) -> None:
        """Arguments of numpy and pandas that may name what is written to."""
        _, named, rest = args
        if rest is None and named.keys() <= allow_list.TABLE_KEYWORDS:
            return
        self.note_choice()
        for value in written:
            if value.has(traits.Trait.CONTAINER):
                self.change(value)

    def _check_table(self, name: str, args: purity_results.Args) -> None:
        """Methods of pandas that take types or names of functions as texts."""
        positional, named, rest = args
        types_ = purity_results.all_arguments(args) if name == "astype" else []
        types_ += [named["dtype"]] if "dtype" in named else []
        if rest is not None or not all(map(purity_results.is_plain_type, types_)):
            self.note_choice()
        if name in purity_results.NAMED_FUNCTIONS:
            named_functions = allow_list.GIVES_SCALAR | allow_list.GIVES_NEW
            for value in positional[:1] + [v for n, v in named.items() if n in ("func", "aggfunc")]:
                table = value.has(traits.Trait.CONTAINER) and name == "map"
                if (
                    not value.has(traits.Trait.CALLABLE)
                    and not table
                    and value.text not in named_functions
                ):
                    self.note_choice()
        self.check_clock_words(*purity_results.all_arguments(args))

    def check_clock_words(self, *values: traits.AbstractValue) -> None:
        """Texts that pandas takes for the time of the clock."""
        for value in values:
            if value.text is not None and value.text.strip().lower() in allow_list.CLOCK_WORDS:
                self.note_choice()

    # -- functions known by name ---------------------------------------------------------------

    def _listed(self, name: str, args: purity_results.Args) -> traits.AbstractValue:
        """A call of something that `allow_list` lists."""
        # An unknown argument may be an object whose methods do anything when it is looked at.
        if any(v.has(traits.Trait.UNKNOWN) for v in purity_results.all_arguments(args)):
            self.note_choice()
        result = self._special(name, args)
        return self._listed_call(name, args) if result is None else result

    def _special(self, name: str, args: purity_results.Args) -> traits.AbstractValue | None:
        """A call with a rule of its own."""
        positional, named, rest = args
        given = purity_results.all_arguments(args)
        module, _, word = name.rpartition(".")
        match module, word:
            case ("builtins", "len" | "bool" | "isinstance" | "issubclass" | "callable" | "any"):
                return traits.NO_TRAITS  # neither order nor text shows
            case ("builtins", "all") | ("operator", "truth" | "not_"):
                return traits.NO_TRAITS
            case ("builtins", "set" | "frozenset"):
                return self.container(list(map(self.element, given)), traits.Trait.SET)
            case ("builtins", "list" | "tuple"):
                return self.container(list(map(self.iterate_in_order, given)))
            case ("builtins", "iter"):
                own = traits.Trait.SET if self.any_unordered(given) else traits.NONE
                return self.container(list(map(self.element, given)), own | traits.Trait.ITERATOR)
            case ("builtins", "zip" | "enumerate" | "reversed"):
                return self.container(
                    list(map(self.iterate_in_order, given)), traits.Trait.ITERATOR
                )
            case ("builtins", "sorted"):
                return self.container([self._extreme(args)])
            case ("builtins", "min" | "max"):
                return self._extreme(args)
            case ("builtins", "map" | "filter"):
                return self._map(args)
            case ("builtins", "sum"):  # the order shows in floats, and in objects that are added
                addends = [self.iterate_in_order(g) for g in given[:1]] + given[1:]
                special = (
                    [self.operator_results] if traits.join(addends).has(traits.Trait.OBJECT) else []
                )
                return traits.nameless(traits.join([*addends, *special]))
            case ("builtins", "next"):  # a change, where others hold the iterator too
                for iterator in given[:1]:
                    self.change(iterator)
                return traits.join([*map(self.iterate_in_order, given[:1]), *given[1:]])
            case ("builtins", "str" | "repr" | "ascii" | "format"):
                for value in given:
                    self.text(value)
                self._check_formats(positional[1:] if word == "format" else [])
                return traits.NO_TRAITS
            case ("builtins", "dict"):  # it keeps the order of its argument
                items = list(map(self.iterate_in_order, given))
                return self.container([*items, *map(self.element, items), *named.values()])
            case ("builtins", "type"):  # with three arguments it makes a class
                shown = traits.AbstractValue(traits.Trait.SHOWS_ADDRESS | traits.Trait.CALLABLE)
                return shown if len(given) == 1 else self.note_choice()
            case ("builtins", "print"):  # what a worker prints is no part of a result
                quiet = "file" not in named and rest is None
                return abstract(None) if quiet else self.note_choice()
            case ("builtins", "object"):
                return traits.AbstractValue(traits.Trait.SHOWS_ADDRESS)
            case ("operator", "itemgetter"):
                return traits.code(operator.itemgetter(0))
            case ("functools", "partial") if positional and rest is None:
                bound = traits.BoundCall(positional[0], tuple(positional[1:]), tuple(named.items()))
                return traits.code(bound)
            case ("functools", "partial") | ("numbers", _) | ("numpy", "ndarray"):
                return self.note_choice()  # listed to be named, not called
            case ("copy", "copy"):  # something new, of which only the contents are shared
                return traits.nameless(traits.join(given), traits.Trait.SHARED)
            case ("copy", "deepcopy"):
                value = traits.nameless(traits.join(given), traits.Trait.SHARED)
                return traits.AbstractValue(
                    value.own, value.inner & ~traits.Trait.SHARED, value.concrete
                )
            case ("contextlib", "suppress"):
                for kind in given:
                    self.check_caught(kind)
                return traits.AbstractValue(traits.Trait.SHOWS_ADDRESS)
            case ("logging", "getLogger"):
                return abstract(logging.getLogger())
            case ("typing", "cast"):  # gives its second argument
                return traits.join(positional[1:])
            case _:
                return None

    def _listed_call(self, name: str, args: purity_results.Args) -> traits.AbstractValue:
        """A call of a listed function without a rule of its own: its result is made of its arguments."""
        given, module = purity_results.all_arguments(args), name.rpartition(".")[0]
        tables = module in ("numpy", "pandas")
        # A listed function may look at all of its arguments: their text, their order.
        for arg in given:
            if not arg.has(traits.Trait.CALLABLE) and self.all_traits(arg) & traits.UNSTABLE_TEXT:
                self.note_choice()
            if arg.inner & traits.Trait.ITERATOR:
                self.note_choice()
        if tables:
            self._check_numpy(name.rpartition(".")[2], args)
        called = self.call_arguments(given, given)
        values = [
            g
            for g in given
            if not g.has(traits.Trait.CALLABLE) or name not in purity_results.CALLING
        ]
        inner = called.all_traits
        for arg in values:
            inner |= self.all_traits(arg) & ~traits.Trait.ITERATOR
        if name in purity_results.EXCEPTIONS:
            self.change(traits.NO_TRAITS, *given)
        nan = traits.Trait.NAN if module in purity_results.WITH_NAN else inner & traits.Trait.NAN
        if name in purity_results.PLAIN_RESULTS or module in purity_results.PLAIN_MODULES:
            return traits.AbstractValue(nan)
        if tables:
            both = (
                traits.Trait.TABLE
                | traits.Trait.NAN
                | traits.Trait.CONTAINER
                | inner & traits.Trait.SHARED
            )
            return traits.AbstractValue(both, inner | both)
        self.change(traits.NO_TRAITS, called)
        lazy = (
            traits.Trait.ITERATOR
            if module == "itertools" or name in purity_results.LAZY_RESULTS
            else traits.NONE
        )
        fresh = traits.AbstractValue(traits.Trait.CONTAINER | nan | lazy, inner | nan)
        if lazy or name in purity_results.FRESH_RESULTS:
            return fresh
        # Nothing more is known of the result: it may be new, an argument, or a part of one.
        return traits.nameless(traits.join([fresh, called, *values, *map(self.element, values)]))

    def _check_numpy(self, word: str, args: purity_results.Args) -> None:
        """Functions of numpy and pandas: what they write to, types that read the clock."""
        positional, named, _ = args
        self._check_keywords(args, purity_results.all_arguments(args))
        if "dtype" in named and not purity_results.is_plain_type(named["dtype"]):
            self.note_choice()
        known = allow_list.PLAIN_TYPES | allow_list.GIVES_NEW
        for argument in positional[1:]:
            if argument.text is not None and argument.text not in known:
                self.note_choice()
        for output in positional[3 if word in purity_results.THREE_INPUTS else 2 :]:
            self.note_choice()
            if output.has(traits.Trait.CONTAINER):
                self.change(output)

    def _extreme(self, args: purity_results.Args) -> traits.AbstractValue:
        """`min`, `max`, `sorted`: the order of a set does not show if nothing is tied."""
        positional, named, rest = args
        items = [self.element(a) for a in positional] + ([] if rest is None else [rest])
        # Of values that compare as equal without being the same the first one met is taken.
        tied = traits.Trait.NAN | traits.Trait.OBJECT | traits.Trait.TABLE | traits.UNSTABLE_TEXT
        if self.any_unordered(positional) and (
            len(positional) > 1
            or not named.keys() <= {"reverse", "default"}
            or any(self.all_traits(i) & tied for i in items)
        ):
            self.note_choice()
        self.call_arguments(named.values(), positional)
        kept = [] if len(positional) == 1 else positional
        return traits.nameless(
            traits.join([*items, *kept, *(v for n, v in named.items() if n == "default")])
        )

    def _map(self, args: purity_results.Args) -> traits.AbstractValue:
        positional, named, rest = args
        if not positional or rest is not None or named:
            return self.note_choice()
        sources = positional[1:]
        own = traits.Trait.ITERATOR
        if self.any_unordered(sources):
            own |= traits.Trait.SET
            self.risk(traits.Risk.UNORDERED)
            if len(sources) > 1:
                self.note_choice()
        returned = self.call_arguments(positional[:1], sources)
        return self.container([returned, *map(self.element, sources)], own)

    def _check_formats(self, formats: Sequence[traits.AbstractValue]) -> None:
        """Formats must be known, and mean the same in every locale and zone."""
        for format_ in formats:
            if format_.text is None or not is_plain_format(format_.text):
                self.note_choice()
