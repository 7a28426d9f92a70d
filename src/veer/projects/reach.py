"""What of a repository decides what a job computes: files it imports, data it may look at.

A job none of whose files differ between two revisions is the same job. So whatever cannot be told by
reading the code makes the job depend on everything: modules that are neither of the project nor known
to leave its files alone, `open`, `importlib`. That costs a look at the job, never a wrong answer.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import final

from veer.ir.ops import Source
from veer.projects.lineage import Place, read_places, source_texts

# Modules that look at no file of a project by themselves.
KNOWN_MODULES = frozenset(
    [
        "__future__",
        "abc",
        "argparse",
        "bisect",
        "calendar",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "delta",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "json",
        "logging",
        "math",
        "numbers",
        "operator",
        "pyspark",
        "random",
        "re",
        "statistics",
        "string",
        "textwrap",
        "time",
        "types",
        "typing",
        "typing_extensions",
        "unicodedata",
        "uuid",
        "warnings",
        "zoneinfo",
    ]
)
# Of these modules only what is named here.
KNOWN_MEMBERS = {
    "os": frozenset(
        ["environ", "getenv", "path.join", "path.basename", "path.dirname", "path.splitext", "sep"]
    ),
    "sys": frozenset(["argv", "exit", "stdout", "stderr", "version", "version_info", "maxsize"]),
    "pandas": frozenset(
        [
            "DataFrame",
            "NA",
            "NaT",
            "Series",
            "Timedelta",
            "Timestamp",
            "concat",
            "isna",
            "isnull",
            "merge",
            "notna",
            "notnull",
            "to_datetime",
            "to_numeric",
        ]
    ),
    "numpy": frozenset(
        [
            "abs",
            "arange",
            "array",
            "ceil",
            "clip",
            "exp",
            "float64",
            "floor",
            "int64",
            "isnan",
            "log",
            "log10",
            "log1p",
            "maximum",
            "mean",
            "minimum",
            "nan",
            "ndarray",
            "ones",
            "round",
            "sqrt",
            "std",
            "sum",
            "where",
            "zeros",
        ]
    ),
}
# Inside of modules that are known: what reads or imports more than the code says.
UNKNOWN_PARTS = (
    "logging.config",
    "logging.handlers",
    "pyspark.pandas",
    "pyspark.ml",
    "pyspark.mllib",
)
# Builtins that reach what the code does not name.
UNKNOWN_NAMES = frozenset(
    [
        "__builtins__",
        "__import__",
        "__loader__",
        "__spec__",
        "breakpoint",
        "compile",
        "eval",
        "exec",
        "globals",
        "input",
        "locals",
        "open",
        "vars",
    ]
)
# Files that hold no data whose columns a reader of Spark's could be told by.
NO_DATA = frozenset(
    [
        ".cfg",
        ".ini",
        ".ipynb",
        ".lock",
        ".md",
        ".py",
        ".pyi",
        ".rst",
        ".sh",
        ".sql",
        ".toml",
        ".yaml",
        ".yml",
    ]
)
# Members of known modules and of sessions that read files, or bring modules along.
UNKNOWN_MEMBERS = frozenset(
    [
        "FileType",
        "SparkFiles",
        "addArchive",
        "addArtifact",
        "addArtifacts",
        "addFile",
        "addPyFile",
        "fromfile_prefix_chars",
        "modules",
        "path_hooks",
    ]
)
# Modules that are members of other modules: `logging.os`.
MODULE_NAMES = (
    frozenset(sys.stdlib_module_names) - KNOWN_MODULES - {"path", "signal", "code", "token"}
)
WRITERS = frozenset(
    [
        "saveAsTable",
        "insertInto",
        "writeTo",
        "save",
        "parquet",
        "orc",
        "csv",
        "json",
        "text",
        "jdbc",
        "format",
    ]
)
MOST_BYTES = 4_000_000  # of a module that is looked at


@final
@dataclass(frozen=True)
class Reach:
    """The files that decide what a job computes, from the root of its tree.

    With `data` also every file that may hold data, with `anything` every file there is; `why` says
    what in the code makes it so.
    """

    files: frozenset[str]
    data: bool = False
    anything: bool = False
    why: str = ""

    def covers(self, path: str) -> bool:
        """Whether a file may decide what the job computes."""
        if self.anything or path in self.files:
            return True
        return self.data and PurePosixPath(path).suffix.lower() not in NO_DATA


@cache
def reach_of_function(root: Path, file: Path) -> Reach:
    """The reach of the functions of a module in a tree."""
    return _Imports(root, file).reach()


def reach_of_file(root: Path, file: Path) -> Reach:
    """The reach of a file that names no others."""
    inside = _inside(root, file)
    if _is_linked(root, file):
        return Reach(frozenset([inside]), anything=True, why=f"{inside} is a link")
    return Reach(frozenset([inside]))


def _is_linked(root: Path, file: Path) -> bool:
    """Whether a link stands on the way to a file."""
    return os.path.realpath(file) != os.path.join(
        os.path.realpath(root), os.path.relpath(file, root)
    )


@cache
def computes_targets(file: Path) -> bool:
    """Whether a module writes to a place whose name does not stand in it as one text."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr in WRITERS
        and not all(
            isinstance(a, ast.Constant) for a in (*call.args, *(k.value for k in call.keywords))
        )
        for call in calls
    )


