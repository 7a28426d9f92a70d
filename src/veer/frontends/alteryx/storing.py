"""Values stored in columns, whose types cut and convert them."""

from __future__ import annotations

from collections.abc import Mapping

from veer.frontends import coercion
from veer.frontends.alteryx import numbers
from veer.frontends.alteryx.numbers import SYSTEM
from veer.frontends.alteryx.types import INTEGERS, NARROW_TEXT, TEXT, spark_type
from veer.frontends.gui.rows import Rows, Value, unknown_call
from veer.model.expr import And, Case, Compare, Expr, IsNull, Literal, Not
from veer.model.types import BOOLEAN, DATE, DOUBLE, FLOAT, LONG, NULL, STRING, TIMESTAMP_NTZ

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
    if value.type == NULL:
        return Value(Literal(None, target))
    if type_ in TEXT:
        return _stored_text(value, type_, size, unknown)
    if type_ in INTEGERS and numbers.is_number(value):
        return numbers.stored_whole(value, *INTEGERS[type_], target, unknown)
    if type_ in ("Double", "Float") and numbers.is_number(value):
        return Value(coercion.cast(value.expr, DOUBLE if type_ == "Double" else FLOAT))
    if target == value.type and target in (BOOLEAN, DATE, TIMESTAMP_NTZ):
        return value
    return unknown


def _stored_text(value: Value, type_: str, size: str, unknown: Value) -> Value:
    if value.type != STRING:
        return unknown
    most = int(size) if size.isascii() and size.isdigit() and len(size) < 12 else 0
    narrow = type_ in NARROW_TEXT
    if _fits(value.expr, most, narrow):
        return value
    # A character takes at most two units of a wide text.
    fits = is_ascii(value.expr, most) if narrow else _is_no_longer(value.expr, most // 2)
    null = (IsNull(value.expr), Literal(None, STRING))
    return Value(Case((null, (fits, value.expr)), unknown.expr))


def _fits(expr: Expr, most: int, narrow: bool) -> bool:
    """Whether a text surely fits a column."""
    match expr:
        case Literal(str() as text):
            return len(text) * 2 <= most and (text.isascii() or not narrow)
        case Case(branches, otherwise):
            return all(_fits(e, most, narrow) for e in (*(t for _, t in branches), otherwise))
        case Literal(None):
            return True
    return not narrow and most >= UNLIMITED


def is_ascii(expr: Expr, most: int = UNLIMITED) -> Expr:
    """Whether a text is of printable ASCII characters alone, and of at most so many."""
    plain = Not(coercion.call("rlike", expr, Literal("[^ -~]", STRING)))
    if most >= UNLIMITED:
        return plain
    return And((plain, _is_no_longer(expr, most)))


def _is_no_longer(expr: Expr, most: int) -> Expr:
    length = coercion.cast(coercion.call("length", expr), LONG)
    return Compare("<=", length, Literal(most, LONG))
