"""Where Python objects come from: the project, an installed package, or Python itself."""

from __future__ import annotations

import os
import pathlib
import sys
import sysconfig
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

from veer.read.python.codes import UnknownIdentity


def is_importable(value: Any) -> bool:
    """Whether the name of a function leads to it."""
    target: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        target = getattr(target, part, None)
    return target is value


@cache
def is_library(module: str) -> bool:
    """Whether a module belongs to Python or an installed package, not to the project."""
    top = module.partition(".")[0]
    if top in sys.builtin_module_names:
        return True
    loaded = sys.modules.get(module) or sys.modules.get(top)
    paths = [getattr(loaded, "__file__", None), *getattr(loaded, "__path__", ())]
    files = [p for p in paths if p]
    return bool(files) and all(map(_is_installed, files))


def _is_installed(path: str) -> bool:
    """Whether a file or folder is below one of those of installed packages, links followed."""
    target = os.path.realpath(path) if os.path.islink(path) else path
    folder, name = os.path.split(target)
    return _holds_installed(folder) or _resolved(folder) / name in _roots()


@cache
def _holds_installed(folder: str) -> bool:
    return any(_resolved(folder).is_relative_to(root) for root in _roots())


@cache
def _resolved(folder: str) -> pathlib.Path:
    return pathlib.Path(folder).resolve()


@cache
def _roots() -> tuple[pathlib.Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    roots = {pathlib.Path(sysconfig.get_path(n)).resolve() for n in names}
    roots |= {pathlib.Path(p).resolve() for p in sys.path if "site-packages" in p}
    roots |= {pathlib.Path(p).resolve() for p in sys.path if "dist-packages" in p}
    return tuple(roots)


@cache
def package_version(module: str) -> str:
    """The version of the package a module belongs to."""
    top = module.partition(".")[0]
    if not top or top in sys.builtin_module_names or top in sys.stdlib_module_names:
        return sys.version
    try:
        return ",".join(f"{d} {version(d)}" for d in sorted(set(packages_distributions()[top])))
    except (KeyError, PackageNotFoundError):
        stated = getattr(sys.modules.get(top), "__version__", None)
        if not isinstance(stated, str):
            raise UnknownIdentity(f"the version of {top}") from None
        return stated


# What `collections.namedtuple` and `typing.NamedTuple` give a class, besides its fields.
_MADE = frozenset(
    [
        "__doc__",
        "__slots__",
        "__new__",
        "_make",
        "_replace",
        "__replace__",
        "__repr__",
        "_asdict",
        "__getnewargs__",
        "_fields",
        "__match_args__",
        "_field_defaults",
        "__module__",
        "__annotations__",
        "__orig_bases__",
        "__annotations_cache__",
        "__annotate_func__",
        "__annotate__",
        "__firstlineno__",
        "__static_attributes__",
    ]
)


def is_named_tuple(kind: type) -> bool:
    """Whether a class is a named tuple and nothing more: its instances are their items."""
    fields = vars(kind).get("_fields")
    return (
        kind.__bases__ == (tuple,)
        and type(kind) is type
        and type(fields) is tuple
        and vars(kind).keys() <= {*_MADE, *fields}
        and all(type(vars(kind).get(f)).__name__ == "_tuplegetter" for f in fields)
    )
