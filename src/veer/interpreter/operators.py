"""Each operator as a function from input signals to an output signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from veer.errors import InputError
from veer.functions.ordering import group_key, sort_key, unsigned_zero
from veer.functions.registry import aggregate_function
from veer.interpreter.expressions import Compiled, Row, Scope, compile_expr, compile_query
from veer.interpreter.opaque import noise, opaque_value
from veer.model.expr import AggregateCall, And, Column, Compare, SortKey
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Deduplicate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    Lateral,
    Limit,
    Project,
    RowUdf,
    Sample,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.model.schema import Schema
from veer.model.types import DataType, MapType


@dataclass(frozen=True)
class Signal:
    """Rows of one operator's output; `peers` numbers the layers of an ordered one."""

    rows: list[Row]
    peers: list[int] | None = None

    def pick(self, places: Sequence[int]) -> Signal:
        """The rows at these places, order kept."""
        peers = None if self.peers is None else [self.peers[i] for i in places]
        return Signal([self.rows[i] for i in places], peers)


Step = Callable[[list[Signal], Scope], Signal]
Outer = tuple[Schema, ...]


@singledispatch
def compile_operator(operator: AnyOperator, inputs: Sequence[Schema], outer: Outer) -> Step:
    """The operator as a step over inputs of these schemas."""
    raise TypeError(f"{type(operator).__name__} has no meaning")


@compile_operator.register
def _(operator: Source, inputs: Sequence[Schema], outer: Outer) -> Step:
    table = operator.table

    def step(_: list[Signal], scope: Scope) -> Signal:
        rows = scope[0].tables.get(table)
        if rows is None:
            raise InputError(f"no rows given for table {table!r}")
        return Signal(list(rows))

    return step


@compile_operator.register
def _(operator: Values, inputs: Sequence[Schema], outer: Outer) -> Step:
    rows = list(operator.rows)
    return lambda _, scope: Signal(rows)


@compile_operator.register
def _(operator: Filter, inputs: Sequence[Schema], outer: Outer) -> Step:
    test = compile_expr(operator.predicate, (inputs[0], *outer))

    def step(signals: list[Signal], scope: Scope) -> Signal:
        (signal,) = signals
        return signal.pick([i for i, row in enumerate(signal.rows) if test(row, scope) is True])

    return step


@compile_operator.register
def _(operator: Project, inputs: Sequence[Schema], outer: Outer) -> Step:
    columns = [compile_expr(named.expr, (inputs[0], *outer)) for named in operator.columns]

    def step(signals: list[Signal], scope: Scope) -> Signal:
        (signal,) = signals
        rows = [tuple([c(row, scope) for c in columns]) for row in signal.rows]
        return Signal(rows, signal.peers)

    return step


@compile_operator.register
def _(operator: Join, inputs: Sequence[Schema], outer: Outer) -> Step:
    left_schema, right_schema = inputs
    condition = operator.condition
    test: Compiled = lambda row, scope: True  # noqa: E731
    if condition is not None:
        test = compile_expr(condition, (left_schema + right_schema, *outer))
    kind, left_nulls, right_nulls = (
        operator.kind,
        (None,) * len(left_schema),
        (None,) * len(right_schema),
    )
    partners = _partner_finder(operator, left_schema, right_schema)

    def step(signals: list[Signal], scope: Scope) -> Signal:
        left, right = signals[0].rows, signals[1].rows
        find = partners(right)
        matched: set[int] = set()
        out: list[Row] = []
        for row in left:
            matches = (j for j in find(row) if test(row + right[j], scope) is True)
            if kind in ("semi", "anti"):
                if (next(matches, None) is not None) == (kind == "semi"):
                    out.append(row)
                continue
            found = list(matches)
            out += [row + right[j] for j in found]
            if kind == "full":
                matched.update(found)
            if not found and kind in ("left", "full"):
                out.append(row + right_nulls)
        if kind == "full":
            out += [left_nulls + r for j, r in enumerate(right) if j not in matched]
        return Signal(out)

    return step


