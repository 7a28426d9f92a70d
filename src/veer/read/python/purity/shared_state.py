"""What the code of a project changes while it runs: globals, cells, attributes of classes.

Whoever reads such a thing depends on what ran before, whichever function changes it. So all modules
of the project are looked at, not only those that the function in question calls. What a function
hands on to other code counts as changed: who gets it is not followed.
"""

from __future__ import annotations

import functools
import importlib
import logging
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import resolve_name
from typing import Any, TypeAlias, final

from veer.read.python.origins import is_library, is_named_tuple
from veer.read.python.purity import allow_list, module_scan, results
from veer.read.python.purity.traits import SCALAR_TYPES, contents
from veer.read.python.source import definition_of

FINDING = (importlib.import_module, __import__)
COLLECTIONS = (dict, types.MappingProxyType, list, tuple, set, frozenset)
# Functions that neither change what they are given nor give it back.
UNCHANGING = results.PLAIN_RESULTS | {
    *(
        f"{module}.{name}"
        for module in results.PLAIN_MODULES
        for name in allow_list.MODULES[module]
    ),
    *(f"numpy.{n}" for n in ("dot", "sum", "mean", "min", "max", "interp", "searchsorted")),
}
EMPTY: Mapping[str, Any] = types.MappingProxyType({})
# A name of a module, by the id of its names; of any module whatever.
Rebound: TypeAlias = tuple[int, str | module_scan.Names]
ANY_MODULE: Rebound = (0, module_scan.Names.ALL)


@final
@dataclass(frozen=True)
class ModuleNames:
    """The names of a module and what its text says of them."""

    namespace: Mapping[str, Any]
    scan: module_scan.ModuleScan | None

    def module(self, name: str, level: int) -> types.ModuleType | None:
        """A module as imported here."""
        if level:
            try:
                name = resolve_name("." * level + name, self.namespace.get("__package__") or "")
            except (ImportError, TypeError, ValueError):
                return None
        return sys.modules.get(name)

    def named(self, name: str) -> Any:
        """What a name means in functions of the module."""
        if name not in self.namespace and self.scan is not None and name in self.scan.imports:
            module, part, level = self.scan.imports[name]
            imported = self.module(module, level)
            return getattr(imported, part, None) if part else imported
        return self.namespace.get(name, __import__ if name == "__import__" else None)

    def source_of(self, name: str) -> tuple[types.ModuleType, str] | None:
        """The module a name was imported from, and its name there."""
        assert self.scan is not None
        imported = self.scan.imports.get(name)
        taken = (
            [(imported[0], imported[1], imported[2])]
            if imported is not None and imported[1]
            else []
        )
        if not taken and not any(name == n for n, _ in self.scan.top_level):
            taken = [(module, name, level) for module, level in self.scan.star_imports]
        for source, part, level in taken:
            module = self.module(source, level)
            if module is not None and vars(module).get(part) is self.namespace[name]:
                return module, part
        return None

    def is_set_again(self, name: str, line: int) -> bool:
        """Whether a name is changed at the top of the text after a function that reads it."""
        assert self.scan is not None
        lines = [at for bound, at in self.scan.top_level if bound == name]
        return len(lines) > 1 and max(lines) > line

    def is_shared_cell(self, name: str, line: int, changeable: bool) -> bool:
        """Whether another function inside of the same one changes a name of it."""
        for use in () if self.scan is None else self.scan.cells:
            here = _holds(use.around, line) and use.path[0] == name
            if here and (use.certain or (changeable and not _holds(use.function, line))):
                return True
        return False


def _holds(node: Any, line: int) -> bool:
    return bool(node.lineno <= line <= node.end_lineno)


