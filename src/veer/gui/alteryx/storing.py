"""Values stored in columns, whose types cut and convert them."""

from __future__ import annotations

from collections.abc import Mapping

from veer.gui.alteryx import numbers
from veer.gui.alteryx.numbers import SYSTEM
from veer.gui.alteryx.types import INTEGERS, NARROW_TEXT, TEXT, spark_type
from veer.gui.rows import Rows, Value, unknown_call
from veer.ir import expr as ex, types as ty
from veer.read import coercion

DECLARED = "as "  # before the type and size in marks of columns
UNLIMITED = 1_000_000_000  # the size of text columns that hold whatever there is


def declare(rows: Rows, columns: Mapping[str, tuple[str, str]]) -> Rows:
    """Columns are of these types and sizes from here on, which cut what is stored in them."""
    told = {name: f"{DECLARED}{type_} {size}" for name, (type_, size) in columns.items()}
    rows.flow.declared.tell(rows.id, told)
    return rows


def mark_of(rows: Rows, name: str) -> str:
    """What tells columns apart that cut differently."""
    return rows.flow.declared.mark(rows.id, name)


def declared_as(rows: Rows, name: str) -> tuple[str, str] | None:
    """The type and size of a column, if a tool above tells them."""
    mark = mark_of(rows, name)
    if not mark.startswith(DECLARED):
        return None
    type_, _, size = mark.removeprefix(DECLARED).partition(" ")
    return type_, size


def stored_again(rows: Rows, name: str, value: Value, type_: str, size: str) -> Rows:
    """A value in a column that is there already, and keeps its type and size."""
    mark, told = mark_of(rows, name), declared_as(rows, name)
    if told is not None:
        kept = stored(value, *told)
    elif name in rows.unknown:
        kept = unknown_call(SYSTEM, f"in the place of {mark}", value)
    else:
        kept = stored(value, type_, size, f" in {mark}" if type_ in TEXT else "")
    result = rows.with_columns({name: kept})
    rows.flow.declared.tell(result.id, {name: mark})
    return result


def stored(value: Value, type_: str, size: str, place: str = "") -> Value:
    """A value in a column of a type, which may cut or convert it."""
    target = spark_type(type_, size)
    unknown = unknown_call(SYSTEM, f"as {type_} {size}{place}", value, type_=target)
    if not value.known or target is None:
        return unknown
    if value.type == ty.NULL:
        return Value(ex.Literal(None, target))
    if type_ in TEXT:
        return _stored_text(value, type_, size, unknown)
    if type_ in INTEGERS and numbers.is_number(value):
        return numbers.stored_whole(value, *INTEGERS[type_], target, unknown)
    if type_ in ("Double", "Float") and numbers.is_number(value):
        return Value(coercion.cast(value.expr, ty.DOUBLE if type_ == "Double" else ty.FLOAT))
    if target == value.type and target in (ty.BOOLEAN, ty.DATE, ty.TIMESTAMP_NTZ):
        return value
    return unknown


def _stored_text(value: Value, type_: str, size: str, unknown: Value) -> Value:
    if value.type != ty.STRING:
        return unknown
    most = int(size) if size.isascii() and size.isdigit() and len(size) < 12 else 0
    narrow = type_ in NARROW_TEXT
    if _fits(value.expr, most, narrow):
        return value
    # A character takes at most two units of a wide text.
    fits = is_ascii(value.expr, most) if narrow else _is_no_longer(value.expr, most // 2)
    null = (ex.IsNull(value.expr), ex.Literal(None, ty.STRING))
    return Value(ex.Case((null, (fits, value.expr)), unknown.expr))


def _fits(expr: ex.Expr, most: int, narrow: bool) -> bool:
    """Whether a text surely fits a column."""
    match expr:
        case ex.Literal(str() as text):
            return len(text) * 2 <= most and (text.isascii() or not narrow)
        case ex.Case(branches, otherwise):
            return all(_fits(e, most, narrow) for e in (*(t for _, t in branches), otherwise))
        case ex.Literal(None):
            return True
    return not narrow and most >= UNLIMITED


def is_ascii(expr: ex.Expr, most: int = UNLIMITED) -> ex.Expr:
    """Whether a text is of printable ASCII characters alone, and of at most so many."""
    plain = ex.Not(coercion.call("rlike", expr, ex.Literal("[^ -~]", ty.STRING)))
    if most >= UNLIMITED:
        return plain
    return ex.And((plain, _is_no_longer(expr, most)))


def _is_no_longer(expr: ex.Expr, most: int) -> ex.Expr:
    length = coercion.cast(coercion.call("length", expr), ty.LONG)
    return ex.Compare("<=", length, ex.Literal(most, ty.LONG))