ANYTHING = Reach(frozenset(), anything=True, why="it may name any other file")


def _inside(root: Path, file: Path) -> str:
    return PurePosixPath(os.path.relpath(file, root)).as_posix()


class _Imports:
    """Follows imports from one module, through the folders that loading looks into."""

    def __init__(self, root: Path, file: Path) -> None:
        self.root = root
        base = file.parent
        while (base / "__init__.py").exists() and base != root:
            base = base.parent
        self.folders = list(dict.fromkeys([base, root, root / "src", file.parent]))
        self.files: dict[Path, None] = {}
        self.waiting = [file]
        self.why = ""

    def reach(self) -> Reach:
        """All modules of the tree that are imported, directly or not."""
        while self.waiting:
            file = self.waiting.pop()
            if file not in self.files:
                self.files[file] = None
                self._follow(file)
        files = frozenset(_inside(self.root, f) for f in self.files)
        return Reach(files, data=True, anything=bool(self.why), why=self.why)

    def _follow(self, file: Path) -> None:
        try:
            if _is_linked(self.root, file) or file.stat().st_size > MOST_BYTES:
                self._cannot_tell(file, 0, "is a link, or very large")
                return
            tree = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            self._cannot_tell(file, 0, "is not Python")
            return
        # Importing a module runs the packages around it.
        for folder in file.parents:
            if folder == self.root.parent:
                break
            if (folder / "__init__.py").is_file():
                self.waiting.append(folder / "__init__.py")
        aliases: dict[str, str] = {}  # what names stand for modules of which only parts are known
        for node in ast.walk(tree):
            match node:
                case ast.Import(names=names):
                    for name in names:
                        self._import(file, node.lineno, name.name)
                        top = name.name.partition(".")[0]
                        if top in KNOWN_MEMBERS and not self._in_tree(top):
                            known = name.asname or top
                            aliases[known] = name.name if name.asname else top
                case ast.ImportFrom():
                    self._import_from(file, node)
                case _:
                    pass
        for line, what in _unknown_uses(tree, aliases):
            self._cannot_tell(file, line, what)

    def _import_from(self, file: Path, node: ast.ImportFrom) -> None:
        if node.level:
            package = file.parent
            for _ in range(node.level - 1):
                package = package.parent
            self._module(package, (node.module or "").split(".") if node.module else [])
            for name in node.names:
                parts = [*(node.module.split(".") if node.module else []), name.name]
                self._module(package, parts)
            return
        module = node.module or ""
        top = module.partition(".")[0]
        self._import(file, node.lineno, module)
        for name in node.names:
            if self._in_tree(top):
                for folder in self.folders:
                    self._module(folder, [*module.split("."), name.name])
            elif top in KNOWN_MEMBERS:
                inner = ".".join([*module.split(".")[1:], name.name])
                if inner not in KNOWN_MEMBERS[top]:
                    self._cannot_tell(file, node.lineno, f"uses {top}.{inner}")
            elif f"{module}.{name.name}".startswith(UNKNOWN_PARTS) or name.name in MODULE_NAMES:
                self._cannot_tell(file, node.lineno, f"imports {module}.{name.name}")

    def _import(self, file: Path, line: int, module: str) -> None:
        """An import by its full name: from the tree, or of a module that is known."""
        top = module.partition(".")[0]
        if self._in_tree(top):
            for folder in self.folders:
                self._module(folder, module.split("."))
        elif top not in KNOWN_MODULES | KNOWN_MEMBERS.keys() or module.startswith(UNKNOWN_PARTS):
            self._cannot_tell(file, line, f"imports {module}")

    def _in_tree(self, top: str) -> bool:
        """Whether a folder or a module of the tree is called like this."""
        return any((f / top).is_dir() or (f / f"{top}.py").is_file() for f in self.folders)

    def _module(self, folder: Path, parts: list[str]) -> None:
        """The files that importing a dotted name below a folder runs."""
        for i, part in enumerate(parts, 1):
            inner = folder.joinpath(*parts[:i])
            for file in (inner / "__init__.py", inner.with_name(f"{part}.py")):
                if file.is_file():
                    self.waiting.append(file)
            if part == "*":  # a package may list modules that this imports
                self.waiting += [*inner.parent.glob("*.py"), *inner.parent.glob("*/__init__.py")]
                compiled = (
                    f for f in inner.parent.glob("*.*") if f.suffix in (".so", ".pyd", ".pyc")
                )
                self.files |= dict.fromkeys(compiled)
            elif inner.parent.is_dir():  # modules that are compiled
                others = (f for f in inner.parent.glob(f"{part}.*") if f.suffix != ".py")
                self.files |= dict.fromkeys(others)
        if (folder / "__init__.py").is_file():
            self.waiting.append(folder / "__init__.py")

    def _cannot_tell(self, file: Path, line: int, what: str) -> None:
        where = f"{_inside(self.root, file)}:{line}" if line else _inside(self.root, file)
        self.why = self.why or f"{where} {what}"