@final
class SharedState:
    """Everything that functions of the project change."""

    def __init__(self) -> None:
        self.modules: dict[tuple[int, str], ModuleNames] = {}
        self.changed: dict[int, Any] = {}  # objects, by id; alive, since ids are given out again
        self.rebound: set[Rebound] = set()  # names of modules
        # Functions with whether what they give may be changed, and what of others they give.
        self.given: dict[int, tuple[Any, bool, list[Any]]] = {}
        self.followed: dict[Any, Any] = {}  # functions with what they are given, alive
        self.marked: dict[tuple[int, bool], Any] = {}  # values, alive, with what is inside
        self.changeable: dict[
            int, tuple[Any, bool]
        ] = {}  # values, alive: may anything inside change
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            name = getattr(module, "__name__", "")
            if isinstance(path, str) and path.endswith(".py") and is_project(name):
                self.module_names(vars(module), path)

    def module_names(self, space: Mapping[str, Any], path: str) -> ModuleNames:
        """A text and the names it is run with."""
        names = self.modules.get((id(space), path))
        if names is None:
            names = ModuleNames(space, module_scan.scan_of(path))
            self.modules[id(space), path] = names
            self._learn(names)
            for value in list(space.values()):
                own = isinstance(value, type) and is_project(value.__module__)
                for function in vars(value).values() if own else (value,):
                    self._learn_held(function)
            for value in list(space.values()):  # of a notebook each cell is a text
                if isinstance(value, types.FunctionType) and value.__globals__ is space:
                    self.module_names(space, value.__code__.co_filename)
        return names

    def is_changed(self, value: Any) -> bool:
        """Whether some function changes an object, or one inside of it."""
        inside = list(reachable(value))
        for one in filter(_is_instance, inside):  # operators and properties name no method
            for base in type(one).__mro__:
                for name, item in vars(base).items() if is_project(base.__module__) else ():
                    special = name.startswith("__") and name not in ("__init__", "__post_init__")
                    if isinstance(item, property) or (special and callable(item)):
                        self._learn_method(one, item)
        return any(id(one) in self.changed for one in inside)

    def _learn(self, module_names: ModuleNames) -> None:
        if module_names.scan is None:
            return
        self.rebound |= {(id(module_names.namespace), name) for name in module_names.scan.rebound}
        for use in module_names.scan.uses:
            first = use.path[0]
            assert isinstance(first, str)
            self._learn_use(module_names.named(first), use, module_names.namespace)

    def _learn_held(self, function: Any) -> None:
        """What an existing function or method changes of what it holds on to."""
        match function:
            case types.FunctionType():
                self._learn_names(function)
            case types.MethodType():
                self._learn_held(function.__func__)
                self._learn_function(function.__func__, 0, function.__self__)
            case types.BuiltinFunctionType():
                self._mark([function.__self__])
            case functools.partial():
                self._learn_held(function.func)
                self._mark([*function.args, *function.keywords.values()])
            case staticmethod() | classmethod():
                self._learn_held(function.__func__)

    def _learn_names(self, function: types.FunctionType) -> None:
        """Changes of defaults and cells of a function."""
        code = function.__code__
        places = code.co_varnames[: code.co_argcount]
        defaults = function.__defaults__ or ()
        held = list(zip(places[len(places) - len(defaults) :], defaults, strict=True))
        held += (function.__kwdefaults__ or {}).items()
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                held.append((name, cell.cell_contents))
            except ValueError:
                continue  # not bound yet
        held = [(name, value) for name, value in held if any(map(_may_change, reachable(value)))]
        definition = definition_of(function) if held else None
        for name, value in held:
            if definition is None:
                self._mark([value])
            else:
                for use in module_scan.uses_of(definition.node, name):
                    self._learn_use(value, use, function.__globals__)

    def _learn_function(self, function: Any, place: int, value: Any) -> None:
        """What a function changes of what it is given at a place; all of it if that is not known."""
        key = (id(function), place, id(value))
        if key in self.followed or results.listed_name(function) in UNCHANGING:
            return
        self.followed[key] = (function, value)
        definition = definition_of(function)
        if definition is None or place >= function.__code__.co_argcount:
            self._mark([value])
            return
        for use in module_scan.uses_of(definition.node, function.__code__.co_varnames[place]):
            self._learn_use(value, use, function.__globals__)

    def _learn_method(self, instance: Any, item: Any) -> None:
        """What a method or property of an object of the project's changes of it."""
        for function in (item.fget,) if isinstance(item, property) else (item,):
            if isinstance(function, types.FunctionType):
                if not results.is_generated(type(instance), function):
                    self._learn_function(function, 0, instance)
            elif not isinstance(function, staticmethod | classmethod):
                self._mark([instance])

    def is_rebound(self, module_names: ModuleNames, name: str) -> bool:
        """Whether functions set a name of a module."""
        some = {
            (id(module_names.namespace), name),
            (id(module_names.namespace), module_scan.Names.ALL),
            ANY_MODULE,
        }
        return bool(self.rebound & some)

    def _mark(self, values: Iterable[Any], certain: bool = False) -> None:
        for value in values:
            foreign = isinstance(value, type) and is_library(value.__module__)
            if foreign or isinstance(value, types.ModuleType) or type(value) in SCALAR_TYPES:
                continue
            if (id(value), certain) in self.marked:
                continue
            self.marked[id(value), certain] = value
            for one in reachable(value):
                if _may_change(one) or (certain and isinstance(one, type)):
                    self.changed[id(one)] = one

    def _learn_use(self, value: Any, use: module_scan.Use, space: Mapping[str, Any]) -> None:
        """A change by a path of attributes, in a text that runs with the names of `space`."""
        objects = [value]
        if use.certain and isinstance(value, types.ModuleType) and len(use.path) == 1:
            self.rebound.add((id(vars(value)), module_scan.Names.ALL))
        for at, step in enumerate(use.path[1:], 1):
            if use.certain and any(value is f for f in FINDING):
                self.rebound.add(ANY_MODULE)
            if step is module_scan.Step.ITEM and value is sys.modules:
                self.rebound.add(ANY_MODULE if use.certain else (id(space), module_scan.Names.ALL))
            if step is module_scan.Step.CALL:
                return self._learn_given(value, [], True)
            if step is module_scan.Step.RETURN or step is module_scan.Step.BOUND:
                break
            if step is module_scan.Step.GIVEN:
                name, place = use.path[at + 1 : at + 3]
                self._learn_function(_resolved(str(name), space), int(str(place)), value)
                return None
            if step is module_scan.Step.METHOD and _is_instance(value):
                self._learn_method(
                    value, results.class_attribute(type(value), str(use.path[at + 1]))
                )
                return None
            if step is module_scan.Step.METHOD and isinstance(value, types.ModuleType):
                return self._learn_given(vars(value).get(str(use.path[at + 1])), [], True)
            if step is module_scan.Step.ITEM or step is module_scan.Step.METHOD:
                if not use.certain:
                    objects = _handed_on(
                        value, use.path[at + 1] if step is module_scan.Step.METHOD else ""
                    )
                break
            assert isinstance(step, str)
            if isinstance(value, types.ModuleType):
                if use.certain:
                    self.rebound.add((id(vars(value)), step))
                objects = []
            followed = not use.certain and _is_instance(value)
            if followed and step not in getattr(value, "__dict__", EMPTY):
                item = results.class_attribute(type(value), step)
                if item is None or hasattr(type(item), "__get__"):
                    self._learn_method(value, item)
                    return None
                value, objects = item, [item]
                continue
            holders = value.__mro__ if isinstance(value, type) else (value,)
            spaces = [getattr(h, "__dict__", EMPTY) for h in holders]
            held = [s[step] for s in spaces if step in s]
            if not held:
                # An attribute of objects, not of their class.
                objects = [] if isinstance(value, type) else objects
                break
            if not use.certain:
                objects = []  # an attribute is handed on, not its object
            value = held[0]
            objects.append(value)
        if module_scan.Step.BOUND in use.path:
            function, *names = use.path[use.path.index(module_scan.Step.BOUND) + 1 :]
            self._learn_bound(function, list(map(str, names)), objects, space)
        elif module_scan.Step.RETURN in use.path:
            self._learn_given(_resolved(str(use.path[-1]), space), objects, False)
        else:
            self._mark(objects, use.certain)

    def _learn_bound(
        self, function: Any, names: list[str], objects: list[Any], space: Mapping[str, Any]
    ) -> None:
        """What a function changes of objects that it gives names to."""
        if len(names) > 1:  # they are taken apart
            objects = [one for value in objects for one in reachable(value)]
        for value in objects:
            for name in names:
                key = (id(function), name, id(value))
                if key not in self.followed and self._is_changeable(value):
                    self.followed[key] = (function, value)
                    for use in module_scan.uses_of(function, name):
                        self._learn_use(value, use, space)

    def _is_changeable(self, value: Any) -> bool:
        """Whether a value, or something inside of it, may change."""
        if id(value) not in self.changeable:
            self.changeable[id(value)] = (value, any(map(_may_change, reachable(value))))
        return self.changeable[id(value)][1]

    def _learn_given(self, function: Any, objects: list[Any], is_used: bool) -> None:
        """What a function gives back, which those who call it may change."""
        if type(function) is not types.FunctionType:
            self._mark(objects)
            return
        _, used, given = self.given.get(id(function), (function, False, []))
        self.given[id(function)] = (function, used or is_used, [*given, *objects])
        if used or is_used:
            self._mark([*given, *objects])


