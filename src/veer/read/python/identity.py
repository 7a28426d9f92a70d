"""What makes two Python functions the same: their code, and everything that code reads.

Two loads of one file in two processes agree; a changed helper two modules away is noticed; a
comment, a moved line, a renamed local is not. What cannot be told for certain equals nothing.
"""

from __future__ import annotations

import abc
import ast
import builtins
import dataclasses
import datetime
import dis
import enum
import functools
import logging
import pathlib
import re
import sys
import types
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import resolve_name
from typing import Any, Generic, Protocol, final

from veer.facts.determinism import worst
from veer.functions.registry import Kind
from veer.ir.digests import parts_digest
from veer.read.python import codes
from veer.read.python.origins import (
    is_importable,
    is_library,
    is_named_tuple,
    package_version,
)
from veer.read.python.purity import Arguments, kind_and_packages, kind_of
from veer.read.python.purity.allow_list import IMPURE_MODULES, MODULES
from veer.read.python.purity.results import is_generated, listed_name
from veer.read.python.purity.traits import DATA, EXACT_REPR_TYPES, SCALAR_TYPES

UNKNOWABLE_BUILTINS = frozenset(
    {"eval", "exec", "compile", "__import__", "getattr", "setattr", "delattr", "super"}
)
# Methods behind operators, which are followed by what they belong to; other names with two
# underscores are what functions and classes say of themselves.
OPERATORS = frozenset(
    [
        f"__{n}__"
        for n in ("new", "init", "post_init", "call", "len", "contains", "iter", "next", "hash")
    ]
    + [f"__{n}__" for n in ("eq", "ne", "lt", "le", "gt", "ge", "bool", "str", "repr", "format")]
    + [f"__{n}__" for n in ("getitem", "setitem", "delitem", "setattr", "delattr", "enter", "exit")]
    + [f"__{p}{n}__" for p in ("", "r", "i") for n in ("add", "sub", "mul", "truediv", "floordiv")]
    + [f"__{p}{n}__" for p in ("", "r", "i") for n in ("mod", "pow", "and", "or", "xor", "lshift")]
    + [f"__{n}__" for n in ("neg", "pos", "abs", "invert", "int", "float", "index", "round")]
)
# Of a class, what says nothing of what its instances do, or differs from load to load.
UNDESCRIBED = frozenset(
    [
        "__doc__",
        "__module__",
        "__dict__",
        "__weakref__",
        "__firstlineno__",
        "__static_attributes__",
        "__annotations_cache__",
        "__abstractmethods__",
        "_abc_impl",
        "__annotate_func__",
    ]
)
DEEPEST = 200
PLAIN_BASES: tuple[Any, ...] = (object, abc.ABC, Generic, Protocol)
# A class with one of these shows of itself, or pickles, something else than its attributes.
ODD_METHODS = frozenset(
    {"__reduce__", "__reduce_ex__", "__getstate__", "__getattr__", "__getattribute__", "__copy__"}
)


@final
@dataclass(frozen=True)
class Identity:
    """A digest that equal functions share; `kind` says whether they are functions at all.

    Where the identity is not `certain`, the digest is random: it equals nothing, not even that of a second look.
    """

    digest: str
    kind: Kind
    certain: bool = True
    trusted: tuple[str, ...] = ()  # packages that are believed to be pure


def identify(function: Any, arguments: Arguments = DATA) -> Identity:
    """The identity of a function of some arguments; one of its own if it cannot be told.

    `arguments` says what is known of them, which may decide whether the function is pure.
    """
    kind, trusted = kind_and_packages(function, arguments)
    walk = _Walk()
    try:
        digest = walk.digest(function)
        kind = worst(kind, Kind.CHOICE) if walk.is_computed_anew else kind
        return Identity(digest, kind, trusted=trusted)
    except (codes.UnknownIdentity, RecursionError):
        return Identity(codes.unlike(), worst(kind, Kind.CHOICE), False)


def digest_of(value: Any) -> str | None:
    """A digest that equal values share, if it can be told."""
    try:
        return _Walk().digest(value)
    except (codes.UnknownIdentity, RecursionError):
        return None


