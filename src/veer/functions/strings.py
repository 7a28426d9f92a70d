"""Text: Spark's string functions over Python strings (code points, binary collation)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
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
from veer.model.types import BINARY, BOOLEAN, INT, STRING, ArrayType, DataType

# -- parts -----------------------------------------------------------------------------------


def substring(text: str | bytes, position: int, length: int = 2**31 - 1) -> str | bytes:
    """SQL's substring: one-based, negative positions count from the end."""
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
    if part == 0:
        raise Failure("INVALID_INDEX_OF_ZERO")
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
    return re.sub(r"(^| )([^ ])", lambda m: m[1] + m[2].title(), text.lower())


scalar(
    "initcap",
    signature(STRING, STRING),
    _initcap,
    PURE,
    STRICT,
    TOTAL,
    spark=("InitCap",),
    texts=TextUse.CAPITALS,
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
    if length > LONGEST:
        raise UnsupportedError(f"a text of {length} characters is not interpreted")
    return max(length, 0)


def _padding(missing: int, pad: str) -> str:
    return (pad * (missing // len(pad) + 1))[:missing] if pad and missing > 0 else ""


def _lpad(text: str, length: int, pad: str = " ") -> str:
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
)
scalar(
    "space",
    signature(STRING, INT),
    lambda n: " " * _bounded(n),
    PURE,
    STRICT,
    TOTAL,
    spark=("StringSpace",),
)


def _translate(text: str, source: str, target: str) -> str:
    table: dict[str, str] = {}
    for index, char in enumerate(source):
        table.setdefault(char, target[index] if index < len(target) else "")
    return "".join(table.get(c, c) for c in text)


scalar(
    "translate",
    signature(STRING, STRING, STRING, STRING),
    _translate,
    PURE,
    STRICT,
    TOTAL,
    spark=("StringTranslate",),
    texts=TextUse.CHANGE,
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
)
scalar(
    "ascii",
    signature(INT, STRING),
    lambda s: ord(s[0]) if s else 0,
    PURE,
    STRICT,
    TOTAL,
    spark=("Ascii",),
)

# -- concatenation ---------------------------------------------------------------------------


def _concat_rule(args: Sequence[Argument]) -> Resolved:
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
    if separator is None:
        return None
    flat: list[str] = []
    for part in parts:
        if isinstance(part, tuple):
            flat.extend(p for p in part if p is not None)
        elif part is not None:
            flat.append(part)
    return separator.join(flat)


def _concat_ws_rule(args: Sequence[Argument]) -> Resolved:
    if len(args) == 1:
        return signature(STRING, STRING)(args)
    return signature(STRING, STRING, (STRING, ArrayType(STRING)), variadic=True)(args)


scalar("concat_ws", _concat_ws_rule, _concat_ws, PURE, Nulls.CUSTOM, TOTAL, spark=("ConcatWs",))

# -- searching -------------------------------------------------------------------------------


def _pair_rule(args: Sequence[Argument]) -> Resolved:
    """Two texts, or two byte strings."""
    if len(args) == 2 and all(a.type == BINARY for a in args):
        return Resolved((BINARY, BINARY), BOOLEAN)
    return signature(BOOLEAN, STRING, STRING)(args)


scalar(
    "contains",
    _pair_rule,
    lambda s, t: t in s,
    PURE,
    STRICT,
    TOTAL,
    spark=("Contains",),
    texts=TextUse.PART,
)
scalar(
    "startswith",
    _pair_rule,
    lambda s, t: s.startswith(t),
    PURE,
    STRICT,
    TOTAL,
    spark=("StartsWith",),
    texts=TextUse.PART,
)
scalar(
    "endswith",
    _pair_rule,
    lambda s, t: s.endswith(t),
    PURE,
    STRICT,
    TOTAL,
    spark=("EndsWith",),
    texts=TextUse.PART,
)
scalar(
    "instr",
    signature(INT, STRING, STRING),
    lambda s, t: s.find(t) + 1,
    PURE,
    STRICT,
    TOTAL,
    spark=("StringInstr",),
    texts=TextUse.PLACE,
)


def _locate(part: str | None, text: str | None, start: int | None = 1) -> int | None:
    if start is None:
        return 0
    if part is None or text is None:
        return None
    if start < 1 or not part:
        return 0 if start < 1 else 1
    return text.find(part, start - 1) + 1


scalar(
    "locate",
    signature(INT, STRING, STRING, INT, optional=1),
    _locate,
    PURE,
    Nulls.CUSTOM,
    TOTAL,
    aliases=("position",),
    spark=("StringLocate",),
    shown=Shown(2, ("1",), plainly=("position",)),
    texts=TextUse.PLACE,
)


@lru_cache(maxsize=512)
def like_pattern(pattern: str, escape: str) -> re.Pattern[str]:
    """A LIKE pattern as a regular expression: % any text, _ any character."""
    out: list[str] = []
    chars = iter(pattern)
    for char in chars:
        if char == escape:
            following = next(chars, None)
            if following is None or following not in ("%", "_", escape):
                raise Failure("INVALID_FORMAT")
            out.append(re.escape(following))
        else:
            out.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
    return re.compile("".join(out), re.DOTALL)


def _like(text: str, pattern: str, escape: str = "\\") -> bool:
    return like_pattern(pattern, escape).fullmatch(text) is not None


def _ilike(text: str, pattern: str, escape: str = "\\") -> bool:
    return like_pattern(pattern.lower(), escape.lower()).fullmatch(text.lower()) is not None


scalar(
    "like",
    signature(BOOLEAN, STRING, STRING, STRING, optional=1),
    _like,
    PURE,
    STRICT,
    PARTIAL,
    spark=("Like",),
    texts=TextUse.LIKE,
)
scalar(
    "ilike",
    signature(BOOLEAN, STRING, STRING, STRING, optional=1),
    _ilike,
    PURE,
    STRICT,
    PARTIAL,
    spark=("ILike",),
    texts=TextUse.LIKE_ANY_CASE,
)

# -- regular expressions ---------------------------------------------------------------------

_ONLY_JAVA = re.compile(r"\\[pPQEGhHRXkz]|&&|\(\?<[A-Za-z]|[*+?}]\+|\(\?[a-zA-Z]*[du]")


@lru_cache(maxsize=512)
def java_regex(pattern: str) -> re.Pattern[str]:
    """A Java regular expression, refused where Python's would mean something else."""
    if _ONLY_JAVA.search(pattern) or re.search(r"\[[^\]]*\[", pattern):
        raise UnsupportedError(f"regular expression {pattern!r} is not modelled")
    try:
        return re.compile(pattern, re.ASCII)
    except re.error:
        raise Failure("INVALID_PARAMETER_VALUE.PATTERN") from None


def regex_for(pattern: str, text: str) -> re.Pattern[str]:
    """The pattern, refused for texts in which Java sees line ends that Python does not."""
    if re.search("[\r\x85\u2028\u2029]", text) and re.search(r"[.$^]", pattern):
        raise UnsupportedError("a regular expression over text with unusual line ends")
    return java_regex(pattern)


def _java_replacement(replacement: str, match: re.Match[str]) -> str:
    out: list[str] = []
    at = 0
    while at < len(replacement):
        char = replacement[at]
        if char == "\\":
            if at + 1 == len(replacement):
                raise Failure("INVALID_REGEXP_REPLACE")
            out.append(replacement[at + 1])
            at += 2
        elif char == "$":
            digits = re.match("[0-9]", replacement[at + 1 :])
            if digits is None:
                raise Failure("INVALID_REGEXP_REPLACE")
            group, length = int(digits[0]), 1
            while (more := replacement[at + 1 + length : at + 2 + length]) in tuple("0123456789"):
                if group * 10 + int(more) > (match.re.groups or 0):
                    break
                group, length = group * 10 + int(more), length + 1
            if group > match.re.groups:
                raise Failure("INVALID_REGEXP_REPLACE")
            out.append(match[group] or "")
            at += 1 + length
        else:
            out.append(char)
            at += 1
    return "".join(out)


def _require_whole_characters(pattern: re.Pattern[str], text: str) -> None:
    """Java finds empty matches inside characters beyond 16 bits; Python does not."""
    if any(c > "\uffff" for c in text) and any(m[0] == "" for m in pattern.finditer(text)):
        raise UnsupportedError("empty matches in text beyond 16-bit characters")


def _regexp_replace(text: str, pattern: str, replacement: str, position: int = 1) -> str:
    compiled = regex_for(pattern, text)
    if position < 1:
        raise Failure("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE")
    if position - 1 > len(text):
        return text
    head, tail = text[: position - 1], text[position - 1 :]
    _require_whole_characters(compiled, tail)
    return head + compiled.sub(lambda m: _java_replacement(replacement, m), tail)


def _regexp_extract(text: str, pattern: str, group: int = 1) -> str:
    compiled = regex_for(pattern, text)
    match = compiled.search(text)
    if match is None:
        return ""
    if not 0 <= group <= compiled.groups:
        raise Failure("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX")
    return match[group] or ""


def _split(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    compiled = regex_for(pattern, text)
    if pattern == "":
        # Java: every character on its own, the last piece up to the limit.
        pieces = (
            list(text)
            if limit <= 0 or limit >= len(text)
            else [*text[: limit - 1], text[limit - 1 :]]
        )
        return tuple(pieces) if text else ("",)
    _require_whole_characters(compiled, text)
    out: list[str] = []
    at = 0
    for match in compiled.finditer(text):
        if 0 < limit <= len(out) + 1:
            break
        if match.end() == 0:  # Java drops an empty match at the beginning
            continue
        out.append(text[at : match.start()])
        at = match.end()
    return (*out, text[at:])


scalar(
    "rlike",
    signature(BOOLEAN, STRING, STRING),
    lambda s, p: regex_for(p, s).search(s) is not None,
    PURE,
    STRICT,
    PARTIAL,
    aliases=(
        "regexp",
        "regexp_like",
    ),
    spark=("RLike",),
    shown=Shown(capitals=("regexp",)),
    texts=TextUse.REGEX,
)
scalar(
    "regexp_replace",
    signature(STRING, STRING, STRING, STRING, INT, optional=1),
    _regexp_replace,
    PURE,
    STRICT,
    PARTIAL,
    spark=("RegExpReplace",),
    shown=Shown(3, ("1",)),
    texts=TextUse.CHANGE,
)
scalar(
    "regexp_extract",
    signature(STRING, STRING, STRING, INT, optional=1),
    _regexp_extract,
    PURE,
    STRICT,
    PARTIAL,
    spark=("RegExpExtract",),
    shown=Shown(2, ("1",)),
    texts=TextUse.CHANGE,
)
scalar(
    "split",
    signature(ArrayType(STRING), STRING, STRING, INT, optional=1),
    _split,
    PURE,
    STRICT,
    PARTIAL,
    spark=("StringSplit",),
    shown=Shown(2, ("-1",)),
    texts=TextUse.CHANGE,
)

# -- hashes ----------------------------------------------------------------------------------

scalar(
    "md5",
    signature(STRING, BINARY),
    lambda b: hashlib.md5(b, usedforsecurity=False).hexdigest(),
    PURE,
    STRICT,
    TOTAL,
    spark=("Md5",),
)
scalar(
    "sha1",
    signature(STRING, BINARY),
    lambda b: hashlib.sha1(b, usedforsecurity=False).hexdigest(),
    PURE,
    STRICT,
    TOTAL,
    aliases=("sha",),
    spark=("Sha1",),
)


def _sha2(data: bytes, bits: int) -> str | None:
    return (
        hashlib.new(f"sha{bits or 256}", data).hexdigest()
        if bits in (0, 224, 256, 384, 512)
        else None
    )


scalar("sha2", signature(STRING, BINARY, INT), _sha2, PURE, Nulls.PROPAGATE, TOTAL, spark=("Sha2",))


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
