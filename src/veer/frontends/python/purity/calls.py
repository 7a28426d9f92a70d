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

from veer.frontends.python.origins import is_foreign
from veer.frontends.python.purity import allow_list
from veer.frontends.python.purity.formats import is_plain_template
from veer.frontends.python.purity.results import (
    CODE_TYPES,
    HASH,
    METHOD_NAMES,
    NAMED_FUNCTIONS,
    NOT_SPECIAL,
    ODD_SPECIAL,
    Args,
    Taking,
    all_of,
    callable_of,
    found_in,
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
    ILLEGIBLE,
    MADE_UNKNOWN,
    NONE,
    NOTHING,
    UNORDERED,
    Bound,
    Live,
    Local,
    Method,
    Risk,
    Trait,
    Value,
    joined,
    live,
    object_traits,
)
from veer.functions.registry import Kind

if TYPE_CHECKING:
    from veer.frontends.python.purity.analysis import Analysis, Scope

METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
BASES: tuple[Any, ...] = (object, abc.ABC, Generic, Protocol)
MIXINS = (str, int, float, enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.ReprEnum)


class Calls(Rules):
    """Follows calls for one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.reached: set[type] = set()

    def call(self, node: ast.Call, scope: Scope) -> Value:
        analysis = self.analysis
        base = None
        if isinstance(node.func, ast.Attribute):
            base = analysis.value(node.func.value, scope)
        else:
            callee = analysis.value(node.func, scope)
        places: list[Value] = []
        rest: list[Value] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                rest.append(analysis.over(analysis.value(arg.value, scope)))
            elif rest:
                rest.append(analysis.value(arg, scope))
            else:
                places.append(analysis.value(arg, scope))
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            found = analysis.value(keyword.value, scope)
            if keyword.arg is None:
                rest.append(analysis.over(found))
            else:
                named[keyword.arg] = found
        args: Args = (places, named, joined(rest) if rest else None)
        if base is not None:
            assert isinstance(node.func, ast.Attribute)
            return self.method(base, node.func.attr, args)
        if scope.hashes and any(one.value is hash for one in callee.lives):
            return NOTHING  # hashes show in the order of sets alone
        return self.invoke(callee, args)

    # -- functions -----------------------------------------------------------------------------

    def invoke(self, callee: Value, args: Args) -> Value:
        """Call whatever a value may be."""
        if callee.has(Trait.UNKNOWN) or not callee.lives:
            if callee.kind is not None and callee.has(Trait.OBJECT):
                return self.method(callee, "__call__", args)
            return self.unknown(args)
        return joined([self.invoke_live(one.value, args, callee) for one in callee.lives])

    def invoke_live(self, value: Any, args: Args, callee: Value) -> Value:
        analysis = self.analysis
        places, named, rest = args
        name = listed_name(value)
        if name is not None:
            return self.known(name, args)
        match value:
            case Local():
                return analysis.local(value, args)
            case Taking():
                return joined(map(analysis.element, all_of(args)))
            case Bound():
                return self.invoke(
                    value.callee, ([*value.first, *places], {**dict(value.named), **named}, rest)
                )
            case Method():
                return self.plain_method(value.base, value.name, args)
            case functools.partial():
                held = tuple(map(analysis.live, value.args))
                more = {n: analysis.live(v) for n, v in value.keywords.items()}
                return self.invoke(
                    analysis.live(value.func), ([*held, *places], {**more, **named}, rest)
                )
            case types.MethodType():
                self_ = analysis.live(value.__self__)
                return self.invoke(analysis.live(value.__func__), ([self_, *places], named, rest))
            case types.FunctionType():
                if is_foreign(value.__module__ or ""):
                    return self.unknown(args, value.__module__)
                return analysis.function(value, args)
            case types.BuiltinFunctionType():
                return self._builtin(value, args)
            case types.MethodDescriptorType() | types.WrapperDescriptorType():
                first = [*places, *([] if rest is None else [rest])]
                if not first:
                    return NOTHING  # it fails
                return self.plain_method(first[0], value.__name__, (places[1:], named, rest))
            case type():
                return self.construct(value, args)
            case _ if callee.kind is not None and callee.has(Trait.OBJECT):
                return self.method(callee, "__call__", args)
            case _ if type(value) in (str, int, float, bool, type(None)):
                return NOTHING  # it fails
            case _:
                return self.unknown(args)

    def _builtin(self, value: Any, args: Args) -> Value:
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return self.unknown(args, value.__module__ or "")
        if isinstance(owner, type):
            return self._class_method(owner, value.__name__, args)
        return self.plain_method(self.analysis.live(owner), value.__name__, args)

    def unknown(self, args: Args, module: str = "") -> Value:
        """A call of something not known to be pure; it may change what it is given."""
        for arg in all_of(args):
            lent = arg.has(Trait.LENT) and not arg.has(Trait.TABLE)
            if arg.has(Trait.BOX) and (lent or arg.has(Trait.HELD)):
                self.analysis.note(Kind.PARTITION)
        self.call_back(all_of(args), all_of(args))
        if module.partition(".")[0] == "pyspark":
            self.analysis.note(Kind.PARTITION)
        return self.analysis.choose()

    def call_back(self, callees: Iterable[Value], given: Sequence[Value]) -> Value:
        """Functions among arguments are called with whatever else is there."""
        analysis = self.analysis
        items = [v for g in given for v in (g, analysis.element(g)) if not g.has(Trait.CALLED)]
        result: Value | None = None
        for callee in callees:
            if not callee.has(Trait.CALLED):
                continue
            if callee.has(Trait.UNKNOWN) or not callee.lives:
                analysis.choose()
                continue
            before, unordered = analysis.facts.changes, any(g.has(UNORDERED) for g in given)
            for _ in range(4):
                again = [] if result is None else [result, analysis.element(result)]
                found = self.invoke(callee, ([], {}, joined([*items, *again])))
                grown = found if result is None else joined([result, found])
                if grown == result:
                    break
                result = grown
            else:
                analysis.choose()
            if unordered and analysis.facts.changes > before:
                analysis.choose()
        if result is None:
            return NOTHING
        analysis.store(result)
        return result

    # -- classes -------------------------------------------------------------------------------

    def is_enum(self, kind: type) -> bool:
        return issubclass(kind, enum.Enum) and not is_foreign(kind.__module__)

    def member(self, kind: type) -> Value:
        """Some member of an enum."""
        self.reach(kind)
        return joined([self.analysis.live(m) for m in kind]) if len(kind) else NOTHING  # type: ignore[arg-type, attr-defined]

    def construct(self, kind: type, args: Args) -> Value:
        if is_foreign(kind.__module__):
            return self.unknown(args, kind.__module__)
        if self.is_enum(kind):
            found = self.member(kind)
            return Value(found.own, found.inner, (), False, kind)
        self.reach(kind)
        made = Value(object_traits(kind), NONE, (), False, kind)
        self.analysis.store(made)
        init = found_in(kind, "__init__")
        places, named, rest = args
        if isinstance(init, types.FunctionType) and is_generated(kind, init):
            self._fields(kind, args, made)
        elif isinstance(init, types.FunctionType) and not is_foreign(init.__module__ or ""):
            self.analysis.function(init, ([made, *places], named, rest), kind)
        else:
            self.analysis.change(NOTHING, *all_of(args))
        return made

    def _fields(self, kind: Any, args: Args, made: Value) -> None:
        """A dataclass is made: arguments and defaults are kept, and it may go on by itself."""
        self.analysis.change(NOTHING, *all_of(args))
        for field in kind.__dataclass_fields__.values():
            if field.default is not MISSING:
                self.analysis.change(NOTHING, self.analysis.live(field.default))
            if field.default_factory is not MISSING:
                factory = self.analysis.live(field.default_factory)
                self.analysis.change(NOTHING, self.invoke(factory, ([], {}, None)))
        after = found_in(kind, "__post_init__")
        if isinstance(after, types.FunctionType):
            self.analysis.function(after, ([made], {}, joined(all_of(args))), kind)

    def reach(self, kind: type) -> None:
        """Look at what runs of a class of the project without being called by name."""
        if kind in self.reached or is_foreign(kind.__module__):
            return
        self.reached.add(kind)
        if type(kind) not in METACLASSES:
            self.analysis.note(Kind.PARTITION)
        is_enum, is_error = issubclass(kind, enum.Enum), issubclass(kind, Exception)
        self_ = Value(object_traits(kind) | Trait.BOX, NONE, (), False, kind)
        for base in kind.__mro__:
            if is_foreign(base.__module__):
                listed = is_error and (listed_name(base) or base is BaseException)
                if base not in BASES and not listed and not (is_enum and base in MIXINS):
                    self.analysis.choose()
                continue
            if self.analysis.is_state(base):
                self.analysis.note(Kind.PARTITION)
            for name, item in vars(base).items():
                self._member_of(kind, name, item, self_)

    def _member_of(self, kind: type, name: str, item: Any, self_: Value) -> None:
        analysis = self.analysis
        others: Args = ([self_], {}, joined([self_, DATA]))
        if isinstance(item, property):
            for part in (item.fget, item.fset, item.fdel):
                if isinstance(part, types.FunctionType):
                    analysis.risk(Risk.RECURSIVE)  # operators and attributes are not followed back
                    self._special(analysis.function(part, others, kind))
            return
        if isinstance(item, types.FunctionType):
            if is_foreign(item.__module__ or "") or is_generated(kind, item):
                return
            if name in ODD_SPECIAL:
                analysis.note(Kind.PARTITION)
            elif name.startswith("__") and name.endswith("__") and name not in NOT_SPECIAL:
                analysis.risk(Risk.RECURSIVE)
                if name == "__exit__":
                    analysis.risk(Risk.CAUGHT | Risk.DEEP)
                self._special(analysis.function(item, others, HASH if name == HASH else kind))
            return
        plain = (staticmethod, classmethod, types.MemberDescriptorType, types.GetSetDescriptorType)
        if isinstance(item, (*plain, type)):
            if name in ODD_SPECIAL and isinstance(item, classmethod | staticmethod):
                inner = item.__func__
                if isinstance(inner, types.FunctionType) and not is_foreign(inner.__module__ or ""):
                    analysis.choose()
            return
        if hasattr(type(item), "__get__") and not (
            name.startswith("_") and is_foreign(type(item).__module__)
        ):
            analysis.choose()

    def _special(self, value: Value) -> None:
        facts = self.analysis.facts
        found = joined(
            [facts.special, Value(value.own, value.inner, value.lives, False, value.kind)]
        )
        if found != facts.special:
            facts.special, facts.grown = found, True

    def allowed_exceptions(self, kinds: Value) -> None:
        """Exceptions that are caught must be such as depend on the arguments alone."""
        self.analysis.risk(Risk.CAUGHT)
        found = [one.value for one in kinds.lives]
        many = [k for f in found for k in (f if isinstance(f, tuple) else (f,))]
        if not (kinds.exact and many):
            self.analysis.choose()
        for kind in many:
            if not isinstance(kind, type) or (
                is_foreign(kind.__module__) and not listed_name(kind)
            ):
                self.analysis.choose()
            elif issubclass(RecursionError, kind):
                self.analysis.risk(Risk.DEEP)

    # -- attributes ----------------------------------------------------------------------------

    def attribute(self, base: Value, name: str) -> Value:
        """`base.name`"""
        if base.has(Trait.UNKNOWN):
            return self.analysis.choose()
        found = [self._attribute_of(one.value, base, name) for one in base.lives]
        if not base.lives or not base.exact:
            found.append(self._own_attribute(base, name))
        return joined(found)

    def _attribute_of(self, value: Any, base: Value, name: str) -> Value:
        analysis = self.analysis
        if isinstance(value, types.ModuleType):
            return self._of_module(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        if type(value).__module__ == "pyspark.core.broadcast" and name == "value":
            return analysis.live(value.value)
        if isinstance(value, logging.Logger):
            return Value(Trait.ODD | Trait.CALLED, NONE, (Live(Method(base, name)),), True)
        if isinstance(value, enum.Enum) and name in ("value", "_value_"):
            return analysis.live(value.value)
        if isinstance(value, enum.Enum) and name in ("name", "_name_"):
            return NOTHING
        if base.kind is not None:
            one = Value(base.own, base.inner, (Live(value),), True, type(value))
            return self._own_attribute(one, name)
        if isinstance(value, CODE_TYPES):
            return analysis.choose()
        return self._own_attribute(base, name)

    def _of_module(self, module: types.ModuleType, name: str) -> Value:
        analysis = self.analysis
        if not is_foreign(module.__name__):
            found, path = vars(module).get(name, MISSING), getattr(module, "__file__", None)
            if found is MISSING:
                return NOTHING
            if analysis.watch is None or isinstance(found, types.ModuleType):
                return analysis.live(found)
            if is_dunder(name) or path is None:
                return analysis.choose()
            return analysis.global_(analysis.watch.home(vars(module), path), name)
        found = getattr(module, name, MISSING)
        if found is MISSING:
            return NOTHING
        if isinstance(found, types.ModuleType):
            return analysis.live(found)
        if listed_name(found):
            return analysis.live(found)
        if name in allow_list.MODULES.get(module.__name__, ()):
            return analysis.live(found)
        if callable(found):
            return Value(Trait.ODD | Trait.CALLED, NONE, (Live(found),), True)
        return analysis.choose()

    def _of_class(self, kind: type, name: str) -> Value:
        analysis = self.analysis
        if is_dunder(name):
            return analysis.choose()
        found = found_in(kind, name)
        if found is None and not any(name in vars(b) for b in kind.__mro__):
            return NOTHING if not isinstance(type(kind), enum.EnumMeta) else analysis.choose()
        if is_foreign(kind.__module__):
            value = getattr(kind, name)
            if listed_name(kind) is None:
                return analysis.choose()
            return analysis.live(value)
        if self.is_enum(kind) and name in kind.__members__:  # type: ignore[attr-defined]
            return analysis.live(kind.__members__[name])  # type: ignore[attr-defined]
        self.reach(kind)
        if isinstance(found, staticmethod):
            return analysis.live(found.__func__)
        if isinstance(found, classmethod):
            bound = Bound(analysis.live(found.__func__), (analysis.live(kind),))
            return callable_of(bound)
        if isinstance(found, property):
            return analysis.choose()
        return analysis.live(found)

    def _own_attribute(self, base: Value, name: str) -> Value:
        """An attribute of a value that is no module or class."""
        analysis = self.analysis
        if base.kind is not None and base.has(Trait.OBJECT):
            return self._of_instance(base, base.kind, name)
        if is_dunder(name):
            return analysis.choose()
        if base.has(Trait.OBJECT):
            return joined([analysis.element(base), analysis.facts.special])
        if base.has(Trait.TABLE):
            return Value(base.own | (NONE if is_printed(name) else Trait.LAZY), base.inner)
        if name in METHOD_NAMES or name in allow_list.CHANGING | allow_list.MADE | allow_list.TAKEN:
            return callable_of(Method(base, name))
        found = analysis.element(base)
        return Value(
            found.own | base.own & Trait.SHARED, found.inner, found.lives, False, found.kind
        )

    def _of_instance(self, base: Value, kind: type, name: str) -> Value:
        analysis = self.analysis
        self.reach(kind)
        if name.startswith("__") and not name.endswith("__"):
            own = [f"_{c.__name__.lstrip('_')}{name}" for c in kind.__mro__]
            name = next((n for n in own if found_in(kind, n) is not None), own[0])
        if is_dunder(name) and name != "__call__":
            return analysis.choose()
        owner = next((c for c in kind.__mro__ if name in vars(c)), None)
        instance = base.lives[0].value if len(base.lives) == 1 else None
        held = (getattr(instance, "__dict__", None) or {}).get(name, MISSING)
        kept = [analysis.live(held)] if held is not MISSING else [analysis.element(base)]
        if owner is None:
            return joined([*kept, analysis.facts.stored])
        item = vars(owner)[name]
        if is_foreign(owner.__module__):
            if isinstance(item, types.FunctionType | types.MethodDescriptorType):
                return callable_of(Method(Value(base.own, base.inner), name))
            return analysis.element(base)
        if isinstance(item, property):
            if not isinstance(item.fget, types.FunctionType):
                return analysis.choose()
            return analysis.function(item.fget, ([base], {}, None), kind)
        if isinstance(item, types.FunctionType):
            shadows = [k for k in (*kept, analysis.facts.stored) if k.has(Trait.CALLED)]
            return joined([callable_of(Bound(analysis.live(item), (base,))), *shadows])
        if isinstance(item, classmethod):
            return callable_of(Bound(analysis.live(item.__func__), (analysis.live(kind),)))
        if isinstance(item, staticmethod):
            return analysis.live(item.__func__)
        if isinstance(item, types.MemberDescriptorType):
            return joined([*kept, DATA])
        return joined([analysis.live(item), *kept])

    # -- methods -------------------------------------------------------------------------------

    def method(self, base: Value, name: str, args: Args) -> Value:
        """`base.name(args)`"""
        if base.has(Trait.UNKNOWN):
            self.unknown(args)
            return MADE_UNKNOWN
        found = []
        others = not base.exact or not base.lives
        for one in base.lives:
            value = one.value
            if isinstance(value, type) and is_foreign(value.__module__):
                found.append(self._class_method(value, name, args))
            elif isinstance(value, logging.Logger):
                found.append(self._logged(name, args))
            elif isinstance(value, (types.ModuleType, type)) or is_special(value):
                found.append(self.invoke(self._attribute_of(value, base, name), args))
            elif base.kind is not None:
                one_value = Value(base.own, base.inner, (one,), True, type(value))
                found.append(self.invoke(self._own_attribute(one_value, name), args))
            elif isinstance(value, CODE_TYPES):
                found.append(self.unknown(args))
            else:
                others = True
        if others:
            found.append(self._own_method(base, name, args))
        return joined(found)

    def _own_method(self, base: Value, name: str, args: Args) -> Value:
        if base.has(Trait.OBJECT):
            if base.kind is None:
                self.analysis.note(Kind.PARTITION if base.has(Trait.SHARED) else Kind.CHOICE)
                return self.unknown(args)
            return self.invoke(self._of_instance(base, base.kind, name), args)
        return self.plain_method(base, name, args)

    def _logged(self, name: str, args: Args) -> Value:
        return live(None) if name in allow_list.LOGGED else self.unknown(args)

    def _class_method(self, kind: type, name: str, args: Args) -> Value:
        """A method of a class of Python's, called on the class."""
        known = listed_name(kind)
        places, named, rest = args
        if known is None:
            return self.unknown(args, kind.__module__)
        if name in allow_list.CLASS_METHODS.get(known, ()):
            if name == "fromkeys" and any(map(self.unordered, places)):
                return self.analysis.box([self.analysis.element(p) for p in places], Trait.SET)
            return self._listed_call(f"{known}.{name}", args)
        if known == "datetime.datetime" and name == "strptime" and len(places) == 2:
            self._check_formats(places[1:])
            return NOTHING
        if known == "datetime.datetime" and name == "fromtimestamp":
            zone = named.get("tz", places[1] if len(places) == 2 else NOTHING)
            fixed = [isinstance(z.value, datetime.timezone) for z in zone.lives]
            if zone.exact and fixed and all(fixed):
                return NOTHING
            return self.unknown(args)
        item = next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), None)
        if isinstance(item, types.MethodDescriptorType | types.WrapperDescriptorType) and places:
            return self.plain_method(places[0], name, (places[1:], named, rest))
        return self.unknown(args)

    def plain_method(self, base: Value, name: str, args: Args) -> Value:
        """A method of a text, a collection, a date, a series: known by its name alone."""
        analysis, given = self.analysis, all_of(args)
        if any(v.has(Trait.UNKNOWN) for v in (base, *given)):
            analysis.choose()
        if base.has(Trait.TABLE):
            self._check_writing(base, name, args)
        if name == "strftime":
            self._check_formats(given)
            return self._of_table(base, name) if base.has(Trait.TABLE) else NOTHING
        if name in allow_list.CHANGING:
            return self._changing(base, name, args)
        if name in allow_list.SETS_MADE:
            return analysis.box([analysis.element(v) for v in (base, *given)], Trait.SET)
        if name not in allow_list.TEXTS | allow_list.MADE | allow_list.TAKEN:
            if base.has(Trait.HELD) or (base.has(Trait.LENT) and not base.has(Trait.TABLE)):
                analysis.note(Kind.PARTITION)
            self.unknown(args)
            return MADE_UNKNOWN
        if name in ("issubset", "issuperset", "isdisjoint"):
            return NOTHING
        if name == "copy":
            analysis.unpack(base)
            return Value(base.own & ~Trait.SHARED, base.inner)
        if any(map(self.unordered, (base, *given))):
            if base.has(Trait.JUMBLED) or name not in ("get", "keys", "values", "items"):
                return analysis.choose()
            if name != "get":
                return Value(Trait.BOX | Trait.JUMBLED | Trait.VIEW, base.inner)
        return self._reading(base, name, args)

    def _reading(self, base: Value, name: str, args: Args) -> Value:
        analysis, given = self.analysis, all_of(args)
        if name in allow_list.TEXTS:
            for value in given:
                if not value.has(Trait.CALLED) and analysis.deep(value) & ILLEGIBLE:
                    if name not in ("index", "count"):
                        analysis.choose()
                if name in ("format", "format_map"):
                    analysis.text(value)
        if name in ("format", "format_map"):
            texts = base.texts()
            if texts is None or not all(map(is_plain_template, texts)):
                return analysis.choose()
        if base.has(Trait.TABLE):
            self._check_table(base, name, args)
        called = self.call_back(given, [base, *given])
        if base.has(Trait.TABLE):
            return joined([self._of_table(base, name), called])
        if name in allow_list.TEXTS:
            return NOTHING
        if name in allow_list.TAKEN:
            return joined([analysis.element(base), *given, called])
        own = Trait.BOX | (Trait.VIEW if name in ("keys", "items") else NONE)
        if name in ("finditer", "elements"):
            own |= Trait.LAZY
        inner = base.deep | called.deep
        for value in given:
            inner |= value.deep & ~Trait.CALLED
        found = analysis.element(base)
        analysis.store(found)
        return Value(own, inner & ~(Trait.VIEW | Trait.CALLED) | found.deep)

    def _of_table(self, base: Value, name: str) -> Value:
        lazy = Trait.LAZY if name in allow_list.UNPRINTED else NONE
        return Value(base.own & ~Trait.LAZY | lazy, base.inner)

    def _check_writing(self, base: Value, name: str, args: Args) -> None:
        """Methods of arrays that change them, or write to another given by place or keyword."""
        places, _, rest = args
        if name not in allow_list.NAMING or rest is not None:
            self.check_keywords(args, [base, *all_of(args)])
        if name == "partition":  # of an array it sorts in place
            self.analysis.change(base)
        for place in places[1:]:
            if place.has(Trait.TABLE | Trait.UNKNOWN) and name not in allow_list.TWO_TABLES:
                self.analysis.change(place)

    def _check_table(self, base: Value, name: str, args: Args) -> None:
        """Methods of pandas that take types or names of functions as texts."""
        places, named, rest = args
        if rest is not None:
            self.analysis.choose()
        if name == "astype" and not all(map(is_plain_type, all_of(args))):
            self.analysis.choose()
        if "dtype" in named and not is_plain_type(named["dtype"]):
            self.analysis.choose()
        if name in NAMED_FUNCTIONS:
            for value in places[:1] + [v for n, v in named.items() if n in ("func", "aggfunc")]:
                texts = value.texts()
                if value.has(Trait.CALLED) or (value.has(Trait.BOX) and name == "map"):
                    continue
                if texts is None or not set(texts) <= allow_list.TEXTS | allow_list.MADE:
                    self.analysis.choose()
        self.analysis.plain_words(*all_of(args))

    def _changing(self, base: Value, name: str, args: Args) -> Value:
        analysis, given = self.analysis, all_of(args)
        if any(map(self.unordered, given)) and not base.has(Trait.SET):
            analysis.choose()
        if base.has(UNORDERED) and name in ("pop", "popitem", "sort", "reverse"):
            analysis.choose()
        items = [v for g in given if not g.has(Trait.CALLED) for v in (g, analysis.element(g))]
        called = [g for g in given if g.has(Trait.CALLED)]
        if name == "sort":
            self.call_back(called, [base])
        else:
            items += called
        analysis.change(base, *items)
        if name in ("pop", "popleft", "popitem", "setdefault"):
            return joined([analysis.element(base), *given])
        return live(None)
