"""The verifiers by name: Veer's own, and those installed packages register.

A package adds one through the entry point group `veer.evs` (`docs/adding-an-ev.md`). Nothing is
imported before it is asked for: the solver takes its time to load.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from veer.errors import UsageError
from veer.prove.verifiers.base import EV

GROUP = "veer.evs"
BUILT_IN = {
    "spes": "veer.prove.verifiers.spes:Spes",
    "equitas": "veer.prove.verifiers.equitas:Equitas",
    "algebra": "veer.prove.verifiers.algebra:Algebra",
    "spark_verifier": "veer.prove.verifiers.spark_verifier:SparkVerifier",
    "udp": "veer.prove.verifiers.udp:Udp",
    "wetune": "veer.prove.verifiers.wetune:WeTune",
}
# These prove nothing that the others do not.
ON_REQUEST = frozenset({"spark_verifier", "udp", "wetune"})


def names() -> list[str]:
    """Every verifier there is, in the order they are asked."""
    return [*BUILT_IN, *sorted(set(_external()) - set(BUILT_IN))]


def usual() -> list[str]:
    """The verifiers asked when none are named."""
    return [name for name in names() if name not in ON_REQUEST]


def get(name: str) -> EV:
    """The verifier of that name."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        ev = getattr(import_module(module), attribute)()
    else:
        external = _external()
        if name not in external:
            raise UsageError(f"no verifier named {name!r}; there are {', '.join(names())}")
        ev = _load(external[name])
    assert isinstance(ev, EV)
    return ev


def check_names(asked: Sequence[str]) -> None:
    """Every name is that of a verifier, or an error listing them."""
    existing = names()
    for name in asked:
        if name not in existing:
            raise UsageError(f"no verifier named {name!r}; there are {', '.join(existing)}")


@cache
def _external() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _load(point: EntryPoint) -> EV:
    try:
        ev = point.load()()
    except Exception as error:
        raise UsageError(f"verifier {point.name!r} cannot be loaded: {error}") from error
    if not isinstance(ev, EV):
        raise UsageError(f"verifier {point.name!r} is a {type(ev).__name__}, not an EV")
    return ev
