"""Whether a job must be loaded a second time, in another world.

What Python does not tell to `world` differs between two processes: the order of sets, hashes, addresses of
objects, what packages learn by themselves. A job whose code can have none of it is loaded once.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from veer.errors import UnsupportedError
from veer.read.pyspark.capture.actions import tree_of
from veer.read.pyspark.capture.asking import origin_of
from veer.read.pyspark.capture.world import World


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Modules that give the program nothing whose order or value differs between two processes, unless
# `world` answers for it. Those of PySpark are Veer's business.
ALIKE = _words(
    """
    __future__ abc argparse base64 bisect calendar collections configparser contextlib copy csv
    dataclasses datetime dbutils decimal enum fractions functools getpass hashlib heapq importlib io
    itertools json logging math numbers os pathlib platform pprint pyspark random re shutil socket
    statistics string subprocess sys tempfile textwrap time timeit traceback types typing urllib uuid
    warnings zoneinfo
    """
)
# Names under which Python hands out what differs, or code that cannot be seen; and such attributes.
UNLIKE = _words(
    "set frozenset hash id eval exec compile __import__ globals locals vars dir getattr"
)
ATTRIBUTES = _words(
    """
    __hash__ __repr__ __subclasses__ exec_module find_spec import_module literal_eval load_module
    modules makeLogRecord LogRecord _startTime created
    """
)
ITERATED = _words("sorted list tuple len enumerate zip dict max min any all sum")
VIEWS = ("keys", "items")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")


def program_files(world: World) -> list[str]:
    """The files of the modules of the program that were imported."""
    modules = [module for name, module in sys.modules.items() if name not in world.before]
    files = [str(getattr(module, "__file__", None) or "") for module in modules]
    return [file for file in files if file and origin_of(file) == "program"]


def why_again(text: str, world: World) -> str:
    """Why the job that was loaded into this process is to be loaded again; empty if it is not.

    `text` is its dataflow.
    """
    if world.has_listed:
        return "the order of files"
    if ADDRESS.search(text):
        return "the addresses of objects"
    return next((what for file in program_files(world) for what in _unlike(file)), "")


def _unlike(file: str) -> Iterator[str]:
    """What of a module of the program may differ from process to process."""
    tree = tree_of(file)
    if tree is None:
        yield "code that cannot be read"
        return
    iterated = {id(part) for node in ast.walk(tree) for part in _iterated(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Set() | ast.SetComp():
                yield "the order of a set"
            case ast.Name(id=name) if name in UNLIKE | ATTRIBUTES:
                yield f"what {name} gives"
            case ast.Attribute(attr=name) if name in ATTRIBUTES:
                yield f"what {name} gives"
            case ast.Call(func=ast.Attribute(attr=name)) if (
                name in VIEWS and id(node) not in iterated
            ):
                yield "the order of a set"
            case ast.Import(names=names):
                yield from (f"what {n.name} gives" for n in names if not _is_alike(n.name))
            case ast.ImportFrom(module=str(name), level=0) if not _is_alike(name):
                yield f"what {name} gives"


def _iterated(node: ast.AST) -> Iterator[ast.AST]:
    """What a part of a program does nothing with but go through it."""
    match node:
        case ast.For(iter=inner) | ast.comprehension(iter=inner):
            yield inner
        case ast.Call(func=ast.Name(id=name), args=args) if name in ITERATED:
            yield from args
        case ast.Compare(comparators=[inner], ops=[ast.In() | ast.NotIn()]):
            yield inner
        case ast.Starred(value=inner):
            yield inner


def _is_alike(name: str) -> bool:
    """Whether what is imported can be seen: a listed module, or one of the program."""
    if name.partition(".")[0] in ALIKE:
        return True
    module = sys.modules.get(name) or sys.modules.get(name.partition(".")[0])
    file = getattr(module, "__file__", None)
    places = [file] if file else list(getattr(module, "__path__", ()))
    return module is None or (bool(places) and all(origin_of(p) == "program" for p in places))


PRESENT = ("now", "today")
OF_TEXTS = ("datetime64", "Timestamp", "to_datetime", "Period", "DatetimeIndex", "array", "asarray")


def refuse_present(world: World) -> None:
    """Refuse a program that asks a package for the present by a word."""
    root = world.capture.root
    for file in program_files(world):
        for node in ast.walk(tree_of(file) or ast.Module([], [])):
            if isinstance(node, ast.Call) and _names_present(node):
                shown = Path(file).relative_to(root) if Path(file).is_relative_to(root) else file
                raise UnsupportedError(
                    f"{shown}:{node.lineno}: the code asks a package for the current date or time"
                )


def _names_present(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    words = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant)]
    return name in OF_TEXTS and any(isinstance(w, str) and w.lower() in PRESENT for w in words)


__all__ = ["refuse_present", "why_again"]
