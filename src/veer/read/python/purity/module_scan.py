"""What the text of a module says of names: which are changed, by which functions.

A text is looked through for names that functions rebind, change, or hand on to what may. Nothing of
it is run; `shared_state` holds the names against the objects that they mean.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, final

from veer.read.python.purity import allow_list
from veer.read.python.purity.parameters import names_in, parameter_names

LOOKING = frozenset(
    ["len", "sum", "any", "all", "bool", "isinstance", "str", "repr", "print", "int", "float"]
)
COPYING = frozenset(["list", "tuple", "set", "frozenset", "dict", "sorted", "min", "max"])
COPYING |= {"enumerate", "zip", "reversed"}
SETTING = frozenset(["setattr", "delattr", "vars"])
ANYTHING = frozenset(["globals", "exec", "eval"])  # may set any name of the module
# Places that look at a value and keep nothing of it.
LOOKED_AT = (
    ast.Compare,
    ast.UnaryOp,
    ast.FormattedValue,
    ast.Subscript,
    ast.Raise,
    ast.ExceptHandler,
    ast.Expr,
    ast.If,
    ast.While,
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.While, ast.AsyncFor)


class Step(Enum):
    """A step from a value to another that is no attribute."""

    CALL = auto()  # to what a function gives
    ITEM = auto()  # to what a collection holds
    METHOD = auto()  # to what the method gives whose name follows
    GIVEN = auto()  # to what a function makes of it: its path and the argument follow
    RETURN = auto()  # to what a function gives whose name follows
    BOUND = auto()  # to names of a function: it and they follow


class Names(Enum):
    """Several names at once."""

    ALL = auto()  # of a module


class Change(Enum):
    """What a use does to what it uses."""

    NONE = auto()  # it is only read
    POSSIBLE = auto()  # it is handed on to what may change it
    CERTAIN = auto()


Path: TypeAlias = tuple[str | int | Step | ast.AST, ...]  # a name, then attributes, calls and items


class Imported(NamedTuple):
    """Where an imported name comes from; `name` is empty for a whole module."""

    module: str
    name: str
    level: int


@final
@dataclass(frozen=True)
class Use:
    """A use of a name with its attributes by a function that may change it.

    `certain` says that it is changed; otherwise it is handed on, which counts as a change of what
    can be changed at all.
    """

    path: Path
    certain: bool
    function: Any = None  # of a cell: the inner function
    around: Any = None  # and the outermost


@final
@dataclass(frozen=True)
class ModuleScan:
    """What the text of a module says of the names in it."""

    uses: tuple[Use, ...]  # of globals
    cells: tuple[Use, ...]  # of names of functions around
    rebound: frozenset[str | Names]
    top_level: tuple[
        tuple[str, int], ...
    ]  # names bound or changed outside of functions, with lines
    imports: Mapping[str, Imported]
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
    for statement in tree.body:
        scanner.visit(statement, (), (), None)
    return ModuleScan(
        tuple(dict.fromkeys(scanner.uses)),
        tuple(dict.fromkeys(scanner.cells)),
        frozenset(scanner.rebound),
        tuple(scanner.top_level),
        scanner.imports,
        tuple(scanner.star_imports),
    )


@lru_cache(maxsize=16_384)
def uses_of(function: ast.AST, name: str) -> tuple[Use, ...]:
    """How a function uses one of its names: a parameter, a cell."""
    scanner = _scanner_of(function)
    uses = [scanner.use(node) for node in scanner.named(name) if scanner.is_of_value(node)]
    return tuple(Use(p, c is Change.CERTAIN) for p, c in uses if c is not Change.NONE)


@lru_cache(maxsize=1_024)
def _scanner_of(function: ast.AST) -> _Scanner:
    return _Scanner(function)


@final
class _Scanner:
    """Walks over a module with the names bound around each place."""

    def __init__(self, tree: ast.AST) -> None:
        self.uses: list[Use] = []
        self.cells: list[Use] = []
        self.rebound: set[str | Names] = set()
        self.top_level: list[tuple[str, int]] = []
        self.imports: dict[str, Imported] = {}
        self.star_imports: list[tuple[str, int]] = []
        self.local_names = _local_names(tree)
        self.parents = {c: p for p in ast.walk(tree) for c in ast.iter_child_nodes(p)}
        self._named: dict[str, list[ast.Name]] = {}
        for node in ast.walk(tree):
            self._imported(node)
            if isinstance(node, ast.Name):
                self._named.setdefault(node.id, []).append(node)

    def named(self, name: str) -> list[ast.Name]:
        """The places where a name stands."""
        return self._named.get(name, [])

    def _imported(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                module = alias.name if alias.asname else top
                self.imports[alias.asname or top] = Imported(module, "", 0)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self.star_imports.append((node.module or "", node.level))
                origin = Imported(node.module or "", alias.name, node.level)
                self.imports[alias.asname or alias.name] = origin

    def visit(
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
            self.cells += [Use((n,), True, owner, owner) for n in node.names]
        if isinstance(node, ast.Name) and node.id in ANYTHING and owner is not None:
            self.rebound.add(Names.ALL)
        if isinstance(node, ast.Name):
            self._name(node, scopes, within, owner)
        if isinstance(node, ast.Call | ast.Attribute) and owner is not None:
            self._class_of(node, within, owner)
        for child in ast.iter_child_nodes(node):
            self.visit(child, scopes, within, owner)

    def _function(
        self, node: Any, scopes: Any, within: tuple[str, ...], owner: ast.AST | None
    ) -> None:
        outside = [*getattr(node, "decorator_list", ()), *node.args.defaults]
        for part in [*outside, *(d for d in node.args.kw_defaults if d is not None)]:
            self.visit(part, scopes, within, owner)
        if owner is None:
            owner, within = node, (*within, getattr(node, "name", "<lambda>"))
        # Imports mean the same everywhere.
        own = names_in(node, imports=False)[0].union(parameter_names(node.args))
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part, (*scopes, own), within, owner)

    def _name(
        self, node: ast.Name, scopes: Any, within: tuple[str, ...], owner: ast.AST | None
    ) -> None:
        path, change = self.use(node)
        certain = change is Change.CERTAIN
        if owner is None:
            if certain:
                times = 2 if self._in_loop(node) else 1
                self.top_level += [(node.id, node.lineno)] * times
            return
        distance = next((i for i, s in enumerate(reversed(scopes)) if node.id in s), None)
        if change is Change.NONE and distance != 0:
            return
        if distance is None:
            self.uses.append(Use(path, certain))
        elif distance > 0:
            self.cells.append(Use(path, certain, self._nested(node), owner))
        elif certain and len(path) > 1 and len(scopes) == 1:
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
            self.uses.append(Use((*within[:-1], *path[1:]), True))

    def _class_of(self, node: ast.AST, within: tuple[str, ...], owner: ast.AST) -> None:
        """`type(self).n = 1` and `self.__class__.n = 1`."""
        if isinstance(node, ast.Attribute) and node.attr != "__class__":
            return
        _, change = self._climb(node, ())
        if change is Change.CERTAIN and len(within) > 1:
            self.uses.append(Use(within[:-1], True))

    def is_of_value(self, node: ast.Name) -> bool:
        """Whether a name stands for its value; else it is bound to another, which changes none."""
        return isinstance(node.ctx, ast.Load) or isinstance(self.parents.get(node), ast.AugAssign)

    def use(self, node: ast.Name) -> tuple[Path, Change]:
        """What is reached from a name, and whether that is changed."""
        if not isinstance(node.ctx, ast.Load):
            return (node.id,), Change.CERTAIN
        return self._climb(node, (node.id,))

    def _is_called(self, node: ast.AST) -> bool:
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _climb(self, node: ast.AST, path: Path) -> tuple[Path, Change]:
        """What is reached from a value by attributes, items and calls, and whether it is changed.

        The path stops at the first item or call: what is behind is some object inside of it.
        """
        inside = False
        while True:
            parent = self.parents.get(node)
            match parent:
                case ast.Attribute(attr=attr):
                    if attr == "__dict__":
                        return path, Change.CERTAIN
                    if not isinstance(parent.ctx, ast.Load):
                        return (path if inside else (*path, attr)), Change.CERTAIN
                    if self._is_called(parent):
                        if attr in allow_list.MUTATING:
                            return path, Change.CERTAIN
                        path = path if inside else (*path, Step.METHOD, attr)
                        return (*path, *self._bound(self.parents[parent])), Change.POSSIBLE
                    path = path if inside else (*path, attr)
                case ast.Subscript(value=value) if value is node:
                    if not isinstance(parent.ctx, ast.Load):
                        return path, Change.CERTAIN
                    path, inside = (path if inside else (*path, Step.ITEM)), True
                case ast.Call(func=func) if func is node:
                    if inside:
                        return path, Change.POSSIBLE
                    path, inside = (*path, Step.CALL), True
                case ast.Call(func=ast.Name(id=name)) if name in SETTING:
                    return path, Change.CERTAIN
                case ast.Call(func=ast.Name(id=name)) if name in LOOKING:
                    return path, Change.NONE
                case ast.Call(func=ast.Name(id=name)) if name in COPYING:
                    path = path if inside else (*path, Step.ITEM)
                    return (*path, *self._bound(parent)), Change.POSSIBLE
                case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()))):
                    return path, Change.NONE  # a method of a text
                case ast.Call(args=args, keywords=[]) if node in args and not inside:
                    place, name = args.index(node), _dotted(parent.func)
                    spread = any(isinstance(a, ast.Starred) for a in args[:place])
                    if spread or not name or name.partition(".")[0] in self.local_names:
                        return path, Change.POSSIBLE
                    return (*path, Step.GIVEN, name, place), Change.POSSIBLE
                case ast.For(iter=source) | ast.comprehension(iter=source) if source is node:
                    path = path if inside else (*path, Step.ITEM)
                    return (*path, *self._bound(node)), Change.POSSIBLE
                case ast.IfExp(test=test) if test is node:
                    return path, Change.NONE
                case ast.IfExp() | ast.BoolOp():
                    pass  # one of several values
                case ast.Return():
                    function = self._nested(node)
                    around = None if function is None else self.parents.get(function)
                    if isinstance(around, ast.Module | None):
                        path = (*path, Step.RETURN, getattr(function, "name", ""))
                    return path, Change.POSSIBLE
                case _:
                    # Anything else hands the value on, by a name or into something.
                    looked_at = isinstance(parent, LOOKED_AT)
                    bound = self._bound(node)
                    return (*path, *bound), Change.NONE if looked_at else Change.POSSIBLE
            node = parent

    def _bound(self, node: ast.AST | None) -> Path:
        """The step to the names that a value is bound to by a loop, a comprehension or `=`."""
        parent = self.parents.get(node) if node is not None else None
        match parent:
            case (
                ast.For(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
                | ast.Assign(targets=[target], value=value)
            ) if value is node:
                leaves = [n for n in ast.walk(target) if isinstance(n, ast.expr)]
            case _:
                return ()
        plain = all(isinstance(n, ast.Name | ast.Tuple | ast.List) for n in leaves)
        function = self._nested(parent)
        if not plain or function is None or (len(leaves) > 1 and isinstance(parent, ast.Assign)):
            return ()
        # Names of classes, of modules and of functions around are used elsewhere too.
        if any(isinstance(n, (ast.Global, ast.Nonlocal, ast.ClassDef)) for n in ast.walk(function)):
            return ()
        return (Step.BOUND, function, *(n.id for n in leaves if isinstance(n, ast.Name)))

    def _in_loop(self, node: ast.AST) -> bool:
        at: ast.AST | None = node
        while at is not None and not isinstance(at, LOOPS):
            at = self.parents.get(at)
        return at is not None

    def _nested(self, node: ast.AST) -> ast.AST | None:
        """The function that a place is in."""
        at = self.parents.get(node)
        while at is not None and not isinstance(at, FUNCTIONS):
            at = self.parents.get(at)
        return at


def _dotted(node: ast.expr) -> str:
    """A name with attributes; empty for anything else."""
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def _local_names(tree: ast.AST) -> set[str]:
    """Names that may mean something else in some function of a text than in its module."""
    names: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS):
            names = names.union(parameter_names(function.args), *names_in(function))
    return names
