"""PIVOT and UNPIVOT, lowered to aggregates and unions as Spark does.

Spark pivots in two ways that differ where a combination is missing, by the types of the calls:

    all numbers or booleans   calls per group and value, then one of them picked: null if there is
                              no row, also for counts
    any other type            each call over `if(key <=> value, argument, null)` of all rows of the
                              group: counts of 0, empty arrays; `first` and `last` skip nulls
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.typing import common_type
from veer.ir import expr as ex, ops, types as ty
from veer.ir.walk import columns_read, exprs_in
from veer.read import coercion
from veer.read.sql.correlation import check_rows_uncorrelated
from veer.read.sql.expressions import ExprReader
from veer.read.sql.names import pretty
from veer.read.sql.parse import only, refuse
from veer.read.sql.placeholders import Collected, SetAside, number_of
from veer.read.sql.scope import Plan, ScopeColumn

if TYPE_CHECKING:
    from veer.read.sql.query import QueryReader

PICKED = (ty.NumericType, ty.BooleanType)  # types of calls of which Spark picks one
# Functions of which every argument may be any value of a row.
ARGUMENT_BY_ARGUMENT = frozenset(
    {"avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "collect_list", "collect_set"}
    | {"count", "count_if", "first", "last", "max", "max_by", "median", "min", "min_by", "mode"}
    | {"corr", "covar_pop", "covar_samp", "kurtosis", "skewness"}
    | {"stddev_pop", "stddev_samp", "sum", "var_pop", "var_samp"}
    | {"legacy.avg", "legacy.long_avg", "legacy.long_sum", "legacy.sum"}
)


def pivot(queries: QueryReader, plan: Plan, node: exp.Expr) -> Plan:
    """One row per group, with columns for the values of the pivot column."""
    if len(node.args["fields"]) != 1 or node.args.get("default_on_null"):
        refuse(node, "this PIVOT")
    spread = node.args["fields"][0]
    collected = Collected()
    reader = ExprReader(plan, queries.outer, queries, collected)
    calls = [_pivot_call(reader, item) for item in node.expressions]
    key = reader.read(spread.this)
    if not isinstance(key, ex.Column):
        refuse(spread, "PIVOT over something that is not a column")
    values = [_pivot_value(reader, e, key) for e in spread.expressions]
    # What neither the calls nor the pivot column read is grouped by, though nobody names it.
    used = {c for e in exprs_in(tuple(collected.aggregates)) for c in columns_read(e)} | {key}
    rest = [plan.column(i) for i in plan.star() if plan.column(i) not in used]
    groups = [ex.Named(c.name, c) for c in rest]
    return spread_out(queries, plan, groups, key, values, calls, collected)


def spread_out(
    queries: QueryReader,
    plan: Plan,
    groups: Sequence[ex.Named],
    key: ex.Expr,
    values: Sequence[tuple[ex.Expr, str]],
    calls: Sequence[tuple[str, int]],
    collected: Collected,
) -> Plan:
    """A row for each group, with a column for each value of `key` and each call.

    `values` come with what their columns are called, `calls` are names and numbers of aggregates
    set aside.
    """
    aggregates = [collected.aggregates[number] for _, number in calls]
    if all(isinstance(call.type, PICKED) for call in aggregates):
        return _in_two_steps(queries, plan, groups, key, values, calls, collected)
    picked = [
        ops.NamedCall(
            _column_name(label, name, calls), _among(collected.aggregates[number], key, value)
        )
        for value, label in values
        for name, number in calls
    ]
    operator = (
        ops.Aggregate(tuple(groups), tuple(picked))
        if groups
        else ops.GlobalAggregate(tuple(picked))
    )
    return queries.add(operator, plan.id, columns=_output(plan, groups, picked))


def _among(call: ex.AggregateCall, key: ex.Expr, value: ex.Expr) -> ex.AggregateCall:
    """A call that sees null in place of its arguments where `key` is another value."""
    if call.function not in ARGUMENT_BY_ARGUMENT:
        # Spark replaces constants such as the share of a percentile too, and refuses the result.
        raise UnsupportedError(f"a pivot of {call.function} of texts, dates or arrays")
    args = call.args[:1] if call.function in ("first", "last") else call.args
    if call.function == "mode" and len(args) > 1:
        raise UnsupportedError("a pivot of mode with an order")
    given = args or (ex.Literal(1, ty.INT),)  # COUNT(*) is COUNT(1)
    here = coercion.compare("<=>", key, value)
    seen: list[ex.Expr] = [coercion.case([(here, a)], ex.Literal(None, a.type)) for a in given]
    if call.function in ("first", "last"):
        seen.append(ex.Literal(True, ty.BOOLEAN))
    return replace(call, args=tuple(seen))


def _column_name(label: str, name: str, calls: Sequence[object]) -> str:
    return label if len(calls) == 1 else f"{label}_{name}"


def _output(
    plan: Plan, groups: Sequence[ex.Named], picked: Sequence[ops.NamedCall]
) -> list[ScopeColumn]:
    return [*(_passed_on(plan, g) for g in groups), *(ScopeColumn(None, c.name) for c in picked)]


def _in_two_steps(
    queries: QueryReader,
    plan: Plan,
    groups: Sequence[ex.Named],
    key: ex.Expr,
    values: Sequence[tuple[ex.Expr, str]],
    calls: Sequence[tuple[str, int]],
    collected: Collected,
) -> Plan:
    """Aggregates per group and value of the pivot column, then one row per group.

    Two steps, so that a missing combination is null, also for counts.
    """
    if len({value for value, _ in values}) < len(values):
        raise UnsupportedError("a pivot that lists a value twice")
    first = queries.add(
        ops.Aggregate(
            (*groups, ex.Named("_pivot", key)),
            tuple(ops.NamedCall(f"_call{i}", c) for i, c in enumerate(collected.aggregates)),
        ),
        plan.id,
        columns=[],
    )
    picked: list[ops.NamedCall] = []
    for value, label in values:
        for name, number in calls:
            computed = first.column(len(groups) + 1 + number)
            # At most one row of the group has this value, which may be null: MAX just picks it.
            where = coercion.compare("<=>", first.column(len(groups)), value)
            picked.append(
                ops.NamedCall(
                    _column_name(label, name, calls),
                    coercion.aggregate_call("max", [computed], where=where),
                )
            )
    keys = tuple(ex.Named(g.name, first.column(i)) for i, g in enumerate(groups))
    operator = ops.Aggregate(keys, tuple(picked)) if keys else ops.GlobalAggregate(tuple(picked))
    return queries.add(operator, first.id, columns=_output(plan, groups, picked))


def _passed_on(plan: Plan, group: ex.Named) -> ScopeColumn:
    """The column of a group, which stays the one below if it is just that."""
    if isinstance(group.expr, ex.Column):
        place = plan.schema.place(group.expr.name, group.expr.occurrence)
        return replace(plan.columns[place], name=group.name, hidden=False)
    return ScopeColumn(None, group.name)


def _pivot_call(reader: ExprReader, item: exp.Expr) -> tuple[str, int]:
    """The name of an aggregate call of PIVOT, and its number among the calls set aside."""
    inner = item.this if isinstance(item, exp.Alias) else item
    check_pivoted(inner)
    number = number_of(SetAside.AGGREGATE, reader.read(inner))
    if number is None:
        refuse(item, "PIVOT of something that is not an aggregate")
    return item.alias if isinstance(item, exp.Alias) else pretty(inner), number


def check_pivoted(call: exp.Expr) -> None:
    """Refuse `any_value`, which unlike `first` may give the null of a row of another value."""
    if any(isinstance(n, exp.Anonymous) and n.name.lower() == "any_value" for n in call.walk()):
        raise UnsupportedError("a pivot of any_value")


def _pivot_value(reader: ExprReader, node: exp.Expr, key: ex.Expr) -> tuple[ex.Expr, str]:
    """A value of the pivot column, cast to its type, and what its columns are called."""
    inner = node.this if isinstance(node, exp.PivotAlias | exp.Alias) else node
    value = reader.read(inner)
    if not isinstance(value, ex.Literal):
        refuse(node, "a PIVOT value that is not a constant")
    label = (
        node.args["alias"].name
        if isinstance(node, exp.PivotAlias | exp.Alias)
        else str(value.value).lower()
        if isinstance(value.value, bool)
        else str(value.value)
    )
    if value.value is None:
        label = label if label != "None" else "null"
    return coercion.implicit(value, key.type), label


def unpivot(queries: QueryReader, plan: Plan, node: exp.Expr) -> Plan:
    """One row per row and listed column; nulls left out unless asked for."""
    only(node, "expressions", "fields", "unpivot", "include_nulls", "columns", "alias")
    if len(node.expressions) != 1 or len(node.args["fields"]) != 1:
        refuse(node, "UNPIVOT of several columns at once")
    check_rows_uncorrelated(queries.builder, plan.id, "what UNPIVOT turns")
    value_name = node.expressions[0].name
    spread = node.args["fields"][0]
    chosen: list[tuple[ex.Column, str]] = []
    for item in spread.expressions:
        inner = item.this if isinstance(item, exp.PivotAlias | exp.Alias) else item
        column = ExprReader(plan, queries.outer, queries).read(inner)
        if not isinstance(column, ex.Column):
            refuse(item, "UNPIVOT of something that is not a column")
        label = (
            item.args["alias"].name if isinstance(item, exp.PivotAlias | exp.Alias) else column.name
        )
        chosen.append((column, label))
    if not chosen:
        raise IllFormedError("UNPIVOT names no columns")
    gone = {c for c, _ in chosen}
    rest = [plan.column(i) for i in plan.star() if plan.column(i) not in gone]
    kept = [ex.Named(c.name, c) for c in rest]
    merged = stacked(queries, plan, kept, chosen, spread.this.name, value_name)
    if node.args.get("include_nulls"):
        return merged
    return queries.filter(merged, ex.Not(ex.IsNull(merged.column(len(merged.schema) - 1))))


def stacked(
    queries: QueryReader,
    plan: Plan,
    kept: Sequence[ex.Named],
    chosen: Sequence[tuple[ex.Expr, str]],
    variable_name: str,
    value_name: str,
) -> Plan:
    """The rows once for each chosen value, with its label and the value itself."""
    type_ = common_type(ex.arguments(tuple(c for c, _ in chosen)))
    names = [*(k.name for k in kept), variable_name, value_name]
    scope = [ScopeColumn(None, n) for n in names]
    parts = []
    for value, label in chosen:
        exprs: list[ex.Expr] = [
            *(k.expr for k in kept),
            ex.Literal(label, ty.STRING),
            coercion.implicit(value, type_),
        ]
        parts.append(
            queries.project(
                plan, [ex.Named(n, e) for n, e in zip(names, exprs, strict=True)], scope
            )
        )
    return queries.add(ops.Union(), *(p.id for p in parts), columns=scope)
