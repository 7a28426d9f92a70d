"""Nodes that choose rows by their values."""

from __future__ import annotations

from typing import Any

from veer.gui.knime import cells
from veer.gui.knime.columns import model_of
from veer.gui.knime.config import Config, table, text
from veer.gui.reading import Outputs, Step
from veer.gui.rows import NotModelled, Rows, Value, require
from veer.ir import expr as ex, types as ty
from veer.read import coercion


def split(step: Step, rows: Rows, condition: ex.Expr, *, include: bool = True) -> Outputs:
    """The rows that a condition keeps, and at the second port, if there is one, all others."""
    matched, rest = condition, ex.Not(cells.is_true(condition))
    first, second = (matched, rest) if include else (rest, matched)
    if "2" in step.node.outputs:
        step.port("1")
    outputs = {"1": rows.filter(first)}
    if "2" in step.node.outputs:
        step.port("2")
        outputs["2"] = rows.filter(second)
    return outputs


# -- Row Filter until 5.2 ----------------------------------------------------------------------------


def filter_rows_of_old(step: Step) -> Outputs:
    """Row Filter and Row Splitter by one attribute; missing values match nothing but `missing`."""
    settings = table(model_of(step), "rowFilter")
    kind = text(settings, "RowFilter_TypeID")
    rows = step.input("1")
    if kind in ("RowID_RowFilter", "RowNumber_RowFilter"):
        raise NotModelled("rows are chosen by their RowIDs or places")
    require(settings.get("deepFiltering") is not True, "the items of collections are looked at")
    column = rows.column(text(settings, "ColumnName"))
    match kind:
        case "StringComp_RowFilter":
            condition = _text_condition(column, settings)
        case "RangeVal_RowFilter":
            condition = _range_condition(column, settings)
        case "MissingVal_RowFilter" | "MissVal_RowFilter":
            condition = ex.IsNull(column.expr)
        case _:
            raise NotModelled(f"rows are chosen by {kind or 'nothing'}")
    include = settings.get("include")
    require(isinstance(include, bool), "neither included nor excluded")
    return split(step, rows, condition, include=include is True)


def _text_condition(column: Value, settings: Config) -> ex.Expr:
    pattern = text(settings, "Pattern")
    require(bool(pattern), "no pattern")
    written, ignore_case = cells.as_text(column), settings.get("CaseSensitive") is not True
    if settings.get("hasWildCards") is True:
        return cells.matches_wildcards(written, pattern, ignore_case=ignore_case)
    if settings.get("isRegExpr") is True:
        return cells.matches_expression(written, pattern, "smiu" if ignore_case else "sm")
    return cells.equals_text(written, pattern, ignore_case=ignore_case)


def _range_condition(column: Value, settings: Config) -> ex.Expr:
    bounds = []
    for key, op in (("lowerBound", ">="), ("upperBound", "<=")):
        bound = cells.cell_constant(table(settings, key))
        if bound is not None:
            bounds.append(cells.compare(op, column, bound, "total"))
    require(bool(bounds), "a range without bounds")
    return coercion.conjunction(bounds)


# -- Row Filter since 5.3 ----------------------------------------------------------------------------

ORDERS = {"LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}


def filter_rows(step: Step) -> Outputs:
    """Row Filter and Row Splitter by several criteria."""
    model, rows = model_of(step), step.input("1")
    criteria = model.get("predicates")
    listed = (
        criteria
        if isinstance(criteria, list)
        else [v for k, v in sorted(table(criteria or {}).items()) if k.isdecimal()]
    )
    require(bool(listed), "no criteria")
    conditions = [_criterion(rows, table(criterion)) for criterion in listed]
    match text(model, "matchCriteria"):
        case "AND":
            condition = coercion.conjunction(conditions)
        case "OR":
            condition = coercion.disjunction(conditions)
        case other:
            raise NotModelled(f"criteria joined by {other!r}")
    # A splitter has no mode: what matches is at its first port.
    mode = text(model, "outputMode") or "MATCHING"
    require(mode in ("MATCHING", "NON_MATCHING"), f"the mode {mode!r}")
    return split(step, rows, condition, include=mode == "MATCHING")


def _criterion(rows: Rows, criterion: Config) -> ex.Expr:
    """One criterion; false, never null, for missing values: criteria are joined with OR too."""
    name, operator = text(criterion, "column", "selected"), text(criterion, "operator")
    special = ("", "<row-id>", "<row-number>", "ROW_ID", "ROW_NUMBER")
    require(name not in special, "rows are chosen by their RowIDs or places")
    column = rows.column(name)
    match operator:
        case "IS_MISSING":
            return ex.IsNull(column.expr)
        case "IS_NOT_MISSING":
            return ex.Not(ex.IsNull(column.expr))
        case "IS_TRUE" | "IS_FALSE":
            require(column.known and column.type == ty.BOOLEAN, "a column that is not boolean")
            wanted = column.expr if operator == "IS_TRUE" else ex.Not(column.expr)
            return cells.is_true(wanted)
    values = table(criterion, "predicateValues", "values").get("0")
    condition = _compared(column, operator, table(values or {}))
    if operator == "NEQ_MISS":
        return ex.Or((ex.IsNull(column.expr), cells.is_true(condition)))
    return ex.And((ex.Not(ex.IsNull(column.expr)), condition))


def _compared(column: Value, operator: str, value: Config) -> ex.Expr:
    type_ = cells.cell_type(text(value, "typeIdentifier", "cell_class"))
    if type_ is None:
        raise NotModelled("a value of unknown type")
    given = cells.typed_constant(value.get("value"), type_)
    if operator in ORDERS:
        return cells.compare(ORDERS[operator], column, given, "either")
    if column.type == ty.STRING and column.known:
        return _compared_text(column, operator, value)
    if operator == "EQ":
        return cells.compare("=", column, given, "either")
    if operator in ("NEQ", "NEQ_MISS"):
        return ex.Not(cells.compare("=", column, given, "either"))
    raise NotModelled(f"rows are chosen by {operator}")


def _compared_text(column: Value, operator: str, value: Config) -> ex.Expr:
    given: Any = value.get("value")
    require(isinstance(given, str), "no text")
    case = text(value, "stringCaseMatching", "caseMatching")
    require(case in ("CASESENSITIVE", "CASEINSENSITIVE"), "whether case counts is not told")
    ignore_case = case == "CASEINSENSITIVE"
    match operator:
        case "EQ":
            return cells.equals_text(column, given, ignore_case=ignore_case)
        case "NEQ" | "NEQ_MISS":
            return ex.Not(cells.equals_text(column, given, ignore_case=ignore_case))
        case "WILDCARD":
            return cells.matches_wildcards(column, given, ignore_case=ignore_case)
        case "REGEX":
            return cells.matches_expression(column, given, "smi" if ignore_case else "sm")
        case _:
            raise NotModelled(f"rows are chosen by {operator}")
