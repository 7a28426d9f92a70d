"""Arrays, maps and structs: tuples, tuples of pairs, tuples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.arithmetic import wrap
from veer.functions.moments import add_months
from veer.functions.ordering import group_key, sort_key, unsigned_zero
from veer.functions.registry import (
    ANY_ZERO,
    KEEPS_VALUES,
    NOT_NULLABLE,
    NULLABLE,
    NULLABLE_IF_ANY,
    PARTIAL,
    PROPAGATE,
    PURE,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Failure,
    Nulls,
    Resolved,
    Rule,
    scalar,
)
from veer.functions.traits import Indexed, Older, Shown, WithoutAnsi, ZoneUse
from veer.functions.typing import cast_to, common_type, require_count, signature, wider_type
from veer.ir import types as ty
from veer.settings import SPARK_4_0

FLOATS = (ty.FloatType, ty.DoubleType)
READING = PURE, STRICT, TOTAL, NULLABLE_IF_ANY, ANY_ZERO, ZoneUse.SAME
MAKING = PURE, Nulls.NEVER, TOTAL, NOT_NULLABLE, ANY_ZERO, KEEPS_VALUES, ZoneUse.SAME
TAKING = PURE, PROPAGATE, PARTIAL, TYPED, ANY_ZERO, WithoutAnsi.NULL, ZoneUse.SAME
LONGEST_SEQUENCE = 1_000  # items that are computed


def _array_rule(args: Sequence[Argument]) -> Resolved:
    element = common_type(args) if args else ty.NULL
    return Resolved((element,) * len(args), ty.ArrayType(element))


scalar("array", "CreateArray", _array_rule, lambda *items: items)(MAKING)


def _struct_rule(args: Sequence[Argument]) -> Resolved:
    """`named_struct(name, value, ...)` with constant names."""
    if len(args) % 2 or not args:
        raise IllFormedError("expected pairs of a name and a value")
    names = [a.value for a in args[::2]]
    if not all(a.is_literal and isinstance(a.value, str) for a in args[::2]):
        raise IllFormedError("field names must be constant strings")
    types = [a.type for a in args[1::2]]
    return Resolved(
        tuple(a.type for a in args), ty.StructType(tuple(zip(names, types, strict=True)))
    )


scalar("named_struct", "CreateNamedStruct", _struct_rule, lambda *parts: parts[1::2])(MAKING)


def _map_rule(args: Sequence[Argument]) -> Resolved:
    """`map(key, value, ...)`; keys must have an order, so no map is a key."""
    if len(args) % 2:
        raise IllFormedError("expected pairs of a key and a value")
    key = common_type(args[::2]) if args else ty.NULL
    value = common_type(args[1::2]) if args else ty.NULL
    if not ty.is_orderable(key):
        raise IllFormedError(f"{key} cannot be a map key")
    return Resolved((key, value) * (len(args) // 2), ty.MapType(key, value))


def _map(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
    assert isinstance(result, ty.MapType)
    name, clean = group_key(result.key), unsigned_zero(result.key)

    def of_pairs(*parts: Any) -> tuple[tuple[Any, Any], ...]:
        keys = parts[::2]
        if None in keys:
            raise Failure("NULL_MAP_KEY")
        if len(set(map(name, keys))) < len(keys):
            raise Failure("DUPLICATED_MAP_KEY")
        if any(repr(clean(key)) != repr(key) for key in keys):
            # Seen both: of constants it is lost, of columns it is not.
            raise UnsupportedError("whether a key of a map keeps the sign of its zero")
        return tuple(zip(keys, parts[1::2], strict=True))

    return of_pairs


def _keyed_by_floats(types: Sequence[ty.DataType]) -> bool:
    """Whether 0.0 and -0.0 may be keys: they were two."""
    return any(isinstance(t, (*FLOATS, ty.ArrayType, ty.MapType)) for t in types[::2])


scalar("map", "CreateMap", _map_rule, _map)(
    (PURE, Nulls.NEVER, PARTIAL, NOT_NULLABLE, TYPED, WithoutAnsi.SAME, ZoneUse.SAME),
    Older(SPARK_4_0, _keyed_by_floats),
)

scalar("size cardinality", "Size", signature(ty.INT, (ty.ArrayType, ty.MapType)), len)(
    READING, WithoutAnsi.OTHER
)
scalar("array_size", "ArraySize", signature(ty.INT, ty.ArrayType), len)(READING)


def _element(args: Sequence[Argument]) -> tuple[ty.ArrayType, ty.DataType]:
    """The array and a value of its element type, as in array_contains(array, value)."""
    if len(args) != 2 or not isinstance(args[0].type, ty.ArrayType):
        raise IllFormedError("expected an array and a value")
    if isinstance(args[1].type, ty.NullType):
        raise IllFormedError("argument 2 is an untyped NULL")
    common = wider_type(args[0].type.element, args[1].type, promote=False)
    if common is None or not ty.is_orderable(common):
        raise IllFormedError(f"{args[1].type} is not comparable with {args[0].type}")
    return ty.ArrayType(common), common


def _contains_rule(args: Sequence[Argument]) -> Resolved:
    return Resolved(_element(args), ty.BOOLEAN)


def _array_contains(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    key = group_key(types[1])

    def contains(items: tuple[Any, ...], value: Any) -> bool | None:
        wanted = key(value)
        # As OR over equalities: a null element may be the value.
        if any(x is not None and key(x) == wanted for x in items):
            return True
        return None if None in items else False

    return contains


scalar("array_contains", "ArrayContains", _contains_rule, _array_contains)(
    PURE, PROPAGATE, TOTAL, TYPED, ANY_ZERO, ZoneUse.SAME
)


def _access_rule(args: Sequence[Argument]) -> Resolved:
    """`element_at(array, index)` and `element_at(map, key)`."""
    if len(args) == 2 and isinstance(args[0].type, ty.ArrayType):
        if args[1].type not in (ty.INT, ty.SHORT, ty.BYTE):
            raise IllFormedError(f"argument 2 is {args[1].type}, expected int")
        return Resolved((args[0].type, ty.INT), args[0].type.element)
    if len(args) == 2 and isinstance(args[0].type, ty.MapType):
        key = wider_type(args[0].type.key, args[1].type, promote=False)
        if key is None or (
            ty.DecimalType in map(type, (args[0].type.key, args[1].type))
            and (args[0].type.key != args[1].type)
        ):
            raise IllFormedError(f"argument 2 is {args[1].type}, expected {args[0].type.key}")
        return Resolved((ty.MapType(key, args[0].type.value), key), args[0].type.value)
    raise IllFormedError("expected an array and an index or a map and a key")


def _lookup(pairs: tuple[tuple[Any, Any], ...], key: Any) -> Any:
    """The value of a key, null if there is none; 0.0 and -0.0 are one key, and so is NaN."""
    return next((v for k, v in pairs if k == key or (k != k and key != key)), None)


def _element_at(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    if isinstance(types[0], ty.MapType):
        return _lookup

    def at(items: tuple[Any, ...], index: int) -> Any:
        if index == 0:
            raise Failure("INVALID_INDEX_OF_ZERO")
        if abs(index) > len(items):
            raise Failure("INVALID_ARRAY_INDEX_IN_ELEMENT_AT")
        return items[index - 1 if index > 0 else index]

    return at


scalar("element_at", "ElementAt", _access_rule, _element_at)(TAKING)


def _item(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    """`array[i]`, zero-based, and `map[key]`."""
    if isinstance(types[0], ty.MapType):
        return _lookup

    def at(items: tuple[Any, ...], index: int) -> Any:
        index = wrap(index, ty.INT)  # Spark cuts a bigint to 32 bits here
        if not 0 <= index < len(items):
            raise Failure("INVALID_ARRAY_INDEX")
        return items[index]

    return at


def _item_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) == 2 and isinstance(args[0].type, ty.ArrayType):
        index = ty.INT if isinstance(args[1].type, ty.NullType) else args[1].type
        if not isinstance(index, ty.IntegralType):
            raise IllFormedError(f"argument 2 is {args[1].type}, expected an integer")
        return Resolved((args[0].type, index), args[0].type.element)
    if len(args) == 2 and isinstance(args[0].type, ty.MapType):
        return Resolved((args[0].type, cast_to(args[1], args[0].type.key, 2)), args[0].type.value)
    raise IllFormedError("expected an array and an index or a map and a key")


scalar("item", "GetArrayItem GetMapValue", _item_rule, _item)(TAKING, Indexed())


def _array_argument(args: Sequence[Argument]) -> ty.ArrayType:
    if not args or not isinstance(args[0].type, ty.ArrayType):
        raise IllFormedError("expected an array")
    return args[0].type


def _sort_rule(args: Sequence[Argument]) -> Resolved:
    array = _array_argument(args)
    if not ty.is_orderable(array):
        raise IllFormedError(f"{array} cannot be sorted")
    if len(args) > 1 and not args[1].is_literal:
        raise IllFormedError("whether to sort upwards must be a constant")
    return Resolved((array, *(cast_to(a, ty.BOOLEAN, 2) for a in args[1:])), array)


def _sort_array(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    assert isinstance(types[0], ty.ArrayType)
    key = sort_key(types[0].element)
    floats = types[0].element in (ty.FLOAT, ty.DOUBLE)

    def sort(items: tuple[Any, ...], ascending: bool = True) -> tuple[Any, ...]:
        if floats and None not in items and {"0.0", "-0.0"} <= set(map(repr, items)):
            # Where Spark knows an array free of nulls it sorts -0.0 before 0.0, else as equal.
            raise UnsupportedError("sorting an array with 0.0 and -0.0 is not interpreted")
        present = sorted((x for x in items if x is not None), key=key, reverse=not ascending)
        nulls = [None] * (len(items) - len(present))
        return tuple(nulls + present if ascending else present + nulls)

    return sort


scalar("sort_array", "SortArray", _sort_rule, _sort_array)(READING, TYPED, Shown(1, ("true",)))


def _distinct_rule(args: Sequence[Argument]) -> Resolved:
    """Elements are compared, which maps cannot be."""
    array = _array_argument(args)
    if not ty.is_orderable(array):
        raise IllFormedError(f"the elements of {array} cannot be compared")
    return Resolved((array,), array)


def _array_distinct(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    """In order of first appearance, null once, -0.0 as 0.0."""
    assert isinstance(types[0], ty.ArrayType)
    key, clean = group_key(types[0].element), unsigned_zero(types[0].element)
    return lambda items: tuple({key(x): clean(x) for x in items}.values())


def _holds_floats(types: Sequence[ty.DataType]) -> bool:
    return isinstance(types[0], ty.ArrayType) and isinstance(types[0].element, FLOATS)


def _array_distinct_before(
    types: Sequence[ty.DataType], _result: ty.DataType
) -> Callable[..., Any]:
    """In order of first appearance, null and NaN once, -0.0 beside 0.0."""
    assert isinstance(types[0], ty.ArrayType)
    key = group_key(types[0].element)

    def bits(value: float | None) -> Any:
        return key(value), value is not None and math.copysign(1.0, value) < 0 and value == 0

    return lambda items: tuple({bits(x): x for x in items}.values())


scalar("array_distinct", "ArrayDistinct", _distinct_rule, _array_distinct)(
    READING, TYPED, Older(SPARK_4_0, _holds_floats, _array_distinct_before)
)


def _join_rule(args: Sequence[Argument]) -> Resolved:
    if any(a.type not in (ty.STRING, ty.NULL) for a in args[1:]):
        raise IllFormedError("separator and replacement must be text")
    return signature(ty.STRING, ty.ArrayType(ty.STRING), ty.STRING, ty.STRING, optional=1)(args)


def _array_join(items: tuple[Any, ...], separator: str, null: str | None = None) -> str:
    """Nulls are left out unless there is a text to stand for them."""
    shown = (null if x is None else x for x in items)
    return separator.join(x for x in shown if x is not None)


scalar("array_join", "ArrayJoin", _join_rule, _array_join)(PURE, STRICT, TOTAL, NULLABLE_IF_ANY)


def _part_rule(part: Callable[[ty.MapType], ty.DataType]) -> Rule:
    """An array of the keys or values of a map."""

    def rule(args: Sequence[Argument]) -> Resolved:
        if len(args) != 1 or not isinstance(args[0].type, ty.MapType):
            raise IllFormedError("expected a map")
        return Resolved((args[0].type,), ty.ArrayType(part(args[0].type)))

    return rule


scalar("map_keys", "MapKeys", _part_rule(lambda m: m.key), lambda m: tuple(k for k, _ in m))(
    *READING
)
scalar("map_values", "MapValues", _part_rule(lambda m: m.value), lambda m: tuple(v for _, v in m))(
    *READING
)


def _extreme_rule(args: Sequence[Argument]) -> Resolved:
    array = _array_argument(args)
    if len(args) != 1 or not ty.is_orderable(array.element):
        raise IllFormedError("expected one array of comparable values")
    return Resolved((array,), array.element)


def _array_extreme(choose: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    def meaning(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
        assert isinstance(types[0], ty.ArrayType)
        key = sort_key(types[0].element)
        return lambda items: choose((x for x in items if x is not None), key=key, default=None)

    return meaning


scalar("array_max", "ArrayMax", _extreme_rule, _array_extreme(max))(
    PURE, PROPAGATE, TOTAL, NULLABLE, TYPED, ANY_ZERO, ZoneUse.SAME
)
scalar("array_min", "ArrayMin", _extreme_rule, _array_extreme(min))(
    PURE, PROPAGATE, TOTAL, NULLABLE, TYPED, ANY_ZERO, ZoneUse.SAME
)


def _slice_rule(args: Sequence[Argument]) -> Resolved:
    array = _array_argument(args)
    require_count(args, 3)
    return Resolved((array, cast_to(args[1], ty.INT, 2), cast_to(args[2], ty.INT, 3)), array)


def _slice(items: tuple[Any, ...], start: int, length: int) -> tuple[Any, ...]:
    """One-based, a negative start counts from the end; empty where the start is outside."""
    if start == 0:
        raise Failure("INVALID_PARAMETER_VALUE.START")
    if length < 0:
        raise Failure("INVALID_PARAMETER_VALUE.LENGTH")
    first = start - 1 if start > 0 else len(items) + start
    return items[first : first + length] if 0 <= first < len(items) else ()


scalar("slice", "Slice", _slice_rule, _slice)(
    PURE, STRICT, PARTIAL, NULLABLE_IF_ANY, ANY_ZERO, WithoutAnsi.SAME, ZoneUse.SAME
)


def _sequence_rule(args: Sequence[Argument]) -> Resolved:
    """From a number or a date to another of its type, by a step; dates by days, months or years."""
    require_count(args, 2, 3)
    types = tuple(a.type for a in args)
    if isinstance(types[0], ty.IntegralType) and len(set(types)) == 1:
        return Resolved(types, ty.ArrayType(types[0]))
    by_days = types[2:] in ((), (ty.DayTimeIntervalType("day", "day"),))
    by_months = len(types) == 3 and isinstance(types[2], ty.YearMonthIntervalType)
    if types[:2] == (ty.DATE, ty.DATE) and (by_days or by_months):
        return Resolved(types, ty.ArrayType(ty.DATE))
    raise UnsupportedError(f"sequence of {', '.join(map(str, types))}")


def _sequence(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    if types[0] != ty.DATE:
        return _numbers_between
    if len(types) == 3 and isinstance(types[2], ty.YearMonthIntervalType):
        return lambda first, last, step: _dates_between(first, last, step, add_months)
    return _days_between


def _numbers_between(first: int, last: int, step: int | None = None) -> tuple[int, ...]:
    """Both ends included; down where the last is less than the first and no step is given."""
    if step is None:
        step = 1 if first <= last else -1
    if step == 0 and first == last:
        return (first,)
    if step == 0 or ((step > 0) != (first <= last) and first != last):
        raise Failure("ILLEGAL_SEQUENCE_BOUNDARIES")
    numbers = range(first, last + (1 if step > 0 else -1), step)
    if len(numbers) > LONGEST_SEQUENCE:
        raise UnsupportedError("a very long sequence is not interpreted")
    return tuple(numbers)


def _days_between(first: date, last: date, step: timedelta | None = None) -> tuple[date, ...]:
    days = None if step is None else step.days
    if days == 0:
        raise Failure("a step of no days")
    shifts = _numbers_between(0, (last - first).days, days)
    return tuple(first + timedelta(days=shift) for shift in shifts)


def _dates_between(
    first: date, last: date, step: int, shifted: Callable[[date, int], date]
) -> tuple[date, ...]:
    """Each so many steps after the first, not after the one before: month ends come back."""
    if step == 0:
        raise Failure("a step of no months")
    if (step > 0) != (first <= last) and first != last:
        raise Failure("ILLEGAL_SEQUENCE_BOUNDARIES")
    dates = [first]
    while True:
        following = shifted(first, step * len(dates))
        if (following > last) if step > 0 else (following < last):
            return tuple(dates)
        dates.append(following)


scalar("sequence", "", _sequence_rule, _sequence)(
    PURE, STRICT, PARTIAL, NULLABLE_IF_ANY, TYPED, WithoutAnsi.SAME
)


def _sorted_rule(args: Sequence[Argument]) -> Resolved:
    array = _array_argument(args)
    if len(args) != 1 or not ty.is_orderable(array.element):
        raise UnsupportedError("array_sort by a comparison")
    return Resolved((array,), array)


def _array_sort(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    """Ascending, nulls last, unlike those of `sort_array`."""
    assert isinstance(types[0], ty.ArrayType)
    key = sort_key(types[0].element)

    def ordered(items: tuple[Any, ...]) -> tuple[Any, ...]:
        present = sorted((x for x in items if x is not None), key=key)
        return (*present, *(x for x in items if x is None))

    return ordered


scalar("array_sort", "", _sorted_rule, _array_sort)(
    PURE, STRICT, TOTAL, NULLABLE_IF_ANY, TYPED, ZoneUse.SAME
)


def _contained_key_rule(args: Sequence[Argument]) -> Resolved:
    match [a.type for a in args]:
        case [ty.MapType(key) as map_, given] if key == given and not ty.has_floats(key):
            return Resolved((map_, key), ty.BOOLEAN)
        case _:
            raise UnsupportedError("map_contains_key of these types")


scalar("map_contains_key", "", _contained_key_rule, lambda m, key: any(k == key for k, _ in m))(
    PURE, STRICT, TOTAL, NULLABLE, ZoneUse.SAME
)


def _flatten_rule(args: Sequence[Argument]) -> Resolved:
    match [a.type for a in args]:
        case [ty.ArrayType(ty.ArrayType() as inner) as outer]:
            return Resolved((outer,), inner)
        case _:
            raise IllFormedError("expected an array of arrays")


def _flatten(arrays: tuple[tuple[Any, ...] | None, ...]) -> tuple[Any, ...] | None:
    """The items of all arrays one after the other; null where one of the arrays is."""
    if any(items is None for items in arrays):
        return None
    return tuple(x for items in arrays if items is not None for x in items)


scalar("flatten", "Flatten", _flatten_rule, _flatten)(
    PURE, PROPAGATE, TOTAL, NULLABLE_IF_ANY, ANY_ZERO, KEEPS_VALUES
)