def _resolved(path: str, space: Mapping[str, Any]) -> Any:
    """The function that names lead to, through modules alone."""
    first, *more = path.split(".")
    value = space.get(first)
    for name in more:
        value = vars(value).get(name) if isinstance(value, types.ModuleType) else None
    return value


def _is_instance(value: Any) -> bool:
    """Whether a value is an object of one of the project's classes."""
    return not isinstance(value, type) and is_project(type(value).__module__)


def _handed_on(value: Any, method: Any) -> list[Any]:
    """What a loop over a value or a method of it hands on: all that is inside, or the value too."""
    if type(value) not in COLLECTIONS:
        return [value]
    if method in allow_list.GIVES_SCALAR:
        return []
    inside = {"", *allow_list.GIVES_NEW, *allow_list.GIVES_ITEMS}
    return list(contents(value)) if method in inside else [value]


_FOUND: ContextVar[list[SharedState] | None] = ContextVar("found", default=None)


def shared_state() -> SharedState:
    """What functions of the project change, now; looked for once while nothing of it runs."""
    found = _FOUND.get()
    if found is None:
        return SharedState()
    if not found:
        found.append(SharedState())
    return found[0]


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Code of the project does not run meanwhile."""
    found = _FOUND.get()
    token = _FOUND.set([] if found is None else found)
    try:
        yield
    finally:
        _FOUND.reset(token)


def is_project(module: str) -> bool:
    """Whether a module is neither Python's, nor a package's, nor this program's own."""
    return module.partition(".")[0] != "veer" and not is_library(module)


def _may_change(value: Any) -> bool:
    code = (types.ModuleType, types.FunctionType, type)
    return type(value) not in (*SCALAR_TYPES, tuple, frozenset) and not isinstance(value, code)


def reachable(value: Any) -> Iterator[Any]:
    """An object and all changeable ones inside of it."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) in SCALAR_TYPES or isinstance(item, logging.Logger) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, types.ModuleType | types.FunctionType | type):
            continue
        if type(item) in (dict, types.MappingProxyType):
            waiting += [*item.keys(), *item.values()]
        elif type(item) in (list, tuple, set, frozenset) or is_named_tuple(type(item)):
            waiting += item
        elif type(item).__module__ == "numpy":
            waiting.append(getattr(item, "base", None))  # of a view
        elif is_project(type(item).__module__):
            waiting += (getattr(item, "__dict__", None) or {}).values()
