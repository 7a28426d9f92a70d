"""Comparisons and lists in one spelling.

    x IN (2, 1, 2)                                =>   x IN (1, 2)
    CAST(x AS DECIMAL(12, 2)) <= 18.00            =>   x <= 18.00, x being DECIMAL(7, 2)
    CASE WHEN c THEN x ELSE 0 END > 1             =>   CASE WHEN c THEN x > 1 ELSE FALSE END
    coalesce(CASE WHEN c THEN 1 END, 0)           =>   CASE WHEN c THEN 1 ELSE 0 END
    (a AND b) OR (a AND c)                        =>   a AND (b OR c)
    n < 11,  n being an integer                   =>   n <= 10
    n & 4 = 4                                     =>   NOT (n & 4 = 0)
    NOT (a < b)                                   =>   a >= b
    coalesce(CASE WHEN n <> 0 THEN n END, 0)      =>   coalesce(n, 0), n being exact
    lower(coalesce(a, 'X'))                       =>   coalesce(lower(a), 'x')
    concat(concat(a, b), c)                       =>   concat(a, b, c)
    datediff(date_sub(d, 1), e)                   =>   datediff(d, e) - 1
    named_struct('x', a, 'y', b).x                =>   a
    CAST(coalesce(CAST(n AS BIGINT), 0) AS INT)   =>   coalesce(n, 0), n being an INT

Exact in three-valued logic. A list is the same in any order; a cast to a type that holds every value
keeps their order, and the constant is one of the narrower type; a comparison of a CASE is that of the
branch taken; AND distributes over OR with nulls too.
"""

from __future__ import annotations

from dataclasses import replace

from veer.analysis.constants import computed, widened, zero_of
from veer.analysis.plain_conditions import MIRRORED, plain_form
from veer.model.conditions import conjunction, conjuncts, disjunction
from veer.model.expr import (
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Expr,
    GetField,
    InList,
    Literal,
    Not,
    Or,
)
from veer.model.texts import text_of
from veer.model.types import (
    DATE,
    INT,
    DataType,
    DecimalType,
    IntegralType,
    StringType,
    holding_both,
)

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}  # NaN is ordered too


# Functions of one text, null where it is null and nowhere else.
OF_TEXTS = ("lower", "upper", "trim", "ltrim", "rtrim", "initcap")


def one_spelling(expr: Expr) -> Expr:
    """An expression in its one spelling, looking at the top only."""
    match expr:
        case InList(arg, options) if all(isinstance(o, Literal) for o in options):
            return _in_list(expr, arg, options)
        case Not(Compare(op, left, right)) if op in OPPOSITE:
            return one_spelling(plain_form(Compare(OPPOSITE[op], left, right)))
        case Compare(op, Literal() as left, Cast() | Case() as right):
            flipped = Compare(MIRRORED.get(op, op), right, left)
            spelled = one_spelling(flipped)
            return expr if spelled is flipped else spelled
        case Compare(op, Literal(int()) as left, right) if op in MIRRORED:
            return one_spelling(Compare(MIRRORED[op], right, left))
        case Compare("=", Call("&", (_, Literal(int() as bit))) as tested, Literal(value)) if (
            value == bit > 0 and not bit & (bit - 1)
        ):
            return Not(Compare("=", tested, Literal(0, tested.type)))
        case Compare("<" | ">" as op, arg, Literal(int() as number, IntegralType() as kind)):
            return _not_strict(expr, op, arg, number, kind)
        case Call("concat", args) if any(_is_text_concat(a) for a in args):
            inner = (a.args if _is_text_concat(a) else (a,) for a in args)  # type: ignore[union-attr]
            return replace(expr, args=tuple(a for each in inner for a in each))
        case Call("coalesce", (Case() as case, Literal() as constant)):
            return _present_case(expr, case, constant)
        case Call("datediff", (Call("date_add" | "date_sub" as move, (last, days)), first)):
            between = Call("datediff", (last, first), INT)
            moved = Call("+" if move == "date_add" else "-", (between, days), INT)
            return moved if days.type == INT and last.type == DATE else expr
        case GetField(Call("named_struct", args), name):
            values = [args[i + 1] for i in range(0, len(args), 2) if _is_text(args[i], name)]
            return values[0] if len(values) == 1 else expr
        case Call(
            "coalesce",
            (Case(((Not(Compare("=", Column() as n, Literal(0))), m),), Literal(None)), zero),
        ):
            is_same = _is_exact(n.type) and m == n and zero == zero_of(n.type)
            return replace(expr, args=(n, zero)) if is_same else expr
        case Call(function, (Call("coalesce", args),)) if function in OF_TEXTS:
            return _of_each(function, args, expr.type)
        case Cast(Call("coalesce", args), type_):
            return _without_detour(expr, args, type_)
        case Compare(op, Cast(arg, type_), Literal() as literal):
            narrow = _narrower(literal, type_, arg.type)
            return expr if narrow is None else one_spelling(plain_form(Compare(op, arg, narrow)))
        case Compare(op, Case() as case, Literal() as literal):
            return _compared_case(expr, op, case, literal)
        case Or(args):
            once = tuple({text_of(a): a for a in args}.values())
            return _factored(disjunction(once), once) if len(once) > 1 else once[0]
        case _:
            return expr


