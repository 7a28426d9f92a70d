"""Printing expressions as SQL and dataflows as one line per operator."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, assert_never

from veer.functions.moments import date_text, timestamp_text
from veer.functions.registry import scalar_function
from veer.functions.traits import Indexed, Infix, Prefix
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.ops import Lateral, Unnest
from veer.ir.secrets import without_secrets
from veer.ir.writes import AnyWrite, Change, Insert, Write

CAST_NAMES = {
    ty.CastMode.ANSI: "CAST",
    ty.CastMode.TRY: "TRY_CAST",
    ty.CastMode.LEGACY: "LEGACY_CAST",
}


INTERVAL_UNITS = (
    ("DAY", timedelta(days=1)),
    ("HOUR", timedelta(hours=1)),
    ("MINUTE", timedelta(minutes=1)),
    ("SECOND", timedelta(seconds=1)),
)


def show_value(value: Any) -> str:
    """A constant as SQL writes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case bytes():
            return f"X'{value.hex().upper()}'"
        case datetime():
            return f"TIMESTAMP '{timestamp_text(value)}'"
        case date():
            return f"DATE '{date_text(value)}'"
        case timedelta():
            return _show_interval(value)
        case tuple():
            return "(" + ", ".join(map(show_value, value)) + ")"
        case _:
            return str(value)


def _show_interval(value: timedelta) -> str:
    """A length of time in the largest unit of which it is a whole number."""
    for unit, length in INTERVAL_UNITS:
        if value % length == timedelta(0):
            return f"INTERVAL '{value // length}' {unit}"
    sign, size = "-" if value < timedelta(0) else "", abs(value)
    return f"INTERVAL '{sign}{size.days} {timestamp_text(datetime.min + size % timedelta(days=1))[11:]}' DAY TO SECOND"


def show_variable(variable: ex.RowColumn | ex.Symbol) -> str:
    """The name under which a variable of a proof is printed, in words and in SMT-LIB.

    `t5.2` is column 2 of tuple variable 5, `?3` a symbol; `!` marks what is never null.
    """
    mark = "" if variable.nullable else "!"
    match variable:
        case ex.RowColumn(row, index):
            return f"t{row}.{index}{mark}"
        case ex.Symbol(id_):
            return f"?{id_}{mark}"
        case _:
            assert_never(variable)


def _show_call(function: str, args: list[str]) -> str:
    """A call as SQL writes it, but by the registry's own name: SQL's `+` means several functions."""
    match scalar_function(function).sql:
        case Infix(symbol) if symbol == function:
            return f"({args[0]} {symbol} {args[1]})"
        case Prefix(symbol):
            return f"({symbol} {args[0]})"
        case Indexed():
            return f"{args[0]}[{args[1]}]"
        case _:
            return f"{function}({', '.join(args)})"


def show_expr(expr: ex.Expr) -> str:
    """An expression in SQL spelling."""
    match expr:
        case ex.Column(name, _, occurrence):
            return ty.quote_name(name) + (f"@{occurrence + 1}" if occurrence else "")
        case ex.OuterColumn(name, _, occurrence, depth):
            place = f"@{occurrence + 1}" if occurrence else ""
            return f"{'outer.' * depth}{ty.quote_name(name)}{place}"
        case ex.RowColumn() | ex.Symbol():
            return show_variable(expr)
        case ex.Literal(value):
            return show_value(value)
        case ex.And(args):
            return "(" + " AND ".join(map(show_expr, args)) + ")"
        case ex.Or(args):
            return "(" + " OR ".join(map(show_expr, args)) + ")"
        case ex.Not(ex.IsNull(arg)):
            return f"({show_expr(arg)} IS NOT NULL)"
        case ex.Not(arg):
            return f"(NOT {show_expr(arg)})"
        case ex.Compare(op, left, right):
            return f"({show_expr(left)} {op} {show_expr(right)})"
        case ex.IsNull(arg):
            return f"({show_expr(arg)} IS NULL)"
        case ex.InList(arg, options):
            return f"({show_expr(arg)} IN ({', '.join(map(show_expr, options))}))"
        case ex.Case(branches, otherwise):
            whens = " ".join(f"WHEN {show_expr(w)} THEN {show_expr(t)}" for w, t in branches)
            return f"CASE {whens} ELSE {show_expr(otherwise)} END"
        case ex.Cast(arg, type_, mode):
            return f"{CAST_NAMES[mode]}({show_expr(arg)} AS {type_})"
        case ex.Call(function, args):
            return _show_call(function, list(map(show_expr, args)))
        case ex.OpaqueCall(identity, args) if identity.startswith(f"{ex.OF_OTHERS} "):
            return f"{ty.quote_name(function_name(identity))}({', '.join(map(show_expr, args))})"
        case ex.OpaqueCall(identity, args):
            return f"{ty.quote_name(identity)}({', '.join(map(show_expr, args))})"
        case ex.GetField(arg, name):
            return f"{show_expr(arg)}.{ty.quote_name(name)}"
        case ex.Exists(query):
            return f"EXISTS({show_query(query)})"
        case ex.InQuery(args, query):
            return f"(({', '.join(map(show_expr, args))}) IN ({show_query(query)}))"
        case ex.ScalarQuery(query):
            return f"({show_query(query)})"
        case _:
            assert_never(expr)


