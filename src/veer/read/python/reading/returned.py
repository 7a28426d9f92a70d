"""What Spark makes of the value a Python function returns.

Pickled functions give null where the value does not fit the declared type; with Arrow a value is
converted, and a batch that cannot be fails the run. Each case was seen on Spark 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from veer.functions.python import RAISE
from veer.ir import expr as ex, types as ty
from veer.read.python.reading import values as val
from veer.read.python.reading.branches import Branch, Raises, Returns, Tree

PICKLED, ARROW = 100, 101  # Spark's evalType of functions of one row


def leaf_conversion(
    tree: Tree, type_: ty.DataType, evaluated: int
) -> Callable[[Returns | Raises], ex.Expr]:
    """How the leaves of a tree become values of the declared type."""
    null = ex.Literal(None, type_)
    failed = ex.Call(RAISE, (null,), type_)
    symbols = [val.as_symbol(leaf.value) for leaf in _leaves(tree) if leaf.value != val.NONE]
    kinds = {s.kind for s in symbols}
    if evaluated == ARROW and len(kinds) > 1:
        raise val.NotRead("values of several types, which Arrow converts batch by batch")
    if evaluated not in (PICKLED, ARROW):
        raise val.NotRead(f"a function of evalType {evaluated}")
    convert = _pickled if evaluated == PICKLED else _by_arrow

    def leaf(end: Returns | Raises) -> ex.Expr:
        if isinstance(end, Raises):
            return failed
        if end.value == val.NONE:
            return null
        symbol = val.as_symbol(end.value)
        converted = convert(symbol.not_none(), type_, failed)
        if converted is None:
            return null
        if not symbol.nullable:
            return converted
        expr = symbol.expr
        return (
            ex.Case(((ex.Not(ex.IsNull(expr)), converted),), null)
            if converted != expr
            else converted
        )

    return leaf


def _leaves(tree: Tree) -> Iterator[Returns]:
    if isinstance(tree, Returns):
        yield tree
    elif isinstance(tree, Branch):
        yield from _leaves(tree.yes)
        yield from _leaves(tree.no)


def _fits(symbol: val.Symbol, bits: int) -> bool:
    half = 1 << (bits - 1)
    low, high = symbol.low, symbol.high
    return low is not None and high is not None and -half <= low and high < half


def _pickled(symbol: val.Symbol, type_: ty.DataType, failed: ex.Expr) -> ex.Expr | None:
    """What a pickled function's value becomes (evalType 100); None for null.

    Nothing is converted between kinds: an int returned as double is null, without an error. The
    exceptions are texts, to which Java turns anything in its own spelling ("true", "1.0E10").
    """
    match type_, symbol.kind:
        case ty.BooleanType(), "bool":
            return symbol.expr
        case ty.IntegralType(), "int":
            if not _fits(symbol, 64):
                raise val.NotRead("a number that may need more than 64 bits, which gives null")
            if _fits(symbol, ty.INTEGER_BITS[type_]):
                return _narrowed(symbol.expr, type_)
            # A long that does not fit is cut to its low bits, as by Java, in ANSI mode too.
            return ex.Call(f"python.wrap_{type_}", (symbol.expr,), type_)
        case ty.DoubleType(), "float":
            return symbol.expr
        case ty.FloatType(), "float":
            return ex.Cast(symbol.expr, type_)
        case ty.DateType(), "date":
            return symbol.expr
        case ty.StringType(), "str" | "int":
            return val.text(symbol).expr
        case ty.StringType(), "bool":
            return _lower_case(symbol)
        case ty.StringType(), "float":
            return ex.Cast(symbol.expr, ty.STRING)
        case ty.BooleanType() | ty.IntegralType() | ty.DoubleType() | ty.FloatType(), _ if (
            symbol.kind
            in (
                "bool",
                "int",
                "float",
                "str",
            )
        ):
            return None
        case _:
            raise val.NotRead(f"a {symbol.kind} returned as {type_}")


def _by_arrow(symbol: val.Symbol, type_: ty.DataType, failed: ex.Expr) -> ex.Expr | None:
    """What Arrow makes of a function's value (evalType 101); what does not convert fails."""
    match type_, symbol.kind:
        case ty.BooleanType(), "bool":
            return symbol.expr
        case ty.IntegralType(), "int" | "float":
            return _narrowed(symbol.expr, type_)  # truncates; fails where it does not fit
        case ty.DoubleType() | ty.FloatType(), "float":
            return symbol.expr if type_ == ty.DOUBLE else ex.Cast(symbol.expr, type_)
        case ty.DoubleType(), "int":
            as_double = val.as_float(symbol).expr
            if val.is_exact(symbol):
                return as_double
            # Arrow refuses a whole number that a double cannot hold exactly.
            limits = val.number(-val.EXACT), val.number(val.EXACT)
            inside = ex.And(
                (ex.Compare(">=", symbol.expr, limits[0]), ex.Compare("<=", symbol.expr, limits[1]))
            )
            return ex.Case(((inside, as_double),), failed)
        case ty.DateType(), "date":
            return symbol.expr
        case ty.StringType(), "str" | "int" | "float":
            return val.text(symbol).expr
        case ty.StringType(), "bool":
            return _lower_case(symbol)
        case _:
            raise val.NotRead(f"a {symbol.kind} returned as {type_}")


def _narrowed(expr: ex.Expr, type_: ty.DataType) -> ex.Expr:
    if isinstance(expr, ex.Cast) and expr.arg.type == type_ and type_ != ty.LONG:
        return expr.arg  # widened before
    if isinstance(expr, ex.Literal) and isinstance(expr.value, int) and expr.type == ty.LONG:
        half = 1 << (ty.INTEGER_BITS[type_] - 1)
        if -half <= expr.value < half:
            return ex.Literal(expr.value, type_)
    return expr if expr.type == type_ else ex.Cast(expr, type_)


def _lower_case(symbol: val.Symbol) -> ex.Expr:
    """The text of a truth value in Java's spelling."""
    words = ex.Literal("true", ty.STRING), ex.Literal("false", ty.STRING)
    return ex.Case(((symbol.expr, words[0]),), words[1])


__all__ = ["ARROW", "PICKLED", "leaf_conversion"]
