"""Exponentials and logarithms to the last digit: those of Java's StrictMath, by which Spark computes.

It is defined by FreeBSD's mathematical library. C's and Python's differ from it in the last digit now
and then, and a comparison sees that.
"""

from __future__ import annotations

import math

from veer.errors import UnsupportedError

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG10_2_HIGH, _LOG10_2_LOW = 3.01029995663611771306e-01, 3.69423907715893078616e-13
_ONE_BY_LN10 = 4.34294481903251816668e-01
_EXP = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
_LOG_ODD = (
    6.666666666666735130e-01,
    2.857142874366239149e-01,
    1.818357216161805012e-01,
    1.479819860511658591e-01,
)
_LOG_EVEN = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)


def exp(x: float) -> float:
    """e to the power of x: with x = k ln 2 + r, 2 to the k times a polynomial of r squared."""
    if x != x or math.isinf(x) or x > 709.782712893384 or x < -745.133219101941:
        return math.exp(x)  # not a number, infinite or zero
    k, high, low = 0, x, 0.0
    if abs(x) > 0.34657359027997264:
        sign = 1 if x > 0 else -1
        k = int(1.44269504088896338700 * x + 0.5 * sign) if abs(x) >= 1.0397207708399179 else sign
        high, low = x - k * _LN2_HIGH, k * _LN2_LOW
    elif abs(x) < 2.0**-28:
        return 1.0 + x
    r = high - low
    c = r - r * r * _polynomial(_EXP, r * r)
    if k == 0:
        return 1.0 - ((r * c) / (c - 2.0) - r)
    return math.ldexp(1.0 - ((low - (r * c) / (2.0 - c)) - high), k)


def log(x: float) -> float:
    """The natural logarithm of a positive number: with x = 2 to the k times 1 + f, by s = f / (2 + f)."""
    if x != x or math.isinf(x):
        return math.log(x)
    mantissa, k = math.frexp(x)
    mantissa, k = 2 * mantissa, k - 1
    bits = int((mantissa - 1.0) * 2**20)  # the high bits of the fraction
    if bits + 0x95F64 >= 0x100000:  # beyond the root of two
        mantissa, k = mantissa / 2, k + 1
    f = mantissa - 1.0
    if (0xFFFFF & (2 + bits)) < 3:
        if f == 0:
            return k * _LN2_HIGH + k * _LN2_LOW
        rest = f * f * (0.5 - 0.33333333333333333 * f)
        return f - rest if k == 0 else k * _LN2_HIGH - ((rest - k * _LN2_LOW) - f)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    rest = z * _polynomial(_LOG_ODD, w) + w * _polynomial(_LOG_EVEN, w)
    if (bits - 0x6147A) | (0x6B851 - bits) > 0:
        half = 0.5 * f * f
        if k == 0:
            return f - (half - s * (half + rest))
        return k * _LN2_HIGH - ((half - (s * (half + rest) + k * _LN2_LOW)) - f)
    if k == 0:
        return f - s * (f - rest)
    return k * _LN2_HIGH - ((s * (f - rest) - k * _LN2_LOW) - f)


def log10(x: float) -> float:
    """The logarithm to the base of ten of a positive number."""
    if x != x or math.isinf(x):
        return math.log10(x)
    mantissa, k = math.frexp(x)
    mantissa, k = 2 * mantissa, k - 1
    below = 1 if k < 0 else 0
    whole = float(k + below)
    rest = whole * _LOG10_2_LOW + _ONE_BY_LN10 * log(mantissa / (2 if below else 1))
    return rest + whole * _LOG10_2_HIGH


def log2(x: float) -> float:
    """The logarithm to the base of two of a positive number, as Spark divides two others."""
    return log(x) / log(2.0)


def power(a: float, b: float) -> float:
    """a to the power of b, where the last digit is certain; C's errors where there is none."""
    if b == 2.0:
        return a * a
    if b == -1.0 and a != 0:
        return 1.0 / a
    value = math.pow(a, b)
    special = not math.isfinite(value) or value == 0 or not (math.isfinite(a) and math.isfinite(b))
    whole = a.is_integer() and b.is_integer() and b >= 0 and abs(value) < 2.0**53
    if special or whole or b in (0.0, 1.0, 0.5) or abs(a) == 1:
        return value
    raise UnsupportedError(f"the last digit of {a!r} to the power of {b!r}")


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    value = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = coefficient + x * value
    return value
