"""Two revisions of a repository: the base, and the working tree as it is now."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from veer.errors import InputError, UsageError
from veer.read.checkout import commit_of, git, top_level

# Where a default base is looked for, the first that there is.
DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
SUBMODULE = b"160000"  # the mode of its entry


@final
@dataclass(frozen=True)
class Revisions:
    """A base commit and what of the working tree differs from it; paths are from `top`."""

    top: Path
    base: str  # as the user calls it
    commit: str
    head: str  # the commit that is checked out; empty before the first one
    dirty: bool  # the working tree differs from `head`
    changed: frozenset[str]  # files that differ, at the base and now
    renamed: Mapping[str, str] = field(default_factory=dict)  # old paths, and what they are now
    untold: frozenset[str] = frozenset()  # submodules, of which the base is not laid out

    def may_differ(self, path: str) -> bool:
        """Whether a file, or a file below a submodule, is not known to be the same."""
        return path in self.changed or any(path.startswith(f"{s}/") for s in self.untold)


def read_revisions(where: Path, base: str) -> Revisions:
    """The base that a user names (`main`, `main...` for the common ancestor), or the usual one."""
    top = top_level(where)
    if top is None:
        raise InputError(
            f"{where.resolve().name} is in no git repository, so there is nothing to compare with"
        )
    head = _head(top)
    if not head:
        raise InputError(f"{top.name} has no commit yet, so there is nothing to compare with")
    named, commit = _base(top, base)
    statuses = list(_statuses(top, commit))
    untracked = _lines(git("ls-files", "--others", "--exclude-standard", "-z", where=top))
    changed = {path for _, paths in statuses for path in paths} | set(untracked)
    changed |= set(_not_looked_at(top))
    return Revisions(
        top=top,
        base=named,
        commit=commit,
        head=head,
        dirty=bool(git("status", "--porcelain", "-z", where=top)),
        changed=frozenset(changed),
        renamed={paths[0]: paths[1] for status, paths in statuses if status.startswith("R")},
        untold=frozenset(_submodules(top)),
    )


def require_own_cache(where: Path, folder: Path | None) -> None:
    """Refuse a cache whose files are part of the repository: who changes jobs could write answers."""
    top = top_level(where)
    if folder is None or top is None or not folder.resolve().is_relative_to(top.resolve()):
        return
    if git("ls-files", "--", str(folder.resolve()), where=top):
        raise UsageError(f"--cache {folder}: files of the repository are in it")


def _head(top: Path) -> str:
    try:
        return commit_of("HEAD", top)
    except InputError:
        return ""


def _base(top: Path, base: str) -> tuple[str, str]:
    """The name and the commit of the base."""
    if base.endswith("..."):
        return base, _common_ancestor(top, base.removesuffix("..."))
    if base:
        return base, _known(top, base)
    for branch in DEFAULT_BRANCHES:
        try:
            commit_of(branch, top)
        except InputError:
            continue
        return f"{branch}...", _common_ancestor(top, branch)
    raise InputError(f"{top.name} has no branch {', '.join(DEFAULT_BRANCHES)}: give --base")


def _known(top: Path, revision: str) -> str:
    try:
        return commit_of(revision, top)
    except InputError as error:
        raise InputError(f"{error}{_shallow(top)}") from None


def _common_ancestor(top: Path, revision: str) -> str:
    commit = _known(top, revision)
    try:
        return git("merge-base", "HEAD", commit, where=top).decode().strip()
    except InputError:
        raise InputError(
            f"{revision!r} and HEAD have no commit in common here{_shallow(top)}"
        ) from None


def _shallow(top: Path) -> str:
    """What to do where the history is cut off."""
    if git("rev-parse", "--is-shallow-repository", where=top).strip() != b"true":
        return ""
    return (
        "; this is a shallow clone: fetch more of it (`git fetch --unshallow`, or fetch-depth: 0)"
    )


def _statuses(top: Path, commit: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What git says of files that differ: a letter, and one path or two."""
    words = ("diff", "--name-status", "--find-renames", "-z", "--ignore-submodules=none", commit)
    parts = iter(_lines(git(*words, "--", where=top)))
    for status in parts:
        yield status, (next(parts), next(parts)) if status[0] in "RC" else (next(parts),)


def _not_looked_at(top: Path) -> Iterator[str]:
    """Files that git is told not to look at: --skip-worktree, --assume-unchanged."""
    for line in _lines(git("ls-files", "-v", "-z", where=top)):
        if line[0] == "S" or line[0].islower():
            yield line[2:]


def _submodules(top: Path) -> Iterator[str]:
    for line in git("ls-files", "--stage", "-z", where=top).split(b"\0"):
        if line.startswith(SUBMODULE):
            yield os.fsdecode(line.partition(b"\t")[2])


def _lines(text: bytes) -> list[str]:
    return [os.fsdecode(part) for part in text.split(b"\0") if part]
