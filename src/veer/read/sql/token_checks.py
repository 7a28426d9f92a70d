"""What the parser drops or reads as something else without a trace in its trees: refused by the tokens.

A tree that is printed and read again cannot show these, for what is dropped is dropped twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from veer.errors import IllFormedError, ParseError, UnsupportedError

# What may begin the expression after SELECT ALL; behind anything else ALL is the name of a column.
_BEGINS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.STAR,
        TokenType.CASE,
        TokenType.NULL,
        TokenType.TRUE,
        TokenType.FALSE,
        TokenType.NOT,
    }
)
# What no list goes on with; the parser takes a comma before it.
_ENDS = frozenset(
    {
        TokenType.COMMA,
        TokenType.FROM,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.ORDER_BY,
        TokenType.R_PAREN,
        TokenType.SEMICOLON,
        TokenType.WHERE,
    }
)
# Numbers by their suffix: how many bits they have.
_SUFFIXES = {"Y": 8, "S": 16, "L": 64}
MOST_FLOAT = 2.0**128  # and more has no place in 32 bits
# One amount and one unit: of a longer text the parser keeps the beginning.
_ONE_UNIT = re.compile(r"\s*[+-]?\s*\d+\s+[A-Za-z]+\s*")
# The operators after `|>` that are read as Spark does; sqlglot moves columns in others.
_PIPES = ("WHERE", "SELECT", "LIMIT", "ORDER", "ORDER BY", "AS", "UNION", "INTERSECT", "EXCEPT",
          "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "NATURAL")  # fmt: skip


def check_tokens(tokens: Sequence[Token], sql: str) -> None:
    """Refuse a text if the parser would lose a part of it."""
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        match token.token_type:
            case TokenType.ALL:
                _check_all(tokens[at - 1].token_type if at else None, token, after)
            case TokenType.INTERVAL if after is not None and after.token_type == TokenType.STRING:
                if re.search("[A-Za-z]", after.text) and not _ONE_UNIT.fullmatch(after.text):
                    _refuse(after, "an interval of several units in one text")
            case TokenType.PIPE_GT if after is not None and after.text.upper() not in _PIPES:
                _refuse(after, f"|> {after.text.upper()}")
            case TokenType.DCOLON if _is_null_test(tokens[:at]):
                raise ParseError(f"{_place(token)}a cast of IS NULL without parentheses")
            case TokenType.COMMA if after is None or after.token_type in _ENDS:
                raise ParseError(f"{_place(token)}a comma before nothing")
            case TokenType.NUMBER if after is not None and after.token_type == TokenType.DCOLON:
                before = tokens[at - 1].token_type if at else None
                _check_suffix(token, before, sql[token.start : token.end + 1])
            case _:
                pass


def _check_all(before: TokenType | None, token: Token, after: Token | None) -> None:
    """ALL is dropped before a column and where it is one."""
    kind = None if after is None else after.token_type
    if before == TokenType.SELECT and kind not in _BEGINS:
        _refuse(token, "SELECT ALL, or a column called all, before this")
    if before == TokenType.GROUP_BY and kind == TokenType.COMMA:
        _refuse(token, "a column called all in GROUP BY")
    if before == TokenType.ORDER_BY:
        _refuse(token, "ORDER BY ALL")
    if before in (TokenType.L_PAREN, TokenType.COMMA) and kind in (
        TokenType.R_PAREN,
        TokenType.COMMA,
    ):
        _refuse(token, "a column called all")


def _is_null_test(before: Sequence[Token]) -> bool:
    """Whether a text ends in IS NULL or IS NOT NULL."""
    kinds = [token.token_type for token in before[-3:]]
    is_null, is_not_null = (
        [TokenType.IS, TokenType.NULL],
        [TokenType.IS, TokenType.NOT, TokenType.NULL],
    )
    return kinds == is_not_null or kinds[-2:] == is_null


def _check_suffix(token: Token, before: TokenType | None, written: str) -> None:
    """128Y is no number of Spark's, also where a cast to TINYINT would give one."""
    if written[-1:].upper() == "F" and float(token.text) >= MOST_FLOAT:
        raise IllFormedError(f"{_place(token)}{written} is outside of its type")
    bits = _SUFFIXES.get(written[-1:].upper())
    if bits is None or not token.text.isdigit():
        return
    most = 2 ** (bits - 1) - (before != TokenType.DASH)
    if int(token.text) > most:
        raise IllFormedError(f"{_place(token)}{written} is outside of its type")


def _refuse(token: Token, what: str) -> None:
    raise UnsupportedError(f"{_place(token)}{what} is not supported")


def _place(token: Token) -> str:
    return f"line {token.line}, column {token.col - (token.end - token.start)}: "
