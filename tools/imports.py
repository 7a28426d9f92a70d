"""Which module of Veer imports which: read from the source, nothing is run.

Seen are `import` and `from` wherever they stand (in functions and under TYPE_CHECKING too), calls
of `import_module` and `__import__` with a name, and texts that name a module of Veer, as in tables
of what is imported later: `"veer.prove.verifiers.spes:Spes"`, `{"run": "veer.execution.live"}`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "veer"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Packages of a package that are rooms of their own.
INNER_ROOMS = frozenset(
    f"{outer}.{inner}"
    for outer, several in {
        "prove": ("solver", "algebra", "verifiers"),
        "verification": ("versions", "proof", "search", "view"),
        "show": ("page",),
    }.items()
    for inner in several
)
NAMED = re.compile(r"^(veer(?:\.\w+)+)(?::\w+)?$")


@dataclass(frozen=True)
class Import:
    """One module naming another."""

    module: str  # dotted name of the module that imports
    target: str  # dotted name of what it imports: a module, or a package outside of Veer
    line: int
    inside: bool = False  # in a function: done when it is called
    typing: bool = False  # under TYPE_CHECKING: never done when running
    text: bool = False  # by a text that names it

    @property
    def package(self) -> str:
        """The room of the importing module."""
        return room(self.module)

    @property
    def imported(self) -> str:
        """The room of what is imported; the top package for what is not of Veer."""
        return room(self.target)


def room(module: str) -> str:
    """The room of a module of Veer; the top package of a module outside of it."""
    parts = module.split(".")
    if parts[0] != "veer" or len(parts) == 1:
        return parts[0]
    inner = ".".join(parts[1:3])
    return inner if inner in INNER_ROOMS else parts[1]


@cache
def module_files(source: Path = SOURCE) -> dict[str, Path]:
    """Every module below a package's folder, by dotted name."""
    names = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        names[".".join(parts).removesuffix(".__init__")] = path
    return names


@cache
def all_imports(source: Path = SOURCE) -> tuple[Import, ...]:
    """Every import of every module."""
    modules = module_files(source)
    return tuple(
        imported
        for module, path in modules.items()
        for imported in imports_of(module, path.read_text(encoding="utf-8"), frozenset(modules))
    )


def imports_of(module: str, text: str, modules: frozenset[str]) -> Iterator[Import]:
    """The imports of one module; `modules` tells which names in Veer are modules."""
    waiting: list[tuple[ast.AST, bool, bool]] = [(ast.parse(text), False, False)]
    while waiting:
        node, inside, typing = waiting.pop()
        for target, by_text in _targets(node, modules):
            if target != module:
                yield Import(module, target, getattr(node, "lineno", 0), inside, typing, by_text)
        inside = inside or isinstance(node, FUNCTIONS)
        checked = node.body if isinstance(node, ast.If) and _is_type_checking(node) else ()
        for child in ast.iter_child_nodes(node):
            waiting.append((child, inside, typing or child in checked))


def _targets(node: ast.AST, modules: frozenset[str]) -> Iterator[tuple[str, bool]]:
    match node:
        case ast.Import(names=names):
            yield from ((alias.name, False) for alias in names)
        case ast.ImportFrom(level=level) if level:
            raise ValueError(f"line {node.lineno}: a relative import")
        case ast.ImportFrom(module=str(module), names=names):
            # `from veer.ir import ops` names the module `veer.ir.ops`, if there is one
            for alias in names:
                whole = f"{module}.{alias.name}"
                yield (whole if whole in modules or module == "veer" else module), False
        case ast.Constant(value=str(value)) if (named := NAMED.match(value)) is not None:
            yield _module(named[1], modules), True
        case ast.Call(func=func, args=[ast.Constant(value=str(value)), *_]) if _imports(func):
            yield value, True
        case ast.Call(
            func=func, args=[ast.JoinedStr(values=[ast.Constant(value=str(value)), *_]), *_]
        ):
            # import_module(f"veer.evs.{name}"): the package before the part that is computed
            if _imports(func) and value.startswith("veer."):
                yield _module(value.rstrip("."), modules), True
        case _:
            return


def _imports(func: ast.expr) -> bool:
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name in ("import_module", "__import__", "find_spec")


def _module(name: str, modules: frozenset[str]) -> str:
    """The longest part of a dotted name that is a module."""
    while name not in modules and "." in name:
        name = name.rpartition(".")[0]
    return name


def _is_type_checking(node: ast.If) -> bool:
    """Whether only a type checker sees the body."""
    return "TYPE_CHECKING" in ast.unparse(node.test)
