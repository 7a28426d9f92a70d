"""KNIME's cells as values of Spark: their types, constants, and how Java compares them."""

from __future__ import annotations

import re
from typing import Any, Literal as Choice

from veer.errors import InputError
from veer.gui.knime.config import Config, text
from veer.gui.rows import NotModelled, Value, constant, unknown_call
from veer.ir import expr as ex, types as ty
from veer.read import coercion

SYSTEM = "knime"
CELLS: dict[str, ty.DataType] = {
    "IntCell": ty.INT,
    "LongCell": ty.LONG,
    "DoubleCell": ty.DOUBLE,
    "StringCell": ty.STRING,
    "BooleanCell": ty.BOOLEAN,
    "LocalDateCell": ty.DATE,
    "LocalDateTimeCell": ty.TIMESTAMP_NTZ,
}
CELL = re.compile(r"org\.knime\.core\.data\.(?:def|time\.local\w+)\.(\w+Cell)\b")
NUMBERS = (ty.INT, ty.LONG, ty.DOUBLE)
MINUS_ZERO = "-0.0"

# How values are compared. "total": as Java orders doubles, -0.0 before 0.0 and NaN last. "rule":
# the same, but NaN compares with nothing. "either": as Java's operators or in the total order,
# depending on the version of KNIME; where they differ nothing is known.
Mode = Choice["total", "rule", "either"]


def cell_type(name: str) -> ty.DataType | None:
    """The type of a class of cells; None if Spark has no such type."""
    found = CELL.search(name)
    return CELLS.get(found[1]) if found else None


def cell_constant(config: Config) -> Value | None:
    """A cell in settings; None for no cell, as of a bound that is not set."""
    name = text(config, "datacell")
    if not name:
        return None
    inner = config.get(name)
    type_ = cell_type(name)
    values = [v for v in inner.values() if v is not None] if isinstance(inner, dict) else []
    if type_ is None or len(values) != 1:
        raise NotModelled(f"a constant of the type {name}")
    return typed_constant(values[0], type_)


def typed_constant(value: Any, type_: ty.DataType) -> Value:
    """A value of settings as a constant of a type."""
    match value:
        case bool() if type_ == ty.BOOLEAN:
            return constant(value, ty.BOOLEAN)
        case bool():
            pass
        case int() if type_ == ty.INT and -(1 << 31) <= value < 1 << 31:
            return constant(value, ty.INT)
        case int() if type_ == ty.LONG and -(1 << 63) <= value < 1 << 63:
            return constant(value, ty.LONG)
        case float() if type_ == ty.DOUBLE:
            return constant(value, ty.DOUBLE)
        case str() if type_ == ty.STRING:
            return constant(value, ty.STRING)
        case _:
            pass
    raise NotModelled(f"a constant that is no {type_}: {str(value)[:40]!r}")


# -- comparing -----------------------------------------------------------------------------------


def compare(op: str, left: Value, right: Value, mode: Mode) -> ex.Expr:
    """`left op right` of values; null if one is missing."""
    if not left.known or not right.known:
        unknown = unknown_call(SYSTEM, f"{mode} {op}", left, right, type_=ty.BOOLEAN)
        return _null_if_missing(unknown, left, right)
    if left.type in NUMBERS and right.type in NUMBERS:
        if ty.DOUBLE in (left.type, right.type):
            return _compare_doubles(op, _as_double(left), _as_double(right), mode)
        return coercion.compare(op, left.expr, right.expr)
    if left.type != right.type:
        raise NotModelled(f"{left.type} is compared with {right.type}")
    if left.type == ty.STRING and op != "=":
        # Java orders text by its UTF-16 form, Spark by its UTF-8 form.
        return _null_if_missing(
            unknown_call(SYSTEM, op, left, right, type_=ty.BOOLEAN), left, right
        )
    if left.type not in (ty.STRING, ty.BOOLEAN, ty.DATE, ty.TIMESTAMP_NTZ):
        raise NotModelled(f"values of type {left.type} are compared")
    return coercion.compare(op, left.expr, right.expr)


def _as_double(value: Value) -> Value:
    return Value(coercion.implicit(value.expr, ty.DOUBLE))


def _null_if_missing(value: Value, *args: Value) -> ex.Expr:
    missing = [ex.IsNull(a.expr) for a in args if not isinstance(a.expr, ex.Literal)]
    if not missing:
        return value.expr
    any_missing: ex.Expr = missing[0] if len(missing) == 1 else ex.Or(tuple(missing))
    return ex.Case(((any_missing, ex.Literal(None, value.type)),), value.expr)


def _compare_doubles(op: str, left: Value, right: Value, mode: Mode) -> ex.Expr:
    plain = _compared(op, left, right)
    if isinstance(left.expr, ex.Literal) and not isinstance(right.expr, ex.Literal):
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        return _compare_doubles(turned.get(op, op), right, left, mode)
    if not isinstance(right.expr, ex.Literal):
        unsure = [_is_nan(left), _is_nan(right), ex.And((_is_zero(left), _is_zero(right)))]
        unknown = unknown_call(SYSTEM, f"{mode} {op}", left, right, type_=ty.BOOLEAN)
        return ex.Case(((ex.Or(tuple(unsure)), _null_if_missing(unknown, left, right)),), plain)
    if right.expr.value == 0:
        plain = _compare_zero(op, left, plain, mode)
    if mode == "total" or op in ("=", "<", "<="):
        return plain
    if mode == "rule":
        return ex.And((ex.Not(_is_nan(left)), plain))
    unknown = unknown_call(SYSTEM, f"{mode} {op}", left, right, type_=ty.BOOLEAN)
    return ex.Case(((_is_nan(left), unknown.expr),), plain)


