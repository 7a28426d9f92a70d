"""Widgets that choose and compute columns: Select Columns, Edit Domain, Feature Constructor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from veer.gui.orange import domain as orange_domain
from veer.gui.orange.formulas import names_in, number_formula, parse
from veer.gui.orange.pickled import pairs_of
from veer.gui.reading import Outputs, Step
from veer.gui.rows import NotModelled, Rows, Value, require
from veer.ir.types import STRING

_ROLES = ("attribute", "class", "meta")
_AVAILABLE = "available"


def select_columns(step: Step) -> Outputs:
    """Select Columns: columns by name, in the roles they are put."""
    settings = step.node.settings
    require(not step.arriving("Features"), "features arrive that may be used")
    rows = step.input("Data")
    hints = _hints(
        orange_domain.value_of(orange_domain.only_context(settings), "domain_role_hints")
    )
    orange_domain.refuse_hidden(name for name, _ in hints)
    rows.expect({name: orange_domain.TYPES.get(kind) for name, kind in hints})
    columns = {name: orange_domain.typed(rows, name, kind) for name, kind in hints}
    if not rows.is_open and not settings.get("ignore_new_features"):
        new = {name for name, _ in orange_domain.columns_of(rows)} - set(columns)
        require(not new, "columns that were not there when the workflow was saved")
    kept = sorted(
        (_ROLES.index(role), place, name)
        for (name, _), (role, place) in hints.items()
        if role != _AVAILABLE
    )
    roles = {**orange_domain.roles_of(rows), **{name: _ROLES[role] for role, _, name in kept}}
    others = rows.is_open and not settings.get("ignore_new_features")
    chosen = orange_domain.with_roles(
        rows, [(name, columns[name]) for _, _, name in kept], roles, others=others
    )
    return {"Data": chosen}


def _hints(value: Any) -> dict[tuple[str, int], tuple[str, int]]:
    """The role and the place in it of each column, by its name and kind of variable."""
    hints = {}
    for entry in pairs_of(value):
        match entry:
            case ([str(name), int(kind)], [str(role), int(place)]):
                require(role in (*_ROLES, _AVAILABLE), f"the role {role!r}")
                hints[name, kind] = role, place
            case _:
                raise NotModelled("roles that are not understood")
    require(bool(hints), "no columns are chosen")
    require(len({name for name, _ in hints}) == len(hints), "two columns of one name")
    return hints


# -- Edit Domain -----------------------------------------------------------------------------------

_TEXTS, _NUMBERS = ("Categorical", "String"), ("Real",)


def edit_domain(step: Step) -> Outputs:
    """Edit Domain, where all it does is to rename columns."""
    settings, rows = step.node.settings, step.input("Data")
    if "_domain_change_hints" in settings:
        changes = settings["_domain_change_hints"]
    else:
        changes = orange_domain.value_of(
            orange_domain.only_context(settings), "_domain_change_store"
        )
    renamings = [_renaming(entry) for entry in pairs_of(changes) if entry[1]]
    if not renamings:
        return {"Data": rows}
    names = {name: to for _, name, to in renamings}
    require(len(names) == len(renamings), "two variables of one name are renamed")
    # Changes are kept for tables that were there once, so that a column must be seen to be renamed.
    rows.require_known()
    columns = orange_domain.columns_of(rows)
    used = {name: to for name, to in names.items() if name in dict(columns)}
    for kind, name, _ in renamings:
        if name in used:
            require(_is_of(dict(columns)[name], kind), f"{name!r} may be of another kind")
    roles = {used.get(name, name): role for name, role in orange_domain.roles_of(rows).items()}
    renamed = [(used.get(name, name), value) for name, value in columns]
    return {"Data": orange_domain.with_roles(rows, renamed, roles)}


def _is_of(value: Value, kind: str) -> bool:
    """Whether a column is of a kind of variable; of another it is left as it is."""
    if kind in _TEXTS:
        return value.known and value.type == STRING
    return kind in _NUMBERS and value.known and orange_domain.is_number(value.type)


def _renaming(entry: tuple[Any, Any]) -> tuple[str, str, str]:
    match entry:
        case ([str(kind), [str(name), *_]], [["Rename", [str(to)]]]):
            require(kind in (*_TEXTS, *_NUMBERS, "Time"), f"a variable of kind {kind!r}")
            return kind, name, to
        case _:
            raise NotModelled("columns are changed in other ways than their names")


# -- Feature Constructor ---------------------------------------------------------------------------

_NUMBER_DESCRIPTOR = "ContinuousDescriptor"


def feature_constructor(step: Step) -> Outputs:
    """Feature Constructor: further columns, each a number by a formula."""
    rows = step.input("Data")
    context = orange_domain.only_context(step.node.settings)
    descriptors = orange_domain.value_of(context, "descriptors")
    require(isinstance(descriptors, list) and bool(descriptors), "no formulas")
    added = [_descriptor(descriptor) for descriptor in descriptors]
    domain = orange_domain.domain_of(context)
    names = [name for name, _ in added]
    require(len(set(names)) == len(names), "two columns of one name")
    require(not set(names) & set(domain), "a formula in the place of a column")
    columns = _by_sanitized_name(rows, domain, [formula for _, formula in added])
    version = step.node.settings.get("__version__")
    computed = {name: number_formula(formula, columns, version) for name, formula in added}
    present = orange_domain.columns_of(rows)
    require(not set(names) & {name for name, _ in present}, "a formula in the place of a column")
    roles = orange_domain.roles_of(rows)
    if roles:
        roles |= dict.fromkeys(names, "attribute")
    return {"Data": orange_domain.with_roles(rows, [*present, *computed.items()], roles)}


def _descriptor(descriptor: Any) -> tuple[str, str]:
    match descriptor:
        case {"class": str(kind), "args": [str(name), str(formula), *_]}:
            require(kind.endswith(f".{_NUMBER_DESCRIPTOR}"), "a formula that gives no number")
            require(bool(name), "a column without a name")
            return name, formula
        case _:
            raise NotModelled("a formula that is not understood")


def _by_sanitized_name(
    rows: Rows, domain: Mapping[str, int], formulas: list[str]
) -> dict[str, Value]:
    """The columns that formulas mention, by the names that Orange gives them there."""
    mentioned = {name for formula in formulas for name in names_in(parse(formula))}
    columns: dict[str, Value] = {}
    for name, kind in domain.items():
        called = sanitized(name)
        if called not in mentioned:
            continue
        require(called not in columns, f"two columns that formulas call {called!r}")
        columns[called] = orange_domain.typed(rows, name, kind)
        if kind != orange_domain.CONTINUOUS and columns[called].type != STRING:
            raise NotModelled(f"a formula over {name!r}, which is not a number")
    return columns


def sanitized(name: str) -> str:
    """What a column is called in formulas."""
    called = re.sub(r"\W", "_", name)
    return f"_{called}" if called[:1].isdigit() else called
