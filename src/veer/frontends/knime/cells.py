"""KNIME's cells as values of Spark: their types, constants, and how Java compares them."""

from __future__ import annotations

import re
from typing import Any
from typing import Literal as Choice

from veer.errors import InputError
from veer.frontends import coercion
from veer.frontends.gui.rows import NotModelled, Value, constant, unknown_call
from veer.frontends.knime.config import Config, text
from veer.model.expr import And, Case, Expr, IsNull, Literal, Not, Or
from veer.model.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
)

SYSTEM = "knime"
CELLS: dict[str, DataType] = {
    "IntCell": INT,
    "LongCell": LONG,
    "DoubleCell": DOUBLE,
    "StringCell": STRING,
    "BooleanCell": BOOLEAN,
    "LocalDateCell": DATE,
    "LocalDateTimeCell": TIMESTAMP_NTZ,
}
CELL = re.compile(r"org\.knime\.core\.data\.(?:def|time\.local\w+)\.(\w+Cell)\b")
NUMBERS = (INT, LONG, DOUBLE)
MINUS_ZERO = "-0.0"

# How values are compared. "total": as Java orders doubles, -0.0 before 0.0 and NaN last. "rule":
# the same, but NaN compares with nothing. "either": as Java's operators or in the total order,
# depending on the version of KNIME; where they differ nothing is known.
Mode = Choice["total", "rule", "either"]


def cell_type(name: str) -> DataType | None:
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


def typed_constant(value: Any, type_: DataType) -> Value:
    """A value of settings as a constant of a type."""
    match value:
        case bool() if type_ == BOOLEAN:
            return constant(value, BOOLEAN)
        case bool():
            pass
        case int() if type_ == INT and -(1 << 31) <= value < 1 << 31:
            return constant(value, INT)
        case int() if type_ == LONG and -(1 << 63) <= value < 1 << 63:
            return constant(value, LONG)
        case float() if type_ == DOUBLE:
            return constant(value, DOUBLE)
        case str() if type_ == STRING:
            return constant(value, STRING)
        case _:
            pass
    raise NotModelled(f"a constant that is no {type_}: {str(value)[:40]!r}")


# -- comparing -----------------------------------------------------------------------------------


def compare(op: str, left: Value, right: Value, mode: Mode) -> Expr:
    """`left op right` of values; null if one is missing."""
    if not left.known or not right.known:
        unknown = unknown_call(SYSTEM, f"{mode} {op}", left, right, type_=BOOLEAN)
        return _null_if_missing(unknown, left, right)
    if left.type in NUMBERS and right.type in NUMBERS:
        if DOUBLE in (left.type, right.type):
            return _compare_doubles(op, _as_double(left), _as_double(right), mode)
        return coercion.compare(op, left.expr, right.expr)
    if left.type != right.type:
        raise NotModelled(f"{left.type} is compared with {right.type}")
    if left.type == STRING and op != "=":
        # Java orders text by its UTF-16 form, Spark by its UTF-8 form.
        return _null_if_missing(unknown_call(SYSTEM, op, left, right, type_=BOOLEAN), left, right)
    if left.type not in (STRING, BOOLEAN, DATE, TIMESTAMP_NTZ):
        raise NotModelled(f"values of type {left.type} are compared")
    return coercion.compare(op, left.expr, right.expr)


def _as_double(value: Value) -> Value:
    return Value(coercion.implicit(value.expr, DOUBLE))


def _null_if_missing(value: Value, *args: Value) -> Expr:
    missing = [IsNull(a.expr) for a in args if not isinstance(a.expr, Literal)]
    if not missing:
        return value.expr
    any_missing: Expr = missing[0] if len(missing) == 1 else Or(tuple(missing))
    return Case(((any_missing, Literal(None, value.type)),), value.expr)


def _compare_doubles(op: str, left: Value, right: Value, mode: Mode) -> Expr:
    plain = _compared(op, left, right)
    if isinstance(left.expr, Literal) and not isinstance(right.expr, Literal):
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        return _compare_doubles(turned.get(op, op), right, left, mode)
    if not isinstance(right.expr, Literal):
        unsure = [_is_nan(left), _is_nan(right), And((_is_zero(left), _is_zero(right)))]
        unknown = unknown_call(SYSTEM, f"{mode} {op}", left, right, type_=BOOLEAN)
        return Case(((Or(tuple(unsure)), _null_if_missing(unknown, left, right)),), plain)
    if right.expr.value == 0:
        plain = _compare_zero(op, left, plain, mode)
    if mode == "total" or op in ("=", "<", "<="):
        return plain
    if mode == "rule":
        return And((Not(_is_nan(left)), plain))
    unknown = unknown_call(SYSTEM, f"{mode} {op}", left, right, type_=BOOLEAN)
    return Case(((_is_nan(left), unknown.expr),), plain)