def _compare_zero(op: str, value: Value, plain: ex.Expr, mode: Mode) -> ex.Expr:
    """A comparison with 0.0, before which -0.0 comes in the total order."""
    if op in (">", "<="):
        return plain
    written = coercion.cast(value.expr, ty.STRING)
    is_minus_zero = coercion.compare("=", written, ex.Literal(MINUS_ZERO, ty.STRING))
    if mode == "either":
        unknown = unknown_call(SYSTEM, f"{mode} {op} 0", value, type_=ty.BOOLEAN)
        return ex.Case(((is_minus_zero, unknown.expr),), plain)
    return ex.Or((plain, is_minus_zero)) if op == "<" else ex.And((plain, ex.Not(is_minus_zero)))


def _is_nan(value: Value) -> ex.Expr:
    return coercion.call("isnan", value.expr)


def _is_zero(value: Value) -> ex.Expr:
    return _compared("=", value, constant(0.0, ty.DOUBLE))


def _compared(op: str, left: Value, right: Value) -> ex.Expr:
    """As Spark compares doubles.

    Equality is told by two inequalities: what Spark compares by `=` it may replace, -0.0 by 0.0.
    """
    if op != "=":
        return coercion.compare(op, left.expr, right.expr)
    return ex.And(tuple(coercion.compare(o, left.expr, right.expr) for o in ("<=", ">=")))


# -- text ----------------------------------------------------------------------------------------

PLAIN_WILDCARDS = re.compile(r"[A-Za-z0-9 _%.,:;<>=!#@&'\"/*?()\[\]{}^$+|~-]*")


def as_text(value: Value) -> Value:
    """A value as KNIME writes it."""
    if not value.known or value.type not in (ty.STRING, ty.INT, ty.LONG, ty.BOOLEAN):
        return Value(_null_if_missing(unknown_call(SYSTEM, "text", value, type_=ty.STRING), value))
    return Value(coercion.cast(value.expr, ty.STRING))


def matches_wildcards(value: Value, pattern: str, *, ignore_case: bool = False) -> ex.Expr:
    """Whether a text is like a pattern, in which `*` stands for any text and `?` for a character."""
    if ignore_case or not PLAIN_WILDCARDS.fullmatch(pattern):
        how = "like, whatever the case," if ignore_case else "like"
        return _null_if_missing(
            unknown_call(SYSTEM, how, value, constant(pattern, ty.STRING), type_=ty.BOOLEAN), value
        )
    like = re.sub(r"[%_]", r"\\\g<0>", pattern).replace("*", "%").replace("?", "_")
    return coercion.call("like", value.expr, ex.Literal(like, ty.STRING))


def matches_expression(value: Value, pattern: str, flags: str) -> ex.Expr:
    """Whether all of a text matches a regular expression of Java, whose meaning Spark's has too."""
    whole = f"(?{flags})\\A(?:{pattern})\\z" if flags else f"\\A(?:{pattern})\\z"
    try:
        return coercion.call("rlike", value.expr, ex.Literal(whole, ty.STRING))
    except InputError:
        call = unknown_call(SYSTEM, "matches", value, constant(whole, ty.STRING), type_=ty.BOOLEAN)
        return _null_if_missing(call, value)


def equals_text(value: Value, other: str, *, ignore_case: bool = False) -> ex.Expr:
    """Whether a text is another."""
    if not ignore_case:
        return coercion.compare("=", value.expr, ex.Literal(other, ty.STRING))
    # Java's equalsIgnoreCase takes some letters of other scripts for i, k and s.
    if not other.isascii() or set(other.lower()) & set("iks"):
        call = unknown_call(
            SYSTEM,
            "equals, whatever the case,",
            value,
            constant(other, ty.STRING),
            type_=ty.BOOLEAN,
        )
        return _null_if_missing(call, value)
    lower = coercion.call("lower", value.expr)
    return coercion.compare("=", lower, ex.Literal(other.lower(), ty.STRING))


def is_true(condition: ex.Expr) -> ex.Expr:
    """A condition that is false where it is null."""
    if _is_never_null(condition):
        return condition
    return ex.Case(((condition, ex.Literal(True, ty.BOOLEAN)),), ex.Literal(False, ty.BOOLEAN))


def _is_never_null(condition: ex.Expr) -> bool:
    match condition:
        case ex.Literal(value=value):
            return value is not None
        case ex.IsNull():
            return True
        case ex.Not(arg=arg):
            return _is_never_null(arg)
        case ex.And(args=args) | ex.Or(args=args):
            return all(map(_is_never_null, args))
        case ex.Case(branches=branches, otherwise=otherwise):
            return all(_is_never_null(then) for _, then in branches) and _is_never_null(otherwise)
        case _:
            return False
