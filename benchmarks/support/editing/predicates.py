"""Predicates as texts: other ways to write one, and the same one with other constants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import sqlglot
from sqlglot import exp

from benchmarks.workloads.data import VALUES
from veer.ir.types import DataType, DecimalType, IntegralType

Types = Mapping[str, DataType]
DATE = re.compile(r"CAST\('(\d{4}-\d\d-\d\d)' AS DATE\)")
FLIPPED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}
NEGATED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
}
ENDS = ("low", "high")  # of BETWEEN
# For whole numbers: the other way to write a bound, and how far its constant moves.
NEXT: dict[type[exp.Expr], tuple[type[exp.Binary], int]] = {
    exp.GTE: (exp.GT, -1),
    exp.GT: (exp.GTE, 1),
    exp.LTE: (exp.LT, 1),
    exp.LT: (exp.LTE, -1),
}
# What columns hold that no source has.
DERIVED: Mapping[str, tuple[Any, ...]] = {
    "profession": ("director", "writer", "actor"),
    "topic": ("related", "other"),
    "about": ("related", "other"),
    "commerce": ("commercial", "non-commercial"),
    "gender": ("female", "male"),
    "text": (),
    "name": (),
    "description": (),
}
KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "tobacco": ("smoking", "cheap tobacco"),
    "wildfire": ("wildfire smoke", "smoke"),
}


def parse(text: str) -> exp.Expr:
    """An expression of Spark SQL."""
    return sqlglot.parse_one(text, read="spark")


def show(expr: exp.Expr) -> str:
    """The text of an expression."""
    return DATE.sub(r"DATE '\1'", expr.sql(dialect="spark"))


def columns(text: str) -> set[str]:
    """The names of the columns read."""
    return {column.name for column in parse(text).find_all(exp.Column)}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The expression over other names of its columns."""
    if all(names.get(name, name) == name for name in columns(text)):
        return text
    tree = parse(text)
    for column in tree.find_all(exp.Column):
        column.this.set("this", names.get(column.name, column.name))
    return show(tree)


def requalified(text: str, old: str, new: str) -> str:
    """The expression with columns of the operator `old` taken from `new`."""
    if f"{old}." not in text:
        return text
    tree = parse(text)
    for column in tree.find_all(exp.Column):
        if column.table == old:
            column.set("table", exp.to_identifier(new))
    return show(tree)


def conjuncts(text: str) -> list[str]:
    """What AND joins, outermost."""
    stack, parts = [parse(text)], []
    while stack:
        node = stack.pop()
        match node:
            case exp.And():
                stack += [node.expression, node.this]
            case exp.Paren():
                stack.append(node.this)
            case _:
                parts.append(show(node))
    return parts


def conjunction(parts: Sequence[str]) -> str:
    """The parts joined with AND."""
    if len(parts) == 1:
        return parts[0]
    return " AND ".join(f"({p})" if isinstance(parse(p), exp.Or) else p for p in parts)


def literal(value: Any) -> str:
    """A constant as Spark SQL."""
    match value:
        case str():
            return "'" + value.replace("'", "\\'") + "'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case _:
            return str(value)


def domain(name: str, type_: DataType) -> tuple[Any, ...]:
    """Constants worth comparing a column with: values it has in the workloads' tables."""
    values = DERIVED.get(name, VALUES.get(name))
    if values is not None:
        some = [v for v in values if v is not None and not isinstance(v, tuple)]
        return tuple(sorted(set(some)))
    if name.endswith(("_sk", "_id")) or name == "influencer":
        return ()  # nobody asks for ranges of keys
    match type_:
        case DecimalType(_, scale) if scale == 2:
            return tuple(map(Decimal, ("1.00", "2.50", "5.00", "10.00", "20.00")))
        case IntegralType():
            return (1, 2, 5, 10, 20)
        case _:
            return ()


# -- the same predicate, written in another way ------------------------------------------------

Form = tuple[str, str]  # in words, the text


