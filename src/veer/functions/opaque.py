"""Functions of Spark that are read but not understood: equal arguments give equal values.

They have a type and nothing else: no witness is looked for where one occurs.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.functions.registry import NOT_NULLABLE, opaque
from veer.functions.traits import Claim
from veer.ir import types as ty
from veer.settings import SPARK_4_0, SPARK_4_1

MOMENTS = {ty.DateType, ty.TimestampType, ty.TimestampNtzType}  # are widened to one another
CAPITALS = Claim.IN_CAPITALS


def _first(types: Sequence[ty.DataType]) -> ty.DataType | None:
    """The type of the first argument, which other collections share."""
    collections = [t for t in types if isinstance(t, ty.ArrayType | ty.MapType)]
    return types[0] if all(t == types[0] for t in collections) else None


def _two_for_text(types: Sequence[ty.DataType]) -> ty.DataType | None:
    """With more than two arguments DECODE is a kind of CASE."""
    return ty.STRING if len(types) == 2 else None


def _same_array(types: Sequence[ty.DataType]) -> ty.DataType | None:
    """An array beside an item of its own."""
    match types:
        case [ty.ArrayType(element) as array, item] if element == item:
            return array
        case _:
            return None


def _array_of_first(types: Sequence[ty.DataType]) -> ty.DataType | None:
    return ty.ArrayType(types[0])


def _item(types: Sequence[ty.DataType]) -> ty.DataType | None:
    match types:
        case [ty.ArrayType(element), ty.IntegralType()]:
            return element
        case [ty.MapType(key, value), given] if key == given:
            return value
        case _:
            return None


def _entries(types: Sequence[ty.DataType]) -> ty.DataType | None:
    match types:
        case [ty.MapType(key, value)]:
            return ty.ArrayType(ty.StructType((("key", key), ("value", value))))
        case _:
            return None


def _map_of_arrays(types: Sequence[ty.DataType]) -> ty.DataType | None:
    match types:
        case [ty.ArrayType(keys), ty.ArrayType(values)]:
            return ty.MapType(keys, values)
        case _:
            return None


def _map_of_entries(types: Sequence[ty.DataType]) -> ty.DataType | None:
    match types:
        case [ty.ArrayType(ty.StructType(((_, key), (_, value))))]:
            return ty.MapType(key, value)
        case _:
            return None


def _count_of_values(types: Sequence[ty.DataType]) -> ty.DataType | None:
    """The sketch of a set sees its values alone, in any order; zeros and NaN are told apart."""
    match types:
        case [ty.ArrayType(element), ty.DoubleType()] if not ty.has_floats(element):
            return ty.LONG
        case _:
            return None


def _number(types: Sequence[ty.DataType]) -> ty.DataType | None:
    return types[0] if types[0] in (ty.INT, ty.LONG) else None


def _options(types: Sequence[ty.DataType]) -> bool:
    """Whether there are no options, or a map of texts."""
    return list(types) in ([], [ty.MapType(ty.STRING, ty.STRING)])


def _json(types: Sequence[ty.DataType]) -> ty.DataType | None:
    is_nested = types[0] == ty.NULL or isinstance(
        types[0], ty.ArrayType | ty.MapType | ty.StructType
    )
    return ty.STRING if is_nested and _options(types[1:]) else None


def _csv(types: Sequence[ty.DataType]) -> ty.DataType | None:
    return ty.STRING if isinstance(types[0], ty.StructType) and _options(types[1:]) else None


def _bits(types: Sequence[ty.DataType]) -> ty.DataType | None:
    match types:
        case [ty.IntegralType()] | [ty.BooleanType()] | [ty.NullType()]:
            return ty.INT
        case _:
            return None


def _length_of_json(types: Sequence[ty.DataType]) -> ty.DataType | None:
    return ty.INT if list(types) in ([ty.STRING], [ty.NULL]) else None


def _masked(types: Sequence[ty.DataType]) -> ty.DataType | None:
    return ty.STRING if len(types) <= 5 and {*types} <= {ty.STRING, ty.NULL} else None


def _key_sought(types: Sequence[ty.DataType]) -> ty.DataType | None:
    """Numbers are widened, and dates; no other type becomes that of the keys."""
    match types:
        case [ty.MapType(key), given] if key == given:
            return ty.BOOLEAN
        case [ty.MapType(ty.NumericType()), ty.NumericType()]:
            return ty.BOOLEAN
        case [ty.MapType(key), given] if {*map(type, (key, given))} <= MOMENTS:
            return ty.BOOLEAN
        case _:
            return None


def _sorted(types: Sequence[ty.DataType]) -> ty.DataType | None:
    """Another argument stands for a comparison, which gives a number."""
    is_array = isinstance(types[0], ty.ArrayType) and list(types[1:]) in ([], [ty.INT])
    return types[0] if is_array else None


opaque("levenshtein regexp_count bit_length find_in_set", ty.INT)
opaque("unix_date", ty.INT)
opaque("bit_count", _bits)
opaque("json_array_length", _length_of_json)
opaque("hash", ty.INT, NOT_NULLABLE)
opaque("xxhash64", ty.LONG, NOT_NULLABLE)
opaque("crc32 array_position factorial unix_seconds unix_millis unix_micros", ty.LONG)
opaque("to_json", _json)
opaque("to_csv", _csv)
opaque("mask", _masked)
opaque("map_contains_key", _key_sought)
opaque("array_sort", _sorted)
opaque("get_json_object parse_url soundex format_number to_char", ty.STRING)
opaque("base64 url_encode url_decode regexp_substr bin conv char overlay", ty.STRING)
opaque("monthname dayname", ty.STRING, SPARK_4_0)
opaque("quote", ty.STRING, SPARK_4_1)
opaque("format_string", ty.STRING, Claim.SHOWS_ADDRESSES)
opaque("decode", _two_for_text)
opaque("unbase64 unhex encode", ty.BINARY)
opaque(
    "cbrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh", ty.DOUBLE, CAPITALS
)
opaque("cot sec csc expm1 log1p log degrees radians hypot", ty.DOUBLE, CAPITALS)
opaque("rint", ty.DOUBLE)
opaque("date_from_unix_date", ty.DATE)
opaque("from_utc_timestamp to_utc_timestamp timestamp_millis timestamp_micros", ty.TIMESTAMP)
opaque("try_to_timestamp", ty.TIMESTAMP)
opaque("arrays_overlap luhn_check", ty.BOOLEAN)
opaque("regexp_extract_all", ty.ArrayType(ty.STRING))
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
