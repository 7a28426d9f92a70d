"""Tools that gather rows: totals by group, columns turned into rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from veer.gui import rows as gui_rows
from veer.gui.alteryx.columns import column, name_of, want_all
from veer.gui.alteryx.config import Config, config_of
from veer.gui.alteryx.numbers import EXACT_BITS, SYSTEM
from veer.gui.reading import Outputs, Step
from veer.gui.rows import Value
from veer.ir import expr as ex, types as ty
from veer.ir.nullability import is_nullable
from veer.read import coercion

TOTAL = ty.DecimalType(20, 0)  # in which whole numbers of 64 bits are added without overflow


@final
@dataclass
class _Totals:
    """The calls of one Summarize, and how its columns are made of them."""

    rows: gui_rows.Rows
    keys: list[tuple[str, Value]] = field(default_factory=list)
    calls: dict[str, ex.AggregateCall] = field(default_factory=dict)
    columns: list[tuple[str, Callable[[gui_rows.Rows], Value]]] = field(default_factory=list)

    def call(
        self, function: str, *args: ex.Expr, distinct: bool = False
    ) -> Callable[[gui_rows.Rows], ex.Expr]:
        """An aggregate, computed once; gives how to refer to it."""
        call = coercion.aggregate_call(function, list(args), distinct=distinct)
        for name, known in self.calls.items():
            if known == call:
                return lambda grouped: grouped.column(name).expr
        name = f"total {len(self.calls) + 1}"
        self.calls[name] = call
        return lambda grouped: grouped.column(name).expr

    def nullable(self, expr: ex.Expr) -> bool:
        return is_nullable(expr, self.rows.schema)


def summarize(step: Step) -> Outputs:
    """Summarize, by groups; without a group what comes of no rows is not known."""
    rows = step.input()
    fields = list(config_of(step.node.settings).all("SummarizeFields", "SummarizeField"))
    want_all(rows, (one.get("field") for one in fields))
    try:
        return {"Output": _summarized(rows, fields)}
    except gui_rows.NotModelled:
        return {"Output": step.opaque("Output", _result_columns(rows, fields))}


def _result_columns(
    rows: gui_rows.Rows, fields: list[Config]
) -> list[tuple[str, ty.DataType | None]]:
    """The columns of totals that are not looked into."""
    columns: list[tuple[str, ty.DataType | None]] = []
    for one in fields:
        value, action = column(rows, one.get("field")), one.get("action")
        type_ = value.type if value.known and action in ("GroupBy", "First", "Last") else None
        columns.append((_name(one), ty.LONG if action.startswith("Count") else type_))
    gui_rows.require(
        len({n.lower() for n, _ in columns}) == len(columns), "two columns of one name"
    )
    gui_rows.require(bool(columns), "no column")
    return columns


def _name(one: Config) -> str:
    name = one.get("rename") or (one.get("field") if one.get("action") == "GroupBy" else "")
    gui_rows.require(bool(name), "a column without a name")
    return name


def _summarized(rows: gui_rows.Rows, fields: list[Config]) -> gui_rows.Rows:
    totals = _Totals(rows)
    for one in fields:
        action = one.get("action")
        name = _name(one)
        if action == "GroupBy":
            _group_by(totals, name, column(rows, one.get("field")))
        else:
            totals.columns.append((name, _total(totals, action, one)))
    gui_rows.require(bool(totals.keys), "nothing to group by")
    grouped = rows.group(totals.keys, list(totals.calls.items()))
    return grouped.select([(name, value(grouped)) for name, value in totals.columns])


def _group_by(totals: _Totals, name: str, value: Value) -> None:
    gui_rows.require(
        value.type not in (ty.DOUBLE, ty.FLOAT),
        "groups of fractions, where 0.0 and -0.0 may differ",
    )
    key = f"key {len(totals.keys) + 1}"
    totals.keys.append((key, value))
    totals.columns.append((name, lambda grouped: grouped.column(key)))


def _total(totals: _Totals, action: str, one: Config) -> Callable[[gui_rows.Rows], Value]:
    value = column(totals.rows, one.get("field"))
    match action:
        case "Count":
            count = totals.call("count", ex.Literal(1, ty.LONG))
            return lambda grouped: Value(count(grouped))
        case "CountNonNull":
            count = totals.call("count", value.expr)
            return lambda grouped: Value(count(grouped))
        case "CountDistinctNonNull" if _is_exact(value) or not value.known:
            count = totals.call("count", value.expr, distinct=True)
            return lambda grouped: Value(count(grouped))
        case "Sum" if value.known and isinstance(value.type, ty.IntegralType):
            return _sum_of_whole(totals, value)
        case "Sum" if value.known and value.type == ty.DOUBLE:
            total = totals.call("sum", value.expr)
            return _unless_null(totals, value, "Sum", total, ty.DOUBLE)
        case "Min" | "Max" if value.known and _is_exact(value) and value.type != ty.STRING:
            least = totals.call(action.lower(), value.expr)
            return _unless_null(totals, value, action, least, value.type)
        case "Avg" if value.known and isinstance(value.type, ty.IntegerType | ty.ShortType):
            mean = totals.call("avg", value.expr)
            return _unless_null(totals, value, "Avg", mean, ty.DOUBLE)
    raise gui_rows.NotModelled(f"{action} of {one.get('field')!r}")


def _is_exact(value: Value) -> bool:
    """Whether equal values of a column are surely the same in both systems."""
    types = (ty.IntegralType, ty.DecimalType)
    return value.known and (
        isinstance(value.type, types) or value.type in (ty.STRING, ty.DATE, ty.TIMESTAMP_NTZ)
    )


def _unless_null(
    totals: _Totals,
    value: Value,
    action: str,
    total: Callable[[gui_rows.Rows], ex.Expr],
    type_: ty.DataType,
) -> Callable[[gui_rows.Rows], Value]:
    """A total where a group has no nulls; with nulls a function of it and of their number."""
    if not totals.nullable(value.expr):
        return lambda grouped: Value(total(grouped))
    rows, present = totals.call("count", ex.Literal(1, ty.LONG)), totals.call("count", value.expr)

    def result(grouped: gui_rows.Rows) -> Value:
        known, all_, there = total(grouped), rows(grouped), present(grouped)
        parts = [Value(known), Value(all_), Value(there)]
        otherwise = gui_rows.unknown_call(SYSTEM, f"{action} with nulls", *parts, type_=type_).expr
        return Value(ex.Case(((ex.Compare("=", all_, there), known),), otherwise))

    return result


def _sum_of_whole(totals: _Totals, value: Value) -> Callable[[gui_rows.Rows], Value]:
    """A sum of whole numbers; 64-bit sums are exact only as far as doubles are."""
    wide = isinstance(value.type, ty.LongType)
    added = coercion.cast(value.expr, TOTAL) if wide else value.expr
    total = totals.call("sum", added)

    def exact(grouped: gui_rows.Rows) -> ex.Expr:
        expr = total(grouped)
        if not wide:
            return expr
        limit = ex.Literal(1 << EXACT_BITS, ty.LONG)
        low = ex.Literal(-(1 << EXACT_BITS), ty.LONG)
        small = coercion.conjunction(
            [coercion.compare("<=", expr, limit), coercion.compare(">=", expr, low)]
        )
        unknown = gui_rows.unknown_call(SYSTEM, "a large sum", Value(expr), type_=ty.LONG).expr
        return ex.Case(((small, coercion.cast(expr, ty.LONG)),), unknown)

    return _unless_null(totals, value, "Sum", exact, ty.LONG)


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
    gui_rows.require(bool(data), "no column to turn")
    types = {rows.column(name).type for name in data}
    known = {rows.column(name).known for name in data}
    gui_rows.require(len(types) == 1 and len(known) == 1, "columns of different types")
    gui_rows.require(
        not {"name", "value"} & {key.lower() for key in keys}, "a key named like a result"
    )
    parts = [
        rows.select(
            [
                *((key, rows.column(key)) for key in keys),
                ("Name", gui_rows.constant(name, ty.STRING)),
                ("Value", rows.column(name)),
            ]
        )
        for name in data
    ]
    return {"Output": parts[0].union(*parts[1:])}


def _data_fields(config: Config, rows: gui_rows.Rows) -> tuple[list[str], bool]:
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
