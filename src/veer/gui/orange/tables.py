"""Widgets that show, write, join and sample tables: Data Table, Save Data, Concatenate, Data Sampler."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from veer.gui.orange import domain
from veer.gui.reading import Outputs, Step
from veer.gui.rows import NotModelled, Rows, Value, require
from veer.ir import expr as ex, ops
from veer.ir.writes import Write

_SELECTED, _ANNOTATED = "Selected Data", "Data"


def data_table(step: Step) -> Outputs:
    """Data Table: shows a table; what is picked in it goes by the places of rows."""
    rows = step.input("Data")
    step.sink(domain.shown(rows))
    picked = _picked(step.node.settings)
    outputs = {}
    for port in step.node.outputs:
        step.port(port)
        identity = f"Orange {port} of Data Table: {picked}"
        outputs[port] = step.flow.opaque(identity, "Data Table", [rows], None)
    return outputs


def _picked(settings: Mapping[str, Any]) -> str:
    """What is selected; nothing, in whichever words of a version."""
    told = {name: value for name, value in settings.items() if name not in _ASIDE}
    told = {name: value for name, value in told.items() if _has_items(value)}
    if told:
        told["select_rows"] = settings.get("select_rows")
    if settings.get("stored_sort"):  # rows are sent as they are sorted, all of them too
        told["stored_sort"] = settings["stored_sort"]
    if not told:
        return "nothing"
    return json.dumps(told, sort_keys=True)


def _has_items(value: Any) -> bool:
    """Whether rows or columns are named somewhere in a selection."""
    if isinstance(value, Mapping):
        return any(_has_items(part) for name, part in value.items() if name not in _OF_DOMAIN)
    if isinstance(value, list):
        return any(_has_items(part) if isinstance(part, Mapping | list) else True for part in value)
    return bool(value)


_ASIDE = ("select_rows", "stored_sort", "__version__")  # what counts only if something is picked
_OF_DOMAIN = ("attributes", "class_vars", "metas", "ordered_domain", "__version__")


def save(step: Step) -> Outputs:
    """Save Data: writes a table; with annotations, their roles too."""
    settings, rows = step.node.settings, step.input("Data")
    name = settings.get("stored_name") or settings.get("filename")
    if not isinstance(name, str) or not name:
        raise NotModelled("no file is chosen")
    folder = settings.get("stored_path")
    path = PurePosixPath(folder if isinstance(folder, str) else "", name.replace("\\", "/"))
    plain = settings.get("add_type_annotations") is False and path.suffix in _PLAIN
    told = domain.shown(rows) if plain else domain.without_order(rows)
    # Called like its file too: what is written elsewhere is another result.
    write = _written(settings, path.suffix)
    step.sink(told, target=str(path), name=str(path), write=write)
    return {}


_PLAIN = (".csv", ".tab", ".tsv", ".xlsx", ".xls")  # files that know nothing of roles by themselves
_PLACE = ("stored_name", "stored_path", "filename", "__version__")


def _written(settings: Mapping[str, Any], suffix: str) -> Write | None:
    """How a file is written; none if it just holds the table."""
    unusual = {
        name: json.dumps(value, sort_keys=True)
        for name, value in {
            "add_type_annotations": True,
            "filter": "(not told)",
            **settings,
        }.items()
        if name not in _PLACE and not _is_usual(name, value, suffix)
    }
    if not unusual:
        return None
    return Write(suffix.lstrip("."), "overwrite", settings=tuple(sorted(unusual.items())))


def _is_usual(name: str, value: Any, suffix: str) -> bool:
    """Whether a setting of Save Data says no more than the ending of the file."""
    match name:
        case "add_type_annotations" | "compress" | "compression":
            return value is False
        case "filter":
            return isinstance(value, str) and value.endswith(f"(*{suffix})")
        case _:
            return value in ("", None)


def concatenate(step: Step) -> Outputs:
    """Concatenate: the rows of tables with the same columns, or with those of the primary table."""
    settings = step.node.settings
    require(not settings.get("append_source_column"), "a column for where rows come from")
    primary, additional = step.arriving("Primary Data"), step.arriving("Additional Data")
    require(
        len(primary) <= 1 and len(step.inputs) == len(primary) + len(additional), "other inputs"
    )
    first, *rest = [*primary, *additional]
    names = [name for name, _ in domain.columns_of(first)]
    for name in names:
        variables = {_variable(rows, name) for rows in (first, *rest)}
        require(len(variables) == 1, f"{name!r} is computed, and not the same variable everywhere")
    aligned = [first, *(_aligned(rows, first, names, fill=bool(primary)) for rows in rest)]
    if not rest:
        return {"Data": first}
    top, *below = [domain.numbered(rows, place) for place, rows in enumerate(aligned)]
    return {"Data": top.union(*below)}


def _variable(rows: Rows, name: str) -> tuple[str, str]:
    """Where a variable comes from. Those that files have are the same if they are called alike.

    Those that a widget computes know how: Orange keeps them apart, or computes one by the other's formula.
    """
    flow, id_ = rows.flow, rows.id
    while True:
        operator, inputs = flow.builder.operators[id_], flow.inputs_of(id_)
        match operator:
            case ops.Source():
                return "", name
            case ops.Project(columns=columns):
                if not any(
                    c.name == name and c.expr == ex.Column(name, c.expr.type) for c in columns
                ):
                    return (id_, name) if any(c.name == name for c in columns) else ("", name)
            case ops.Filter() | ops.Union():
                pass
            case _:
                return id_, name
        id_ = inputs[0]


def _aligned(rows: Rows, first: Rows, names: Sequence[str], *, fill: bool) -> Rows:
    """A table with the columns of the first one, in their order."""
    if rows.schema.names == first.schema.names:
        return rows
    rows.require_known()
    first.require_known()
    require(
        domain.roles_of(rows) == domain.roles_of(first), "tables whose columns have different roles"
    )
    present = dict(domain.columns_of(rows))
    if not fill:
        require(set(present) == set(names), "tables of different columns")
    columns = []
    for name in names:
        empty = Value(ex.Literal(None, first.column(name).type), first.column(name).known)
        columns.append((name, present.get(name, empty)))
    return domain.with_roles(rows, columns, domain.roles_of(first))


def data_sampler(step: Step) -> Outputs:
    """Data Sampler: some rows and the others, by chance unless it is asked to repeat itself."""
    rows = step.input("Data")
    free = step.node.settings.get("use_seed") is not True
    outputs = {}
    for port in step.node.outputs or ("Data Sample",):
        step.port(port)
        outputs[port] = step.opaque(port, rows.fields(), free=free)
    return outputs


def unique(step: Step) -> Outputs:
    """Unique, which gives the columns that arrive; which row of a key stays goes by their order."""
    fields = step.input("Data").fields()
    raise NotModelled("which row of a key stays", {"Data": fields} if fields else None)


_LEAVE = 1  # among the methods of Impute


def impute(step: Step) -> Outputs:
    """Impute, where it is told to leave missing values as they are."""
    settings, rows = step.node.settings, step.input("Data")
    methods = (settings.get(name, _LEAVE) for name in ("_default_method_index", "default_method"))
    require(all(method == _LEAVE for method in methods), "values are imputed")
    require(not any(map(_imputes, settings.get("context_settings") or [])), "values are imputed")
    return {"Data": rows}


def _imputes(context: Any) -> bool:
    """Whether a context may have a method for a variable of its own."""
    if not isinstance(context, Mapping):
        return True
    old, new = (
        domain.value_of(context, "variable_methods"),
        domain.value_of(context, "_variable_imputation_state"),
    )
    return bool(old) or bool(new)


def preprocess(step: Step) -> Outputs:
    """Preprocess without preprocessors."""
    stored, rows = step.node.settings.get("storedsettings"), step.input("Data")
    none = isinstance(stored, Mapping) and stored.get("preprocessors") == []
    require(none, "preprocessors are applied")
    return {"Preprocessed Data": rows}
