"""Values of the first row of each group, in one spelling: as `max_by` and `min_by`.

    max(struct(d, id, x)).x GROUP BY a, id a key   =>   max_by(x, struct(d, id)) GROUP BY a
    max(struct(d, id, x)).d                        =>   max(d)
    min_by(2 * x, struct(-n, id))                  =>   2 * max_by(x, struct(n, -id))

Sound where no two rows of a group agree on what they go by: then there is one row before all others,
and what is computed of its columns may be computed later. Without that, rows that tie agree on what
they go by, and nothing else may be read. Structs are compared part by part, nulls before all values,
and are never null themselves, so that no row is skipped. Floats are left alone: 0.0 ties with -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.ir import expr as ex, types as ty
from veer.ir.json import is_alike
from veer.ir.walk import parts, query_of, replace_down, struct_parts
from veer.rewrite.expressions import is_random
from veer.rewrite.operators.canonical_windows import is_among
from veer.rewrite.plain_calls import BY_EXTREME, Spelling, composed, just
from veer.rewrite.rewriting import Grouping, Rewriting

EXTREMES = ("max", "min")


@final
@dataclass(frozen=True)
class FirstRow:
    """The first row of each group: that with the greatest, or least, value of `place`.

    `decides`: no other row of the group has that value. Otherwise such rows agree on `order` at least.
    """

    keys: tuple[ex.Expr, ...]  # of the groups
    end: str  # "max" or "min"
    place: ex.Expr  # never null
    order: tuple[ex.Expr, ...]  # what rows go by, one after the other
    extreme: str | None  # whether the first of `order` is its own greatest or least value
    decides: bool
    others: tuple[
        tuple[ex.Expr, ex.AggregateCall], ...
    ] = ()  # calls that give what else can be read

    def value(self, expr: ex.Expr) -> Spelling | None:
        """An expression on the first row of each group; None if it reads what ties leave open."""
        if any(query_of(node) is not None for node in parts(expr)) or is_random(expr):
            return None
        read: list[tuple[ex.Expr, ex.AggregateCall]] = []

        def note(part: ex.Expr) -> ex.Expr | None:
            call = self._call(part)
            if call is not None and not any(is_alike(part, other) for other, _ in read):
                read.append((part, call))
            return None if call is None else part

        replace_down(expr, note)
        if not self.decides and not _reads_only(expr, [part for part, _ in read]):
            return None

        def compute(values: Sequence[ex.Expr]) -> ex.Expr:
            def known(part: ex.Expr) -> ex.Expr | None:
                found = (at for at, (other, _) in enumerate(read) if is_alike(part, other))
                at = next(found, None)
                return None if at is None else values[at]

            return replace_down(expr, known)

        if len(read) == 1 and is_alike(read[0][0], expr):
            return just(read[0][1])
        return Spelling(tuple(call for _, call in read), compute)

    def _call(self, part: ex.Expr) -> ex.AggregateCall | None:
        """The call that gives a part of an expression on the first row, unless it is of smaller ones."""
        for other, call in self.others:
            if is_alike(part, other):
                return call
        if is_among(part, self.keys):
            return ex.AggregateCall("max", (part,), part.type)
        if self.extreme is not None and is_alike(part, self.order[0]):
            return ex.AggregateCall(self.extreme, (part,), part.type)
        if is_among(part, self.order) or (self.decides and isinstance(part, ex.Column)):
            return ex.AggregateCall(f"{self.end}_by", (part, self.place), part.type)
        return None


def _reads_only(expr: ex.Expr, allowed: Sequence[ex.Expr]) -> bool:
    """Whether an expression reads no column but inside of some parts."""
    left = replace_down(expr, lambda e: ex.Literal(None, e.type) if is_among(e, allowed) else None)
    return not any(isinstance(node, ex.Column) for node in parts(left))


def first_row(
    rewriting: Rewriting, id_: str, rows: str, keys: Sequence[ex.Expr], order: Sequence[ex.SortKey]
) -> FirstRow | None:
    """The row that comes first in an order in each group; None where that is unknown."""
    exprs = [*keys, *(key.expr for key in order)]
    if any(is_random(e) or query_of(node) is not None for e in exprs for node in parts(e)):
        return None
    seen, kept = list(keys), list[ex.SortKey]()
    for key in map(_unsigned, order):
        if rewriting.is_constant(rows, key.expr) or is_among(key.expr, seen):
            continue
        if kept and rewriting.are_unique(id_, rows, seen):
            break
        kept.append(key)
        seen.append(key.expr)
    kept = kept or [_unsigned(key) for key in order[:1]]
    if any(ty.has_floats(e.type) for e in (*seen, kept[0].expr)):
        return None
    decides = rewriting.are_unique(id_, rows, seen)
    first = kept[0]
    own = "min" if first.ascending else "max"
    is_shown = not first.nulls_first or not rewriting.can_be_null(rows, first.expr)
    for end in (own, "max" if first.ascending else "min"):
        place = _place(rewriting, rows, kept, ascending=end == "min")
        if place is not None:
            by = tuple(key.expr for key in kept)
            return FirstRow(tuple(keys), end, place, by, own if is_shown else None, decides)
    return None


def _unsigned(key: ex.SortKey) -> ex.SortKey:
    """A key without the minus before it, which turns the order round; null stays null."""
    while isinstance(key.expr, ex.Call) and key.expr.function == "negative":
        (arg,) = key.expr.args
        if not isinstance(arg.type, ty.IntegralType | ty.DecimalType):
            break
        key = replace(key, expr=arg, ascending=not key.ascending)
    return key


def _place(
    rewriting: Rewriting, rows: str, order: Sequence[ex.SortKey], *, ascending: bool
) -> ex.Expr | None:
    """What is least (or greatest) where an order has its first row, never null; None if nothing is.

    Numbers are negated where their order is the other one.
    """
    parts_: list[ex.Expr] = []
    for key in order:
        can_be_null = rewriting.can_be_null(rows, key.expr)
        if can_be_null and key.nulls_first != ascending:
            parts_.append(ex.IsNull(key.expr))
        if key.ascending == ascending:
            parts_.append(key.expr)
        elif isinstance(key.expr.type, ty.IntegralType | ty.DecimalType):
            parts_.append(ex.Call("negative", (key.expr,), key.expr.type))
        else:
            return None
    if len(parts_) == 1 and not rewriting.can_be_null(rows, parts_[0]):
        return parts_[0]
    return _struct([(f"_{i}", part) for i, part in enumerate(parts_)])


def _struct(fields: Sequence[tuple[str, ex.Expr]]) -> ex.Expr:
    args = tuple(a for name, value in fields for a in (ex.Literal(name, ty.STRING), value))
    return ex.Call("named_struct", args, ty.StructType(tuple((name, v.type) for name, v in fields)))


def spell_argmax(groups: Grouping) -> Grouping:
    """An aggregate with its calls of first rows in one spelling, if its groups have rows."""
    if groups.is_global:
        return groups
    keys = [key.expr for key in groups.keys]
    return groups.each(lambda call: _of_first_row(groups, keys, call))


def _of_first_row(groups: Grouping, keys: Sequence[ex.Expr], call: ex.AggregateCall) -> Spelling:
    rewriting, rows = groups.rewriting, groups.base
    if call.where is not None or call.distinct or any(map(is_random, call.args)):
        return just(call)
    match call:
        case ex.AggregateCall("max" | "min" as end, (ex.Call("named_struct", args),)):
            values, order = args[1::2], _order(end, args[1::2])
            result = args
        case ex.AggregateCall("max_by" | "min_by" as function, (value, place)):
            if is_alike(value, place):
                return just(ex.AggregateCall(BY_EXTREME[function], (value,), value.type))
            by = struct_parts(place)
            if by == (place,) and rewriting.can_be_null(rows, place):
                return just(_among_present(call, value, place))  # rows are skipped
            order = _order(BY_EXTREME[function], by)
            values = struct_parts(value)
            result = value.args if values != (value,) else ()  # type: ignore[union-attr]
        case _:
            return just(call)
    first = first_row(rewriting, groups.id, rows, keys, order)
    spelled = [] if first is None else [first.value(v) for v in values]
    known = [s for s in spelled if s is not None]
    if len(known) < len(values):
        return just(call)
    if not result:
        return known[0]
    names = [str(name.value) for name in result[::2] if isinstance(name, ex.Literal)]
    both = Spelling((), lambda given: _struct(list(zip(names, given, strict=True))))
    return composed(both, known)


def _among_present(call: ex.AggregateCall, value: ex.Expr, place: ex.Expr) -> ex.AggregateCall:
    """What rows go by at its extreme among those on which a condition is true, if that is shown."""
    match place:
        case ex.Case(((_, then),), ex.Literal(None)) if is_alike(then, value):
            return ex.AggregateCall(BY_EXTREME[call.function], (place,), place.type)
    return call


def _order(end: str, exprs: Sequence[ex.Expr]) -> list[ex.SortKey]:
    is_least = end == "min"
    return [ex.SortKey(e, ascending=is_least, nulls_first=is_least) for e in exprs]
