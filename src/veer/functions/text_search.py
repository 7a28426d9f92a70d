"""Where a text holds another: parts, places, LIKE patterns, regular expressions.

Regular expressions are Java's, as far as Python's mean the same. A pattern or text for which that is
not certain is unsupported, never guessed: a wrong match would be a wrong witness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from veer.errors import UnsupportedError
from veer.functions.registry import (
    NULLABLE_IF_ANY,
    PARTIAL,
    PLAIN,
    PURE,
    SETTLED,
    STRICT,
    TOTAL,
    Argument,
    Failure,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import Domain, Older, Shown, SolverMeaning, TextUse, WithoutAnsi
from veer.functions.typing import signature
from veer.ir import types as ty
from veer.settings import SPARK_4_1


def _pair_rule(args: Sequence[Argument]) -> Resolved:
    """Two texts, or two byte strings."""
    if len(args) == 2 and all(a.type == ty.BINARY for a in args):
        return Resolved((ty.BINARY, ty.BINARY), ty.BOOLEAN)
    return signature(ty.BOOLEAN, ty.STRING, ty.STRING)(args)


scalar("contains", "Contains", _pair_rule, lambda s, t: t in s)(PLAIN, TextUse.PART)
scalar("startswith", "StartsWith", _pair_rule, lambda s, t: s.startswith(t))(
    PLAIN, TextUse.PART, SolverMeaning.PREFIX
)
scalar("endswith", "EndsWith", _pair_rule, lambda s, t: s.endswith(t))(PLAIN, TextUse.PART)
scalar("instr", "StringInstr", signature(ty.INT, ty.STRING, ty.STRING), lambda s, t: s.find(t) + 1)(
    PLAIN, TextUse.PLACE
)


def _locate(part: str | None, text: str | None, start: int | None = 1) -> int | None:
    """A null start gives 0 even for null texts; an empty part is at 1, wherever the search starts."""
    if start is None:
        return 0
    if part is None or text is None:
        return None
    if start < 1 or not part:
        return 0 if start < 1 else 1
    return text.find(part, start - 1) + 1


scalar(
    "locate position",
    "StringLocate",
    signature(ty.INT, ty.STRING, ty.STRING, ty.INT, optional=1),
    _locate,
)(PURE, Nulls.CUSTOM, TOTAL, SETTLED, Shown(2, ("1",), plainly=("position",)), TextUse.PLACE)


@lru_cache(maxsize=512)
def like_pattern(pattern: str, escape: str) -> re.Pattern[str]:
    """A LIKE pattern as a regular expression: % any text, _ any character, line ends included.

    Fails where the escape character stands before another one than %, _ and itself, or at the end.
    """
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
    """Both in lower case, as Spark has it, escape characters that are letters included."""
    return like_pattern(pattern.lower(), escape.lower()).fullmatch(text.lower()) is not None


scalar("like", "Like", signature(ty.BOOLEAN, ty.STRING, ty.STRING, ty.STRING, optional=1), _like)(
    PURE, STRICT, Domain.PATTERN, NULLABLE_IF_ANY, SETTLED, TextUse.LIKE, WithoutAnsi.SAME
)
scalar(
    "ilike", "ILike", signature(ty.BOOLEAN, ty.STRING, ty.STRING, ty.STRING, optional=1), _ilike
)(PURE, STRICT, Domain.PATTERN, NULLABLE_IF_ANY, SETTLED, TextUse.LIKE_ANY_CASE, WithoutAnsi.SAME)

# -- regular expressions -----------------------------------------------------------------------

# They fail where the pattern is wrong, in both modes.
REGEX = PURE, STRICT, PARTIAL, NULLABLE_IF_ANY, WithoutAnsi.SAME
# Classes such as \p, quoting, set operations, named groups, possessive quantifiers, flags.
_ONLY_JAVA = re.compile(r"\\[pPQEGhHRXkz]|&&|\(\?<[A-Za-z]|[*+?}]\+|\(\?[a-zA-Z]*[du]")


@lru_cache(maxsize=512)
def java_regex(pattern: str) -> re.Pattern[str]:
    """A Java regular expression, refused where Python's would mean something else.

    Java's classes of digits, words and spaces are ASCII. A bracket inside brackets is a union to Java, a character to
    Python. What Python cannot compile is taken to be wrong for Java as well: the run fails.
    """
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
    """What a match is replaced by: `$n` is a group, a backslash takes the next character as it is."""
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
            group, length = _group_reference(replacement[at + 1 :], match.re.groups)
            out.append(match[group] or "")
            at += 1 + length
        else:
            out.append(char)
            at += 1
    return "".join(out)


def _group_reference(text: str, groups: int) -> tuple[int, int]:
    """The group a text begins with the number of, and how many digits that takes.

    A further digit belongs to the number only if there is such a group, as in Java.
    """
    if not re.match("[0-9]", text):
        raise Failure("INVALID_REGEXP_REPLACE")
    group, length = int(text[0]), 1
    while re.match("[0-9]", text[length:]) and group * 10 + int(text[length]) <= groups:
        group, length = group * 10 + int(text[length]), length + 1
    if group > groups:
        raise Failure("INVALID_REGEXP_REPLACE")
    return group, length


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
    """Empty where nothing matches, and where the group takes no part in the match.

    A group that does not exist fails only where something matches.
    """
    compiled = regex_for(pattern, text)
    match = compiled.search(text)
    if match is None:
        return ""
    if not 0 <= group <= compiled.groups:
        raise Failure("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX")
    return match[group] or ""


def split_text(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """Empty pieces at the end are kept: for a limit of 0, which drops them, Spark hands Java -1."""
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


def _rlike(text: str, pattern: str) -> bool:
    return regex_for(pattern, text).search(text) is not None


scalar("rlike regexp regexp_like", "RLike", signature(ty.BOOLEAN, ty.STRING, ty.STRING), _rlike)(
    REGEX, Shown(capitals=("regexp", "regexp_like")), TextUse.REGEX
)
_REPLACE = signature(ty.STRING, ty.STRING, ty.STRING, ty.STRING, ty.INT, optional=1)


def _replace_rule(args: Sequence[Argument]) -> Resolved:
    """Texts, and a place to begin at that Spark wants to be a constant."""
    resolved = _REPLACE(args)
    if len(args) == 4 and not args[3].is_literal:
        raise UnsupportedError("regexp_replace from a place that is no constant")
    return resolved


scalar("regexp_replace", "RegExpReplace", _replace_rule, _regexp_replace)(
    REGEX, Shown(3, ("1",)), TextUse.CHANGE
)
EXTRACTED = signature(ty.STRING, ty.STRING, ty.STRING, ty.INT, optional=1)
scalar("regexp_extract", "RegExpExtract", EXTRACTED, _regexp_extract)(
    REGEX, Shown(2, ("1",)), TextUse.CHANGE
)


def _split_before(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """Of an empty pattern, what is beyond the limit is lost."""
    if pattern == "" and 0 < limit < len(text):
        return tuple(text[:limit])
    return split_text(text, pattern, limit)


SPLIT = signature(ty.ArrayType(ty.STRING), ty.STRING, ty.STRING, ty.INT, optional=1)
scalar("split", "StringSplit", SPLIT, split_text)(
    (*REGEX, Shown(2, ("-1",)), TextUse.CHANGE),
    Older(SPARK_4_1, lambda types: len(types) == 3, lambda *_: _split_before),
)
