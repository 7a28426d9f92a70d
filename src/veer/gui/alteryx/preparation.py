"""Tools that prepare one table: they keep, change, order and number its rows."""

from __future__ import annotations

import re

from veer.gui import rows as gui_rows
from veer.gui.alteryx import formulas
from veer.gui.alteryx.columns import column, doubt_memory, name_of, want_all
from veer.gui.alteryx.config import Config, config_of
from veer.gui.alteryx.meaning import Meaning, may_choose
from veer.gui.alteryx.numbers import SYSTEM, is_number, number
from veer.gui.alteryx.selecting import selection
from veer.gui.alteryx.storing import declare, stored, stored_again
from veer.gui.alteryx.types import spark_type
from veer.gui.reading import Fields, Outputs, Step
from veer.ir import expr as ex, types as ty
from veer.ir.digests import json_digest
from veer.ir.expr import IsNull
from veer.ir.nullability import is_nullable

STALE = "what is chosen from lists is not what the formula says"


def meaning_of(step: Step, rows: gui_rows.Rows) -> Meaning:
    """Formulas of a tool over a table."""
    return Meaning(rows, step.node.settings.get("constants"))


def filter_rows(step: Step) -> Outputs:
    """Filter: rows on which the condition is true, and all others."""
    rows = step.input()
    config, meaning = config_of(step.node.settings), meaning_of(step, rows)
    formula, simple = config.text_of("Expression"), config.find("Simple")
    conditions = [meaning.condition_of(formula)] if formula.strip() else []
    if config.text_of("Mode") == "Simple" and simple is not None:
        known = column(rows, simple.text_of("Field")).known
        if conditions and not known:
            gui_rows.require(_says_the_same(formula, simple), STALE)
        else:
            conditions.append(_simple_condition(meaning, simple))
    mode = config.text_of("Mode")
    gui_rows.require(mode in ("", "Custom", "Simple"), f"a condition of the mode {mode!r}")
    gui_rows.require(bool(conditions), "no condition")
    gui_rows.require(len(set(conditions)) == 1, STALE)
    condition = conditions[0]
    step.port("True")
    passing = rows.filter(condition)
    step.port("False")
    return {"True": passing, "False": rows.filter(ex.Not(condition))}


def _simple_condition(meaning: Meaning, simple: Config) -> ex.Expr:
    """A condition that is chosen from lists: a column, an operator, and what to compare with."""
    operator, value = simple.text_of("Operator"), column(meaning.rows, simple.text_of("Field"))
    negated = operator.replace("IsNot", "Is")
    if negated in ("IsNull", "IsEmpty"):
        condition = meaning.condition(meaning.apply(negated.lower(), [value]))
        return ex.Not(condition) if negated != operator else condition
    operand = _operand(simple, value)
    if operand is None or operator not in ("=", "!=", "<", "<=", ">", ">="):
        whole = json_digest(simple.json)
        return meaning.condition(
            gui_rows.unknown_call(SYSTEM, f"condition {whole}", value, type_=ty.BOOLEAN)
        )
    return meaning.condition(meaning.compare(operator, value, operand))


def _says_the_same(formula: str, simple: Config) -> bool:
    """Whether a formula is how Designer writes what is chosen from lists, of a column of any type."""
    field, operator = formulas.FieldOf(simple.text_of("Field")), simple.text_of("Operator")
    operand = simple.text_of("Operands", "Operand")
    if operator.startswith("Is"):
        asked: formulas.Tree = formulas.CallOf(operator.replace("IsNot", "Is").lower(), (field,))
        return formulas.parse(formula) == (
            formulas.Operation("not", (asked,)) if "IsNot" in operator else asked
        )
    if simple.text_of("Operands", "DateType") not in ("", "fixed"):
        return False
    if operator in ("Contains", "NotContains"):
        held: formulas.Tree = formulas.CallOf("contains", (field, formulas.Text(operand)))
        return formulas.parse(formula) == (
            formulas.Operation("not", (held,)) if operator != "Contains" else held
        )
    wanted = (formulas.Text(operand), formulas.Number(operand))
    return formulas.parse(formula) in [
        formulas.Operation(operator, (field, constant)) for constant in wanted
    ]


def _operand(simple: Config, value: gui_rows.Value) -> gui_rows.Value | None:
    """The constant a column is compared with, by the type of the column."""
    text = simple.text_of("Operands", "Operand")
    if not value.known or simple.text_of("Operands", "DateType") not in ("", "fixed"):
        return None
    if is_number(value) and re.fullmatch(r"-?\d{1,15}(\.\d{1,9})?", text):
        constant = number(text.removeprefix("-"))
        return constant if text[0] != "-" else gui_rows.Value(_turned(constant))
    if value.type == ty.STRING or (
        value.type == ty.DATE and re.fullmatch(r"\d{4}-\d\d-\d\d", text)
    ):
        return gui_rows.Value(ex.Literal(text, ty.STRING))
    return None


def _turned(constant: gui_rows.Value) -> ex.Literal:
    """A constant number with its sign turned."""
    assert isinstance(constant.expr, ex.Literal)
    return ex.Literal(-constant.expr.value, constant.type)


