"""Constants computed: every operation on constants whose value is certain becomes that value.

    DATE '1994-01-01' + INTERVAL 1 YEAR   =>   DATE '1995-01-01'
    CASE WHEN 1 > 2 THEN a ELSE b END     =>   b

A constant is put in the place of an expression only if Spark gives that value on every row, of the
same type, to the last digit and the sign of a zero. The session's time zone is UTC, as everywhere
in the model. What would overflow or fail is left as it is: it may never be evaluated. So is what
depends on the run, such as the current date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, assert_never

from veer.errors import UnsupportedError
from veer.expressions.law import Simplify, Stage, law
from veer.functions.arithmetic import EXACT
from veer.functions.casts import cast_function
from veer.functions.moments import parse_date
from veer.functions.ordering import sort_key
from veer.functions.registry import Failure, Kind, Nulls, scalar_function
from veer.functions.traits import Folding, SolverMeaning
from veer.ir import expr as ex, types as ty

TRUE, FALSE = ex.Literal(True, ty.BOOLEAN), ex.Literal(False, ty.BOOLEAN)
# Types whose values are written one way, in every language.
SETTLED = (
    ty.IntegralType,
    ty.DecimalType,
    ty.StringType,
    ty.DateType,
    ty.BooleanType,
    ty.TimestampType,
    ty.TimestampNtzType,
    ty.DayTimeIntervalType,
    ty.YearMonthIntervalType,
)
NUMBERS = (ty.IntegralType, ty.DecimalType, ty.DoubleType)
MOMENTS = (ty.DateType, ty.TimestampType, ty.TimestampNtzType)
# A number in a text that every language reads alike, and rounds alike.
NUMERAL = re.compile(r"[+-]?\d{1,30}(\.\d{0,30})?([eE][+-]?\d{1,3})?", re.ASCII)
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"=": eq, "<=>": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
)


def computed(expr: ex.Expr) -> ex.Expr:
    """An operation on constants as its value, where that is certain; else itself.

    Looks at the topmost node only. A condition or CASE loses the parts that constants
    decide.
    """
    match expr:
        case ex.Cast(ex.Literal() as literal, type_):
            return _cast(expr, literal, type_)
        case ex.Call():
            return _call(expr)
        case ex.Compare(op, ex.Literal() as left, ex.Literal() as right):
            return _compared(op, left, right) or expr
        case ex.InList(ex.Literal() as arg, options) if all(
            isinstance(o, ex.Literal) for o in options
        ):
            parts = [_compared("=", arg, o) for o in options if isinstance(o, ex.Literal)]
            known = tuple(p for p in parts if p is not None)
            return _without_decided(ex.Or(known)) if len(known) == len(parts) else expr
        case ex.IsNull(ex.Literal(value)):
            return TRUE if value is None else FALSE
        case ex.Not(ex.Literal(value)):
            return ex.Literal(None, ty.BOOLEAN) if value is None else FALSE if value else TRUE
        case ex.And() | ex.Or():
            return _without_decided(expr)
        case ex.Case():
            return _without_decided_branches(expr)
        case _:
            return expr


# -- conditions ------------------------------------------------------------------------------------


def _compared(op: str, left: ex.Literal, right: ex.Literal) -> ex.Literal | None:
    """Two constants compared as Spark does: -0.0 is 0.0 and NaN, equal to itself, the greatest."""
    type_ = left.type
    if type_ != right.type or not isinstance(type_, (*SETTLED, ty.FloatType, ty.DoubleType)):
        return None
    if left.value is None or right.value is None:
        if op == "<=>":
            return TRUE if left.value is right.value else FALSE
        return ex.Literal(None, ty.BOOLEAN)
    key = sort_key(type_)
    return TRUE if COMPARISONS[op](key(left.value), key(right.value)) else FALSE


def _without_decided(expr: ex.And | ex.Or) -> ex.Expr:
    """An AND without what is always true, an OR without what is never; decided by one other.

    In three-valued logic too: true is neutral to AND, and false decides it even if another part is null.
    """
    neutral, decisive = (TRUE, FALSE) if isinstance(expr, ex.And) else (FALSE, TRUE)
    if decisive in expr.args:
        return decisive
    kept = tuple(a for a in expr.args if a != neutral)
    if all(isinstance(a, ex.Literal) for a in kept):
        return ex.Literal(None, ty.BOOLEAN) if kept else neutral
    if len(kept) == 1:
        return kept[0]
    return expr if len(kept) == len(expr.args) else type(expr)(kept)


def _without_decided_branches(case: ex.Case) -> ex.Expr:
    """A CASE without branches that are never taken, or come after one that always is.

    Nor with those at its end that give what it gives otherwise.
    """
    kept: list[tuple[ex.Expr, ex.Expr]] = []
    otherwise = case.otherwise
    for when, then in case.branches:
        if when == TRUE:
            otherwise = then
            break
        if not isinstance(when, ex.Literal):
            kept.append((when, then))
    while kept and kept[-1][1] == otherwise:
        kept.pop()
    if not kept:
        return otherwise
    return case if len(kept) == len(case.branches) else ex.Case(tuple(kept), otherwise)


# -- casts -----------------------------------------------------------------------------------------


def _cast(expr: ex.Cast, literal: ex.Literal, type_: ty.DataType) -> ex.Expr:
    wider = ex.Literal(None, type_) if literal.value is None else widened(literal, type_)
    if wider is not None or not _is_certain_cast(literal, type_):
        return wider or expr
    try:
        value = cast_function(literal.type, type_, expr.mode)(literal.value)
    except (Failure, UnsupportedError):
        return expr
    if value is None and isinstance(type_, MOMENTS):
        return expr  # of texts Spark knows words like 'epoch', in constants alone
    return ex.Literal(value, type_)


def _is_certain_cast(literal: ex.Literal, type_: ty.DataType) -> bool:
    """Whether Python converts a constant to the value that Spark gives, if it does not fail."""
    given = literal.type
    if isinstance(given, SETTLED) and isinstance(type_, SETTLED):
        return True
    if isinstance(type_, ty.DoubleType):
        # Both round to the nearest double, and to an even one where two are as near.
        is_numeral = isinstance(literal.value, str) and NUMERAL.fullmatch(literal.value)
        return isinstance(given, NUMBERS) or bool(is_numeral)
    return isinstance(given, ty.DoubleType) and isinstance(type_, ty.IntegralType)


def widened(literal: ex.Literal, type_: ty.DataType) -> ex.Literal | None:
    """A number as a constant of another type, where that type holds it exactly; a date likewise.

    None where digits would be lost. Null is not a number.
    """
    value: Any = literal.value
    if value is None:
        return None
    if isinstance(literal.type, ty.StringType) and isinstance(type_, ty.DateType):
        return _date(value)
    if isinstance(literal.type, ty.DoubleType) and isinstance(type_, ty.IntegralType):
        # A whole number: filling nulls with 0 casts 0.0 to the type of the column.
        if not float(value).is_integer() or abs(value) > 1 << 53:
            return None
        return widened(ex.Literal(int(value), ty.LONG), type_)
    if not isinstance(literal.type, ty.IntegralType | ty.DecimalType):
        return None
    if isinstance(type_, ty.IntegralType) and isinstance(value, int):
        limit = 1 << (ty.INTEGER_BITS[type_] - 1)
        return ex.Literal(value, type_) if -limit <= value < limit else None
    if isinstance(type_, ty.DecimalType):
        try:
            exact = Decimal(value).quantize(Decimal(1).scaleb(-type_.scale), context=EXACT)
        except ArithmeticError:
            return None
        fits = exact == value and abs(exact.scaleb(type_.scale, EXACT)) < 10**type_.precision
        return ex.Literal(exact, type_) if fits else None
    if isinstance(type_, ty.DoubleType) and -(1 << 53) < value < 1 << 53:
        # Doubles hold all whole numbers up to 53 bits.
        return ex.Literal(float(value), type_)
    return None


def _date(text: str) -> ex.Literal | None:
    """The date that a text stands for, if Python's calendar has it."""
    try:
        day = parse_date(text)
    except UnsupportedError:
        return None
    return None if day is None else ex.Literal(day, ty.DateType())


