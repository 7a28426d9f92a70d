"""Tools that gather rows: totals by group, columns turned into rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from veer.frontends import coercion
from veer.frontends.alteryx.columns import column, name_of, want_all
from veer.frontends.alteryx.config import Config, config_of
from veer.frontends.alteryx.numbers import EXACT_BITS, SYSTEM
from veer.frontends.gui.reading import Outputs, Step
from veer.frontends.gui.rows import NotModelled, Rows, Value, constant, require, unknown_call
from veer.model.expr import AggregateCall, Case, Compare, Expr, Literal
from veer.model.nullability import is_nullable
from veer.model.types import (
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    IntegerType,
    IntegralType,
    LongType,
    ShortType,
)

TOTAL = DecimalType(20, 0)  # in which whole numbers of 64 bits are added without overflow


@final
@dataclass
class _Totals:
    """The calls of one Summarize, and how its columns are made of them."""

    rows: Rows
    keys: list[tuple[str, Value]] = field(default_factory=list)
    calls: dict[str, AggregateCall] = field(default_factory=dict)
    columns: list[tuple[str, Callable[[Rows], Value]]] = field(default_factory=list)

    def call(self, function: str, *args: Expr, distinct: bool = False) -> Callable[[Rows], Expr]:
        """An aggregate, computed once; gives how to refer to it."""
        call = coercion.aggregate_call(function, list(args), distinct=distinct)
        for name, known in self.calls.items():
            if known == call:
                return lambda grouped: grouped.column(name).expr
        name = f"total {len(self.calls) + 1}"
        self.calls[name] = call
        return lambda grouped: grouped.column(name).expr

    def nullable(self, expr: Expr) -> bool:
        return is_nullable(expr, self.rows.schema)


def summarize(step: Step) -> Outputs:
    """Summarize, by groups; without a group what comes of no rows is not known."""
    rows = step.input()
    fields = list(config_of(step.node.settings).all("SummarizeFields", "SummarizeField"))
    want_all(rows, (one.get("field") for one in fields))
    try:
        return {"Output": _summarized(rows, fields)}
    except NotModelled:
        return {"Output": step.opaque("Output", _result_columns(rows, fields))}


def _result_columns(rows: Rows, fields: list[Config]) -> list[tuple[str, DataType | None]]:
    """The columns of totals that are not looked into."""
    columns: list[tuple[str, DataType | None]] = []
    for one in fields:
        value, action = column(rows, one.get("field")), one.get("action")
        type_ = value.type if value.known and action in ("GroupBy", "First", "Last") else None
        columns.append((_name(one), LONG if action.startswith("Count") else type_))
    require(len({n.lower() for n, _ in columns}) == len(columns), "two columns of one name")
    require(bool(columns), "no column")
    return columns


def _name(one: Config) -> str:
    name = one.get("rename") or (one.get("field") if one.get("action") == "GroupBy" else "")
    require(bool(name), "a column without a name")
    return name


def _summarized(rows: Rows, fields: list[Config]) -> Rows:
    totals = _Totals(rows)
    for one in fields:
        action = one.get("action")
        name = _name(one)
        if action == "GroupBy":
            _group_by(totals, name, column(rows, one.get("field")))
        else:
            totals.columns.append((name, _total(totals, action, one)))
    require(bool(totals.keys), "nothing to group by")
    grouped = rows.group(totals.keys, list(totals.calls.items()))
    return grouped.select([(name, value(grouped)) for name, value in totals.columns])


def _group_by(totals: _Totals, name: str, value: Value) -> None:
    require(value.type not in (DOUBLE, FLOAT), "groups of fractions, where 0.0 and -0.0 may differ")
    key = f"key {len(totals.keys) + 1}"
    totals.keys.append((key, value))
    totals.columns.append((name, lambda grouped: grouped.column(key)))


def _total(totals: _Totals, action: str, one: Config) -> Callable[[Rows], Value]:
    value = column(totals.rows, one.get("field"))
    match action:
        case "Count":
            count = totals.call("count", Literal(1, LONG))
            return lambda grouped: Value(count(grouped))
        case "CountNonNull":
            count = totals.call("count", value.expr)
            return lambda grouped: Value(count(grouped))
        case "CountDistinctNonNull" if _is_exact(value) or not value.known:
            count = totals.call("count", value.expr, distinct=True)
            return lambda grouped: Value(count(grouped))
        case "Sum" if value.known and isinstance(value.type, IntegralType):
            return _sum_of_whole(totals, value)
        case "Sum" if value.known and value.type == DOUBLE:
            total = totals.call("sum", value.expr)
            return _unless_null(totals, value, "Sum", total, DOUBLE)
        case "Min" | "Max" if value.known and _is_exact(value) and value.type != STRING:
            least = totals.call(action.lower(), value.expr)
            return _unless_null(totals, value, action, least, value.type)
        case "Avg" if value.known and isinstance(value.type, IntegerType | ShortType):
            mean = totals.call("avg", value.expr)
            return _unless_null(totals, value, "Avg", mean, DOUBLE)
    raise NotModelled(f"{action} of {one.get('field')!r}")


def _is_exact(value: Value) -> bool:
    """Whether equal values of a column are surely the same in both systems."""
    types = (IntegralType, DecimalType)
    return value.known and (
        isinstance(value.type, types) or value.type in (STRING, DATE, TIMESTAMP_NTZ)
    )


def _unless_null(
    totals: _Totals,
    value: Value,
    action: str,
    total: Callable[[Rows], Expr],
    type_: DataType,
) -> Callable[[Rows], Value]:
    """A total where a group has no nulls; with nulls a function of it and of their number."""
    if not totals.nullable(value.expr):
        return lambda grouped: Value(total(grouped))
    rows, present = totals.call("count", Literal(1, LONG)), totals.call("count", value.expr)

    def result(grouped: Rows) -> Value:
        known, all_, there = total(grouped), rows(grouped), present(grouped)
        parts = [Value(known), Value(all_), Value(there)]
        otherwise = unknown_call(SYSTEM, f"{action} with nulls", *parts, type_=type_).expr
        return Value(Case(((Compare("=", all_, there), known),), otherwise))

    return result


def _sum_of_whole(totals: _Totals, value: Value) -> Callable[[Rows], Value]:
    """A sum of whole numbers, of which those of 64 bits are exact as far as doubles are."""
    wide = isinstance(value.type, LongType)
    added = coercion.cast(value.expr, TOTAL) if wide else value.expr
    total = totals.call("sum", added)

    def exact(grouped: Rows) -> Expr:
        expr = total(grouped)
        if not wide:
            return expr
        limit = Literal(1 << EXACT_BITS, LONG)
        low = Literal(-(1 << EXACT_BITS), LONG)
        small = coercion.conjunction(
            [coercion.compare("<=", expr, limit), coercion.compare(">=", expr, low)]
        )
        unknown = unknown_call(SYSTEM, "a large sum", Value(expr), type_=LONG).expr
        return Case(((small, coercion.cast(expr, LONG)),), unknown)

    return _unless_null(totals, value, "Sum", exact, LONG)


def transpose(step: Step) -> Outputs:
    """Transpose: a row for each of some columns, with its name and value beside the keys."""
    rows = step.input()
    config = config_of(step.node.settings)
    keys = [name_of(rows, f.get("field")) for f in config.all("KeyFields", "Field")]
    data, others = _data_fields(config, rows)
    if others:
        rows.require_known()
        listed = {f.get("field").lower() for f in config.all("DataFields", "Field")}
        data += [n for n in rows.names if n.lower() not in listed and n not in keys]
    require(bool(data), "no column to turn")
    types = {rows.column(name).type for name in data}
    known = {rows.column(name).known for name in data}
    require(len(types) == 1 and len(known) == 1, "columns of different types")
    require(not {"name", "value"} & {key.lower() for key in keys}, "a key named like a result")
    parts = [
        rows.select(
            [
                *((key, rows.column(key)) for key in keys),
                ("Name", constant(name, STRING)),
                ("Value", rows.column(name)),
            ]
        )
        for name in data
    ]
    return {"Output": parts[0].union(*parts[1:])}


def _data_fields(config: Config, rows: Rows) -> tuple[list[str], bool]:
    """The columns to turn that are there, and whether those not listed are among them."""
    names, others = [], False
    for listed in config.all("DataFields", "Field"):
        if listed.get("selected") != "True":
            continue
        if listed.get("field") == "*Unknown":
            others = True
        elif rows.is_open or any(n.lower() == listed.get("field").lower() for n in rows.names):
            names.append(name_of(rows, listed.get("field")))
    return names, others
