"""Text, and hashes of bytes: Spark's string functions over Python strings (code points, binary collation).

Searching is in `text_search`. Java's strings are
UTF-16, but Spark's own are UTF-8 and count code points, as Python's do.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.registry import (
    ANY_ZERO,
    NOT_NULLABLE,
    NULLABLE,
    NULLABLE_IF_ANY,
    PARTIAL,
    PLAIN,
    PROPAGATE,
    PURE,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Failure,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import (
    CalledBackwards,
    Older,
    SchemaNulls,
    Shown,
    TextUse,
    WithoutAnsi,
    ZoneUse,
)
from veer.functions.typing import common_type, first_is, first_type, require_count, signature
from veer.ir import types as ty
from veer.settings import SPARK_4_0, SPARK_4_2

TEXT, TRIMMED = (
    signature(ty.STRING, ty.STRING),
    signature(ty.STRING, ty.STRING, ty.STRING, optional=1),
)
PADDED = signature(ty.STRING, ty.STRING, ty.INT, ty.STRING, optional=1)

# -- parts -----------------------------------------------------------------------------------


def substring(text: str | bytes, position: int, length: int = 2**31 - 1) -> str | bytes:
    """SQL's substring: one-based, negative positions count from the end.

    Position 0 means the first character too. A negative position before the beginning still
    uses up the length: substring('abc', -5, 3) is 'a'.
    """
    size = len(text)
    start = position - 1 if position > 0 else size + position if position < 0 else 0
    end = size if size - start < length else start + length
    return text[max(start, 0) : max(end, 0)]


def _substring_of_bytes(_types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    """All of them from the least position there is, however many are asked for."""

    def part(value: bytes, start: int, *length: int) -> Any:
        return value if start == -(1 << 31) else substring(value, start, *length)

    return part


PART = signature(first_type, (ty.STRING, ty.BINARY), ty.INT, ty.INT, optional=1)
scalar("substring substr", "Substring", PART, substring)(
    (*PLAIN, Shown(2, ("2147483647",)), TextUse.CUT),
    Older(SPARK_4_0, first_is(ty.BinaryType), _substring_of_bytes),
)
scalar(
    "left",
    "Left",
    signature(first_type, (ty.STRING, ty.BINARY), ty.INT),
    lambda s, n: s[: max(n, 0)],
)(PLAIN, TextUse.CUT)


def _right(text: str, count: int) -> str:
    return text[len(text) - count :] if 0 < count < len(text) else text if count > 0 else ""


scalar("right", "Right", signature(ty.STRING, ty.STRING, ty.INT), _right)(
    PURE, STRICT, TOTAL, NULLABLE, SETTLED, TextUse.CUT
)
scalar(
    "length len char_length character_length",
    "Length",
    signature(ty.INT, (ty.STRING, ty.BINARY)),
    len,
)(PLAIN, TextUse.LENGTH)


def _split_part(text: str, delimiter: str, part: int) -> str:
    """The delimiter is plain text; an empty one splits nothing, and no such part is empty text."""
    if part == 0:
        raise Failure("INVALID_INDEX_OF_ZERO")
    if part == -(1 << 31):
        raise UnsupportedError(
            "split_part with the least index there is: it fails before Spark 4.3"
        )
    parts = text.split(delimiter) if delimiter else [text]
    index = part - 1 if part > 0 else len(parts) + part
    return parts[index] if 0 <= index < len(parts) else ""


scalar("split_part", "SplitPart", signature(ty.STRING, ty.STRING, ty.STRING, ty.INT), _split_part)(
    PURE, STRICT, PARTIAL, NULLABLE, SETTLED, WithoutAnsi.SAME
)

# -- case, padding, trimming -----------------------------------------------------------------

scalar("upper ucase", "Upper", TEXT, str.upper)(PLAIN, TextUse.LETTER_CASE)
scalar("lower lcase", "Lower", TEXT, str.lower)(PLAIN, TextUse.LETTER_CASE)


def _initcap(text: str) -> str:
    """Words end at spaces alone: `a-b` becomes `A-b`. Their first letters are never lowered."""
    return " ".join(
        word[:1].title() + word.lower()[len(word[:1].lower()) :] for word in text.split(" ")
    )


def _initcap_before(text: str) -> str:
    """A letter has a capital only if that is one character, of those Java keeps in one."""

    def capital(letter: str) -> str:
        title = letter.title()
        return title if len(title) == 1 and ord(letter) < 1 << 16 else letter

    return re.sub(r"(^| )([^ ])", lambda m: m[1] + capital(m[2]), text.lower())


scalar("initcap", "InitCap", TEXT, _initcap)(
    PLAIN, TextUse.CAPITALS, Older(SPARK_4_0, lambda _: True, lambda *_: _initcap_before)
)
scalar("trim", "StringTrim", TRIMMED, lambda s, c=" ": s.strip(c) if c else s)(
    PLAIN, CalledBackwards("trim"), TextUse.TRIM
)
scalar("ltrim", "StringTrimLeft", TRIMMED, lambda s, c=" ": s.lstrip(c) if c else s)(
    PLAIN, CalledBackwards("ltrim"), TextUse.TRIM
)
scalar("rtrim", "StringTrimRight", TRIMMED, lambda s, c=" ": s.rstrip(c) if c else s)(
    PLAIN, CalledBackwards("rtrim"), TextUse.TRIM
)


LONGEST = 1_000_000  # characters; Spark goes on to its limit of memory


def _bounded(length: int) -> int:
    """A length that is worth computing: a longer text is not known, rather than wrong."""
    if length > LONGEST:
        raise UnsupportedError(f"a text of {length} characters is not interpreted")
    return max(length, 0)


def _padding(missing: int, pad: str) -> str:
    return (pad * (missing // len(pad) + 1))[:missing] if pad and missing > 0 else ""


def _lpad(text: str, length: int, pad: str = " ") -> str:
    """Longer texts are cut at their end, on this side too; an empty pad fills nothing."""
    length = max(length, 0) if not pad else _bounded(length)
    return _padding(length - len(text), pad) + text if length > len(text) else text[:length]


def _rpad(text: str, length: int, pad: str = " ") -> str:
    length = max(length, 0) if not pad else _bounded(length)
    return text + _padding(length - len(text), pad) if length > len(text) else text[:length]


scalar("lpad", "StringLPad", PADDED, _lpad)(PLAIN, Shown(2, (" ",)), TextUse.CUT)
scalar("rpad", "StringRPad", PADDED, _rpad)(PLAIN, Shown(2, (" ",)), TextUse.CUT)


def _repeat(text: str, times: int) -> str:
    return text * (_bounded(times * len(text)) and times)


scalar("repeat", "StringRepeat", signature(ty.STRING, ty.STRING, ty.INT), _repeat)(
    PLAIN, TextUse.CUT
)
scalar("space", "StringSpace", signature(ty.STRING, ty.INT), lambda n: " " * _bounded(n))(PLAIN)


def _translate(text: str, source: str, target: str) -> str:
    """Of a character that `source` lists twice the first place counts; without a partner it goes.

    So does one whose partner is U+0000: that is how Spark notes the others.
    """
    table: dict[str, str] = {}
    for index, char in enumerate(source):
        table.setdefault(char, target[index] if index < len(target) else "\0")
    return "".join(t for c in text if (t := table.get(c, c)) != "\0" or c not in table)


scalar(
    "translate",
    "StringTranslate",
    signature(ty.STRING, ty.STRING, ty.STRING, ty.STRING),
    _translate,
)(PLAIN, TextUse.CHANGE)
REPLACED = signature(ty.STRING, ty.STRING, ty.STRING, ty.STRING, optional=1)
scalar("replace", "StringReplace", REPLACED, lambda s, a, b="": s.replace(a, b) if a else s)(
    PLAIN, TextUse.CHANGE
)
scalar("ascii", "Ascii", signature(ty.INT, ty.STRING), lambda s: ord(s[0]) if s else 0)(PLAIN)

# -- concatenation ---------------------------------------------------------------------------


def _concat_rule(args: Sequence[Argument]) -> Resolved:
    """Arrays, or byte strings throughout, or texts: a byte string among texts becomes text."""
    if not args:
        return Resolved((), ty.STRING)
    if any(isinstance(a.type, ty.ArrayType) for a in args):
        common = common_type(args)
        return Resolved((common,) * len(args), common)
    if all(a.type == ty.BINARY for a in args):
        return Resolved((ty.BINARY,) * len(args), ty.BINARY)
    return signature(ty.STRING, ty.STRING, variadic=True)(args)


def _concat(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
    if isinstance(result, ty.ArrayType):
        return lambda *parts: tuple(x for part in parts for x in part)
    if result == ty.BINARY:
        return lambda *parts: b"".join(parts)
    return lambda *parts: "".join(parts)


scalar("concat", "Concat", _concat_rule, _concat)(PLAIN, TYPED, ZoneUse.SAME)


def _concat_ws(separator: str | None, *parts: Any) -> str | None:
    """Null parts are left out, those inside arrays too; only a null separator gives null."""
    if separator is None:
        return None
    texts: list[str] = []
    for part in parts:
        if isinstance(part, tuple):
            texts.extend(p for p in part if p is not None)
        elif part is not None:
            texts.append(part)
    return separator.join(texts)


def _concat_ws_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) == 1:
        return signature(ty.STRING, ty.STRING)(args)
    return signature(ty.STRING, ty.STRING, (ty.STRING, ty.ArrayType(ty.STRING)), variadic=True)(
        args
    )


scalar("concat_ws", "ConcatWs", _concat_ws_rule, _concat_ws)(
    PURE, Nulls.CUSTOM, TOTAL, SchemaNulls.FIRST, SETTLED
)

# -- order -------------------------------------------------------------------------------------


def _reverse_rule(args: Sequence[Argument]) -> Resolved:
    require_count(args, 1)
    if isinstance(args[0].type, ty.ArrayType):
        return Resolved((args[0].type,), args[0].type)
    return signature(first_type, (ty.STRING, ty.BINARY))(args)


scalar("reverse", "Reverse", _reverse_rule, lambda v: v[::-1])(
    PLAIN, TextUse.CHANGE, ANY_ZERO, ZoneUse.SAME, Older(SPARK_4_2, first_is(ty.BinaryType))
)


def _substring_index(text: str, delimiter: str, count: int) -> str:
    """What stands before the count-th delimiter, or after it counted from the end.

    Delimiters may overlap. All of the text where there are not so many.
    """
    if not delimiter or count == 0:
        return ""
    place = -1 if count > 0 else len(text) - len(delimiter) + 1
    for _ in range(abs(count)):
        if count > 0:
            place = text.find(delimiter, place + 1)
        else:
            place = text.rfind(delimiter, 0, place - 1 + len(delimiter)) if place > 0 else -1
        if place < 0:
            return text
    return text[:place] if count > 0 else text[place + len(delimiter) :]


INDEXED = signature(ty.STRING, ty.STRING, ty.STRING, ty.INT)
scalar("substring_index", "SubstringIndex", INDEXED, _substring_index)(PLAIN, TextUse.PART)

# -- formats ---------------------------------------------------------------------------------

_DIRECTIVE = re.compile(r"%(?:(%)|(-|0)?([1-9][0-9]?)?([sd]))")


def _format_rule(args: Sequence[Argument]) -> Resolved:
    """A constant format of %s, %d, widths and leading zeros; texts and whole numbers to show."""
    if not args or not args[0].is_literal or not isinstance(args[0].value, str):
        raise UnsupportedError("a format that is no constant")
    if "%" in _DIRECTIVE.sub("", args[0].value):
        raise UnsupportedError("this format")
    shown = [m for m in _DIRECTIVE.finditer(args[0].value) if not m[1]]
    if len(shown) != len(args) - 1:
        raise UnsupportedError("a format of another number of values")
    for directive, arg in zip(shown, args[1:], strict=True):
        _, flag, width, kind = directive.groups()
        fitting = isinstance(arg.type, ty.IntegralType) or (kind == "s" and arg.type == ty.STRING)
        if not fitting or (flag and not width) or (flag == "0" and kind == "s"):
            raise UnsupportedError(f"this format of {arg.type}")
    return Resolved((ty.STRING, *(a.type for a in args[1:])), ty.STRING)


def _format(format_: str, *values: Any) -> str:
    """Java's formatter: it shows what is null as such, and counts the units of UTF-16."""
    rest = iter(values)

    def shown(directive: re.Match[str]) -> str:
        percent, flag, width, _ = directive.groups()
        if percent:
            return "%"
        value = next(rest)
        if value is not None and flag == "0":
            return f"{value:0{width}d}"
        text = "null" if value is None else str(value)
        missing = " " * (int(width or 0) - len(text.encode("utf-16-le", "surrogatepass")) // 2)
        return text + missing if flag == "-" else missing + text

    return _DIRECTIVE.sub(shown, format_)


scalar("format_string printf", "", _format_rule, _format)(PURE, Nulls.NEVER, TOTAL, NOT_NULLABLE)

# -- hashes, in hexadecimal digits -------------------------------------------------------------

BYTES = signature(ty.STRING, ty.BINARY)


def _digested(algorithm: str) -> Callable[[bytes], str]:
    return lambda data: hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()


def _sha2(data: bytes, bits: int) -> str | None:
    """0 bits mean 256; a length that SHA-2 does not have gives null."""
    return _digested(f"sha{bits or 256}")(data) if bits in (0, 224, 256, 384, 512) else None


scalar("md5", "Md5", BYTES, _digested("md5"))(PURE, STRICT, TOTAL, NULLABLE_IF_ANY)
scalar("sha1 sha", "Sha1", BYTES, _digested("sha1"))(PURE, STRICT, TOTAL, NULLABLE_IF_ANY)
scalar("sha2", "Sha2", signature(ty.STRING, ty.BINARY, ty.INT), _sha2)(
    PURE, PROPAGATE, TOTAL, NULLABLE
)
