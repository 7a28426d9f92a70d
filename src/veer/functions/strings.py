"""Text: Spark's string functions over Python strings (code points, binary collation).

Searching is in `text_search`, regular expressions are in `regular_expressions`. Java's strings are
UTF-16, but Spark's own are UTF-8 and count code points, as Python's do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.registry import (
    PARTIAL,
    PURE,
    STRICT,
    TOTAL,
    Argument,
    Failure,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import CalledBackwards, Folding, Shown, TextUse
from veer.functions.typing import common_type, first_type, signature
from veer.model.types import BINARY, INT, STRING, ArrayType, DataType, IntegralType

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


scalar(
    "substring",
    signature(first_type, (STRING, BINARY), INT, INT, optional=1),
    substring,
    PURE,
    STRICT,
    TOTAL,
    aliases=("substr",),
    spark=("Substring",),
    shown=Shown(2, ("2147483647",)),
    folding=Folding.SETTLED,
    texts=TextUse.CUT,
)
scalar(
    "left",
    signature(first_type, (STRING, BINARY), INT),
    lambda s, n: s[: max(n, 0)],
    PURE,
    STRICT,
    TOTAL,
    spark=("Left",),
    folding=Folding.SETTLED,
    texts=TextUse.CUT,
)
scalar(
    "right",
    signature(STRING, STRING, INT),
    lambda s, n: s[len(s) - n :] if 0 < n < len(s) else s if n > 0 else "",
    PURE,
    STRICT,
    TOTAL,
    spark=("Right",),
    folding=Folding.SETTLED,
    texts=TextUse.CUT,
)
scalar(
    "length",
    signature(INT, (STRING, BINARY)),
    len,
    PURE,
    STRICT,
    TOTAL,
    aliases=(
        "len",
        "char_length",
        "character_length",
    ),
    spark=("Length",),
    folding=Folding.SETTLED,
    texts=TextUse.LENGTH,
)


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


scalar(
    "split_part",
    signature(STRING, STRING, STRING, INT),
    _split_part,
    PURE,
    STRICT,
    PARTIAL,
    spark=("SplitPart",),
    folding=Folding.SETTLED,
)

# -- case, padding, trimming -----------------------------------------------------------------

scalar(
    "upper",
    signature(STRING, STRING),
    str.upper,
    PURE,
    STRICT,
    TOTAL,
    aliases=("ucase",),
    spark=("Upper",),
    folding=Folding.SETTLED,
    texts=TextUse.LETTER_CASE,
)
scalar(
    "lower",
    signature(STRING, STRING),
    str.lower,
    PURE,
    STRICT,
    TOTAL,
    aliases=("lcase",),
    spark=("Lower",),
    folding=Folding.SETTLED,
    texts=TextUse.LETTER_CASE,
)


def _initcap(text: str) -> str:
    """Words end at spaces alone: `a-b` becomes `A-b`. Their first letters are never lowered."""
    return " ".join(
        word[:1].title() + word.lower()[len(word[:1].lower()) :] for word in text.split(" ")
    )


scalar(
    "initcap",
    signature(STRING, STRING),
    _initcap,
    PURE,
    STRICT,
    TOTAL,
    spark=("InitCap",),
    texts=TextUse.CAPITALS,
    folding=Folding.SETTLED,
)
scalar(
    "trim",
    signature(STRING, STRING, STRING, optional=1),
    lambda s, c=" ": s.strip(c) if c else s,
    PURE,
    STRICT,
    TOTAL,
    sql=CalledBackwards("trim"),
    spark=("StringTrim",),
    folding=Folding.SETTLED,
    texts=TextUse.TRIM,
)
scalar(
    "ltrim",
    signature(STRING, STRING, STRING, optional=1),
    lambda s, c=" ": s.lstrip(c) if c else s,
    PURE,
    STRICT,
    TOTAL,
    sql=CalledBackwards("ltrim"),
    spark=("StringTrimLeft",),
    folding=Folding.SETTLED,
    texts=TextUse.TRIM,
)
scalar(
    "rtrim",
    signature(STRING, STRING, STRING, optional=1),
    lambda s, c=" ": s.rstrip(c) if c else s,
    PURE,
    STRICT,
    TOTAL,
    sql=CalledBackwards("rtrim"),
    spark=("StringTrimRight",),
    folding=Folding.SETTLED,
    texts=TextUse.TRIM,
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


scalar(
    "lpad",
    signature(STRING, STRING, INT, STRING, optional=1),
    _lpad,
    PURE,
    STRICT,
    TOTAL,
    spark=("StringLPad",),
    shown=Shown(2, (" ",)),
    texts=TextUse.CUT,
    folding=Folding.SETTLED,
)
scalar(
    "rpad",
    signature(STRING, STRING, INT, STRING, optional=1),
    _rpad,
    PURE,
    STRICT,
    TOTAL,
    spark=("StringRPad",),
    shown=Shown(2, (" ",)),
    texts=TextUse.CUT,
    folding=Folding.SETTLED,
)
scalar(
    "repeat",
    signature(STRING, STRING, INT),
    lambda s, n: s * (_bounded(n * len(s)) and n),
    PURE,
    STRICT,
    TOTAL,
    spark=("StringRepeat",),
    texts=TextUse.CUT,
    folding=Folding.SETTLED,
)
scalar(
    "space",
    signature(STRING, INT),
    lambda n: " " * _bounded(n),
    PURE,
    STRICT,
    TOTAL,
    spark=("StringSpace",),
    folding=Folding.SETTLED,
)


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
    signature(STRING, STRING, STRING, STRING),
    _translate,
    PURE,
    STRICT,
    TOTAL,
    spark=("StringTranslate",),
    texts=TextUse.CHANGE,
    folding=Folding.SETTLED,
)
scalar(
    "replace",
    signature(STRING, STRING, STRING, STRING, optional=1),
    lambda s, a, b="": s.replace(a, b) if a else s,
    PURE,
    STRICT,
    TOTAL,
    spark=("StringReplace",),
    texts=TextUse.CHANGE,
    folding=Folding.SETTLED,
)
scalar(
    "ascii",
    signature(INT, STRING),
    lambda s: ord(s[0]) if s else 0,
    PURE,
    STRICT,
    TOTAL,
    spark=("Ascii",),
    folding=Folding.SETTLED,
)

# -- concatenation ---------------------------------------------------------------------------


def _concat_rule(args: Sequence[Argument]) -> Resolved:
    """Arrays, or byte strings throughout, or texts: a byte string among texts becomes text."""
    if not args:
        return Resolved((), STRING)
    if any(isinstance(a.type, ArrayType) for a in args):
        common = common_type(args)
        return Resolved((common,) * len(args), common)
    if all(a.type == BINARY for a in args):
        return Resolved((BINARY,) * len(args), BINARY)
    return signature(STRING, STRING, variadic=True)(args)


def _concat(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
    if isinstance(result, ArrayType):
        return lambda *parts: tuple(x for part in parts for x in part)
    if result == BINARY:
        return lambda *parts: b"".join(parts)
    return lambda *parts: "".join(parts)


scalar(
    "concat",
    _concat_rule,
    _concat,
    PURE,
    STRICT,
    TOTAL,
    typed=True,
    spark=("Concat",),
    folding=Folding.SETTLED,
)


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
        return signature(STRING, STRING)(args)
    return signature(STRING, STRING, (STRING, ArrayType(STRING)), variadic=True)(args)


scalar(
    "concat_ws",
    _concat_ws_rule,
    _concat_ws,
    PURE,
    Nulls.CUSTOM,
    TOTAL,
    spark=("ConcatWs",),
    folding=Folding.SETTLED,
)

# -- order -------------------------------------------------------------------------------------


def _reverse_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) != 1:
        raise IllFormedError(f"{len(args)} arguments, expected 1")
    if isinstance(args[0].type, ArrayType):
        return Resolved((args[0].type,), args[0].type)
    return signature(first_type, (STRING, BINARY))(args)


scalar(
    "reverse",
    _reverse_rule,
    lambda v: v[::-1],
    PURE,
    STRICT,
    TOTAL,
    spark=("Reverse",),
    folding=Folding.SETTLED,
    texts=TextUse.CHANGE,
    ignores_zero_sign=True,
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


scalar(
    "substring_index",
    signature(STRING, STRING, STRING, INT),
    _substring_index,
    PURE,
    STRICT,
    TOTAL,
    spark=("SubstringIndex",),
    folding=Folding.SETTLED,
    texts=TextUse.PART,
)

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
        fitting = isinstance(arg.type, IntegralType) or (kind == "s" and arg.type == STRING)
        if not fitting or (flag and not width) or (flag == "0" and kind == "s"):
            raise UnsupportedError(f"this format of {arg.type}")
    return Resolved((STRING, *(a.type for a in args[1:])), STRING)


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


scalar(
    "format_string",
    _format_rule,
    _format,
    PURE,
    Nulls.NEVER,
    TOTAL,
    aliases=("printf",),
)
