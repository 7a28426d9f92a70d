"""Tools that split texts into columns or rows, as opaque functions of rows."""

from __future__ import annotations

from veer.gui.alteryx.columns import name_of
from veer.gui.alteryx.config import Config, config_of
from veer.gui.alteryx.numbers import SYSTEM
from veer.gui.alteryx.preparation import same_columns
from veer.gui.alteryx.storing import declare, mark_of
from veer.gui.alteryx.types import spark_type
from veer.gui.reading import Outputs, Step
from veer.gui.rows import Rows, Value, require, unknown_call
from veer.ir import types as ty
from veer.ir.digests import json_digest

MOST_PARTS = 500  # columns that a text may be split into


def _added(rows: Rows, columns: list[tuple[str, Value]]) -> Rows:
    names = {name.lower() for name in rows.names} | {name.lower() for name, _ in columns}
    require(len(names) == len(rows.names) + len(columns), "a column that is there already")
    return rows.with_columns(dict(columns))


def reg_ex(step: Step) -> Outputs:
    """RegEx: a text replaced, matched or taken apart; split into rows it is not looked into."""
    rows, config = step.input(), config_of(step.node.settings)
    source = name_of(rows, config.text_of("Field"))
    value, method = rows.column(source), config.text_of("Method")
    pattern = [config.value_of("RegExExpression"), config.value_of("CaseInsensitve")]
    match method:
        case "Replace":
            mark = mark_of(rows, source)  # what it holds is cut again
            how = json_digest([pattern, _json(config, "Replace"), mark])
            replaced = unknown_call(SYSTEM, f"replace {how}", value, type_=_same(value))
            result = rows.with_columns({source: replaced})
            rows.flow.declared.tell(result.id, {source: mark})
            return {"Output": result}
        case "Match":
            name = config.text_of("Match", "Field")
            require(bool(name), "no column for the result")
            require(not config.is_true("Match", "ErrorUnmatched"), "it stops without a match")
            how = json_digest(pattern)
            found = unknown_call(SYSTEM, f"matches {how}", value, type_=ty.BOOLEAN)
            return {"Output": _added(rows, [(name, found)])}
        case "ParseComplex":
            columns, declared = [], {}
            for place, field in enumerate(config.all("ParseComplex", "Field")):
                how = json_digest([pattern, place, field.json])
                type_ = spark_type(field.get("type"), field.get("size"))
                part = unknown_call(SYSTEM, f"group {how}", value, type_=type_)
                columns.append((field.get("field"), part))
                declared[field.get("field")] = (field.get("type"), field.get("size"))
            require(bool(columns), "no column for the parts")
            return {"Output": declare(_added(rows, columns), declared)}
        case _ if config.is_true("ParseSimple", "SplitToRows"):
            return {"Output": same_columns(step, "Output", rows)}
        case _:
            how = json_digest([pattern, _json(config, "ParseSimple")])
            split = config.find("ParseSimple") or config
            return {"Output": _added(rows, _parts(split, value, how))}


def _json(config: Config, tag: str) -> object:
    found = config.find(tag)
    return found.json if found is not None else None


def _same(value: Value) -> ty.DataType | None:
    return value.type if value.known else None


def _parts(config: Config, value: Value, how: str) -> list[tuple[str, Value]]:
    """Columns for the parts of a text: `Name1`, `Name2`."""
    root, count = config.text_of("RootName"), config.value_of("NumFields")
    require(count.isascii() and count.isdigit() and bool(root), "columns for the parts")
    require(0 < int(count) <= MOST_PARTS, f"{count} columns")
    return [
        (f"{root}{i}", unknown_call(SYSTEM, f"part {i} {how}", value, type_=ty.STRING))
        for i in range(1, int(count) + 1)
    ]


def text_to_columns(step: Step) -> Outputs:
    """Text To Columns: the parts of a text in columns; split into rows it is not looked into."""
    rows, config = step.input(), config_of(step.node.settings)
    source = name_of(rows, config.text_of("Field"))
    if not config.text_of("RootName"):
        return {"Output": same_columns(step, "Output", rows)}
    how = json_digest(config.json)
    return {"Output": _added(rows, _parts(config, rows.column(source), how))}


def auto_field(step: Step) -> Outputs:
    """Auto Field: the same values in smaller types, which depend on all rows."""
    rows = step.input()
    rows.require_known()
    return {"Output": step.opaque("Output", [(name, None) for name in rows.names])}
