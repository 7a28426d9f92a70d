"""The types of columns in Alteryx, and the types of Spark with the same values."""

from __future__ import annotations

import re

from veer.model.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)

WIDE_TEXT = frozenset({"WString", "V_WString"})
NARROW_TEXT = frozenset({"String", "V_String"})  # of characters of Latin-1
TEXT = WIDE_TEXT | NARROW_TEXT
INTEGERS = {  # with the least and the greatest value
    "Byte": (0, 255),
    "Int16": (-(1 << 15), (1 << 15) - 1),
    "Int32": (-(1 << 31), (1 << 31) - 1),
    "Int64": (-(1 << 63), (1 << 63) - 1),
}
_PLAIN: dict[str, DataType] = {
    "Bool": BOOLEAN,
    "Byte": SHORT,  # from 0 to 255
    "Int16": SHORT,
    "Int32": INT,
    "Int64": LONG,
    "Float": FLOAT,
    "Double": DOUBLE,
    "Date": DATE,
    "DateTime": TIMESTAMP_NTZ,
    **dict.fromkeys(TEXT, STRING),
}


def spark_type(name: str, size: str = "") -> DataType | None:
    """The type with the same values; none for times of day, shapes and blobs.

    The size of a FixedDecimal counts sign and point, so its values fit a decimal of as many digits.
    """
    if name == "FixedDecimal":
        digits = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", size)
        if digits is None or not 0 < int(digits[1]) <= 38 or int(digits[2]) > int(digits[1]):
            return None
        return DecimalType(int(digits[1]), int(digits[2]))
    return _PLAIN.get(name)
