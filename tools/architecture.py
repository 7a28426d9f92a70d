"""The table of rooms as a page and as a picture: `docs/architecture.md`, `docs/architecture.svg`."""

from __future__ import annotations

from tools.drawing import Box, draw
from tools.layers import BY_NAME, EVERYWHERE, EXCEPTIONS, PLUGINS, ROOMS, Room, layer_of, room_of

HIDDEN = {
    "java",
    "plugins",
    "__main__",
    "veer",
    *EVERYWHERE,
}  # small things, and what everybody knows
INTRODUCTION = """# Architecture

Made by `python -m tools pages` from `tools/layers.py`; not to be edited. `tests/test_layers.py` reads every module and
fails on an import the table does not have: imports inside of functions, under TYPE_CHECKING, by `import_module` and by
texts that name a module count too.

![The rooms of Veer: arrows say what imports what](architecture.svg)

An arrow says that a room imports another; what follows from other arrows is left out. [tour.md](tour.md) follows one pair of
versions through the rooms; [CONTRIBUTING.md](../CONTRIBUTING.md) says where a change goes.

## Who may import whom

Read from the ground up: a room imports rooms above it in this table. Everybody may import {everywhere}. A dotted name
is one module of a room.
"""
BETWEEN = """
`functions` and `ir` know each other in one direction each: functions build on `ir.types`, which knows no function;
expressions build on functions. `verification.search` sees verifiers through `prove.verifiers.base` only: it never names one,
and never asks the solver. z3 is imported in `prove.solver` alone.

{plugins} are plug-ins: no other room imports them. `veer.plugins` finds their front ends and commands at run time;
`tests/test_plugins.py` runs Veer without them.

## Exceptions

| module | imports | why |
| --- | --- | --- |
"""


def page() -> str:
    """The page with the table."""
    everywhere = ", ".join(f"`{name}`" for name in sorted(EVERYWHERE - {"__version__"}))
    lines = [
        "| room | what is in it | may import | libraries only here |",
        "| --- | --- | --- | --- |",
    ]
    lines += [_row(room) for room in ROOMS if room.name not in ("__main__", "veer")]
    exceptions = [f"| `{m}` | `{i}` | {why} |" for (m, i), why in EXCEPTIONS.items()]
    return "".join(
        [
            INTRODUCTION.format(everywhere=everywhere),
            "\n",
            "\n".join(lines),
            "\n",
            BETWEEN.format(plugins=", ".join(f"`{name}`" for name in PLUGINS)),
            "\n".join(exceptions),
            "\n",
        ]
    )


def _row(room: Room) -> str:
    order = list(BY_NAME)
    names = sorted(room.may_import, key=lambda n: (order.index(room_of(n)), n))
    cells = (
        f"`{room.name}`",
        room.what,
        ", ".join(f"`{name}`" for name in names),
        ", ".join(sorted(room.outside)),
    )
    return f"| {' | '.join(cells)} |"


def picture() -> str:
    """The rooms as boxes in layers, in SVG."""
    rooms = [room for room in ROOMS if room.name not in HIDDEN]
    boxes = [Box(room.name, room.what, layer_of(room.name)) for room in rooms]
    everywhere = [room.name for room in ROOMS if room.name in EVERYWHERE]
    return draw(boxes, reduced(), ground=f"known to all: {', '.join(everywhere)}")


def reduced() -> list[tuple[str, str]]:
    """The edges between rooms that do not follow from other edges."""
    below = {room.name: _direct(room) for room in ROOMS}
    return [
        (name, target)
        for name, targets in below.items()
        if name not in HIDDEN
        for target in sorted(targets)
        if not any(target in _reached(other, below) for other in targets - {target})
    ]


def _direct(room: Room) -> set[str]:
    names = {room_of(target) for target in room.may_import}
    if room.name == "functions":
        names.discard("ir")  # only its types
    return names - HIDDEN


def _reached(name: str, below: dict[str, set[str]]) -> set[str]:
    """The rooms a room imports, at any distance."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        more = below[waiting.pop()] - reached
        reached |= more
        waiting += more
    return reached
