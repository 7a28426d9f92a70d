"""What is known of functions of texts: their values at the constants of a question, and which
conditions follow from others.

    x = 'abc'             =>   length(x) = 3, contains(x, 'b')
    contains(x, 'abc')    =>   contains(x, 'b'), length(x) >= 3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple, final

import z3

from veer.analysis.constants import computed
from veer.model.expr import Call, Literal
from veer.model.types import BooleanType, IntegralType, StringType

SEARCHES = ("startswith", "endswith", "contains")
MOST_CALLS = 20  # that are computed at constants
MOST_CONSTANTS = 60


class _Noted(NamedTuple):
    """A call that reads one text besides constants, with the terms of the text and of its value."""

    call: Call
    place: int  # of the text among the arguments
    text: Any
    value: Any


@final
class TextFacts:
    """The functions of texts in one question; `axioms` says what is known of them."""

    def __init__(self) -> None:
        self._noted: list[_Noted] = []

    def reads(self, call: Call) -> int | None:
        """At which place a call reads a text, if all else that it reads are constants."""
        if not isinstance(call.type, BooleanType | IntegralType):
            return None
        places = [i for i, a in enumerate(call.args) if not isinstance(a, Literal)]
        if len(places) != 1 or not isinstance(call.args[places[0]].type, StringType):
            return None
        return places[0]

    def note(self, call: Call, place: int, text: Any, value: Any) -> None:
        """A call has a value, given that its text is not null."""
        if len(self._noted) < MOST_CALLS:
            self._noted.append(_Noted(call, place, text, value))

    def axioms(self, constants: Mapping[str, Any]) -> Iterator[Any]:
        """What holds of the calls met, for the constant texts of the question with their terms."""
        for noted in self._noted:
            for text, term in list(constants.items())[:MOST_CONSTANTS]:
                yield from _at_constant(noted, text, term)
        for one, other in permutations(self._noted, 2):
            if one.text.eq(other.text):
                yield from _following(one, other)


def _at_constant(noted: _Noted, text: str, term: Any) -> Iterator[Any]:
    """What a call gives where its text is a constant."""
    args = noted.call.args
    constant = Literal(text, args[noted.place].type)
    value = _value(
        replace(noted.call, args=(*args[: noted.place], constant, *args[noted.place + 1 :]))
    )
    if value is not None:
        yield z3.Implies(noted.text == term, noted.value == value)


@lru_cache(maxsize=10_000)
def _value(call: Call) -> Any:
    """The value of a call of constants; None where it has none."""
    value = computed(call)
    return value.value if isinstance(value, Literal) else None


def _following(one: _Noted, other: _Noted) -> Iterator[Any]:
    """What of one condition on a text follows for another on the same, or for its length."""
    part = _searched(one.call)
    if part is None:
        return
    if other.call.function == "length":
        yield z3.Implies(one.value, other.value >= len(part))
    follows = _searched(other.call)
    if follows is not None and _implies(one.call.function, part, other.call.function, follows):
        yield z3.Implies(one.value, other.value)


def _searched(call: Call) -> str | None:
    """The constant that is searched in a text."""
    match call:
        case Call(function, (_, Literal(str() as part))) if function in SEARCHES:
            return part
        case _:
            return None


def _implies(one: str, part: str, other: str, follows: str) -> bool:
    """Whether a text that begins with, ends with or holds a part does so with another part."""
    match one, other:
        case ("startswith", "startswith"):
            return part.startswith(follows)
        case ("endswith", "endswith"):
            return part.endswith(follows)
        case (_, "contains"):
            return follows in part
        case _:
            return False
