"""Functions of Spark that are read but not understood: equal arguments give equal values.

They have a type and nothing else: no witness is looked for where one occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from veer.functions.registry import opaque
from veer.model.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    IntegralType,
    MapType,
    NullType,
    NumericType,
    StructType,
    TimestampNtzType,
    TimestampType,
    has_floats,
)

MOMENTS = {DateType, TimestampType, TimestampNtzType}  # are widened to one another
Rule = Callable[[Sequence[DataType]], DataType | None]


def _all(type_: DataType | Rule, names: str) -> None:
    for name in names.split():
        opaque(name, type_)


def _first(types: Sequence[DataType]) -> DataType | None:
    """The type of the first argument, which other collections share."""
    collections = [t for t in types if isinstance(t, ArrayType | MapType)]
    return types[0] if all(t == types[0] for t in collections) else None


def _two_for_text(types: Sequence[DataType]) -> DataType | None:
    """With more than two arguments DECODE is a kind of CASE."""
    return STRING if len(types) == 2 else None


def _same_array(types: Sequence[DataType]) -> DataType | None:
    """An array beside an item of its own."""
    match types:
        case [ArrayType(element) as array, item] if element == item:
            return array
        case _:
            return None


def _array_of_first(types: Sequence[DataType]) -> DataType | None:
    return ArrayType(types[0])


def _item(types: Sequence[DataType]) -> DataType | None:
    match types:
        case [ArrayType(element), IntegralType()]:
            return element
        case [MapType(key, value), given] if key == given:
            return value
        case _:
            return None


def _entries(types: Sequence[DataType]) -> DataType | None:
    match types:
        case [MapType(key, value)]:
            return ArrayType(StructType((("key", key), ("value", value))))
        case _:
            return None


def _map_of_arrays(types: Sequence[DataType]) -> DataType | None:
    match types:
        case [ArrayType(keys), ArrayType(values)]:
            return MapType(keys, values)
        case _:
            return None


def _map_of_entries(types: Sequence[DataType]) -> DataType | None:
    match types:
        case [ArrayType(StructType(((_, key), (_, value))))]:
            return MapType(key, value)
        case _:
            return None


def _count_of_values(types: Sequence[DataType]) -> DataType | None:
    """The sketch of a set sees its values alone, in any order; zeros and NaN are told apart."""
    match types:
        case [ArrayType(element), DoubleType()] if not has_floats(element):
            return LONG
        case _:
            return None


def _number(types: Sequence[DataType]) -> DataType | None:
    return types[0] if types[0] in (INT, LONG) else None


def _options(types: Sequence[DataType]) -> bool:
    """Whether there are no options, or a map of texts."""
    return list(types) in ([], [MapType(STRING, STRING)])


def _json(types: Sequence[DataType]) -> DataType | None:
    is_nested = types[0] == NULL or isinstance(types[0], ArrayType | MapType | StructType)
    return STRING if is_nested and _options(types[1:]) else None


def _csv(types: Sequence[DataType]) -> DataType | None:
    return STRING if isinstance(types[0], StructType) and _options(types[1:]) else None


def _bits(types: Sequence[DataType]) -> DataType | None:
    match types:
        case [IntegralType()] | [BooleanType()] | [NullType()]:
            return INT
        case _:
            return None


def _length_of_json(types: Sequence[DataType]) -> DataType | None:
    return INT if list(types) in ([STRING], [NULL]) else None


def _masked(types: Sequence[DataType]) -> DataType | None:
    return STRING if len(types) <= 5 and {*types} <= {STRING, NULL} else None


def _key_sought(types: Sequence[DataType]) -> DataType | None:
    """Numbers are widened, and dates; no other type becomes that of the keys."""
    match types:
        case [MapType(key), given] if key == given:
            return BOOLEAN
        case [MapType(NumericType()), NumericType()]:
            return BOOLEAN
        case [MapType(key), given] if {*map(type, (key, given))} <= MOMENTS:
            return BOOLEAN
        case _:
            return None


def _sorted(types: Sequence[DataType]) -> DataType | None:
    """Another argument stands for a comparison, which gives a number."""
    is_array = isinstance(types[0], ArrayType) and list(types[1:]) in ([], [INT])
    return types[0] if is_array else None


_all(INT, "hash levenshtein regexp_count")
_all(_bits, "bit_count")
_all(_json, "to_json")
_all(_csv, "to_csv")
_all(_length_of_json, "json_array_length")
_all(_masked, "mask")
_all(_key_sought, "map_contains_key")
_all(_sorted, "array_sort")
_all(LONG, "xxhash64 crc32")
_all(STRING, "get_json_object parse_url soundex format_number to_char")
_all(STRING, "base64 url_encode url_decode regexp_substr bin conv char overlay")
_all(BINARY, "unbase64 unhex")
_all(DOUBLE, "cbrt sin cos tan asin acos atan atan2 sinh cosh tanh expm1 log1p log")
_all(DOUBLE, "degrees radians hypot")
_all(TIMESTAMP, "from_utc_timestamp to_utc_timestamp")
_all(ArrayType(STRING), "regexp_extract_all")
opaque("format_string", STRING, shows_addresses=True)
_all(STRING, "quote monthname dayname")
_all(_two_for_text, "decode")
_all(BINARY, "encode")
_all(INT, "bit_length find_in_set unix_date")
_all(LONG, "array_position factorial unix_seconds unix_millis unix_micros")
_all(DATE, "date_from_unix_date")
_all(TIMESTAMP, "timestamp_millis timestamp_micros try_to_timestamp")
_all(DOUBLE, "rint cot sec csc asinh acosh atanh")
_all(BOOLEAN, "arrays_overlap luhn_check")
_all(_first, "array_compact array_union array_intersect array_except map_concat")
_all(_same_array, "array_append array_prepend array_remove")
_all(_array_of_first, "array_repeat")
_all(_item, "get try_element_at")
_all(_entries, "map_entries")
_all(_map_of_arrays, "map_from_arrays")
_all(_map_of_entries, "map_from_entries")
# Of the values of a group, sorted and each once, and of the deviation that is allowed.
_all(_count_of_values, "set.approx_count_distinct")
_all(_number, "shiftleft shiftright shiftrightunsigned bitwise_not")
