"""Widgets that read: File, CSV File Import, Datasets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from veer.gui.orange import domain as orange_domain
from veer.gui.reading import Outputs, Step
from veer.gui.rows import NotModelled, Rows
from veer.ir.types import DataType

_KINDS = {
    "Orange.data.variable.ContinuousVariable": orange_domain.CONTINUOUS,
    "Orange.data.variable.DiscreteVariable": orange_domain.DISCRETE,
    "Orange.data.variable.StringVariable": orange_domain.TEXT,
    "Orange.data.variable.TimeVariable": orange_domain.TIME,
}
_FEATURE, _TARGET, _META, _SKIPPED = range(4)  # places of a variable in the editor of File
_FORMATS = {"tab": "tab", "tsv": "tab", "csv": "csv", "xlsx": "excel", "xls": "excel"}
_SAMPLES = "sample-datasets"  # what Orange calls the folder of the tables that come with it
_OWN_DATASETS = "/Orange/datasets/"  # the same, wherever Orange is installed


def file(step: Step) -> Outputs:
    """File: the rows of a file or an address, with the columns that it was last seen to have."""
    settings = step.node.settings
    path, options = _address(settings) if settings.get("source") == 1 else _path(settings)
    contexts = settings.get("context_settings", [])
    options |= _old_sheets([settings, *(contexts if isinstance(contexts, list) else [])])
    rows = _table(step, path, _format(path), options)
    if not contexts:
        return {"Data": rows}
    if not isinstance(contexts, list):
        raise NotModelled("contexts that are not understood")
    if len(contexts) > 1 or not isinstance(contexts[0], Mapping):
        return {"Data": _edited(step, rows, contexts, None)}
    return {"Data": _with_domain(step, rows, contexts[0])}


def _path(settings: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """The file that is read, the first of those used last, and what else decides how."""
    recent = settings.get("recent_paths") or settings.get("recent_files")
    if not isinstance(recent, list) or not recent:
        raise NotModelled("no file is chosen")
    if isinstance(recent[0], str):
        return path_of({"abspath": recent[0]}), {}
    state = recent[0].get("state") if isinstance(recent[0], Mapping) else None
    if not isinstance(state, Mapping):
        raise NotModelled("a path that is not understood")
    told = {name: str(state[name]) for name in ("sheet", "file_format") if state.get(name)}
    return path_of(state), told


def _old_sheets(holders: Sequence[Any]) -> dict[str, str]:
    """The sheet, where old versions kept it: in settings or contexts."""
    told = []
    for holder in holders:
        values = holder.get("values", holder) if isinstance(holder, Mapping) else None
        sheet = values.get("xls_sheet") if isinstance(values, Mapping) else None
        sheet = sheet[0] if isinstance(sheet, list) and sheet else sheet
        if sheet:
            told.append(sheet)
    return {"xls_sheet": json.dumps(told)} if told else {}


def path_of(state: Mapping[str, Any]) -> str:
    """Where a file is: by its place in a known folder, else on the machine of its author."""
    prefix, inner = state.get("prefix"), state.get("relpath")
    if isinstance(prefix, str) and prefix and isinstance(inner, str) and inner:
        inner = inner.replace("\\", "/")
        return inner if prefix == "basedir" else f"{prefix}/{inner}"
    path = state.get("abspath") or state.get("path")
    if not isinstance(path, str) or not path:
        raise NotModelled("a path that is not understood")
    path = path.replace("\\", "/")
    _, own, inner = path.partition(_OWN_DATASETS)
    return f"{_SAMPLES}/{inner}" if own else path


def _address(settings: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    recent = settings.get("recent_urls")
    address = recent[0] if isinstance(recent, list) and recent else settings.get("url")
    if not isinstance(address, str) or not address:
        raise NotModelled("no address is chosen")
    return address, {}


def _format(path: str) -> str:
    return _FORMATS.get(PurePosixPath(path).suffix.lstrip(".").lower(), "file")


def _with_domain(step: Step, rows: Rows, context: Mapping[str, Any]) -> Rows:
    """The table with what a context tells of its columns; edited ones are another table."""
    edited = _variables(context)
    if edited is None:
        return _told(rows, _original(context))
    if [(name, kind) for name, kind, _ in edited] == _original(context) and not _moved(
        context, edited
    ):
        return _told(rows, _original(context))
    orange_domain.refuse_hidden(name for name, _, _ in edited)
    fields = [(name, _type(kind)) for name, kind, place in edited if place != _SKIPPED]
    return _edited(step, rows, [context], fields)


def _told(rows: Rows, domain: Sequence[tuple[str, Any]]) -> Rows:
    """An open table has the columns that were seen in it, and maybe others."""
    orange_domain.refuse_hidden(name for name, _ in domain)
    rows.expect({name: _type(kind) for name, kind in domain})
    return rows


def _type(kind: Any) -> DataType | None:
    return orange_domain.TYPES.get(kind) if isinstance(kind, int) else None


def _original(context: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The columns as the file has them: features, targets, meta attributes."""
    return [
        (name, kind)
        for part in ("attributes", "class_vars", "metas")
        for name, kind in _listed(context.get(part))
    ]


