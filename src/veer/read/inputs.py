"""A version as the user names it, before it is known what the file or folder contains.

An `Input` is read in the same way from the working tree and at a git revision, which is never
checked out over the user's files.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, ParseError, UsageError
from veer.options import JvmUse
from veer.read.checkout import checked_out, git, top_level
from veer.verdict import SourceLocation

# -- facts about Python functions that a user declares and Veer cannot check; a proof that uses one lists it


@final
@dataclass(frozen=True)
class Declarations:
    """Functions of batches that give each row its value whatever the others are; packages that are pure."""

    row_wise: frozenset[str] = frozenset()  # by name: `score`, or `jobs.scoring.score`
    trusted_packages: frozenset[str] = frozenset()

    def is_row_wise(self, function: Any, name: str) -> bool:
        """Whether a function of batches is declared to work row by row."""
        own = getattr(function, "__qualname__", ""), getattr(function, "__name__", "")
        module = getattr(function, "__module__", "")
        full = {f"{module}.{each}" for each in own if each}
        return not self.row_wise.isdisjoint({name, *own, *full} - {""})

    def trusted(self, module: str | None) -> str:
        """The trusted package that a module belongs to; empty if there is none."""
        parts = (module or "").split(".")
        names = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
        return next((name for name in names if name in self.trusted_packages), "")


NOTHING = Declarations()
_CURRENT: ContextVar[Declarations] = ContextVar("declarations", default=NOTHING)


def declarations() -> Declarations:
    """What is declared for what is read now."""
    return _CURRENT.get()


@contextmanager
def declaring(given: Declarations) -> Iterator[None]:
    """Read with declarations in force."""
    before = _CURRENT.set(given)
    try:
        yield
    finally:
        _CURRENT.reset(before)


MAX_BYTES = 64_000_000


@final
@dataclass(frozen=True)
class Input:
    """A parsed SPEC: a path, at a git revision unless that is empty, and a function in the file.

    `name` is what the user wrote, for messages and reports.
    """

    name: str
    path: str
    revision: str = ""
    function: str = ""
    dataset: str = ""  # of a pipeline, that the function defines

    @property
    def suffix(self) -> str:
        """How the name of the file ends, in lower case: `.sql`."""
        return Path(self.path).suffix.lower()

    @property
    def exists(self) -> bool:
        """Whether there is such a file or folder."""
        return bool(self._git_type()) if self.revision else Path(self.path).exists()

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self._git_type() == "tree" if self.revision else Path(self.path).is_dir()

    def entries(self) -> tuple[str, ...]:
        """The names of what is directly inside of a folder, sorted; none for a file."""
        if not self.is_folder:
            return ()
        if not self.revision:
            return tuple(sorted(os.listdir(self.path)))
        listed = self._git("ls-tree", "--name-only", "-z", self._object())
        return tuple(sorted(os.fsdecode(name) for name in listed.split(b"\0") if name))

    def read_bytes(self, inner: str = "") -> bytes:
        """The content of the file; of a folder, that of the file at the path `inner` inside."""
        if self.revision:
            return self._git("show", self._object(inner))
        file = Path(self.path) / inner if inner else Path(self.path)
        try:
            size = file.stat().st_size
            # Asked before reading, so that a huge file cannot fill the memory.
            if size > MAX_BYTES:
                raise ParseError(f"{size:,} bytes; at most {MAX_BYTES:,} are read")
            return file.read_bytes()
        except OSError as error:
            raise InputError(error.strerror or str(error)) from None

    def read_text(self, inner: str = "") -> str:
        """The content as text, which must be UTF-8."""
        try:
            return self.read_bytes(inner).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ParseError(f"not UTF-8 text (byte {error.start})") from None

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """A path at which the file or folder is, with all files around it of the same revision.

        For readers that need more than bytes: an archive library, a module that imports others.
        """
        file = Path(self.path).absolute()
        if not self.revision:
            yield file
            return
        top = top_level(next(p for p in file.parents if p.is_dir()))
        if top is None:
            raise InputError(f"no git repository, so there is no revision {self.revision!r}")
        with checked_out(self.revision, top) as root:
            yield root / os.path.relpath(file.parent.resolve() / file.name, top.resolve())

    def _object(self, inner: str = "") -> str:
        """The name git has for the file, from the folder that `_git` runs in."""
        path = Path(self.path)
        inside = path.name if path.parent.exists() else self.path
        return f"{self.revision}:./{inside}{'/' if inner else ''}{inner}"

    def _git(self, *words: str) -> bytes:
        # Git would take it for an option.
        if self.revision.startswith("-"):
            raise UsageError(f"{self.revision!r} is not a revision")
        parent = Path(self.path).parent
        return git(*words, where=parent if parent.exists() else Path("."))

    def _git_type(self) -> str:
        """`blob` for a file of the revision, `tree` for a folder, nothing if there is neither."""
        try:
            return self._git("cat-file", "-t", self._object()).decode().strip()
        except InputError:
            return ""


@final
@dataclass(frozen=True)
class ReadOptions:
    """What a user gives beside the SPEC."""

    schema: str = ""  # CREATE TABLE statements, or the path of a file with them
    args: Sequence[str] = ()  # NAME=VALUE, of a function
    store: str = ""  # where stored versions are
    jvm: JvmUse = JvmUse.AUTO  # whether PySpark functions may be read by a JVM
    note: Callable[[str], None] = lambda _: None  # is told what the user should know
    conf: Sequence[tuple[str, str]] = ()  # settings of the session that would run it
    spark: str = ""  # the Spark that would run it; the installed one, or the newest, by default
    declared: Declarations = NOTHING  # of Python functions
    env: Sequence[str] = ()  # NAME=VALUE, of the environment; NAME where it is not set

    def ddl(self) -> str:
        """The CREATE TABLE statements of `schema`."""
        if re.search(r"\bcreate\b", self.schema, re.IGNORECASE) or not self.schema:
            return self.schema
        try:
            return Input(self.schema, self.schema).read_text()
        except InputError as error:
            raise type(error)(f"{self.schema}: {error}") from None


def parse_spec(text: str, revision: str = "") -> Input:
    """Split a SPEC into revision, path and function; `revision` is one given beside it.

    Read from the right: `:function` after `.py`, then the path, then a revision.
    """
    rest, function = text, ""
    job = re.fullmatch(r"(.*\.py):([A-Za-z_][A-Za-z_0-9.]*)", rest)
    if job:
        rest, function = job[1], job[2]
    if Path(rest).exists() or ":" not in rest:
        own_revision, path = "", rest
    else:
        own_revision, path = rest.rsplit(":", 1)
        if not own_revision or not path:
            raise UsageError(f"{text!r} is neither a file nor REVISION:FILE")
    if revision:
        return Input(f"{revision}:{text}", path, revision, function)
    return Input(text, path, own_revision, function)


# -- the place of a version: its file, relative to the root of the repository, and the line of a function

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def place_of(path: str, function: str = "", text: str = "") -> SourceLocation:
    """The place of a file, or of a function in the file's text."""
    file = Path(path).absolute()
    folder = next(p for p in file.parents if p.is_dir())
    top = top_level(folder)
    shown = Path(os.path.relpath(file.resolve(), top.resolve() if top else Path.cwd().resolve()))
    line = line_of(function, text) if function else 0
    root = "" if top else f"{shown.parent.as_posix()}/".removeprefix("./")
    return SourceLocation(shown.as_posix(), line, root)


def line_of(function: str, text: str) -> int:
    """The line of `def name` or `class name`, dotted for what is inside; 0 if it is not there."""
    try:
        inside = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    line = 0
    for name in function.split("."):
        named = [n for n in inside if isinstance(n, FUNCTIONS) and n.name == name]
        if not named:
            return 0
        line, inside = named[-1].lineno, named[-1].body
    return line
