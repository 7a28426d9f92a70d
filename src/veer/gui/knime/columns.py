"""Nodes that choose, name and arrange columns, and writers."""

from __future__ import annotations

import re
from typing import Any

from veer.gui import rows as gui_rows
from veer.gui.knime.cells import cell_type, typed_constant
from veer.gui.knime.config import Config, names, table, text
from veer.gui.reading import Outputs, Step
from veer.ir.types import DOUBLE, INT, LONG, STRING
from veer.ir.writes import Write
from veer.read import coercion


def model_of(step: Step) -> Config:
    """The settings of a node."""
    return table(step.node.settings, "model")


def chosen(rows: gui_rows.Rows, choice: Any) -> list[str]:
    """The names of columns a choice takes, in the order of the table.

    A name that no column has is passed over, as KNIME does; an open table has what is named.
    """
    if not isinstance(choice, dict):
        raise gui_rows.NotModelled("no choice of columns")
    if "include" in choice:
        included = names(choice, "include")
        if rows.is_open:
            rows.expect(dict.fromkeys(included))
        return [name for name in rows.names if name in set(included)]
    rows.require_known()
    if "exclude" in choice:
        excluded = set(names(choice, "exclude"))
        return [name for name in rows.names if name not in excluded]
    if "pattern" in choice:
        return [name for name in rows.names if _matches(name, table(choice, "pattern"))]
    raise gui_rows.NotModelled("columns are chosen by their types")


def _matches(name: str, pattern: Config) -> bool:
    """Whether the name of a column matches a pattern."""
    written, kind = text(pattern, "pattern"), text(pattern, "type")
    if kind != "Wildcard" or not re.fullmatch(r"[\w \-*?]*", written, re.ASCII):
        raise gui_rows.NotModelled("columns are chosen by a regular expression")
    case_sensitive = pattern.get("caseSensitive") is True
    gui_rows.require(case_sensitive or name.isascii(), "a pattern that takes no account of case")
    regex = written.replace("-", r"\-").replace("*", ".*").replace("?", ".")
    flags = re.DOTALL | (0 if case_sensitive else re.IGNORECASE)
    found = re.fullmatch(regex, name, flags) is not None
    return found is not (pattern.get("excludeMatching") is True)


def filter_columns(step: Step) -> Outputs:
    """Column Filter."""
    rows, choice = step.input("1"), model_of(step).get("column-filter")
    if choice is None:
        choice = model_of(step).get("columnFilter")
    if isinstance(choice, dict) and "exclude" in choice and rows.is_open:
        rows.expect(dict.fromkeys(names(choice, "exclude")))
        return {"1": rows.drop(names(choice, "exclude"))}
    kept = chosen(rows, choice)
    if kept == list(rows.names) and not rows.is_open:
        return {"1": rows}
    return {"1": rows.select([(name, rows.column(name)) for name in kept])}


def filter_columns_of_old(step: Step) -> Outputs:
    """The Column Filter of old, which lists the columns that go."""
    rows = step.input("1")
    gone = model_of(step).get("exclude")
    gui_rows.require(isinstance(gone, list), "no list of columns")
    excluded = names(model_of(step), "exclude")
    if not rows.is_open:
        excluded = [name for name in excluded if name in rows.names]
    return {"1": rows.drop(excluded) if excluded else rows}


def rename_columns(step: Step) -> Outputs:
    """Column Renamer."""
    renamings = model_of(step).get("renamings")
    pairs = [(text(r, "oldName"), text(r, "newName")) for r in _listed(renamings)]
    return {"1": _renamed(step.input("1"), pairs)}


def rename_columns_of_old(step: Step) -> Outputs:
    """Column Rename, which may also change types."""
    pairs = []
    for column in _listed(model_of(step).get("all_columns")):
        gui_rows.require(
            column.get("new_column_type") in (0, None), "the type of a column is changed"
        )
        old, new = text(column, "old_column_name"), text(column, "new_column_name")
        pairs.append((old, new or old))
    return {"1": _renamed(step.input("1"), pairs)}


def _listed(config: Any) -> list[Config]:
    if isinstance(config, list):
        return [table(entry) for entry in config]
    numbered = table(config or {})
    return [table(numbered[key]) for key in sorted((k for k in numbered if k.isdecimal()), key=int)]


def _renamed(rows: gui_rows.Rows, pairs: list[tuple[str, str]]) -> gui_rows.Rows:
    gui_rows.require(all(old and new for old, new in pairs), "a column without a name")
    if not rows.is_open:
        pairs = [(old, new) for old, new in pairs if old in rows.names]
    changed = {old: new for old, new in pairs if old != new}
    gui_rows.require(len({old for old, _ in pairs}) == len(pairs), "a column is renamed twice")
    return rows.rename(changed) if changed else rows


def arrange_columns(step: Step) -> Outputs:
    """Column Resorter: the columns in another order; `<any unknown new column>` stands for others."""
    rows, order = step.input("1"), names(model_of(step), "ColumnOrder")
    gui_rows.require(bool(order), "no order of columns")
    rows.require_known()
    others = [name for name in rows.names if name not in set(order)]
    arranged: list[str] = []
    placed = False
    for name in order:
        if name in rows.names:
            arranged.append(name)
        elif name == "<any unknown new column>":
            arranged += others
            placed = True
    if not placed:
        arranged += others
    return {"1": rows.select([(name, rows.column(name)) for name in arranged])}


