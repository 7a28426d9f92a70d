"""Calls, methods and attributes inside of Python functions, and what they do to purity."""

from __future__ import annotations

import abc
import ast
import builtins
import dataclasses
import datetime
import decimal
import enum
import functools
import logging
import re
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, final

from veer.dataflow.functions.registry import Kind
from veer.frontends.python import pure_names as names
from veer.frontends.python.formats import is_plain_format, is_plain_template
from veer.frontends.python.origins import is_foreign
from veer.frontends.python.traits import (
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
    Trait,
    Value,
    joined,
    live,
    object_traits,
)

if TYPE_CHECKING:
    from veer.frontends.python.purity import Analysis, Scope

Args: TypeAlias = tuple[list[Value], dict[str, Value], Value | None]
METACLASSES = (type, abc.ABCMeta, enum.EnumMeta)
BASES: tuple[Any, ...] = (object, abc.ABC, Generic, Protocol)
MIXINS = (str, int, float, enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.ReprEnum)
# Run by making an instance, or looked at where they are called.
NOT_SPECIAL = frozenset(["__init__", "__post_init__", "__call__", "__class_getitem__"])
# Decide what attributes are, how instances come and go: no class that has one is looked into.
ODD_SPECIAL = frozenset(
    f"__{name}__"
    for name in [
        "getattr",
        "getattribute",
        "setattr",
        "delattr",
        "del",
        "new",
        "get",
        "set",
        "delete",
        "set_name",
        "init_subclass",
        "prepare",
        "instancecheck",
        "subclasscheck",
        "subclasshook",
        "copy",
        "deepcopy",
        "reduce",
        "reduce_ex",
        "getstate",
        "setstate",
        "missing",
    ]
)
HASH = "__hash__"
GENERATED = frozenset(
    f"__{name}__"
    for name in [
        "init",
        "repr",
        "eq",
        "lt",
        "le",
        "gt",
        "ge",
        "hash",
        "setattr",
        "delattr",
        "getstate",
        "setstate",
        "replace",
    ]
)
DATA_TYPES = (
    str, bytes, bytearray, int, float, bool, complex, list, tuple, dict, set, frozenset, range,
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
    decimal.Decimal, re.Match, re.Pattern, types.GeneratorType, Exception,
)  # fmt: skip
METHOD_NAMES = frozenset(
    name for kind in DATA_TYPES for name in dir(kind) if callable(getattr(kind, name, None))
)
# Results that cannot be changed.
PLAIN_MODULES = frozenset(
    ["math", "cmath", "unicodedata", "base64", "binascii", "html", "calendar"]
)
PLAIN_RESULTS = frozenset(
    ["builtins." + n for n in ("abs", "bin", "bool", "bytes", "chr", "complex", "divmod", "float")]
    + ["builtins." + n for n in ("hex", "int", "oct", "ord", "pow", "range", "round", "slice")]
    + ["json.dumps", "re.escape", "re.sub", "re.compile", "zlib.crc32", "zlib.adler32"]
    + ["string.capwords", "textwrap.dedent", "textwrap.fill", "textwrap.indent", "hmac.digest"]
    + ["textwrap.shorten", "decimal.Decimal", "fractions.Fraction", "datetime.date", "uuid.uuid3"]
    + ["datetime.datetime", "datetime.time", "datetime.timedelta", "datetime.timezone", "uuid.UUID"]
    + ["urllib.parse." + n for n in ("quote", "quote_plus", "unquote", "unquote_plus", "urljoin")]
    + [
        "urllib.parse." + n
        for n in ("urlencode", "urlparse", "urlsplit", "urlunparse", "urlunsplit")
    ]
    + ["uuid.uuid5", "hmac.compare_digest", "zlib.compress", "zlib.decompress", "struct.pack"]
)
WITH_NAN = frozenset(["math", "cmath", "statistics", "numpy", "pandas", "json"])
# Results made anew: changing them changes nothing else, though what is in them may be old.
NEW_RESULTS = frozenset(
    ["collections." + n for n in ("Counter", "OrderedDict", "defaultdict", "deque")]
    + ["re." + n for n in ("findall", "finditer", "split", "subn", "match", "search", "fullmatch")]
    + ["hashlib." + n for n in names.MODULES["hashlib"]]
    + ["itertools." + n for n in names.MODULES["itertools"]]
    + ["json.loads", "heapq.nlargest", "heapq.nsmallest", "heapq.merge", "builtins.bytearray"]
    + ["pyspark.sql.types.Row", "hmac.new", "urllib.parse.parse_qs", "urllib.parse.parse_qsl"]
    + ["textwrap.wrap", "statistics.multimode", "statistics.quantiles", "difflib.get_close_matches"]
)
LAZY_RESULTS = frozenset(["re.finditer", "re.match", "re.search", "re.fullmatch", "heapq.merge"])
# Functions among their arguments are called and never given back.
CALLING = frozenset(
    ["collections.defaultdict", "functools.reduce", "json.loads", "json.dumps", "re.sub", "re.subn"]
    + ["itertools." + n for n in ("accumulate", "groupby", "starmap", "takewhile", "dropwhile")]
    + ["itertools.filterfalse", "heapq.nlargest", "heapq.nsmallest", "heapq.merge"]
)
EXCEPTIONS = frozenset(
    f"builtins.{n}"
    for n in names.MODULES["builtins"]
    if isinstance(getattr(builtins, n, None), type) and issubclass(getattr(builtins, n), Exception)
)
THREE_INPUTS = frozenset(["numpy.where", "numpy.interp", "numpy.clip", "numpy.select"])
NAMED_FUNCTIONS = frozenset(["apply", "agg", "aggregate", "transform", "map", "filter", "applymap"])


