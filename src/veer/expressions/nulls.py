"""Values that are null wherever another one is, and laws of tests for null."""

from __future__ import annotations

from collections.abc import Sequence

from veer.expressions.constant_folding import FALSE, computed
from veer.expressions.law import Simplify, Stage, law
from veer.functions.registry import Nulls, scalar_function
from veer.ir import expr as ex, types as ty
from veer.ir.conditions import disjunction
from veer.ir.lambdas import PARTS, function_of
from veer.ir.nullability import gives_null

NULL_WITH_ARGUMENTS = (Nulls.STRICT, Nulls.PROPAGATE)


def is_null_with(expr: ex.Expr, value: ex.Expr) -> bool:
    """Whether an expression is null on every row on which a value is."""
    if expr == value:
        return True
    match expr:
        case ex.Literal(None):
            return True
        case ex.Cast(arg) | ex.GetField(arg) | ex.Not(arg) | ex.InList(arg):
            return is_null_with(arg, value)
        case ex.Compare(op, left, right) if op != "<=>":
            return is_null_with(left, value) or is_null_with(right, value)
        case ex.Call(function, args) if scalar_function(function).nulls in NULL_WITH_ARGUMENTS:
            return any(is_null_with(arg, value) for arg in args)
        case _:
            return False


def is_null_with_its_columns(expr: ex.Expr) -> bool:
    """Whether an expression is null on a row all of whose columns are."""
    match expr:
        case ex.Column():
            return True
        case ex.Literal(value):
            return value is None
        case ex.Cast(arg) | ex.GetField(arg) | ex.Not(arg) | ex.InList(arg):
            return is_null_with_its_columns(arg)
        case ex.Compare(op, left, right) if op != "<=>":
            return is_null_with_its_columns(left) or is_null_with_its_columns(right)
        case ex.And(args) | ex.Or(args) | ex.Call("coalesce", args):
            return all(map(is_null_with_its_columns, args))
        case ex.Call(function, args) if scalar_function(function).nulls in NULL_WITH_ARGUMENTS:
            return any(map(is_null_with_its_columns, args))
        case ex.OpaqueCall(args=(array, *_), body=body) if body is not None:
            return function_of(expr) in PARTS and is_null_with_its_columns(array)
        case ex.Case(branches, otherwise):
            return is_null_with_its_columns(_taken_without_values(branches, otherwise))
        case _:
            return False


def _taken_without_values(
    branches: Sequence[tuple[ex.Expr, ex.Expr]], otherwise: ex.Expr
) -> ex.Expr:
    """What a CASE gives where all columns are null; itself not null if that is not known."""
    for when, then in branches:
        if isinstance(when, ex.IsNull) and is_null_with_its_columns(when.arg):
            return then
        if not is_null_with_its_columns(when):
            return ex.Literal(True, ty.BOOLEAN)
    return otherwise


@law("length(x) IS NULL => x IS NULL", ex.IsNull)
def null_of_strict(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """What is null exactly if one of its parts is: a strict function, a comparison, a negation."""
    match expr:
        case ex.IsNull(ex.Call(function, args)) if scalar_function(function).nulls is Nulls.STRICT:
            pass
        case ex.IsNull(ex.Compare(op, left, right)) if op != "<=>":
            args = (left, right)
        case ex.IsNull(ex.Not(arg)):
            args = (arg,)
        case ex.IsNull(ex.Cast(arg, type_, ty.CastMode.ANSI)) if not gives_null(arg.type, type_):
            args = (arg,)
        case _:
            return None
    return computed(disjunction([simplify(ex.IsNull(arg)) for arg in args] or [FALSE]))


@law("coalesce(x, 0) IS NULL => FALSE", ex.IsNull)
def null_of_present(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Another test for null, a null-safe comparison, or a COALESCE that ends in a constant."""
    match expr:
        case ex.IsNull(ex.IsNull() | ex.Compare("<=>")):
            return FALSE
        case ex.IsNull(ex.Call("coalesce", (*_, ex.Literal(value)))) if value is not None:
            return FALSE
    return None


@law("CASE WHEN a IS NOT NULL THEN length(a) END => length(a)", ex.Case, stage=Stage.NORMAL)
def case_without_null_test(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The value is null wherever the one that is tested is."""
    match expr:
        case ex.Case(((ex.Not(ex.IsNull(value)), then),), ex.Literal(None)) if is_null_with(
            then, value
        ):
            return then
        case ex.Case(((ex.IsNull(value), ex.Literal(None)),), otherwise) if is_null_with(
            otherwise, value
        ):
            return otherwise
    return None
