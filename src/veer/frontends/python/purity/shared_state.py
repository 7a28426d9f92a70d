"""What the code of a project changes while it runs: globals, cells, attributes of classes.

Whoever reads such a thing depends on what ran before, whichever function changes it. So all modules
of the project are looked at, not only those that the function in question calls.
"""

from __future__ import annotations

import functools
import importlib
import logging
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import resolve_name
from typing import Any, TypeAlias, final

from veer.frontends.python.origins import is_library, is_named_tuple
from veer.frontends.python.purity.module_scan import ModuleScan, Names, Step, Use, scan_of

FINDING = (importlib.import_module, __import__)
SCALARS = (bool, int, str, bytes, float, complex, type(None), range)
EMPTY: Mapping[str, Any] = types.MappingProxyType({})
# A name of a module, by the id of its names; of any module whatever.
Rebound: TypeAlias = tuple[int, str | Names]
ANY_MODULE: Rebound = (0, Names.ALL)


@final
@dataclass(frozen=True)
class ModuleNames:
    """The names of a module and what its text says of them."""

    namespace: Mapping[str, Any]
    scan: ModuleScan | None

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
        self.changed: dict[int, Any] = {}  # objects, by id
        self.rebound: set[Rebound] = set()  # names of modules
        # Events and functions that may change an object, with their modules.
        self.may_change: dict[int, list[tuple[Any, ModuleNames]]] = {}
        self.kept: list[Any] = []  # alive, since ids are given out again
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            name = getattr(module, "__name__", "")
            if isinstance(path, str) and path.endswith(".py") and is_project(name):
                self.module_names(vars(module), path)

    def module_names(self, space: Mapping[str, Any], path: str) -> ModuleNames:
        """A text and the names it is run with."""
        names = self.modules.get((id(space), path))
        if names is None:
            names = ModuleNames(space, scan_of(path))
            self.modules[id(space), path] = names
            self._learn(names)
            for value in list(space.values()):
                self._learn_held(value, names)
            for value in list(space.values()):  # of a notebook each cell is a text
                if isinstance(value, types.FunctionType) and value.__globals__ is space:
                    self.module_names(space, value.__code__.co_filename)
        return names

    def _learn(self, module_names: ModuleNames) -> None:
        if module_names.scan is None:
            return
        self.rebound |= {(id(module_names.namespace), name) for name in module_names.scan.rebound}
        for use in module_names.scan.uses:
            for value in self._along(use, module_names):
                foreign = isinstance(value, type) and is_library(value.__module__)
                if foreign or isinstance(value, types.ModuleType) or type(value) in SCALARS:
                    continue
                for one in reachable(value):
                    if isinstance(one, types.FunctionType) and use.path[-1] is not Step.CALL:
                        continue  # handed on, but not what it gives
                    self.kept.append(one)
                    if use.certain:
                        self.changed[id(one)] = one
                    else:
                        self.may_change.setdefault(id(one), []).append((use, module_names))

    def _learn_held(self, value: Any, module_names: ModuleNames) -> None:
        """What functions and methods that exist hold on to: defaults, cells, their objects."""
        own = isinstance(value, type) and is_project(value.__module__)
        for function in vars(value).values() if own else (value,):
            for held in held_by(function):
                for one in reachable(held):
                    if not isinstance(one, types.FunctionType | type | types.ModuleType):
                        self.kept.append(one)
                        self.may_change.setdefault(id(one), []).append((function, module_names))

    def is_rebound(self, module_names: ModuleNames, name: str) -> bool:
        """Whether functions set a name of a module."""
        some = {
            (id(module_names.namespace), name),
            (id(module_names.namespace), Names.ALL),
            ANY_MODULE,
        }
        return bool(self.rebound & some)

    def _along(self, use: Use, module_names: ModuleNames) -> Iterator[Any]:
        """The objects that a change by a path of attributes concerns."""
        first = use.path[0]
        assert isinstance(first, str)
        value = module_names.named(first)
        objects = [value]
        if use.certain and isinstance(value, types.ModuleType) and len(use.path) == 1:
            self.rebound.add((id(vars(value)), Names.ALL))
        for attribute in use.path[1:]:
            if use.certain and any(value is f for f in FINDING):
                self.rebound.add(ANY_MODULE)
            if attribute is Step.ITEM and value is sys.modules:
                self.rebound.add(
                    ANY_MODULE if use.certain else (id(module_names.namespace), Names.ALL)
                )
            if attribute is Step.ITEM:
                break
            if attribute is Step.CALL:
                return iter([value] if isinstance(value, types.FunctionType) else [])
            if isinstance(value, types.ModuleType):
                if use.certain:
                    self.rebound.add((id(vars(value)), attribute))
                objects = []
            holders = value.__mro__ if isinstance(value, type) else (value,)
            spaces = [getattr(h, "__dict__", EMPTY) for h in holders]
            held = [s[attribute] for s in spaces if attribute in s]
            if not held:
                # An attribute of objects, not of their class.
                return iter(() if isinstance(value, type) else objects)
            value = held[0]
            objects.append(value)
        return iter(objects)


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


def held_by(function: Any) -> list[Any]:
    """The objects that a function, method or partial call holds on to."""
    match function:
        case types.FunctionType():
            cells = [c.cell_contents for c in function.__closure__ or () if _is_filled(c)]
            return [
                *(function.__defaults__ or ()),
                *(function.__kwdefaults__ or {}).values(),
                *cells,
            ]
        case types.MethodType():
            return [function.__self__, *held_by(function.__func__)]
        case types.BuiltinFunctionType():
            return [function.__self__]
        case functools.partial():
            return [*function.args, *function.keywords.values(), *held_by(function.func)]
        case _:
            return []


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def reachable(value: Any) -> Iterator[Any]:
    """An object and all changeable ones inside of it."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) in SCALARS or isinstance(item, logging.Logger) or id(item) in seen:
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