@final
class Taking:
    """`operator.itemgetter(...)`: a function that takes items."""


TAKING = Taking()


_LISTED: dict[int, tuple[Any, str]] = {}
_LOADED: set[str] = set()


def listed_name(value: Any) -> str | None:
    """The name under which a function or class is known to be pure."""
    for module in names.MODULES.keys() & sys.modules.keys() - _LOADED:
        _LOADED.add(module)
        for word in names.MODULES[module]:
            found = getattr(sys.modules[module], word, None)
            owner = getattr(found, "__module__", None) or module
            if callable(found) and is_foreign(owner):
                _LISTED.setdefault(id(found), (found, f"{module}.{word}"))
    known = _LISTED.get(id(value))
    return None if known is None else known[1]


class Calls:
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
                return joined(map(analysis.element, _all(args)))
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
        for arg in _all(args):
            lent = arg.has(Trait.LENT) and not arg.has(Trait.TABLE)
            if arg.has(Trait.BOX) and (lent or arg.has(Trait.HELD)):
                self.analysis.note(Kind.PARTITION)
        self._call_back(_all(args), _all(args))
        if module.partition(".")[0] == "pyspark":
            self.analysis.note(Kind.PARTITION)
        return self.analysis.choose()

    def _call_back(self, callees: Iterable[Value], given: Sequence[Value]) -> Value:
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

    # -- functions known by name ---------------------------------------------------------------

    def known(self, name: str, args: Args) -> Value:
        """A call of something that `pure_names` lists."""
        rule = RULES.get(name)
        if any(v.has(Trait.UNKNOWN) for v in _all(args)):
            self.analysis.choose()
        if rule is not None:
            return rule(self, args)
        return self._listed_call(name, args)

    def _listed_call(self, name: str, args: Args) -> Value:
        analysis, given = self.analysis, _all(args)
        module = name.rpartition(".")[0]
        for arg in given:
            if not arg.has(Trait.CALLED) and analysis.deep(arg) & ILLEGIBLE:
                analysis.choose()
            if arg.inner & Trait.LAZY:
                analysis.choose()
        if module in ("numpy", "pandas"):
            self._check_types(args)
            self._check_outputs(name, args[0])
        called = self._call_back(given, given)
        inner = called.deep
        values = [g for g in given if not g.has(Trait.CALLED) or name not in CALLING]
        for arg in values:
            inner |= analysis.deep(arg) & ~Trait.LAZY
            analysis.store(arg)
            analysis.unpack(arg)
        if name in EXCEPTIONS:
            analysis.change(NOTHING, *given)
        nan = Trait.NAN if module in WITH_NAN else inner & Trait.NAN
        if name in PLAIN_RESULTS or module in PLAIN_MODULES:
            return Value(nan)
        if module in ("numpy", "pandas"):
            both = Trait.TABLE | Trait.NAN | Trait.BOX | inner & Trait.SHARED
            return Value(both, inner | both)
        if name in NEW_RESULTS:
            analysis.change(NOTHING, called)
            lazy = Trait.LAZY if module == "itertools" or name in LAZY_RESULTS else NONE
            return Value(Trait.BOX | nan | lazy, inner | nan)
        kept = [Value(g.own, g.inner, g.lives, False, g.kind) for g in values]
        items = map(analysis.element, values)
        return joined([Value(Trait.BOX | nan, inner), called, *kept, *items])

    def _check_types(self, args: Args) -> None:
        """Types that texts are turned into: not those that read the clock."""
        places, named, rest = args
        if rest is not None or "inplace" in named:
            self.analysis.choose()
        if "out" in named:
            self.analysis.change(named["out"])
        if "dtype" in named and not _is_plain_type(named["dtype"]):
            self.analysis.choose()
        for place in places[1:]:
            found = place.texts()
            if found is not None and not set(found) <= names.PLAIN_TYPES | names.MADE:
                self.analysis.choose()
            if place.has(Trait.CALLED) and not _is_plain_type(place):
                self._call_back([place], places)

    def _check_outputs(self, name: str, places: list[Value]) -> None:
        """Arrays given by place that functions of numpy write to."""
        inputs = getattr(getattr(sys.modules["numpy"], name.rpartition(".")[2], None), "nin", None)
        if inputs is None:
            inputs = 3 if name in THREE_INPUTS else 2
        for place in places[inputs:]:
            if place.has(Trait.BOX):
                self.analysis.change(place)

    def _quiet(self, args: Args) -> Value:
        """`len` and the like: neither order nor text shows."""
        return NOTHING

    def _type(self, args: Args) -> Value:
        if len(_all(args)) != 1:
            return self.analysis.choose()
        return Value(Trait.ODD | Trait.CALLED)

    def _print(self, args: Args) -> Value:
        if "file" in args[1] or args[2] is not None:
            return self.analysis.choose()
        return live(None)

    def _set(self, args: Args) -> Value:
        items = [self.analysis.element(a) for a in _all(args)]
        return self.analysis.box(items, Trait.SET)

    def _listing(self, args: Args) -> Value:
        """`list`, `tuple`, `iter`: the order stays that of the argument."""
        given = _all(args)
        own = Trait.JUMBLED if any(map(self.unordered, given)) else NONE
        return self.analysis.box([self.analysis.element(a) for a in given], own)

    def _iterating(self, args: Args) -> Value:
        found = self._listing(args)
        return Value(found.own | Trait.LAZY, found.inner)

    def unordered(self, value: Value) -> bool:
        """Whether a loop over a value goes in the order of hashes."""
        special = self.analysis.facts.special
        return value.has(UNORDERED) or (value.has(Trait.OBJECT) and special.has(UNORDERED))

    def _sorted(self, args: Args) -> Value:
        return self.analysis.box([self._extreme(args)])

    def _extreme(self, args: Args) -> Value:
        """`min`, `max`, `sorted`: the order of a set does not show if nothing is tied."""
        places, named, rest = args
        analysis = self.analysis
        items = [analysis.element(a) for a in places] + ([] if rest is None else [rest])
        many = [a for a in places if self.unordered(a)]
        tied = Trait.NAN | Trait.OBJECT | Trait.TABLE | ILLEGIBLE
        if many and (
            len(places) > 1
            or not named.keys() <= {"reverse", "default"}
            or any(analysis.deep(i) & tied for i in items)
        ):
            analysis.choose()
        self._call_back(named.values(), places)
        kept = [] if len(places) == 1 else places
        return joined([*items, *kept, *(v for n, v in named.items() if n == "default")])

    def _map(self, args: Args) -> Value:
        places, named, rest = args
        if not places or rest is not None or named:
            return self.analysis.choose()
        sources = places[1:]
        unordered = any(map(self.unordered, sources))
        if unordered and len(sources) > 1:
            return self.analysis.choose()
        found = self._call_back(places[:1], sources)
        if places[0].lives and not places[0].has(Trait.CALLED):
            found = NOTHING  # filter(None, ...)
        items = [found, *map(self.analysis.element, sources)]
        return self.analysis.box(items, Trait.LAZY | (Trait.JUMBLED if unordered else NONE))

    def _zip(self, args: Args) -> Value:
        """`zip`, `enumerate`, `reversed`: order shows."""
        return self.analysis.box([self.analysis.over(g) for g in _all(args)], Trait.LAZY)

    def _sum(self, args: Args) -> Value:
        places, named, rest = args
        items = [self.analysis.over(p) for p in places[:1]]
        more = [*places[1:], *named.values(), *([] if rest is None else [rest])]
        found = joined([*items, *more])
        special = [self.analysis.facts.special] if found.has(Trait.OBJECT) else []
        return joined([found, *special]) if more else joined([Value(found.own, found.inner)])

    def _next(self, args: Args) -> Value:
        given = _all(args)
        if given:
            self.analysis.change(given[0])
        return joined([*(self.analysis.over(g) for g in given[:1]), *given[1:]])

    def _text(self, args: Args) -> Value:
        for value in _all(args):
            self.analysis.text(value)
        return NOTHING

    def _format(self, args: Args) -> Value:
        self._text(args)
        self._check_formats(args[0][1:])
        return NOTHING

    def _check_formats(self, formats: Sequence[Value]) -> None:
        for found in formats:
            texts = found.texts()
            if texts is None or not all(map(is_plain_format, texts)):
                self.analysis.choose()

    def _dict(self, args: Args) -> Value:
        analysis, given = self.analysis, _all(args)
        items = [analysis.over(g) for g in given]
        return analysis.box([*items, *map(analysis.element, items), *args[1].values()])

    def _object(self, args: Args) -> Value:
        return Value(Trait.ODD)

    def _partial(self, args: Args) -> Value:
        places, named, rest = args
        if not places or rest is not None:
            return self.analysis.choose()
        bound = Bound(places[0], tuple(places[1:]), tuple(named.items()))
        return Value(Trait.ODD | Trait.CALLED, NONE, (Live(bound),), True)

    def _itemgetter(self, args: Args) -> Value:
        return Value(Trait.ODD | Trait.CALLED, NONE, (Live(TAKING),), True)

    def _copy(self, args: Args) -> Value:
        value = joined(_all(args))
        self.analysis.unpack(value)
        return Value(value.own & ~Trait.SHARED, value.inner, (), False, value.kind)

    def _deepcopy(self, args: Args) -> Value:
        found = self._copy(args)
        return Value(found.own, found.inner & ~Trait.SHARED, (), False, found.kind)

    def _cast(self, args: Args) -> Value:
        return joined(args[0][1:])

    def _logger(self, args: Args) -> Value:
        return live(logging.getLogger())

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
        init = _found(kind, "__init__")
        places, named, rest = args
        if isinstance(init, types.FunctionType) and is_generated(kind, init):
            self._fields(kind, args, made)
        elif isinstance(init, types.FunctionType) and not is_foreign(init.__module__ or ""):
            self.analysis.function(init, ([made, *places], named, rest), kind)
        else:
            self.analysis.change(NOTHING, *_all(args))
        return made

    def _fields(self, kind: Any, args: Args, made: Value) -> None:
        """A dataclass is made: arguments and defaults are kept, and it may go on by itself."""
        self.analysis.change(NOTHING, *_all(args))
        for field in kind.__dataclass_fields__.values():
            if field.default is not MISSING:
                self.analysis.change(NOTHING, self.analysis.live(field.default))
            if field.default_factory is not MISSING:
                factory = self.analysis.live(field.default_factory)
                self.analysis.change(NOTHING, self.invoke(factory, ([], {}, None)))
        after = _found(kind, "__post_init__")
        if isinstance(after, types.FunctionType):
            self.analysis.function(after, ([made], {}, joined(_all(args))), kind)

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
            for name, item in vars(base).items():
                self._member_of(kind, name, item, self_)

    def _member_of(self, kind: type, name: str, item: Any, self_: Value) -> None:
        analysis = self.analysis
        others: Args = ([self_], {}, joined([self_, DATA]))
        if isinstance(item, property):
            for part in (item.fget, item.fset, item.fdel):
                if isinstance(part, types.FunctionType):
                    self._special(analysis.function(part, others, kind))
            return
        if isinstance(item, types.FunctionType):
            if is_foreign(item.__module__ or "") or is_generated(kind, item):
                return
            if name in ODD_SPECIAL:
                analysis.note(Kind.PARTITION)
            elif name.startswith("__") and name.endswith("__") and name not in NOT_SPECIAL:
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
        found = [one.value for one in kinds.lives]
        many = [k for f in found for k in (f if isinstance(f, tuple) else (f,))]
        if kinds.has(Trait.UNKNOWN):
            self.analysis.choose()
        for kind in many:
            if isinstance(kind, type) and is_foreign(kind.__module__) and not listed_name(kind):
                self.analysis.choose()
        if not many and not kinds.has(Trait.BOX):
            self.analysis.choose()

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
            held = vars(value).get(name, MISSING) if hasattr(value, "__dict__") else MISSING
            return analysis.choose() if held is MISSING else analysis.live(held)
        return self._own_attribute(base, name)

    def _of_module(self, module: types.ModuleType, name: str) -> Value:
        analysis = self.analysis
        if not is_foreign(module.__name__):
            found = vars(module).get(name, MISSING)
            return NOTHING if found is MISSING else analysis.live(found)
        found = getattr(module, name, MISSING)
        if found is MISSING:
            return NOTHING
        if isinstance(found, types.ModuleType):
            return analysis.live(found)
        if listed_name(found):
            return analysis.live(found)
        if name in names.MODULES.get(module.__name__, ()):
            return analysis.live(found)
        if callable(found):
            return Value(Trait.ODD | Trait.CALLED, NONE, (Live(found),), True)
        return analysis.choose()

    def _of_class(self, kind: type, name: str) -> Value:
        analysis = self.analysis
        if _is_dunder(name):
            return analysis.choose()
        found = _found(kind, name)
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
            return _callable(bound)
        if isinstance(found, property):
            return analysis.choose()
        return analysis.live(found)

    def _own_attribute(self, base: Value, name: str) -> Value:
        """An attribute of a value that is no module or class."""
        analysis = self.analysis
        if base.kind is not None and base.has(Trait.OBJECT):
            return self._of_instance(base, base.kind, name)
        if _is_dunder(name):
            return analysis.choose()
        if base.has(Trait.OBJECT):
            return joined([analysis.element(base), analysis.facts.special])
        if base.has(Trait.TABLE):
            return Value(base.own, base.inner)
        if name in METHOD_NAMES or name in names.CHANGING | names.MADE | names.TAKEN:
            return _callable(Method(base, name))
        found = analysis.element(base)
        return Value(
            found.own | base.own & Trait.SHARED, found.inner, found.lives, False, found.kind
        )

    def _of_instance(self, base: Value, kind: type, name: str) -> Value:
        analysis = self.analysis
        self.reach(kind)
        if name.startswith("__") and not name.endswith("__"):
            own = [f"_{c.__name__.lstrip('_')}{name}" for c in kind.__mro__]
            name = next((n for n in own if _found(kind, n) is not None), own[0])
        if _is_dunder(name) and name != "__call__":
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
                return _callable(Method(Value(base.own, base.inner), name))
            return analysis.element(base)
        if isinstance(item, property):
            if not isinstance(item.fget, types.FunctionType):
                return analysis.choose()
            return analysis.function(item.fget, ([base], {}, None), kind)
        if isinstance(item, types.FunctionType):
            shadows = [k for k in (*kept, analysis.facts.stored) if k.has(Trait.CALLED)]
            return joined([_callable(Bound(analysis.live(item), (base,))), *shadows])
        if isinstance(item, classmethod):
            return _callable(Bound(analysis.live(item.__func__), (analysis.live(kind),)))
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
            elif isinstance(value, (types.ModuleType, type)) or _is_special(value):
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
        return live(None) if name in names.LOGGED else self.unknown(args)

    def _class_method(self, kind: type, name: str, args: Args) -> Value:
        """A method of a class of Python's, called on the class."""
        known = listed_name(kind)
        places, named, rest = args
        if known is None:
            return self.unknown(args, kind.__module__)
        if name in names.CLASS_METHODS.get(known, ()):
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
        analysis, given = self.analysis, _all(args)
        named = args[1]
        if any(v.has(Trait.UNKNOWN) for v in (base, *given)):
            analysis.choose()
        if "inplace" in named or "out" in named:
            analysis.change(base, *given)
        if name == "strftime":
            self._check_formats(given)
            return self._of_table(base) if base.has(Trait.TABLE) else NOTHING
        if name in names.CHANGING:
            return self._changing(base, name, args)
        if name in names.SETS_MADE:
            return analysis.box([analysis.element(v) for v in (base, *given)], Trait.SET)
        if name not in names.TEXTS | names.MADE | names.TAKEN:
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
        analysis, given = self.analysis, _all(args)
        if name in names.TEXTS:
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
        called = self._call_back(given, [base, *given])
        if base.has(Trait.TABLE):
            return joined([self._of_table(base), called])
        if name in names.TEXTS:
            return NOTHING
        if name in names.TAKEN:
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

    def _of_table(self, base: Value) -> Value:
        return Value(base.own, base.inner)

    def _check_table(self, base: Value, name: str, args: Args) -> None:
        """Methods of pandas that take types or names of functions as texts."""
        places, named, rest = args
        if rest is not None:
            self.analysis.choose()
        if name == "astype" and not all(map(_is_plain_type, _all(args))):
            self.analysis.choose()
        if "dtype" in named and not _is_plain_type(named["dtype"]):
            self.analysis.choose()
        if name in NAMED_FUNCTIONS:
            for value in places[:1] + [v for n, v in named.items() if n in ("func", "aggfunc")]:
                texts = value.texts()
                if value.has(Trait.CALLED) or (value.has(Trait.BOX) and name == "map"):
                    continue
                if texts is None or not set(texts) <= names.TEXTS | names.MADE:
                    self.analysis.choose()
        self.analysis.plain_words(*_all(args))

    def _changing(self, base: Value, name: str, args: Args) -> Value:
        analysis, given = self.analysis, _all(args)
        if any(map(self.unordered, given)) and not base.has(Trait.SET):
            analysis.choose()
        if base.has(UNORDERED) and name in ("pop", "popitem", "sort", "reverse"):
            analysis.choose()
        items = [v for g in given if not g.has(Trait.CALLED) for v in (g, analysis.element(g))]
        called = [g for g in given if g.has(Trait.CALLED)]
        if name == "sort":
            self._call_back(called, [base])
        else:
            items += called
        analysis.change(base, *items)
        if name in ("pop", "popleft", "popitem", "setdefault"):
            return joined([analysis.element(base), *given])
        return live(None)


