"""Constants computed where that is certain: exact casts, and arithmetic of whole numbers.

A constant is put in the place of an expression only if Spark gives that value on every row, in every
time zone and language. What would overflow or fail is left as it is: it may never be evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, assert_never

from veer.errors import UnsupportedError
from veer.functions.arithmetic import EXACT
from veer.functions.casts import cast_function
from veer.functions.moments import parse_date
from veer.functions.registry import Failure, Nulls, scalar_function
from veer.functions.traits import Folding
from veer.model.expr import Call, Cast, Expr, Literal
from veer.model.types import (
    INTEGER_BITS,
    LONG,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegralType,
    StringType,
)


def folded(expr: Expr) -> Expr:
    """A cast of a constant, or a sum, difference or product of two, as one; else itself."""
    match expr:
        case Cast(Literal() as literal, type_):
            return _exact_cast(literal, type_) or expr
        case Call("+" | "-" | "*" as name, (Literal(int() as a), Literal(int() as b)), type_):
            types = [arg.type for arg in expr.args]
            if not all(isinstance(t, IntegralType) for t in (type_, *types)):
                return expr
            try:
                return Literal(scalar_function(name).meaning(types, type_)(a, b), type_)
            except Failure:
                return expr
        case _:
            return expr


def _exact_cast(literal: Literal, type_: DataType) -> Literal | None:
    """A constant in another type that holds it exactly, null included; None if it does not."""
    return Literal(None, type_) if literal.value is None else widened(literal, type_)


def widened(literal: Literal, type_: DataType) -> Literal | None:
    """A number as a constant of another type, where that type holds it exactly; a date likewise.

    None where digits would be lost. Null is not a number: see `_exact_cast`.
    """
    value: Any = literal.value
    if value is None:
        return None
    if isinstance(literal.type, StringType) and isinstance(type_, DateType):
        day = parse_date(value)
        return None if day is None else Literal(day, type_)
    if isinstance(literal.type, DoubleType) and isinstance(type_, IntegralType):
        # A whole number: filling nulls with 0 casts 0.0 to the type of the column.
        if not float(value).is_integer() or abs(value) > 1 << 53:
            return None
        return widened(Literal(int(value), LONG), type_)
    if not isinstance(literal.type, IntegralType | DecimalType):
        return None
    if isinstance(type_, IntegralType) and isinstance(value, int):
        limit = 1 << (INTEGER_BITS[type_] - 1)
        return Literal(value, type_) if -limit <= value < limit else None
    if isinstance(type_, DecimalType):
        try:
            exact = Decimal(value).quantize(Decimal(1).scaleb(-type_.scale), context=EXACT)
        except ArithmeticError:
            return None
        fits = exact == value and abs(exact.scaleb(type_.scale, EXACT)) < 10**type_.precision
        return Literal(exact, type_) if fits else None
    if isinstance(type_, DoubleType) and -(1 << 53) < value < 1 << 53:
        # Doubles hold all whole numbers up to 53 bits.
        return Literal(float(value), type_)
    return None


def computed(expr: Expr) -> Expr:
    """An operation on constants as its value, where that is certain; else itself."""
    match expr:
        case Cast(Literal(value) as literal, type_, mode):
            wider = _exact_cast(literal, type_)
            if wider is not None or not _is_settled(literal.type, type_):
                return wider or expr
            if isinstance(type_, DateType) and isinstance(literal.type, StringType):
                return expr  # Spark knows words like 'epoch', in constants alone
            try:
                return Literal(cast_function(literal.type, type_, mode)(value), type_)
            except (Failure, UnsupportedError):
                return expr
        case Call(name, args, type_):
            function = scalar_function(name)
            if not _is_foldable(function.folding, type_, args):
                return expr
            values = [a.value for a in args if isinstance(a, Literal)]
            if None in values or function.nulls not in (Nulls.STRICT, Nulls.PROPAGATE):
                return expr
            try:
                return Literal(function.meaning([a.type for a in args], type_)(*values), type_)
            except (Failure, UnsupportedError):
                return expr
        case _:
            return expr


def _is_foldable(folding: Folding, type_: DataType, args: Sequence[Expr]) -> bool:
    """Whether the value of a call of these arguments is known to the last digit."""
    if not all(isinstance(a, Literal) and _is_plain(a.value) for a in args):
        return False
    match folding:
        case Folding.NEVER:
            return False
        case Folding.SETTLED:
            return _is_settled(type_, *(a.type for a in args))
        case Folding.IEEE:
            return True
        case _:
            assert_never(folding)


def _is_settled(*types: DataType) -> bool:
    """Whether values of these types are written one way, in every time zone."""
    return all(
        isinstance(t, IntegralType | DecimalType | StringType | DateType | BooleanType)
        for t in types
    )


def _is_plain(value: Any) -> bool:
    """Texts are short, and the same in every language."""
    return not isinstance(value, str) or (len(value) < 1000 and value.isascii())
