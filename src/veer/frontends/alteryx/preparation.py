"""Tools that prepare one table: they keep, change, order and number its rows."""

from __future__ import annotations

from veer.frontends.alteryx.columns import column, has_column, name_of
from veer.frontends.alteryx.config import config_of
from veer.frontends.alteryx.meaning import Meaning
from veer.frontends.alteryx.numbers import SYSTEM
from veer.frontends.alteryx.selecting import selection, stored_as
from veer.frontends.alteryx.types import spark_type
from veer.frontends.gui.reading import Fields, Outputs, Step
from veer.frontends.gui.rows import NotModelled, Rows, Value, require, unknown_call
from veer.model.expr import IsNull, Not, SortKey
from veer.model.nullability import is_nullable
from veer.model.types import (
    BOOLEAN,
    DATE,
    INT,
    TIMESTAMP_NTZ,
    DecimalType,
    IntegralType,
)


def meaning_of(step: Step, rows: Rows) -> Meaning:
    """Formulas of a tool over a table."""
    return Meaning(rows, step.node.settings.get("constants"))


def filter_rows(step: Step) -> Outputs:
    """Filter: rows on which the condition is true, and all others."""
    rows = step.input()
    formula = config_of(step.node.settings).text_of("Expression")
    require(bool(formula.strip()), "no condition")
    condition = meaning_of(step, rows).condition_of(formula)
    step.port("True")
    passing = rows.filter(condition)
    step.port("False")
    return {"True": passing, "False": rows.filter(Not(condition))}


def formula(step: Step) -> Outputs:
    """Formula: columns computed one after the other, each from those before it."""
    rows = step.input()
    fields = list(config_of(step.node.settings).all("FormulaFields", "FormulaField"))
    require(bool(fields), "no formula")
    for field in fields:
        require(field.get("enabled", "True") == "True", "a formula that is switched off")
        name, type_, size = field.get("field"), field.get("type"), field.get("size")
        require(bool(name), "a formula without a column")
        known = next((n for n in rows.names if n.lower() == name.lower()), name)
        if known in rows.names and known not in rows.unknown:
            same = rows.column(known).type == spark_type(type_, size)
            require(same, f"the type of the column {name!r} is told differently")
        meaning = meaning_of(step, rows)
        value = meaning.of(field.get("expression"))
        rows = rows.with_columns({known: meaning.stored(value, type_, size)})
    return {"Output": rows}


def select(step: Step) -> Outputs:
    """Select: columns that pass, their names, types and order."""
    rows = step.input()
    chosen = selection(config_of(step.node.settings))
    for one in chosen.listed:
        has_column(rows, one.field)  # an open table has what is listed
    columns = [(name, name, value) for name, value in rows.items()]
    passing = chosen.apply(columns, stored_as(meaning_of(step, rows)))
    return {"Output": rows.select(passing, others=chosen.others)}


def sort(step: Step) -> Outputs:
    """Sort: numbers and dates in their order, texts in one that nobody looks into."""
    rows = step.input()
    config = config_of(step.node.settings)
    fields = [*config.all("SortInfo", "Field"), *config.all("SortFields", "SortField")]
    require(bool(fields), "no column to sort by")
    info = config.find("SortInfo")
    locale = info.get("locale") if info is not None else ""
    keys: list[SortKey] = []
    for field in fields:
        order = field.get("order")
        require(order in ("Ascending", "Descending"), f"the order {order!r}")
        keys += _sort_keys(rows, column(rows, field.get("field")), order == "Ascending", locale)
    return {"Output": rows.sort(keys)}


def _sort_keys(rows: Rows, value: Value, ascending: bool, locale: str) -> list[SortKey]:
    exact = isinstance(value.type, IntegralType | DecimalType) or value.type in (
        DATE,
        TIMESTAMP_NTZ,
        BOOLEAN,
    )
    if not value.known or not exact:
        place = unknown_call(SYSTEM, f"place in the order {locale}", value)
        return [SortKey(place.expr, ascending, ascending)]
    keys = [SortKey(value.expr, ascending, ascending)]
    if is_nullable(value.expr, rows.schema):
        null = unknown_call(SYSTEM, "place of null", Value(IsNull(value.expr)), type_=INT)
        keys.insert(0, SortKey(null.expr, ascending, ascending))
    return keys


def sample(step: Step) -> Outputs:
    """Sample: the first rows, or all but the first, in the order in which they arrive."""
    rows = step.input()
    config = config_of(step.node.settings)
    mode, count = config.text_of("Mode"), config.text_of("N")
    grouped = [field.get("name") for field in config.all("GroupFields", "Field")]
    if count.isascii() and count.isdigit() and len(count) < 10 and not grouped:
        if mode == "First":
            return {"Output": rows.limit(int(count))}
        if mode == "Skip":
            return {"Output": rows.limit(None, int(count))}
    # Which rows are the first of their group depends on the order in which they arrive.
    return {"Output": same_columns(step, "Output", rows)}


def unique(step: Step) -> Outputs:
    """Unique: the first row of those that are equal in some columns, and the others."""
    rows = step.input()
    fields = [f.get("field") for f in config_of(step.node.settings).all("UniqueFields", "Field")]
    require(bool(fields), "no column to compare")
    keys = {name_of(rows, field) for field in fields}
    step.port("Duplicates")
    duplicates = same_columns(step, "Duplicates", rows)
    step.port("Unique")
    if keys == set(rows.names) and not rows.is_open:
        return {"Unique": rows.distinct(), "Duplicates": duplicates}
    return {"Unique": same_columns(step, "Unique", rows), "Duplicates": duplicates}


def record_id(step: Step) -> Outputs:
    """Record ID: rows numbered in the order in which they arrive."""
    rows = step.input()
    config = config_of(step.node.settings)
    name, type_ = config.text_of("FieldName"), config.text_of("FieldType")
    require(bool(name), "no name of a column")
    added = (name, spark_type(type_, config.text_of("FieldSize")))
    return {"Output": same_columns(step, "Output", rows, [added])}


def multi_row_formula(step: Step) -> Outputs:
    """Multi-Row Formula: a column computed from the rows before and after."""
    rows = step.input()
    config = config_of(step.node.settings)
    if config.is_true("UpdateField"):
        return {"Output": same_columns(step, "Output", rows)}
    name = config.text_of("CreateField_Name")
    type_ = spark_type(config.text_of("CreateField_Type"), config.text_of("CreateField_Size"))
    require(bool(name), "no name of a column")
    return {"Output": same_columns(step, "Output", rows, [(name, type_)])}


def same_columns(step: Step, port: str, rows: Rows, added: Fields = ()) -> Rows:
    """A tool that is not looked into, which keeps the columns of a table and adds some."""
    if rows.is_open:
        return step.opaque(port)
    fields = [(n, v.type if v.known else None) for n, v in rows.items()]
    names = {name.lower() for name, _ in fields}
    if any(name.lower() in names for name, _ in added):
        raise NotModelled("a column that is there already")
    return step.opaque(port, [*fields, *added])


def pass_on(step: Step) -> Outputs:
    """Block Until Done: the rows, at one output after the other."""
    rows = step.input()
    return dict.fromkeys(step.node.outputs, rows)
