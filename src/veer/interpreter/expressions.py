"""Expressions compiled to Python closures over a row and its environment.

AND, OR and CASE evaluate from left to right and stop early, as Spark does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from veer.errors import IllFormedError
from veer.functions.casts import cast_function
from veer.functions.dates import knows_unit
from veer.functions.ordering import sort_key
from veer.functions.registry import Failure, Nulls, scalar_function
from veer.functions.traits import Evaluation
from veer.ir import expr as ex, types as ty
from veer.ir.lambdas import function_of, with_values
from veer.ir.schema import Field, Schema
from veer.ir.walk import outer_columns

if TYPE_CHECKING:
    from veer.ir.dag import Dataflow

Row: TypeAlias = tuple[Any, ...]  # the values of one row, in the order of its schema
# What is around a row: the `Run`, then the rows of the enclosing queries from the inside out.
Environment: TypeAlias = tuple[Any, ...]
Compiled: TypeAlias = Callable[[Row, Environment], Any]


def compile_expr(expr: ex.Expr, schemas: tuple[Schema, ...]) -> Compiled:
    """A function from a row of `schemas[0]` (and an environment of rows of the other schemas) to a value."""

    def sub(e: ex.Expr) -> Compiled:
        return compile_expr(e, schemas)

    match expr:
        case ex.Column(name, _, occurrence):
            place = schemas[0].place(name, occurrence)
            return lambda row, env: row[place]
        case ex.OuterColumn(name, _, occurrence, depth):
            place = schemas[depth].place(name, occurrence)
            return lambda row, env: env[depth][place]
        case ex.Literal(value):
            return lambda row, env: value
        case ex.And(args):
            return _conjunction(tuple(map(sub, args)))
        case ex.Or(args):
            return _disjunction(tuple(map(sub, args)))
        case ex.Not(arg):
            inner = sub(arg)
            return lambda row, env: None if (v := inner(row, env)) is None else not v
        case ex.Compare(op, left, right):
            return _comparison(op, sub(left), sub(right), left.type)
        case ex.IsNull(arg):
            inner = sub(arg)
            return lambda row, env: inner(row, env) is None
        case ex.InList(arg, options):
            return _membership(sub(arg), tuple(map(sub, options)), arg.type)
        case ex.Case(branches, otherwise):
            return _case(tuple((sub(w), sub(t)) for w, t in branches), sub(otherwise))
        case ex.Cast(arg, type_, mode):
            inner, convert = sub(arg), cast_function(arg.type, type_, mode)
            return lambda row, env: None if (v := inner(row, env)) is None else convert(v)
        case ex.Call(_, args):
            return _call(expr, tuple(map(sub, args)))
        case ex.OpaqueCall(body=body) if body is not None:
            return _array_call(expr, tuple(map(sub, expr.args)))
        case ex.OpaqueCall(identity, args, type_):
            inner_args = tuple(map(sub, args))
            return lambda row, env: env[0].opaque_call(
                identity, tuple(a(row, env) for a in inner_args), type_
            )
        case ex.GetField(arg, name):
            inner = sub(arg)
            assert isinstance(arg.type, ty.StructType)
            at = [n for n, _ in arg.type.fields].index(name)
            return lambda row, env: None if (v := inner(row, env)) is None else v[at]
        case ex.Exists(query):
            rows_of = compile_query(query, schemas)
            return lambda row, env: bool(rows_of(row, env))
        case ex.InQuery(args, query):
            return _in_query(tuple(map(sub, args)), query, schemas)
        case ex.ScalarQuery(query):
            return _scalar_query(compile_query(query, schemas))
        case ex.RowColumn() | ex.Symbol():
            raise IllFormedError("a variable of a proof is not a column of an input")
        case _:
            assert_never(expr)


def _conjunction(args: tuple[Compiled, ...]) -> Compiled:
    """AND in three-valued logic: false if one is false, else null if one is null.

    Evaluated from left to right up to the first false, as Spark does: what fails behind it does not.
    """

    def both(row: Row, env: Environment) -> bool | None:
        result: bool | None = True
        for arg in args:
            value = arg(row, env)
            if value is False:
                return False
            if value is None:
                result = None
        return result

    return both


def _disjunction(args: tuple[Compiled, ...]) -> Compiled:
    """OR in three-valued logic: true if one is true, else null if one is null."""

    def either(row: Row, env: Environment) -> bool | None:
        result: bool | None = False
        for arg in args:
            value = arg(row, env)
            if value is True:
                return True
            if value is None:
                result = None
        return result

    return either


def comparison_key(type_: ty.DataType) -> Callable[[Any], Any] | None:
    """The key values of a type are compared by, None if they compare directly."""
    if ty.has_floats(type_) or isinstance(type_, ty.ArrayType | ty.StructType):
        return sort_key(type_)
    return None


_OPERATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _comparison(op: str, left: Compiled, right: Compiled, type_: ty.DataType) -> Compiled:
    """Null beside a null, but for `<=>`. Of floats NaN is equal to itself and above all others."""
    key = comparison_key(type_)
    if op == "<=>":

        def same(row: Row, env: Environment) -> bool:
            a, b = left(row, env), right(row, env)
            if a is None or b is None:
                return a is b
            return bool(a == b) if key is None else bool(key(a) == key(b))

        return same
    holds = _OPERATIONS[op]

    def compared(row: Row, env: Environment) -> bool | None:
        a = left(row, env)
        if a is None:
            return None
        b = right(row, env)
        if b is None:
            return None
        return holds(a, b) if key is None else holds(key(a), key(b))

    return compared


def _membership(arg: Compiled, options: tuple[Compiled, ...], type_: ty.DataType) -> Compiled:
    """IN a list: null if the value is, or if it equals no option and one of them is null."""
    key = comparison_key(type_) or (lambda v: v)

    def member(row: Row, env: Environment) -> bool | None:
        value = arg(row, env)
        if value is None:
            return None
        wanted, unknown = key(value), False
        for option in options:
            offered = option(row, env)
            if offered is None:
                unknown = True
            elif key(offered) == wanted:
                return True
        return None if unknown else False

    return member


def _array_call(call: ex.OpaqueCall, args: tuple[Compiled, ...]) -> Compiled:
    """A function applied to each item of an array."""
    assert call.body is not None
    array = call.args[0].type
    assert isinstance(array, ty.ArrayType)
    types = (array.element, *(a.type for a in call.args[1:]))
    schema = Schema(tuple(Field(f"{place}", type_) for place, type_ in enumerate(types)))
    columns = [ex.Column(field.name, field.type) for field in schema.fields]
    body = compile_expr(with_values(call.body, lambda place: columns[place], columns[0]), (schema,))
    function = function_of(call)

    def applied(row: Row, env: Environment) -> Any:
        items, *others = (arg(row, env) for arg in args)
        if items is None:
            return None
        results = [body((item, *others), env) for item in items]
        match function:
            case "transform":
                return tuple(results)
            case "filter":
                return tuple(i for i, kept in zip(items, results, strict=True) if kept)
            case "exists":
                return True if True in results else None if None in results else False
            case _:
                return False if False in results else None if None in results else True

    return applied


def _case(branches: tuple[tuple[Compiled, Compiled], ...], otherwise: Compiled) -> Compiled:
    """The first branch whose condition is true, not null; no other branch is evaluated."""

    def chosen(row: Row, env: Environment) -> Any:
        for when, then in branches:
            if when(row, env) is True:
                return then(row, env)
        return otherwise(row, env)

    return chosen


def _call(call: ex.Call, args: tuple[Compiled, ...]) -> Compiled:
    """A function of the registry, its arguments evaluated in Spark's order.

    The order shows where one of them fails: what is never reached does not fail the run.
    """
    function = scalar_function(call.function)
    meaning = function.meaning(tuple(a.type for a in call.args), call.type)
    evaluation = function.evaluation
    match evaluation:
        case Evaluation.UNTIL_PRESENT:
            return _coalesce(args)
        case Evaluation.SECOND_IF_NAN:
            return _nanvl(*args)
        case Evaluation.DIVISOR_FIRST:
            return _division(meaning, *args, zero_hides=False)
        case Evaluation.TRIED_DIVISOR_FIRST:
            return _division(meaning, *args, zero_hides=True)
        case Evaluation.UNIT_FIRST:
            if not _knows_its_unit(call):
                return lambda row, env: None
            return _in_order(function.nulls, meaning, args)
        case Evaluation.IN_ORDER:
            return _in_order(function.nulls, meaning, args)
        case _:
            assert_never(evaluation)


def _in_order(nulls: Nulls, meaning: Callable[..., Any], args: tuple[Compiled, ...]) -> Compiled:
    """Arguments from left to right, up to the first null if that makes the result null."""
    if nulls in (Nulls.NEVER, Nulls.CUSTOM):
        return lambda row, env: meaning(*[a(row, env) for a in args])
    if len(args) == 1:
        (only,) = args
        return lambda row, env: None if (v := only(row, env)) is None else meaning(v)

    def strict(row: Row, env: Environment) -> Any:
        values = []
        for arg in args:
            value = arg(row, env)
            if value is None:
                return None
            values.append(value)
        return meaning(*values)

    return strict


def _division(
    meaning: Callable[..., Any], first: Compiled, second: Compiled, *, zero_hides: bool
) -> Compiled:
    """Spark evaluates the divisor first: a null divisor hides a dividend that fails."""

    def division(row: Row, env: Environment) -> Any:
        b = second(row, env)
        if b is None or (zero_hides and b == 0):
            return None
        a = first(row, env)
        return None if a is None else meaning(a, b)

    return division


def _knows_its_unit(call: ex.Call) -> bool:
    """Whether the unit of a truncation is not a constant, or one that exists."""
    unit = call.args[1 if call.function == "trunc" else 0]
    if not isinstance(unit, ex.Literal):
        return True
    return unit.value is not None and knows_unit(call.function, unit.value)


def _nanvl(first: Compiled, second: Compiled) -> Compiled:
    """The second value is computed only where the first is NaN."""

    def number(row: Row, env: Environment) -> Any:
        value = first(row, env)
        return second(row, env) if value is not None and value != value else value

    return number


def _coalesce(args: tuple[Compiled, ...]) -> Compiled:
    """The first value that is not null; those behind it are not evaluated."""

    def first_present(row: Row, env: Environment) -> Any:
        for arg in args:
            if (value := arg(row, env)) is not None:
                return value
        return None

    return first_present


# -- subqueries --------------------------------------------------------------------------------


def compile_query(
    query: Dataflow, schemas: tuple[Schema, ...]
) -> Callable[[Row, Environment], list[Row]]:
    """A function giving the rows of a subquery, computed once per distinct outer values."""
    compiled: list[Any] = []  # filled on first use: the compiler of dataflows stands above us
    places = sorted(
        {(o.depth, schemas[o.depth - 1].place(o.name, o.occurrence)) for o in outer_columns(query)}
    )
    (sink,) = query.sinks

    def rows_of(row: Row, env: Environment) -> list[Row]:
        run = env[0]
        if not compiled:
            compiled.append(run.compile(query, schemas))
        inner = compiled[0]
        outer = (run, row, *env[1:])
        key = (id(inner), *(_memo_key(outer[depth][place]) for depth, place in places))
        rows = run.memo.get(key)
        if rows is None:
            rows = inner.evaluate(outer)[sink].rows
            run.memo[key] = rows
        return rows  # type: ignore[no-any-return]

    return rows_of


def _memo_key(value: Any) -> Any:
    """A key by which 0.0 and -0.0 are two values, and NaN is one."""
    return repr(value) if isinstance(value, float) else value


def _in_query(args: tuple[Compiled, ...], query: Dataflow, schemas: tuple[Schema, ...]) -> Compiled:
    """IN a subquery: of no rows it is false, even for null."""
    rows_of = compile_query(query, schemas)
    keys = [comparison_key(t) or (lambda v: v) for t in query.result_schema.types]

    def member(row: Row, env: Environment) -> bool | None:
        values = [a(row, env) for a in args]
        rows = rows_of(row, env)
        whole, partial = _members(rows, keys, env[0].memo)
        if None not in values:
            if tuple(key(v) for key, v in zip(keys, values, strict=True)) in whole:
                return True
            rows = partial
        # Null if some row would be equal, were its nulls and ours something else.
        unknown = any(
            all(
                value is None or other is None or key(value) == key(other)
                for key, value, other in zip(keys, values, candidate, strict=True)
            )
            for candidate in rows
        )
        return None if unknown else False

    return member


def _members(
    rows: list[Row], keys: list[Callable[[Any], Any]], memo: dict[Any, Any]
) -> tuple[set[Any], list[Row]]:
    """The rows of a subquery: keys of those without null, and those with; made once per result."""
    name = ("members", id(rows))
    if name not in memo:
        partial = [row for row in rows if None in row]
        whole = {
            tuple(key(v) for key, v in zip(keys, row, strict=True))
            for row in rows
            if None not in row
        }
        memo[name] = (whole, partial)
    values_and_rows: tuple[set[Any], list[Row]] = memo[name]
    return values_and_rows


def _scalar_query(rows_of: Callable[[Row, Environment], list[Row]]) -> Compiled:
    """The value of the only row; null if there is none, a failure if there are two."""

    def single(row: Row, env: Environment) -> Any:
        rows = rows_of(row, env)
        if len(rows) > 1:
            raise Failure("SCALAR_SUBQUERY_TOO_MANY_ROWS")
        return rows[0][0] if rows else None

    return single
