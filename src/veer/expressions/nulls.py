"""Values that are null wherever another one is, and laws of tests for null."""

from __future__ import annotations

from collections.abc import Sequence

from veer.expressions.constant_folding import FALSE, computed
from veer.expressions.law import Simplify, Stage, law
from veer.functions.registry import Nulls, scalar_function
from veer.model.conditions import disjunction
from veer.model.expr import (
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Expr,
    GetField,
    InList,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
)
from veer.model.lambdas import PARTS, function_of
from veer.model.nullability import gives_null
from veer.model.types import BOOLEAN, CastMode

NULL_WITH_ARGUMENTS = (Nulls.STRICT, Nulls.PROPAGATE)


def is_null_with(expr: Expr, value: Expr) -> bool:
    """Whether an expression is null on every row on which a value is."""
    if expr == value:
        return True
    match expr:
        case Literal(None):
            return True
        case Cast(arg) | GetField(arg) | Not(arg) | InList(arg):
            return is_null_with(arg, value)
        case Compare(op, left, right) if op != "<=>":
            return is_null_with(left, value) or is_null_with(right, value)
        case Call(function, args) if scalar_function(function).nulls in NULL_WITH_ARGUMENTS:
            return any(is_null_with(arg, value) for arg in args)
        case _:
            return False


def is_null_with_its_columns(expr: Expr) -> bool:
    """Whether an expression is null on a row all of whose columns are."""
    match expr:
        case Column():
            return True
        case Literal(value):
            return value is None
        case Cast(arg) | GetField(arg) | Not(arg) | InList(arg):
            return is_null_with_its_columns(arg)
        case Compare(op, left, right) if op != "<=>":
            return is_null_with_its_columns(left) or is_null_with_its_columns(right)
        case And(args) | Or(args) | Call("coalesce", args):
            return all(map(is_null_with_its_columns, args))
        case Call(function, args) if scalar_function(function).nulls in NULL_WITH_ARGUMENTS:
            return any(map(is_null_with_its_columns, args))
        case OpaqueCall(args=(array, *_), body=body) if body is not None:
            return function_of(expr) in PARTS and is_null_with_its_columns(array)
        case Case(branches, otherwise):
            return is_null_with_its_columns(_taken_without_values(branches, otherwise))
        case _:
            return False


def _taken_without_values(branches: Sequence[tuple[Expr, Expr]], otherwise: Expr) -> Expr:
    """What a CASE gives where all columns are null; itself not null if that is not known."""
    for when, then in branches:
        if isinstance(when, IsNull) and is_null_with_its_columns(when.arg):
            return then
        if not is_null_with_its_columns(when):
            return Literal(True, BOOLEAN)
    return otherwise


@law("length(x) IS NULL => x IS NULL", IsNull)
def null_of_strict(expr: Expr, simplify: Simplify) -> Expr | None:
    """What is null exactly if one of its parts is: a strict function, a comparison, a negation."""
    match expr:
        case IsNull(Call(function, args)) if scalar_function(function).nulls is Nulls.STRICT:
            pass
        case IsNull(Compare(op, left, right)) if op != "<=>":
            args = (left, right)
        case IsNull(Not(arg)):
            args = (arg,)
        case IsNull(Cast(arg, type_, CastMode.ANSI)) if not gives_null(arg.type, type_):
            args = (arg,)
        case _:
            return None
    return computed(disjunction([simplify(IsNull(arg)) for arg in args] or [FALSE]))


@law("coalesce(x, 0) IS NULL => FALSE", IsNull)
def null_of_present(expr: Expr, _: Simplify) -> Expr | None:
    """Another test for null, a null-safe comparison, or a COALESCE that ends in a constant."""
    match expr:
        case IsNull(IsNull() | Compare("<=>")):
            return FALSE
        case IsNull(Call("coalesce", (*_, Literal(value)))) if value is not None:
            return FALSE
    return None


@law("CASE WHEN a IS NOT NULL THEN length(a) END => length(a)", Case, stage=Stage.NORMAL)
def case_without_null_test(expr: Expr, _: Simplify) -> Expr | None:
    """The value is null wherever the one that is tested is."""
    match expr:
        case Case(((Not(IsNull(value)), then),), Literal(None)) if is_null_with(then, value):
            return then
        case Case(((IsNull(value), Literal(None)),), otherwise) if is_null_with(otherwise, value):
            return otherwise
    return None