def formula(step: Step) -> Outputs:
    """Formula: columns computed one after the other, each from those before it."""
    rows = step.input()
    fields = list(config_of(step.node.settings).all("FormulaFields", "FormulaField"))
    for field in fields:
        gui_rows.require(field.get("enabled", "True") == "True", "a formula that is switched off")
        name, type_, size = field.get("field"), field.get("type"), field.get("size")
        gui_rows.require(bool(name), "a formula without a column")
        known = next((n for n in rows.names if n.lower() == name.lower()), name)
        if known in rows.names and known not in rows.unknown:
            same = rows.column(known).type == spark_type(type_, size)
            gui_rows.require(same, f"the type of the column {name!r} is told differently")
        value = meaning_of(step, rows).of(field.get("expression"))
        if known in rows.names:
            rows = stored_again(rows, known, value, type_, size)
        else:
            rows = rows.with_columns({known: stored(value, type_, size)})
            declare(rows, {known: (type_, size)})
    return {"Output": rows}


def select(step: Step) -> Outputs:
    """Select: columns that pass, their names, types and order."""
    rows = step.input()
    chosen = selection(config_of(step.node.settings))
    want_all(rows, (one.field for one in chosen.listed))  # an open table has what is listed
    doubt_memory(rows, (one.field for one in chosen.listed))
    columns = [(name, name, value) for name, value in rows.items()]
    passing = chosen.apply(columns)
    result = rows.select(passing, others=rows.is_open and chosen.others)
    return {"Output": chosen.declared(result, columns)}


def sort(step: Step) -> Outputs:
    """Sort: numbers and dates in their order, texts in an unknown order."""
    rows = step.input()
    config = config_of(step.node.settings)
    fields = [*config.all("SortInfo", "Field"), *config.all("SortFields", "SortField")]
    gui_rows.require(bool(fields), "no column to sort by")
    info = config.find("SortInfo")
    locale = info.get("locale") if info is not None else ""
    keys: list[ex.SortKey] = []
    for field in fields:
        order = field.get("order")
        gui_rows.require(order in ("Ascending", "Descending"), f"the order {order!r}")
        keys += _sort_keys(rows, column(rows, field.get("field")), order == "Ascending", locale)
    return {"Output": rows.sort(keys)}


def _sort_keys(
    rows: gui_rows.Rows, value: gui_rows.Value, ascending: bool, locale: str
) -> list[ex.SortKey]:
    exact = isinstance(value.type, ty.IntegralType | ty.DecimalType) or value.type in (
        ty.DATE,
        ty.TIMESTAMP_NTZ,
        ty.BOOLEAN,
    )
    if not value.known or not exact:
        place = gui_rows.unknown_call(SYSTEM, f"place in the order {locale}", value)
        return [ex.SortKey(place.expr, ascending, ascending)]
    keys = [ex.SortKey(value.expr, ascending, ascending)]
    if is_nullable(value.expr, rows.schema):
        null = gui_rows.unknown_call(
            SYSTEM, "place of null", gui_rows.Value(IsNull(value.expr)), type_=ty.INT
        )
        keys.insert(0, ex.SortKey(null.expr, ascending, ascending))
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
    free = mode not in ("First", "Last", "Skip", "Sample")
    return {"Output": same_columns(step, "Output", rows, free=free)}


def unique(step: Step) -> Outputs:
    """Unique: the first row of those that are equal in some columns, and the others."""
    rows = step.input()
    fields = [f.get("field") for f in config_of(step.node.settings).all("UniqueFields", "Field")]
    gui_rows.require(bool(fields), "no column to compare")
    want_all(rows, fields)
    keys = {name_of(rows, field) for field in fields}
    step.port("Duplicates")
    duplicates = same_columns(step, "Duplicates", rows)
    step.port("Unique")
    # Which of 0.0 and -0.0, and which of texts that differ in case alone, are equal is not known.
    unsure = any(v.type in (ty.DOUBLE, ty.FLOAT, ty.STRING) for _, v in rows.items())
    if keys == set(rows.names) and not rows.is_open and not unsure:
        return {"Unique": rows.distinct(), "Duplicates": duplicates}
    return {"Unique": same_columns(step, "Unique", rows), "Duplicates": duplicates}


def record_id(step: Step) -> Outputs:
    """Record ID: rows numbered in the order in which they arrive."""
    rows = step.input()
    config = config_of(step.node.settings)
    name, type_ = config.text_of("FieldName"), config.text_of("FieldType")
    gui_rows.require(bool(name), "no name of a column")
    added = (name, spark_type(type_, config.text_of("FieldSize")))
    return {"Output": same_columns(step, "Output", rows, [added])}


def multi_row_formula(step: Step) -> Outputs:
    """Multi-Row Formula: a column computed from the rows before and after."""
    rows = step.input()
    config = config_of(step.node.settings)
    free = may_choose(step.node.settings)
    if config.is_true("UpdateField"):
        return {"Output": same_columns(step, "Output", rows, free=free)}
    name = config.text_of("CreateField_Name")
    type_ = spark_type(config.text_of("CreateField_Type"), config.text_of("CreateField_Size"))
    gui_rows.require(bool(name), "no name of a column")
    return {"Output": same_columns(step, "Output", rows, [(name, type_)], free=free)}


def same_columns(
    step: Step, port: str, rows: gui_rows.Rows, added: Fields = (), *, free: bool = False
) -> gui_rows.Rows:
    """A tool that is not looked into, which keeps the columns of a table and adds some."""
    if rows.is_open:
        return step.opaque(port, free=free)
    fields = [(n, v.type if v.known else None) for n, v in rows.items()]
    names = {name.lower() for name, _ in fields}
    if any(name.lower() in names for name, _ in added):
        raise gui_rows.NotModelled("a column that is there already")
    return step.opaque(port, [*fields, *added], free=free)


def pass_on(step: Step) -> Outputs:
    """Block Until Done: the rows, at one output after the other."""
    rows = step.input()
    return dict.fromkeys(step.node.outputs, rows)