def _of_each(function: str, args: tuple[Expr, ...], type_: DataType) -> Expr:
    """The first of several texts that is there, each changed before."""
    each = (one_spelling(plain_form(Call(function, (a,), type_))) for a in args)
    return Call("coalesce", tuple(each), type_)


def _is_exact(type_: DataType) -> bool:
    return isinstance(type_, IntegralType | DecimalType)


def _not_strict(expr: Compare, op: str, arg: Expr, number: int, kind: IntegralType) -> Expr:
    """A comparison of integers without equality as one with it."""
    near = number - 1 if op == "<" else number + 1
    constant = widened(Literal(near, kind), kind)  # none beyond the last number
    if arg.type != kind or constant is None:
        return expr
    return Compare(f"{op}=", arg, constant)


def _is_text_concat(expr: Expr) -> bool:
    return (
        isinstance(expr, Call) and expr.function == "concat" and isinstance(expr.type, StringType)
    )


def _is_text(expr: Expr, text: str) -> bool:
    return isinstance(expr, Literal) and expr.value == text


def _in_list(expr: InList, arg: Expr, options: tuple[Expr, ...]) -> Expr:
    ordered = tuple(o for _, o in sorted({text_of(o): o for o in options}.items()))
    if ordered == options:
        return expr
    return plain_form(InList(arg, ordered))


def _narrower(literal: Literal, type_: DataType, narrow: DataType) -> Literal | None:
    """A constant in a type all of whose values another type holds; None if that has it not."""
    exact = (IntegralType, DecimalType)
    if not isinstance(type_, exact) or not isinstance(narrow, exact) or literal.value is None:
        return None
    if literal.type != type_ or holding_both(narrow, type_) != type_:
        return None
    return widened(literal, narrow)


def _without_detour(expr: Cast, args: tuple[Expr, ...], type_: DataType) -> Expr:
    """The first value that is not null, of values that were all of the type they are cast to."""
    values = [_before_cast(arg, type_) for arg in args]
    known = tuple(v for v in values if v is not None)
    return Call("coalesce", known, type_) if len(known) == len(args) else expr


def _before_cast(arg: Expr, type_: DataType) -> Expr | None:
    """A value of a type that was cast to a type with all values of it, or a constant it has."""
    match arg:
        case Cast(value, wider) if value.type == type_ and holding_both(type_, wider) == wider:
            return value
        case Literal():
            return _narrower(arg, arg.type, type_)
    return None


def _compared_case(expr: Compare, op: str, case: Case, literal: Literal) -> Expr:
    values = [then for _, then in case.branches] + [case.otherwise]
    if not any(isinstance(v, Literal) for v in values):
        return expr

    def compared(value: Expr) -> Expr:
        return one_spelling(plain_form(Compare(op, value, literal)))

    branches = tuple((when, compared(then)) for when, then in case.branches)
    return computed(Case(branches, compared(case.otherwise)))


def _present_case(expr: Call, case: Case, constant: Literal) -> Expr:
    """COALESCE of a CASE whose values are constants but for one, as a CASE of the values."""
    values = [then for _, then in case.branches] + [case.otherwise]
    if sum(not isinstance(v, Literal) for v in values) > 1:
        return expr

    def present(value: Expr) -> Expr:
        return computed(replace(expr, args=(value, constant)))

    branches = tuple((when, present(then)) for when, then in case.branches)
    return computed(Case(branches, present(case.otherwise)))


def _factored(expr: Expr, args: tuple[Expr, ...]) -> Expr:
    """What all alternatives require, taken out of them."""
    alternatives = [{text_of(c): c for c in conjuncts(arg)} for arg in args]
    shared = [t for t in alternatives[0] if all(t in other for other in alternatives[1:])]
    if not shared:
        return expr
    common = [alternatives[0][t] for t in shared]
    rest = [[c for t, c in each.items() if t not in shared] for each in alternatives]
    if all(rest):
        common.append(disjunction([conjunction(each) for each in rest]))
    return conjunction(common) if len(common) > 1 else common[0]