def _partner_finder(
    operator: Join, left: Schema, right: Schema
) -> Callable[[list[Row]], Callable[[Row], Sequence[int]]]:
    """Candidates for each left row: by hashing on the columns that the condition equates."""
    both = left + right
    conjuncts = (
        operator.condition.args if isinstance(operator.condition, And) else (operator.condition,)
    )
    equated: list[tuple[int, int, Callable[[Any], Any], bool]] = []
    for conjunct in conjuncts:
        match conjunct:
            case Compare("=" | "<=>" as op, Column() as a, Column() as b):
                x, y = sorted((both.place(a.name, a.occurrence), both.place(b.name, b.occurrence)))
                if x < len(left) <= y:
                    equated.append((x, y - len(left), group_key(a.type), op == "<=>"))
    if not equated:
        return lambda rows: lambda row: range(len(rows))
    strict = [(x, y) for x, y, _, null_safe in equated if not null_safe]

    def finder(rows: list[Row]) -> Callable[[Row], Sequence[int]]:
        table: dict[Any, list[int]] = {}
        for j, row in enumerate(rows):
            if all(row[y] is not None for _, y in strict):
                table.setdefault(tuple(key(row[y]) for _, y, key, _ in equated), []).append(j)

        def find(row: Row) -> Sequence[int]:
            if any(row[x] is None for x, _ in strict):
                return ()
            return table.get(tuple(key(row[x]) for x, _, key, _ in equated), ())

        return find

    return finder


# -- grouping ----------------------------------------------------------------------------------


def compile_call(
    call: AggregateCall, inputs: Sequence[Schema], outer: Outer
) -> Callable[[list[Row], Scope], Any]:
    """An aggregate call as a function of the rows of a group."""
    scopes = (inputs[0], *outer)
    args = [compile_expr(a, scopes) for a in call.args]
    where = None if call.where is None else compile_expr(call.where, scopes)
    types = tuple(a.type for a in call.args)
    meaning = aggregate_function(call.function).meaning(types, call.type)
    keys = [group_key(t) for t in types]

    def value(rows: list[Row], scope: Scope) -> Any:
        if where is not None:
            rows = [row for row in rows if where(row, scope) is True]
        values = [tuple([a(row, scope) for a in args]) for row in rows]
        if call.distinct:
            values = list(
                {
                    tuple(k(v) for k, v in zip(keys, value, strict=True)): value
                    for value in reversed(values)
                }.values()
            )[::-1]
        return meaning(values)

    return value


@compile_operator.register
def _(operator: Aggregate, inputs: Sequence[Schema], outer: Outer) -> Step:
    keys = [compile_expr(k.expr, (inputs[0], *outer)) for k in operator.keys]
    by = [group_key(k.expr.type) for k in operator.keys]
    clean = [unsigned_zero(k.expr.type) for k in operator.keys]
    calls = [compile_call(named.call, inputs, outer) for named in operator.calls]

    def step(signals: list[Signal], scope: Scope) -> Signal:
        groups: dict[Any, tuple[Row, list[Row]]] = {}
        for row in signals[0].rows:
            values = tuple([k(row, scope) for k in keys])
            name = tuple([b(v) for b, v in zip(by, values, strict=True)])
            if name not in groups:
                shown = tuple(c(v) for c, v in zip(clean, values, strict=True))
                groups[name] = (shown, [])
            groups[name][1].append(row)
        out = [
            shown + tuple([call(rows, scope) for call in calls]) for shown, rows in groups.values()
        ]
        return Signal(out)

    return step


@compile_operator.register
def _(operator: GlobalAggregate, inputs: Sequence[Schema], outer: Outer) -> Step:
    calls = [compile_call(named.call, inputs, outer) for named in operator.calls]

    def step(signals: list[Signal], scope: Scope) -> Signal:
        return Signal([tuple([call(signals[0].rows, scope) for call in calls])])

    return step


