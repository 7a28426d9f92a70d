"""Groups of the items of one row are functions of its array.

    Aggregate(k; count(*)) <- Filter(x > 1) <- Unnest(xs AS x) <- t,  k being a key of t
        =>   Project(k, size(filter(xs, x -> x > 1))) <- Filter(size(filter(xs, x -> x > 1)) >= 1) <- t
    Join(semi, a = k) <- s, Filter(x > 1) <- Unnest(xs AS x) <- t
        =>   Join(semi, a = k) <- s, Filter(size(filter(xs, x -> x > 1)) >= 1) <- t

Sound because a group is made of the items of one row, and is there if one of them is. A semi or anti join
asks only whether there is one. Items that are grouped by a value as well are the distinct ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.ir import expr as ex, ops, types as ty
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.lambdas import array_call, item_of, reads_item
from veer.ir.walk import exprs_in, map_exprs
from veer.rewrite.columns import by_place, places_read
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random
from veer.rewrite.operators.inline_into_joins import inline_into_join
from veer.rewrite.rewriting import Rewriting, View

EXTREMES = {"max": "array_max", "min": "array_min", "bool_or": "array_max", "bool_and": "array_min"}


@final
@dataclass(frozen=True)
class _Items:
    """A placed signal with a row for each item of an array of the rows below.

    `columns` are its columns by their places, over those rows and the item; `conditions` are about
    the rows alone, `known` hold of every item.
    """

    rows: str
    array: ex.Expr
    columns: Mapping[int, ex.Expr]
    conditions: tuple[ex.Expr, ...] = ()
    known: tuple[ex.Expr, ...] = ()


def unnested_group_to_array(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """An aggregate whose groups are the items of one row each."""
    if not isinstance(operator, ops.Aggregate):
        return None
    (view,) = below
    items = _items(rewriting, id_, view.base)
    if items is None:
        return None
    over = _Over(rewriting, items, view.base)
    read = [over.read(rewriting.rewritten(named.expr, id_, below)) for named in operator.keys]
    keys = [_fixed(items, key) for key in read]
    if any(is_random(key) or has_query(key) for key in keys):
        return None
    if any(map(reads_item, keys)) or not rewriting.are_unique(id_, items.rows, keys):
        return None
    columns: dict[int, ex.Expr] = {}
    for place in rewriting.needed[id_]:
        if place < len(keys):
            columns[place] = keys[place]
            continue
        call = rewriting.rewritten(operator.calls[place - len(keys)].call, id_, below)
        if any(is_random(e) or has_query(e) for e in exprs_in(call)):
            return None
        value = _of_array(over.call(call), items.array)
        if value is None or value.type != call.type:
            return None
        columns[place] = rewriting.changed(value, _itself)
    return View(_with_items(rewriting, id_, items), columns)


def _fixed(items: _Items, key: ex.Expr) -> ex.Expr:
    """The constant that a key equals on all items, if there is one."""
    for condition in items.known:
        match condition:
            case ex.Compare("=", value, ex.Literal() as constant) if value == key:
                return key if ty.has_floats(key.type) else constant
    return key


def unnested_join_to_array(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A semi or anti join that asks whether a row has items."""
    if not isinstance(operator, ops.Join) or operator.kind not in (
        ops.JoinKind.SEMI,
        ops.JoinKind.ANTI,
    ):
        return None
    left, right = below
    items = _items(rewriting, id_, right.base)
    if items is None or operator.condition is None:
        return None
    over = _Over(rewriting, items, right.base)
    columns = {i: over.read(expr) for i, expr in right.columns.items()}
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    if any(reads_item(columns[i - width]) for i in _read(rewriting, id_, operator) if i >= width):
        return None
    plain = {i: expr for i, expr in columns.items() if not reads_item(expr)}
    changed = View(_with_items(rewriting, id_, items), plain)
    return inline_into_join(rewriting, id_, operator, [left, changed])


def _read(rewriting: Rewriting, id_: str, operator: ops.Join) -> set[int]:
    """The places of the joined row that a condition reads."""
    first, second = (rewriting.old.schemas[i] for i in rewriting.old.inputs[id_])
    assert operator.condition is not None
    return places_read(operator.condition, first + second)


def _items(rewriting: Rewriting, id_: str, base: str) -> _Items | None:
    """A placed signal as the items of an array, if it is that."""
    operator = rewriting.operators[base]
    if isinstance(operator, ops.Filter):
        return _filtered(rewriting, id_, rewriting.inputs[base][0], operator.predicate)
    if isinstance(operator, ops.Aggregate) and not operator.calls:
        keys = [named.expr for named in operator.keys]
        return _distinct(rewriting, id_, rewriting.inputs[base][0], keys)
    return _unnested(rewriting, base, operator) if isinstance(operator, ops.Unnest) else None


