"""A git revision laid out beside the working tree, which is not touched."""

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


@contextmanager
def checked_out(revision: str, top: Path) -> Iterator[Path]:
    """The files of a revision in a directory of their own, gone afterwards.

    An index of its own is used: neither the working tree nor the user's index changes.
    """
    # Git would take it for an option.
    if revision.startswith("-"):
        raise UsageError(f"{revision!r} is no revision")
    try:
        git(
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{revision}^{{commit}}",
            where=top,
        )
    except InputError:
        raise InputError(f"there is no revision {revision!r} in {top.name}") from None
    with tempfile.TemporaryDirectory(prefix="veer-") as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        root = Path(folder) / "tree"
        root.mkdir()
        git("read-tree", f"{revision}^{{commit}}", where=top, env=env)
        git("checkout-index", "--all", "--quiet", f"--prefix={root}/", where=top, env=env)
        yield root