def _compare_zero(op: str, value: Value, plain: Expr, mode: Mode) -> Expr:
    """A comparison with 0.0, before which -0.0 comes in the total order."""
    if op in (">", "<="):
        return plain
    written = coercion.cast(value.expr, STRING)
    is_minus_zero = coercion.compare("=", written, Literal(MINUS_ZERO, STRING))
    if mode == "either":
        unknown = unknown_call(SYSTEM, f"{mode} {op} 0", value, type_=BOOLEAN)
        return Case(((is_minus_zero, unknown.expr),), plain)
    return Or((plain, is_minus_zero)) if op == "<" else And((plain, Not(is_minus_zero)))


def _is_nan(value: Value) -> Expr:
    return coercion.call("isnan", value.expr)


def _is_zero(value: Value) -> Expr:
    return _compared("=", value, constant(0.0, DOUBLE))


def _compared(op: str, left: Value, right: Value) -> Expr:
    """As Spark compares doubles.

    Equality is told by two inequalities: what Spark compares by `=` it may replace, -0.0 by 0.0.
    """
    if op != "=":
        return coercion.compare(op, left.expr, right.expr)
    return And(tuple(coercion.compare(o, left.expr, right.expr) for o in ("<=", ">=")))


# -- text ----------------------------------------------------------------------------------------

PLAIN_WILDCARDS = re.compile(r"[A-Za-z0-9 _%.,:;<>=!#@&'\"/*?()\[\]{}^$+|~-]*")


def as_text(value: Value) -> Value:
    """A value as KNIME writes it."""
    if not value.known or value.type not in (STRING, INT, LONG, BOOLEAN):
        return Value(_null_if_missing(unknown_call(SYSTEM, "text", value, type_=STRING), value))
    return Value(coercion.cast(value.expr, STRING))


def matches_wildcards(value: Value, pattern: str, *, ignore_case: bool = False) -> Expr:
    """Whether a text is like a pattern, in which `*` stands for any text and `?` for a character."""
    if ignore_case or not PLAIN_WILDCARDS.fullmatch(pattern):
        how = "like, whatever the case," if ignore_case else "like"
        return _null_if_missing(
            unknown_call(SYSTEM, how, value, constant(pattern, STRING), type_=BOOLEAN), value
        )
    like = re.sub(r"[%_]", r"\\\g<0>", pattern).replace("*", "%").replace("?", "_")
    return coercion.call("like", value.expr, Literal(like, STRING))


def matches_expression(value: Value, pattern: str, flags: str) -> Expr:
    """Whether all of a text matches a regular expression of Java, whose meaning Spark's has too."""
    whole = f"(?{flags})\\A(?:{pattern})\\z" if flags else f"\\A(?:{pattern})\\z"
    try:
        return coercion.call("rlike", value.expr, Literal(whole, STRING))
    except InputError:
        call = unknown_call(SYSTEM, "matches", value, constant(whole, STRING), type_=BOOLEAN)
        return _null_if_missing(call, value)


def equals_text(value: Value, other: str, *, ignore_case: bool = False) -> Expr:
    """Whether a text is another."""
    if not ignore_case:
        return coercion.compare("=", value.expr, Literal(other, STRING))
    # Java's equalsIgnoreCase takes some letters of other scripts for i, k and s.
    if not other.isascii() or set(other.lower()) & set("iks"):
        call = unknown_call(
            SYSTEM, "equals, whatever the case,", value, constant(other, STRING), type_=BOOLEAN
        )
        return _null_if_missing(call, value)
    lower = coercion.call("lower", value.expr)
    return coercion.compare("=", lower, Literal(other.lower(), STRING))


def is_true(condition: Expr) -> Expr:
    """A condition that is false where it is null."""
    if _is_never_null(condition):
        return condition
    return Case(((condition, Literal(True, BOOLEAN)),), Literal(False, BOOLEAN))


def _is_never_null(condition: Expr) -> bool:
    match condition:
        case Literal(value=value):
            return value is not None
        case IsNull():
            return True
        case Not(arg=arg):
            return _is_never_null(arg)
        case And(args=args) | Or(args=args):
            return all(map(_is_never_null, args))
        case Case(branches=branches, otherwise=otherwise):
            return all(_is_never_null(then) for _, then in branches) and _is_never_null(otherwise)
        case _:
            return False
