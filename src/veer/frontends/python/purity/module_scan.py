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
from typing import Any, NamedTuple, TypeAlias, final

from veer.frontends.python.purity import allow_list

READING = (allow_list.GIVES_SCALAR | allow_list.GIVES_NEW | allow_list.GIVES_ITEMS) - {"partition"}
LOOKING = frozenset(
    ["len", "sum", "any", "all", "bool", "isinstance", "str", "repr", "print", "int", "float"]
)
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
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.While, ast.AsyncFor)


class Step(Enum):
    """A step from a value to another that is no attribute."""

    CALL = auto()  # to what a function gives
    ITEM = auto()  # to what a collection holds


class Names(Enum):
    """Several names at once."""

    ALL = auto()  # of a module


class Change(Enum):
    """What a use does to what it uses."""

    NONE = auto()  # it is only read
    POSSIBLE = auto()  # it is handed on: whoever uses it has to be looked at
    CERTAIN = auto()


Path: TypeAlias = tuple[str | Step, ...]  # a name, then attributes, calls and items


class Imported(NamedTuple):
    """Where an imported name comes from; `name` is empty for a whole module."""

    module: str
    name: str
    level: int


@final
@dataclass(frozen=True)
class Use:
    """A use of a name with its attributes by a function that may change it.

    `certain` says that it is changed; otherwise the function has to be looked at. `method` is set
    where the first parameter is an object of a class.
    """

    path: Path
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
        self.rebound: set[str | Names] = set()
        self.top_level: list[tuple[str, int]] = []
        self.imports: dict[str, Imported] = {}
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
                module = alias.name if alias.asname else top
                self.imports[alias.asname or top] = Imported(module, "", 0)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self.star_imports.append((node.module or "", node.level))
                origin = Imported(node.module or "", alias.name, node.level)
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
            self.rebound.add(Names.ALL)
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
        path, change = self._use(node)
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
            self.uses.append(Use(path, certain, owner, len(within) > 1))
        elif distance > 0:
            self.cells.append(Use(path, certain, self._nested(node), False, owner))
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
            self.uses.append(Use((*within[:-1], *path[1:]), True, owner, True))

    def _class_of(self, node: ast.AST, within: tuple[str, ...], owner: ast.AST) -> None:
        """`type(self).n = 1` and `self.__class__.n = 1`."""
        if isinstance(node, ast.Attribute) and node.attr != "__class__":
            return
        _, change = self._climb(node, ())
        if change is Change.CERTAIN and len(within) > 1:
            self.uses.append(Use(within[:-1], True, owner, True))

    def _use(self, node: ast.Name) -> tuple[Path, Change]:
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
                    method = self._is_called(parent)
                    if attr == "__dict__":
                        return path, Change.CERTAIN
                    if not isinstance(parent.ctx, ast.Load):
                        return (path if inside else (*path, attr)), Change.CERTAIN
                    if method and attr in allow_list.MUTATING:
                        return path, Change.CERTAIN
                    if method:
                        return path, Change.NONE if attr in READING else Change.POSSIBLE
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
                case _:
                    # Anything else hands the value on, by a name or into something.
                    looked_at = isinstance(parent, LOOKED_AT)
                    return path, Change.NONE if looked_at else Change.POSSIBLE
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
