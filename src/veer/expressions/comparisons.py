"""Laws of comparisons and lists: constants on the right, of the narrowest type, in one order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from veer.expressions.constant_folding import widened
from veer.expressions.exact_arithmetic import holds_all
from veer.expressions.law import Simplify, Stage, law
from veer.ir import expr as ex, types as ty
from veer.ir.digests import text_of

MIRRORED: Mapping[str, str] = MappingProxyType({"<": ">", "<=": ">=", ">": "<", ">=": "<="})


@law("x IN (1) => x = 1", ex.InList)
def list_of_one(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Both sides are null where a value that is compared is null."""
    match expr:
        case ex.InList(arg, (option,)):
            return ex.Compare("=", arg, option)
    return None


@law("x IN (2, 1, 2) => x IN (1, 2)", ex.InList, stage=Stage.NORMAL)
def list_in_order(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The options are constants; a list is the same in any order."""
    match expr:
        case ex.InList(arg, options) if all(isinstance(o, ex.Literal) for o in options):
            return ex.InList(
                arg, tuple(o for _, o in sorted({text_of(o): o for o in options}.items()))
            )
    return None


@law("1 > length(x) => x = ''", ex.Compare)
def constant_on_the_right(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Only where another law is for what is mirrored."""
    match expr:
        case ex.Compare(op, ex.Literal() as left, right) if not isinstance(right, ex.Literal):
            mirrored = ex.Compare(MIRRORED.get(op, op), right, left)
            simpler = simplify(mirrored)
            return None if simpler == mirrored else simpler
    return None


@law("10 < n => n > 10", ex.Compare, stage=Stage.NORMAL)
def number_on_the_right(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A whole number compared by order."""
    match expr:
        case ex.Compare(op, ex.Literal(int()) as left, right) if op in MIRRORED:
            return ex.Compare(MIRRORED[op], right, left)
    return None


@law("n & 4 = 4 => NOT (n & 4 = 0)", ex.Compare, stage=Stage.NORMAL)
def bit_is_set(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The constant has one bit, so that there are two results; not the sign."""
    match expr:
        case ex.Compare(
            "=", ex.Call("&", (_, ex.Literal(int() as bit))) as tested, ex.Literal(value)
        ) if value == bit > 0 and not bit & (bit - 1):
            return ex.Not(ex.Compare("=", tested, ex.Literal(0, tested.type)))
    return None


@law("n < 11 => n <= 10", ex.Compare, stage=Stage.NORMAL)
def order_with_equality(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Whole numbers of one type, and the constant is not the last one of it."""
    match expr:
        case ex.Compare(
            "<" | ">" as op, arg, ex.Literal(int() as number, ty.IntegralType() as kind)
        ):
            constant = widened(ex.Literal(number - 1 if op == "<" else number + 1, kind), kind)
            if arg.type == kind and constant is not None:
                return ex.Compare(f"{op}=", arg, constant)
    return None


@law("CAST(x AS DECIMAL(12, 2)) <= 18.00 => x <= 18.00", ex.Compare, stage=Stage.NORMAL)
def comparison_before_cast(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The cast is to a type with every value, and the constant one of the narrower type."""
    match expr:
        case ex.Compare(op, ex.Cast(arg, type_), ex.Literal() as literal):
            narrow = narrowed(literal, type_, arg.type)
            return None if narrow is None else ex.Compare(op, arg, narrow)
    return None


def narrowed(literal: ex.Literal, type_: ty.DataType, narrow: ty.DataType) -> ex.Literal | None:
    """A constant in a type all of whose values another type holds; None if that has it not."""
    return widened(literal, narrow) if literal.type == type_ and holds_all(type_, narrow) else None


@law("CASE WHEN c THEN x ELSE 0 END > 1 => CASE WHEN c THEN x > 1 ELSE FALSE END",
     ex.Compare, stage=Stage.NORMAL)  # fmt: skip
def comparison_of_branches(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """One of the branches is a constant; a comparison of a CASE is that of the branch taken."""
    match expr:
        case ex.Compare(op, ex.Case(branches, otherwise), ex.Literal() as literal):
            if any(isinstance(v, ex.Literal) for v in (*(then for _, then in branches), otherwise)):
                compared = tuple(
                    (when, simplify(ex.Compare(op, then, literal))) for when, then in branches
                )
                return ex.Case(compared, simplify(ex.Compare(op, otherwise, literal)))
    return None