def function_name(identity: str) -> str:
    """What people call a function known by its identity alone: `from_json`, `clean`."""
    words = identity.split(" ", 2)
    return (
        words[1] if len(words) > 1 and words[0] in ("spark", "python", ex.OF_OTHERS) else words[0]
    )


def show_query(query: Dataflow) -> str:
    """A subquery on one line, its operators in order."""
    lines = [f"{show_operator(query.operators[i])}{_fed_by(query, i)}" for i in query.order]
    return "; ".join(lines)


def _fed_by(dataflow: Dataflow, id_: str) -> str:
    sources = dataflow.inputs[id_]
    return f" <- {', '.join(sources)}" if len(sources) > 1 else ""


def show_sort_key(key: ex.SortKey) -> str:
    """A sort key with what differs from Spark's default."""
    direction = "" if key.ascending else " DESC"
    usual = key.nulls_first == key.ascending
    nulls = "" if usual else " NULLS FIRST" if key.nulls_first else " NULLS LAST"
    return show_expr(key.expr) + direction + nulls


def show_aggregate(call: ex.AggregateCall) -> str:
    """An aggregate call."""
    args = ", ".join(map(show_expr, call.args)) or "*"
    where = f" FILTER (WHERE {show_expr(call.where)})" if call.where is not None else ""
    return f"{call.function}({'DISTINCT ' if call.distinct else ''}{args}){where}"


def _show_bound(bound: Any, side: str) -> str:
    if bound is None:
        return f"UNBOUNDED {side}"
    if bound == 0:
        return "CURRENT ROW"
    return f"{abs(bound)} {'PRECEDING' if bound < 0 else 'FOLLOWING'}"


def show_frame(frame: ex.Frame) -> str:
    """A window frame."""
    start, end = _show_bound(frame.start, "PRECEDING"), _show_bound(frame.end, "FOLLOWING")
    return f"{frame.unit.upper()} BETWEEN {start} AND {end}"


def show_over(call: ex.OverCall) -> str:
    """A window function call."""
    inside = []
    if call.partition:
        inside.append("PARTITION BY " + ", ".join(map(show_expr, call.partition)))
    if call.order:
        inside.append("ORDER BY " + ", ".join(map(show_sort_key, call.order)))
    inside.append(show_frame(call.frame))
    nulls = " IGNORE NULLS" if call.ignore_nulls else ""
    where = f" FILTER (WHERE {show_expr(call.where)})" if call.where is not None else ""
    args = ", ".join(map(show_expr, call.args))
    return f"{call.function}({args}){nulls}{where} OVER ({' '.join(inside)})"


def _show_named(named: ex.Named) -> str:
    if isinstance(named.expr, ex.Column) and named.expr.name == named.name:
        return show_expr(named.expr)
    return f"{show_expr(named.expr)} AS {ty.quote_name(named.name)}"


def _show_calls(calls: tuple[ops.NamedCall, ...]) -> str:
    return ", ".join(f"{show_aggregate(c.call)} AS {ty.quote_name(c.name)}" for c in calls)


def _show_overs(calls: tuple[ops.NamedOver, ...]) -> str:
    return ", ".join(f"{show_over(c.call)} AS {ty.quote_name(c.name)}" for c in calls)


def _names(columns: tuple[ex.Column, ...]) -> str:
    return ", ".join(map(show_expr, columns))


