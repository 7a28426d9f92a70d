"""What a job asks of the world while it is loaded: nothing of it enters a dataflow unseen.

files of the project                 part of the version
variables of `--env`                 as given, and listed where a proof rests on them
clock, host, random numbers, ...     a `WorldValue`: it may be printed and logged, else it stops the job
network, processes, other files      stop the job, with file and line

Who asks decides: the program, through whatever of Python's library. PySpark, and packages while they are
imported, ask for themselves; what another package hands to the program is found by loading the job a second time in another
world (`other_world`, `jobs`).
"""

from __future__ import annotations

import builtins
import ctypes
import datetime
import gc
import getpass
import importlib.metadata
import inspect
import locale
import os
import pathlib
import platform
import random
import socket
import sys
import time
import timeit
import uuid
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, NoReturn

from veer.read.pyspark.capture import world_values
from veer.read.pyspark.capture.actions import is_only_shown, is_shown
from veer.read.pyspark.capture.asking import Asker
from veer.read.pyspark.capture.capture import Capture

# What asks another machine, by the events Python tells; whoever asks.
NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
           "socket.getnameinfo")  # fmt: skip
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty",
             "os.spawn", "pty.spawn", "ctypes.dlopen", "ctypes.dlsym")  # fmt: skip
LISTINGS = ("os.listdir", "os.scandir")
CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
          "process_time", "process_time_ns", "thread_time", "thread_time_ns", "clock_gettime",
          "clock_gettime_ns")  # fmt: skip
# These tell the present only where no time is given; by how many arguments come before it.
TOLD_TIMES = {"localtime": 0, "gmtime": 0, "ctime": 0, "asctime": 0, "strftime": 1}
MACHINE: dict[Any, tuple[str, ...]] = {
    platform: tuple(
        n for n, v in vars(platform).items() if callable(v) and n.islower() and n[0] != "_"
    ),
    socket: ("gethostname", "getfqdn", "gethostbyname_ex", "if_nameindex"),
    getpass: ("getuser",),
    locale: ("getlocale", "getdefaultlocale", "getpreferredencoding", "localeconv"),
    os: ("uname", "getlogin", "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid",
         "cpu_count", "getloadavg", "times", "getcwd", "getcwdb", "get_terminal_size",
         "sched_getaffinity", "statvfs"),
    pathlib.Path: ("cwd",),
    uuid: ("getnode", "uuid1", "uuid4"),
    importlib.metadata: ("version", "metadata", "distribution", "distributions", "entry_points",
                         "files", "requires", "packages_distributions"),
}  # fmt: skip
RANDOM = tuple(n for n, v in vars(random).items() if getattr(v, "__self__", None) is random._inst)
OF_PATHS = (
    "getcwd",
    "getcwdb",
)  # are asked for names of files; where the project is enters no dataflow
POOLS = (("python", "__init__"),)  # of threads, which decide how many there are
TIMES_OF_FILES = ("getmtime", "getatime", "getctime")


