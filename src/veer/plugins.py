"""Plug-ins: what the core finds at run time and never imports.

A package right below `veer` is a plug-in if it has a module `front_ends` (with `FRONT_ENDS`, which
inputs it reads) or `commands` (with `COMMANDS`: `module:function` by name). Another distribution
names the same things in the entry point groups `veer.frontends` and `veer.commands`. A plug-in that
is not installed costs its inputs and commands, nothing else.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType

import veer

COMMANDS_GROUP = "veer.commands"
FRONT_ENDS_GROUP = "veer.frontends"


def modules_called(name: str) -> Iterator[ModuleType]:
    """The modules of this name in the packages right below `veer`."""
    (folder,) = veer.__path__
    for package in sorted(each.name for each in pkgutil.iter_modules([folder]) if each.ispkg):
        inner = pkgutil.iter_modules([os.path.join(folder, package)])
        if any(each.name == name for each in inner):
            yield import_module(f"veer.{package}.{name}")


@cache
def commands() -> dict[str, str]:
    """`module:function` of the commands of plug-ins, by name."""
    from importlib.metadata import entry_points

    own = {name: place for m in modules_called("commands") for name, place in m.COMMANDS.items()}
    return {point.name: point.value for point in entry_points(group=COMMANDS_GROUP)} | own