def show_operator(operator: ops.AnyOperator) -> str:
    """An operator with its properties on one line."""
    match operator:
        case ops.Source(table, fields, location=location):
            place = f" at {without_secrets(location)!r}" if location else ""
            return f"Source {without_secrets(table)}({', '.join(map(str, fields))}){place}"
        case ops.Values(fields, rows):
            return f"Values ({', '.join(map(str, fields))}) {', '.join(map(show_value, rows))}"
        case ops.Filter(predicate):
            return f"Filter {show_expr(predicate)}"
        case ops.Project(columns):
            return f"Project {', '.join(map(_show_named, columns))}"
        case ops.Join(kind, condition):
            on = "" if condition is None else f" on {show_expr(condition)}"
            return f"Join {kind}{on}"
        case ops.Aggregate(keys, calls):
            does = f": {_show_calls(calls)}" if calls else ""
            return f"Aggregate by {', '.join(map(_show_named, keys))}{does}"
        case ops.GlobalAggregate(calls):
            return f"GlobalAggregate {_show_calls(calls)}"
        case ops.Deduplicate(keys):
            return f"Deduplicate on {_names(keys)}"
        case ops.Sort(keys):
            return f"Sort by {', '.join(map(show_sort_key, keys))}"
        case ops.Limit(count, offset):
            amount = "all" if count is None else str(count)
            return f"Limit {amount}{f' offset {offset}' if offset else ''}"
        case ops.Over(calls):
            return f"Over {_show_overs(calls)}"
        case Unnest(generator, names, outer, position, inline):
            flags = [
                n for n, on in (("outer", outer), ("position", position), ("inline", inline)) if on
            ]
            return " ".join(["Unnest", *flags, show_expr(generator), "AS", ", ".join(names)])
        case Lateral(query, outer):
            return f"Lateral{' outer' if outer else ''} ({show_query(query)})"
        case ops.Sample(fraction, seed):
            return f"Sample {fraction}{'' if seed is None else f' seed {seed}'}"
        case ops.RowUdf(identity, reads, adds, kind):
            name = identity if identity.startswith(kind) else f"{kind} {identity}"
            return f"{name} of {_names(reads)} adds {', '.join(map(str, adds))}"
        case ops.TableUdf(identity, fields, scope, keys):
            by = f" by {_names(keys)}" if keys else ""
            return f"TableUdf {identity} of {scope}{by} gives {', '.join(map(str, fields))}"
        case ops.Sink(name, target=target, columns=columns):
            shown = f" of {_names(columns)}" if columns else ""
            return f"Sink {without_secrets(name)} ({show_kind(operator)}{f' to {without_secrets(target)}' if target else ''}){shown}"
        case ops.Union() | ops.IntersectAll() | ops.ExceptAll():
            return type(operator).__name__
        case _:
            assert_never(operator)


MOST_PARTS = 4  # of a long list
LONGEST = 160  # characters of a brief text


def brief(operator: ops.AnyOperator) -> str:
    """An operator for a sentence: of long lists of columns only the first, and how many."""
    text = show_operator(operator)
    if len(text) <= LONGEST:
        return text
    match operator:
        case ops.Source(table, fields, location=location):
            place = f" at {without_secrets(location)!r}" if location else ""
            text = f"Source {without_secrets(table)}({_some([f.name for f in fields])}){place}"
        case ops.Values(fields, rows):
            text = f"Values ({_some([f.name for f in fields])}) of {len(rows)} rows"
        case ops.Project(columns):
            text = f"Project {_some([_show_named(c) for c in columns])}"
        case ops.Aggregate(keys, calls):
            by, does = [_show_named(k) for k in keys], [_show_calls((c,)) for c in calls]
            text = f"Aggregate by {_some(by)}: {_some(does)}"
        case _:
            pass  # nothing to leave out: cut where it is too long
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def _some(shown: list[str]) -> str:
    if len(shown) <= MOST_PARTS:
        return ", ".join(shown)
    return f"{', '.join(shown[:MOST_PARTS])}, ... ({len(shown)} in all)"


def show_kind(sink: ops.Sink) -> str:
    """How the rows of a sink are shown or written."""
    return sink.kind if sink.write is None else show_write(sink.write)


def show_write(write: AnyWrite) -> str:
    """How rows are written."""
    match write:
        case Write(format_, mode, layout, settings):
            how = [format_, mode, *layout]
        case Insert(overwrite, by_name, settings):
            how = ["overwritten table" if overwrite else "appended table"]
            how += ["by name"] if by_name else []
        case Change(settings):
            how = ["changed table"]
        case _:
            assert_never(write)
    return ", ".join([*how, *(f"{name}={value}" for name, value in settings)])


def show_part(value: Any) -> str:
    """Anything inside of an operator."""
    match value:
        case ex.Named():
            return _show_named(value)
        case ops.NamedCall():
            return _show_calls((value,))
        case ops.NamedOver():
            return _show_overs((value,))
        case ex.AggregateCall():
            return show_aggregate(value)
        case ex.OverCall():
            return show_over(value)
        case ex.SortKey():
            return show_sort_key(value)
        case ex.Frame():
            return show_frame(value)
        case _ if isinstance(value, ops.OPERATOR_CLASSES):
            return show_operator(value)
        case Dataflow():
            return show_query(value)
        case Write() | Insert() | Change():
            return show_write(value)
        case ops.ForeignKey(columns, parent, parent_columns):
            return f"({', '.join(columns)}) of {parent} ({', '.join(parent_columns)})"
        case tuple():
            return f"({', '.join(map(show_part, value))})" if value else "none"
        case str():
            return show_value(value)
        case _:
            return show_expr(value) if isinstance(value, ex.EXPR_CLASSES) else str(value)


def show_dataflow(dataflow: Dataflow) -> str:
    """A dataflow, one operator per line, inputs before what they feed."""
    width = max(len(i) for i in dataflow.operators)
    lines = []
    for id_ in dataflow.order:
        fed = dataflow.inputs[id_]
        arrow = f"  <- {', '.join(fed)}" if fed else ""
        lines.append(f"{id_:<{width}}  {show_operator(dataflow.operators[id_])}{arrow}")
    return "\n".join(lines)
