"""A PostgreSQL server for the tests, in a folder of its own, gone when they end."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

INSTALLING = 240  # seconds
STARTING = 60
SETTINGS = "fsync=off synchronous_commit=off full_page_writes=off shared_buffers=32MB"


@contextmanager
def server() -> Iterator[Path]:
    """The folder of the socket of a running server; a skip with the reason if there is none."""
    programs = _programs()
    as_user, user = _somebody()
    root = Path(tempfile.mkdtemp(prefix="veer-pg-"))
    try:
        if as_user:
            shutil.chown(root, user)
        _run([*as_user, f"{programs}/initdb", "-D", f"{root}/data", "-U", "veer", "-A", "trust"])
        options = f"-k {root} -c listen_addresses= -c max_connections=60"
        options += "".join(f" -c {setting}" for setting in SETTINGS.split())
        control = [*as_user, f"{programs}/pg_ctl", "-D", f"{root}/data", "-w"]
        _run([*control, "-l", f"{root}/log", "-o", options, "start"])
        try:
            yield root
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=STARTING,
            check=False,
            cwd="/",
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"PostgreSQL: {command[-1]} took too long")
    if done.returncode:
        pytest.skip(f"PostgreSQL: {(done.stderr or done.stdout).strip()[:300]}")


def _somebody() -> tuple[list[str], str]:
    """How to run a program as somebody else than root, which PostgreSQL refuses."""
    if os.geteuid() != 0:
        return [], ""
    if shutil.which("runuser") is None:
        pytest.skip("PostgreSQL does not run as root, and runuser is not installed")
    known = {entry.pw_name for entry in pwd.getpwall()}
    user = next((name for name in ("postgres", "nobody") if name in known), "")
    if not user:
        pytest.skip("PostgreSQL does not run as root, and there is no other user")
    return ["runuser", "-u", user, "--"], user


def _programs() -> str:
    """The folder of the programs of PostgreSQL; installed if that can be."""
    found = _found()
    if not found and os.geteuid() == 0 and shutil.which("apt-get"):
        command = ["apt-get", "install", "-y", "-qq", "postgresql"]
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        try:
            subprocess.run(command, capture_output=True, timeout=INSTALLING, env=quiet, check=True)
        except (subprocess.SubprocessError, OSError):
            pytest.skip("PostgreSQL is not installed, and could not be")
        found = _found()
    if not found:
        pytest.skip("PostgreSQL is not installed")
    return found


def _found() -> str:
    in_path = shutil.which("pg_ctl")
    folders = [str(Path(in_path).resolve().parent)] if in_path else []
    folders += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    whole = (f for f in folders if os.path.exists(f"{f}/initdb") and os.path.exists(f"{f}/pg_ctl"))
    return next(whole, "")