@compile_operator.register
def _(operator: Deduplicate, inputs: Sequence[Schema], outer: Outer) -> Step:
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.keys]
    by = [group_key(c.type) for c in operator.keys]
    clean = [(p, unsigned_zero(c.type)) for p, c in zip(places, operator.keys, strict=True)]

    def step(signals: list[Signal], scope: Scope) -> Signal:
        first: dict[Any, Row] = {}
        for row in signals[0].rows:
            first.setdefault(tuple(b(row[p]) for b, p in zip(by, places, strict=True)), row)
        return Signal([shown(row) for row in first.values()])

    def shown(row: Row) -> Row:
        """Keys are shown as groups show them: 0.0 for -0.0."""
        found = list(row)
        for place, change in clean:
            found[place] = change(row[place])
        return tuple(found)

    return step


# -- combining ---------------------------------------------------------------------------------


@compile_operator.register
def _(operator: Union, inputs: Sequence[Schema], outer: Outer) -> Step:
    return lambda signals, scope: Signal([row for s in signals for row in s.rows])


def _multiset_step(types: Sequence[DataType], combine: Callable[[int, int], int]) -> Step:
    keys = [group_key(t) for t in types]
    clean = [unsigned_zero(t) for t in types]

    def name(row: Row) -> Any:
        return tuple(k(v) for k, v in zip(keys, row, strict=True))

    def step(signals: list[Signal], scope: Scope) -> Signal:
        left, right = (Counter(map(name, s.rows)) for s in signals)
        shown = {name(row): row for row in reversed(signals[0].rows)}
        out: list[Row] = []
        for key, row in shown.items():
            tidy = tuple(c(v) for c, v in zip(clean, row, strict=True))
            out += [tidy] * combine(left[key], right[key])
        return Signal(out)

    return step


@compile_operator.register
def _(operator: IntersectAll, inputs: Sequence[Schema], outer: Outer) -> Step:
    return _multiset_step(inputs[0].types, min)


@compile_operator.register
def _(operator: ExceptAll, inputs: Sequence[Schema], outer: Outer) -> Step:
    return _multiset_step(inputs[0].types, lambda a, b: max(a - b, 0))


# -- order -------------------------------------------------------------------------------------


def compile_order(
    keys: Sequence[SortKey], scopes: tuple[Schema, ...]
) -> Callable[[list[Row], Scope], tuple[list[int], list[int]]]:
    """A function giving the places of the rows in order, and the layer of each."""
    compiled = [(compile_expr(k.expr, scopes), sort_key(k.expr.type), k) for k in keys]

    def arrange(rows: list[Row], scope: Scope) -> tuple[list[int], list[int]]:
        columns = [[value(row, scope) for row in rows] for value, _, _ in compiled]
        places = list(range(len(rows)))
        for column, (_, key, spec) in reversed(list(zip(columns, compiled, strict=True))):
            present = [i for i in places if column[i] is not None]
            nulls = [i for i in places if column[i] is None]
            present.sort(key=lambda i: key(column[i]), reverse=not spec.ascending)
            places = nulls + present if spec.nulls_first else present + nulls
        names = [
            tuple(
                None if column[i] is None else key(column[i])
                for column, (_, key, _) in zip(columns, compiled, strict=True)
            )
            for i in places
        ]
        layers, layer = [], -1
        for n, name in enumerate(names):
            if n == 0 or name != names[n - 1]:
                layer += 1
            layers.append(layer)
        return places, layers

    return arrange


@compile_operator.register
def _(operator: Sort, inputs: Sequence[Schema], outer: Outer) -> Step:
    arrange = compile_order(operator.keys, (inputs[0], *outer))

    def step(signals: list[Signal], scope: Scope) -> Signal:
        rows = signals[0].rows
        places, layers = arrange(rows, scope)
        return Signal([rows[i] for i in places], layers)

    return step


@compile_operator.register
def _(operator: Limit, inputs: Sequence[Schema], outer: Outer) -> Step:
    start = operator.offset
    end = None if operator.count is None else start + operator.count

    def step(signals: list[Signal], scope: Scope) -> Signal:
        (signal,) = signals
        return signal.pick(range(len(signal.rows))[start:end])

    return step


@compile_operator.register
def _(operator: Sample, inputs: Sequence[Schema], outer: Outer) -> Step:
    share = operator.fraction

    def step(signals: list[Signal], scope: Scope) -> Signal:
        rows = signals[0].rows
        chosen = [noise(operator.seed, i) % 1000 < share * 1000 for i in range(len(rows))]
        return Signal([row for row, keep in zip(rows, chosen, strict=True) if keep])

    return step


