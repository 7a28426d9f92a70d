"""Expressions compiled to Python closures over (row, scope).

`scope` is a tuple: the run, then the rows of the enclosing queries from the inside out. AND, OR
and CASE evaluate from left to right and stop early, as Spark does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, assert_never

from veer.errors import IllFormedError
from veer.functions.casts import cast_function
from veer.functions.dates import knows_unit
from veer.functions.ordering import sort_key
from veer.functions.registry import Failure, Nulls, scalar_function
from veer.functions.traits import Evaluation
from veer.model.expr import (
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
    GetField,
    InList,
    InQuery,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    OuterColumn,
    RowColumn,
    ScalarQuery,
    Symbol,
)
from veer.model.schema import Schema
from veer.model.types import (
    ArrayType,
    DataType,
    StructType,
    has_floats,
)
from veer.model.walk import outer_columns

if TYPE_CHECKING:
    from veer.model.dag import Dataflow

Row = tuple[Any, ...]
Scope = tuple[Any, ...]
Compiled = Callable[[Row, Scope], Any]


def compile_expr(expr: Expr, schemas: tuple[Schema, ...]) -> Compiled:
    """A function from a row of `schemas[0]` (and the scope of the other schemas) to a value."""

    def sub(e: Expr) -> Compiled:
        return compile_expr(e, schemas)

    match expr:
        case Column(name, _, occurrence):
            place = schemas[0].place(name, occurrence)
            return lambda row, scope: row[place]
        case OuterColumn(name, _, occurrence, depth):
            place = schemas[depth].place(name, occurrence)
            return lambda row, scope: scope[depth][place]
        case Literal(value):
            return lambda row, scope: value
        case And(args):
            return _conjunction(tuple(map(sub, args)))
        case Or(args):
            return _disjunction(tuple(map(sub, args)))
        case Not(arg):
            inner = sub(arg)
            return lambda row, scope: None if (v := inner(row, scope)) is None else not v
        case Compare(op, left, right):
            return _comparison(op, sub(left), sub(right), left.type)
        case IsNull(arg):
            inner = sub(arg)
            return lambda row, scope: inner(row, scope) is None
        case InList(arg, options):
            return _membership(sub(arg), tuple(map(sub, options)), arg.type)
        case Case(branches, otherwise):
            return _case(tuple((sub(w), sub(t)) for w, t in branches), sub(otherwise))
        case Cast(arg, type_, mode):
            inner, convert = sub(arg), cast_function(arg.type, type_, mode)
            return lambda row, scope: None if (v := inner(row, scope)) is None else convert(v)
        case Call(_, args):
            return _call(expr, tuple(map(sub, args)))
        case OpaqueCall(identity, args, type_):
            inner_args = tuple(map(sub, args))
            return lambda row, scope: scope[0].opaque_call(
                identity, tuple(a(row, scope) for a in inner_args), type_
            )
        case GetField(arg, name):
            inner = sub(arg)
            assert isinstance(arg.type, StructType)
            at = [n for n, _ in arg.type.fields].index(name)
            return lambda row, scope: None if (v := inner(row, scope)) is None else v[at]
        case Exists(query):
            rows_of = compile_query(query, schemas)
            return lambda row, scope: bool(rows_of(row, scope))
        case InQuery(args, query):
            return _in_query(tuple(map(sub, args)), query, schemas)
        case ScalarQuery(query):
            return _scalar_query(compile_query(query, schemas))
        case RowColumn() | Symbol():
            raise IllFormedError("a variable of a proof is not a column of an input")
        case _:
            assert_never(expr)


def _conjunction(args: tuple[Compiled, ...]) -> Compiled:
    def both(row: Row, scope: Scope) -> bool | None:
        result: bool | None = True
        for arg in args:
            value = arg(row, scope)
            if value is False:
                return False
            if value is None:
                result = None
        return result

    return both


def _disjunction(args: tuple[Compiled, ...]) -> Compiled:
    def either(row: Row, scope: Scope) -> bool | None:
        result: bool | None = False
        for arg in args:
            value = arg(row, scope)
            if value is True:
                return True
            if value is None:
                result = None
        return result

    return either


def comparison_key(type_: DataType) -> Callable[[Any], Any] | None:
    """The key values of a type are compared by, None if they compare directly."""
    if has_floats(type_) or isinstance(type_, ArrayType | StructType):
        return sort_key(type_)
    return None


_OPERATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _comparison(op: str, left: Compiled, right: Compiled, type_: DataType) -> Compiled:
    key = comparison_key(type_)
    if op == "<=>":

        def same(row: Row, scope: Scope) -> bool:
            a, b = left(row, scope), right(row, scope)
            if a is None or b is None:
                return a is b
            return bool(a == b) if key is None else bool(key(a) == key(b))

        return same
    holds = _OPERATIONS[op]

    def compared(row: Row, scope: Scope) -> bool | None:
        a = left(row, scope)
        if a is None:
            return None
        b = right(row, scope)
        if b is None:
            return None
        return holds(a, b) if key is None else holds(key(a), key(b))

    return compared


def _membership(arg: Compiled, options: tuple[Compiled, ...], type_: DataType) -> Compiled:
    key = comparison_key(type_) or (lambda v: v)

    def member(row: Row, scope: Scope) -> bool | None:
        value = arg(row, scope)
        if value is None:
            return None
        wanted, unknown = key(value), False
        for option in options:
            found = option(row, scope)
            if found is None:
                unknown = True
            elif key(found) == wanted:
                return True
        return None if unknown else False

    return member


def _case(branches: tuple[tuple[Compiled, Compiled], ...], otherwise: Compiled) -> Compiled:
    def chosen(row: Row, scope: Scope) -> Any:
        for when, then in branches:
            if when(row, scope) is True:
                return then(row, scope)
        return otherwise(row, scope)

    return chosen


def _call(call: Call, args: tuple[Compiled, ...]) -> Compiled:
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
                return lambda row, scope: None
            return _in_order(function.nulls, meaning, args)
        case Evaluation.IN_ORDER:
            return _in_order(function.nulls, meaning, args)
        case _:
            assert_never(evaluation)


def _in_order(nulls: Nulls, meaning: Callable[..., Any], args: tuple[Compiled, ...]) -> Compiled:
    """Arguments from left to right, up to the first null if that makes the result null."""
    if nulls in (Nulls.NEVER, Nulls.CUSTOM):
        return lambda row, scope: meaning(*[a(row, scope) for a in args])
    if len(args) == 1:
        (only,) = args
        return lambda row, scope: None if (v := only(row, scope)) is None else meaning(v)

    def strict(row: Row, scope: Scope) -> Any:
        values = []
        for arg in args:
            value = arg(row, scope)
            if value is None:
                return None
            values.append(value)
        return meaning(*values)

    return strict


def _division(
    meaning: Callable[..., Any], first: Compiled, second: Compiled, *, zero_hides: bool
) -> Compiled:
    """Spark evaluates the divisor first: a null divisor hides a dividend that fails."""

    def division(row: Row, scope: Scope) -> Any:
        b = second(row, scope)
        if b is None or (zero_hides and b == 0):
            return None
        a = first(row, scope)
        return None if a is None else meaning(a, b)

    return division


def _knows_its_unit(call: Call) -> bool:
    """Whether the unit of a truncation is not a constant, or one that exists."""
    unit = call.args[1 if call.function == "trunc" else 0]
    if not isinstance(unit, Literal):
        return True
    return unit.value is not None and knows_unit(call.function, unit.value)


def _nanvl(first: Compiled, second: Compiled) -> Compiled:
    """The second value is computed only where the first is NaN."""

    def number(row: Row, scope: Scope) -> Any:
        value = first(row, scope)
        return second(row, scope) if value is not None and value != value else value

    return number


def _coalesce(args: tuple[Compiled, ...]) -> Compiled:
    def first_present(row: Row, scope: Scope) -> Any:
        for arg in args:
            if (value := arg(row, scope)) is not None:
                return value
        return None

    return first_present


# -- subqueries --------------------------------------------------------------------------------


def compile_query(
    query: Dataflow, schemas: tuple[Schema, ...]
) -> Callable[[Row, Scope], list[Row]]:
    """A function giving the rows of a subquery, computed once per distinct outer values."""
    compiled: list[Any] = []  # filled on first use: the compiler of dataflows stands above us
    places = sorted(
        {(o.depth, schemas[o.depth - 1].place(o.name, o.occurrence)) for o in outer_columns(query)}
    )
    (sink,) = query.sinks

    def rows_of(row: Row, scope: Scope) -> list[Row]:
        run = scope[0]
        if not compiled:
            compiled.append(run.compile(query, schemas))
        inner = compiled[0]
        outer = (run, row, *scope[1:])
        key = (id(inner), *(_memo_key(outer[depth][place]) for depth, place in places))
        found = run.memo.get(key)
        if found is None:
            found = inner.evaluate(outer)[sink].rows
            run.memo[key] = found
        return found  # type: ignore[no-any-return]

    return rows_of


def _memo_key(value: Any) -> Any:
    return repr(value) if isinstance(value, float) else value


def _in_query(args: tuple[Compiled, ...], query: Dataflow, schemas: tuple[Schema, ...]) -> Compiled:
    rows_of = compile_query(query, schemas)
    keys = [comparison_key(t) or (lambda v: v) for t in query.result_schema.types]

    def member(row: Row, scope: Scope) -> bool | None:
        values = [a(row, scope) for a in args]
        rows = rows_of(row, scope)
        whole, partial = _members(rows, keys, scope[0].memo)
        if None not in values:
            if tuple(key(v) for key, v in zip(keys, values, strict=True)) in whole:
                return True
            rows = partial
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
    found: tuple[set[Any], list[Row]] = memo[name]
    return found


def _scalar_query(rows_of: Callable[[Row, Scope], list[Row]]) -> Compiled:
    def single(row: Row, scope: Scope) -> Any:
        rows = rows_of(row, scope)
        if len(rows) > 1:
            raise Failure("SCALAR_SUBQUERY_TOO_MANY_ROWS")
        return rows[0][0] if rows else None

    return single