class _Walk:
    """Walks over a value and all it refers to."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # alive, or numbers would be given twice
        self.depth = 0
        self.is_computed_anew = False  # a constant of a module, which another process may not have

    def digest(self, value: Any) -> str:
        """A digest of the value, by what it is and not where."""
        if type(value) in SCALAR_TYPES:
            return parts_digest(type(value).__name__, repr(value))
        # The number of the first meeting, so that cycles end and sharing is part of the digest.
        if id(value) in self.seen:
            return parts_digest("again", self.seen[id(value)])
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        self.depth += 1
        if self.depth > DEEPEST:
            raise codes.UnknownIdentity("nested too deeply")
        try:
            return parts_digest(type(value).__name__, *self._parts(value))
        finally:
            self.depth -= 1

    def _parts(self, value: Any) -> Iterator[object]:
        kind = type(value)  # a subclass may do anything
        if kind is types.FunctionType:
            yield from self._function(value)
        elif kind is types.MethodType:
            yield from (self.digest(value.__self__), self.digest(value.__func__))
        elif kind is types.BuiltinFunctionType:
            yield from self._builtin(value)
        elif kind is types.ModuleType:
            yield self._module(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif kind is functools.partial:
            parts = (value.func, value.args, tuple(value.keywords.items()))
            yield from (self.digest(p) for p in parts)
        elif kind in (staticmethod, classmethod):
            yield self.digest(value.__func__)
        elif kind is property:
            yield from (self.digest(f) for f in (value.fget, value.fset, value.fdel))
        elif kind in (types.MethodDescriptorType, types.WrapperDescriptorType):
            yield from (self.digest(value.__objclass__), value.__name__)
        elif kind in (types.GetSetDescriptorType, types.MemberDescriptorType):
            yield from (value.__objclass__.__qualname__, value.__name__)
        else:
            yield from self._value(value)

    def _value(self, value: Any) -> Iterator[object]:
        kind = type(value)
        if kind in (tuple, list):
            yield from (self.digest(item) for item in value)
        elif kind in (dict, types.MappingProxyType):
            for key, item in value.items():
                yield from (self.digest(key), self.digest(item))
        elif kind in (set, frozenset):
            # Items are digested apart and sorted, since the order of a set differs by process; so
            # they may not refer to each other.
            if any(callable(item) for item in value):
                raise codes.UnknownIdentity("a set of functions")
            yield from sorted(_Walk().digest(item) for item in value)
        elif kind is bytearray:
            yield value.hex()
        elif kind in (datetime.datetime, datetime.time):
            if type(value.tzinfo) not in (datetime.timezone, type(None)):
                raise codes.UnknownIdentity("a time of a zone of its own")
            yield repr(value)
        elif isinstance(value, enum.Enum):
            yield from (self.digest(kind), value.name)
        elif kind in EXACT_REPR_TYPES:
            yield repr(value)
        elif is_named_tuple(kind):
            yield from (kind.__qualname__, repr(kind._fields))
            yield from (self.digest(item) for item in value)
        elif kind is types.SimpleNamespace:
            for name, item in vars(value).items():
                yield from (name, self.digest(item))
        elif isinstance(value, re.Pattern):
            yield from (repr(value.pattern), value.flags)
        elif isinstance(value, logging.Logger):
            yield value.name
        elif kind.__module__ == "numpy" and hasattr(value, "tobytes"):
            if value.dtype.hasobject:
                raise codes.UnknownIdentity("an array of objects")
            yield from (str(value.dtype), str(value.shape), value.tobytes().hex())
        elif kind.__module__ == "pyspark.core.broadcast":
            yield self.digest(value.value)
        elif kind.__module__ == "pyspark.sql.types" and hasattr(value, "json"):
            yield value.json()
        elif (name := listed_name(value)) is not None:
            yield from (name, package_version(name))
        elif is_library(kind.__module__):
            raise codes.UnknownIdentity(f"an instance of {kind.__module__}.{kind.__qualname__}")
        else:
            yield from self._instance(value)

    def _instance(self, value: Any) -> Iterator[object]:
        """An object of a class of the project's own."""
        kind = type(value)
        foreign = [b for b in kind.__mro__ if is_library(b.__module__) and b not in PLAIN_BASES]
        if foreign:
            raise codes.UnknownIdentity(
                f"a {kind.__qualname__}, which is a {foreign[0].__qualname__}"
            )
        own = {name for base in kind.__mro__[:-1] for name in vars(base)}
        if own & ODD_METHODS:
            raise codes.UnknownIdentity(
                f"a {kind.__qualname__}, which decides itself what is seen of it"
            )
        yield self.digest(kind)
        for base in kind.__mro__:
            for name in _slots(base):
                mangled = name.startswith("__") and not name.endswith("__")
                name = f"_{base.__name__.lstrip('_')}{name}" if mangled else name
                if hasattr(value, name):
                    yield from (name, self.digest(getattr(value, name)))
        for name, item in getattr(value, "__dict__", {}).items():
            yield from (name, self.digest(item))

    def _class(self, value: type) -> Iterator[object]:
        if is_library(value.__module__):
            if not is_importable(value):
                raise codes.UnknownIdentity(f"the class {value.__qualname__}, made while running")
            self._check_module(value.__module__)
            yield from (package_version(value.__module__), value.__module__, value.__qualname__)
            return
        yield value.__qualname__
        yield from (self.digest(base) for base in (*value.__bases__, type(value)))
        for name, item in sorted(value.__dict__.items()):
            if name == "__dataclass_fields__":
                yield from (name, *(part for f in item.values() for part in self._field(f)))
            elif name == "__dataclass_params__":
                yield repr(item)
            elif type(item) is types.FunctionType and is_generated(value, item):
                yield name  # made of the fields
            elif name not in UNDESCRIBED:
                yield from (name, self.digest(item))

    def _field(self, field: Any) -> Iterator[object]:
        """A field of a dataclass."""
        flags = (field.init, field.repr, field.hash, field.compare, field.kw_only)
        yield from (field.name, repr(flags), field._field_type.name)
        for value in (field.default, field.default_factory):
            yield "none" if value is dataclasses.MISSING else self.digest(value)

    def _module(self, value: types.ModuleType) -> str:
        if not is_library(value.__name__):
            raise codes.UnknownIdentity(f"the module {value.__name__} as a whole")
        self._check_module(value.__name__)
        return f"{value.__name__} {package_version(value.__name__)}"

    def _builtin(self, value: Any) -> Iterator[object]:
        owner = value.__self__
        self._check_name(value.__name__)
        if owner is None or isinstance(owner, types.ModuleType):
            module = value.__module__ or getattr(owner, "__name__", "")
            self._check_module(module, value.__name__)
            yield from (module, value.__qualname__, package_version(module))
        else:
            yield from (self.digest(owner), value.__name__)

    def _check_module(self, module: str, name: str = "") -> None:
        """Refuse what may hand out code or names that the digest does not cover."""
        if module == "builtins" and name in UNKNOWABLE_BUILTINS:
            raise codes.UnknownIdentity(f"{name}() may do anything")
        top = module.partition(".")[0]
        public = top.lstrip("_")
        if top not in sys.stdlib_module_names and top not in sys.builtin_module_names:
            return
        if {module, public} & IMPURE_MODULES or {module, public, top} & MODULES.keys():
            return
        raise codes.UnknownIdentity(f"{module} may reach anything")

    def _check_name(self, name: str) -> None:
        """Refuse what objects say of themselves: it is no part of their identity."""
        if name.startswith("__") and name.endswith("__") and name not in OPERATORS:
            raise codes.UnknownIdentity(f"{name} is read")

    def _function(self, value: types.FunctionType) -> Iterator[object]:
        if is_library(value.__module__ or "") and is_importable(value):
            self._check_module(value.__module__)
            yield from (value.__module__, value.__qualname__, package_version(value.__module__))
            return
        by_name = value.__module__ != "__main__" and is_importable(value)
        if by_name and not _is_as_on_disk(value):
            raise codes.UnknownIdentity(f"{value.__qualname__} is not what its file says")
        if by_name and not _are_computed_alike(value):
            self.is_computed_anew = True
        yield from self._code(value.__code__, value)
        try:
            cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
        except ValueError:
            raise codes.UnknownIdentity("a name that is not bound yet") from None
        keywords = tuple((value.__kwdefaults__ or {}).items())
        yield from (self.digest(p) for p in (cells, value.__defaults__, keywords))
        for name, item in value.__dict__.items():
            if name != "__wrapped__":
                yield from (name, self.digest(item))

    def _code(self, code: types.CodeType, function: types.FunctionType) -> Iterator[object]:
        yield from codes.instructions(
            code, lambda inner: parts_digest(*self._code(inner, function))
        )
        body = list(dis.get_instructions(code))
        for index, instruction in enumerate(body):
            name, operation = instruction.argval, instruction.opname
            if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
                yield name
                yield self._read(name, function, body[index + 1 :])
            elif operation == "IMPORT_NAME":
                level = body[index - 2].argval if index > 1 else None
                yield self._imported(name, level, function, body[index + 1 :])
            elif operation in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
                self._check_name(name)

    def _read(self, name: str, function: types.FunctionType, rest: list[dis.Instruction]) -> str:
        """A global as it is used: of the project's own modules only the attribute that is read."""
        if name in function.__globals__:
            value = function.__globals__[name]
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
            if not isinstance(value, type):
                self._check_module("builtins", name)
        else:
            return "missing"
        path = ""
        for instruction in rest:
            if not isinstance(value, types.ModuleType) or instruction.opname in codes.SKIPPED:
                break
            if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            if not hasattr(value, instruction.argval):
                return "missing"
            value = getattr(value, instruction.argval)
            path += f".{instruction.argval}"
        return path + self.digest(value)

    def _imported(
        self, name: str, level: Any, function: types.FunctionType, rest: list[dis.Instruction]
    ) -> str:
        """A module imported by the body."""
        if level != 0:
            package = function.__globals__.get("__package__")
            if type(level) is not int or not package:
                raise codes.UnknownIdentity(f"the body imports {name!r}")
            name = resolve_name("." * level + name, package)
        module = sys.modules.get(name)
        taken = []
        for instruction in rest:
            if instruction.opname == "IMPORT_FROM":
                taken.append(instruction.argval)
                self._check_name(instruction.argval)
            elif (
                not instruction.opname.startswith("STORE")
                and instruction.opname not in codes.SKIPPED
            ):
                break
        if name and (is_library(name) or name.partition(".")[0] in sys.stdlib_module_names):
            self._check_module(name)
            return f"{name} {package_version(name)}"
        if module is None or not taken:
            raise codes.UnknownIdentity(f"the body imports {name!r}")
        return parts_digest(*(self.digest(getattr(module, n)) for n in taken if hasattr(module, n)))


