"""Where a text holds another: parts, places, LIKE patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from veer.functions.registry import (
    PURE,
    STRICT,
    TOTAL,
    Argument,
    Failure,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import Domain, Folding, Shown, SolverMeaning, TextUse
from veer.functions.typing import signature
from veer.model.types import BINARY, BOOLEAN, INT, STRING


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
    folding=Folding.SETTLED,
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
    folding=Folding.SETTLED,
    solver=SolverMeaning.PREFIX,
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
    folding=Folding.SETTLED,
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
    folding=Folding.SETTLED,
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
    folding=Folding.SETTLED,
)


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


scalar(
    "like",
    signature(BOOLEAN, STRING, STRING, STRING, optional=1),
    _like,
    PURE,
    STRICT,
    Domain.PATTERN,
    spark=("Like",),
    texts=TextUse.LIKE,
    folding=Folding.SETTLED,
)
scalar(
    "ilike",
    signature(BOOLEAN, STRING, STRING, STRING, optional=1),
    _ilike,
    PURE,
    STRICT,
    Domain.PATTERN,
    spark=("ILike",),
    texts=TextUse.LIKE_ANY_CASE,
    folding=Folding.SETTLED,
)
