"""A dataflow as one Spark SQL statement: a common table expression per operator.

Columns go by place: the columns of every operator are called c0, c1, ... whatever their names, and
every reference names its table, so nothing is ever captured. What SQL cannot say - sources, stored
results, samples, functions of whole tables - stands in views that others make.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any, TypeAlias, assert_never, final

from veer.errors import IllFormedError, UnsupportedError
from veer.execution.spelling import spelled_aggregate, spelled_cast, spelled_scalar
from veer.functions import traits
from veer.functions.moments import date_text, timestamp_text
from veer.functions.registry import OVER, scalar_function
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.traits import RowOrder
from veer.ir.walk import columns_read, parts
from veer.settings import USUAL, SessionSettings

JOINED = {
    "inner": "INNER JOIN",
    "left": "LEFT OUTER JOIN",
    "full": "FULL OUTER JOIN",
    "semi": "LEFT SEMI JOIN",
    "anti": "LEFT ANTI JOIN",
    "cross": "CROSS JOIN",
}
# Computed by methods of DataFrames: SQL has no words for them.
FrameOperator: TypeAlias = ops.Sample | ops.TableUdf
NO_COLUMN = "CAST(NULL AS INT) AS c0"  # SQL knows no rows without columns


@final
@dataclass(frozen=True)
class Rows:
    """The rows an expression is about: their schema, and how each column is written."""

    schema: Schema
    names: tuple[str, ...]

    def __add__(self, other: Rows) -> Rows:
        return Rows(self.schema + other.schema, self.names + other.names)


EnclosingRows: TypeAlias = tuple[Rows, ...]
# Gives the name of a Python function that has an expression's value on rows of these columns.
Functions: TypeAlias = Callable[[ex.Expr | ops.RowUdf, Schema], str]


class SqlWriter:
    """Writes signals of a dataflow; `views` hold sources, and signals by id.

    The text means in a session of these settings what the expressions mean.
    """

    def __init__(
        self,
        dataflow: Dataflow,
        sources: Mapping[ops.Source, str],
        views: Mapping[str, str],
        functions: Functions,
        session: SessionSettings = USUAL,
    ) -> None:
        self.dataflow = dataflow
        self.sources, self.views, self.functions = sources, views, functions
        self.session = session
        self._numbers = count()

    def statement(self, id_: str) -> str:
        """The statement whose rows are those of a signal, columns by place."""
        needed = self.dataflow.ancestors(id_, stop=self.views)
        order = [i for i in self.dataflow.order if i in needed]
        inside = self._ordered(order)
        names = {i: f"s{n}" for n, i in enumerate(order) if i not in inside}

        def fed(below: str) -> str:
            if below in names:
                return names[below]
            return f"({self._signal(self.dataflow, below, fed, ())})"

        definitions = [f"{names[i]} AS ({self._signal(self.dataflow, i, fed, ())})" for i in names]
        tables = ",\n".join(definitions)
        text = f"{f'WITH {tables} ' if definitions else ''}SELECT * FROM {fed(id_)}"
        if "${" in text:
            raise UnsupportedError("a name that contains ${: Spark would replace a variable there")
        return text

    def _ordered(self, order: Sequence[str]) -> set[str]:
        """Signals in an order: Spark may lose that of a common table expression."""
        ordered: set[str] = set()
        for id_ in order:
            match self.dataflow.operators[id_].traits.order:
                case RowOrder.OWN:
                    ordered.add(id_)
                case RowOrder.KEPT | RowOrder.SHOWN:
                    if ordered & {*self.dataflow.inputs[id_]}:
                        ordered.add(id_)
                case RowOrder.NONE | RowOrder.UNKNOWN:
                    pass
        return ordered

    def _alias(self) -> str:
        return f"t{next(self._numbers)}"

    # -- operators -----------------------------------------------------------------------------

    def _signal(
        self, dataflow: Dataflow, id_: str, fed: Callable[[str], str], outer: EnclosingRows
    ) -> str:
        """One signal as a SELECT over what feeds it."""
        operator = dataflow.operators[id_]
        if dataflow is self.dataflow and id_ in self.views:
            return f"SELECT * FROM {self.views[id_]}"
        if isinstance(operator, ops.Source):
            return f"SELECT * FROM {self.sources[operator]}"
        below = dataflow.inputs[id_]
        aliases = [self._alias() for _ in below]
        tables = [f"{fed(i)} AS {a}" for i, a in zip(below, aliases, strict=True)]
        inputs = [_rows(dataflow.schemas[i], a) for i, a in zip(below, aliases, strict=True)]
        text = self._operator(operator, tables, inputs, outer)
        return text if dataflow.schemas[id_].fields else f"SELECT {NO_COLUMN} FROM ({text})"

    def _query(self, query: Dataflow, outer: EnclosingRows) -> str:
        """A subquery: tables within tables, down to views."""

        def fed(id_: str) -> str:
            return f"({self._signal(query, id_, fed, outer)})"

        (sink,) = query.sinks
        return self._signal(query, sink, fed, outer)

    def _operator(
        self,
        operator: ops.AnyOperator,
        tables: Sequence[str],
        inputs: Sequence[Rows],
        outer: EnclosingRows,
    ) -> str:
        """An operator as a SELECT over its input tables."""
        first = tables[0] if tables else ""
        rows = inputs[0] if inputs else Rows(Schema(()), ())
        scope = (rows, *outer)
        kept = _kept(rows)
        match operator:
            case ops.Values(fields, values):
                return _values(fields, values)
            case ops.Filter(predicate):
                return _select(kept, f"{first} WHERE {self.text(predicate, scope)}")
            case ops.Project(columns):
                computed = [f"{self.text(n.expr, scope)} AS c{i}" for i, n in enumerate(columns)]
                return _select(computed, first)
            case ops.Join():
                return self._join(operator, tables, inputs, outer)
            case ops.Aggregate() | ops.GlobalAggregate():
                return self._aggregate(operator, first, rows, outer)
            case ops.Union():
                both = zip(tables, inputs, strict=True)
                return " UNION ALL ".join(f"({_select(r.names, t)})" for t, r in both)
            case ops.IntersectAll() | ops.ExceptAll():
                word = "INTERSECT" if isinstance(operator, ops.IntersectAll) else "EXCEPT"
                return f" {word} ALL ".join(f"(SELECT * FROM {table})" for table in tables)
            case ops.Deduplicate(keys):
                return self._deduplicate(keys, first, rows, scope)
            case ops.Sort(keys):
                return _select(kept, first + self._order(keys, scope))
            case ops.Limit(number, offset):
                limit = "" if number is None else f" LIMIT {number}"
                return _select(kept, f"{first}{limit}{f' OFFSET {offset}' if offset else ''}")
            case ops.Over(calls):
                added = [self._over(named.call, scope) for named in calls]
                return _select([*kept, *_numbered(added, len(kept))], first)
            case ops.Unnest():
                return self._unnest(operator, first, rows, scope)
            case ops.Lateral():
                return self._lateral(operator, first, rows, scope)
            case ops.RowUdf():
                return self._row_udf(operator, first, rows, scope)
            case ops.Sink():
                shown = [rows.names[place] for place in operator.places(rows.schema)]
                return _select(_numbered(shown), first)
            case ops.Source() | ops.Sample() | ops.TableUdf():
                raise UnsupportedError(f"{type(operator).__name__} cannot be run by SQL")
            case _:
                assert_never(operator)

    def _join(
        self, join: ops.Join, tables: Sequence[str], inputs: Sequence[Rows], outer: EnclosingRows
    ) -> str:
        """A join; without a condition all pairs of rows, which SQL calls CROSS."""
        both = inputs[0] + inputs[1]
        one_side = join.kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI)
        shown = inputs[0].names if one_side else both.names
        kind, on = join.kind, ""
        if join.condition is not None:
            on = f" ON {self.text(join.condition, (both, *outer))}"
        elif kind == ops.JoinKind.INNER:
            kind = ops.JoinKind.CROSS
        elif kind != ops.JoinKind.CROSS:
            on = " ON true"
        return _select(_numbered(shown), f"{tables[0]} {JOINED[kind]} {tables[1]}{on}")

    def _lateral(self, operator: ops.Lateral, table: str, rows: Rows, scope: EnclosingRows) -> str:
        """Each row beside the rows its query gives for it."""
        kept, alias = _kept(rows), self._alias()
        word = "LEFT OUTER" if operator.outer else "INNER"
        added = [f"{alias}.c{i}" for i in range(len(operator.query.result_schema))]
        query = self._query(operator.query, scope)
        joined = f"{table} {word} JOIN LATERAL ({query}) AS {alias} ON true"
        return _select([*kept, *_numbered(added, len(kept))], joined)

    def _row_udf(self, operator: ops.RowUdf, table: str, rows: Rows, scope: EnclosingRows) -> str:
        """The columns a function adds; if there are several, it gives a struct of them.

        That is computed in a table of its own, so that the function is called once.
        """
        kept, width = _kept(rows), len(rows.names)
        read = ", ".join(self.text(column, scope) for column in operator.reads)
        called = f"{self.functions(operator, rows.schema)}({read})"
        if len(operator.adds) == 1:
            return _select([*kept, f"{called} AS c{width}"], table)
        alias = self._alias()
        names = [f"{alias}.c{i}" for i in range(width)]
        added = [f"{alias}.u.c{i}" for i in range(len(operator.adds))]
        inner = _select([*kept, f"{called} AS u"], table)
        return _select([*names, *_numbered(added, width)], f"({inner}) AS {alias}")

    def _aggregate(
        self,
        operator: ops.Aggregate | ops.GlobalAggregate,
        table: str,
        rows: Rows,
        outer: EnclosingRows,
    ) -> str:
        """Keys are computed first: a constant in GROUP BY would be the place of a column.

        One that is computed of constants alone stays: Spark would take it for a constant.
        """
        keys = operator.keys if isinstance(operator, ops.Aggregate) else ()
        alias = self._alias()
        inner = _kept(rows)
        shown = []
        for i, key in enumerate(keys):
            if not isinstance(key.expr, ex.Literal) and next(columns_read(key.expr), None) is None:
                shown.append(self.text(key.expr, (rows, *outer)))
                continue
            inner.append(f"{self.text(key.expr, (rows, *outer))} AS k{i}")
            shown.append(f"{alias}.k{i}")
        source = f"({_select(inner, table)}) AS {alias}"
        scope = (_rows(rows.schema, alias), *outer)
        calls = [self._called(named, scope) for named in operator.calls]
        by = f" GROUP BY {', '.join(shown)}" if keys else ""
        # Without keys and calls there is still one row, which count(*) gives.
        return _select(_numbered([*shown, *calls]) or ["count(*) AS c0"], f"{source}{by}")

    def _called(self, named: ops.NamedCall, scope: EnclosingRows) -> str:
        return self._aggregate_call(named.call, scope, distinct=named.call.distinct)

    def _aggregate_call(
        self,
        call: ex.AggregateCall | ex.OverCall,
        scope: EnclosingRows,
        *,
        distinct: bool,
        nulls: str = "",
    ) -> str:
        args = ", ".join(self.text(a, scope) for a in call.args)
        types = [a.type for a in call.args]
        name = spelled_aggregate(call.function, types, call.type, self.session)
        args = args or ("*" if name == "count" else "")
        where = "" if call.where is None else f" FILTER (WHERE {self.text(call.where, scope)})"
        return f"{name}({'DISTINCT ' if distinct else ''}{args}){nulls}{where}"

    def _deduplicate(
        self, keys: Sequence[ex.Column], table: str, rows: Rows, scope: EnclosingRows
    ) -> str:
        """The first row of each group of equal keys, whichever Spark sees first."""
        kept = ", ".join(_kept(rows))
        if not keys:
            return f"SELECT {kept or NO_COLUMN} FROM {table} LIMIT 1"
        by = ", ".join(self.text(k, scope) for k in keys)
        alias = self._alias()
        inner = (
            f"SELECT {kept}, row_number() OVER (PARTITION BY {by} ORDER BY {by}) AS n FROM {table}"
        )
        shown = ", ".join(f"{alias}.c{i}" for i in range(len(rows.names)))
        return f"SELECT {shown} FROM ({inner}) AS {alias} WHERE {alias}.n = 1"

    def _order(self, keys: Sequence[ex.SortKey], scope: EnclosingRows) -> str:
        """ORDER BY; a constant decides nothing, and would be the place of a column."""
        deciding = [self._sort_key(k, scope) for k in keys if not isinstance(k.expr, ex.Literal)]
        return f" ORDER BY {', '.join(deciding)}" if deciding else ""

    def _sort_key(self, key: ex.SortKey, scope: EnclosingRows) -> str:
        way = "ASC" if key.ascending else "DESC"
        return f"{self.text(key.expr, scope)} {way} NULLS {'FIRST' if key.nulls_first else 'LAST'}"

    def _over(self, call: ex.OverCall, scope: EnclosingRows) -> str:
        inside = []
        if call.partition:
            by = ", ".join(self.text(e, scope) for e in call.partition)
            inside.append(f"PARTITION BY {by}")
        if call.order:
            inside.append(f"ORDER BY {', '.join(self._sort_key(k, scope) for k in call.order)}")
        frameless = call.function in OVER and not OVER[call.function].reads_frame
        if not frameless and (call.order or call.frame != ex.WHOLE):
            inside.append(_frame(call.frame))
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        called = self._aggregate_call(call, scope, distinct=False, nulls=nulls)
        return f"{called} OVER ({' '.join(inside)})"

    def _unnest(self, operator: ops.Unnest, table: str, rows: Rows, scope: EnclosingRows) -> str:
        """The rows beside the elements of an array or map; `inline` ones by their fields."""
        width, alias = len(rows.names), self._alias()
        generator = self.text(operator.generator, scope)
        names = [f"c{width + i}" for i in range(len(operator.names))]
        function, added = "explode", [f"{alias}.{n}" for n in names]
        if operator.inline and operator.position:
            element = operator.generator.type
            assert isinstance(element, ty.ArrayType) and isinstance(element.element, ty.StructType)
            function, names = "posexplode", ["p", "e"]
            inside = [f"{alias}.e.{_quoted(n)}" for n, _ in element.element.fields]
            added = _numbered([f"{alias}.p", *inside], width)
        elif operator.inline:
            function = "inline"
        elif operator.position:
            function = "posexplode"
        view = f"LATERAL VIEW{' OUTER' if operator.outer else ''} {function}({generator})"
        columns = ", ".join([*_kept(rows), *added])
        return f"SELECT {columns} FROM {table} {view} {alias} AS {', '.join(names)}"

    # -- expressions ---------------------------------------------------------------------------

    def text(self, expr: ex.Expr, scope: EnclosingRows) -> str:
        """An expression over rows; what only Python can do is one Python function as a whole."""
        if any(map(is_python_call, parts(expr))):
            return self._in_python(expr, scope)
        return self._text(expr, scope)

    def _in_python(self, expr: ex.Expr, scope: EnclosingRows) -> str:
        """An expression as one Python function of the columns it reads."""
        for part in parts(expr):
            if isinstance(
                part, ex.OuterColumn | ex.Exists | ex.InQuery | ex.ScalarQuery | ex.OpaqueCall
            ):
                raise UnsupportedError(
                    "a Python function together with a subquery or a function of Spark"
                )
        schema = scope[0].schema
        read = [scope[0].names[i] for i in places_read(expr, schema)]
        return f"{self.functions(expr, schema)}({', '.join(read)})"

    def _text(self, expr: ex.Expr, scope: EnclosingRows) -> str:
        """An expression that SQL can say; in parentheses, so that it can stand anywhere."""

        def sub(e: ex.Expr) -> str:
            return self._text(e, scope)

        match expr:
            case ex.Column(name, _, occurrence):
                return scope[0].names[scope[0].schema.place(name, occurrence)]
            case ex.OuterColumn(name, _, occurrence, depth):
                return scope[depth].names[scope[depth].schema.place(name, occurrence)]
            case ex.Literal(value, type_):
                return literal(value, type_)
            case ex.And(args):
                return f"({' AND '.join(map(sub, args)) or 'true'})"
            case ex.Or(args):
                return f"({' OR '.join(map(sub, args)) or 'false'})"
            case ex.Not(arg):
                return f"(NOT {sub(arg)})"
            case ex.Compare(op, left, right):
                return f"({sub(left)} {op} {sub(right)})"
            case ex.IsNull(arg):
                return f"({sub(arg)} IS NULL)"
            case ex.InList(arg, options):
                return f"({sub(arg)} IN ({', '.join(map(sub, options))}))"
            case ex.Case(branches, otherwise):
                whens = [f"WHEN {sub(when)} THEN {sub(then)}" for when, then in branches]
                return _case(whens, sub(otherwise))
            case ex.Cast(arg, type_, mode):
                word = spelled_cast(arg.type, type_, mode, self.session)
                return f"{word}({sub(arg)} AS {_type(type_)})"
            case ex.Call(function, args, result):
                types = [a.type for a in args]
                name = spelled_scalar(function, types, result, self.session)
                return _call(scalar_function(name).sql, list(map(sub, args)))
            case ex.OpaqueCall(identity, args, type_) if identity.startswith(f"{ex.OF_OTHERS} "):
                return _failing(identity, type_)
            case ex.OpaqueCall(identity, args):
                return _opaque_call(identity, list(map(sub, args)))
            case ex.GetField(arg, name):
                return f"{sub(arg)}.{_quoted(name)}"
            case ex.Exists(query):
                return f"EXISTS ({self._query(query, scope)})"
            case ex.InQuery(args, query):
                return f"(({', '.join(map(sub, args))}) IN ({self._query(query, scope)}))"
            case ex.ScalarQuery(query):
                return f"({self._query(query, scope)})"
            case ex.RowColumn() | ex.Symbol():
                raise IllFormedError("a variable of a proof is not a column of an input")
            case _:
                assert_never(expr)


def places_read(expr: ex.Expr, schema: Schema) -> list[int]:
    """Where the columns an expression reads stand, each once: arguments of its function."""
    return list(dict.fromkeys(schema.place(c.name, c.occurrence) for c in columns_read(expr)))


def _rows(schema: Schema, alias: str) -> Rows:
    return Rows(schema, tuple(f"{alias}.c{i}" for i in range(len(schema))))


def _kept(rows: Rows) -> list[str]:
    """All columns of some rows, by place."""
    return _numbered(rows.names)


def _numbered(columns: Sequence[str], first: int = 0) -> list[str]:
    """Columns under the names of their places."""
    return [f"{column} AS c{place}" for place, column in enumerate(columns, first)]


def _select(columns: Sequence[str], rest: str) -> str:
    return f"SELECT {', '.join(columns) or NO_COLUMN} FROM {rest}"


def _case(whens: Sequence[str], otherwise: str) -> str:
    return f"(CASE {' '.join(whens)} ELSE {otherwise} END)" if whens else otherwise


def _failing(identity: str, type_: ty.DataType) -> str:
    """In the place of what only another system computes: a run that needs it fails and says so."""
    what = identity.removeprefix(f"{ex.OF_OTHERS} ")
    reason = _string(f"what Spark does not compute: {what}")
    return f"CAST(raise_error({reason}) AS {type_})"


def _opaque_call(identity: str, args: Sequence[str]) -> str:
    """A function of the session by its name; a function known only by a digest has none."""
    if not identity.isidentifier():
        raise UnsupportedError(f"the function {identity} cannot be called from SQL")
    return f"{identity}({', '.join(args)})"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def is_python_call(expr: ex.Expr) -> bool:
    """Whether an expression calls, at its top, a function that only Python has."""
    return isinstance(expr, ex.Call) and isinstance(
        scalar_function(expr.function).sql, traits.PythonOnly
    )


def _call(form: traits.SqlForm, args: list[str]) -> str:
    match form:
        case traits.Called(name):
            return f"{name}({', '.join(args)})"
        case traits.CalledBackwards(name):
            return f"{name}({', '.join(reversed(args))})"
        case traits.Infix(symbol):
            return f"({args[0]} {symbol} {args[1]})"
        case traits.Prefix(symbol):
            return f"({symbol} {args[0]})"
        case traits.Indexed():
            return f"({args[0]})[{args[1]}]"
        case traits.Converted(type_, word):
            return f"{word}({args[0]} AS {type_})"
        case traits.InZone(inner):  # the session is one of the zone: `zones.check_zone`
            return _call(inner, args[:-1])
        case traits.PythonOnly():
            raise UnsupportedError("a function that only Python has cannot be called from SQL")
        case _:
            assert_never(form)


def _frame(frame: ex.Frame) -> str:
    def bound(value: Any, side: str) -> str:
        if value is None:
            return f"UNBOUNDED {side}"
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise UnsupportedError(f"a window frame of {type(value).__name__}")
        if value == 0:
            return "CURRENT ROW"
        return f"{abs(value)} {'PRECEDING' if value < 0 else 'FOLLOWING'}"

    start, end = bound(frame.start, "PRECEDING"), bound(frame.end, "FOLLOWING")
    return f"{frame.unit.upper()} BETWEEN {start} AND {end}"


def _values(fields: Sequence[Any], values: Sequence[tuple[Any, ...]]) -> str:
    """Constant rows; VALUES needs at least one row and one column."""
    if not values:
        nulls = _numbered([f"CAST(NULL AS {_type(f.type)})" for f in fields])
        return f"SELECT {', '.join(nulls) or NO_COLUMN} WHERE false"
    if not fields:
        return f"SELECT * FROM VALUES {', '.join('(0)' for _ in values)} AS v(c0)"
    rows = (
        f"({', '.join(literal(v, f.type) for v, f in zip(row, fields, strict=True))})"
        for row in values
    )
    names = ", ".join(f"c{i}" for i in range(len(fields)))
    return f"SELECT * FROM VALUES {', '.join(rows)} AS v({names})"


def _type(type_: ty.DataType) -> str:
    return str(type_)


def literal(value: Any, type_: ty.DataType) -> str:
    """A constant of exactly that type."""
    if value is None:
        return "NULL" if isinstance(type_, ty.NullType) else f"CAST(NULL AS {_type(type_)})"
    match type_:
        case ty.IntegralType() | ty.DecimalType():
            return f"CAST('{value}' AS {_type(type_)})"
        case ty.DoubleType() | ty.FloatType():
            return f"CAST('{_float(value)}' AS {_type(type_)})"
        case ty.DayTimeIntervalType():
            microseconds = value // timedelta(microseconds=1)
            exact = f"CAST('{microseconds}' AS DECIMAL(30,0)) / 1000000"
            interval = f"make_dt_interval(0, 0, 0, CAST({exact} AS DECIMAL(18,6)))"
            return f"CAST({interval} AS {_type(type_)})"
        case ty.YearMonthIntervalType():
            return f"CAST(make_ym_interval(0, {value}) AS {_type(type_)})"
        case ty.CalendarIntervalType():
            raise UnsupportedError("a constant interval of months and days")
        case ty.ArrayType(element):
            array = f"array({', '.join(literal(v, element) for v in value)})"
            return f"CAST({array} AS {_type(type_)})"
        case ty.MapType(key, held):
            pairs = [x for k, v in value for x in (literal(k, key), literal(v, held))]
            return f"CAST(map({', '.join(pairs)}) AS {_type(type_)})"
        case ty.StructType(fields):
            named = zip(value, fields, strict=True)
            cells = [x for v, (n, t) in named for x in (_string(n), literal(v, t))]
            return f"named_struct({', '.join(cells)})"
        case ty.TimestampNtzType():
            return f"TIMESTAMP_NTZ '{timestamp_text(value)}'"
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case bytes():
            return f"X'{value.hex().upper()}'"
        case datetime():
            return f"TIMESTAMP '{timestamp_text(value)}Z'"  # whatever the zone of the session
        case date():
            return f"DATE '{date_text(value)}'"
        case _:
            raise UnsupportedError(f"a constant of type {type_}")


def _string(text: str) -> str:
    # Spark replaces ${...} in the text of a statement, wherever it stands.
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
    return f"'{escaped}'"


def _float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


__all__ = ["FrameOperator", "Functions", "SqlWriter", "literal", "places_read"]