def _bindings(text: str) -> dict[str, ast.expr | None]:
    """The names a text binds once at its top: to an expression, or to something else."""
    tree = ast.parse(text)
    bindings: dict[str, ast.expr | None] = {}
    top = set(map(id, tree.body))
    for statement in ast.walk(tree):
        names: list[str] = []
        value = None
        if isinstance(statement, ast.Assign):
            names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
            value = statement.value if id(statement) in top else None
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names, value = [statement.target.id], statement.value
        for name in names:
            bindings[name] = None if name in bindings else value
    return bindings


@lru_cache(maxsize=16)
def _compiled(text: str, path: str) -> tuple[list[types.CodeType], dict[str, ast.expr | None]]:
    """The functions of a text, and the names it binds."""
    return list(codes.codes_in(compile(text, path, "exec", dont_inherit=True))), _bindings(text)


def _is_as_on_disk(function: types.FunctionType) -> bool:
    """Whether a worker that imports the module of a function finds what is here.

    Functions of modules are pickled by name. The code must be that of the file, and constants the
    file states must not have been changed since.
    """
    path = function.__code__.co_filename
    try:
        again, bound = _compiled(pathlib.Path(path).read_text(encoding="utf-8"), path)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return False
    wanted = codes.code_digest(function.__code__)
    name = function.__code__.co_name
    if not any(c.co_name == name and codes.code_digest(c) == wanted for c in again):
        return False
    for read in _globals_read(function.__code__):
        stated = bound.get(read)
        if stated is None or read not in function.__globals__:
            continue
        try:
            value = ast.literal_eval(stated)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue  # computed: it is computed again
        if digest_of(value) != digest_of(function.__globals__[read]):
            return False
    return True