class World:
    """Stands between a job and the world while the job is loaded."""

    def __init__(
        self,
        capture: Capture,
        given: Mapping[str, str | None],
        *,
        is_other: bool = False,
        has_jvm: bool = False,
    ) -> None:
        self.capture, self.given = capture, dict(given)
        self.is_other, self.has_jvm = is_other, has_jvm
        self.asker = Asker(capture.root)
        self.used: dict[str, str | None] = {}  # variables of `--env` that were asked for
        self.own: set[str] = set()  # variables the program itself has set
        self.is_seeded = False
        self.before = frozenset(sys.modules)  # what is imported later may be the program's
        self.has_listed = False  # whether names of files came in the order of the file system

    def guard(self) -> None:
        """From now on what the program asks of the world is answered here; for good."""
        self.capture.world_value = self.value
        self.capture.program_asks = self.asker.calls_veer
        context = getattr(self.capture.spark, "_sc", None) if self.has_jvm else None
        for name in ("appName", "master", "sparkHome") if context is not None else ():
            vars(context)[name] = self.value(f"sparkContext.{name}")
        self._set_environment()
        sys.addaudithook(self._heard)
        for module, names in MACHINE.items():
            for name in names:
                if hasattr(module, name):
                    self._replace(module, name, f"{module.__name__}.{name}()")
        for name in CLOCKS:
            self._replace(time, name, f"the clock, time.{name}(),")
        for name, before in TOLD_TIMES.items():
            self._replace(time, name, f"the clock, time.{name}(),", before)
        timeit.default_timer = time.perf_counter
        for name in TIMES_OF_FILES:
            self._replace(os.path, name, f"the time of a file, os.path.{name}(),")
        self._replace_moments()
        self._replace_random()
        self._replace_looks()
        sys.argv = sys.orig_argv = world_values.CommandLine(self._command_line, sys.argv[:1])
        self._replace_hash()
        sys.stdin = world_values.Typed(self._typed)
        builtins.input = self._typed

    # -- answers ---------------------------------------------------------------------------------

    def value(self, what: str) -> world_values.WorldValue:
        """What stands for a value of the world that is asked for here."""
        site = self.capture.site()

        def refuse() -> NoReturn:
            self.stop(f"the value of {what.rstrip(',')} at {site} is used")

        return world_values.WorldValue(refuse, lambda: is_shown(self.capture.frame()))

    def stop(self, what: str, how: str = "pass it in as an argument (--arg)") -> NoReturn:
        """Stop the job: a verdict on what it learned would be one on this machine."""
        self.capture.stop(f"{what}, which differs from run to run; {how}", says_what_to_do=True)

    def _replace(self, owner: Any, name: str, what: str, present_after: int | None = None) -> None:
        """Answer a function where the program asks; `present_after` so many arguments, or always."""
        original = getattr(owner, name)

        @wraps(original)
        def answered(*args: Any, **named: Any) -> Any:
            given = [a for a in args if a is not None]
            is_present = present_after is None or len(given) <= present_after
            if is_present and self.asker.asks(at_once=True):
                return self.value(what)
            is_of_pool = name == "cpu_count" and self.asker.caller() in POOLS
            if is_present and not is_of_pool and name not in OF_PATHS and self.asker.asks():
                self.stop(f"{what.rstrip(',')} is asked")
            return original(*args, **named)

        setattr(owner, name, answered)

    def _replace_moments(self) -> None:
        for kind, names in (
            (datetime.datetime, ("now", "utcnow", "today")),
            (datetime.date, ("today",)),
        ):
            # Classes of C take no attributes, but their table does.
            (table,) = gc.get_referents(kind.__dict__)
            for name in names:
                table[name] = classmethod(self._moment(kind, name))
            ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
        pandas = sys.modules.get("pandas")
        for name in ("now", "today", "utcnow") if pandas is not None else ():
            moment = self._moment(pandas.Timestamp, name)  # type: ignore[union-attr]
            setattr(pandas.Timestamp, name, classmethod(moment))  # type: ignore[union-attr]

    def _moment(self, kind: Any, name: str) -> Callable[..., Any]:
        original = getattr(kind, name)

        def moment(cls: Any, *args: Any, **named: Any) -> Any:
            if self.asker.asks(at_once=True):
                return self.value(f"the clock, {kind.__name__}.{name}(),")
            if self.asker.asks():
                self.stop(f"the clock, {kind.__name__}.{name}(), is asked")
            return original(*args, **named)

        moment.__name__ = name
        return moment

    def _replace_random(self) -> None:
        """Random numbers of no seed; those of one are the same on every run."""
        for name in RANDOM:
            self._seeded(random, name)
        seed = random.Random.seed

        def seeded(generator: Any, a: Any = None, version: int = 2) -> None:
            if a is None and self.asker.asks():
                self._random()
            seed(generator, a, version)

        random.Random.seed = seeded  # type: ignore[method-assign, assignment]
        for module, name in ((os, "urandom"), (random, "_urandom"), (os, "getrandom")):
            if hasattr(module, name):
                self._stopping(module, name, self._random)
        numbers = sys.modules.get("numpy.random")
        if numbers is not None:
            numbers.seed()  # of its own for every process  # type: ignore[attr-defined]
            for name, value in list(vars(numbers).items()):
                if inspect.ismethod(value) or name == "seed":  # of the generator that all share
                    self._seeded(numbers, name)
            self._unseeded(numbers, "default_rng")

    def _seeded(self, module: Any, name: str) -> None:
        original, seeds = getattr(module, name), name in ("seed", "setstate", "set_state")

        @wraps(original)
        def number(*args: Any, **named: Any) -> Any:
            if self.asker.asks():
                given = [a for a in (*args, *named.values()) if a is not None]
                self.is_seeded = bool(given) if seeds else self.is_seeded
                if not self.is_seeded:
                    self._random()
            return original(*args, **named)

        number.__module__ = module.__name__
        setattr(module, name, number)

    def _unseeded(self, module: Any, name: str) -> None:
        """A generator of random numbers, which must be given what it begins with."""
        original = getattr(module, name)

        @wraps(original)
        def generator(*args: Any, **named: Any) -> Any:
            if not [a for a in (*args, *named.values()) if a is not None] and self.asker.asks():
                self._random()
            return original(*args, **named)

        setattr(module, name, generator)

    def _stopping(self, module: Any, name: str, stop: Callable[[], NoReturn]) -> None:
        original = getattr(module, name)

        @wraps(original)
        def stopping(*args: Any, **named: Any) -> Any:
            if self.asker.asks():
                stop()
            return original(*args, **named)

        setattr(module, name, stopping)

    def _random(self) -> NoReturn:
        self.stop("random numbers without a seed are asked", "give a seed")

    def _replace_hash(self) -> None:
        """Hashes differ from process to process, but for those of numbers; classes may have their own."""
        original = hash

        def hashed(value: Any) -> Any:
            is_known = type(value) in (int, bool, float) or self.asker.caller() == (
                "program",
                "__hash__",
            )
            if not is_known and self.asker.asks(at_once=True):
                return self.value("hash()")
            return original(value)

        builtins.hash = hashed

    def _command_line(self) -> None:
        if self.asker.asks(through_packages=True):
            self.stop("the command line is read", "name a function that takes it as arguments")

    def _typed(self, *_: Any) -> Any:
        self.stop("input is read")

    # -- the environment -------------------------------------------------------------------------

    def _set_environment(self) -> None:
        for name, value in self.given.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        _WATCHED["world"] = self
        os.environ.__class__ = _Environment
        if hasattr(os, "environb"):
            os.environb.__class__ = _Environment
        sys.modules["posix"].environ = {}  # type: ignore[attr-defined]

    def variable(self, name: str) -> bool:
        """Whether a variable may be told as it is: given by the user, set by the program, or not its business."""
        if name in self.own:
            return True
        if not self.asker.asks():
            return True
        if name in self.given:
            self.used[name] = self.given[name]
            return True
        return False

    def variables(self) -> None:
        """All variables are asked for."""
        if self.asker.asks():
            self.stop("all variables of the environment are read", "read them by their names")

    def refuse_variable(self, name: str) -> NoReturn:
        """Stop the job at an environment variable that is not given."""
        self.capture.stop(
            f"the environment variable {name} is read; give --env {name}=VALUE, or --env {name} "
            "where it is not set",
            says_what_to_do=True,
        )

    # -- files, processes, the network -----------------------------------------------------------

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        """Take note of what Python does."""
        if event == "open":
            self._opened(*args)
        elif event in NETWORK:
            # An address of the network is a tuple; those inside of the machine are paths.
            if isinstance(args[-1], tuple) and not (self.has_jvm and self.asker.is_gateway()):
                self.capture.stop("a socket is opened")
        elif event in LOOKUPS:
            if not (self.has_jvm and self.asker.is_gateway()):
                self.capture.stop(f"the network is asked for {_shown_host(args)}")
        elif event in PROCESSES and self.asker.asks(through_packages=True):
            self.capture.stop("C is called" if "ctypes" in event else "a process is started")
        elif event in LISTINGS and self.asker.asks(through_packages=True):
            self.has_listed = True
            self._looked_at(args[0] if args else None)

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        if path == 0 and self.asker.asks():
            self._typed()
        writes = any(c in mode for c in "wax") if isinstance(mode, str) else flags & os.O_WRONLY
        if writes and not (isinstance(mode, str) and "+" in mode):
            return  # what is written is not learned
        if isinstance(path, int) or self.asker.may_read(path):
            return
        if self.asker.asks(through_packages=True):
            self._outside(path)

    def _looked_at(self, path: Any) -> None:
        if not isinstance(path, int) and not self.asker.may_look_at(path):
            self._outside(path)

    def _outside(self, path: Any) -> NoReturn:
        shown = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else path
        self.stop(
            f"the job looks at {shown} outside of the project",
            "put it into the project",
        )

    def _replace_looks(self) -> None:
        """What asks whether a file is there, which Python does not tell."""
        for name in ("stat", "lstat", "access", "readlink"):
            original = getattr(os, name)
            setattr(os, name, self._looking(original))
        if self.is_other:
            listdir, scandir = os.listdir, os.scandir
            os.listdir = lambda *args: listdir(*args)[::-1]  # type: ignore[assignment]
            os.scandir = lambda *args: world_values.Backwards(scandir(*args))  # type: ignore[assignment]

    def _looking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def look(path: Any, *args: Any, **named: Any) -> Any:
            if self.asker.looking.now:
                return original(path, *args, **named)
            if (
                not isinstance(path, int)
                and not self.asker.may_look_at(path)
                and self.asker.asks(through_packages=True)
            ):
                self._outside(path)
            found = original(path, *args, **named)
            if isinstance(found, os.stat_result) and self.asker.asks_for_file():
                return world_values.Found(found, self.value("what a file system says of a file"))
            return found

        return look