def add_constant(step: Step) -> Outputs:
    """Constant Value Column, as it was before several columns could be given."""
    model, rows = model_of(step), step.input("1")
    written, kind = model.get("column-value"), text(model, "column-type")
    replaced, name = text(model, "replaced-column"), text(model, "new-column-name")
    if not isinstance(written, str):
        raise gui_rows.NotModelled("no value")
    match kind:
        case "STRING":
            value = gui_rows.constant(written, STRING)
        case "INT" if re.fullmatch(r"-?[0-9]{1,10}", written):
            value = typed_constant(int(written), INT)
        case "DOUBLE" if re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", written):
            value = gui_rows.constant(float(written), DOUBLE)
        case _:
            raise gui_rows.NotModelled(f"a constant of type {kind}")
    if replaced:
        rows.column(replaced)
        return {"1": rows.with_columns({replaced: value})}
    return {"1": rows.with_columns({free_name(rows, name): value})}


def free_name(rows: gui_rows.Rows, name: str) -> str:
    """A name for a new column, as KNIME makes it where one is there already: `name (#1)`."""
    gui_rows.require(bool(name), "a column without a name")
    rows.require_known()
    if name in rows.names:
        # KNIME counts on from a number that a name ends with, and leaves out blanks around it.
        plain = name == name.strip() and re.search(r"\(#\d+\)$", name) is None
        gui_rows.require(plain, "a new name for a column that is there already")
    free, number = name, 0
    while free in rows.names:
        number += 1
        free = f"{name} (#{number})"
    return free


def fill_missing(step: Step) -> Outputs:
    """Missing Value, as far as constants take the place of missing values."""
    model, rows = model_of(step), step.input("1")
    rows.require_known()
    own: dict[str, Config] = {}
    for entry in _listed(model.get("columnSettings")):
        gui_rows.require(bool(names(entry, "colNames")), "columns without names")
        for name in names(entry, "colNames"):
            own[name] = table(entry, "settings") or entry
    by_type = table(model, "dataTypeSettings")
    filled: dict[str, gui_rows.Value] = {}
    for name, value in rows.items():
        handler = own.get(name) or _handler(by_type, value)
        if handler is None:
            continue
        factory = text(handler, "factoryID").rpartition(".")[2]
        if factory == "DoNothingMissingCellHandlerFactory":
            continue
        filled[name] = _filled(value, factory, table(handler, "settings"))
    return {"1": rows.with_columns(filled) if filled else rows}


def _handler(by_type: Config, value: gui_rows.Value) -> Config | None:
    """What is set for all columns of a type."""
    if not value.known:
        if by_type:
            raise gui_rows.NotModelled("a column of unknown type")
        return None
    for name, handler in by_type.items():
        type_ = cell_type(name)
        if type_ == value.type:
            return table(handler)
    return None


def _filled(value: gui_rows.Value, factory: str, settings: Config) -> gui_rows.Value:
    match factory:
        case "FixedIntegerValueMissingCellHandlerFactory" if value.type in (INT, LONG):
            given = typed_constant(settings.get("fixIntegerValue"), value.type)
        case "FixedDoubleValueMissingCellHandlerFactory" if value.type == DOUBLE:
            given = typed_constant(settings.get("fixDoubleValue"), DOUBLE)
        case "FixedStringValueMissingCellHandlerFactory" if value.type == STRING:
            given = typed_constant(settings.get("fixStringValue"), STRING)
        case _:
            raise gui_rows.NotModelled(f"missing values are replaced by {factory}")
    return gui_rows.Value(coercion.call("coalesce", value.expr, given.expr))


# -- writers -----------------------------------------------------------------------------------------


def write_csv(step: Step) -> Outputs:
    """CSV Writer; what the file looks like does not count, its rows do."""
    settings = table(model_of(step), "settings")
    gui_rows.require(settings.get("write_row_header") is not True, "RowIDs are written")
    chooser = table(settings, "file_chooser_settings")
    path = text(chooser, "path", "path").replace("\\", "/")
    gui_rows.require(bool(path), "no path")
    policy = text(chooser, "if_path_exists") or text(chooser, "file_overwrite_policy")
    kind, specifier = (text(chooser, "path", f"file_system_{k}") for k in ("type", "specifier"))
    system = f"{kind} {specifier}".strip()
    step.sink(_only_table(step), target=path, write=_write(path, policy, system))
    return {}


def write_csv_of_old(step: Step) -> Outputs:
    """The CSV Writer of old."""
    model = model_of(step)
    gui_rows.require(model.get("writeRowHeader") is not True, "RowIDs are written")
    path = text(model, "filename").replace("\\", "/")
    gui_rows.require(bool(path), "no path")
    policy = text(model, "fileOverwritePolicy")
    step.sink(_only_table(step), target=path, write=_write(path, policy.lower(), ""))
    return {}


def _only_table(step: Step) -> gui_rows.Rows:
    """What is written; beside a connection to a file system it arrives elsewhere."""
    gui_rows.require(len(step.inputs) == 1, "the file is in a file system that is connected")
    return step.input("1")


def _write(path: str, policy: str, system: str) -> Write | None:
    """How a file is written; none if it just holds the table, and the path tells where it is."""
    is_absolute = re.match(r"/|[A-Za-z]:", path) is not None
    plain = ("", "LOCAL") if is_absolute else ("", "RELATIVE knime.workflow")
    settings = () if system in plain else (("file system", system),)
    if policy in ("", "overwrite") and not settings:
        return None
    return Write("csv", policy, settings=settings)