def _listed(part: Any) -> list[tuple[str, Any]]:
    if not isinstance(part, Mapping | list | None):
        raise NotModelled("a context that does not tell its columns")
    listed = []
    for entry in part.items() if isinstance(part, Mapping) else part or []:
        match entry:
            case [str(name), kind] | (str(name), kind):
                listed.append((name, kind if isinstance(kind, int) else orange_domain.DISCRETE))
            case _:
                raise NotModelled("a context that does not tell its columns")
    return listed


def _variables(context: Mapping[str, Any]) -> list[tuple[str, int, int]] | None:
    """What the editor of File has made of the columns: name, kind and place; None if untouched."""
    values = context.get("values")
    editor = values.get("domain_editor") if isinstance(values, Mapping) else None
    variables = editor.get("variables") if isinstance(editor, Mapping) else None
    if not variables and isinstance(values, Mapping):
        variables = values.get("variables")
    if not variables:
        return None
    if not isinstance(variables, list):
        raise NotModelled("an editor of columns that is not understood")
    read = []
    for entry in variables:
        match entry:
            case [str(name), {"class": str(kind)}, int(place), *_] if kind in _KINDS:
                read.append((name, _KINDS[kind], place))
            case _:
                raise NotModelled("an editor of columns that is not understood")
    return read


def _moved(context: Mapping[str, Any], edited: Sequence[tuple[str, int, int]]) -> bool:
    """Whether a column has another role than in the file."""
    parts = ("attributes", _FEATURE), ("class_vars", _TARGET), ("metas", _META)
    places = [place for part, place in parts for _ in _listed(context.get(part))]
    return places != [place for _, _, place in edited]


def _edited(
    step: Step,
    rows: Rows,
    contexts: Sequence[Any],
    fields: Sequence[tuple[str, DataType | None]] | None,
) -> Rows:
    """The table after the editor of File has renamed, retyped or moved columns."""
    told = json.dumps([c.get("values") if isinstance(c, Mapping) else c for c in contexts])
    return step.flow.opaque(f"Orange columns edited in File: {told}", "File", [rows], fields)


def csv_import(step: Step) -> Outputs:
    """CSV File Import: the rows of a file, read as its options say."""
    items = step.node.settings.get("_session_items_v2") or step.node.settings.get("_session_items")
    match items:
        case [[dict(state), dict(options)], *_]:
            path = path_of(state)
        case [[str(path), dict(options)], *_]:
            path = path_of({"abspath": path})
        case _:
            raise NotModelled("no file is chosen")
    told = {name: json.dumps(value, sort_keys=True) for name, value in options.items()}
    return {"Data": _table(step, path, "csv", told)}


def datasets(step: Step) -> Outputs:
    """Datasets: a table of Orange's collection, by its name."""
    chosen = step.node.settings.get("selected_id")
    if isinstance(chosen, list) and all(isinstance(part, str) for part in chosen) and chosen:
        chosen = "/".join(chosen)
    if not isinstance(chosen, str) or not chosen:
        raise NotModelled("no dataset is chosen")
    return {"Data": _table(step, chosen.replace("\\", "/"), "dataset", {})}


def _table(step: Step, path: str, format_: str, options: Mapping[str, str]) -> Rows:
    rows = step.flow.table(path, format_=format_, options=options)
    orange_domain.refuse_hidden(rows.names)
    return rows