def _unnested(rewriting: Rewriting, base: str, operator: ops.Unnest) -> _Items | None:
    (rows,) = rewriting.inputs[base]
    generator = operator.generator
    is_plain = not (operator.outer or operator.position or operator.inline)
    if not is_plain or not isinstance(generator.type, ty.ArrayType) or is_random(generator):
        return None
    width = len(rewriting.schemas[rows])
    columns: dict[int, ex.Expr] = {i: rewriting.column(rows, i) for i in range(width)}
    return _Items(rows, generator, {**columns, width: item_of(generator)})


def _filtered(rewriting: Rewriting, id_: str, base: str, predicate: ex.Expr) -> _Items | None:
    items = _items(rewriting, id_, base)
    if items is None or has_query(predicate) or is_random(predicate):
        return None
    parts = list(conjuncts(_Over(rewriting, items, base).read(predicate)))
    about_items = [p for p in parts if reads_item(p)]
    of_row = tuple(p for p in parts if not reads_item(p))
    array = items.array
    if about_items:
        array = array_call("filter", array, conjunction(about_items), array.type)
    known = (*items.known, *about_items)
    return replace(items, array=array, conditions=(*items.conditions, *of_row), known=known)


def _distinct(rewriting: Rewriting, id_: str, base: str, keys: Sequence[ex.Expr]) -> _Items | None:
    """Items that are grouped by the row and by one value of theirs."""
    items = _items(rewriting, id_, base)
    if items is None or any(has_query(key) or is_random(key) for key in keys):
        return None
    over = [_Over(rewriting, items, base).read(key) for key in keys]
    of_items = [key for key in over if reads_item(key)]
    of_row = [key for key in over if not reads_item(key)]
    if len(of_items) != 1 or ty.has_floats(of_items[0].type):
        return None
    if not rewriting.are_unique(id_, items.rows, of_row):
        return None
    changed = array_call("transform", items.array, of_items[0], ty.ArrayType(of_items[0].type))
    array = ex.Call("array_distinct", (changed,), changed.type)
    columns = {i: item_of(array) if reads_item(key) else key for i, key in enumerate(over)}
    return replace(items, array=array, columns=columns, known=())


@final
@dataclass(frozen=True)
class _Over:
    """Reads expressions over a placed signal as ones over the rows below it and the item."""

    rewriting: Rewriting
    items: _Items
    base: str

    def read(self, expr: ex.Expr) -> ex.Expr:
        """An expression over the rows and the item."""
        schema = self.rewriting.schemas[self.base]
        return by_place(expr, schema, lambda at: self.items.columns[at])

    def call(self, call: ex.AggregateCall) -> ex.AggregateCall:
        """A call over the rows and the item."""
        return map_exprs(call, self.read)


def _of_array(call: ex.AggregateCall, array: ex.Expr) -> ex.Expr | None:
    """A call over the items of an array as a function of the array; None if there is none."""
    if call.where is not None:
        array = array_call("filter", array, call.where, array.type)
    match call.function, call.args:
        case "count", ():
            return _counted(array)
        case "count_if", (condition,):
            return _counted(array_call("filter", array, condition, array.type))
        case "count", (value,):
            present = array_call("filter", array, ex.Not(ex.IsNull(value)), array.type)
            if not call.distinct:
                return _counted(present)
            if ty.has_floats(value.type):
                return None
            values = array_call("transform", present, value, ty.ArrayType(value.type))
            return _counted(ex.Call("array_distinct", (values,), values.type))
        case function, (value,) if function in EXTREMES and not ty.has_floats(value.type):
            values = array_call("transform", array, value, ty.ArrayType(value.type))
            return ex.Call(EXTREMES[function], (values,), value.type)
        case _:
            return None


def _counted(array: ex.Expr) -> ex.Expr:
    return ex.Cast(ex.Call("size", (array,), ty.INT), ty.LONG)


def _with_items(rewriting: Rewriting, id_: str, items: _Items) -> str:
    """The rows that have items."""
    filled = ex.Compare(">=", ex.Call("size", (items.array,), ty.INT), ex.Literal(1, ty.INT))
    condition = rewriting.changed(conjunction([*items.conditions, filled]), _itself)
    return rewriting.add(f"{id_} rows", ops.Filter(condition), (items.rows,))


def _itself(column: ex.Column) -> ex.Expr:
    return column
