"""Where Python objects come from: the project, an installed package, or Python itself."""

from __future__ import annotations

import pathlib
import sys
import sysconfig
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

from veer.frontends.python.codes import NotTold


def is_importable(value: Any) -> bool:
    """Whether the name of a function leads to it."""
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


@cache
def is_foreign(module: str) -> bool:
    """Whether a module belongs to Python or an installed package, not to the project."""
    top = module.partition(".")[0]
    if top in sys.builtin_module_names:
        return True
    found = sys.modules.get(module) or sys.modules.get(top)
    places = [getattr(found, "__file__", None), *getattr(found, "__path__", ())]
    files = [pathlib.Path(p).resolve() for p in places if p]
    return bool(files) and all(any(f.is_relative_to(r) for r in _roots()) for f in files)


@cache
def _roots() -> tuple[pathlib.Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    found = {pathlib.Path(sysconfig.get_path(n)).resolve() for n in names}
    found |= {pathlib.Path(p).resolve() for p in sys.path if "site-packages" in p}
    found |= {pathlib.Path(p).resolve() for p in sys.path if "dist-packages" in p}
    return tuple(found)


@cache
def released(module: str) -> str:
    """The version of the package a module belongs to."""
    top = module.partition(".")[0]
    if not top or top in sys.builtin_module_names or top in sys.stdlib_module_names:
        return sys.version
    try:
        return ",".join(f"{d} {version(d)}" for d in sorted(set(packages_distributions()[top])))
    except (KeyError, PackageNotFoundError):
        found = getattr(sys.modules.get(top), "__version__", None)
        if not isinstance(found, str):
            raise NotTold(f"the version of {top}") from None
        return found
