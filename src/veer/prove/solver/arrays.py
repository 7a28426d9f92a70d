"""What is known of the sizes of arrays, and of arrays that are parts of others.

size(xs) >= 0
size(filter(xs, p)) <= size(xs),  size(array_distinct(xs)) <= size(xs)
size(xs) >= 1   =>   size(array_distinct(xs)) >= 1
size(xs) = 0    =>   array_max(transform(xs, f)) IS NULL
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, final

import z3

from veer.ir import expr as ex
from veer.ir.lambdas import PARTS, function_of
from veer.ir.types import INT
from veer.prove.solver.terms import Terms, Value

EXTREMES = ("array_max", "array_min")
MOST = 20  # calls


class _Noted(NamedTuple):
    """A function of an array, and its value."""

    array: ex.Expr
    value: Value


@final
class ArrayFacts:
    """The functions of arrays in one question; `axioms` says what is known of them.

    `value` gives the terms of an expression: those of the sizes of the arrays that others are made
    of, which are the same for arrays that are.
    """

    def __init__(self, terms: Terms, value: Callable[[ex.Expr], Value]) -> None:
        self._terms, self._value = terms, value
        self._sizes: list[_Noted] = []
        self._extremes: list[_Noted] = []
        self._asked: dict[ex.Expr, Value] = {}  # sizes

    def note(self, call: ex.Call, value: Value) -> None:
        """A call has a value."""
        noted = {"size": self._sizes, **dict.fromkeys(EXTREMES, self._extremes)}.get(call.function)
        if noted is not None and len(noted) < MOST:
            noted.append(_Noted(call.args[0], value))

    def axioms(self) -> Iterator[Any]:
        """What holds of the calls met."""
        for part in list(self._sizes):
            yield self._given(part.value, part.value.value >= 0)
            for whole in _wholes(part.array):
                yield from self._of_part(part, whole)
        for extreme in list(self._extremes):
            for whole in (extreme.array, *_wholes(extreme.array)):
                size = self._size(whole)
                yield self._given(size, z3.Implies(size.value <= 0, extreme.value.null))

    def _of_part(self, part: _Noted, whole: ex.Expr) -> Iterator[Any]:
        size = self._size(whole)
        yield self._given(size, part.value.value <= size.value)
        if _is_as_filled(part.array, whole):
            yield self._given(size, z3.Implies(size.value >= 1, part.value.value >= 1))

    def _size(self, array: ex.Expr) -> Value:
        if array not in self._asked:
            self._asked[array] = self._value(ex.Call("size", (array,), INT))
        return self._asked[array]

    def _given(self, size: Value, fact: Any) -> Any:
        """What is known where an array is not null."""
        return z3.Implies(self._terms.negated(size.null), fact)


def _is_as_filled(part: ex.Expr, whole: ex.Expr) -> bool:
    """Whether an array has items if another has, no item being left out but those alike."""
    while part != whole:
        match part:
            case ex.Call("array_distinct", (inner,)):
                part = inner
            case ex.OpaqueCall(args=(inner, *_), body=body) if (
                body is not None and function_of(part) == "transform"
            ):
                part = inner
            case _:
                return False
    return True


def _wholes(array: ex.Expr) -> Iterator[ex.Expr]:
    """The arrays whose items an array is made of, the nearest first: it has no more than they."""
    while True:
        match array:
            case ex.Call("array_distinct", (inner,)):
                array = inner
            case ex.OpaqueCall(args=(inner, *_), body=body) if (
                body is not None and function_of(array) in PARTS
            ):
                array = inner
            case _:
                return
        yield array
