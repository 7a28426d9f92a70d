"""Where arithmetic is exact: numbers without rounding, dates within their range.

Only there does the solver compute; a law of arithmetic that rounding breaks would prove what is
false. All questions are answered from types and constants alone.
"""

from __future__ import annotations

from veer.ir import expr as ex, types as ty

NEGATED_EXACTLY = 34  # digits; Spark rounds longer decimals when it negates them
MOST_DAYS = 1_000_000  # added to a date that stays in the range of dates


def is_positive(expr: ex.Expr) -> bool:
    """Whether an expression is a constant above zero."""
    return isinstance(expr, ex.Literal) and isinstance(expr.value, int) and expr.value > 0


def is_few_days(expr: ex.Expr) -> bool:
    """Whether a number of days does not lead out of the range in which days are counted."""
    value = expr.value if isinstance(expr, ex.Literal) else None
    return isinstance(value, int) and abs(value) <= MOST_DAYS


def is_exact_sum(call: ex.Call) -> bool:
    """Whether a decimal sum keeps every digit: Spark's own type for it is not cut off."""
    (whole_a, scale_a), (whole_b, scale_b), (whole, scale) = _digits(call)
    # One more digit before the point for the carry; past 38 digits Spark cuts those behind it.
    return scale == max(scale_a, scale_b) and whole >= max(whole_a, whole_b) + 1


def is_exact_product(call: ex.Call) -> bool:
    """Whether a decimal product keeps every digit."""
    (whole_a, scale_a), (whole_b, scale_b), (whole, scale) = _digits(call)
    return scale == scale_a + scale_b and whole >= whole_a + whole_b


def _digits(call: ex.Call) -> list[tuple[int, int]]:
    return [ty.digits(e.type) for e in (*call.args, call)]


def is_exact_negation(call: ex.Call) -> bool:
    """Whether a decimal is negated without rounding."""
    type_ = call.type
    assert isinstance(type_, ty.DecimalType)
    return call.args[0].type == type_ and type_.precision <= NEGATED_EXACTLY


def is_exact(call: ex.Call) -> bool:
    """Whether arithmetic gives the mathematical result: no decimal digit is cut off."""
    if all(isinstance(t, ty.IntegralType) for t in (call.type, *(a.type for a in call.args))):
        return True
    if not all(isinstance(t, ty.DecimalType) for t in (call.type, *(a.type for a in call.args))):
        return False
    match call.function:
        case "+" | "-":
            return is_exact_sum(call)
        case "*":
            return is_exact_product(call)
        case "negative":
            return is_exact_negation(call)
        case _:
            return False


def holds_all(wider: ty.DataType, type_: ty.DataType) -> bool:
    """Whether every value of an exact type is one of another: no digit cut off, none too many."""
    return isinstance(type_, ty.EXACT_NUMBERS) and ty.holding_both(type_, wider) == wider


def keeps_number(cast: ex.Cast) -> bool:
    """Whether a cast between exact numbers gives the number it is given, wherever it gives one.

    An ANSI cast to fewer digits before the point fails the run where the number does not fit, as
    ANSI arithmetic does: there the number stands for a result that does not exist. Digits behind
    the point are never cut off.
    """
    given, target = cast.arg.type, cast.type
    if cast.mode is not ty.CastMode.ANSI or holds_all(target, given):
        return holds_all(target, given)
    if isinstance(target, ty.DecimalType) and isinstance(given, ty.DecimalType):
        return given.scale <= target.scale
    return isinstance(given, ty.IntegralType) and isinstance(target, ty.EXACT_NUMBERS)
