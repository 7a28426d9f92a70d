"""The types of columns in Alteryx, and the types of Spark with the same values."""

from __future__ import annotations

import re

from veer.ir import types as ty

WIDE_TEXT = frozenset({"WString", "V_WString"})
NARROW_TEXT = frozenset({"String", "V_String"})  # of characters of Latin-1
TEXT = WIDE_TEXT | NARROW_TEXT
INTEGERS = {  # with the least and the greatest value
    "Byte": (0, 255),
    "Int16": (-(1 << 15), (1 << 15) - 1),
    "Int32": (-(1 << 31), (1 << 31) - 1),
    "Int64": (-(1 << 63), (1 << 63) - 1),
}
_PLAIN: dict[str, ty.DataType] = {
    "Bool": ty.BOOLEAN,
    "Byte": ty.SHORT,  # from 0 to 255
    "Int16": ty.SHORT,
    "Int32": ty.INT,
    "Int64": ty.LONG,
    "Float": ty.FLOAT,
    "Double": ty.DOUBLE,
    "Date": ty.DATE,
    "DateTime": ty.TIMESTAMP_NTZ,
    **dict.fromkeys(TEXT, ty.STRING),
}


def spark_type(name: str, size: str = "") -> ty.DataType | None:
    """The type with the same values; none for times of day, shapes and blobs.

    The size of a FixedDecimal counts sign and point, so its values fit a decimal of as many digits.
    """
    if name == "FixedDecimal":
        digits = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", size)
        if digits is None or not 0 < int(digits[1]) <= 38 or int(digits[2]) > int(digits[1]):
            return None
        return ty.DecimalType(int(digits[1]), int(digits[2]))
    return _PLAIN.get(name)