# -- generating --------------------------------------------------------------------------------


@compile_operator.register
def _(operator: Unnest, inputs: Sequence[Schema], outer: Outer) -> Step:
    generator = compile_expr(operator.generator, (inputs[0], *outer))
    width = len(operator.names)
    is_map = isinstance(operator.generator.type, MapType)
    fields = width - operator.position

    def element(value: Any) -> Row:
        if is_map:
            return tuple(value)
        if operator.inline:
            return (None,) * fields if value is None else tuple(value)
        return (value,)

    def step(signals: list[Signal], scope: Scope) -> Signal:
        out: list[Row] = []
        for row in signals[0].rows:
            items = generator(row, scope) or ()
            for place, item in enumerate(items):
                out.append(row + ((place,) if operator.position else ()) + element(item))
            if not items and operator.outer:
                out.append(row + (None,) * width)
        return Signal(out)

    return step


@compile_operator.register
def _(operator: Lateral, inputs: Sequence[Schema], outer: Outer) -> Step:
    rows_of = compile_query(operator.query, (inputs[0], *outer))
    nulls = (None,) * len(operator.query.result_schema)

    def step(signals: list[Signal], scope: Scope) -> Signal:
        out: list[Row] = []
        for row in signals[0].rows:
            found = rows_of(row, scope)
            out += [row + other for other in found]
            if not found and operator.outer:
                out.append(row + nulls)
        return Signal(out)

    return step


# -- opaque ------------------------------------------------------------------------------------


@compile_operator.register
def _(operator: RowUdf, inputs: Sequence[Schema], outer: Outer) -> Step:
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.reads]

    def added(args: Row, scope: Scope) -> Row:
        supplied = scope[0].functions.get(operator.identity)
        if supplied is not None:
            value = supplied(*args)
            return tuple(value) if isinstance(value, tuple | list) else (value,)
        return tuple(
            opaque_value(noise(operator.identity, n, args), f.type, f.nullable, scope[0].likely)
            for n, f in enumerate(operator.adds)
        )

    def step(signals: list[Signal], scope: Scope) -> Signal:
        (signal,) = signals
        rows = [row + added(tuple(row[p] for p in places), scope) for row in signal.rows]
        return Signal(rows)

    return step


@compile_operator.register
def _(operator: TableUdf, inputs: Sequence[Schema], outer: Outer) -> Step:
    """Without a supplied function: one row per input row, hashed with its whole group."""
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.keys]

    def invented(tables: list[list[Row]], layers: Sequence[int] = ()) -> list[Row]:
        """Any row depends on all rows, and on their order as far as there is one."""
        shown = [repr(row) for rows in tables for row in rows]
        whole = sorted(zip(layers, shown, strict=True)) if layers else sorted(shown)
        return [
            tuple(
                opaque_value(noise(operator.identity, n, whole, row), f.type, f.nullable)
                for n, f in enumerate(operator.fields)
            )
            for row in (r for rows in tables for r in rows)
        ]

    def step(signals: list[Signal], scope: Scope) -> Signal:
        supplied = scope[0].functions.get(operator.identity)
        function = invented if supplied is None else supplied
        tables = [s.rows for s in signals]
        if supplied is None and operator.scope == "table" and len(signals) == 1:
            return Signal(invented(tables, signals[0].peers or ()))
        if operator.scope != "group":
            return Signal([tuple(r) for r in function(tables)])
        groups: dict[Row, list[Row]] = {}
        for row in tables[0]:
            groups.setdefault(tuple(row[p] for p in places), []).append(row)
        return Signal([tuple(r) for rows in groups.values() for r in function([rows])])

    return step


@compile_operator.register
def _(operator: Sink, inputs: Sequence[Schema], outer: Outer) -> Step:
    if not operator.columns:
        return lambda signals, scope: signals[0]
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.columns]

    def step(signals: list[Signal], scope: Scope) -> Signal:
        rows = [tuple(row[p] for p in places) for row in signals[0].rows]
        return Signal(rows, signals[0].peers)

    return step
