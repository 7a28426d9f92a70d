"""Whether an expression can be null, given the nullability of its columns.

"Never null" is a fact that proofs use, so it is claimed only where it holds on every row that Spark
gives; a run that fails gives none. Whatever is not known may be null.
"""

from __future__ import annotations

from typing import assert_never

from veer.functions.dates import knows_unit
from veer.functions.registry import AGGREGATE, OVER, Nulls, scalar_function
from veer.functions.traits import Evaluation, SolverMeaning
from veer.ir import expr as ex, types as ty
from veer.ir.schema import Schema


def is_nullable(expr: ex.Expr, schema: Schema) -> bool:
    """False only if the value is never null; true when in doubt."""
    match expr:
        case ex.Column(name, _, occurrence):
            return schema.fields[schema.place(name, occurrence)].nullable
        case ex.RowColumn(nullable=nullable) | ex.Symbol(nullable=nullable):
            return nullable
        case ex.Literal(value):
            return value is None
        case ex.And(args) | ex.Or(args):
            # `false AND null` is not null, but that depends on the row.
            guarded = _guarded(expr)
            return any(is_nullable(a, schema) and not _is_null_of(a, guarded, schema) for a in args)
        case ex.Not(arg):
            return is_nullable(arg, schema)
        case ex.Compare(op, left, right):
            return op != "<=>" and (is_nullable(left, schema) or is_nullable(right, schema))
        case ex.IsNull() | ex.Exists():
            return False
        case ex.InList(arg, options):
            return any(is_nullable(a, schema) for a in (arg, *options))
        case ex.Case(branches, otherwise):
            return any(is_nullable(then, schema) for _, then in branches) or is_nullable(
                otherwise, schema
            )
        case ex.Cast(arg, _, mode):
            lossy = mode != ty.CastMode.ANSI and not _is_widening(expr)
            return is_nullable(arg, schema) or lossy or gives_null(arg.type, expr.type)
        case ex.Call(function, args):
            return _call_nullable(function, args, schema)
        case ex.OuterColumn() | ex.OpaqueCall() | ex.GetField() | ex.InQuery() | ex.ScalarQuery():
            # A scalar subquery without rows is null, IN is null beside a null, an opaque function
            # may give anything.
            return True
        case _:
            assert_never(expr)


def _guarded(expr: ex.And | ex.Or) -> list[ex.Expr]:
    """Columns whose null decides an AND or OR: `x IS NULL OR ...`, `x IS NOT NULL AND ...`."""
    tests: list[ex.Expr] = list(expr.args)
    if isinstance(expr, ex.And):
        tests = [a.arg for a in expr.args if isinstance(a, ex.Not)]
    read = (t.arg for t in tests if isinstance(t, ex.IsNull))
    return [e for e in read if isinstance(e, ex.Column | ex.RowColumn | ex.Symbol)]


def _is_null_of(expr: ex.Expr, guarded: list[ex.Expr], schema: Schema) -> bool:
    """Whether an expression is null only where one of some others is."""
    if expr in guarded or not is_nullable(expr, schema):
        return True
    match expr:
        case ex.Compare(_, left, right):
            return all(_is_null_of(e, guarded, schema) for e in (left, right))
        case ex.Not(arg):
            return _is_null_of(arg, guarded, schema)
        case ex.And(args) | ex.Or(args) | ex.InList(options=args):
            given = (expr.arg, *args) if isinstance(expr, ex.InList) else args
            return all(_is_null_of(a, guarded, schema) for a in given)
        case ex.Cast(arg, _, ty.CastMode.ANSI) if not gives_null(arg.type, expr.type):
            return _is_null_of(arg, guarded, schema)
        case ex.Call(function, args) if scalar_function(function).nulls is Nulls.STRICT:
            return all(_is_null_of(a, guarded, schema) for a in args)
        case _:
            return False


def gives_null(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether a cast that should fail gives null instead on some values: NaN has no decimal.

    Casts of nested types are not looked into.
    """
    if isinstance(given, ty.FloatType | ty.DoubleType):
        return isinstance(target, ty.DecimalType | ty.TimestampType | ty.TimestampNtzType)
    return not isinstance(given, ty.AtomicType | ty.NullType) and given != target


def _is_widening(cast: ex.Cast) -> bool:
    """Whether the target type has a value for every value, so that no cast of them gives null."""
    given, target = cast.arg.type, cast.type
    if given == target or isinstance(target, ty.StringType):
        return True
    return (
        isinstance(given, ty.IntegralType)
        and isinstance(target, ty.NumericType)
        and str(target)
        in (
            "bigint",
            "double",
        )
    )


def _call_nullable(function: str, args: tuple[ex.Expr, ...], schema: Schema) -> bool:
    """The same of a call: COALESCE is null if all its arguments are, most others if one is."""
    if scalar_function(function).solver is SolverMeaning.FIRST_PRESENT:
        return all(is_nullable(a, schema) for a in args)
    match scalar_function(function).nulls:
        case Nulls.STRICT:
            return any(is_nullable(a, schema) for a in args)
        case Nulls.NEVER:
            return False
        case Nulls.PROPAGATE if _truncates(function, args):
            return any(is_nullable(a, schema) for a in args)
        case Nulls.PROPAGATE | Nulls.CUSTOM:
            return True


def _truncates(function: str, args: tuple[ex.Expr, ...]) -> bool:
    """Whether a call cuts a date or moment to a constant unit, for which there is always a value."""
    return scalar_function(function).evaluation is Evaluation.UNIT_FIRST and any(
        isinstance(a, ex.Literal) and isinstance(a.value, str) and knows_unit(function, a.value)
        for a in args
    )


def aggregate_nullable(call: ex.AggregateCall | ex.OverCall) -> bool:
    """Whether an aggregate or window function can give null; only counts never do."""
    function = AGGREGATE.get(call.function)
    if function is None:
        return OVER[call.function].is_nullable
    return function.empty_is_null


def is_present_of_present(call: ex.AggregateCall, rows: Schema) -> bool:
    """Whether an aggregate over some rows, one at least, is never null: its argument is not."""
    function = AGGREGATE.get(call.function)
    if function is None or not function.present_of_present or call.where is not None:
        return False
    return not any(is_nullable(arg, rows) for arg in call.args)
