"""Laws of casts: there and back through a type that holds every value, and casts of alternatives."""

from __future__ import annotations

from dataclasses import replace

from veer.expressions.comparisons import narrowed
from veer.expressions.constant_folding import computed
from veer.expressions.exact_arithmetic import holds_all
from veer.expressions.law import Simplify, Stage, law
from veer.model.expr import Call, Cast, Expr, Literal
from veer.model.nullability import gives_null
from veer.model.types import CastMode, DataType


@law("CAST(CAST(n AS BIGINT) AS INT) => n, n being an INT", Cast, stage=Stage.NORMAL)
def cast_there_and_back(expr: Expr, _: Simplify) -> Expr | None:
    """The type between holds every value; or there is no change of type at all."""
    match expr:
        case Cast(arg, type_) if arg.type == type_:
            return arg
        case Cast(Cast() as arg, type_):
            return _before_cast(arg, type_)
    return None


@law("CAST(coalesce(x, 0) AS BIGINT) => coalesce(CAST(x AS BIGINT), 0)", Cast, stage=Stage.NORMAL)
def cast_of_value_or_constant(expr: Expr, simplify: Simplify) -> Expr | None:
    """The cast gives null for null alone, and the constant is cast without failing."""
    match expr:
        case Cast(Call("coalesce", (value, Literal() as constant)) as arg, type_, CastMode.ANSI):
            cast = computed(replace(expr, arg=constant))
            if isinstance(cast, Literal) and not gives_null(arg.type, type_):
                inner = simplify(replace(expr, arg=value))
                return Call("coalesce", (inner, cast), type_)
    return None


@law("CAST(coalesce(CAST(n AS BIGINT), 0) AS INT) => coalesce(n, 0), n being an INT",
     Cast, stage=Stage.NORMAL)  # fmt: skip
def cast_back_of_alternatives(expr: Expr, _: Simplify) -> Expr | None:
    """All values were of the type they are cast to, and are cast to a type that holds them."""
    match expr:
        case Cast(Call("coalesce", args), type_):
            values = [_before_cast(arg, type_) for arg in args]
            known = tuple(v for v in values if v is not None)
            return Call("coalesce", known, type_) if len(known) == len(args) else None
    return None


def _before_cast(arg: Expr, type_: DataType) -> Expr | None:
    """A value of a type that was cast to a type with all values of it, or a constant it has."""
    match arg:
        case Cast(value, wider) if value.type == type_ and holds_all(wider, type_):
            return value
        case Literal():
            return narrowed(arg, arg.type, type_)
    return None
