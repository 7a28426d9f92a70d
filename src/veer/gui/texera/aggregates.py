"""Texera's Aggregate: groups in which null is equal to null; of no rows it gives no row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veer.gui import rows as gui_rows
from veer.gui.reading import Step
from veer.gui.texera.terms import NAME, items, text
from veer.ir import expr as ex, types as ty
from veer.read import coercion

WIDE = ty.DecimalType(38, 0)
COUNT = "(rows)"


def aggregate(step: Step) -> gui_rows.Rows:
    """The groups with their aggregates; without keys a row only if there are rows."""
    rows, settings = step.input(), step.node.settings
    keys = settings.get("groupByKeys") or []
    gui_rows.require(isinstance(keys, list) and all(isinstance(k, str) for k in keys), "no keys")
    gui_rows.require(all(rows.column(k).type != ty.DOUBLE for k in keys), "groups of doubles")
    asked = [
        _Asked(rows, unit, f"({number})")
        for number, unit in enumerate(items(settings, "aggregations"))
    ]
    gui_rows.require(bool(asked), "no aggregations")
    calls = [(name, call) for a in asked for name, call in a.calls.items()]
    if not keys:
        calls.append((COUNT, coercion.aggregate_call("count", [])))
    grouped = rows.group([(k, rows.column(k)) for k in keys], calls)
    if not keys:
        seen = grouped.column(COUNT)
        grouped = grouped.filter(ex.Compare(">", seen.expr, ex.Literal(0, ty.LONG)))
    kept = [(k, grouped.column(k)) for k in keys]
    return grouped.select([*kept, *((a.name, a.result(grouped)) for a in asked)])


class _Asked:
    """One aggregate: the calls of Spark it is made of, and the value made of them."""

    def __init__(self, rows: gui_rows.Rows, unit: Mapping[str, Any], prefix: str) -> None:
        self.name = text(unit, "result attribute")
        self.function = unit.get("aggFunction")
        attribute = unit.get("attribute")
        self.column = rows.column(attribute) if isinstance(attribute, str) and attribute else None
        self.prefix = prefix
        self.calls: dict[str, ex.AggregateCall] = {}
        args = [] if self.column is None else [self.column.expr]
        self.calls[f"{prefix}count"] = coercion.aggregate_call("count", args)
        if self.function == "count":
            return
        if self.column is None:
            raise gui_rows.NotModelled(f"{self.function} of nothing")
        self._value_call(self.column)

    def _value_call(self, column: gui_rows.Value) -> None:
        match self.function:
            case "sum" if column.known and column.type in (ty.INT, ty.LONG):
                call = coercion.aggregate_call("sum", [coercion.cast(column.expr, WIDE)])
            case "sum" if column.known and column.type == ty.DOUBLE:
                call = coercion.aggregate_call("sum", [column.expr])
            case "average" if column.known and column.type in (ty.INT, ty.DOUBLE):
                call = coercion.aggregate_call("avg", [column.expr])
            case "min" | "max" if column.known and column.type in (ty.INT, ty.LONG):
                call = coercion.aggregate_call(str(self.function), [column.expr])
            case _:
                shown = column.type if column.known else "a column of unknown type"
                raise gui_rows.NotModelled(f"{self.function} of {shown}")
        self.calls[f"{self.prefix}value"] = call

    def result(self, grouped: gui_rows.Rows) -> gui_rows.Value:
        """The aggregate as Texera gives it."""
        count = grouped.column(f"{self.prefix}count").expr
        if self.function == "count":
            return gui_rows.Value(
                coercion.cast(count, ty.INT, ty.CastMode.ANSI)
            )  # nobody counts beyond
        assert self.column is not None
        value = grouped.column(f"{self.prefix}value").expr
        if self.function == "sum":
            zero = coercion.cast(ex.Literal(0, ty.INT), value.type)
            total = coercion.call("coalesce", value, zero)
            return gui_rows.Value(
                total if self.column.type == ty.DOUBLE else _fitting(total, self.column.type)
            )
        # What comes of nulls alone differs between versions of Texera.
        of_nulls = gui_rows.unknown_call(
            NAME, f"{self.function} of nulls", gui_rows.Value(count), type_=value.type
        )
        some = ex.Compare(">", count, ex.Literal(0, ty.LONG))
        return gui_rows.Value(ex.Case(((some, value),), of_nulls.expr))


def _fitting(value: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """A whole number as one of a narrower type; beyond its range Texera wraps, or stops."""
    largest = 2 ** (ty.INTEGER_BITS[type_] - 1) - 1
    beyond = gui_rows.unknown_call(NAME, f"beyond {type_}", gui_rows.Value(value), type_=type_).expr
    low = coercion.compare(">=", value, _whole(-largest - 1, value.type))
    high = coercion.compare("<=", value, _whole(largest, value.type))
    fits = coercion.conjunction([low, high])
    return ex.Case(((fits, coercion.cast(value, type_)),), beyond)


def _whole(number: int, type_: ty.DataType) -> ex.Expr:
    if type_ == ty.LONG:
        return ex.Literal(number, ty.LONG)
    return coercion.cast(ex.Literal(number, ty.LONG), type_)
