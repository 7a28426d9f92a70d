"""The z3 terms that encodings are made of: sorts, Boolean connectives, uninterpreted functions.

Sorts of Spark's types:

    integers, dates, timestamps, intervals   Int (ANSI arithmetic takes its mathematical value)
    decimals                                 Real, while nothing rounds
    strings, binary                          Real: any countable order embeds into the reals, so
                                             what no reals satisfy no strings satisfy; literals
                                             are placed in their order, and nothing is computed
    doubles, floats                          their own sort with a rank that orders them: 0.0 and
                                             -0.0 share a rank, NaN has the greatest
    everything else                          its own sort without order

Every sort holds at least the values of its type and no constraint excludes one of them, so there
are more models than data: what no model satisfies, no data satisfies. A model proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import z3

from veer.ir import types as ty

INTEGERS = (
    ty.IntegralType,
    ty.DateType,
    ty.TimestampType,
    ty.TimestampNtzType,
    ty.DayTimeIntervalType,
    ty.YearMonthIntervalType,
)


class Value(NamedTuple):
    """A nullable value; `value` is junk where `null` holds."""

    null: z3.BoolRef
    value: Any


class Truth(NamedTuple):
    """A three-valued truth value; null where neither holds."""

    true: z3.BoolRef
    false: z3.BoolRef


def has_ordered_sort(type_: ty.DataType) -> bool:
    """Whether the solver's own order of a type's sort is the order of its values."""
    return isinstance(type_, (*INTEGERS, ty.DecimalType, ty.StringType, ty.BinaryType))


@final
@dataclass
class Terms:
    """The terms of one question, in one context.

    `axioms` hold of the terms in every run of Spark; whoever asserts a term asserts them too. Each
    must be true of Spark: a false axiom removes models, and with them reasons not to believe.
    """

    context: z3.Context

    def __post_init__(self) -> None:
        self.yes = z3.BoolVal(True, self.context)
        self.no = z3.BoolVal(False, self.context)
        self.boolean = z3.BoolSort(self.context)
        self.integer = z3.IntSort(self.context)
        self.real = z3.RealSort(self.context)
        self.axioms: list[Any] = []
        self._sorts: dict[str, Any] = {}
        self._functions: dict[tuple[Any, ...], Any] = {}

    # -- sorts and functions -----------------------------------------------------------------------

    def sort(self, type_: ty.DataType) -> Any:
        """The sort whose elements stand for the values of a type."""
        if isinstance(type_, ty.BooleanType | ty.NullType):
            return self.boolean
        if isinstance(type_, INTEGERS):
            return self.integer
        if isinstance(type_, ty.DecimalType | ty.StringType | ty.BinaryType):
            return self.real
        name = f"type {type_}"
        if name not in self._sorts:
            self._sorts[name] = z3.DeclareSort(name, self.context)
        return self._sorts[name]

    def constant(self, name: str, type_: ty.DataType) -> Any:
        """The constant of that name, of which nothing is known but its sort."""
        return z3.Const(name, self.sort(type_))

    def junk(self, type_: ty.DataType) -> Any:
        """What stands in the place of the value where a value is null; one for each sort."""
        return self.constant(f"junk {self.sort(type_)}", type_)

    def apply(self, key: tuple[Any, ...], args: tuple[Any, ...], result: Any) -> Any:
        """The function that a key names, of which nothing is known, applied to arguments.

        Being a function is all that is assumed: equal arguments give equal results, in P and in Q
        alike. The key must name all that the result may depend on besides the arguments.
        """
        function = self._functions.get(key)
        if function is None:
            name = " ".join(map(str, key))
            sorts = [a.sort() for a in args]
            function = z3.Function(name, *sorts, result) if args else z3.Const(name, result)
            self._functions[key] = function
        return function(*args) if args else function

    # -- Boolean terms, built without the checks of z3's own constructors, which cost most ----------

    def all_of(self, *parts: Any) -> Any:
        """The conjunction; true of no parts."""
        kept = []
        for part in parts:
            if part is self.no:
                return self.no
            if part is not self.yes:
                kept.append(part)
        if len(kept) < 2:
            return kept[0] if kept else self.yes
        return self._boolean(z3.Z3_mk_and(self.context.ref(), len(kept), _array(kept)))

    def any_of(self, *parts: Any) -> Any:
        """The disjunction; false of no parts."""
        kept = []
        for part in parts:
            if part is self.yes:
                return self.yes
            if part is not self.no:
                kept.append(part)
        if len(kept) < 2:
            return kept[0] if kept else self.no
        return self._boolean(z3.Z3_mk_or(self.context.ref(), len(kept), _array(kept)))

    def negated(self, part: Any) -> Any:
        """The negation of a Boolean term."""
        if part is self.yes:
            return self.no
        if part is self.no:
            return self.yes
        return self._boolean(z3.Z3_mk_not(self.context.ref(), part.as_ast()))

    def equal(self, a: Any, b: Any) -> Any:
        """That two terms of one sort are the same element; for floats, the same representation."""
        return self._boolean(z3.Z3_mk_eq(self.context.ref(), a.as_ast(), b.as_ast()))

    def _boolean(self, ast: Any) -> Any:
        return z3.BoolRef(ast, self.context)


def _array(parts: list[Any]) -> Any:
    """Terms in the form that z3's C interface takes."""
    array = (z3.Ast * len(parts))()
    for i, part in enumerate(parts):
        array[i] = part.as_ast()
    return array
