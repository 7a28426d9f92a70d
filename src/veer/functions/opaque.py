"""Functions of Spark that are read but not understood: equal arguments give equal values.

They have a type and nothing else: no witness is looked for where one occurs.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.functions.registry import NOT_NULLABLE, opaque
from veer.functions.traits import Claim
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
from veer.settings import SPARK_4_0, SPARK_4_1

MOMENTS = {DateType, TimestampType, TimestampNtzType}  # are widened to one another
CAPITALS = Claim.IN_CAPITALS


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


opaque("levenshtein regexp_count bit_length find_in_set", INT)
opaque("unix_date", INT)
opaque("bit_count", _bits)
opaque("json_array_length", _length_of_json)
opaque("hash", INT, NOT_NULLABLE)
opaque("xxhash64", LONG, NOT_NULLABLE)
opaque("crc32 array_position factorial unix_seconds unix_millis unix_micros", LONG)
opaque("to_json", _json)
opaque("to_csv", _csv)
opaque("mask", _masked)
opaque("map_contains_key", _key_sought)
opaque("array_sort", _sorted)
opaque("get_json_object parse_url soundex format_number to_char", STRING)
opaque("base64 url_encode url_decode regexp_substr bin conv char overlay", STRING)
opaque("monthname dayname", STRING, SPARK_4_0)
opaque("quote", STRING, SPARK_4_1)
opaque("format_string", STRING, Claim.SHOWS_ADDRESSES)
opaque("decode", _two_for_text)
opaque("unbase64 unhex encode", BINARY)
opaque("cbrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh", DOUBLE, CAPITALS)
opaque("cot sec csc expm1 log1p log degrees radians hypot", DOUBLE, CAPITALS)
opaque("rint", DOUBLE)
opaque("date_from_unix_date", DATE)
opaque("from_utc_timestamp to_utc_timestamp timestamp_millis timestamp_micros", TIMESTAMP)
opaque("try_to_timestamp", TIMESTAMP)
opaque("arrays_overlap luhn_check", BOOLEAN)
opaque("regexp_extract_all", ArrayType(STRING))
opaque("array_compact array_union array_intersect array_except map_concat", _first)
opaque("array_append array_prepend array_remove", _same_array)
opaque("array_repeat", _array_of_first)
opaque("get try_element_at", _item)
opaque("map_entries", _entries)
opaque("map_from_arrays", _map_of_arrays)
opaque("map_from_entries", _map_of_entries)
opaque("shiftleft shiftright shiftrightunsigned bitwise_not", _number)
# Of the values of a group, sorted and each once, and of the deviation that is allowed.
opaque("set.approx_count_distinct", _count_of_values, NOT_NULLABLE)
