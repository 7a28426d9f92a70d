"""What Spark makes of the value a Python function returns.

Pickled functions give null where the value does not fit the declared type; with Arrow a value is
converted, and a batch that cannot be fails the run. Each case was seen on Spark 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from veer.frontends.python.reading.branches import Branch, Raises, Returns, Tree
from veer.frontends.python.reading.values import (
    EXACT,
    NONE,
    NotRead,
    Symbol,
    as_float,
    as_symbol,
    is_exact,
    number,
    text,
)
from veer.functions.python import RAISE
from veer.model.expr import And, Call, Case, Cast, Compare, Expr, IsNull, Literal, Not
from veer.model.types import (
    DOUBLE,
    INTEGER_BITS,
    LONG,
    STRING,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
)

PICKLED, ARROW = 100, 101  # Spark's evalType of functions of one row


def leaf_conversion(
    tree: Tree, type_: DataType, evaluated: int
) -> Callable[[Returns | Raises], Expr]:
    """How the leaves of a tree become values of the declared type."""
    null = Literal(None, type_)
    failed = Call(RAISE, (null,), type_)
    symbols = [as_symbol(leaf.value) for leaf in _leaves(tree) if leaf.value != NONE]
    kinds = {s.kind for s in symbols}
    if evaluated == ARROW and len(kinds) > 1:
        raise NotRead("values of several types, which Arrow converts batch by batch")
    if evaluated not in (PICKLED, ARROW):
        raise NotRead(f"a function of evalType {evaluated}")
    convert = _pickled if evaluated == PICKLED else _by_arrow

    def leaf(end: Returns | Raises) -> Expr:
        if isinstance(end, Raises):
            return failed
        if end.value == NONE:
            return null
        symbol = as_symbol(end.value)
        converted = convert(symbol.not_none(), type_, failed)
        if converted is None:
            return null
        if not symbol.nullable:
            return converted
        expr = symbol.expr
        return Case(((Not(IsNull(expr)), converted),), null) if converted != expr else converted

    return leaf


def _leaves(tree: Tree) -> Iterator[Returns]:
    if isinstance(tree, Returns):
        yield tree
    elif isinstance(tree, Branch):
        yield from _leaves(tree.yes)
        yield from _leaves(tree.no)


def _fits(symbol: Symbol, bits: int) -> bool:
    half = 1 << (bits - 1)
    low, high = symbol.low, symbol.high
    return low is not None and high is not None and -half <= low and high < half


def _pickled(symbol: Symbol, type_: DataType, failed: Expr) -> Expr | None:
    """What a pickled function's value becomes (evalType 100); None for null.

    Nothing is converted between kinds: an int returned as double is null, without an error. The
    exceptions are texts, to which Java turns anything in its own spelling ("true", "1.0E10").
    """
    match type_, symbol.kind:
        case BooleanType(), "bool":
            return symbol.expr
        case IntegralType(), "int":
            if not _fits(symbol, 64):
                raise NotRead("a number that may need more than 64 bits, which gives null")
            if _fits(symbol, INTEGER_BITS[type_]):
                return _narrowed(symbol.expr, type_)
            # A long that does not fit is cut to its low bits, as by Java, in ANSI mode too.
            return Call(f"python.wrap_{type_}", (symbol.expr,), type_)
        case DoubleType(), "float":
            return symbol.expr
        case FloatType(), "float":
            return Cast(symbol.expr, type_)
        case DateType(), "date":
            return symbol.expr
        case StringType(), "str" | "int":
            return text(symbol).expr
        case StringType(), "bool":
            return _lower_case(symbol)
        case StringType(), "float":
            return Cast(symbol.expr, STRING)
        case BooleanType() | IntegralType() | DoubleType() | FloatType(), _ if symbol.kind in (
            "bool",
            "int",
            "float",
            "str",
        ):
            return None
        case _:
            raise NotRead(f"a {symbol.kind} returned as {type_}")


def _by_arrow(symbol: Symbol, type_: DataType, failed: Expr) -> Expr | None:
    """What Arrow makes of a function's value (evalType 101); what does not convert fails."""
    match type_, symbol.kind:
        case BooleanType(), "bool":
            return symbol.expr
        case IntegralType(), "int" | "float":
            return _narrowed(symbol.expr, type_)  # truncates; fails where it does not fit
        case DoubleType() | FloatType(), "float":
            return symbol.expr if type_ == DOUBLE else Cast(symbol.expr, type_)
        case DoubleType(), "int":
            as_double = as_float(symbol).expr
            if is_exact(symbol):
                return as_double
            # Arrow refuses a whole number that a double cannot hold exactly.
            limits = number(-EXACT), number(EXACT)
            inside = And(
                (Compare(">=", symbol.expr, limits[0]), Compare("<=", symbol.expr, limits[1]))
            )
            return Case(((inside, as_double),), failed)
        case DateType(), "date":
            return symbol.expr
        case StringType(), "str" | "int" | "float":
            return text(symbol).expr
        case StringType(), "bool":
            return _lower_case(symbol)
        case _:
            raise NotRead(f"a {symbol.kind} returned as {type_}")


def _narrowed(expr: Expr, type_: DataType) -> Expr:
    if isinstance(expr, Cast) and expr.arg.type == type_ and type_ != LONG:
        return expr.arg  # widened before
    if isinstance(expr, Literal) and isinstance(expr.value, int) and expr.type == LONG:
        half = 1 << (INTEGER_BITS[type_] - 1)
        if -half <= expr.value < half:
            return Literal(expr.value, type_)
    return expr if expr.type == type_ else Cast(expr, type_)


def _lower_case(symbol: Symbol) -> Expr:
    """The text of a truth value in Java's spelling."""
    words = Literal("true", STRING), Literal("false", STRING)
    return Case(((symbol.expr, words[0]),), words[1])


__all__ = ["ARROW", "PICKLED", "leaf_conversion"]