CODE_TYPES = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    functools.partial,
)


def _callable(value: Bound | Method) -> Value:
    return Value(Trait.ODD | Trait.CALLED, NONE, (Live(value),), True)


def _is_special(value: Any) -> bool:
    return type(value).__module__ == "pyspark.core.broadcast"


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _found(kind: type, name: str) -> Any:
    """What a class has under a name, as it stands there."""
    return next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), None)


def is_generated(kind: type, function: types.FunctionType) -> bool:
    """Whether a method was made by `dataclass`."""
    if not any("__dataclass_fields__" in vars(c) for c in kind.__mro__):
        return False
    path = function.__code__.co_filename
    return function.__name__ in GENERATED and path in ("<string>", dataclasses.__file__)


def _is_plain_type(value: Value) -> bool:
    """Whether a type that values are turned into is one of numbers, texts or truth values."""
    if not value.exact or not value.lives:
        return False
    found = [one.value for one in value.lives]
    return all(
        v in names.PLAIN_TYPES
        if type(v) is str
        else v in (int, float, str, bool)
        or (
            getattr(v, "__module__", "") == "numpy"
            and getattr(v, "__name__", "") in names.PLAIN_TYPES
        )
        for v in found
    )


def _all(args: Args) -> list[Value]:
    places, named, rest = args
    return [*places, *named.values(), *([] if rest is None else [rest])]