# -- functions -------------------------------------------------------------------------------------


def _call(call: ex.Call) -> ex.Expr:
    function = scalar_function(call.function)
    if function.solver is SolverMeaning.FIRST_PRESENT:
        return _first_present(call)
    if function.kind is not Kind.PURE or not _is_foldable(function.folding, call.type, call.args):
        return call
    values = [a.value for a in call.args if isinstance(a, ex.Literal)]
    if None in values and function.nulls in (Nulls.STRICT, Nulls.PROPAGATE):
        return ex.Literal(None, call.type)
    try:
        value = function.meaning([a.type for a in call.args], call.type)(*values)
    except (Failure, UnsupportedError):
        return call
    return ex.Literal(value, call.type) if _is_plain(value) else call


def _first_present(call: ex.Call) -> ex.Expr:
    """COALESCE without nulls, and without what comes after a constant: COALESCE(a, 0, b).

    One directly inside of another is a part of it.
    """
    kept: list[ex.Expr] = []
    inner = (
        a.args if isinstance(a, ex.Call) and a.function == call.function else (a,)
        for a in call.args
    )
    for arg in (arg for args in inner for arg in args):
        if not isinstance(arg, ex.Literal):
            kept.append(arg)
        elif arg.value is not None:
            kept.append(arg)
            break
    if tuple(kept) == call.args:
        return kept[0] if len(kept) == 1 and kept[0].type == call.type else call
    if not kept:
        return ex.Literal(None, call.type)
    return _first_present(replace(call, args=tuple(kept)))


def _is_foldable(folding: Folding, type_: ty.DataType, args: Sequence[ex.Expr]) -> bool:
    """Whether the value of a call of these arguments is known to the last digit."""
    if not all(isinstance(a, ex.Literal) and _is_plain(a.value) for a in args):
        return False
    match folding:
        case Folding.NEVER:
            return False
        case Folding.SETTLED:
            return all(isinstance(t, SETTLED) for t in (type_, *(a.type for a in args)))
        case Folding.IEEE:
            return True
        case _:
            assert_never(folding)


def _is_plain(value: Any) -> bool:
    """Texts are short, and the same in every language."""
    return not isinstance(value, str) or (len(value) < 1000 and value.isascii())


def zero_of(type_: ty.DataType) -> ex.Literal:
    """The number zero of a numeric type."""
    if isinstance(type_, ty.DecimalType):
        return ex.Literal(Decimal(0).scaleb(-type_.scale), type_)
    return ex.Literal(0, type_)


@law(
    "1 + 1 => 2",
    ex.Call,
    ex.Cast,
    ex.Compare,
    ex.InList,
    ex.IsNull,
    ex.Not,
    ex.And,
    ex.Or,
    ex.Case,
    stage=Stage.FOLDING,
)
def constants_computed(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Spark gives that value on every row, to the last digit; what may fail is left as it is."""
    return computed(expr)
