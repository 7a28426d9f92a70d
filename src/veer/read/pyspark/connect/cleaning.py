"""`na.fill`, `na.drop`, `replace`: conditions and expressions over the columns they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import isfinite, trunc
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import widened
from veer.functions.arithmetic import to_float32
from veer.ir import expr as ex, types as ty
from veer.read import coercion
from veer.read.pyspark.connect.frames import Frame
from veer.read.pyspark.connect.literals import read_literal
from veer.read.sql.scope import Plan, ScopeColumn
from veer.settings import same_name

FALSE = ex.Literal(False, ty.BOOLEAN)

if TYPE_CHECKING:
    from veer.read.pyspark.connect.relations import RelationReader


def fill(reader: RelationReader, node: Any) -> Frame:
    """Other values in place of null and NaN.

    One value fills the columns of its kind and leaves others alone; values by column are cast.
    """
    frame = reader.input(node.input)
    plan = reader.visible(frame.plan)
    values = [read_literal(v) for v in node.values]
    names = list(node.cols)
    changed: dict[int, ex.Expr] = {}
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
            raise UnsupportedError(
                f"the column {name!r}: the DataFrame has {len(matching)} of this name"
            )
        places += matching
    return places


def _fits(value: ty.DataType, column: ty.DataType) -> bool:
    """Whether a value is meant for columns of a type."""
    kinds = (
        (ty.NumericType, ty.NumericType),
        (ty.StringType, ty.StringType),
        (ty.BooleanType, ty.BooleanType),
    )
    return any(isinstance(value, a) and isinstance(column, b) for a, b in kinds)


def _filled(plan: Plan, place: int, value: ex.Literal) -> ex.Expr:
    column: ex.Expr = plan.column(place)
    if isinstance(column.type, ty.BinaryType):
        raise UnsupportedError(f"fillna of a column of type {column.type}")
    given = _whole(value, column.type) or coercion.cast(value, column.type)
    if isinstance(column.type, ty.DoubleType | ty.FloatType):
        column = coercion.call("nanvl", column, ex.Literal(None, column.type))
    return coercion.call("coalesce", column, given)


def _whole(value: ex.Literal, type_: ty.DataType) -> ex.Literal | None:
    """A double that is a whole number as a decimal, which its cast is: the usual `fillna(0)`."""
    if not isinstance(type_, ty.DecimalType) or not isinstance(value.type, ty.DoubleType):
        return None
    if value.value is None or not isfinite(value.value) or value.value != trunc(value.value):
        return None
    return (
        widened(ex.Literal(int(value.value), ty.LONG), type_)
        if abs(value.value) < 1 << 53
        else None
    )


def _with_changed(
    reader: RelationReader, frame: Frame, plan: Plan, changed: dict[int, ex.Expr]
) -> Frame:
    names = [c.name for c in plan.columns]
    columns = [ex.Named(n, changed.get(i, plan.column(i))) for i, n in enumerate(names)]
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
        ones = [coercion.case([(p, ex.Literal(1, ty.INT))], ex.Literal(0, ty.INT)) for p in present]
        total = reduce(lambda a, b: coercion.call("+", a, b), ones)
        condition = coercion.compare(">=", total, ex.Literal(least, ty.INT))
    return reader.frame(reader.filter(plan, condition), frame)


def _present(column: ex.Expr) -> ex.Expr:
    is_there = ex.Not(ex.IsNull(column))
    if isinstance(column.type, ty.DoubleType | ty.FloatType):
        return coercion.conjunction([is_there, ex.Not(ex.Call("isnan", (column,), ty.BOOLEAN))])
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
        raise UnsupportedError("replace of two numbers that are the same as doubles")
    changed = {
        place: _replaced(plan.column(place), meant)
        for place in _places(plan, list(node.cols))
        if _kind(plan.schema.types[place]) == kind
    }
    return _with_changed(reader, frame, plan, changed)


def _kind(type_: ty.DataType) -> type[ty.DataType] | None:
    """Which values a value may be replaced by; None if by none."""
    return next(
        (k for k in (ty.NumericType, ty.StringType, ty.BooleanType) if isinstance(type_, k)), None
    )


def _constant(value: ex.Literal) -> ex.Literal:
    """A value of a replacement; any number is a double."""
    if value.value is None or not isinstance(value.type, ty.NumericType):
        return value
    return ex.Literal(float(value.value), ty.DOUBLE)


def _replaced(column: ex.Expr, pairs: Sequence[tuple[ex.Literal, ex.Literal]]) -> ex.Expr:
    branches = tuple(
        (
            coercion.compare("=", column, old) if _is_possible(old.value, column.type) else FALSE,
            coercion.cast(new, column.type),
        )
        for old, new in pairs
    )
    return ex.Case(branches, column)


def _is_possible(value: Any, type_: ty.DataType) -> bool:
    """Whether a value of a type may be equal to this one as a double: NaN is no integer."""
    match type_:
        case ty.IntegralType():
            return isfinite(value) and bool(value == trunc(value))
        case ty.DecimalType():
            return isfinite(value)
        case ty.FloatType():
            return bool(value != value or to_float32(value) == value)
        case _:
            return True


RELATIONS: dict[str, Callable[[RelationReader, Any], Frame]] = {
    "fill_na": fill,
    "drop_na": drop,
    "replace": replace_values,
}
