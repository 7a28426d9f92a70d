"""Who asks: the program of a job, or a library for itself; and which files belong to the version."""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Literal

Origin = Literal["program", "python", "package", "pyspark", "import", "veer", "none"]
IMPORTING = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
# Modules of Python that ask the clock and the environment for their own work: what they give is none of it.
FOR_THEMSELVES = frozenset(
    {"argparse", "asyncio", "gettext", "linecache", "locale", "logging", "queue"}
    | {"sched", "selectors", "traceback", "urllib", "warnings", "inspect"}
)
ALWAYS_FOR_THEMSELVES = ("gettext",)
VEER = os.path.realpath(Path(__file__).parents[3])
GUARDS = tuple(
    os.path.join(os.path.dirname(__file__), f"{name}.py")
    for name in ("asking", "world", "world_values")
)
FOLDERS_OF_PACKAGES = ("site-packages", "dist-packages")
PYSPARK = "pyspark"  # asks for itself, also where files are: it tells places in the program
ZONES = "/usr/share/zoneinfo"


class _Looking(threading.local):
    """Whether this thread looks for files in order to answer."""

    now = False


class Asker:
    """Tells what a job does from what libraries do; `root` is where the files of the version are."""

    def __init__(self, root: Path) -> None:
        self.root = os.path.realpath(root)
        _libraries(), _python()  # looked for before anything is guarded
        self._named_root = str(root)
        self.looking = _Looking()

    def asks(self, *, through_packages: bool = False, at_once: bool = False) -> bool:
        """Whether it is the program that asks, perhaps by a function of Python's library.

        A package asks for itself, unless what is asked counts `through_packages`: it opens the files it is
        told to open. What is imported asks for itself in any case. With `at_once` nothing may be between.
        """
        if self.looking.now:
            return False
        self.looking.now = True
        try:
            return _is_of_program(sys._getframe(2), through_packages, at_once)
        finally:
            self.looking.now = False

    def calls_veer(self) -> bool:
        """Whether the program itself has called what of Veer stands in place of PySpark's."""
        for frame in _frames(sys._getframe(1)):
            origin = origin_of(frame.f_code.co_filename)
            if origin not in ("veer", "none"):
                return origin == "program"
        return False

    def caller(self) -> tuple[str, str]:
        """Where the function that asks comes from, and its name."""
        for frame in _frames(sys._getframe(1)):
            origin = origin_of(frame.f_code.co_filename)
            if origin != "none":
                return origin, frame.f_code.co_name
        return "", ""

    def asks_for_file(self) -> bool:
        """Whether the program asks the system about a file, itself or by a `Path`."""
        for frame in _frames(sys._getframe(1)):
            if origin_of(frame.f_code.co_filename) == "program":
                return True
            module = str(frame.f_globals.get("__name__", ""))
            if frame.f_code.co_filename not in GUARDS and module.partition(".")[0] != "pathlib":
                return False
        return False

    def is_gateway(self) -> bool:
        """Whether it is PySpark that talks to its JVM."""
        for frame in _frames(sys._getframe(1)):
            origin = origin_of(frame.f_code.co_filename)
            if origin == "program":
                return False
            if origin in ("veer", "none"):
                continue  # Veer has a folder called pyspark, too
            if any(part in ("py4j", "pyspark") for part in Path(frame.f_code.co_filename).parts):
                return True
        return False

    def may_read(self, path: Any) -> bool:
        """Whether a file is one of the version, of Python or of an installed package."""
        real = self._real(path)
        if real is None:
            return False
        if _is_below(real, self.root):
            return ".git" not in real[len(self.root) :].split(os.sep)
        return real == os.devnull or any(_is_below(real, place) for place in _libraries())

    def may_look_at(self, path: Any) -> bool:
        """Whether a place is one of those, or one that leads there."""
        real = self._real(path)
        if real is None:
            return True  # it has no such place, and Python says so
        places = (self.root, self._named_root, *_libraries())
        return self.may_read(path) or any(_is_below(place, real) for place in places)

    def _real(self, path: Any) -> str | None:
        was_looking, self.looking.now = self.looking.now, True
        try:
            return os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):
            return None
        finally:
            self.looking.now = was_looking


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_of_program(start: FrameType, through_packages: bool, at_once: bool) -> bool:
    for frame in _frames(start):
        origin = origin_of(frame.f_code.co_filename)
        if origin == "program":
            return True
        if origin in ("import", "veer", "pyspark"):
            return False
        if origin == "package" and not through_packages:
            return False
        if at_once and origin != "none":
            return False
        if origin == "python":
            module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            if module in (ALWAYS_FOR_THEMSELVES if through_packages else FOR_THEMSELVES):
                return False
    # Only a thread begins elsewhere than in Veer: one that the program started.
    return threading.current_thread() is not threading.main_thread()


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


@cache
def _libraries() -> tuple[str, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sysconfig.get_path(name) for name in names]
    places += [p for p in sys.path if any(part in FOLDERS_OF_PACKAGES for part in Path(p).parts)]
    return tuple({os.path.realpath(p) for p in (*places, VEER, ZONES) if p})


@cache
def _python() -> tuple[str, ...]:
    return tuple({os.path.realpath(sysconfig.get_path(n)) for n in ("stdlib", "platstdlib")})


@cache
def origin_of(file: str) -> Origin:
    """Where code comes from."""
    if file in IMPORTING:
        return "import"
    if file.startswith("<frozen"):
        return "python"
    if file.startswith("<"):
        return "none"  # made while running: who made it is asked
    if file in GUARDS:
        return "none"
    real = os.path.realpath(file)
    if _is_below(real, VEER):
        return "veer"
    if any(part in FOLDERS_OF_PACKAGES for part in (*Path(file).parts, *Path(real).parts)):
        return "pyspark" if PYSPARK in Path(file).parts else "package"
    return "python" if any(_is_below(real, place) for place in _python()) else "program"


__all__ = ["Asker", "origin_of"]