def _are_computed_alike(function: types.FunctionType) -> bool:
    """Whether a worker that imports the module computes the same constants: by pure calls only."""
    try:
        path = pathlib.Path(function.__code__.co_filename)
        _, bound = _compiled(path.read_text(encoding="utf-8"), str(path))
    except (OSError, ValueError, SyntaxError, RecursionError):
        return False
    stated = (bound.get(name) for name in _globals_read(function.__code__))
    calls = (n for e in stated if e is not None for n in ast.walk(e) if isinstance(n, ast.Call))
    return all(_is_pure_call(call, function.__globals__, bound) for call in calls)


def _is_pure_call(call: ast.Call, names: dict[str, Any], bound: Container[str]) -> bool:
    """Whether a call at the top of a module gives the same wherever the module is imported."""
    called: ast.expr = call.func
    path: list[str] = []
    while isinstance(called, ast.Attribute):
        path.insert(0, called.attr)
        called = called.value
    if isinstance(called, ast.Constant | ast.Call):
        return True  # a method of what is looked at by itself
    if not isinstance(called, ast.Name):
        return False
    value = names.get(called.id, getattr(builtins, called.id, None))
    if path and called.id in bound and not isinstance(value, types.ModuleType | type):
        return True  # a method of a constant, which is looked at by itself
    for name in path:
        if not isinstance(value, types.ModuleType | type):
            return False
        value = getattr(value, name, None)
    if isinstance(value, types.FunctionType) and not is_library(value.__module__ or ""):
        return kind_of(value) is Kind.PURE
    if isinstance(value, type) and not is_library(value.__module__):
        return True  # of the project: what it is made of is part of its identity
    return value is not None and (listed_name(value) is not None or _is_declaring(value))


def _is_declaring(value: Any) -> bool:
    """Whether something of Spark or of logging only declares: a function, a type, a logger."""
    module = getattr(value, "__module__", None) or ""
    return module.partition(".")[0] in ("pyspark", "logging", "typing", "collections")


def _globals_read(code: types.CodeType) -> set[str]:
    inner = [code, *codes.codes_in(code)]
    return {
        str(i.argval)
        for c in inner
        for i in dis.get_instructions(c)
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
