"""Nodes that read tables from outside, or hold them."""

from __future__ import annotations

import json
import re
from typing import Any

from veer.gui.knime.cells import cell_type, typed_constant
from veer.gui.knime.config import Config, table, text
from veer.gui.reading import Outputs, Step
from veer.gui.rows import NotModelled, Rows, require
from veer.ir import types as ty
from veer.ir.digests import json_digest
from veer.ir.expr import Literal
from veer.ir.schema import Field

SPEC = "table_spec_config_Internals"
# Settings of readers that change neither rows nor their values.
NO_MATTER = frozenset(
    {
        SPEC,
        "autodetect_buffer_size",
        "custom_url_timeout",
        "limit_memory_per_column",
        "min_chunk_size_in_bytes",
        "max_num_chunks_per_file",
        "spaceName",
        "ConnectTimeoutInSeconds",
    }
)
SAME_TYPE = re.compile(r"class ([\w.]+)->\1")
MOST_CELLS = 100_000
DIGITS = re.compile(r"[+-]?[0-9]{1,19}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def read_new_reader(format_: str) -> Any:
    """The model of a reader with a file chooser, and the columns of its file in its settings."""

    def read(step: Step) -> Outputs:
        model = step.node.settings["model"]
        require(len(step.inputs) == 0, "the path comes from elsewhere")
        path, system = _chosen_file(model)
        spec = table(model, SPEC)
        columns = _spec_columns(spec)
        require(
            table(model, "advanced_settings").get("append_path_column_Internals") is not True,
            "the path is a column",
        )
        declared = step.flow.catalog.get(path.lower()) or _by_stem(step, path)
        if declared is not None:
            _require_all_rows(model)
        rows = step.flow.table(
            path,
            [(column.external, column.type) for column in columns] or None,
            format_=format_,
            location=path,
            options={"file system": system, "settings": _digest(model), **_unusual(spec)},
        )
        return {"1": _transformed(rows, columns)}

    return read


def _unusual(spec: Config) -> dict[str, str]:
    """How columns are read, where their names and types do not tell it all."""
    transformation = table(spec, "table_transformation")
    told = {k: v for k, v in transformation.items() if k != "columns"}
    for key, column in table(transformation, "columns").items():
        path, external = table(column, "production_path"), text(column, "external_spec", "name")
        converter, producer = text(path, "_converter"), text(path, "_producer")
        as_it_is = SAME_TYPE.fullmatch(producer) or not producer
        configs = {k: v for k, v in path.items() if k.endswith("_config") and v}
        if key.isdecimal() and (cell_type(converter) is None or not as_it_is or configs):
            told[f"column {external}"] = [converter, producer, configs]
    return {"columns": json_digest(told)[:16]} if told else {}


def _by_stem(step: Step, path: str) -> Any:
    stem = path.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
    return step.flow.catalog.get(stem.lower())


def _digest(model: Config) -> str:
    return json_digest(_without(model))[:16]


def _without(settings: Any) -> Any:
    if isinstance(settings, list):
        return [_without(value) for value in settings]
    if not isinstance(settings, dict):
        return settings
    return {k: _without(v) for k, v in settings.items() if k not in NO_MATTER}


def _chosen_file(model: Config) -> tuple[str, str]:
    """The path of the file, and the file system it is in."""
    for holder in ("file_selection", "file_chooser_settings"):
        selection = table(model, "settings", holder)
        if selection:
            break
    path = text(selection, "path", "path").replace("\\", "/")
    mode = text(selection, "filter_mode", "filter_mode")
    require(bool(path), "no path")
    require(mode in ("FILE", ""), f"more than one file is read ({mode})")
    system = text(selection, "path", "file_system_type")
    specifier = text(selection, "path", "file_system_specifier")
    return path, " ".join(part for part in (system, specifier) if part)


def _require_all_rows(model: Config) -> None:
    """A table that `--schema` declares is what the file holds: a reader that skips rows reads less."""
    limits = table(model, "limit_rows")
    for key in ("skip_lines", "skip_data_rows", "limit_data_rows"):
        require(limits.get(key) is not True, "only some rows of the file are read")
    require(not _is_partial(model), "only a part of the sheet is read")


def _is_partial(settings: Any) -> bool:
    """Whether some setting says that not all of a sheet is read."""
    if isinstance(settings, list):
        return any(map(_is_partial, settings))
    if not isinstance(settings, dict):
        return False
    area = settings.get("sheet_area")
    return area not in (None, "ENTIRE") or any(map(_is_partial, settings.values()))


class Column:
    """A column of a file, and what becomes of it."""

    def __init__(self, external: str, name: str, type_: ty.DataType | None, keep: bool) -> None:
        self.external, self.name, self.type, self.keep = external, name, type_, keep


def _spec_columns(spec: Config) -> list[Column]:
    """The columns of the file, by the place they get in the table."""
    placed: list[tuple[int, Column]] = []
    columns = table(spec, "table_transformation", "columns")
    for key, column in columns.items():
        if not key.isdecimal() or not isinstance(column, dict):
            continue
        external, name = text(column, "external_spec", "name"), text(column, "name")
        position = column.get("position")
        if not external or not name or not isinstance(position, int):
            raise NotModelled("a column without a name in the specification of the file")
        type_ = cell_type(text(column, "production_path", "_converter"))
        placed.append((position, Column(external, name, type_, column.get("keep") is True)))
    return [column for _, column in sorted(placed, key=lambda p: p[0])]


def _transformed(rows: Rows, columns: list[Column]) -> Rows:
    """The columns the reader keeps, under the names it gives them."""
    if not columns:
        return rows
    for column in columns:
        value = rows.column(column.external)
        if column.type is not None and value.known and value.type != column.type:
            raise NotModelled(
                f"{column.external!r} is declared as {value.type}, but read as {column.type}"
            )
    kept = [column for column in columns if column.keep]
    if [c.name for c in kept] == list(rows.names) == [c.external for c in columns]:
        return rows
    return rows.select([(c.name, rows.column(c.external)) for c in kept])


def read_file_reader(step: Step) -> Outputs:
    """The File Reader of old: one file, columns with types."""
    model = step.node.settings["model"]
    path = text(model, "DataURL").replace("\\", "/")
    require(bool(path), "no path")
    fields: list[tuple[str, ty.DataType | None]] = []
    properties = table(model, "ColumnProperties")
    given = model.get("ColumnProperties")
    listed = given if isinstance(given, list) else [properties[k] for k in _numbered(properties)]
    for column in listed:
        if table(column).get("SkipThisColumn") is not True:
            fields.append((text(column, "ColumnName"), cell_type(_class(column))))
    require(all(name for name, _ in fields), "a column without a name")
    if _by_stem(step, path) is not None or path.lower() in step.flow.catalog:
        for key, all_rows in (("MaxNumOfRows", -1), ("SkipFirstLines", 0)):
            require(model.get(key, all_rows) == all_rows, "only some rows of the file are read")
    rows = step.flow.table(
        path, fields or None, format_="csv", location=path, options={"settings": _digest(model)}
    )
    return {"1": rows}


def read_old_csv(step: Step) -> Outputs:
    """The CSV Reader of old, which tells no columns."""
    model = step.node.settings["model"]
    path = text(model, "url").replace("\\", "/")
    require(bool(path), "no path")
    if _by_stem(step, path) is not None or path.lower() in step.flow.catalog:
        for key in ("limitRowsCount", "skipFirstLinesCount"):
            require(model.get(key, -1) in (-1, 0), "only some rows of the file are read")
        require(model.get("hasColHeader") is True, "a file without names of columns")
    options = {"settings": _digest({k: v for k, v in model.items() if k != "url"})}
    delimiter = text(model, "colDelimiter") if model.get("hasColHeader") is True else ""
    if model.get("hasRowHeader") is True:
        delimiter = ""  # the first column of the file becomes the RowID
    rows = step.flow.table(
        path, None, format_="csv", location=path, options=options, delimiter=delimiter
    )
    return {"1": rows}


def _numbered(config: Config) -> list[str]:
    return sorted((k for k in config if k.isdecimal()), key=int)


def _class(column: Any) -> str:
    return text(column, "ColumnClass", "cell_class")


# -- tables in the workflow ------------------------------------------------------------------------


def read_table_creator(step: Step) -> Outputs:
    """Rows that were typed in."""
    model = step.node.settings["model"]
    columns = _creator_columns(model)
    rows, places, values = (model.get(k) for k in ("rowIndices", "columnIndices", "values"))
    if not (isinstance(rows, list) and isinstance(places, list) and isinstance(values, list)):
        raise NotModelled("no lists of cells")
    require(len(rows) == len(places) == len(values), "lists of cells of different lengths")
    require(len(values) <= MOST_CELLS, "too many cells")
    number = max((r for r in rows if isinstance(r, int)), default=-1) + 1
    require(number * max(len(columns), 1) <= MOST_CELLS, "too many cells")
    cells: list[list[Any]] = [[None] * len(columns) for _ in range(number)]
    by_place = {place: index for index, (place, _, _, _) in enumerate(columns)}
    for row, place, value in zip(rows, places, values, strict=True):
        if not isinstance(row, int) or row < 0 or not isinstance(value, str):
            raise NotModelled("a cell at no place")
        if place not in by_place:
            raise NotModelled("a cell of a column that has no name")
        index = by_place[place]
        _, _, type_, missing = columns[index]
        cells[row][index] = _cell(value, type_, missing)
    fields = [Field(name, type_) for _, name, type_, _ in columns]
    require(bool(fields), "a table without columns")
    require(len({f.name for f in fields}) == len(fields), "two columns of one name")
    return {"1": step.flow.values(fields, [tuple(row) for row in cells])}


def _creator_columns(model: Config) -> list[tuple[int, str, ty.DataType, str | None]]:
    """Place, name, type and what stands for missing, of each column."""
    given = model.get("columnProperties")
    numbered = (
        list(enumerate(given))
        if isinstance(given, list)
        else [(int(k), table(model, "columnProperties")[k]) for k in _numbered(table(given or {}))]
    )
    columns: list[tuple[int, str, ty.DataType, str | None]] = []
    for place, column in numbered:
        name, type_ = text(column, "ColumnName"), cell_type(_class(column))
        if type_ not in (ty.INT, ty.LONG, ty.DOUBLE, ty.STRING) or not name:
            raise NotModelled(f"a column of type {_class(column)}")
        require(table(column).get("SkipThisColumn") is not True, "a column is skipped")
        require(table(column).get("FormatParameter") in (None, ""), "a format of values")
        columns.append((place, name, type_, table(column).get("MissValuePattern")))
    return columns


def _cell(value: str, type_: ty.DataType, missing: str | None) -> Any:
    if value == missing:
        return None
    if type_ == ty.STRING and value:
        return value
    if type_ in (ty.INT, ty.LONG) and DIGITS.fullmatch(value):
        literal = typed_constant(int(value), type_).expr
        return literal.value if isinstance(literal, Literal) else None
    if type_ == ty.DOUBLE and NUMBER.fullmatch(value):
        return float(value)
    raise NotModelled(f"a cell that is no {type_}: {json.dumps(value[:40])}")
