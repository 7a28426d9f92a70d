"""JSON from outside: every error in it is a `ParseError`."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from veer.errors import ParseError

MOST_DIGITS = 1_000  # of a number; more are no number of any type of Spark


def read_json(text: str | bytes) -> Any:
    """The data of a JSON text: no repeated keys, no NaN, no endless numbers, no broken text."""
    try:
        data = json.loads(
            text,
            object_pairs_hook=without_repeats,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refused,
        )
        check_data(data)
        return data
    except json.JSONDecodeError as error:
        raise ParseError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise ParseError("nested too deeply") from None


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that is given twice is an error."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ParseError(f"{key!r} is given twice")
        members[key] = value
    return members


def check_data(data: Any) -> None:
    """Refuse what is no text, number, truth value, null, list or object; also deep inside."""
    waiting = [data]
    while waiting:
        match waiting.pop():
            case str(text):
                check_text(text)
            case dict(table):
                waiting += [*table.keys(), *table.values()]
            case list(items):
                waiting += items
            case float(number) if number != number or number in (float("inf"), float("-inf")):
                raise ParseError(f"{number} is not a number of JSON")
            case int(number) if not isinstance(number, bool) and abs(number) >= 10**MOST_DIGITS:
                raise ParseError(f"a number of more than {MOST_DIGITS:,} digits")
            case None | bool() | int() | float():
                pass
            case other:
                raise ParseError(f"a {type(other).__name__} is not a value of JSON")


def check_text(text: str) -> None:
    """Refuse half of a surrogate pair: it is no character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise ParseError(f"a text holds U+{code:04X}, which is not a character") from None


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ParseError(f"a number of {len(digits):,} digits; at most {MOST_DIGITS:,} are read")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ParseError(f"the number {digits[:40]} is too large")
    return number


def _refused(name: str) -> NoReturn:
    raise ParseError(f"{name} is not a number of JSON")
