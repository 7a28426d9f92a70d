"""What is known of functions of texts: their values at the constants of a question, and which
conditions follow from others.

    x = 'abc'             =>   length(x) = 3, contains(x, 'b'), upper(trim(x)) = 'ABC'
    contains(x, 'abc')    =>   contains(x, 'b'), length(x) >= 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple, final

import z3

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import SETTLED
from veer.functions.registry import Failure, Kind, scalar_function
from veer.functions.traits import Folding, PythonOnly
from veer.ir import expr as ex, types as ty

KEEPING = ("trim", "ltrim", "rtrim", "lower", "upper", "initcap")  # all but spaces and letter case
SEARCHES = ("startswith", "endswith", "contains")
LONGEST = 1000  # characters of a constant
MOST_CALLS = 20  # that are computed at constants
MOST_CONSTANTS = 60
MOST_FOR_TEXTS = 8  # constants at which calls that give texts are computed


class _Noted(NamedTuple):
    """A call that reads one text besides constants, with the terms of the text and of its value."""

    call: ex.Call
    read: ex.Symbol  # stands for the text in it, which may be of any size
    text: Any
    value: Any


@final
class TextFacts:
    """The functions of texts in one question; `axioms` says what is known of them.

    `constant` gives the term of a constant text.
    """

    def __init__(self, constant: Callable[[str], Any]) -> None:
        self._noted: list[_Noted] = []
        self._constant = constant

    def read_by(self, call: ex.Call) -> list[ex.Expr]:
        """The texts of which a call is a function, all else that it reads being constants.

        The nearest and the furthest: `length(trim(x))` is one of `trim(x)` and of `x`.
        """
        if not isinstance(call.type, ty.BooleanType | ty.IntegralType | ty.StringType):
            return []
        texts: list[ex.Expr] = [e for e in _chain(call) if isinstance(e.type, ty.StringType)]
        if isinstance(call.type, ty.StringType):
            return texts[-1:]  # those between are noted by themselves
        return texts if len(texts) < 2 else [texts[0], texts[-1]]

    def note(self, call: ex.Call, read: ex.Expr, text: Any, value: Any) -> None:
        """A call has a value, given that its text is not null."""
        if len(self._noted) < MOST_CALLS:
            symbol = ex.Symbol(0, read.type)
            args = tuple(_with_symbol(arg, read, symbol) for arg in call.args)
            self._noted.append(_Noted(replace(call, args=args), symbol, text, value))

    def axioms(self, constants: Mapping[str, Any]) -> Iterator[Any]:
        """What holds of the calls met, for the constant texts of the question with their terms."""
        given = list(constants.items())
        for noted in self._noted:
            is_text = isinstance(noted.call.type, ty.StringType)
            for text, term in given[: MOST_FOR_TEXTS if is_text else MOST_CONSTANTS]:
                yield from self._at_constant(noted, text, term)
        for one, other in permutations(self._noted, 2):
            if one.text.eq(other.text):
                yield from _following(one, other)
                yield from self._not_empty(one, other)

    def _at_constant(self, noted: _Noted, text: str, term: Any) -> Iterator[Any]:
        """What a call gives where its text is a constant."""
        value = _value_at(noted.call, noted.read, text)
        if isinstance(value, str):
            yield z3.Implies(noted.text == term, noted.value == self._constant(value))
        elif isinstance(value, bool | int):
            yield z3.Implies(noted.text == term, noted.value == value)

    def _not_empty(self, one: _Noted, other: _Noted) -> Iterator[Any]:
        """A text that holds other characters than spaces is not empty when these are trimmed."""
        part = _searched(one.call)
        if part and part.strip(" ") and _only_trims(other.call, other.read):
            yield z3.Implies(one.value, other.value != self._constant(""))


def _with_symbol(expr: ex.Expr, read: ex.Expr, symbol: ex.Symbol) -> ex.Expr:
    """An expression with a symbol for the text at the end of its chain."""
    if expr is read:
        return symbol
    if not isinstance(expr, ex.Call):
        return expr
    return replace(expr, args=tuple(_with_symbol(a, read, symbol) for a in expr.args))


def _only_trims(call: ex.Call, read: ex.Expr) -> bool:
    """Whether spaces and the case of letters are all that a call changes in a text."""
    node: ex.Expr = call
    while (
        isinstance(node, ex.Call)
        and node != read
        and node.function in KEEPING
        and len(node.args) == 1
    ):
        node = node.args[0]
    return node == read


def _chain(call: ex.Call) -> Iterator[ex.Expr]:
    """What a call reads, and what that reads, as long as it is one thing besides constants."""
    node: ex.Expr = call
    while isinstance(node, ex.Call):
        read = [a for a in node.args if not isinstance(a, ex.Literal)]
        if len(read) != 1 or not _is_known(node):
            return
        node = read[0]
        yield node


def _is_known(call: ex.Call) -> bool:
    """Whether Veer computes a function as it is computed in a run: Python's own in Python."""
    function = scalar_function(call.function)
    types = [call.type, *(a.type for a in call.args)]
    if function.kind is not Kind.PURE or any(map(ty.has_floats, types)):
        return False
    is_settled = function.folding is not Folding.NEVER and all(
        isinstance(t, SETTLED) for t in types
    )
    return is_settled or isinstance(function.sql, PythonOnly)


@lru_cache(maxsize=10_000)
def _value_at(expr: ex.Expr, read: ex.Expr, text: str) -> Any:
    """The value of an expression where a text that it reads is a constant; None if not known."""
    if expr == read:
        return text
    if isinstance(expr, ex.Literal):
        return expr.value
    assert isinstance(expr, ex.Call)
    values = [_value_at(arg, read, text) for arg in expr.args]
    if None in values or not all(map(_is_plain, values)):
        return None
    try:
        function = scalar_function(expr.function)
        value = function.meaning([a.type for a in expr.args], expr.type)(*values)
    except (Failure, UnsupportedError):
        return None
    return value if _is_plain(value) else None


def _is_plain(value: Any) -> bool:
    """Texts are short, and the same in every language."""
    return not isinstance(value, str) or (len(value) < LONGEST and value.isascii())


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


def _searched(call: ex.Call) -> str | None:
    """The constant that is searched in a text."""
    match call:
        case ex.Call(function, (_, ex.Literal(str() as part))) if function in SEARCHES:
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
