"""Texera's Aggregate: groups in which null is equal to null; of no rows it gives no row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veer.frontends import coercion
from veer.frontends.gui.reading import Step
from veer.frontends.gui.rows import NotModelled, Rows, Value, require, unknown_call
from veer.frontends.texera.terms import NAME, items, text
from veer.model.expr import AggregateCall, Case, Compare, Expr, Literal
from veer.model.types import DOUBLE, INT, INTEGER_BITS, LONG, CastMode, DataType, DecimalType

WIDE = DecimalType(38, 0)
COUNT = "(rows)"


def aggregate(step: Step) -> Rows:
    """The groups with their aggregates; without keys a row only if there are rows."""
    rows, settings = step.input(), step.node.settings
    keys = settings.get("groupByKeys") or []
    require(isinstance(keys, list) and all(isinstance(k, str) for k in keys), "no keys")
    require(all(rows.column(k).type != DOUBLE for k in keys), "groups of doubles")
    asked = [
        _Asked(rows, unit, f"({number})")
        for number, unit in enumerate(items(settings, "aggregations"))
    ]
    require(bool(asked), "no aggregations")
    calls = [(name, call) for a in asked for name, call in a.calls.items()]
    if not keys:
        calls.append((COUNT, coercion.aggregate_call("count", [])))
    grouped = rows.group([(k, rows.column(k)) for k in keys], calls)
    if not keys:
        seen = grouped.column(COUNT)
        grouped = grouped.filter(Compare(">", seen.expr, Literal(0, LONG)))
    kept = [(k, grouped.column(k)) for k in keys]
    return grouped.select([*kept, *((a.name, a.result(grouped)) for a in asked)])


class _Asked:
    """One aggregate: the calls of Spark it is made of, and the value made of them."""

    def __init__(self, rows: Rows, unit: Mapping[str, Any], prefix: str) -> None:
        self.name = text(unit, "result attribute")
        self.function = unit.get("aggFunction")
        attribute = unit.get("attribute")
        self.column = rows.column(attribute) if isinstance(attribute, str) and attribute else None
        self.prefix = prefix
        self.calls: dict[str, AggregateCall] = {}
        args = [] if self.column is None else [self.column.expr]
        self.calls[f"{prefix}count"] = coercion.aggregate_call("count", args)
        if self.function == "count":
            return
        if self.column is None:
            raise NotModelled(f"{self.function} of nothing")
        self._value_call(self.column)

    def _value_call(self, column: Value) -> None:
        match self.function:
            case "sum" if column.known and column.type in (INT, LONG):
                call = coercion.aggregate_call("sum", [coercion.cast(column.expr, WIDE)])
            case "sum" if column.known and column.type == DOUBLE:
                call = coercion.aggregate_call("sum", [column.expr])
            case "average" if column.known and column.type in (INT, DOUBLE):
                call = coercion.aggregate_call("avg", [column.expr])
            case "min" | "max" if column.known and column.type in (INT, LONG):
                call = coercion.aggregate_call(str(self.function), [column.expr])
            case _:
                shown = column.type if column.known else "a column of unknown type"
                raise NotModelled(f"{self.function} of {shown}")
        self.calls[f"{self.prefix}value"] = call

    def result(self, grouped: Rows) -> Value:
        """The aggregate as Texera gives it."""
        count = grouped.column(f"{self.prefix}count").expr
        if self.function == "count":
            return Value(coercion.cast(count, INT, CastMode.ANSI))  # nobody counts beyond
        assert self.column is not None
        value = grouped.column(f"{self.prefix}value").expr
        if self.function == "sum":
            zero = coercion.cast(Literal(0, INT), value.type)
            total = coercion.call("coalesce", value, zero)
            return Value(total if self.column.type == DOUBLE else _fitting(total, self.column.type))
        # What comes of nulls alone differs between versions of Texera.
        of_nulls = unknown_call(NAME, f"{self.function} of nulls", Value(count), type_=value.type)
        some = Compare(">", count, Literal(0, LONG))
        return Value(Case(((some, value),), of_nulls.expr))


def _fitting(value: Expr, type_: DataType) -> Expr:
    """A whole number as one of a narrower type; beyond its range Texera wraps, or stops."""
    largest = 2 ** (INTEGER_BITS[type_] - 1) - 1
    beyond = unknown_call(NAME, f"beyond {type_}", Value(value), type_=type_).expr
    low = coercion.compare(">=", value, _whole(-largest - 1, value.type))
    high = coercion.compare("<=", value, _whole(largest, value.type))
    fits = coercion.conjunction([low, high])
    return Case(((fits, coercion.cast(value, type_)),), beyond)


def _whole(number: int, type_: DataType) -> Expr:
    if type_ == LONG:
        return Literal(number, LONG)
    return coercion.cast(Literal(number, LONG), type_)