RULES: dict[str, Callable[[Calls, Args], Value]] = {
    **{f"builtins.{n}": Calls._quiet for n in ("len", "bool", "isinstance", "issubclass")},
    **{f"builtins.{n}": Calls._quiet for n in ("callable", "any", "all")},
    **{f"builtins.{n}": Calls._set for n in ("set", "frozenset")},
    **{f"builtins.{n}": Calls._listing for n in ("list", "tuple")},
    "builtins.iter": Calls._iterating,
    **{f"builtins.{n}": Calls._extreme for n in ("min", "max")},
    **{f"builtins.{n}": Calls._map for n in ("map", "filter")},
    **{f"builtins.{n}": Calls._zip for n in ("zip", "enumerate", "reversed")},
    **{f"builtins.{n}": Calls._text for n in ("str", "repr", "ascii")},
    "builtins.sorted": Calls._sorted,
    "builtins.sum": Calls._sum,
    "builtins.next": Calls._next,
    "builtins.format": Calls._format,
    "builtins.dict": Calls._dict,
    "builtins.type": Calls._type,
    "builtins.print": Calls._print,
    "builtins.object": Calls._object,
    "functools.partial": Calls._partial,
    "operator.itemgetter": Calls._itemgetter,
    "operator.truth": Calls._quiet,
    "operator.not_": Calls._quiet,
    "copy.copy": Calls._copy,
    "copy.deepcopy": Calls._deepcopy,
    "contextlib.suppress": Calls._quiet,
    "logging.getLogger": Calls._logger,
    "typing.cast": Calls._cast,
}
