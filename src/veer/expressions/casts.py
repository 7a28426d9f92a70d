"""Laws of casts: there and back through a type that holds every value, and casts of alternatives."""

from __future__ import annotations

from dataclasses import replace

from veer.expressions.comparisons import narrowed
from veer.expressions.constant_folding import computed
from veer.expressions.exact_arithmetic import holds_all
from veer.expressions.law import Simplify, Stage, law
from veer.ir import expr as ex, types as ty
from veer.ir.nullability import gives_null


@law("CAST(CAST(n AS BIGINT) AS INT) => n, n being an INT", ex.Cast, stage=Stage.NORMAL)
def cast_there_and_back(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The type between holds every value; or there is no change of type at all."""
    match expr:
        case ex.Cast(arg, type_) if arg.type == type_:
            return arg
        case ex.Cast(ex.Cast() as arg, type_):
            return _before_cast(arg, type_)
    return None


@law(
    "CAST(coalesce(x, 0) AS BIGINT) => coalesce(CAST(x AS BIGINT), 0)", ex.Cast, stage=Stage.NORMAL
)
def cast_of_value_or_constant(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """The cast gives null for null alone, and the constant is cast without failing."""
    match expr:
        case ex.Cast(
            ex.Call("coalesce", (value, ex.Literal() as constant)) as arg, type_, ty.CastMode.ANSI
        ):
            cast = computed(replace(expr, arg=constant))
            if isinstance(cast, ex.Literal) and not gives_null(arg.type, type_):
                inner = simplify(replace(expr, arg=value))
                return ex.Call("coalesce", (inner, cast), type_)
    return None


@law("CAST(coalesce(CAST(n AS BIGINT), 0) AS INT) => coalesce(n, 0), n being an INT",
     ex.Cast, stage=Stage.NORMAL)  # fmt: skip
def cast_back_of_alternatives(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """All values were of the type they are cast to, and are cast to a type that holds them."""
    match expr:
        case ex.Cast(ex.Call("coalesce", args), type_):
            values = [_before_cast(arg, type_) for arg in args]
            known = tuple(v for v in values if v is not None)
            return ex.Call("coalesce", known, type_) if len(known) == len(args) else None
    return None


def _before_cast(arg: ex.Expr, type_: ty.DataType) -> ex.Expr | None:
    """A value of a type that was cast to a type with all values of it, or a constant it has."""
    match arg:
        case ex.Cast(value, wider) if value.type == type_ and holds_all(wider, type_):
            return value
        case ex.Literal():
            return narrowed(arg, arg.type, type_)
    return None