_WATCHED: dict[
    str, World
] = {}  # by "world": what stands between the job of this process and the world


class _Environment(os._Environ):  # type: ignore[type-arg]
    """The environment as the program of a job finds it."""

    def __getitem__(self, key: Any) -> Any:
        name = os.fsdecode(key) if isinstance(key, str | bytes) else key
        if isinstance(name, str) and not _WATCHED["world"].variable(name):
            _WATCHED["world"].refuse_variable(name)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if _WATCHED["world"].asker.asks():
            _WATCHED["world"].own.add(os.fsdecode(key))

    @property
    def _data(self) -> Any:
        world = _WATCHED["world"]
        if world.asker.asks(at_once=True):
            world.variables()
        return vars(self)["_data"]

    def __delitem__(self, key: Any) -> None:
        if not _WATCHED["world"].variable(os.fsdecode(key)):
            _WATCHED["world"].refuse_variable(os.fsdecode(key))
        super().__delitem__(key)
        _WATCHED["world"].own.add(os.fsdecode(key))

    def __iter__(self) -> Iterator[Any]:
        _WATCHED["world"].variables()
        return super().__iter__()

    def __len__(self) -> int:
        _WATCHED["world"].variables()
        return super().__len__()

    def __repr__(self) -> str:
        _WATCHED["world"].variables()
        return super().__repr__()

    def setdefault(self, key: Any, value: Any = "") -> Any:
        """A variable, set where it is not; the program that drops the answer learns nothing."""
        world = _WATCHED["world"]
        name, frame = os.fsdecode(key), world.capture.frame()
        is_dropped = frame is not None and is_only_shown(frame, "setdefault")
        if is_dropped and not world.variable(name):
            if self.encodekey(key) not in vars(self)["_data"]:
                os._Environ.__setitem__(self, key, value)
            return None
        return super().setdefault(key, value)


def _shown_host(args: tuple[Any, ...]) -> str:
    return repr(args[0]) if args else "an address"


__all__ = ["World"]
