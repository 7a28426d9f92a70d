"""Tools that read, hold and write records."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from veer.gui.alteryx.columns import MEMORY
from veer.gui.alteryx.config import Config, config_of
from veer.gui.alteryx.numbers import SYSTEM
from veer.gui.reading import Outputs, Step
from veer.gui.rows import Rows, Value, require, unknown_call
from veer.ir import expr as ex, types as ty
from veer.ir.digests import json_digest
from veer.ir.schema import Field
from veer.ir.writes import Write

FORMATS = {"0": "csv", "8": "excel", "19": "yxdb", "25": "excel", "37": "xml", "csv": "csv"}
SUFFIXES = {".csv": ("0", "csv"), ".xls": ("8",), ".xlsx": ("25",), ".yxdb": ("19",)}
# Options of an output with which a file holds the table and nothing else.
PLAIN_OPTIONS = {
    "CodePage": "65001",
    "Delimeter": ",",
    "ForceQuotes": "False",
    "HeaderRow": "True",
    "LineEndStyle": "CRLF",
    "OutputOption": "Overwrite",
    "PreserveFormat": "False",
    "SkipFieldNames": "False",
    "WriteBOM": "True",
}
PLAIN = {"WriteMode": "Overwrite"}
WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
# What might be taken for a number, a date, a time or a truth value.
SPECIAL = re.compile(r"[-+\d.,:/ eE$%()TtZ#]*|true|false|yes|no|nan|[+-]?inf(inity)?|null", re.I)


def file_input(step: Step) -> Outputs:
    """Input Data: a table known by its file and all options; `--schema` may declare it by its stem."""
    config, settings = config_of(step.node.settings), step.node.settings
    table, file = _table(_path(config)), config.find("File")
    assert file is not None
    limit = file.get("RecordLimit") or settings.get("record limit", "")
    stem = PurePosixPath(table).stem.lower()
    if stem in step.flow.catalog or table.lower() in step.flow.catalog:
        require(not file.get("OutputFileName"), "a column for the name of the file")
        rows = step.flow.table(table)
        if limit:
            require(limit.isascii() and limit.isdigit() and len(limit) < 10, f"{limit} records")
        return {"Output": rows.limit(int(limit)) if limit else rows}
    format_ = FORMATS.get(file.get("FileFormat"), "file")
    options = {"settings": json.dumps(settings, sort_keys=True)}
    told, memory = step.node.columns.get("Output"), f"memory of {json_digest(options)}"
    if memory in step.flow.wanted:
        told = None  # it lacks a column that is mentioned
    if told is not None:
        options[MEMORY] = memory
    rows = step.flow.table(
        table, told, format_=format_, location=table, options=options, remembered=told is not None
    )
    return {"Output": rows}


def _table(path: str) -> str:
    """What a file is called; a sheet or table of it is `book.xlsx/book_sheet`."""
    file, _, inside = path.replace("\\", "/").partition("|||")
    sheet = inside.strip("`$")
    return f"{file}/{PurePosixPath(file).stem}_{sheet}" if sheet else file


def _path(config: Config) -> str:
    """The file a tool reads or writes, maybe with a sheet or a query behind `|||`."""
    file = config.find("File")
    require(file is not None, "no file is named")
    assert file is not None
    path = file.text.strip() or file.get("FilePath") or file.get("OutputFileName")
    require(bool(path), "no file is named")
    return path


def file_output(step: Step) -> Outputs:
    """Output Data: the table that arrives, written to a file."""
    config = config_of(step.node.settings)
    target = _path(config).replace("\\", "/")
    step.sink(step.input(), target=target, write=_write(config))
    return {}


def _write(config: Config) -> Write | None:
    """How a file is written; none if it just holds the table."""
    file = config.find("File")
    assert file is not None
    options = {
        child.tag: child.text
        for above in config.children("FormatSpecificOptions")
        for child in above.children()
    }
    others = {
        c.tag: c.get("value") or c.text
        for c in config.children()
        if c.tag not in ("File", "FormatSpecificOptions")
    }
    default = {"MultiFile": "False", **PLAIN}
    unusual = {k: v for k, v in options.items() if v != PLAIN_OPTIONS.get(k)}
    unusual |= {k: v for k, v in others.items() if v != default.get(k)}
    if file.get("MaxRecords"):
        unusual["MaxRecords"] = file.get("MaxRecords")
    suffix = PurePosixPath(_path(config).replace("\\", "/").partition("|||")[0]).suffix.lower()
    if file.get("FileFormat") not in SUFFIXES.get(suffix, ()):
        unusual["FileFormat"] = file.get("FileFormat")
    if not unusual:
        return None
    kind = FORMATS.get(file.get("FileFormat"), "file")
    mode = options.get("OutputOption") or others.get("WriteMode") or ""
    return Write(kind, mode.lower(), settings=tuple(sorted(unusual.items())))


def macro_input(step: Step) -> Outputs:
    """Macro Input: whatever the workflow that uses the macro sends."""
    name = config_of(step.node.settings).text_of("Name") or step.name
    return {"Output": step.flow.table(name, format_="macro input")}


def macro_output(step: Step) -> Outputs:
    """Macro Output: what the workflow that uses the macro gets."""
    step.sink(step.input(), name=config_of(step.node.settings).text_of("Name"))
    return {}


def browse(step: Step) -> Outputs:
    """Browse: the table that arrives, shown."""
    step.sink(step.input())
    return {}


# -- rows that the workflow holds ------------------------------------------------------------------


def text_input(step: Step) -> Outputs:
    """Text Input: its rows; the types of columns are found out from what stands in them.

    Which types Alteryx finds is known for whole numbers, and for text that is nothing else. The
    values of other columns are functions of what is written, given all that is in the column.
    """
    settings = step.node.settings
    require("record limit" not in settings, "only some of the rows are read")
    config = config_of(settings)
    names = [field.get("name") for field in config.all("Fields", "Field")]
    rows = [[cell.text for cell in row.children("c")] for row in config.all("Data", "r")]
    require(bool(names) and len({n.lower() for n in names}) == len(names), "names of columns")
    require(all(len(row) == len(names) for row in rows), "rows of different lengths")
    require(config.value_of("NumRows") in ("", str(len(rows))), "another number of rows is told")
    columns = [[row[i] for row in rows] for i in range(len(names))]
    types = [_found_type(cells) for cells in columns]
    held = step.flow.values(
        [Field(name, type_ or ty.STRING) for name, type_ in zip(names, types, strict=True)],
        [tuple(_cell(text, type_) for text, type_ in zip(row, types, strict=True)) for row in rows],
    )
    unsure = [
        name
        for name, type_, cells in zip(names, types, columns, strict=True)
        if type_ is None or (type_ == ty.STRING and not all(cells))
    ]
    if not unsure:
        return {"Output": held}
    values = {
        name: _value(held, name, type_, cells)
        for name, type_, cells in zip(names, types, columns, strict=True)
    }
    return {"Output": held.select(list(values.items()))}


def _found_type(cells: Sequence[str]) -> ty.DataType | None:
    """The type that Alteryx finds for a column, if that is known."""
    filled = [text for text in cells if text]
    if filled and all(WHOLE.fullmatch(text) for text in filled):
        most = max(abs(int(text)) for text in filled)
        return ty.SHORT if most < 1 << 15 else ty.INT if most < 1 << 31 else ty.LONG
    if any(not SPECIAL.fullmatch(text) for text in filled):
        return ty.STRING
    return None


def _cell(text: str, type_: ty.DataType | None) -> Any:
    if type_ in (None, ty.STRING):
        return text or None
    return int(text) if text else None


def _value(held: Rows, name: str, type_: ty.DataType | None, cells: Sequence[str]) -> Value:
    value = held.column(name)
    if type_ is None:
        digest = json_digest(sorted(set(cells)))
        return unknown_call(SYSTEM, f"a cell of the column {digest}", value)
    if type_ == ty.STRING and not all(cells):
        empty = unknown_call(SYSTEM, "an empty cell", type_=ty.STRING).expr
        return Value(ex.Case(((ex.IsNull(value.expr), empty),), value.expr))
    return value
