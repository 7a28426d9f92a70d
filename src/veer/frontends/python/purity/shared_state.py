"""What the code of a project changes while it runs: globals, cells, attributes of classes.

Whoever reads such a thing depends on what ran before, whichever function changes it. Texts of
modules are looked through for names that functions rebind, change, or hand on to what may.
"""

from __future__ import annotations

import ast
import functools
import importlib
import linecache
import logging
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import resolve_name
from typing import Any, final

from veer.frontends.python.origins import is_library
from veer.frontends.python.purity import allow_list

READING = (allow_list.GIVES_SCALAR | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS) - {"partition"}
LOOKING = frozenset(
    ["len", "sum", "any", "all", "bool", "isinstance", "str", "repr", "print", "int", "float"]
)
SETTING = frozenset(["setattr", "delattr", "vars"])
ANYTHING = frozenset(["globals", "exec", "eval"])  # may set any name of the module
ALL = "*"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
CALL, ITEM = "()", "[]"  # in a path: what a function gives, and what a collection holds
LOOPS = (ast.For, ast.While, ast.AsyncFor)
FINDING = (importlib.import_module, __import__)
ANY_MODULE = (0, ALL)
SCALAR_TYPES = (bool, int, str, bytes, float, complex, type(None), range)


EMPTY: Mapping[str, Any] = types.MappingProxyType({})


@final
@dataclass(frozen=True)
class Use:
    """A use of a name with its attributes by a function that may change it.

    `certain` says that it is changed; otherwise the function has to be looked at. `method` is set
    where the first parameter is an object of a class.
    """

    path: tuple[str, ...]
    certain: bool
    function: Any
    method: bool = False
    around: Any = None  # of a cell: the outermost function


@final
@dataclass(frozen=True)
class ModuleScan:
    """What the text of a module says of the names in it."""

    uses: tuple[Use, ...]  # of globals
    cells: tuple[Use, ...]  # of names of functions around
    rebound: frozenset[str]
    top_level: tuple[
        tuple[str, int], ...
    ]  # names bound or changed outside of functions, with lines
    imports: Mapping[str, tuple[str, str, int]]  # of a name: module, part of it, level
    star_imports: tuple[tuple[str, int], ...]  # modules whose names are all imported


_SCANS: dict[str, tuple[list[str], ModuleScan | None]] = {}


def scan_of(path: str) -> ModuleScan | None:
    """What a text says, or None if it cannot be read."""
    linecache.checkcache(path)
    lines = linecache.getlines(path)
    if path not in _SCANS or _SCANS[path][0] is not lines:
        _SCANS[path] = (lines, _scan("".join(lines)) if lines else None)
    return _SCANS[path][1]


def _scan(text: str) -> ModuleScan | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    scanner = _Scanner(tree)
    return ModuleScan(
        tuple(dict.fromkeys(scanner.uses)),
        tuple(dict.fromkeys(scanner.cells)),
        frozenset(scanner.rebound),
        tuple(scanner.top_level),
        scanner.imports,
        tuple(scanner.star_imports),
    )


