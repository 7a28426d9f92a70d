"""Numbers in formulas of Alteryx, in expressions of Spark.

Alteryx computes in doubles; newer releases keep 64-bit integers. Whole numbers up to 2^53 are the
same in both, and in Spark's LONG. What is beyond, a division by zero and the order of NaN are left
to opaque functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from veer.gui.rows import NotModelled, Value, unknown_call
from veer.ir import expr as ex, types as ty
from veer.read import coercion

EXACT_BITS = 53  # of whole numbers that a double holds
EXACT_DIGITS = 15  # of decimals that a double tells apart
LONG_BITS = 62
SYSTEM = "alteryx"


def number(text: str) -> Value:
    """A number as it is written in a formula."""
    if text.isascii() and text.isdigit() and len(text) <= EXACT_DIGITS:
        whole = int(text)
        return Value(ex.Literal(whole, ty.INT if whole < 1 << 31 else ty.LONG))
    value = float(text)
    if math.isinf(value):
        raise NotModelled(f"the number {text}")
    return Value(ex.Literal(value, ty.DOUBLE))


def is_number(value: Value) -> bool:
    """Whether a value is known to be a number."""
    return value.known and isinstance(value.type, ty.NumericType)


def is_whole(value: Value) -> bool:
    """Whether a value is known to be a whole number by its type."""
    return value.known and isinstance(value.type, ty.IntegralType)


def bits(expr: ex.Expr) -> int:
    """How many bits whole numbers of an expression take at most, without their sign."""
    match expr:
        case ex.Literal(int() as value):
            return abs(value).bit_length()
        case ex.Cast(arg, ty.LongType()) if isinstance(arg.type, ty.IntegralType):
            return bits(arg)
        case ex.Call("+" | "-", (left, right), ty.LongType()):
            return max(bits(left), bits(right)) + 1
        case ex.Call("*", (left, right), ty.LongType()):
            return bits(left) + bits(right)
        case ex.Case(branches, otherwise):
            return max(bits(e) for e in (*(then for _, then in branches), otherwise))
    if isinstance(expr.type, ty.LongType):
        return 63
    return 31 if isinstance(expr.type, ty.IntegerType) else 15


def arithmetic(op: str, a: Value, b: Value) -> Value:
    """`a op b` of two numbers; null if one of them is."""
    if any(isinstance(v.type, ty.DecimalType) for v in (a, b)):
        return unknown_call(SYSTEM, op, a, b)
    if op != "/" and is_whole(a) and is_whole(b):
        x, y = coercion.cast(a.expr, ty.LONG), coercion.cast(b.expr, ty.LONG)
        result = coercion.call(op, x, y)
        if bits(result) <= LONG_BITS:
            checks = [_is_small(e) for e in (x, y, result) if bits(e) > EXACT_BITS]
            return guarded(checks, result, unknown_call(SYSTEM, op, a, b, type_=ty.LONG), x, y)
    x, y = coercion.cast(a.expr, ty.DOUBLE), coercion.cast(b.expr, ty.DOUBLE)
    result = coercion.call(op, x, y)
    checks = [] if op != "/" or _is_nonzero(y) else [_differs_from_zero(y)]
    if is_whole(a) and is_whole(b):
        wide = [v for v in (a, b) if bits(v.expr) > EXACT_BITS]
        checks += [_is_small(coercion.cast(v.expr, ty.LONG)) for v in wide]
        if op != "/":  # a larger product could have been rounded to 2^53 itself
            limit = ex.Literal(float(1 << EXACT_BITS), ty.DOUBLE)
            low = ex.Literal(-float(1 << EXACT_BITS), ty.DOUBLE)
            checks += [ex.Compare("<", result, limit), ex.Compare(">", result, low)]
    return guarded(checks, result, unknown_call(SYSTEM, op, a, b, type_=ty.DOUBLE), x, y)


def _is_nonzero(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal) and bool(expr.value)


def _differs_from_zero(expr: ex.Expr) -> ex.Expr:
    """Whether a fraction is neither 0.0 nor -0.0: no equation, for it would take them for one."""
    zero = ex.Literal(0.0, ty.DOUBLE)
    return ex.Or((ex.Compare("<", expr, zero), ex.Compare(">", expr, zero)))


def _is_small(expr: ex.Expr) -> ex.Expr:
    """Whether a whole number is one that a double holds exactly."""
    limit = 1 << EXACT_BITS
    return coercion.conjunction(
        [
            ex.Compare(">=", expr, ex.Literal(-limit, ty.LONG)),
            ex.Compare("<=", expr, ex.Literal(limit, ty.LONG)),
        ]
    )


def guarded(checks: Sequence[ex.Expr], result: ex.Expr, unknown: Value, *strict: ex.Expr) -> Value:
    """A result where the checks hold, null where one of `strict` is, else an unknown value."""
    if not checks:
        return Value(result)
    nulls = [ex.IsNull(e) for e in strict if not isinstance(e, ex.Literal)]
    branches: list[tuple[ex.Expr, ex.Expr]] = [
        (null, ex.Literal(None, result.type)) for null in nulls
    ]
    branches.append((coercion.conjunction(list(checks)), result))
    return Value(ex.Case(tuple(branches), unknown.expr))


def compare(op: str, a: Value, b: Value) -> tuple[list[ex.Expr], ex.Expr] | None:
    """`a op b` of two numbers that are not null, and what must hold; none if nothing is known."""
    types = (a.type, b.type)
    if all(isinstance(t, ty.IntegralType) for t in types):
        both_wide = all(bits(v.expr) > EXACT_BITS for v in (a, b))
        checks = [_is_small(v.expr) for v in (a, b)] if both_wide else []
        return checks, _compared(op, a.expr, b.expr)
    if any(isinstance(t, ty.DecimalType) for t in types):
        return _compare_decimals(op, a.expr, b.expr)
    x, y = coercion.cast(a.expr, ty.DOUBLE), coercion.cast(b.expr, ty.DOUBLE)
    checks = [ex.Not(coercion.call("isnan", e)) for e in (x, y) if _may_be_nan(e)]
    if op == "=":
        # A zero may be 0.0 or -0.0, which are equal, yet not the same to every function.
        if not (_is_nonzero(x) or _is_nonzero(y)):
            checks.append(_differs_from_zero(x))
        return checks, ex.And((ex.Compare("<=", x, y), ex.Compare(">=", x, y)))
    return checks, ex.Compare(op, x, y)


def _compared(op: str, a: ex.Expr, b: ex.Expr) -> ex.Compare:
    compared = coercion.compare(op, a, b)
    assert isinstance(compared, ex.Compare)
    return compared


def _compare_decimals(op: str, a: ex.Expr, b: ex.Expr) -> tuple[list[ex.Expr], ex.Compare] | None:
    checks: list[ex.Expr] = []
    sides: list[ex.Expr] = []
    for expr in (a, b):
        exact = _as_decimal(expr)
        if exact is None or not isinstance(exact.type, ty.DecimalType | ty.IntegralType):
            return None
        sides.append(exact)
        if isinstance(exact.type, ty.DecimalType) and exact.type.precision > EXACT_DIGITS:
            whole = EXACT_DIGITS - exact.type.scale
            if whole < 1:
                return None
            limit = ex.Literal(10**whole, ty.LONG)
            low = ex.Literal(-(10**whole), ty.LONG)
            checks += [coercion.compare("<", exact, limit), coercion.compare(">", exact, low)]
        if isinstance(exact.type, ty.LongType) and bits(exact) > EXACT_BITS:
            return None
    return checks, _compared(op, sides[0], sides[1])


def _as_decimal(expr: ex.Expr) -> ex.Expr | None:
    """A constant as an exact decimal; other doubles are none."""
    if isinstance(expr, ex.Literal) and isinstance(expr.value, float) and math.isfinite(expr.value):
        exact = Decimal(repr(expr.value))
        _, digits, exponent = exact.as_tuple()
        assert isinstance(exponent, int)
        if exponent > 0 or len(digits) > EXACT_DIGITS or -exponent > EXACT_DIGITS:
            return None
        return ex.Literal(exact, ty.DecimalType(max(len(digits), -exponent), -exponent))
    return expr if isinstance(expr.type, ty.DecimalType | ty.IntegralType) else None


def _may_be_nan(expr: ex.Expr) -> bool:
    match expr:
        case ex.Literal(float() as value):
            return math.isnan(value)
        case ex.Cast(arg):
            return not isinstance(arg.type, ty.IntegralType | ty.DecimalType)
    return True


def stored_whole(value: Value, low: int, high: int, type_: ty.DataType, unknown: Value) -> Value:
    """A number in a column of whole numbers; how fractions are rounded is not known."""
    if is_whole(value):
        if value.type == type_ and low < 0:
            return value
        if bits(value.expr) < high.bit_length() and low < 0:
            return Value(coercion.cast(value.expr, type_))
        if isinstance(value.expr, ex.Literal) and low <= value.expr.value <= high:
            return Value(ex.Literal(value.expr.value, type_))
        expr = coercion.cast(value.expr, ty.LONG)
        if type_ == ty.LONG:
            return Value(expr)
        checks = [
            ex.Compare(">=", expr, ex.Literal(low, ty.LONG)),
            ex.Compare("<=", expr, ex.Literal(high, ty.LONG)),
        ]
        return guarded(checks, coercion.cast(expr, type_), unknown, expr)
    if value.type not in (ty.DOUBLE, ty.FLOAT):
        return unknown
    expr = coercion.cast(value.expr, ty.DOUBLE)
    limit = min(high, 1 << EXACT_BITS)
    checks = [
        ex.Compare(">=", expr, ex.Literal(float(max(low, -(1 << EXACT_BITS))), ty.DOUBLE)),
        ex.Compare("<=", expr, ex.Literal(float(limit), ty.DOUBLE)),
        ex.Compare("<=", expr, coercion.cast(coercion.call("floor", expr), ty.DOUBLE)),
    ]
    return guarded(checks, coercion.cast(expr, type_), unknown, expr)
