"""`na.fill`, `na.drop`, `replace`: conditions and expressions over the columns they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import isfinite, trunc
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import widened
from veer.frontends import coercion
from veer.frontends.connect.frames import Frame
from veer.frontends.connect.literals import read_literal
from veer.frontends.sql.scope import Plan, ScopeColumn
from veer.functions.arithmetic import to_float32
from veer.model.expr import Call, Case, Expr, IsNull, Literal, Named, Not
from veer.model.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    LONG,
    BinaryType,
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    NumericType,
    StringType,
)
from veer.settings import same_name

FALSE = Literal(False, BOOLEAN)

if TYPE_CHECKING:
    from veer.frontends.connect.relations import RelationReader


def fill(reader: RelationReader, node: Any) -> Frame:
    """Other values in place of null and NaN.

    One value fills the columns of its kind and leaves others alone; values by column are cast.
    """
    frame = reader.input(node.input)
    plan = reader.visible(frame.plan)
    values = [read_literal(v) for v in node.values]
    names = list(node.cols)
    changed: dict[int, Expr] = {}
    if len(values) == 1:
        for place in _places(plan, names):
            if _fits(values[0].type, plan.schema.types[place]):
                changed[place] = _filled(plan, place, values[0])
    else:
        if len(values) != len(names):
            raise UnsupportedError(f"fillna with {len(values)} values for {len(names)} columns")
        for name, value in zip(names, values, strict=True):
            for place in _places(plan, [name]):
                filled = _filled(plan, place, value)
                if changed.setdefault(place, filled) != filled:
                    raise UnsupportedError(f"fillna with two values for the column {name!r}")
    return _with_changed(reader, frame, plan, changed)


def _places(plan: Plan, names: Sequence[str]) -> list[int]:
    """The columns of these names, of all if there are none."""
    if not names:
        return list(range(len(plan.columns)))
    places = []
    for name in names:
        matching = [i for i, c in enumerate(plan.columns) if same_name(c.name, name)]
        if len(matching) != 1:
            raise UnsupportedError(f"the column {name!r}, of which there are {len(matching)}")
        places += matching
    return places


def _fits(value: DataType, column: DataType) -> bool:
    """Whether a value is meant for columns of a type."""
    kinds = ((NumericType, NumericType), (StringType, StringType), (BooleanType, BooleanType))
    return any(isinstance(value, a) and isinstance(column, b) for a, b in kinds)


def _filled(plan: Plan, place: int, value: Literal) -> Expr:
    column: Expr = plan.column(place)
    if isinstance(column.type, BinaryType):
        raise UnsupportedError(f"fillna of a column of type {column.type}")
    given = _whole(value, column.type) or coercion.cast(value, column.type)
    if isinstance(column.type, DoubleType | FloatType):
        column = coercion.call("nanvl", column, Literal(None, column.type))
    return coercion.call("coalesce", column, given)


def _whole(value: Literal, type_: DataType) -> Literal | None:
    """A double that is a whole number as a decimal, which its cast is: the usual `fillna(0)`."""
    if not isinstance(type_, DecimalType) or not isinstance(value.type, DoubleType):
        return None
    if value.value is None or not isfinite(value.value) or value.value != trunc(value.value):
        return None
    return widened(Literal(int(value.value), LONG), type_) if abs(value.value) < 1 << 53 else None


def _with_changed(
    reader: RelationReader, frame: Frame, plan: Plan, changed: dict[int, Expr]
) -> Frame:
    names = [c.name for c in plan.columns]
    columns = [Named(n, changed.get(i, plan.column(i))) for i, n in enumerate(names)]
    scope = [ScopeColumn(None, c.name) if i in changed else c for i, c in enumerate(plan.columns)]
    return reader.frame(reader.project(plan, columns, scope), frame)


def drop(reader: RelationReader, node: Any) -> Frame:
    """The rows in which so many of the columns are neither null nor NaN."""
    frame = reader.input(node.input)
    plan = reader.visible(frame.plan)
    present = [_present(plan.column(i)) for i in _places(plan, list(node.cols))]
    least = node.min_non_nulls if node.HasField("min_non_nulls") else len(present)
    if least == len(present):
        condition = coercion.conjunction(present)
    elif least == 1:
        condition = coercion.disjunction(present)
    else:
        ones = [coercion.case([(p, Literal(1, INT))], Literal(0, INT)) for p in present]
        total = reduce(lambda a, b: coercion.call("+", a, b), ones)
        condition = coercion.compare(">=", total, Literal(least, INT))
    return reader.frame(reader.filter(plan, condition), frame)


def _present(column: Expr) -> Expr:
    is_there = Not(IsNull(column))
    if isinstance(column.type, DoubleType | FloatType):
        return coercion.conjunction([is_there, Not(Call("isnan", (column,), BOOLEAN))])
    return is_there


def replace_values(reader: RelationReader, node: Any) -> Frame:
    """Other values in place of given ones, in columns of their kind.

    Spark takes all numbers for doubles: a column is compared as a double, and what replaces is a
    double that is cast to its type. So 1.5 replaces no integer, and NaN none either.
    """
    frame = reader.input(node.input)
    plan = reader.visible(frame.plan)
    pairs = [(read_literal(r.old_value), read_literal(r.new_value)) for r in node.replacements]
    kinds = {_kind(old.type) for old, _ in pairs}
    kinds |= {_kind(new.type) for _, new in pairs if new.value is not None}
    if len(kinds) != 1 or None in kinds or any(old.value is None for old, _ in pairs):
        raise UnsupportedError("replace of null or of values of several types")
    (kind,) = kinds
    meant = [(_constant(old), _constant(new)) for old, new in pairs]
    if len({old for old, _ in meant}) < len(meant):
        raise UnsupportedError("replace of two numbers that are one as doubles")
    changed = {
        place: _replaced(plan.column(place), meant)
        for place in _places(plan, list(node.cols))
        if _kind(plan.schema.types[place]) == kind
    }
    return _with_changed(reader, frame, plan, changed)


def _kind(type_: DataType) -> type[DataType] | None:
    """Which values a value may be replaced by; None if by none."""
    return next((k for k in (NumericType, StringType, BooleanType) if isinstance(type_, k)), None)


def _constant(value: Literal) -> Literal:
    """A value of a replacement; any number is a double."""
    if value.value is None or not isinstance(value.type, NumericType):
        return value
    return Literal(float(value.value), DOUBLE)


def _replaced(column: Expr, pairs: Sequence[tuple[Literal, Literal]]) -> Expr:
    branches = tuple(
        (
            coercion.compare("=", column, old) if _is_possible(old.value, column.type) else FALSE,
            coercion.cast(new, column.type),
        )
        for old, new in pairs
    )
    return Case(branches, column)


def _is_possible(value: Any, type_: DataType) -> bool:
    """Whether a value of a type may be equal to this one as a double: NaN is no integer."""
    match type_:
        case IntegralType():
            return isfinite(value) and bool(value == trunc(value))
        case DecimalType():
            return isfinite(value)
        case FloatType():
            return bool(value != value or to_float32(value) == value)
        case _:
            return True


RELATIONS: dict[str, Callable[[RelationReader, Any], Frame]] = {
    "fill_na": fill,
    "drop_na": drop,
    "replace": replace_values,
}
