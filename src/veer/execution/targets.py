"""Results outside of the store: Veer writes them only where it cannot overwrite the data of others.

A target is checked before the run and again when it is replaced. What is written there bears a mark
with the checksum of every file; a folder that is not exactly as its mark says belongs to somebody
else. The new folder is made aside, then both change places: a process that is killed at any moment
leaves the old one or the new one whole.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import fnmatch
import glob
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any, final
from uuid import uuid4

from veer.errors import InputError
from veer.execution.store.files import checksum
from veer.ir.digests import text_digest

MARK = "_veer.json"
FORMAT = 1
LONGEST = 120  # bytes of the name of a file; some are needed for what is made beside it
PATTERN = re.compile(r"[*?\[\]{}\\]")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
EXCHANGE = 2  # of renameat2(2): both paths change places at once


@final
@dataclass(frozen=True)
class Target:
    """A folder that a sink is written to: its real path, and how it was named."""

    path: Path
    shown: str
    is_asked: bool  # on the command line, not by the version itself


@final
@dataclass(frozen=True)
class Rules:
    """Where results may be written."""

    overwrite: bool = False  # data of others, too
    anywhere: bool = False  # versions may name targets outside of the project
    project: tuple[Path, ...] = ()
    sources: tuple[str, ...] = ()  # patterns of what the run reads
    needed: tuple[Path, ...] = ()  # never replaced: what the run is made of
    store: tuple[Path, ...] = ()  # never written into

    def check(self, targets: Sequence[Target]) -> None:
        """Refuse targets that would destroy data, before anything is written."""
        for target in targets:
            self._check_place(target)
            self._check_sources(target)
            self.check_owner(target)
        for i, one in enumerate(targets):
            for other in targets[i + 1 :]:
                if path_relation(one.path, other.path) is not None:
                    raise InputError(
                        f"two sinks are written to one place: {one.shown} and {other.shown}"
                    )

    def _check_place(self, target: Target) -> None:
        """Refuse a target outside of the project, over what the run needs, or in the store."""
        allowed = self.anywhere or target.is_asked
        if not allowed and not any(
            path_relation(target.path, p) is PathRelation.INSIDE for p in self.project
        ):
            where = " or ".join(str(p) for p in self.project) or "any project"
            raise InputError(
                f"the target {target.shown} is not inside of {where}; "
                "--trust-targets lets a version write elsewhere"
            )
        for path in self.needed:
            if path_relation(target.path, path) in (PathRelation.SAME, PathRelation.ABOVE):
                raise InputError(f"the target {target.shown} would replace {path}")
        for path in self.store:
            if path_relation(target.path, path) is not None:
                raise InputError(f"the target {target.shown} contains or lies in the store {path}")

    def _check_sources(self, target: Target) -> None:
        """A source of the run is never written over, whatever is allowed."""
        for pattern in self.sources:
            if _may_match(pattern, target.path) or any(
                path_relation(target.path, place) is not None for place in _places(pattern)
            ):
                raise InputError(
                    f"the target {target.shown} is, contains or lies in a source of the same run"
                )

    def check_owner(self, target: Target) -> None:
        """Refuse to replace data that Veer did not write, or that changed since."""
        if self.overwrite or not os.path.lexists(target.path) or _is_empty(target.path):
            return
        problem = not_ours(target.path)
        if problem is not None:
            raise InputError(f"{target.shown} exists already: {problem}; --overwrite replaces it")


# -- where a target is ---------------------------------------------------------------------------


class PathRelation(Enum):
    """How a path lies to another one."""

    SAME = auto()
    INSIDE = auto()
    ABOVE = auto()


def path_of(text: str, folder: Path) -> Path | None:
    """The real path of a target; None if it is a table, or in another file system."""
    if "\0" in text:
        raise InputError(f"the target {text!r} is not a path")
    if text.startswith("file:"):
        text = re.sub(r"^file:(//)?(?=/)", "", text)
    elif SCHEME.match(text) or not ("/" in text or text.endswith(".parquet")):
        return None
    return real(folder / text)


def real(path: Path) -> Path:
    """A path without links and steps upwards."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None


def path_relation(path: Path, other: Path) -> PathRelation | None:
    """How a path lies to another one; None if apart.

    By names, and by what the names stand for: two mounts of one folder are the same.
    """
    other = real(other)
    if path == other or _is_same(path, other):
        return PathRelation.SAME
    if other in path.parents or any(_is_same(parent, other) for parent in path.parents):
        return PathRelation.INSIDE
    if path in other.parents or any(_is_same(path, parent) for parent in other.parents):
        return PathRelation.ABOVE
    return None