@final
class _Scanner:
    """Walks over a module with the names bound around each place."""

    def __init__(self, tree: ast.Module) -> None:
        self.uses: list[Use] = []
        self.cells: list[Use] = []
        self.rebound: set[str] = set()
        self.top_level: list[tuple[str, int]] = []
        self.imports: dict[str, tuple[str, str, int]] = {}
        self.star_imports: list[tuple[str, int]] = []
        self.parents = {c: p for p in ast.walk(tree) for c in ast.iter_child_nodes(p)}
        for node in ast.walk(tree):
            self._imported(node)
        for statement in tree.body:
            self._visit(statement, (), (), None)

    def _imported(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                self.imports[alias.asname or top] = (alias.name if alias.asname else top, "", 0)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self.star_imports.append((node.module or "", node.level))
                origin = (node.module or "", alias.name, node.level)
                self.imports[alias.asname or alias.name] = origin

    def _visit(
        self,
        node: ast.AST,
        scopes: tuple[frozenset[str], ...],
        within: tuple[str, ...],
        owner: ast.AST | None,
    ) -> None:
        """`scopes` are the names of functions around; `owner` the outermost of these functions."""
        if isinstance(node, FUNCTIONS):
            self._function(node, scopes, within, owner)
            return
        if isinstance(node, ast.ClassDef) and owner is None:
            within = (*within, node.name)
        if isinstance(node, ast.Global):
            self.rebound |= set(node.names)
        if isinstance(node, ast.Nonlocal):
            self.cells += [Use((n,), True, owner, False, owner) for n in node.names]
        if isinstance(node, ast.Name) and node.id in ANYTHING and owner is not None:
            self.rebound.add(ALL)
        if isinstance(node, ast.Name):
            self._name(node, scopes, within, owner)
        if isinstance(node, ast.Call | ast.Attribute) and owner is not None:
            self._class_of(node, within, owner)
        for child in ast.iter_child_nodes(node):
            self._visit(child, scopes, within, owner)

    def _function(
        self, node: Any, scopes: Any, within: tuple[str, ...], owner: ast.AST | None
    ) -> None:
        outside = [*getattr(node, "decorator_list", ()), *node.args.defaults]
        for part in [*outside, *(d for d in node.args.kw_defaults if d is not None)]:
            self._visit(part, scopes, within, owner)
        if owner is None:
            owner, within = node, (*within, getattr(node, "name", "<lambda>"))
        body = node.body if isinstance(node.body, list) else [node.body]
        own = _bound(node.args, body)
        for part in body:
            self._visit(part, (*scopes, own), within, owner)

    def _name(
        self, node: ast.Name, scopes: Any, within: tuple[str, ...], owner: ast.AST | None
    ) -> None:
        path, sure = self._use(node)
        if owner is None:
            if sure:
                times = 2 if self._in_loop(node) else 1
                self.top_level += [(node.id, node.lineno)] * times
            return
        distance = next((i for i, s in enumerate(reversed(scopes)) if node.id in s), None)
        if sure is None and distance != 0:
            return
        if distance is None:
            self.uses.append(Use(path, bool(sure), owner, len(within) > 1))
        elif distance > 0:
            self.cells.append(Use(path, bool(sure), self._nested(node), False, owner))
        elif sure and len(path) > 1 and len(scopes) == 1:
            self._through_self(node, path, within, owner)

    def _through_self(self, node: ast.Name, path: Any, within: tuple[str, ...], owner: Any) -> None:
        """A class changed by its own methods: `cls.n = 1`, `self.shared.append(1)`."""
        first = [a.arg for a in (*owner.args.posonlyargs, *owner.args.args)][:1]
        parent = self.parents[node]
        of_class = node.id == "cls" or any(
            isinstance(d, ast.Name) and d.id == "classmethod"
            for d in getattr(owner, "decorator_list", ())
        )
        stored = isinstance(parent, ast.Attribute) and not isinstance(parent.ctx, ast.Load)
        if len(within) > 1 and [node.id] == first and (of_class or not stored):
            self.uses.append(Use((*within[:-1], *path[1:]), True, owner, True))

    def _class_of(self, node: ast.AST, within: tuple[str, ...], owner: ast.AST) -> None:
        """`type(self).n = 1` and `self.__class__.n = 1`."""
        if isinstance(node, ast.Attribute) and node.attr != "__class__":
            return
        _, sure = self._climb(node, ())
        if sure and len(within) > 1:
            self.uses.append(Use(within[:-1], True, owner, True))

    def _use(self, node: ast.Name) -> tuple[tuple[str, ...], bool | None]:
        """The attributes read of a name, and whether it is changed (None: only read)."""
        if not isinstance(node.ctx, ast.Load):
            return (node.id,), True
        return self._climb(node, (node.id,))

    def _climb(self, node: ast.AST, path: tuple[str, ...]) -> tuple[tuple[str, ...], bool | None]:
        inside = False
        while True:
            parent = self.parents.get(node)
            match parent:
                case ast.Attribute(attr=attr):
                    method = isinstance(self.parents.get(parent), ast.Call) and (
                        self.parents[parent].func is parent  # type: ignore[attr-defined]
                    )
                    if attr == "__dict__":
                        return path, True
                    if not isinstance(parent.ctx, ast.Load):
                        return (path if inside else (*path, attr)), True
                    if method and attr in allow_list.MUTATING:
                        return path, True
                    if method:
                        return path, None if attr in READING else False
                    path = path if inside else (*path, attr)
                case ast.Subscript(value=value) if value is node:
                    if not isinstance(parent.ctx, ast.Load):
                        return path, True
                    path, inside = (path if inside else (*path, ITEM)), True
                case ast.Call(func=func) if func is node:
                    if inside:
                        return path, False
                    path, inside = (*path, CALL), True
                case ast.Call(func=ast.Name(id=name)) if name in SETTING:
                    return path, True
                case ast.Call(func=ast.Name(id=name)) if name in LOOKING:
                    return path, None
                case (
                    ast.Compare()
                    | ast.UnaryOp()
                    | ast.FormattedValue()
                    | ast.Subscript()
                    | ast.Raise()
                    | ast.ExceptHandler()
                    | ast.Expr()
                ):
                    return path, None
                case _:
                    return path, False
            node = parent

    def _in_loop(self, node: ast.AST) -> bool:
        at: ast.AST | None = node
        while at is not None and not isinstance(at, LOOPS):
            at = self.parents.get(at)
        return at is not None

    def _nested(self, node: ast.AST) -> ast.AST:
        at = self.parents[node]
        while not isinstance(at, FUNCTIONS):
            at = self.parents[at]
        return at


def _bound(args: ast.arguments, body: list[Any]) -> frozenset[str]:
    """The names a function binds itself; imports mean the same everywhere."""
    bound = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    bound |= {a.arg for a in (args.vararg, args.kwarg) if a is not None}
    outer: set[str] = set()

    def visit(node: ast.AST) -> None:
        match node:
            case ast.Global(names=many) | ast.Nonlocal(names=many):
                outer.update(many)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
                return
            case ast.ClassDef(name=name):
                bound.add(name)
                return
            case ast.Lambda():
                return
            case ast.comprehension(iter=source, ifs=conditions):
                for part in (source, *conditions):  # targets are of the comprehension alone
                    visit(part)
                return
            case ast.ExceptHandler(name=str() as name):
                bound.add(name)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                bound.add(name)
            case ast.MatchMapping(rest=str() as name):
                bound.add(name)
        for child in ast.iter_child_nodes(node):
            visit(child)

    for part in body:
        visit(part)
    return frozenset(bound - outer)


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
        self.rebound: set[tuple[int, str]] = set()  # names of modules
        # Events and functions that may change an object, with their modules.
        self.may_change: dict[int, list[tuple[Any, ModuleNames]]] = {}
        self.kept: list[Any] = []
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            name = getattr(module, "__name__", "")
            if isinstance(path, str) and path.endswith(".py") and is_project(name):
                self.module_names(vars(module), path)

    def module_names(self, space: Mapping[str, Any], path: str) -> ModuleNames:
        """A text and the names it is run with."""
        known = self.modules.get((id(space), path))
        if known is None:
            known = ModuleNames(space, scan_of(path))
            self.modules[id(space), path] = known
            self._learn(known)
            for value in list(space.values()):
                self._learn_held(value, known)
            for value in list(space.values()):  # of a notebook each cell is a text
                if isinstance(value, types.FunctionType) and value.__globals__ is space:
                    self.module_names(space, value.__code__.co_filename)
        return known

    def _learn(self, module_names: ModuleNames) -> None:
        if module_names.scan is None:
            return
        self.rebound |= {(id(module_names.namespace), name) for name in module_names.scan.rebound}
        for use in module_names.scan.uses:
            for value in self._along(use, module_names):
                foreign = isinstance(value, type) and is_library(value.__module__)
                if foreign or isinstance(value, types.ModuleType) or type(value) in SCALAR_TYPES:
                    continue
                for one in reachable(value):
                    if isinstance(one, types.FunctionType) and use.path[-1] != CALL:
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
        some = {(id(module_names.namespace), name), (id(module_names.namespace), ALL), ANY_MODULE}
        return bool(self.rebound & some)

    def _along(self, use: Use, module_names: ModuleNames) -> Iterator[Any]:
        """The objects that a change by a path of attributes concerns."""
        value = module_names.named(use.path[0])
        objects = [value]
        if use.certain and isinstance(value, types.ModuleType) and len(use.path) == 1:
            self.rebound.add((id(vars(value)), ALL))
        for attribute in use.path[1:]:
            if use.certain and any(value is f for f in FINDING):
                self.rebound.add(ANY_MODULE)
            if attribute == ITEM and value is sys.modules:
                self.rebound.add(ANY_MODULE if use.certain else (id(module_names.namespace), ALL))
            if attribute == ITEM:
                break
            if attribute == CALL:
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
        if type(item) in SCALAR_TYPES or isinstance(item, logging.Logger) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, types.ModuleType | types.FunctionType | type):
            continue
        if type(item) in (dict, types.MappingProxyType):
            waiting += [*item.keys(), *item.values()]
        elif type(item) in (list, tuple, set, frozenset):
            waiting += item
        elif type(item).__module__ == "numpy":
            waiting.append(getattr(item, "base", None))  # of a view
        elif is_project(type(item).__module__):
            waiting += (getattr(item, "__dict__", None) or {}).values()
