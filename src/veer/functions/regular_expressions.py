"""Regular expressions: Java's, as far as Python's mean the same; the rest is refused.

A refused pattern or text is unsupported, never guessed: a wrong match would be a wrong witness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from veer.errors import UnsupportedError
from veer.functions.registry import PARTIAL, PURE, STRICT, Argument, Failure, Resolved, scalar
from veer.functions.traits import Shown, TextUse
from veer.functions.typing import signature
from veer.model.types import BOOLEAN, INT, STRING, ArrayType

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
_REPLACE = signature(STRING, STRING, STRING, STRING, INT, optional=1)


def _replace_rule(args: Sequence[Argument]) -> Resolved:
    """Texts, and a place to begin at that Spark wants to be a constant."""
    resolved = _REPLACE(args)
    if len(args) == 4 and not args[3].is_literal:
        raise UnsupportedError("regexp_replace from a place that is no constant")
    return resolved


scalar(
    "regexp_replace",
    _replace_rule,
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
    split_text,
    PURE,
    STRICT,
    PARTIAL,
    spark=("StringSplit",),
    shown=Shown(2, ("-1",)),
    texts=TextUse.CHANGE,
)