def _is_same(path: Path, other: Path) -> bool:
    """Whether both paths stand for one file or folder that is there."""
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def _places(pattern: str) -> Iterator[Path]:
    """What a source is made of now, wherever links lead."""
    for root in glob.glob(pattern, include_hidden=True):
        yield real(Path(root))
        for folder, folders, names in os.walk(root, followlinks=True):
            links = (n for n in (*folders, *names) if os.path.islink(os.path.join(folder, n)))
            yield from (real(Path(folder, name)) for name in links)


def _may_match(pattern: str, path: Path) -> bool:
    """Whether a path is, contains or lies in something that a pattern finds, now or later."""
    parts = re.sub(r"\[([*?\[])\]", r"\\\1", pattern).split("/")
    pairs = zip(parts, str(path).split("/"), strict=False)
    return all(_part_matches(part, name) for part, name in pairs)


def _part_matches(part: str, name: str) -> bool:
    if re.search(r"[\[\]{}]", re.sub(r"\\.", "", part)):
        return True  # Hadoop knows more patterns than Python
    if "\\" in part:
        plain = re.sub(r"\\(.)", r"\1", part)
        return name == plain or PATTERN.search(re.sub(r"\\.", "", part)) is not None
    return fnmatch.fnmatchcase(name, part)


# -- whose a folder is ---------------------------------------------------------------------------


def _is_empty(path: Path) -> bool:
    try:
        return path.is_dir() and not path.is_symlink() and not any(path.iterdir())
    except OSError:
        return False


def not_ours(path: Path) -> str | None:
    """Why a path is not exactly what Veer wrote there; None if it is."""
    try:
        mark = _mark(path)
        if mark is None or mark["path"] != _short(str(path)):
            return "it was not written by Veer"
        expected = dict(mark["files"])
        for entry in os.scandir(path):
            if entry.name == MARK:
                continue
            if entry.name not in expected or not entry.is_file(follow_symlinks=False):
                return f"{entry.name} was added since"
            if checksum(Path(entry.path)) != expected.pop(entry.name):
                return f"{entry.name} was changed since"
    except (OSError, ValueError, TypeError, KeyError):
        return "it was not written by Veer"
    return f"{min(expected)} was removed since" if expected else None


def _mark(path: Path) -> dict[str, Any] | None:
    """What the mark of a folder says; None if it has none."""
    file = path / MARK
    if path.is_symlink() or not path.is_dir() or file.is_symlink() or not file.is_file():
        return None
    mark = json.loads(file.read_text(encoding="utf-8"))
    return mark if isinstance(mark, dict) and mark.get("veer") == FORMAT else None


def _put_mark(folder: Path, path: Path, swap: str) -> None:
    """Mark a folder as what Veer writes to a path."""
    files = {}
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if not entry.is_file(follow_symlinks=False):
            raise InputError(f"{path}: {entry.name} is not a file")
        files[entry.name] = checksum(Path(entry.path))
    mark = {"veer": FORMAT, "path": _short(str(path)), "swap": swap, "files": files}
    (folder / MARK).write_text(json.dumps(mark, indent=1), encoding="utf-8")


# -- writing -------------------------------------------------------------------------------------


def write(target: Target, rules: Rules, fill: Callable[[Path], None]) -> None:
    """Replace a target by a folder that `fill` makes; old and new are never both gone."""
    path = target.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if real(path) != path:
            raise InputError(f"{target.shown} was moved meanwhile; run again")
        recover(path)
        with _aside(path) as (aside, swap):
            fill(aside / "new")
            _put_mark(aside / "new", path, swap)
            with _locked(path.parent):
                before = _listing(path)
                rules.check([target])
                _swap(aside, path, before)
    except shutil.Error as error:
        raise InputError(f"{target.shown}: {error.args[0][0][2]}") from None
    except OSError as error:
        raise InputError(f"{target.shown}: {error.strerror or error}") from None


