"""Functions of Spark that are read but not understood: equal arguments give equal values.

They have a type and nothing else: no witness is looked for where one occurs.
"""

from __future__ import annotations

from veer.functions.registry import opaque
from veer.model.types import BINARY, DOUBLE, INT, LONG, STRING, TIMESTAMP, ArrayType, DataType


def _all(type_: DataType, names: str) -> None:
    for name in names.split():
        opaque(name, type_)


_all(INT, "hash levenshtein regexp_count bit_count")
_all(LONG, "xxhash64 crc32")
_all(STRING, "to_json get_json_object parse_url soundex format_number to_char")
_all(STRING, "base64 url_encode url_decode regexp_substr bin conv char overlay")
_all(BINARY, "unbase64 unhex")
_all(DOUBLE, "cbrt sin cos tan asin acos atan atan2 sinh cosh tanh expm1 log1p log")
_all(DOUBLE, "degrees radians hypot")
_all(TIMESTAMP, "from_utc_timestamp to_utc_timestamp")
_all(ArrayType(STRING), "regexp_extract_all")
opaque("format_string", STRING, shows_addresses=True)