def equal_forms(text: str, types: Types) -> Iterator[Form]:
    """Other ways to write a filter's predicate: true on exactly the same rows.

        a > 3   =>   3 < a,   a >= 4 for a whole number,   NOT a <= 3,   a > 3 AND a IS NOT NULL

    All but the implied conjuncts also keep null apart from false.
    """
    for change in FORMS:
        yield from _everywhere(text, types, change)
    parts = conjuncts(text)
    if len(parts) > 1:
        yield "conjuncts in another order", conjunction([*parts[1:], parts[0]])
    yield from _implied(parts, types)


def _everywhere(
    text: str,
    types: Types,
    change: Callable[[exp.Expr, Types], tuple[str, exp.Expr] | None],
) -> Iterator[Form]:
    """The change made at each node where it applies, one at a time."""
    for number, node in enumerate(parse(text).walk()):
        changed = change(node.copy(), types)
        if changed is None or (change is _denied and isinstance(node.parent, exp.Not)):
            continue
        about, new = changed
        tree = parse(text)
        old = next(n for i, n in enumerate(tree.walk()) if i == number)
        if isinstance(old.parent, exp.Not | exp.And | exp.Or) and isinstance(
            new, exp.And | exp.Or | exp.Not
        ):
            new = exp.Paren(this=new)
        if old is tree:
            tree = new
        else:
            old.replace(new)
        yield about, show(tree)


