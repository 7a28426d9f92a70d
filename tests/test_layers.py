"""Who may import whom: the table of `tools/layers.py` held against the source."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pytest

from tools.imports import SOURCE, Import, all_imports, imports_of, module_files
from tools.layers import (
    BY_NAME,
    EXCEPTIONS,
    LATE,
    PLUGINS,
    ROOMS,
    covers,
    is_allowed,
    is_allowed_outside,
    room_of,
    short,
)


@cache
def ours() -> list[Import]:
    """What modules import of Veer."""
    return [i for i in all_imports() if i.target.partition(".")[0] == "veer"]


def shown(wrong: Iterable[Import]) -> list[str]:
    return [f"{i.module}, line {i.line}: {i.target}" for i in wrong]


def test_packages_import_only_what_they_may() -> None:
    assert not shown(i for i in ours() if not is_allowed(i))


def test_outside_libraries_stay_in_their_place() -> None:
    assert not shown(i for i in all_imports() if not is_allowed_outside(i))


def test_every_package_has_a_row() -> None:
    rooms = {i.package for i in all_imports()}
    assert rooms <= BY_NAME.keys()


def test_no_import_of_veer_hides_inside_a_function() -> None:
    """But for heavy parts that wait, and what is imported by a text, which is what waiting means."""
    late = [*LATE, *(module for module, _ in EXCEPTIONS)]
    assert not shown(
        i
        for i in ours()
        if i.inside and not i.text and not any(covers(place, short(i.module)) for place in late)
    )


def test_the_table_has_no_upward_row() -> None:
    """Rooms stand in an order: each names only rooms before it; `functions` names types alone."""
    before: set[str] = set()
    for room in ROOMS:
        names = {room_of(name) for name in room.may_import}
        if room.name == "functions":
            assert room.may_import == {"ir.types"}
        else:
            assert names <= before, room.name
        before.add(room.name)


def test_functions_build_only_on_modules_that_know_no_function() -> None:
    knows = {i.module for i in ours() if i.package == "ir" and i.imported == "functions"}
    below = {i.target for i in ours() if i.package == "functions" and i.imported == "ir"}
    assert below and not below & reaching(knows)


def reaching(modules: set[str]) -> set[str]:
    """The modules from which one of `modules` is imported, at any distance."""
    reached = set(modules)
    while more := {i.module for i in ours() if i.target in reached} - reached:
        reached |= more
    return reached


def test_no_two_modules_import_each_other() -> None:
    """Not in a circle of any length: what is imported when a module is loaded comes first."""
    edges: dict[str, set[str]] = {name: set() for name in module_files()}
    for i in ours():
        if not (i.inside or i.typing or i.text) and i.target in edges:
            edges[i.module].add(i.target)
    left = dict(edges)
    while ready := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in ready:
            del left[name]
    assert not left, f"in a circle, or above one: {sorted(left)}"


def test_modules_stay_readable() -> None:
    long = {
        path.relative_to(SOURCE).as_posix(): lines
        for path in SOURCE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 800
    }
    assert not long


MODULES = frozenset(
    {
        "veer",
        "veer.prove.verifiers",
        "veer.prove.verifiers.spes",
        "veer.prove.solver",
        "veer.ir.ops",
    }
)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("import veer.prove.solver", "veer.prove.solver"),
        ("from veer.prove.verifiers import spes", "veer.prove.verifiers.spes"),
        ("from veer.prove.verifiers.spes import Spes", "veer.prove.verifiers.spes"),
        ("from veer.prove import solver", "veer.prove.solver"),
        ("def f():\n    from veer.prove import solver", "veer.prove.solver"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import veer.prove.solver",
            "veer.prove.solver",
        ),
        ("import_module('veer.prove.solver')", "veer.prove.solver"),
        ("importlib.import_module(f'veer.prove.verifiers.{name}')", "veer.prove.verifiers"),
        ("__import__('z3')", "z3"),
        ("SPES = 'veer.prove.verifiers.spes:Spes'", "veer.prove.verifiers.spes"),
        ("LATER = {'spes': 'veer.prove.verifiers.spes'}", "veer.prove.verifiers.spes"),
        ("name = 'veer.prove.verifiers.spes.Spes'", "veer.prove.verifiers.spes"),
    ],
)
def test_imports_are_seen(text: str, target: str) -> None:
    ours = [
        i for i in imports_of("veer.verification.search.sweep", text, MODULES) if i.target == target
    ]
    assert ours
    assert is_allowed(ours[0]) is False or target == "z3"


@pytest.mark.parametrize("text", ["'veer is here'", "'Veer.evs'", "'the veer.evs package'"])
def test_other_texts_are_no_imports(text: str) -> None:
    assert not list(imports_of("veer.verification.search.sweep", text, MODULES))


def test_relative_imports_are_refused() -> None:
    with pytest.raises(ValueError, match="relative"):
        list(imports_of("veer.verification.search.sweep", "from . import whole", MODULES))


def test_the_core_imports_no_plugin() -> None:
    """Neither by a statement nor by a text; but for the API, whose `run` is imported when asked for."""
    wrong = [i for i in ours() if i.imported in PLUGINS and i.package not in (*PLUGINS, "veer")]
    assert not shown(wrong)


@pytest.mark.parametrize(
    ("module", "target", "allowed"),
    [
        ("verification.search.sweep", "veer.prove.verifiers.base", True),
        ("verification.search.sweep", "veer.prove.verifiers.spes", False),
        ("verification.search.sweep", "veer.prove.verifiers.basement", False),
        ("verification.search.sweep", "veer.prove.solver", False),
        ("functions.casts", "veer.ir.types", True),
        ("functions.casts", "veer.ir.expr", False),
        ("verdict", "veer.show.as_text", True),
        ("errors", "veer.show.as_text", False),
        ("projects.stored", "veer.execution.store", False),
        ("verification.sinks", "veer.execution.store", False),
        ("unheard_of.module", "veer.ir.types", False),
    ],
)
def test_the_table_is_narrow(module: str, target: str, allowed: bool) -> None:
    assert is_allowed(Import(f"veer.{module}", target, 1)) is allowed


@pytest.mark.parametrize(
    ("module", "library", "allowed"),
    [
        ("prove.solver.solve", "z3", True),
        ("prove.algebra.matching", "z3", False),
        ("read.sql.parse", "sqlglot", True),
        ("read.workflow.reader", "sqlglot", False),
        ("read.pyspark.jobs", "pyspark.sql", True),
        ("read.sql.parse", "pyspark.sql", False),
        ("ir.types", "json", True),
    ],
)
def test_libraries_have_their_places(module: str, library: str, allowed: bool) -> None:
    assert is_allowed_outside(Import(f"veer.{module}", library, 1)) is allowed
