"""Functions of Spark that are read but not understood: equal arguments give equal values.

They have a type and nothing else: no witness is looked for where one occurs.
"""

from __future__ import annotations

from veer.model.types import (
    BINARY,
    DOUBLE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
)

_NAMES: tuple[tuple[DataType, str], ...] = (
    (INT, "hash levenshtein regexp_count bit_count"),
    (LONG, "xxhash64 crc32"),
    (STRING, "to_json get_json_object parse_url soundex format_number format_string to_char"),
    (STRING, "base64 url_encode url_decode regexp_substr bin conv char overlay"),
    (BINARY, "unbase64 unhex"),
    (DOUBLE, "cbrt sin cos tan asin acos atan atan2 sinh cosh tanh expm1 log1p log"),
    (DOUBLE, "degrees radians hypot"),
    (TIMESTAMP, "from_utc_timestamp to_utc_timestamp"),
    (ArrayType(STRING), "regexp_extract_all"),
)
OPAQUE: dict[str, DataType] = {name: type_ for type_, names in _NAMES for name in names.split()}
