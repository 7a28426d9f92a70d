"""A git revision checked out into a temporary folder; the working tree is not touched."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from veer.errors import InputError, UsageError

SECONDS = 120


def git(*words: str, where: Path, env: Mapping[str, str] | None = None) -> bytes:
    """What a git command prints, or an error with git's first line."""
    command = ["git", "-C", str(where), *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            timeout=SECONDS,
            env={**os.environ, **(env or {})},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"git cannot be run: {error}") from None
    if done.returncode != 0:
        first = (done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"])[0]
        raise InputError(first.removeprefix("fatal: "))
    return done.stdout


def top_level(where: Path) -> Path | None:
    """The root of the repository a directory belongs to, if it does."""
    try:
        return Path(os.fsdecode(git("rev-parse", "--show-toplevel", where=where)).rstrip("\n"))
    except InputError:
        return None


def commit_of(revision: str, top: Path) -> str:
    """The commit that a revision names, in full."""
    # Git would take it for an option.
    if revision.startswith("-"):
        raise UsageError(f"{revision!r} is not a revision")
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        return git(*words, where=top).decode().strip()
    except InputError:
        raise InputError(f"there is no revision {revision!r} in {top.name}") from None


_SHARED: dict[tuple[str, Path], Path] = {}  # checkouts that are there for all who ask meanwhile


@contextmanager
def shared_checkout(commit: str, top: Path) -> Iterator[Path]:
    """The files of a commit, laid out once for everything that is read of it meanwhile."""
    with checked_out(commit, top) as root:
        _SHARED[commit, top.resolve()] = root
        try:
            yield root
        finally:
            del _SHARED[commit, top.resolve()]


@contextmanager
def checked_out(revision: str, top: Path) -> Iterator[Path]:
    """The files of a revision in a directory of their own, gone afterwards.

    An index of its own is used: neither the working tree nor the user's index changes.
    """
    if (revision, top.resolve()) in _SHARED:
        yield _SHARED[revision, top.resolve()]
        return
    commit_of(revision, top)
    with tempfile.TemporaryDirectory(prefix="veer-") as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        root = Path(folder) / "tree"
        root.mkdir()
        git("read-tree", f"{revision}^{{commit}}", where=top, env=env)
        git("checkout-index", "--all", "--quiet", f"--prefix={root}/", where=top, env=env)
        yield root