def _turned(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    turned = FLIPPED.get(type(node))
    if turned is None:
        return None
    return "sides exchanged", turned(this=node.expression, expression=node.this)


def _next_bound(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    """`a >= 5` as `a > 4`, for whole numbers."""
    next_ = NEXT.get(type(node))
    bound = node.args.get("expression")
    if next_ is None or not isinstance(node.this, exp.Column) or not isinstance(bound, exp.Literal):
        return None
    if not bound.is_int or not isinstance(types.get(node.this.name), IntegralType):
        return None
    other, step = next_
    moved = int(bound.this) + step
    if moved < 0:
        return None
    return "the next whole number", other(this=node.this, expression=exp.Literal.number(moved))


def _denied(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    negated = NEGATED.get(type(node))
    if negated is None:
        return None
    return "written with NOT", exp.Not(this=negated(this=node.this, expression=node.expression))


def _affirmed(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    """`NOT a <> b` as `a = b`."""
    inner = node.this.unnest() if isinstance(node, exp.Not) else None
    negated = NEGATED.get(type(inner)) if inner is not None else None
    if inner is None or negated is None:
        return None
    return "written without NOT", negated(this=inner.this, expression=inner.expression)


def _in_as_or(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    if not isinstance(node, exp.In) or len(node.expressions) < 2:
        return None
    tests = [exp.EQ(this=node.this.copy(), expression=e.copy()) for e in node.expressions]
    return "IN written with OR", exp.or_(*tests)


def _or_as_in(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    """ORs of equalities of one column as IN."""
    if not isinstance(node, exp.Or):
        return None
    tests = [t.unnest() for t in node.flatten()]
    names = {show(t.this) for t in tests if isinstance(t, exp.EQ)}
    plain = all(isinstance(t, exp.EQ) and _constant(t.expression) is not None for t in tests)
    if not plain or len(names) != 1:
        return None
    return "OR written with IN", exp.In(
        this=tests[0].this.copy(), expressions=[t.expression.copy() for t in tests]
    )


def _between_as_bounds(node: exp.Expr, types: Types) -> tuple[str, exp.Expr] | None:
    if not isinstance(node, exp.Between):
        return None
    return "BETWEEN written with two bounds", exp.and_(
        exp.GTE(this=node.this.copy(), expression=node.args["low"].copy()),
        exp.LTE(this=node.this.copy(), expression=node.args["high"].copy()),
    )


FORMS = (_turned, _next_bound, _denied, _affirmed, _in_as_or, _or_as_in, _between_as_bounds)


def _implied(parts: list[str], types: Types) -> Iterator[Form]:
    """A conjunct that others imply, added or taken away."""
    for part in parts:
        tree = parse(part)
        if type(tree) not in FLIPPED or not isinstance(tree.this, exp.Column):
            continue
        name = tree.this.name
        there = f"NOT {name} IS NULL"
        kept = [p for p in parts if p != there]
        if len(kept) < len(parts):
            yield "an implied conjunct removed", conjunction(kept)
        else:
            yield "an implied conjunct added", conjunction([*parts, f"{name} IS NOT NULL"])
        wider = _wider(tree, types)
        if wider is not None and wider not in parts:
            yield "an implied bound added", conjunction([*parts, wider])


def _wider(tree: exp.Expr, types: Types) -> str | None:
    """A weaker bound of the same column, from the values it has."""
    name, bound = tree.this.name, _constant(tree.expression)
    if type(tree) not in NEXT or bound is None or name not in types:
        return None
    lower = isinstance(tree, exp.GT | exp.GTE)
    known = [v for v in domain(name, types[name]) if _comparable(v, bound)]
    weaker = [v for v in known if (v < bound if lower else v > bound)]
    sign = ">" if lower else "<"
    return f"{name} {sign} {literal(weaker[-1 if lower else 0])}" if weaker else None


def _constant(node: exp.Expr) -> Any:
    """The value of a constant; None if it is something else."""
    match node:
        case exp.Literal(is_string=True):
            return node.this
        case exp.Literal():
            return Decimal(node.this) if "." in node.this else int(node.this)
        case exp.Neg(this=exp.Literal() as inner) if not inner.is_string:
            return -_constant(inner)
        case exp.Cast(this=exp.Literal() as inner) if DATE.fullmatch(node.sql(dialect="spark")):
            return date.fromisoformat(inner.this)
        case _:
            return None


def _comparable(one: Any, other: Any) -> bool:
    numbers = (int, Decimal)
    return type(one) is type(other) or (isinstance(one, numbers) and isinstance(other, numbers))


# -- other predicates --------------------------------------------------------------------------


def other_constants(text: str, types: Types) -> Iterator[str]:
    """The expression with one constant replaced by another value of the column it meets."""
    for number, node in enumerate(parse(text).walk()):
        for place, options in _replaceable(node, types):
            for option in options:
                tree = parse(text)
                copy = next(n for i, n in enumerate(tree.walk()) if i == number)
                if isinstance(node, exp.In):
                    copy.set("expressions", option)
                else:
                    copy.set(place, parse(literal(option)))
                yield show(tree)


def _replaceable(node: exp.Expr, types: Types) -> Iterator[tuple[str, list[Any]]]:
    """Arguments of a comparison that are constants, and what they may be instead."""
    by_kind: dict[type[exp.Expr], tuple[str, ...]] = {
        exp.Between: ENDS,
        exp.In: ("expressions",),
        **dict.fromkeys(FLIPPED, ("expression",)),
    }
    places = by_kind.get(type(node), ())
    if not isinstance(node.this, exp.Column) or node.this.name not in types:
        return
    values = domain(node.this.name, types[node.this.name])
    for place in places:
        if place == "expressions":
            held = [_constant(e) for e in node.expressions]
            fewer = [held[:i] + held[i + 1 :] for i in range(len(held))] if len(held) > 2 else []
            more = [[*held, v] for v in values if v not in held]
            yield place, [[parse(literal(v)) for v in option] for option in (*fewer, *more)]
        elif (old := _constant(node.args[place])) is not None:
            others = [v for v in values if v != old and _comparable(v, old)]
            low, high = (_constant(node.args[end]) if end in node.args else None for end in ENDS)
            yield (
                place,
                [
                    v
                    for v in others
                    if (place != "low" or v <= high) and (place != "high" or v >= low)
                ],
            )


def new_predicates(name: str, type_: DataType) -> Iterator[str]:
    """Conditions on a column that some of its values fulfil and some do not."""
    values = domain(name, type_)
    if not values:
        yield f"{name} IS NOT NULL"
    elif isinstance(values[0], str):
        for value in values:
            yield f"{name} = {literal(value)}"
            yield f"{name} <> {literal(value)}"
    else:
        for value in values[1:-1]:
            yield f"{name} >= {literal(value)}"
            yield f"{name} < {literal(value)}"