def _unknown_uses(tree: ast.Module, aliases: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Uses of names by which code reaches what it does not import."""
    inside_of_chains: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            inside_of_chains.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in UNKNOWN_NAMES:
            yield node.lineno, f"uses {node.id}"
        elif isinstance(node, ast.Name) and node.id in aliases and node not in inside_of_chains:
            yield node.lineno, f"passes {node.id} on"
        elif isinstance(node, ast.Attribute) and node not in inside_of_chains:
            yield from _unknown_member(node, aliases)
        elif isinstance(node, ast.Attribute) and node.attr in ("__globals__", "__builtins__"):
            yield node.lineno, f"uses {node.attr}"
    modules = _module_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in UNKNOWN_MEMBERS:
            yield node.lineno, f"uses {node.attr}"
        elif isinstance(node, ast.Attribute) and node.attr in MODULE_NAMES:
            if ast.unparse(node.value).partition(".")[0] in modules - aliases.keys():
                yield node.lineno, f"uses {ast.unparse(node)}"
        elif isinstance(node, ast.keyword) and node.arg in UNKNOWN_MEMBERS:
            yield node.value.lineno, f"uses {node.arg}"
        elif isinstance(node, ast.alias) and node.name in UNKNOWN_MEMBERS:
            yield node.lineno, f"imports {node.name}"


def _module_names(tree: ast.Module) -> set[str]:
    """What names stand for modules, or may: everything that is imported."""
    imports = (n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom))
    return {(name.asname or name.name).partition(".")[0] for n in imports for name in n.names}


def _unknown_member(node: ast.Attribute, aliases: dict[str, str]) -> Iterator[tuple[int, str]]:
    """A chain such as `os.path.exists` of a module that is not completely known."""
    chain: list[str] = []
    value: ast.expr = node
    while isinstance(value, ast.Attribute):
        chain.insert(0, value.attr)
        value = value.value
    if not isinstance(value, ast.Name) or value.id not in aliases:
        if any(part in ("__globals__", "__builtins__") for part in chain):
            yield node.lineno, f"uses {'.'.join(chain)}"
        return
    module, *inner = aliases[value.id].split(".")
    parts = [*inner, *chain]
    known = KNOWN_MEMBERS[module]
    if not any(".".join(parts[:i]) in known for i in range(1, len(parts) + 1)):
        yield node.lineno, f"uses {module}.{'.'.join(parts)}"


# -- operators whose rows may differ from before: those that changed, and those that may have ----


@final
@dataclass(frozen=True)
class Changes:
    """What differs between two revisions beside jobs."""

    files: tuple[str, ...] = ()  # that jobs may read by their paths
    tables: tuple[str, ...] = ()  # that are declared otherwise
    suspects: Mapping[str, Callable[[str], bool]] = field(
        default_factory=dict
    )  # code that is no job


@final
class Affected:
    """Places whose rows may be others than before."""

    def __init__(self) -> None:
        self.targets: dict[Place, str] = {}
        self.files: dict[Place, str] = {}  # of the repository, that may be read by their paths
        self.suspects: dict[str, Callable[[str], bool]] = {}  # jobs that may write anything

    def __bool__(self) -> bool:
        return bool(self.targets or self.files or self.suspects)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.targets) + len(self.files) + len(self.suspects)

    def add(self, *targets: str) -> None:
        """Count targets among them."""
        self.targets |= {Place.of(t): t for t in targets if t}

    def among(self, table: str) -> list[str]:
        """Those that a table or path may be."""
        place = Place.of(table)
        unseen = [n for n, may in self.suspects.items() if may(table)]
        return sorted([*(t for a, t in self.targets.items() if a.may_hold(place)), *unseen])

    def add_files(self, paths: Iterable[str]) -> None:
        """Count files among them, which are read by their paths alone."""
        self.files |= {Place.of(f"./{path}"): path for path in paths}

    def read_by(self, source: Source) -> list[str]:
        """Those a source may read."""
        places = read_places(source)
        unseen = [n for n, may in self.suspects.items() if any(map(may, source_texts(source)))]
        if places is None:
            return sorted([*self.targets.values(), *self.files.values(), *self.suspects])
        found = [t for a, t in self.targets.items() if any(a.may_hold(p) for p in places)]
        found += [t for a, t in self.files.items() if any(p.may_be_file(a) for p in places)]
        return sorted([*found, *unseen])