@contextmanager
def _aside(path: Path) -> Iterator[tuple[Path, str]]:
    """A folder beside a target, locked as long as its process lives; gone at the end."""
    swap = uuid4().hex
    aside = path.with_name(f".{path.name}.veer-{swap}")
    with _locked(path.parent):  # nobody sees it without its lock
        aside.mkdir()
        held = os.open(aside, os.O_RDONLY)
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield aside, swap
    finally:
        try:
            if not (aside / "old").exists() or _was_swapped(path, swap):
                shutil.rmtree(aside, ignore_errors=True)
        finally:
            os.close(held)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time puts something in its place."""
    held = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # where there are no locks, each step is still whole
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _swap(aside: Path, path: Path, before: list[Any]) -> None:
    """Put `aside/new` in place of a path; what was there is in `aside` afterwards.

    If that is not what it was `before`, somebody wrote there after it was looked at: it comes back.
    """
    new, old = aside / "new", aside / "old"
    if not os.path.lexists(path):
        os.rename(new, path)
        return
    if _exchange(new, path):
        if _listing(new) == before or not _exchange(new, path):
            return
        raise InputError(f"{path} changed while it was to be replaced; run again")
    os.rename(path, old)
    try:
        if _listing(old) != before:
            raise InputError(f"{path} changed while it was to be replaced; run again")
        os.rename(new, path)
    except BaseException:
        os.rename(old, path)
        raise
    os.rename(old, aside / "replaced")  # whatever comes after: it is not needed any more


def _listing(path: Path) -> list[Any]:
    """What is at a path, as far as it can be told without reading it."""
    if not path.is_dir():
        stat = os.lstat(path) if os.path.lexists(path) else None
        return [stat.st_ino, stat.st_size, stat.st_mtime_ns] if stat else []
    files = []
    for folder, _, names in os.walk(path):
        for name in names:
            stat = os.lstat(os.path.join(folder, name))
            inside = os.path.relpath(os.path.join(folder, name), path)
            files.append([inside, stat.st_ino, stat.st_size, stat.st_mtime_ns])
    return sorted(files)


def _exchange(one: Path, other: Path) -> bool:
    """Let two paths change places at once; whether the system can."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    at = -100  # paths are absolute
    if call(at, os.fsencode(one), at, os.fsencode(other), EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM):
        return False
    raise OSError(number, os.strerror(number), str(other))


def recover(path: Path) -> None:
    """Finish what a process left that was killed: the old folder comes back if no new one came."""
    beside = re.compile(rf"\.{re.escape(path.name)}\.veer-([0-9a-f]{{32}})")
    for entry in sorted(path.parent.iterdir()):
        left = beside.fullmatch(entry.name)
        if not left or entry.is_symlink() or not entry.is_dir():
            continue
        with _locked(path.parent), _if_left(entry) as is_left:
            if not is_left:
                continue
            old = entry / "old"
            if old.exists() and not os.path.lexists(path):
                os.rename(old, path)
            if not old.exists() or _was_swapped(path, left[1]):
                shutil.rmtree(entry, ignore_errors=True)


@contextmanager
def _if_left(aside: Path) -> Iterator[bool]:
    """Whether the process that made a folder aside is gone."""
    try:
        held = os.open(aside, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(held)


def _was_swapped(path: Path, swap: str) -> bool:
    """Whether the folder at a path is the one that a swap put there, by its mark."""
    try:
        mark = _mark(path)
    except (OSError, ValueError):
        return False
    return mark is not None and mark.get("swap") == swap


# -- names ---------------------------------------------------------------------------------------


def safe_name(name: str) -> str:
    """A name as the name of a file, on any system."""
    safe = re.sub(r"[^\w.-]+", "_", unicodedata.normalize("NFC", name)).strip(".")
    if RESERVED.fullmatch(safe):
        safe = f"{safe}_"
    data = safe.encode("utf-8", "ignore")
    if len(data) > LONGEST:
        kept = data[: LONGEST - 9].decode("utf-8", "ignore")
        safe = f"{kept}_{_short(name)}"
    return safe or "result"


@final
@dataclass
class Names:
    """Names of files that differ, also where capital letters do not."""

    taken: set[str] = field(default_factory=set)

    def of(self, name: str, id_: str) -> str:
        """A name for something with an id."""
        safe = safe_name(name)
        if safe.casefold() in self.taken:
            safe = safe_name(f"{safe}_{id_}")
        if safe.casefold() in self.taken:
            safe = f"{safe[:80]}_{_short(id_)}"
        self.taken.add(safe.casefold())
        return safe


def _short(text: str) -> str:
    return text_digest(text, 8)


__all__ = [
    "Names",
    "Rules",
    "Target",
    "not_ours",
    "path_of",
    "real",
    "recover",
    "safe_name",
    "write",
]
