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
from veer.read.inputs import declarations
from veer.read.python.origins import is_importable, is_library
from veer.read.python.purity import allow_list, results as res, traits as tr
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
    def abstract(self, value: Any) -> tr.AbstractValue:
        """What is known of an object that exists before the call."""

    @abc.abstractmethod
    def is_shared(self, value: Any) -> bool:
        """Whether some function of the project may change an object."""

    @abc.abstractmethod
    def global_name(self, module_names: ModuleNames, name: str) -> tr.AbstractValue:
        """A name of a module of the project."""

    @abc.abstractmethod
    def function(
        self, function: types.FunctionType, args: res.Args, key: Any = None
    ) -> tr.AbstractValue:
        """A call of a function of the project that exists."""

    @abc.abstractmethod
    def local(self, local: tr.LocalFunction, args: res.Args) -> tr.AbstractValue:
        """A call of a function defined inside of another."""

    # -- calls ---------------------------------------------------------------------------------

    def invoke(self, callee: tr.AbstractValue, args: res.Args) -> tr.AbstractValue:
        """Call a value: only what it is known to be is followed."""
        value = callee.object
        name = res.listed_name(value)
        if name is not None:
            return self._listed(name, args)
        positional, named, rest = args
        match value:
            case None if callee.has(tr.Trait.UNKNOWN):
                return self.unknown(args)
            case tr.LocalFunction():
                return self.local(value, args)
            case operator.itemgetter():
                return tr.join(map(self.element, res.all_arguments(args)))
            case tr.BoundCall(bound, first, more):
                return self.invoke(bound, ([*first, *positional], {**dict(more), **named}, rest))
            case functools.partial():
                first = tuple(map(self.abstract, value.args))
                more = tuple((n, self.abstract(v)) for n, v in value.keywords.items())
                return self.invoke(
                    tr.code(tr.BoundCall(self.abstract(value.func), first, more)), args
                )
            case types.MethodType():
                first = (self.abstract(value.__self__),)
                return self.invoke(
                    tr.code(tr.BoundCall(self.abstract(value.__func__), first)), args
                )
            case tr.BuiltinMethod():
                return self.plain_method(value.base, value.name, args)
            case types.FunctionType() | types.BuiltinFunctionType() if self._trusts(value, args):
                return tr.UNSHARED_DATA
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
                    return tr.NO_TRAITS  # it fails
                return self.plain_method(
                    first_arg[0], value.__name__, (positional[1:], named, rest)
                )
            case type():
                return self._construct(value, args)
            case _ if type(value) in (str, int, float, bool):
                return tr.NO_TRAITS  # it fails
            case _:
                return self.note_unfollowed()

    def _trusts(self, value: Any, args: res.Args) -> bool:
        """Whether a call is of a package that is declared to be pure, with plain data.

        What shows more than values, such as the order of a set, is not for it to answer for.
        """
        package = declarations().trusted(value.__module__)
        if not package or not is_importable(value) or not is_library(value.__module__):
            return False
        if not isinstance(getattr(value, "__self__", None), types.ModuleType | None):
            return False  # a method, whose object may hold anything
        more = tr.UNSTABLE_TEXT | tr.Trait.CALLABLE
        if any(self.all_traits(a) & more for a in res.all_arguments(args)):
            return False
        self.trusted.add(package)
        return True

    def unknown(self, args: res.Args, module: str = "") -> tr.AbstractValue:
        """A call of something not known to be pure; it may change and call what it is given."""
        for arg in res.all_arguments(args):
            lent = arg.has(tr.Trait.ARGUMENT) and not arg.has(tr.Trait.TABLE)
            if arg.has(tr.Trait.CONTAINER) and (lent or arg.has(tr.Trait.PERSISTENT)):
                self.note(Kind.PARTITION)
        self.call_arguments(res.all_arguments(args), res.all_arguments(args))
        if module.partition(".")[0] == "pyspark":
            self.note(Kind.PARTITION)
        return self.note_choice()

    def call_arguments(
        self, callees: Iterable[tr.AbstractValue], others: Sequence[tr.AbstractValue]
    ) -> tr.AbstractValue:
        """Functions among arguments are called with whatever else is there."""
        items = [v for g in others for v in (g, self.element(g)) if not g.has(tr.Trait.CALLABLE)]
        results: list[tr.AbstractValue] = []
        for callee in callees:
            if not callee.has(tr.Trait.CALLABLE):
                continue
            if callee.has(tr.Trait.UNKNOWN):
                self.note_choice()
                continue
            before = self.changes
            # What a function gives it may be given next, as in `reduce`: until that is stable.
            for _ in range(4):
                given = tr.join([*items, *results, *map(self.element, results)])
                returned = self.invoke(callee, ([], {}, tr.nameless(given)))
                if tr.join([*results, returned]) == tr.join(results) and results:
                    break
                results.append(returned)
            else:
                self.note_choice()
            # Called for each item of a set, a function that changes something shows their order.
            if self.any_unordered(others) and self.changes > before:
                self.note_choice()
        return tr.join(results)

    # -- classes of the project ----------------------------------------------------------------

    def _construct(self, kind: type, args: res.Args) -> tr.AbstractValue:
        """An instance of a class: its initializer runs, and keeps what it is given."""
        if is_library(kind.__module__):
            return self.unknown(args, kind.__module__)
        self.note_class(kind)
        member = self.enum_member(kind)
        if member is not None:
            return member
        instance = tr.instance_of(kind)
        init = res.class_attribute(kind, "__init__")
        positional, named, rest = args
        if isinstance(init, types.FunctionType) and res.is_generated(kind, init):
            self._fields(kind, args, instance)
        elif isinstance(init, types.FunctionType) and not is_library(init.__module__ or ""):
            self.function(init, ([instance, *positional], named, rest), kind)
        else:
            self.change(tr.NO_TRAITS, *res.all_arguments(args))
        return instance

    def _fields(self, kind: Any, args: res.Args, instance: tr.AbstractValue) -> None:
        """A dataclass is made: arguments and defaults are kept, and it may go on by itself."""
        self.change(tr.NO_TRAITS, *res.all_arguments(args))
        for field in kind.__dataclass_fields__.values():
            if field.default is not MISSING:
                self.change(tr.NO_TRAITS, self.abstract(field.default))
            if field.default_factory is not MISSING:
                factory = self.abstract(field.default_factory)
                self.change(tr.NO_TRAITS, self.invoke(factory, ([], {}, None)))
        after = res.class_attribute(kind, "__post_init__")
        if isinstance(after, types.FunctionType):
            self.function(after, ([instance], {}, tr.join(res.all_arguments(args))), kind)

    def enum_member(self, kind: Any) -> tr.AbstractValue | None:
        """Some member of an enum of the project, if that is what a class is."""
        if not isinstance(kind, enum.EnumMeta) or is_library(kind.__module__):
            return None
        self.note_class(kind)
        members: list[Any] = list(kind)
        values = tr.join(abstract(member.value) for member in members).all_traits
        return tr.AbstractValue(tr.Trait.OBJECT, values, tr.instance_of(kind).concrete)

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
                listed = is_error and (res.listed_name(base) or base is BaseException)
                if base not in BASES and not listed and not (is_enum and base in MIXINS):
                    self.note_choice()
                continue
            if self.is_shared(base):
                self.note(Kind.PARTITION)
            for name, item in vars(base).items():
                self._member_of(kind, name, item)

    def _member_of(self, kind: type, name: str, item: Any) -> None:
        instance = tr.instance_of(kind)
        anything: res.Args = (
            [instance],
            {},
            tr.nameless(tr.join([instance, tr.DATA])),
        )
        if isinstance(item, property):
            for part in (item.fget, item.fset, item.fdel):
                if isinstance(part, types.FunctionType):
                    self.risk(tr.Risk.RECURSIVE)  # operators and attributes are not followed back
                    self.note_operator_result(self.function(part, anything, kind))
        elif isinstance(item, types.FunctionType):
            if is_library(item.__module__ or "") or res.is_generated(kind, item):
                return
            if name in res.UNFOLLOWED_SPECIAL:
                self.note(Kind.PARTITION)
            elif res.is_dunder(name) and name not in res.NOT_SPECIAL:
                self.risk(tr.Risk.RECURSIVE)
                if name == "__exit__":  # it may swallow any exception
                    self.risk(tr.Risk.CAUGHT | tr.Risk.DEEP | tr.Risk.MEMORY)
                key = res.HASH if name == res.HASH else kind
                self.note_operator_result(self.function(item, anything, key))
        elif isinstance(item, QUIET_MEMBERS):
            own = isinstance(item, classmethod | staticmethod) and not is_library(
                item.__func__.__module__ or ""
            )
            if own and name in res.UNFOLLOWED_SPECIAL:
                self.note_choice()
        # A descriptor decides what an attribute is by code that is not looked at.
        elif hasattr(type(item), "__get__") and not (
            name.startswith("_") and is_library(type(item).__module__)
        ):
            self.note_choice()

    def check_caught(self, kinds: tr.AbstractValue) -> None:
        """Exceptions that are caught must be such as depend on the arguments alone."""
        self.risk(tr.Risk.CAUGHT)
        kind = kinds.object
        if not isinstance(kind, type) or (
            is_library(kind.__module__) and not res.listed_name(kind)
        ):
            self.note_choice()
            return
        if issubclass(RecursionError, kind):
            self.risk(tr.Risk.DEEP)
        if issubclass(MemoryError, kind):
            self.risk(tr.Risk.MEMORY)

    # -- attributes ----------------------------------------------------------------------------

    def attribute(self, base: tr.AbstractValue, name: str) -> tr.AbstractValue:
        """`base.name`"""
        value = base.object
        if isinstance(value, types.ModuleType):
            return self._of_module(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        if base.has(tr.Trait.UNKNOWN) or isinstance(value, tr.CODE):
            return self.note_choice()
        # A broadcast is sent to workers as it was when it was made.
        if type(value).__module__ == "pyspark.core.broadcast" and name == "value":
            return self.abstract(value.value)
        if isinstance(value, logging.Logger):
            return tr.code(tr.BuiltinMethod(base, name))
        if isinstance(value, enum.Enum) or base.kind is not None:
            return self._of_instance(base, base.kind or type(value), name)
        if base.has(tr.Trait.CALLABLE):
            return self.note_unfollowed()
        if res.is_dunder(name):
            return self.note_choice()
        if base.has(tr.Trait.OBJECT):  # what properties of all classes give is among the results
            return tr.join([self.element(base), self.operator_results])
        if base.has(tr.Trait.TABLE):
            lazy = tr.NONE if res.is_printed(name) else tr.Trait.ITERATOR
            return tr.AbstractValue(base.own | lazy, base.inner)
        changing = allow_list.MUTATING | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS
        if name in res.METHOD_NAMES or name in changing:
            return tr.code(tr.BuiltinMethod(base, name))
        # Some part of the value, which is shared if the value is.
        item = self.element(base)
        return tr.AbstractValue(item.own | base.own & tr.Trait.SHARED, item.inner)

    def _of_module(self, module: types.ModuleType, name: str) -> tr.AbstractValue:
        if is_library(module.__name__):
            value = getattr(module, name, MISSING)
            if value is MISSING:
                return tr.NO_TRAITS  # it fails, always
            plain = res.listed_name(value) or name in allow_list.MODULES.get(module.__name__, ())
            if plain or isinstance(value, types.ModuleType):
                return self.abstract(value)
            return tr.code(value) if callable(value) else self.note_choice()
        value, path = vars(module).get(name, MISSING), getattr(module, "__file__", None)
        if value is MISSING:
            return tr.NO_TRAITS
        if isinstance(value, types.ModuleType):
            return self.abstract(value)
        if res.is_dunder(name) or path is None:
            return self.note_choice()
        return self.global_name(self.shared_state.module_names(vars(module), path), name)

    def _of_class(self, kind: type, name: str) -> tr.AbstractValue:
        if res.is_dunder(name):
            return self.note_choice()
        attribute = res.class_attribute(kind, name)
        if is_library(kind.__module__):
            value = getattr(kind, name, MISSING)
            if value is MISSING:
                return tr.NO_TRAITS
            return self.abstract(value) if res.listed_name(kind) else self.note_choice()
        self.note_class(kind)
        if isinstance(kind, enum.EnumMeta) and name in kind.__members__:
            return self.abstract(kind.__members__[name])
        if attribute is None:
            return tr.NO_TRAITS
        return self._of_own_class(attribute, self.abstract(kind))

    def _of_own_class(self, item: Any, kind: tr.AbstractValue) -> tr.AbstractValue:
        """What a class of the project has, as it is seen from the class."""
        if isinstance(item, staticmethod):
            return self.abstract(item.__func__)
        if isinstance(item, classmethod):
            return tr.code(tr.BoundCall(self.abstract(item.__func__), (kind,)))
        if isinstance(item, property):
            return self.note_choice()
        return self.abstract(item)

    def _of_instance(self, base: tr.AbstractValue, kind: type, name: str) -> tr.AbstractValue:
        """An attribute of an instance of one of the project's classes."""
        self.note_class(kind)
        # `self.__x` in the body of a class is `self._Class__x`.
        if name.startswith("__") and not name.endswith("__"):
            own = [f"_{c.__name__.lstrip('_')}{name}" for c in kind.__mro__]
            name = next((n for n in own if res.class_attribute(kind, n) is not None), own[0])
        if res.is_dunder(name) and name != "__call__":
            return self.note_choice()
        held = tr.join([self.element(base), self.stored])
        if issubclass(kind, enum.Enum) and name in ("value", "_value_", "name", "_name_"):
            return held
        owner = next((c for c in kind.__mro__ if name in vars(c)), None)
        if owner is None:
            return held
        item = vars(owner)[name]
        if is_library(owner.__module__):
            return tr.code(tr.BuiltinMethod(tr.nameless(base), name)) if callable(item) else held
        if isinstance(item, property):
            if not isinstance(item.fget, types.FunctionType):
                return self.note_choice()
            return self.function(item.fget, ([base], {}, None), kind)
        if isinstance(item, types.FunctionType):
            return tr.code(tr.BoundCall(self.abstract(item), (base,)))
        if isinstance(item, classmethod | staticmethod):
            return self._of_own_class(item, self.abstract(kind))
        if isinstance(item, types.MemberDescriptorType):
            return tr.join([held, tr.DATA])
        return tr.join([self.abstract(item), held])

    # -- loops ---------------------------------------------------------------------------------

    def iterate_in_order(self, value: tr.AbstractValue) -> tr.AbstractValue:
        """What a loop over a value takes, where the order may show."""
        if value.has(tr.Trait.UNKNOWN) or self.is_unordered(value):
            self.note_choice()
        return self.iterate(value)

    def iterate(self, value: tr.AbstractValue) -> tr.AbstractValue:
        """What a loop over a value takes."""
        if value.has(tr.Trait.CALLABLE):
            return self.enum_member(value.object) or self.note_choice()
        return self.element(value)

    # -- methods -------------------------------------------------------------------------------

    def method(self, base: tr.AbstractValue, name: str, args: res.Args) -> tr.AbstractValue:
        """`base.name(args)`"""
        value = base.object
        if isinstance(value, type) and is_library(value.__module__):
            return self._class_method(value, name, args)
        if isinstance(value, logging.Logger):  # other methods configure it
            return abstract(None) if name in allow_list.LOGGING else self.unknown(args)
        classes = self.classes if base.kind is None else {base.kind}
        held = self.element(base).has(tr.Trait.CALLABLE)
        if base.has(tr.Trait.OBJECT) and not isinstance(value, enum.Enum) and not held:
            if all(res.class_attribute(kind, name) is None for kind in classes):
                # It is no object, or this fails.
                plain = tr.AbstractValue(base.own & ~tr.Trait.OBJECT, base.inner)
                return self.plain_method(plain, name, args)
        if isinstance(value, types.ModuleType | type | enum.Enum) or base.kind is not None:
            return self.invoke(self.attribute(base, name), args)
        if base.has(tr.Trait.UNKNOWN):
            self.unknown(args)
            return tr.UNKNOWN_VALUE
        if base.has(tr.Trait.CALLABLE | tr.Trait.OBJECT):
            self.unknown(args)
            return self.note_unfollowed()
        return self.plain_method(base, name, args)

    def _class_method(self, kind: type, name: str, args: res.Args) -> tr.AbstractValue:
        """A method of a class of Python's, called on the class."""
        class_name = res.listed_name(kind)
        positional, named, rest = args
        if class_name is None:
            return self.unknown(args, kind.__module__)
        if name in allow_list.CLASS_METHODS.get(class_name, ()):
            if name == "fromkeys" and self.any_unordered(positional):
                self.note_choice()
            return self._listed_call(f"{class_name}.{name}", args)
        if class_name == "datetime.datetime" and name == "strptime" and len(positional) == 2:
            self._check_formats(positional[1:])
            return tr.NO_TRAITS
        if class_name == "datetime.datetime" and name == "fromtimestamp":
            # Without a zone it is the machine's; only a fixed offset is the same everywhere.
            zone = named.get("tz", positional[1] if len(positional) == 2 else tr.NO_TRAITS)
            fixed = isinstance(zone.object, datetime.timezone)
            return tr.NO_TRAITS if fixed else self.unknown(args)
        item = res.class_attribute(kind, name)
        unbound = isinstance(item, types.MethodDescriptorType | types.WrapperDescriptorType)
        if unbound and positional:
            return self.plain_method(positional[0], name, (positional[1:], named, rest))
        return self.unknown(args)

    def plain_method(self, base: tr.AbstractValue, name: str, args: res.Args) -> tr.AbstractValue:
        """A method of a text, a collection, a date, a series: known by its name alone."""
        arguments = res.all_arguments(args)
        if any(v.has(tr.Trait.UNKNOWN) for v in (base, *arguments)):
            self.note_choice()
        if base.has(tr.Trait.TABLE):
            self._check_writing(base, name, args)
        if name == "strftime":
            self._check_formats(arguments)
            return self._table_result(base, name) if base.has(tr.Trait.TABLE) else tr.NO_TRAITS
        if name in allow_list.MUTATING:
            return self._mutating_method(base, name, args)
        if name in allow_list.SET_METHODS:
            return self.container([self.element(v) for v in (base, *arguments)], tr.Trait.SET)
        # The type of a value is not known, only the name of the method: a name is listed if it is
        # harmless for every type that has it.
        if name not in allow_list.GIVES_SCALAR | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS:
            lent = base.has(tr.Trait.ARGUMENT) and not base.has(tr.Trait.TABLE)
            if lent or base.has(tr.Trait.PERSISTENT | tr.Trait.OBJECT):
                self.note(Kind.PARTITION)
            self.unknown(args)
            return tr.UNKNOWN_VALUE
        if name in ("issubset", "issuperset", "isdisjoint"):
            return tr.NO_TRAITS
        if name == "copy":
            return tr.nameless(base, tr.Trait.SHARED)
        if self.any_unordered((base, *arguments)) and name != "get":
            return self.note_choice()
        return self._reading_method(base, name, args)

    def _reading_method(
        self, base: tr.AbstractValue, name: str, args: res.Args
    ) -> tr.AbstractValue:
        arguments = res.all_arguments(args)
        if name in allow_list.GIVES_SCALAR:
            for value in arguments:
                if not value.has(tr.Trait.CALLABLE) and name not in ("index", "count"):
                    if self.all_traits(value) & tr.UNSTABLE_TEXT:
                        self.note_choice()
        if name in ("format", "format_map"):
            for value in arguments:
                self.text(value)
            if base.text is None or not is_plain_template(base.text):
                return self.note_choice()
        if base.has(tr.Trait.TABLE):
            self._check_table(name, args)
        called = self.call_arguments(arguments, [base, *arguments])
        if base.has(tr.Trait.TABLE):
            return tr.join([self._table_result(base, name), called])
        if name in allow_list.GIVES_SCALAR:
            return tr.NO_TRAITS
        given = [v for v in arguments if not v.has(tr.Trait.CALLABLE)]
        if name in allow_list.GIVES_ITEMS:
            return tr.join([self.element(base), *map(tr.nameless, given), called])
        lazy = tr.Trait.ITERATOR if name in ("finditer", "elements") else tr.NONE
        items = tr.join([self.element(base), *given, called]).all_traits | base.all_traits
        return tr.AbstractValue(tr.Trait.CONTAINER | lazy, items)

    def _mutating_method(
        self, base: tr.AbstractValue, name: str, args: res.Args
    ) -> tr.AbstractValue:
        arguments = res.all_arguments(args)
        # Adding a set to a set loses nothing; adding it to a list shows its order.
        if self.any_unordered(arguments) and not base.has(tr.Trait.SET):
            self.note_choice()
        # Which item a set gives first, and a sort leaves tied, is decided by hashes.
        if base.has(tr.Trait.SET) and name in ("pop", "popitem", "sort", "reverse"):
            self.note_choice()
        called = [g for g in arguments if g.has(tr.Trait.CALLABLE)]
        if name == "sort":
            self.call_arguments(called, [base])
            called = []
        plain = [g for g in arguments if not g.has(tr.Trait.CALLABLE)]
        self.change(base, *plain, *map(self.element, plain), *called)
        if name in ("pop", "popleft", "popitem", "setdefault"):
            return tr.join([self.element(base), *map(tr.nameless, arguments)])
        return abstract(None)

    # -- tables --------------------------------------------------------------------------------

    def _table_result(self, base: tr.AbstractValue, name: str) -> tr.AbstractValue:
        lazy = tr.Trait.ITERATOR if name in allow_list.OPAQUE_PRINTED else tr.NONE
        return tr.AbstractValue(base.own & ~tr.Trait.ITERATOR | lazy, base.inner)

    def _check_writing(self, base: tr.AbstractValue, name: str, args: res.Args) -> None:
        """Methods of arrays that change them, or write to another given by place or keyword."""
        positional, _, rest = args
        if name not in allow_list.COLUMN_KEYWORDS or rest is not None:
            self._check_keywords(args, [base, *res.all_arguments(args)])
        if name == "partition":  # of an array it sorts in place
            self.change(base)
        for argument in positional[1:]:
            if (
                argument.has(tr.Trait.TABLE | tr.Trait.UNKNOWN)
                and name not in allow_list.TWO_TABLES
            ):
                self.change(argument)

    def _check_keywords(self, args: res.Args, written: Sequence[tr.AbstractValue]) -> None:
        """Arguments of numpy and pandas that may name what is written to."""
        _, named, rest = args
        if rest is None and named.keys() <= allow_list.TABLE_KEYWORDS:
            return
        self.note_choice()
        for value in written:
            if value.has(tr.Trait.CONTAINER):
                self.change(value)

    def _check_table(self, name: str, args: res.Args) -> None:
        """Methods of pandas that take types or names of functions as texts."""
        positional, named, rest = args
        types_ = res.all_arguments(args) if name == "astype" else []
        types_ += [named["dtype"]] if "dtype" in named else []
        if rest is not None or not all(map(res.is_plain_type, types_)):
            self.note_choice()
        if name in res.NAMED_FUNCTIONS:
            named_functions = allow_list.GIVES_SCALAR | allow_list.GIVES_NEW
            for value in positional[:1] + [v for n, v in named.items() if n in ("func", "aggfunc")]:
                table = value.has(tr.Trait.CONTAINER) and name == "map"
                if (
                    not value.has(tr.Trait.CALLABLE)
                    and not table
                    and value.text not in named_functions
                ):
                    self.note_choice()
        self.check_clock_words(*res.all_arguments(args))

    def check_clock_words(self, *values: tr.AbstractValue) -> None:
        """Texts that pandas takes for the time of the clock."""
        for value in values:
            if value.text is not None and value.text.strip().lower() in allow_list.CLOCK_WORDS:
                self.note_choice()

    # -- functions known by name ---------------------------------------------------------------

    def _listed(self, name: str, args: res.Args) -> tr.AbstractValue:
        """A call of something that `allow_list` lists."""
        # An unknown argument may be an object whose methods do anything when it is looked at.
        if any(v.has(tr.Trait.UNKNOWN) for v in res.all_arguments(args)):
            self.note_choice()
        result = self._special(name, args)
        return self._listed_call(name, args) if result is None else result

    def _special(self, name: str, args: res.Args) -> tr.AbstractValue | None:
        """A call with a rule of its own."""
        positional, named, rest = args
        given = res.all_arguments(args)
        module, _, word = name.rpartition(".")
        match module, word:
            case ("builtins", "len" | "bool" | "isinstance" | "issubclass" | "callable" | "any"):
                return tr.NO_TRAITS  # neither order nor text shows
            case ("builtins", "all") | ("operator", "truth" | "not_"):
                return tr.NO_TRAITS
            case ("builtins", "set" | "frozenset"):
                return self.container(list(map(self.element, given)), tr.Trait.SET)
            case ("builtins", "list" | "tuple"):
                return self.container(list(map(self.iterate_in_order, given)))
            case ("builtins", "iter"):
                own = tr.Trait.SET if self.any_unordered(given) else tr.NONE
                return self.container(list(map(self.element, given)), own | tr.Trait.ITERATOR)
            case ("builtins", "zip" | "enumerate" | "reversed"):
                return self.container(list(map(self.iterate_in_order, given)), tr.Trait.ITERATOR)
            case ("builtins", "sorted"):
                return self.container([self._extreme(args)])
            case ("builtins", "min" | "max"):
                return self._extreme(args)
            case ("builtins", "map" | "filter"):
                return self._map(args)
            case ("builtins", "sum"):  # the order shows in floats, and in objects that are added
                addends = [self.iterate_in_order(g) for g in given[:1]] + given[1:]
                special = [self.operator_results] if tr.join(addends).has(tr.Trait.OBJECT) else []
                return tr.nameless(tr.join([*addends, *special]))
            case ("builtins", "next"):  # a change, where others hold the iterator too
                for iterator in given[:1]:
                    self.change(iterator)
                return tr.join([*map(self.iterate_in_order, given[:1]), *given[1:]])
            case ("builtins", "str" | "repr" | "ascii" | "format"):
                for value in given:
                    self.text(value)
                self._check_formats(positional[1:] if word == "format" else [])
                return tr.NO_TRAITS
            case ("builtins", "dict"):  # it keeps the order of its argument
                items = list(map(self.iterate_in_order, given))
                return self.container([*items, *map(self.element, items), *named.values()])
            case ("builtins", "type"):  # with three arguments it makes a class
                shown = tr.AbstractValue(tr.Trait.SHOWS_ADDRESS | tr.Trait.CALLABLE)
                return shown if len(given) == 1 else self.note_choice()
            case ("builtins", "print"):  # what a worker prints is no part of a result
                quiet = "file" not in named and rest is None
                return abstract(None) if quiet else self.note_choice()
            case ("builtins", "object"):
                return tr.AbstractValue(tr.Trait.SHOWS_ADDRESS)
            case ("operator", "itemgetter"):
                return tr.code(operator.itemgetter(0))
            case ("functools", "partial") if positional and rest is None:
                bound = tr.BoundCall(positional[0], tuple(positional[1:]), tuple(named.items()))
                return tr.code(bound)
            case ("functools", "partial") | ("numbers", _) | ("numpy", "ndarray"):
                return self.note_choice()  # listed to be named, not called
            case ("copy", "copy"):  # something new, of which only the contents are shared
                return tr.nameless(tr.join(given), tr.Trait.SHARED)
            case ("copy", "deepcopy"):
                value = tr.nameless(tr.join(given), tr.Trait.SHARED)
                return tr.AbstractValue(value.own, value.inner & ~tr.Trait.SHARED, value.concrete)
            case ("contextlib", "suppress"):
                for kind in given:
                    self.check_caught(kind)
                return tr.AbstractValue(tr.Trait.SHOWS_ADDRESS)
            case ("logging", "getLogger"):
                return abstract(logging.getLogger())
            case ("typing", "cast"):  # gives its second argument
                return tr.join(positional[1:])
            case _:
                return None

    def _listed_call(self, name: str, args: res.Args) -> tr.AbstractValue:
        """A call of a listed function without a rule of its own: its result is made of its arguments."""
        given, module = res.all_arguments(args), name.rpartition(".")[0]
        tables = module in ("numpy", "pandas")
        # A listed function may look at all of its arguments: their text, their order.
        for arg in given:
            if not arg.has(tr.Trait.CALLABLE) and self.all_traits(arg) & tr.UNSTABLE_TEXT:
                self.note_choice()
            if arg.inner & tr.Trait.ITERATOR:
                self.note_choice()
        if tables:
            self._check_numpy(name.rpartition(".")[2], args)
        called = self.call_arguments(given, given)
        values = [g for g in given if not g.has(tr.Trait.CALLABLE) or name not in res.CALLING]
        inner = called.all_traits
        for arg in values:
            inner |= self.all_traits(arg) & ~tr.Trait.ITERATOR
        if name in res.EXCEPTIONS:
            self.change(tr.NO_TRAITS, *given)
        nan = tr.Trait.NAN if module in res.WITH_NAN else inner & tr.Trait.NAN
        if name in res.PLAIN_RESULTS or module in res.PLAIN_MODULES:
            return tr.AbstractValue(nan)
        if tables:
            both = tr.Trait.TABLE | tr.Trait.NAN | tr.Trait.CONTAINER | inner & tr.Trait.SHARED
            return tr.AbstractValue(both, inner | both)
        self.change(tr.NO_TRAITS, called)
        lazy = tr.Trait.ITERATOR if module == "itertools" or name in res.LAZY_RESULTS else tr.NONE
        fresh = tr.AbstractValue(tr.Trait.CONTAINER | nan | lazy, inner | nan)
        if lazy or name in res.FRESH_RESULTS:
            return fresh
        # Nothing more is known of the result: it may be new, an argument, or a part of one.
        return tr.nameless(tr.join([fresh, called, *values, *map(self.element, values)]))

    def _check_numpy(self, word: str, args: res.Args) -> None:
        """Functions of numpy and pandas: what they write to, types that read the clock."""
        positional, named, _ = args
        self._check_keywords(args, res.all_arguments(args))
        if "dtype" in named and not res.is_plain_type(named["dtype"]):
            self.note_choice()
        known = allow_list.PLAIN_TYPES | allow_list.GIVES_NEW
        for argument in positional[1:]:
            if argument.text is not None and argument.text not in known:
                self.note_choice()
        for output in positional[3 if word in res.THREE_INPUTS else 2 :]:
            self.note_choice()
            if output.has(tr.Trait.CONTAINER):
                self.change(output)

    def _extreme(self, args: res.Args) -> tr.AbstractValue:
        """`min`, `max`, `sorted`: the order of a set does not show if nothing is tied."""
        positional, named, rest = args
        items = [self.element(a) for a in positional] + ([] if rest is None else [rest])
        # Of values that compare as equal without being the same the first one met is taken.
        tied = tr.Trait.NAN | tr.Trait.OBJECT | tr.Trait.TABLE | tr.UNSTABLE_TEXT
        if self.any_unordered(positional) and (
            len(positional) > 1
            or not named.keys() <= {"reverse", "default"}
            or any(self.all_traits(i) & tied for i in items)
        ):
            self.note_choice()
        self.call_arguments(named.values(), positional)
        kept = [] if len(positional) == 1 else positional
        return tr.nameless(
            tr.join([*items, *kept, *(v for n, v in named.items() if n == "default")])
        )

    def _map(self, args: res.Args) -> tr.AbstractValue:
        positional, named, rest = args
        if not positional or rest is not None or named:
            return self.note_choice()
        sources = positional[1:]
        own = tr.Trait.ITERATOR
        if self.any_unordered(sources):
            own |= tr.Trait.SET
            self.risk(tr.Risk.UNORDERED)
            if len(sources) > 1:
                self.note_choice()
        returned = self.call_arguments(positional[:1], sources)
        return self.container([returned, *map(self.element, sources)], own)

    def _check_formats(self, formats: Sequence[tr.AbstractValue]) -> None:
        """Formats must be known, and mean the same in every locale and zone."""
        for format_ in formats:
            if format_.text is None or not is_plain_format(format_.text):
                self.note_choice()
